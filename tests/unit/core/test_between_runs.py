# SPDX-License-Identifier: BSD-3-Clause
"""Two rt runs on a machine whose runs differ: what earlier runs scatter by enters the verdict."""

from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from latlab.core.comparison.between_runs import WithinRunScatter, among_cpus, check_repeats, earlier_runs, with_scatter
from latlab.core.comparison.comparison import Comparison, Row, Statistic
from latlab.core.comparison.gate import report_gate
from latlab.core.comparison.identity import NotComparable
from latlab.core.comparison.verdicts import Verdict
from latlab.core.lifecycle.loading import load_earlier, load_reference
from latlab.core.model.conditions import Mode
from latlab.core.model.distributions import WakeupCounts, distributions_of
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import COMMIT, Build, Run
from latlab.core.statistics.statistics import Shift
from latlab.core.store import run_json
from latlab.core.store.store import open_store
from latlab.rt.campaign.results import CAMPAIGN, keep, new_run, workload_conditions
from latlab.rt.targets.rt_job import Workload
from latlab.runs.campaign.importing_file import import_wakeups
from support.command import latlab
from support.pairs_of_kind import compare_wakeups as compare
from support.places import RT_DATA
from support.wakeup_runs import distribution, drawn, wakeup_run
from truth.reading import runs_of_wakeups
from truth.wakeups import Between, Late, Tool, WakeupPair, wakeup_pair


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
    assert median_of(alone).verdict is Verdict.REGRESSED and any("Measure a once more" in note for note in alone.notes)
    known = compare(a, b, earlier=scattered(5))
    row = median_of(known)
    assert row.verdict is Verdict.CANNOT_TELL and row.basis.endswith(", with the scatter of five earlier runs")
    assert row.shift.low < 0 < row.shift.value < row.shift.high
    assert any("r0, r1, r2, r3, r4, earlier runs under the same conditions" in note for note in known.notes)
    assert not any("once more" in note for note in known.notes) and not known.scatter_assumed


def test_a_change_far_beyond_their_scatter_is_still_one() -> None:
    quiet = [run(i + 1, 1.0 + 0.001 * i, f"r{i}") for i in range(6)]
    row = median_of(compare(run(20, 1.0, "a"), run(21, 1.3, "b"), earlier=quiet))
    assert row.verdict is Verdict.REGRESSED and "six earlier runs" in row.basis


def test_one_earlier_run_of_another_level_takes_back_what_was_called_a_change() -> None:
    a, b = run(20, 1.0, "a"), run(21, 1.12, "b")
    found = compare(a, b, earlier=[run(1, 1.13, "again")])
    assert median_of(found).verdict is not Verdict.REGRESSED
    assert median_of(compare(a, b, earlier=[run(1, 1.001, "again")])).verdict is Verdict.REGRESSED


def row_of(before: float, after: float, p: float = 1e-12) -> Row:
    row = median_of(compare(run(1, 1.0, "a"), run(2, 1.0, "b")))
    return replace(
        row, before=before, after=after, threshold=0.0, shift=Shift(after - before, after - before - 1, after - before + 1, p), basis="b"
    )


def test_without_earlier_runs_a_difference_must_exceed_what_runs_are_assumed_to_scatter_by() -> None:
    """More on a machine that nobody knows to be real, and more for the shape than for the level."""
    base = run(1, 1.0, "a")
    for statistic, mode, assumed in (
        (Statistic.MEDIAN, Mode.REAL, 0.02),
        (Statistic.P99, Mode.REAL, 0.06),
        (Statistic.MEDIAN, None, 0.15),
        (Statistic.P99_9, Mode.VIRTUAL_MACHINE, 0.15),
    ):
        known = replace(base, conditions=replace(base.conditions, mode=mode))
        told = with_scatter(replace(row_of(100.0, 120.0), statistic=statistic), (), known)
        assert told.shift.p == pytest.approx(2 * stats.norm.sf(np.log(1.2) / assumed / np.sqrt(2)))
        assert (told.shift.low, told.shift.high) == (19.0, 21.0)


