# SPDX-License-Identifier: BSD-3-Clause
"""A series is what `compare` compares: of two sets of variants in one store, one dearer, each regression is named, and nothing else."""

from __future__ import annotations

import itertools
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from latlab.core.comparison.conditions import CONDITIONS, ConditionRule, Identity, differences, distinguished, identity_of
from latlab.core.comparison.identity import NotComparable
from latlab.core.kinds.registry import BUILT_IN, CAMPAIGNS, kind_named
from latlab.core.lifecycle.series import by_identity, identity_of_head
from latlab.core.model.amounts import Amounts
from latlab.core.model.conditions import Conditions
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import Build, CoreId, Run, Sample, Spans
from latlab.core.store.listing import heads
from latlab.core.store.store import Store, open_store
from latlab.rt.targets.steal_job import file_of
from latlab.runs.campaign.importing_file import import_measured
from support.command import latlab
from support.runs import INSTRUCTIONS, ONE_CORE, run_with
from support.steal_lines import cpu_with, measured, text

OLD, NEW = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"
BUILDS = ("ipc-l1", "ipc-l2", "ipc-l3", "sfn-l1", "sfn-l2", "library-l1")
DEARER = 1.3


def spans(campaign: str, factor: float, at: str, firmware: str = "model", conditions: Conditions | None = None, **more: object) -> Run:
    """Counted calls on one core, the same in each iteration."""
    metric = Metric.PSA_CALL if campaign == "psa" else Metric.POWERDOWN
    values = {f"call_{number}": 1000 * number for number in (1, 2, 3)}
    samples = tuple(Sample(test, metric, CoreId(0, 0), 0, i, round(value * factor)) for test, value in values.items() for i in range(3))
    return run_with(
        campaign=campaign,
        target="qemu",
        topology=ONE_CORE,
        tick=INSTRUCTIONS,
        build=Build(firmware),
        contents=Spans(samples),
        conditions=conditions or Conditions(),
        started_utc=at,
        **more,
    )


def kept(store: Store, run: Run) -> str:
    run_id = store.begin(run)
    store.add(run_id, run.samples)
    store.finish(run_id, RunStatus.COMPLETE)
    return run_id


def psa(store: Store, at: str, factor: float) -> Iterator[str]:
    """Each call of four of six builds is dearer."""
    for number, build in enumerate(BUILDS):
        yield kept(store, spans("psa", factor if number % 3 else 1.0, at, build))


def psci(store: Store, at: str, factor: float) -> Iterator[str]:
    for processor in ("cortex-a53", "cortex-a57", "neoverse-n1"):
        yield kept(store, spans("psci", factor if processor == "cortex-a57" else 1.0, at, conditions=Conditions(processor=processor)))


def smc(store: Store, at: str, factor: float) -> Iterator[str]:
    for firmware in ("TF-A", "ours"):
        yield kept(store, spans("smc", factor if firmware == "ours" else 1.0, at, firmware))


def sbi(store: Store, at: str, factor: float) -> Iterator[str]:
    for options in (("-m 512",), ("-m 1024",)):
        yield kept(store, spans("sbi", factor if options == ("-m 512",) else 1.0, at, conditions=Conditions(emulator_options=options)))


def rt(store: Store, at: str, factor: float) -> Iterator[str]:
    """Files of cyclictest with two intervals. One run of each says nothing of a small difference."""
    for interval_us, moved in ((1000, factor**4), (200, 1.0)):
        counts = {round(value * moved): 20_000 - 900 * abs(value - 20) for value in range(5, 40)}
        counts[round(20 * moved)] += -sum(counts.values()) % 5000  # whole seconds of each interval
        rows = "".join(f"{value:06} {counts.get(value, 0):06}\n" for value in range(200))
        total, mean = sum(counts.values()), round(sum(value * count for value, count in counts.items()) / sum(counts.values()))
        text = f"# Histogram\n{rows}# Total: {total}\n# Min Latencies: {min(counts):05}\n# Avg Latencies: {mean:05}\n"
        text += f"# Max Latencies: {max(counts):05}\n"
        text += "# Histogram Overflows: 00000\n# Histogram Overflow at cycle number:\n# Thread 0:\n"
        duration = f"{total * interval_us // 1_000_000}s"
        with patch("latlab.rt.campaign.results.now_utc", lambda: at):
            yield import_measured(store, text.encode(), "cyclictest.txt", "board", duration, interval_us)


