# SPDX-License-Identifier: BSD-3-Clause
"""Two rt runs on a machine whose runs differ: what earlier runs scatter by enters the verdict."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from latlab.analysis.base.comparison import Comparison, Row, Statistic
from latlab.analysis.base.statistics import Shift
from latlab.analysis.base.verdicts import Verdict
from latlab.analysis.compare import compare
from latlab.analysis.wakeups.between_runs import earlier_runs, with_scatter
from latlab.campaigns.loading import load_earlier, load_reference
from latlab.campaigns.rt_results import CAMPAIGN, keep, new_run, workload_conditions
from latlab.model.conditions import Mode
from latlab.model.enums import RunStatus
from latlab.model.run import Build, Run
from latlab.store.store import open_store
from latlab.targets.linux.rt_job import Workload
from support.command import latlab
from support.places import RT_DATA
from support.wakeup_runs import distribution, drawn, wakeup_run


def run(seed: int, factor: float, name: str, **changes: object) -> Run:
    one = wakeup_run(distribution(drawn(seed, 20_000, factor)), name=name, platform="board")
    return replace(one, build=Build("fw"), started_utc=f"2026-01-{seed:02d}T00:00:00Z", **changes)  # type: ignore[arg-type]


def scattered(count: int) -> list[Run]:
    """Runs of one thing whose wake-ups are up to 20 % longer or shorter as a whole."""
    factors = np.random.default_rng(4).normal(1.0, 0.1, count)
    return [run(i + 1, factor, f"r{i}") for i, factor in enumerate(factors)]


def median_of(comparison: Comparison) -> Row:
    return next(row for row in comparison.rows if row.statistic is Statistic.MEDIAN)


def test_a_difference_that_runs_of_one_thing_have_is_no_change_once_their_scatter_is_known() -> None:
    a, b = run(20, 1.0, "a"), run(21, 1.12, "b")
    alone = compare(a, b)
    assert median_of(alone).verdict is Verdict.REGRESSED and any("taken as independent" in note for note in alone.notes)
    known = compare(a, b, earlier=scattered(5))
    row = median_of(known)
    assert row.verdict is Verdict.CANNOT_TELL and row.basis.endswith(", with the scatter of five earlier runs")
    assert row.shift.low < 0 < row.shift.value < row.shift.high
    assert any("r0, r1, r2, r3, r4, earlier runs under the same conditions" in note for note in known.notes)
    assert not any("taken as independent" in note for note in known.notes)


def test_a_change_far_beyond_their_scatter_is_still_one() -> None:
    quiet = [run(i + 1, 1.0 + 0.001 * i, f"r{i}") for i in range(6)]
    row = median_of(compare(run(20, 1.0, "a"), run(21, 1.3, "b"), earlier=quiet))
    assert row.verdict is Verdict.REGRESSED and "six earlier runs" in row.basis


def test_two_earlier_runs_are_too_few_to_know_a_scatter() -> None:
    found = compare(run(20, 1.0, "a"), run(21, 1.12, "b"), earlier=scattered(2))
    assert median_of(found).verdict is Verdict.REGRESSED and any("taken as independent" in note for note in found.notes)


def test_the_p_value_and_the_interval_are_those_of_a_difference_of_two_runs() -> None:
    values = [100.0, 104.0, 98.0, 103.0]
    row = replace(median_of(compare(run(1, 1.0, "a"), run(2, 1.0, "b"))), shift=Shift(12.0, 11.0, 13.0, 1e-9), basis="b")
    told = with_scatter(row, values)
    error = np.sqrt(2) * stats.tstd(values)
    assert told.shift.p == pytest.approx(2 * stats.t.sf(12 / error, 3))
    half = stats.t.ppf(0.975, 3) * error
    assert (told.shift.low, told.shift.high) == pytest.approx((12 - half, 12 + half))
    assert with_scatter(replace(row, shift=Shift(12.0, -99.0, 99.0, 0.9)), values).shift == Shift(12.0, -99.0, 99.0, 0.9)
    assert with_scatter(row, [5.0] * 4).shift == row.shift and with_scatter(row, values[:2]) == row


def test_runs_of_one_thing_on_a_scattering_machine_are_hardly_ever_called_changed() -> None:
    rng = np.random.default_rng(8)
    wrong = 0
    for _ in range(40):
        factors = rng.normal(1.0, 0.1, 7)
        runs = [run(i + 1, factor, f"r{i}") for i, factor in enumerate(factors)]
        wrong += compare(runs[5], runs[6], earlier=runs[:5]).verdict in (Verdict.REGRESSED, Verdict.IMPROVED)
    assert wrong <= 5


@pytest.mark.parametrize(
    "changes",
    [
        {"platform": "other"},
        {"build": Build("other")},
        {"campaign": "rt-power"},
        {"status": RunStatus.PARTIAL},
        {"started_utc": "2026-02-01T00:00:00Z"},
        {"id": "a"},
        {"id": "b"},
    ],
)
def test_only_whole_earlier_runs_of_the_same_thing_count(changes: dict[str, object]) -> None:
    a, b = run(20, 1.0, "a"), run(21, 1.1, "b")
    like = run(1, 1.0, "r0")
    assert earlier_runs([like], a, b) == (like,)
    assert earlier_runs([replace(like, **changes)], a, b) == ()  # type: ignore[arg-type]


@pytest.mark.parametrize("condition", [{"load": "stress"}, {"priority": 12}, {"mode": Mode.VIRTUAL_MACHINE}, {"kernel_version": "6.12"}])
def test_a_run_under_other_conditions_does_not_count(condition: dict[str, object]) -> None:
    a, b, like = run(20, 1.0, "a"), run(21, 1.1, "b"), run(1, 1.0, "r0")
    assert earlier_runs([replace(like, conditions=replace(like.conditions, **condition))], a, b) == ()  # type: ignore[arg-type]
    longer = replace(like, conditions=replace(like.conditions, duration_s=77))
    assert earlier_runs([longer], a, b) == (longer,)


def test_runs_that_name_no_platform_have_no_history() -> None:
    nameless = [replace(one, platform="unnamed") for one in (run(20, 1.0, "a"), run(21, 1.1, "b"), run(1, 1.0, "r0"))]
    assert earlier_runs(nameless[2:], nameless[0], nameless[1]) == ()


def test_the_verbs_take_the_earlier_runs_from_the_store(tmp_path: Path) -> None:
    place = str(tmp_path / "store.sqlite")
    opened = open_store(place)
    files = {"recorder.rec": gzip.decompress((RT_DATA / "recorder.rec.gz").read_bytes())}
    kept = [
        keep(opened, new_run(CAMPAIGN, "ssh:board", platform, 1, workload_conditions(Workload(8), Mode.REAL)), files, ())
        for platform in ("board", "board", "other", "board", "board", "board")
    ]
    a, b = (load_reference(name, "", place) for name in kept[4:])
    assert {one.id for one in load_earlier(a, b, place)} == {kept[0], kept[1], kept[3]}
    done = latlab("compare", *kept[4:], "--verbose", store=Path(place))
    assert "with the scatter of three earlier runs" in " ".join(done.stdout.split())