def test_earlier_runs_that_scatter_by_less_than_assumed_never_make_a_change_harder_to_tell() -> None:
    base = replace(run(1, 1.0, "a"), conditions=replace(run(1, 1.0, "a").conditions, mode=None))
    row = row_of(100.0, 150.0)
    found = [with_scatter(row, [100.0 + 0.1 * i for i in range(count)], base).shift.p for count in range(8)]
    assert all(later <= earlier for earlier, later in pairwise(found)) and found[-1] < found[0]


def test_earlier_runs_that_scatter_by_more_widen_interval_and_p_value() -> None:
    base, row = run(1, 1.0, "a"), row_of(100.0, 112.0)
    values = [100.0, 120.0, 90.0, 115.0]
    told = with_scatter(row, values, base)
    logs = np.log([*values, 100.0])
    measured = ((logs - logs.mean()) ** 2).sum()
    error = np.sqrt(2 * (3 * 0.02**2 + measured) / 7)
    assert told.shift.p == pytest.approx(2 * stats.t.sf(np.log(1.12) / error, 7))
    half = stats.t.ppf(0.975, 4) * np.sqrt(2 * measured / 4) * 100
    assert (told.shift.low, told.shift.high) == pytest.approx((12 - half, 12 + half))


def test_blocks_in_time_that_are_steadier_than_assumed_tell_more_and_weigh_with_the_assumption() -> None:
    base = replace(run(1, 1.0, "a"), conditions=replace(run(1, 1.0, "a").conditions, mode=None))
    row, blocks = row_of(100.0, 140.0), ((100.0, 102.0, 99.0, 101.0) * 5, (140.0, 138.0, 141.0, 142.0) * 5)
    told = with_scatter(row, (), base, WithinRunScatter(blocks))
    logs = [np.log(one) for one in blocks]
    measured = sum(((one - one.mean()) ** 2).sum() for one in logs)
    error = np.sqrt(2 * (3 * 0.15**2 + measured) / 41)
    assert told.shift.p == pytest.approx(2 * stats.t.sf(np.log(1.4) / error, 41)) and told.shift.p < 1e-4
    assert told.shift.p < with_scatter(row, (), base).shift.p and "40 parts in time" in told.basis
    assert with_scatter(row, [100.0, 101.0], base, WithinRunScatter(blocks)) == with_scatter(row, [100.0, 101.0], base)


def test_blocks_in_time_say_something_of_a_level_and_nothing_of_a_tail() -> None:
    base = run(1, 1.0, "a")
    calm, wild = ((100.0, 101.0) * 10, (112.0, 111.0) * 10), ((100.0, 130.0, 80.0, 120.0) * 5, (112.0, 90.0, 130.0, 115.0) * 5)
    for statistic, counts in ((Statistic.MEDIAN, True), (Statistic.AVERAGE, True), (Statistic.P99, False)):
        row = replace(row_of(100.0, 112.0), statistic=statistic)
        steady, changing, assumed = (with_scatter(row, (), base, WithinRunScatter(blocks)).shift.p for blocks in (calm, wild, ()))
        assert (steady < assumed < changing) if counts else (steady == assumed == changing)


