# SPDX-License-Identifier: BSD-3-Clause
"""A stored rt run as distributions, one for each tool, condition and CPU."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.errors import DataError
from latlab.core.lifecycle.material import load_run
from latlab.core.model.blame import UNTRACED, BlameKind
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.distributions import Distribution, distributions_of
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import CoreId, Run
from latlab.core.store.store import open_store
from latlab.rt.campaign.results import new_run
from latlab.rt.campaign.samples import with_distributions
from latlab.rt.model.power_steps import PowerCycles
from support import recorder_files as files
from support.places import RT_DATA

LATE_NS = 130_000
RECORD = files.whole([[5, 5, 9, 1000], [LATE_NS]], [(files.START_NS + 200_000 + LATE_NS, 0, LATE_NS, 1, 3)])


def run(**conditions: object) -> Run:
    return new_run("rt", "guest", "x", 2, Conditions(mode=Mode.REAL, **conditions))  # type: ignore[arg-type]


def distributions(kept: dict[str, bytes], **conditions: object) -> dict[tuple[str, CoreId], Distribution]:
    return {(one.test, one.core): one for one in distributions_of(with_distributions(run(**conditions), kept))}


def test_what_each_cpu_saw_is_counted_by_how_late_it_was() -> None:
    found = distributions({"recorder.rec": RECORD})
    assert list(found) == [("recorder", CoreId(0, 0)), ("recorder", CoreId(0, 1))]
    quick = found["recorder", CoreId(0, 0)]
    assert [(low, n) for low, _, n in quick.counts[:2]] == [(5, 2), (9, 1)] and sum(n for *_, n in quick.counts) == quick.got == 4
    assert all(low < high for low, high, _ in quick.counts) and quick.counts[2][0] <= 1000 < quick.counts[2][1]
    assert (quick.minimum_ticks, quick.maximum_ticks, quick.average_ticks, quick.beyond) == (5, 1000, 1019 / 4, 0)
    assert quick.digest == found["recorder", CoreId(0, 1)].digest == f"{0xABC:016x}"


def test_each_condition_of_an_experiment_and_each_tool_is_a_test_of_its_own() -> None:
    kept = {f"{name}/recorder.rec": RECORD for name in ("50-us", "200-us")}
    tests = list(dict.fromkeys(test for test, _ in distributions(kept)))
    assert tests == ["recorder-200-us", "recorder-50-us"]


def test_a_late_wake_up_that_nothing_traced_is_blamed_on_nobody() -> None:
    (late,) = distributions({"recorder.rec": RECORD})["recorder", CoreId(0, 1)].late
    assert (late.late_ticks, late.blame) == (LATE_NS, UNTRACED)


def test_a_late_wake_up_that_the_firmware_explains_has_its_call_to_blame() -> None:
    kept = {name: (RT_DATA / name).read_bytes() for name in ("el3-records.txt", "ftrace.txt")}
    kept["recorder.rec"] = gzip.decompress((RT_DATA / "recorder.rec.gz").read_bytes())
    (one,) = distributions(kept | {"el3-info.txt": b""}).values()
    assert one.late and {late.blame.kind for late in one.late} >= {BlameKind.KERNEL}


def test_a_run_of_power_boundaries_has_no_wake_ups(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "s.sqlite"))
    cycles = store.begin(new_run("rt-power", "guest", "x", 2, Conditions(mode=Mode.MULTI_THREAD), contents=PowerCycles()))
    with pytest.raises(DataError, match=f"{cycles} has power-state transitions and no wake-ups; `latlab show {cycles}`"):
        load_run(store, cycles)
    rt = store.begin(replace(run(), status=RunStatus.RUNNING))
    store.add(rt, logs={"recorder.rec": RECORD})
    assert [one.metric for one in distributions_of(load_run(store, rt))] == [Metric.TASK_WAKEUP] * 2
