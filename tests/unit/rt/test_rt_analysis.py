# SPDX-License-Identifier: BSD-3-Clause
"""A stored rt run under the verbs that look at runs, and what they say of its tail."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from latlab.adopters.dataframes import to_pandas, to_polars
from latlab.core.comparison.by_kind import check_invariants, explain_pair, explain_run, figures_of, tails
from latlab.core.comparison.history import history
from latlab.core.comparison.identity import NotComparable
from latlab.core.comparison.wording import MODES
from latlab.core.errors import UsageError
from latlab.core.model.blame import UNEXPLAINED, UNTRACED, Blame, BlameKind
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.distributions import LateWakeup, distributions_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run
from latlab.core.readers.event_table import event_table
from latlab.core.report.exports import benchmark_json, kcidb, squad
from latlab.core.store import run_json
from latlab.core.store.store import open_store
from latlab.rt.campaign.results import CAMPAIGN, keep, new_run, workload_conditions
from latlab.rt.model.power_steps import PowerCycles
from latlab.rt.targets.rt_job import Workload
from support.command import Done, latlab
from support.pairs_of_kind import compare_wakeups
from support.places import RT_DATA
from support.runs import changed
from support.wakeup_runs import INTERVAL_NS, distribution, drawn, wakeup_run

INFO = b"events=%s clock_hz=62500000 capture_mticks=875\n"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


def _kept(store: Path, mode: Mode = Mode.DETERMINISTIC, campaign: str = CAMPAIGN) -> str:
    files = {
        "recorder.rec": gzip.decompress((RT_DATA / "recorder.rec.gz").read_bytes()),
        "el3-records.txt": (RT_DATA / "el3-records.txt").read_bytes(),
        "el3-info.txt": INFO % event_table().hash.encode(),
        "ftrace.txt": (RT_DATA / "ftrace.txt").read_bytes(),
    }
    run = new_run(campaign, "guest", "QEMU virt", 1, workload_conditions(Workload(8), mode))
    return keep(open_store(str(store)), run, files, ())


def _said(store: Path, *arguments: str) -> Done:
    return latlab(*arguments, store=store)


def test_a_stored_run_is_taken_by_every_verb_that_looks_at_runs(store: Path, tmp_path: Path) -> None:
    run = _kept(store)
    assert "recorder, CPU 0: the samples are all identical" in _said(store, "compare", run, run).stdout
    assert _said(store, "gate", run, _kept(store)).stdout.startswith("pass: no change beyond its threshold")
    assert "late wake-ups: TRNG_RND, called by kernel-stack randomisation" in _said(store, "explain", run).stdout
    tail = _said(store, "extremes", run)
    assert tail.returncode == 3 and "counts of a deterministic clock have no tail" in tail.stdout
    assert "every change beyond the threshold is exact" in _said(store, "history", "recorder/task_wakeup/*", run, run).stdout
    for format in ("json", "csv", "junit", "benchmark", "squad", "kcidb"):
        done = _said(store, "export", run, "--format", format)
        assert done.returncode == 0 and "recorder" in done.stdout, format
    for format in ("json", "csv", "rst", "html"):
        assert _said(store, "compare", run, run, "--format", format, "-o", str(tmp_path / format)).returncode == 0
        assert "CPU 0 99 %" in (tmp_path / format).read_text("utf-8")


@pytest.mark.parametrize("name", ["cyclictest-h.txt", "cyclictest.json", "jitterdebugger.json", "rtla-timerlat.txt"])
def test_what_another_tool_measured_is_compared_with_a_run(name: str, store: Path, tmp_path: Path) -> None:
    assert _said(store, "import", str(RT_DATA / name)).returncode == 0
    cpus = open_store(str(store)).load("last").topology.cores
    run = tmp_path / "run.json"
    found = (distribution(drawn(core.core, 20_000), core.core) for core in cpus)
    workload = Workload(10, interval_us=1000 if name == "cyclictest.json" else 200)
    run.write_text(run_json.render(wakeup_run(*found, platform="board", workload=workload)))
    done = _said(store, "compare", "last", str(run), "--verbose")
    row = "thread" if name == "cyclictest-h.txt" else "CPU"
    assert done.returncode in (0, 1, 3) and done.stderr == "" and f"{row} 1 maximum" in done.stdout
    assert "does not name its platform; latlab assumes board" in done.stdout and "the tool differs" in done.stdout


def test_a_run_of_power_boundaries_has_no_wake_ups_and_says_where_its_figures_are(store: Path) -> None:
    opened = open_store(str(store))
    run = opened.begin(new_run("rt-power", "guest", "QEMU virt", 4, Conditions(mode=Mode.MULTI_THREAD), contents=PowerCycles()))
    done = _said(store, "compare", run, run)
    assert done.returncode == 3 and f"`latlab show {run}` prints them" in done.stderr


@pytest.mark.parametrize("verb", [("compare", "2"), ("explain",), ("extremes",), ("history", "2"), ("export", "--format", "benchmark")])
def test_multi_threaded_emulation_has_no_latency_that_could_be_judged(store: Path, verb: tuple[str, ...]) -> None:
    run = _kept(store, Mode.MULTI_THREAD)
    references = [run, run] if "2" in verb else [run]
    pattern = ["*"] if verb[0] == "history" else []
    done = _said(store, verb[0], *pattern, *references, *(part for part in verb[1:] if part != "2"))
    assert (done.returncode, done.stdout) == (3, "") and "multi-threaded emulation" in done.stderr


def test_an_exported_run_is_read_back_unchanged_and_compared_with_itself(store: Path, tmp_path: Path) -> None:
    run = _kept(store)
    exported = tmp_path / "run.json"
    assert _said(store, "export", run, "-o", str(exported)).returncode == 0
    read = run_json.parse(exported.read_text("utf-8"), "run.json")
    assert run_json.render(read) == exported.read_text("utf-8") and distributions_of(read)[0].late
    assert _said(store, "compare", run, str(exported)).returncode == 0


def test_figures_of_a_virtual_machine_say_so_wherever_they_are_published() -> None:
    run = wakeup_run(distribution(drawn(1, 30_000)), mode=Mode.VIRTUAL_MACHINE)
    assert all(MODES[Mode.VIRTUAL_MACHINE] in entry["extra"] for entry in json.loads(benchmark_json.render(run)))
    assert all(name.startswith("latlab-virtual-machine/") for name in json.loads(squad.render(run)))
    tests = json.loads(kcidb.render(run))["tests"]
    assert all(MODES[Mode.VIRTUAL_MACHINE] in test["environment"]["comment"] for test in tests)
    assert MODES[Mode.VIRTUAL_MACHINE] in explain_run(run)[0].sentence
    assert not any(MODES[Mode.VIRTUAL_MACHINE] in one.sentence for one in explain_run(wakeup_run(*distributions_of(run))))


@pytest.mark.parametrize("to_frame", [to_pandas, to_polars])
def test_a_frame_of_samples_is_not_made_of_a_histogram(to_frame: Callable[[Run], object]) -> None:
    with pytest.raises(UsageError, match="has histograms and no samples"):
        to_frame(wakeup_run(distribution(drawn(1, 100))))


def test_figures_are_named_by_tool_and_cpu_in_their_own_units() -> None:
    run = wakeup_run(distribution(drawn(1, 30_000), cpu=3, missed=6))
    found = {figure.path: figure for figure in figures_of(run)}
    assert found["recorder/task_wakeup/CPU-3-p99.9"].unit == "ns"
    missed = found["recorder/missed_periods/CPU-3"]
    assert missed.unit == "per million" and missed.value == pytest.approx(6e6 / 30_006)
    assert {entry["unit"] for entry in json.loads(benchmark_json.render(run))} == {"µs", "per million"}


def test_a_wake_up_that_became_slower_is_a_change_in_the_history_and_its_cpu_is_named() -> None:
    runs = [wakeup_run(distribution(drawn(i, 20_000, 1.0 if i < 5 else 1.2)), name=f"r{i}") for i in range(10)]
    (series,) = history(runs, "recorder/task_wakeup/CPU-0-median")
    (change,) = series.changes
    assert change.index == 5 and any("CPU 0 regressed" in e.sentence for e in change.explanations)


def test_what_is_unaccounted_for_breaks_a_rule() -> None:
    one = distribution(drawn(1, 1000))
    whole, short = wakeup_run(one), wakeup_run(replace(one, expected=1100))
    assert all(check.holds for check in check_invariants(whole))
    assert [check.sentence for check in check_invariants(short) if not check.holds] == ["100 of 1100 are unaccounted for"]


HELD = Blame(BlameKind.FIRMWARE, "TRNG_RND")


def test_late_wake_ups_are_told_by_cause_and_period() -> None:
    late = tuple(LateWakeup(n * 100_000_000 + 300_000, 300_000, 1, HELD if n % 4 else UNEXPLAINED) for n in range(40))
    run = wakeup_run(replace(distribution(drawn(1, 1000), missed=40), late=late))
    told = [e.sentence for e in explain_run(run)]
    assert "30 of 40 late wake-ups: TRNG_RND, the latest 300.0 µs" in told
    assert "10 of 40 late wake-ups: unexplained, the latest 300.0 µs" in told
    assert any("have a period of 0.1 s" in sentence for sentence in told)
    assert "40 periods passed" in told[0]


def _late_run(seed: int, count: int = 400, got: int = 1_000_000) -> Run:
    """`count` of `got` wake-ups later than 100 us, by an exponential excess of 20 us."""
    rng = np.random.default_rng(seed)
    times = np.sort(rng.choice(got, count, replace=False)) * INTERVAL_NS
    values = 100_000 + rng.exponential(20_000, count)
    late = tuple(LateWakeup(int(t + v), int(v), 0, UNTRACED) for t, v in zip(times, values, strict=True))
    quiet = distribution(drawn(seed, 1000))
    return wakeup_run(replace(quiet, got=got, expected=got, maximum_ticks=int(values.max()), late=late))


def test_the_tail_of_the_late_wake_ups_is_that_of_all_of_them() -> None:
    """Once in ten million of which 400 a million are late: 4,000 late ones, the excess of 20 us times ln 4,000."""
    truth = 100_000 + 20_000 * np.log(4000)
    given = inside = 0
    for seed in range(30):
        (found,) = tails(_late_run(seed), None, Metric.TASK_WAKEUP, 1e7)
        if found.low is not None and found.high_without_mode is not None:
            given += 1
            inside += found.low <= truth <= found.high_without_mode
            assert found.high is None, "it lies beyond what a rarer mode would have been seen in"
    assert given >= 20 and inside >= 0.85 * given


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"late": ()}, "measure with the recorder"),
        ({"late_dropped": 7}, "7 were not kept; raise the threshold"),
    ],
)
def test_no_tail_is_estimated_where_late_wake_ups_are_not_kept(change: dict[str, object], said: str) -> None:
    run = _late_run(1)
    run = changed(run, distributions=(replace(distributions_of(run)[0], **change),))  # type: ignore[arg-type]
    (found,) = tails(run, None, Metric.TASK_WAKEUP, 1e7)
    assert found.level is None and said in found.refusal


def test_few_late_wake_ups_are_too_few_for_a_tail() -> None:
    (found,) = tails(_late_run(1, count=30), None, Metric.TASK_WAKEUP, 1e7)
    assert found.level is None and "15 of 30, 50 are needed" in found.refusal


def test_late_wake_ups_in_bursts_are_not_independent() -> None:
    run = _late_run(1)
    late = tuple(replace(one, late_ticks=100_000 + 1000 * (n // 10)) for n, one in enumerate(distributions_of(run)[0].late))
    (found,) = tails(changed(run, distributions=(replace(distributions_of(run)[0], late=late),)), None, Metric.TASK_WAKEUP, 1e7)
    assert found.level is None and "independence" in found.refusal


def test_a_run_without_wake_ups_is_refused_beside_one_that_has_them() -> None:
    from latlab.core.comparison.by_kind import compare

    empty = changed(wakeup_run(distribution(drawn(1, 100)), name="empty"), distributions=())
    with pytest.raises(NotComparable, match="empty holds no wake-ups"):
        compare(wakeup_run(distribution(drawn(1, 100))), empty)


def test_a_pair_has_one_row_for_all_times_in_which_a_cpu_was_not_available():
    def with_blames(names: tuple[str, ...]) -> Run:
        late = tuple(LateWakeup(n * 10**8, 300_000, 1, Blame(BlameKind.AWAY, name)) for n, name in enumerate(names, 1))
        return wakeup_run(replace(distribution(drawn(1, 1000)), late=late))

    told = [entry.sentence for entry in explain_pair(compare_wakeups(with_blames(("python", "sh", "dd")), with_blames(("git",))))]
    assert [sentence for sentence in told if "by cause" in sentence] == ["late wake-ups by cause: CPU not available, 3 before and 1 after"]