def test_cpus_that_differ_by_more_than_is_assumed_weaken_a_change_and_others_leave_it() -> None:
    base, row = run(1, 1.0, "a"), replace(row_of(100.0, 150.0), statistic=Statistic.P99)
    alike, unlike = [(100.0, 150.0), (101.0, 100.0), (99.0, 101.0)], [(100.0, 150.0), (150.0, 80.0), (60.0, 110.0)]
    assert with_scatter(row, (), base, WithinRunScatter(cpus=among_cpus(alike))) == with_scatter(row, (), base)
    told = with_scatter(row, (), base, WithinRunScatter(cpus=among_cpus(unlike)))
    logs = np.log(unlike)
    measured = min(((one - one.mean()) ** 2).sum() for one in (*logs.T, (logs[:, 1] - logs[:, 0]) / np.sqrt(2)))
    error = np.sqrt(2 * (3 * 0.06**2 + measured) / 5)
    assert told.shift.p == pytest.approx(2 * stats.t.sf(np.log(1.5) / error, 5)) and "3 CPUs" in told.basis
    assert among_cpus([(0.0, 5.0)]) == (0.0, 0)


@pytest.mark.parametrize(("tool", "size", "code"), [(Tool.SAMPLES, 0.46, 1), (Tool.HISTOGRAM, 0.46, 3), (Tool.SAMPLES, 0.05, 0)])
def test_stamps_tell_a_shift_of_which_a_histogram_asks_for_a_second_run(tool: Tool, size: float, code: int) -> None:
    a, b = runs_of_wakeups(wakeup_pair(Late.LEVEL, size, 2, 20_000, Between.NOTHING, 3), tool)
    decision = report_gate(compare(a, b), frozenset({"regressed"}))
    assert decision.exit_code == code
    assert code != 3 or any("Measure run1 once more" in note for note in compare(a, b).notes)


def test_a_machine_that_changes_inside_its_runs_is_not_blamed_for_changing_between_them() -> None:
    rng = np.random.default_rng(5)
    calm, wild = (tuple(np.repeat(rng.normal(8_000, sd, 20), 1_000).astype(np.int64) for _ in range(2)) for sd in (20, 4_000))
    later = tuple((one * 1.6).astype(np.int64) for one in calm), tuple(np.maximum((one * 1.6).astype(np.int64), 1_000) for one in wild)
    verdicts = []
    for before, after in ((calm, later[0]), (tuple(np.maximum(one, 1_000) for one in wild), later[1])):
        pair = compare(*runs_of_wakeups(WakeupPair(Late.LEVEL, (0, 1), 0.6, before, after), Tool.SAMPLES))
        verdicts.append(median_of(pair).verdict)
    assert verdicts == [Verdict.REGRESSED, Verdict.CANNOT_TELL]


def test_maxima_are_tested_by_events_and_by_three_earlier_runs_or_more() -> None:
    row = replace(row_of(100.0, 112.0), statistic=Statistic.MAXIMUM)
    base, values = run(1, 1.0, "a"), [100.0, 104.0, 98.0, 103.0]
    error = np.sqrt(2) * stats.tstd(values)
    assert with_scatter(row, values, base).shift.p == pytest.approx(2 * stats.t.sf(12 / error, 3))
    assert with_scatter(row, [5.0] * 4, base).shift == row.shift and with_scatter(row, values[:2], base) == row


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


def test_an_unknown_firmware_has_no_earlier_runs_since_a_candidate_may_be_as_unknown() -> None:
    unknown = [replace(one, build=Build("unknown")) for one in (run(20, 1.0, "a"), run(21, 1.1, "b"), run(1, 1.3, "candidate"))]
    assert earlier_runs(unknown[2:], unknown[0], unknown[1]) == ()


def test_a_build_of_another_commit_is_another_firmware() -> None:
    a, b = run(20, 1.0, "a"), run(21, 1.1, "b")
    other = replace(run(1, 1.0, "r0"), build=Build("fw", options=((COMMIT, "1a2b"),)))
    assert earlier_runs([other], a, b) == ()