def bench(store: Store, at: str, factor: float) -> Iterator[str]:
    """Files of two tools."""
    times = "".join(
        "Running in process mode with 2 groups using 40 file descriptors each (== 80 tasks)\n"
        "Each sender will pass 50 messages of 100 bytes\n"
        f"Time: {factor * (3 + 0.01 * number):.3f}\n"
        for number in range(6)
    )
    rows = [
        {"name": "BM_x", "run_name": "BM_x", "run_type": "iteration", "repetitions": 6, "repetition_index": number, "threads": 1,
         "iterations": 100, "real_time": 10 + 0.01 * number, "cpu_time": 10 + 0.01 * number, "time_unit": "ns"}
        for number in range(6)
    ]  # fmt: skip
    document = json.dumps({"context": {"date": "2026-01-01", "library_build_type": "release"}, "benchmarks": rows})
    with patch("latlab.runs.campaign.importing_amounts.now_utc", lambda: at):
        yield import_measured(store, times.encode(), "hackbench.txt", "board", None, None)
        yield import_measured(store, document.encode(), "google.json", "board", None, None)


def steal(store: Store, at: str, factor: float) -> Iterator[str]:
    """What the meter wrote on two machines. One measurement says nothing of a small difference."""
    for platform, times in (("slow host", factor**5), ("host", 1.0)):
        meter = text(measured(cpu_with([round(30_000 * times) + number for number in range(60)], seconds=6)))
        run_id = store.begin(run_with(campaign="steal", platform=platform, contents=Amounts(), started_utc=at))
        store.add(run_id, logs={file_of("idle"): meter.encode()})
        store.finish(run_id, RunStatus.COMPLETE)
        yield run_id


KINDS: dict[str, Callable[[Store, str, float], Iterator[str]]] = {f.__name__: f for f in (psa, psci, smc, sbi, rt, bench, steal)}
REGRESSED = {"psa": {1, 2, 4, 5}, "psci": {1}, "smc": {1}, "sbi": {0}, "rt": {0}, "bench": {0}, "steal": {0}}


def test_every_kind_of_run_that_can_be_compared_is_tried_here() -> None:
    """The others have no latencies: their runs are shown, and judged by nobody."""
    of_kind = {"spans": {"psci", "psa"}, "wakeups": {"rt"}, "amounts": {"bench", "steal"}}
    assert {name for name in BUILT_IN if kind_named(name).pairs is not None} == set(of_kind)
    assert {*CAMPAIGNS, *(name for names in of_kind.values() for name in names)} <= set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_each_regression_of_a_variant_is_named_and_nothing_else(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "store.sqlite"
    store = open_store(str(place))
    older = list(KINDS[kind](store, OLD, 1.0))
    newer = list(KINDS[kind](store, NEW, DEARER))
    expected = {(older[number], newer[number]) for number in REGRESSED[kind]}
    said = latlab("regressions", "--since", "2026-01-15", "--jobs", "1", "--format", "json", store=place)
    listed = json.loads(said.stdout)
    assert {(row["base"], row["run"]) for row in listed if row["verdict"] == "regressed"} == expected, said
    assert len({row["measured"] for row in listed}) == len(listed) == len(newer)
    with patch("latlab.site.verbs.site_at_once.published_boards", return_value=()):
        done = latlab("publish", "site", tmp_path / "site", "--jobs", "1", store=place)
    assert done.returncode == 0, done.stderr
    front = (tmp_path / "site" / "index.html").read_text("utf-8")
    rows = [row for row in re.findall(r"<tr.*?</tr>", front, re.DOTALL) if "regressed" in row]
    named = {pair for row in rows for pair in itertools.product(older, newer) if all(f"run/{run}.html" in row for run in pair)}
    assert named == expected and len(rows) == len(expected)
    title = front.partition("<h1")[2].partition("</h1>")[0]
    assert f"{len(expected)} regressed" in title and "improved" not in title


def test_six_builds_are_six_things_and_a_single_new_run_hides_no_regression(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    store = open_store(str(place))
    list(psa(store, OLD, 1.0))
    list(psa(store, NEW, DEARER))
    kept(store, spans("psa", 1.0, "2026-02-02T00:00:00Z", BUILDS[0]))
    said = latlab("regressions", "--since", "2026-01-15", "--jobs", "1", store=place)
    assert "4 of 6 series regressed" in said.stdout
    listed = json.loads(latlab("regressions", "--since", "2026-01-15", "--format", "json", store=place).stdout)
    assert {row["measured"].rpartition("build ")[2] for row in listed} == set(BUILDS)


def test_latest_is_the_newest_run_of_the_label_that_measured_the_same(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    store = open_store(str(place))
    first, second, *_ = psa(store, OLD, 1.0)
    for run in (first, second):
        latlab("runs", "label", run, "main", store=place)
    mine = kept(store, spans("psa", DEARER, NEW, BUILDS[0]))
    done = latlab("gate", "latest:main", mine, "--comment", tmp_path / "comment.md", store=place)
    assert done.returncode == 1 and first in (tmp_path / "comment.md").read_text("utf-8")
    other = kept(store, spans("psa", 1.0, NEW, "another"))
    assert latlab("gate", "latest:main", other, store=place).returncode == 0


def test_a_history_follows_each_variant_by_itself(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    store = open_store(str(place))
    for at in (OLD, NEW):
        list(psci(store, at, 1.0))
    done = latlab("history", "call_1/powerdown", "--campaign", "psci", store=place)
    assert done.returncode == 0, done.stderr
    assert all(f"processor {name}" in done.stdout for name in ("cortex-a53", "cortex-a57", "neoverse-n1"))


@pytest.mark.parametrize("name", [condition.name for condition in CONDITIONS if condition.rule is ConditionRule.VOID])
def test_what_compare_refuses_is_another_series(name: str) -> None:
    """Each condition by itself; and each part that is no condition."""
    fields = {"processor": "processor", "load": "load", "instrument": "instrument", "priority": "priority", "basepri": "basepri"}
    field = fields.get(name, {"mode": "mode", "interval": "interval_ns", "idle states": "idle_states"}.get(name, name.replace(" ", "_")))
    values = {"mode": ("real", "deterministic"), "idle states": (True, False), "trace events": (("a",), ("a", "b"))}.get(name, (1, 2))
    conditions = [replace(Conditions(), **{field: value}) for value in values]  # type: ignore[arg-type]
    a, b = (run_with(id=str(number), conditions=one) for number, one in enumerate(conditions))
    with pytest.raises(NotComparable):
        differences(a, b)
    assert identity_of(a) != identity_of(b)


@pytest.mark.parametrize("change", [{"platform": "other"}, {"campaign": "rt"}, {"topology": ONE_CORE}, {"tick": INSTRUCTIONS}])
def test_runs_of_other_platforms_campaigns_topologies_and_clocks_are_other_series(change: dict[str, object]) -> None:
    a = run_with(id="a")
    b = replace(a, id="b", **change)  # type: ignore[arg-type]
    with pytest.raises(NotComparable):
        differences(a, b)
    assert identity_of(a) != identity_of(b)


def test_a_new_version_or_compiler_of_our_firmware_goes_on_with_its_series_and_another_build_does_not() -> None:
    names = ("latlab-psci-0.1.0;qemu_virt;2,4;release;gcc-12.2.0", "latlab-psci-0.2.0;qemu_virt;2,4;release;gcc-14.2.0")
    old, new = (identity_of(spans("psci", 1.0, OLD, name)) for name in names)
    debug = identity_of(spans("psci", 1.0, OLD, names[0].replace("release", "debug")))
    assert old == new != debug
    board = [identity_of(replace(spans("psci", 1.0, OLD, name), target="ssh:board")) for name in ("v2.9", "v2.10")]
    assert board[0] == board[1]


def test_a_head_of_the_list_has_the_identity_of_its_run(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    for kind in KINDS.values():
        list(kind(store, OLD, 1.0))
    listed = heads(store)
    assert [identity_of_head(head) for head in listed] == [identity_of(run) for run in store.runs()]
    assert len(by_identity(listed)) == len(listed) == 19


def test_names_of_many_series_say_what_each_differs_in() -> None:
    """Each compared with each, 5,000 builds took a minute."""
    identities: list[Identity] = [
        (("platform", "model"), ("build", f"build {at}"), ("load", None if at % 2 else "x")) for at in range(20_000)
    ]
    began = time.process_time()
    words = distinguished(identities)
    assert time.process_time() - began < 20
    assert list(words.values())[:2] == ["build build 0, load x", "build build 1, load not stated"] and len(words) == 20_000
    assert distinguished(identities[:1]) == {identities[0]: ""}