def test_a_second_run_that_is_named_needs_no_firmware_but_the_same_conditions() -> None:
    a, again = (replace(run(seed, 1.0, name), build=Build("unknown")) for seed, name in ((20, "a"), (22, "again")))
    assert check_repeats(a, [again]) == (again,)
    for other, what in (
        (replace(again, build=Build("other")), "firmware"),
        (replace(again, conditions=replace(again.conditions, load="stress-ng")), "load"),
        (replace(again, platform="elsewhere"), "platform"),
    ):
        with pytest.raises(NotComparable, match=f"again is no second run of a: the {what} differs"):
            check_repeats(a, [other])
    with pytest.raises(NotComparable, match="the same wake-ups"):
        check_repeats(a, [replace(a, id="copy")])
    with pytest.raises(NotComparable, match="the same wake-ups"):
        check_repeats(a, [again, again])


def test_the_gate_asks_for_a_second_run_of_the_base_and_takes_it(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    opened = open_store(str(place))
    texts = [_histogram([10 * value for value in drawn(seed, 60_000, factor)]) for seed, factor in ((1, 1.0), (2, 1.4), (3, 1.35))]
    a, b, again = (import_wakeups(opened, text, "log", "board", None, None) for text in texts)
    alone = latlab("gate", a, b, store=place)
    words = " ".join(alone.stdout.split())
    assert alone.returncode == 3 and f"then name both: `latlab gate {a}+SECOND {b}`" in words, words
    known = latlab("compare", f"{a}+{again}", b, "--verbose", store=place)
    assert f"is that of {again}, earlier runs" in " ".join(known.stdout.split()) and known.returncode != 1
    refused = latlab("gate", b, f"{a}+{again}", store=place)
    assert refused.returncode == 3 and "latlab gate A+A2 B" in refused.stderr


def _histogram(values: list[int]) -> bytes:
    """cyclictest's own, in microseconds."""
    counts = Counter(value // 1000 for value in values)
    lines = [f"{us:06d} {counts[us]:06d}" for us in range(max(counts) + 1)]
    averages = sum(us * n for us, n in counts.items()) // len(values)
    ends = (f"# Total: {len(values):09d}", f"# Min Latencies: {min(counts):05d}", f"# Avg Latencies: {averages:05d}")
    return "\n".join(["# Histogram", *lines, *ends, f"# Max Latencies: {max(counts):05d}", "# Histogram Overflows: 00000", ""]).encode()


@pytest.mark.parametrize("place", ["none/store.sqlite", "a-file/store.sqlite"])
def test_two_files_are_compared_where_no_store_is_and_none_can_be(place: str, tmp_path: Path) -> None:
    (tmp_path / "a-file").touch()
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for file in files:
        file.write_text(run_json.render(wakeup_run(distribution([3000] * 100), name=file.stem)))
    for verb in ("compare", "gate"):
        done = latlab(verb, *files, store=tmp_path / place)
        assert done.returncode == 0 and done.stderr == ""
    assert not (tmp_path / "none").exists()


def test_the_verbs_take_the_earlier_runs_from_the_store(tmp_path: Path) -> None:
    place = str(tmp_path / "store.sqlite")
    opened = open_store(place)
    files = {"recorder.rec": gzip.decompress((RT_DATA / "recorder.rec.gz").read_bytes())}
    kept = [
        keep(opened, new_run(CAMPAIGN, "ssh:board", platform, 1, workload_conditions(Workload(8), Mode.REAL), build=Build("fw")), files, ())
        for platform in ("board", "board", "other", "board", "board", "board")
    ]
    a, b = (load_reference(name, "", place) for name in kept[4:])
    earlier = load_earlier(a, b, place)
    assert {one.id for one in earlier} == {kept[0], kept[1], kept[3]}
    assert isinstance(b.contents, WakeupCounts)
    missed = tuple(replace(one, missed=(one.missed or 0) + 1) for one in distributions_of(b))
    another = replace(b, contents=replace(b.contents, distributions=missed))
    assert any("with the scatter of three earlier runs" in row.basis for row in compare(a, another, earlier=earlier).rows)
    done = latlab("compare", *kept[4:], "--verbose", store=Path(place))
    assert done.returncode == 0 and "identical figures" in " ".join(done.stdout.split())
