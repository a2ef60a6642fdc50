# SPDX-License-Identifier: BSD-3-Clause
"""Two runs of wake-ups compared: what is the same, what moved on which CPU, and what may not be compared."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from latlab.core.comparison.by_kind import explain_pair
from latlab.core.comparison.comparison import Comparison, Statistic
from latlab.core.comparison.findings import LargestGrew
from latlab.core.comparison.gate import report_gate
from latlab.core.comparison.identity import NotComparable
from latlab.core.comparison.verdicts import Limits, Verdict
from latlab.core.comparison.wakeup_findings import CauseCounted, CpuMoved, LateMoved
from latlab.core.comparison.wording import MODES
from latlab.core.model.blame import UNEXPLAINED, Blame, BlameKind
from latlab.core.model.conditions import NO_CONDITIONS, Mode
from latlab.core.model.distributions import Distribution, LateWakeup, LoadWork, WakeupCounts, distributions_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import Build, Run
from latlab.core.report.comparison.data import comparison_csv, comparison_json
from latlab.core.report.comparison.sentences import headline, summary
from latlab.core.report.exports.junit import comparison_junit
from latlab.core.statistics.histogram import (
    Histogram,
    exceedance_p,
    histogram_of,
    quantile_shift,
    rate_p,
    shift_effect,
    wasserstein_and_ks,
    weighted_shift,
)
from latlab.core.statistics.statistics import false_discovery_control, two_sample_shift
from latlab.core.store.references import load
from latlab.rt.analysis.lateness import Events, events_above
from latlab.rt.analysis.wakeup_rows import _missing
from latlab.rt.targets.rt_job import Instrument, Workload
from support.examples import examples
from support.pairs_of_kind import compare_wakeups as compare
from support.wakeup_runs import INTERVAL_NS, bounds, distribution, drawn, resampled, wakeup_run, with_late

AM62L = "published:ti/am62l/11.00"


def _verdicts(comparison: Comparison) -> dict[str, Verdict]:
    return {row.name: row.verdict for row in comparison.rows}


def _changed(comparison: Comparison) -> set[str]:
    return {row.name for row in comparison.rows if row.verdict in (Verdict.REGRESSED, Verdict.IMPROVED)}


def test_the_same_board_measured_again_is_the_same_and_no_figure_of_it_moved() -> None:
    """Sixteen pairs of ten minutes, drawn from one histogram, with the times of the late ones."""
    truth = distribution(drawn(0, 200_000))
    verdicts = []
    for seed in range(16):
        before, after = (wakeup_run(with_late(resampled(truth, 2 * seed + side, 3_000_000), 12_000)) for side in (0, 1))
        found = compare(before, after)
        assert _verdicts(found)["CPU 0 median"] is Verdict.SAME and not _changed(found)
        verdicts.append(found.verdict)
    assert verdicts.count(Verdict.SAME) >= 14 and set(verdicts) <= {Verdict.SAME, Verdict.SAME_LEVEL}


@pytest.mark.parametrize(("wider_us", "verdict"), [(0, Verdict.SAME), (1, Verdict.CANNOT_TELL), (2, Verdict.CANNOT_TELL)])
def test_a_spread_in_whole_microseconds_is_the_same_only_where_rounding_hides_no_change(wider_us: int, verdict: Verdict) -> None:
    """Two steps are what counts as a change here, and each of the four quantiles may lie anywhere in its step."""
    values = np.random.default_rng(4).integers(8, 12, 60_000)
    wider = np.where(values == 11, 11 + wider_us, values)
    before, after = (wakeup_run(_in_microseconds(each), mode=None) for each in (values, wider))
    assert next(row for row in compare(before, after).rows if row.statistic is Statistic.SPREAD).verdict is verdict


def _in_microseconds(values: NDArray[np.int64]) -> Distribution:
    found, counts = np.unique(values * 1000, return_counts=True)
    rows = tuple((int(low), int(low), int(n)) for low, n in zip(found, counts, strict=True))
    return replace(distribution(list(values * 1000)), counts=rows, resolution_ticks=1000)


def test_a_histogram_alone_does_not_tell_the_tail_of_ten_minutes() -> None:
    """It does not say which late wake-ups came together, so ten of them count as one, and that is said."""
    truth = distribution(drawn(0, 200_000))
    for seed in range(10):
        before, after = (wakeup_run(resampled(truth, 2 * seed + side, 3_000_000)) for side in (0, 1))
        found = compare(before, after)
        assert found.verdict is Verdict.SAME_LEVEL and not _changed(found)
        (seen,) = found.rarest_seen
        assert not seen.is_by_event and seen.once_in < seen.rarest < seen.wakeups
        (late,) = (row for row in found.rows if row.statistic is Statistic.LATE)
        assert "a histogram does not say which came together" in late.basis


def test_a_run_too_short_to_know_its_tail_says_so_and_does_not_call_it_changed() -> None:
    """Ten seconds: fifty wake-ups above 99.9 %."""
    truth = distribution(drawn(0, 200_000))
    pairs = ([wakeup_run(resampled(truth, 100 + 2 * seed + side, 50_000)) for side in (0, 1)] for seed in range(60))
    found = [compare(before, after) for before, after in pairs]
    assert not any(_changed(one) for one in found)
    assert all(one.verdict is Verdict.SAME_LEVEL for one in found)


def test_a_board_that_wakes_up_a_tenth_later_regressed_in_its_level() -> None:
    """Its quantiles of few wake-ups would have to differ by more before one run a side tells it from another run of one thing."""
    found = compare(wakeup_run(distribution(drawn(1))), wakeup_run(distribution(drawn(2, factor=1.1))))
    assert found.verdict is Verdict.REGRESSED and _changed(found) == {"CPU 0 median", "CPU 0 trimmed mean"}
    (median,) = (row for row in found.rows if row.name == "CPU 0 median")
    assert median.shift.low <= 0.1 * median.before <= median.shift.high * 1.05
    assert _changed(compare(wakeup_run(distribution(drawn(1))), wakeup_run(distribution(drawn(2, factor=1.4))))) >= {
        f"CPU 0 {name}" for name in ("median", "90 %", "99 %", "99.9 %", "spread", "shape")
    }


def test_each_quantile_row_holds_the_quantile_that_it_names() -> None:
    """Of 100,000 wake-ups at a whole microsecond each, to the width of the recorder's interval."""
    ramp = wakeup_run(distribution([*range(1_000, 101_000)]))
    rows = {row.name: row.before for row in compare(ramp, ramp).rows}
    for name, share in (("median", 0.5), ("90 %", 0.9), ("99 %", 0.99), ("99.9 %", 0.999)):
        _, high = bounds(1_000 + round(share * 100_000) - 1)
        assert rows[f"CPU 0 {name}"] == min(high - 1, 100_999), name


def test_a_shift_below_the_threshold_is_the_same_however_many_wake_ups_show_it() -> None:
    found = compare(wakeup_run(distribution(drawn(1, 200_000))), wakeup_run(distribution(drawn(1, 200_000, factor=1.01))))
    assert _verdicts(found)["CPU 0 median"] is Verdict.SAME


def test_the_one_cpu_that_became_slower_is_named_and_no_other() -> None:
    before = wakeup_run(*(distribution(drawn(cpu), cpu) for cpu in range(4)), name="a")
    after = wakeup_run(*(distribution(drawn(10 + cpu, factor=1.2 if cpu == 2 else 1.0), cpu) for cpu in range(4)), name="b")
    found = compare(before, after)
    assert found.verdict is Verdict.REGRESSED and {name[:5] for name in _changed(found)} == {"CPU 2"}
    (sentence,) = (one.sentence for one in explain_pair(found) if isinstance(one.finding, CpuMoved))
    assert sentence.startswith("CPU 2 regressed: median") and "no significant change of CPU 0, CPU 1, CPU 3" in sentence


def _late_run(times_ns: Sequence[int], dropped: int = 0, cpus: int = 1, missed: int = 0) -> Run:
    """A quiet board on which wake-ups at these times were 150 µs late or later, half of them on the second CPU where there are two."""
    found = []
    for cpu in range(cpus):
        own = times_ns[cpu::cpus]
        late = [150_000 + 5_000 * i for i in range(len(own))]
        one = distribution([*drawn(2 + cpu)[len(own) :], *late], cpu, missed)
        entries = tuple(LateWakeup(at, ticks, 0, UNEXPLAINED) for at, ticks in zip(own, late, strict=True))
        found.append(replace(one, late=entries, late_dropped=dropped))
    return wakeup_run(*found)


def _quiet(cpus: int = 1) -> Run:
    return wakeup_run(*(distribution(drawn(11 + cpu), cpu) for cpu in range(cpus)))


APART = [i * 700_000_000 for i in range(14)]
TOGETHER = [i * INTERVAL_NS for i in range(14)]


def test_late_wake_ups_that_come_apart_are_as_many_events_and_those_of_one_burst_are_one() -> None:
    apart_found, burst = compare(_quiet(), _late_run(APART)), compare(_quiet(), _late_run(TOGETHER))
    rows = {row.name: row for row in apart_found.rows}
    assert rows["CPU 0 maximum"].verdict is Verdict.REGRESSED and rows["CPU 0 maximum"].basis.endswith(", 14 events")
    assert next(row for row in apart_found.rows if row.metric is Metric.LATE_WAKEUPS).verdict is Verdict.REGRESSED
    rows = {row.name: row for row in burst.rows}
    assert rows["CPU 0 maximum"].verdict is Verdict.CANNOT_TELL and rows["CPU 0 maximum"].basis.endswith("60,000, 1 event")
    assert not _changed(burst) and burst.verdict is Verdict.CANNOT_TELL
    back = compare(_late_run(APART), _quiet())
    assert _verdicts(back)["CPU 0 maximum"] is Verdict.IMPROVED


def test_what_makes_two_cpus_late_at_one_time_is_one_event_of_the_machine() -> None:
    sides = tuple(histogram_of(run, one) for run in (_late_run(TOGETHER, cpus=2),) for one in distributions_of(run))
    assert events_above(sides, 100_000) == Events(14, 1, True)
    sides = tuple(histogram_of(run, one) for run in (_late_run(APART, cpus=2),) for one in distributions_of(run))
    assert events_above(sides, 100_000) == Events(14, 14, True)


def test_at_a_short_interval_what_comes_within_a_millisecond_is_one_event() -> None:
    """Ten periods of 50 us are half a millisecond: what holds a CPU up may take longer than that."""

    def events(gap_ns: int) -> Events:
        run = _late_run([i * gap_ns for i in range(14)])
        run = replace(run, conditions=replace(run.conditions, interval_ns=50_000))
        return events_above([histogram_of(run, distributions_of(run)[0])], 100_000)

    assert events(900_000) == Events(14, 1, True)
    assert events(1_100_000) == Events(14, 14, True)


def test_wake_ups_of_each_run_are_counted_under_their_own_run() -> None:
    short, long = (wakeup_run(*(distribution(drawn(cpu, count), cpu) for cpu in range(2))) for count in (20_000, 30_000))
    assert (compare(short, long).wakeups, compare(long, short).wakeups) == ((40_000, 60_000), (60_000, 40_000))


def test_a_recorder_that_dropped_late_wake_ups_is_no_better_than_a_histogram() -> None:
    """Ten to an event: of what was dropped nobody knows when it came."""
    run = _late_run(APART, dropped=1)
    assert events_above([histogram_of(run, distributions_of(run)[0])], 100_000) == Events(14, 2, False)
    assert not _changed(compare(_quiet(), run))
    short = replace(distributions_of(run)[0], late=distributions_of(run)[0].late[:-1], late_dropped=0)
    assert events_above([histogram_of(run, short)], 100_000) == Events(14, 2, False)


def test_few_events_on_each_cpu_are_enough_events_of_the_machine() -> None:
    found = compare(_quiet(cpus=2), _late_run(APART[:12], cpus=2))
    (row,) = (row for row in found.rows if row.metric is Metric.LATE_WAKEUPS)
    assert row.verdict is Verdict.REGRESSED and found.verdict is Verdict.REGRESSED
    assert any(isinstance(one.finding, LateMoved) and one.finding.after > one.finding.before for one in explain_pair(found))


def test_a_single_wake_up_many_times_as_late_stands_in_the_first_line_and_holds_the_gate() -> None:
    quiet, late = _quiet(cpus=2), _late_run([5_000_000_000], cpus=2)
    late = replace(
        late, contents=WakeupCounts(tuple(_with_one(one, 400_000) if one.core.core == 0 else one for one in distributions_of(late)))
    )
    found = compare(quiet, late)
    assert found.verdict is Verdict.CANNOT_TELL
    (grew,) = (one.finding for one in explain_pair(found)[:1])
    assert isinstance(grew, LargestGrew) and not grew.is_told and grew.ratio > 4 and grew.name == "CPU 0 maximum"
    assert summary(found).startswith("task_wakeup in recorder, CPU 0 maximum, is ")
    decision = report_gate(found, frozenset({"regressed"}))
    assert decision.exit_code == 3 and "times as large" in decision.lines[1]
    back = compare(late, quiet)
    decision = report_gate(back, frozenset({"regressed"}))
    assert decision.exit_code == 0 and "times smaller" in decision.lines[1] and "90 % power" in decision.lines[2]


def _with_one(one: Distribution, late: int) -> Distribution:
    return replace(one, counts=(*one.counts, (*bounds(late), 1)), got=one.got + 1, expected=one.got + 1, maximum_ticks=late)


def test_one_late_wake_up_is_not_enough_to_call_the_maximum_worse() -> None:
    truth = distribution(drawn(0, 200_000))
    quiet, late = (resampled(truth, seed, 3_000_000) for seed in (1, 2))
    found = compare(wakeup_run(quiet), wakeup_run(_with_one(late, 150_000)))
    assert _verdicts(found)["CPU 0 maximum"] is Verdict.CANNOT_TELL and found.verdict is Verdict.CANNOT_TELL


def test_rates_alike_below_two_maxima_far_apart_do_not_make_the_late_wake_ups_the_same() -> None:
    truth = distribution(drawn(0, 200_000))
    quiet, other = (with_late(resampled(truth, seed, 3_000_000), 12_000) for seed in (1, 2))
    assert _late_verdict(quiet, other) is Verdict.SAME
    late = _with_one(other, 150_000)
    late = replace(late, late=(*late.late, LateWakeup(10**15, bounds(150_000)[1] - 1, 0, UNEXPLAINED)))
    assert _late_verdict(quiet, late) is Verdict.CANNOT_TELL


def test_a_tail_that_is_longer_in_one_run_is_not_another_rate_of_late_wake_ups() -> None:
    """By seven tenths in time, where nothing says that the machine is real: many times as many are beyond the earlier maximum."""
    rng = np.random.default_rng(3)
    body, late = 6_000 + rng.gamma(4.0, 500.0, 400_000), rng.random(400_000) < 0.02
    plain, longer, longest = (body + np.where(late, rng.gamma(2.0, 2_000.0 * by, len(body)), 0.0) for by in (1.0, 1.7, 8.0))
    for values, verdict in ((longer, Verdict.CANNOT_TELL), (longest, Verdict.REGRESSED)):
        before, after = (wakeup_run(distribution(one.astype(int).tolist()), mode=None) for one in (plain, values))
        assert next(row.verdict for row in compare(before, after).rows if row.statistic is Statistic.LATE) is verdict


def _late_verdict(before: Distribution, after: Distribution) -> Verdict:
    return next(row.verdict for row in compare(wakeup_run(before), wakeup_run(after)).rows if row.statistic is Statistic.LATE)


def test_half_of_the_wake_ups_later_and_half_earlier_is_no_equal_shape() -> None:
    """The median stays where it was."""
    values = np.array(drawn(1))
    middle = np.median(values)
    after = np.where(values > middle, values * 1.6, np.maximum(values * 0.6, 1)).astype(int).tolist()
    found = compare(wakeup_run(distribution(values.tolist())), wakeup_run(distribution(after)))
    assert {"CPU 0 spread", "CPU 0 shape"} <= _changed(found) and found.verdict is Verdict.REGRESSED


def test_what_is_later_and_what_is_earlier_add_up_to_wassersteins_distance_and_differ_by_the_means() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(1, 120, 400), rng.integers(1, 90, 300) + rng.integers(0, 2, 300) * 37
    x, y = (Histogram(distribution(values.tolist())) for values in (a, b))
    assert x is not None and y is not None
    found = wasserstein_and_ks(x, y, 1.0)
    assert found.later + found.earlier == pytest.approx(stats.wasserstein_distance(a, b))
    assert found.later - found.earlier == pytest.approx(b.mean() - a.mean())
    assert found.p >= stats.ks_2samp(a, b, method="asymp").pvalue


@pytest.mark.parametrize("factor", [1.0, 4.0])
def test_a_detectable_rarity_is_found_as_often_as_it_says(factor: float) -> None:
    """Nine of ten, by 200 µs on top: with less than four times as many wake-ups late it is always found."""
    truth = distribution(drawn(0, 200_000))
    before = resampled(truth, 7, 600_000)
    (seen,) = compare(wakeup_run(with_late(before, 12_000)), wakeup_run(with_late(resampled(truth, 8, 600_000), 12_000))).rarest_seen
    rng = np.random.default_rng(5)
    found = 0
    for seed in range(40):
        after = resampled(truth, 100 + seed, 600_000)
        for i in range(rng.poisson(factor * 600_000 / seen.once_in)):
            after = _with_one(after, 200_000 + 5_000 * i)
        found += compare(wakeup_run(with_late(before, 12_000)), wakeup_run(with_late(after, 12_000))).verdict is Verdict.REGRESSED
    assert found >= 31 if factor == 1.0 else found == 40


@pytest.mark.parametrize(("before", "after", "verdict"), [(3, 1, Verdict.CANNOT_TELL), (1, 3, Verdict.REGRESSED)])
def test_missed_periods_are_rates_of_what_was_due_in_their_own_run(before: int, after: int, verdict: Verdict) -> None:
    """Twenty of so many hundred thousand and none of as many or as few: the larger run's exposure is its own."""
    base, candidate = (distribution(drawn(seed, size * 20_000)) for seed, size in ((1, before), (2, after)))
    times = [i * 700_000_000 for i in range(10)]
    late = [450_000 + 10_000 * i for i in range(len(times))]
    entries = tuple(LateWakeup(at, ticks, 1, UNEXPLAINED) for at, ticks in zip(times, late, strict=True))
    counts = (*candidate.counts, *((*bounds(ticks), 1) for ticks in late))
    due = candidate.got + 20
    candidate = replace(candidate, counts=counts, got=due - 10, expected=due, missed=10, late=entries, maximum_ticks=late[-1])
    (row,) = (row for row in compare(wakeup_run(base), wakeup_run(candidate)).rows if row.metric is Metric.MISSED_PERIODS)
    share = due / (due + base.got)
    assert row.shift.p == pytest.approx(stats.binomtest(10, 10, share).pvalue)


def test_missed_periods_that_came_up_are_a_regression_of_their_own() -> None:
    times = [i * 700_000_000 for i in range(20)]
    late = [*drawn(2)[:-20], *[450_000] * 20]
    entries = tuple(LateWakeup(at, 450_000, 2, UNEXPLAINED) for at in times)
    found = compare(wakeup_run(distribution(drawn(1))), wakeup_run(replace(distribution(late, missed=40), late=entries)))
    (row,) = (row for row in found.rows if row.metric is Metric.MISSED_PERIODS)
    assert row.verdict is Verdict.REGRESSED and row.after == pytest.approx(40 * 1e6 / 60_040) and "in 0 and 20 events" in row.basis


def test_one_wake_up_that_missed_many_periods_is_one_event() -> None:
    late = [*drawn(2)[:-1], 40_000_000]
    found = compare(wakeup_run(distribution(drawn(1))), wakeup_run(distribution(late, missed=200)))
    (row,) = (row for row in found.rows if row.metric is Metric.MISSED_PERIODS)
    assert row.verdict is Verdict.CANNOT_TELL and found.verdict is Verdict.CANNOT_TELL


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"mode": Mode.VIRTUAL_MACHINE}, "the mode differs"),
        ({"workload": Workload(10, interval_us=1000)}, "the interval differs, 200 µs in a and 1000 µs in b"),
        ({"workload": Workload(10, priority=50)}, "the priority differs"),
        ({"workload": Workload(10, "hackbench")}, "the load differs"),
        ({"workload": Workload(10, idle_states=True)}, "the idle states differ"),
        ({"platform": "another board"}, "the platform differs"),
        ({"mode": Mode.MULTI_THREAD}, "multi-threaded emulation"),
        ({"mode": Mode.DETERMINISTIC}, "the clock differs"),
    ],
)
def test_runs_under_other_conditions_are_refused_before_anything_is_computed(change: dict[str, object], said: str) -> None:
    """Also where nothing else could be computed: the runs share no CPU."""
    a = wakeup_run(distribution(drawn(1, 100)), name="a", platform="board")
    b = wakeup_run(distribution(drawn(2, 100), cpu=1), name="b", **{"platform": "board", **change})  # type: ignore[arg-type]
    with pytest.raises(NotComparable, match=said):
        compare(a, b)


def test_another_kernel_is_what_is_compared_and_is_named() -> None:
    a = wakeup_run(distribution(drawn(1, 5000)), kernel="6.1.0-rt")
    b = wakeup_run(distribution(drawn(2, 5000)), kernel="6.6.0-rt")
    assert compare(a, b).caveat == "differs: kernel 6.1.0-rt to 6.6.0-rt"


def test_what_an_imported_run_does_not_say_is_noted() -> None:
    imported = wakeup_run(distribution(drawn(1, 5000)), name="imported")
    imported = replace(imported, conditions=NO_CONDITIONS)
    notes = compare(imported, wakeup_run(distribution(drawn(2, 5000)))).notes
    assert (
        "imported does not state its mode, instrument, interval, priority, load, idle states; latlab assumes those of the other run"
        in notes
    )


def test_a_virtual_machine_is_said_with_every_verdict() -> None:
    a = wakeup_run(distribution(drawn(1)), name="a", mode=Mode.VIRTUAL_MACHINE)
    b = wakeup_run(distribution(drawn(2, factor=2.3)), name="b", mode=Mode.VIRTUAL_MACHINE)
    found = compare(a, b)
    decision = report_gate(found, frozenset({"regressed"}))
    assert decision.exit_code == 1 and decision.lines[0].endswith(MODES[Mode.VIRTUAL_MACHINE])
    for text in (comparison_json(found), comparison_junit(found, decision), explain_pair(found)[-1].sentence):
        assert MODES[Mode.VIRTUAL_MACHINE] in text
    rows = comparison_csv(found).splitlines()[1:]
    assert rows and all(MODES[Mode.VIRTUAL_MACHINE] in line for line in rows)


def test_two_tools_are_compared_with_a_note_and_within_the_coarser_ones_steps() -> None:
    values = drawn(1)
    truncated = replace(distribution([value // 1000 * 1000 for value in values], test="cyclictest"), resolution_ticks=1000)
    found = compare(wakeup_run(distribution(values)), wakeup_run(truncated))
    assert found.verdict is not Verdict.REGRESSED and any("the tool differs, recorder and cyclictest" in note for note in found.notes)


def test_on_the_instruction_clock_a_single_instruction_is_a_difference_and_exact() -> None:
    values = [5_000] * 1000
    a = wakeup_run(replace(distribution(values), digest="1"), mode=Mode.DETERMINISTIC)
    b = wakeup_run(replace(distribution([*values[:-1], 5_002]), digest="2"), mode=Mode.DETERMINISTIC)
    found = compare(a, b)
    (row,) = (row for row in found.rows if row.name == "CPU 0 maximum")
    assert (row.shift.value, row.verdict, row.basis) == (1.0, Verdict.REGRESSED, "exact")
    assert "recorder, CPU 0: the samples differ" in found.notes
    same = compare(a, a)
    assert same.verdict is Verdict.SAME and "the samples are all identical" in same.notes[-1]
    assert next(row for row in same.rows if row.statistic is Statistic.SHAPE).basis == "exact: the wake-ups are identical, all of them"


def test_on_the_instruction_clock_a_shape_that_no_figure_shows_is_a_difference() -> None:
    """One wake-up later and one earlier: average, quantiles and maximum stay."""
    values = [5_000] * 500 + [6_000] * 500 + [9_000] * 3
    moved = [5_000 - 64, *[5_000] * 499, *[6_000] * 499, 6_064, *[9_000] * 3]
    a, b = (wakeup_run(replace(distribution(v), digest=str(i)), mode=Mode.DETERMINISTIC) for i, v in enumerate((values, moved)))
    found = compare(a, b)
    assert _changed(found) == {"CPU 0 shape"} and found.verdict is Verdict.REGRESSED
    again = replace(a, contents=WakeupCounts((replace(distributions_of(a)[0], digest="x"),)))
    assert compare(a, again).verdict is Verdict.SAME and "in another order" in compare(a, again).notes[-1]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (1000.0, 500.0, "the load cpu did 0.50 times the work in b"),
        (500.0, 1000.0, "the load cpu did 2.00 times the work in b"),
        (1000.0, 0.0, "the load cpu did nothing at all in b"),
        (1000.0, 900.0, ""),
    ],
)
def test_a_load_that_did_half_the_work_is_noticed(before: float, after: float, said: str) -> None:
    a, b = (
        replace(run, contents=WakeupCounts(distributions_of(run), (LoadWork("cpu", work),)))
        for run, work in ((wakeup_run(distribution(drawn(1)), name="a"), before), (wakeup_run(distribution(drawn(2)), name="b"), after))
    )
    told = [note for note in compare(a, b).notes if note.startswith("the load")]
    assert (told[0].startswith(said) and len(told) == 1) if said else told == []


def test_a_run_is_compared_with_the_published_figures_of_its_board() -> None:
    """Averages of 8 and 7 us, maxima of 57 and 48 us, from six hours."""
    workload = Workload(10, "cpu", Instrument.CYCLICTEST)
    quiet = [distribution(drawn(cpu, 50_000), cpu, test="cyclictest") for cpu in (0, 1)]
    found = compare(load(AM62L), wakeup_run(*quiet, platform="am62l", workload=workload))
    verdicts = _verdicts(found)
    assert verdicts["CPU 0 maximum"] is Verdict.CANNOT_TELL and found.verdict in (Verdict.SAME, Verdict.SAME_LEVEL, Verdict.NOT_SHOWN)
    late = [distribution([*drawn(cpu, 50_000), *[90_000] * 3], cpu, test="cyclictest") for cpu in (0, 1)]
    found = compare(load(AM62L), wakeup_run(*late, platform="am62l", workload=workload))
    assert _verdicts(found)["CPU 1 maximum"] is Verdict.REGRESSED and found.verdict is Verdict.REGRESSED
    minima = {(row.before, row.after) for row in found.rows if row.statistic is Statistic.MINIMUM}
    assert minima == {(5_000.0, float(one.minimum_ticks or 0)) for one in late}
    assert {row.basis for row in found.rows if row.statistic is Statistic.AVERAGE} == {
        "one run's distribution is unknown, the scatter between runs assumed"
    }
    slow = [distribution(drawn(cpu, 50_000, factor=2.0), cpu, test="cyclictest") for cpu in (0, 1)]
    assert _verdicts(compare(load(AM62L), wakeup_run(*slow, platform="am62l", workload=workload)))["CPU 0 average"] is Verdict.REGRESSED


@pytest.mark.parametrize(("value", "p", "verdict"), [(8_000, 1.0, Verdict.SAME), (40_000, 0.0, Verdict.REGRESSED)])
def test_an_average_without_scatter_equals_the_printed_one_for_sure_or_not_at_all(value: int, p: float, verdict: Verdict) -> None:
    workload = Workload(10, "cpu", Instrument.CYCLICTEST)
    steady = [distribution([value] * 50_000, cpu, test="cyclictest") for cpu in (0, 1)]
    found = compare(load(AM62L), wakeup_run(*steady, platform="am62l", workload=workload))
    (row,) = (row for row in found.rows if row.name == "CPU 0 average")
    assert row.shift.p == pytest.approx(p, abs=1e-12) and row.verdict is verdict


def test_published_figures_of_another_board_are_refused() -> None:
    with pytest.raises(NotComparable, match="the platform differs, am62l"):
        compare(load(AM62L), wakeup_run(*(distribution(drawn(cpu, 100), cpu) for cpu in (0, 1)), platform="another"))


def test_figures_a_thousand_times_the_others_are_a_slipped_unit() -> None:
    b = distribution([value * 1000 for value in drawn(2, 100)])
    with pytest.raises(NotComparable, match="unit suspect"):
        compare(wakeup_run(distribution(drawn(1, 100))), wakeup_run(b))


@pytest.mark.parametrize("longer", [0, 1])
def test_a_run_with_many_more_wake_ups_is_said_to_have_had_more_chances_of_a_maximum(longer: int) -> None:
    sizes = (25_000, 2_000) if longer == 0 else (2_000, 25_000)
    a, b = (wakeup_run(distribution(drawn(seed, size)), name=name) for seed, size, name in zip((1, 2), sizes, ("one", "two"), strict=True))
    told = [note for note in compare(a, b).notes if "opportunities" in note]
    assert told == [f"{('one', 'two')[longer]} counted 12.5 times as many wake-ups, so its maximum had that many more opportunities"]


@pytest.mark.parametrize("mode", [Mode.REAL, Mode.DETERMINISTIC])
def test_a_wake_up_that_is_later_than_a_period_missed_one_whatever_a_tick_is_worth(mode: Mode) -> None:
    run = wakeup_run(distribution([100_000] * 50 + [300_000, 900_000]), mode=mode)
    side = histogram_of(run, distributions_of(run)[0])
    assert side.interval == INTERVAL_NS * run.tick.value
    assert _missing(side) == 1


def test_every_named_cause_is_counted_by_event_in_both_runs() -> None:
    trng, other, gone = (Blame(BlameKind.FIRMWARE, name) for name in ("TRNG_RND", "CPU_SUSPEND", "AFFINITY_INFO"))
    base = distribution(drawn(1, 2_000))
    counts = ((3, 2, 1), (5, 2, 0))
    a, b = (
        wakeup_run(
            replace(
                base,
                late=tuple(
                    LateWakeup(i * 10_000_000, 90_000, 0, blame) for blame, n in zip((trng, other, gone), of, strict=True) for i in range(n)
                ),
            )
        )
        for of in counts
    )
    found = [one.finding for one in explain_pair(compare(a, b)) if isinstance(one.finding, CauseCounted)]
    assert {one.blame: (one.before[0], one.after[0]) for one in found} == {trng: (3, 5), other: (2, 2), gone: (1, 0)}
    assert {one.verdict for one in found} == {Verdict.CANNOT_TELL}


@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_how_long_it_takes_to_tell_is_what_the_wake_ups_take_on_so_many_cpus(cpus: int) -> None:
    trng = Blame(BlameKind.FIRMWARE, "TRNG_RND")

    def with_thefts(count: int) -> Run:
        late = tuple(LateWakeup(i * 10_000_000, 90_000, 0, trng) for i in range(count))
        return wakeup_run(*(replace(distribution(drawn(cpu, 2_000), cpu), late=late) for cpu in range(cpus)))

    explained = explain_pair(compare(with_thefts(3), with_thefts(5)))
    (found,) = [one.finding for one in explained if isinstance(one.finding, CauseCounted)]
    assert found.needed is not None and found.needed > 0
    assert found.seconds == pytest.approx(found.needed * INTERVAL_NS / 1e9 / cpus)


def test_other_firmware_stands_in_what_was_compared() -> None:
    a, b = (replace(wakeup_run(distribution(drawn(1, 5000))), build=Build(name)) for name in ("v1", "v2"))
    assert headline(compare(a, b))[0].startswith("v1 to v2;")


small = st.lists(st.integers(1, 120), min_size=31, max_size=45)


@given(small, small)
@examples(40)
def test_weighting_gives_what_a_row_for_each_sample_gives(a: list[int], b: list[int]) -> None:
    """Below 128 ns each value has an interval of its own; more than 60 samples, so that the weighted form is the one that is tested."""
    x, y = (Histogram(distribution(values)) for values in (a, b))
    assert x is not None and y is not None
    ours, rows = weighted_shift(x, y), two_sample_shift(np.array(a, float), np.array(b, float))
    assert ours.value == pytest.approx(rows.value, abs=1) and ours.low == pytest.approx(rows.low, abs=1)
    assert ours.high == pytest.approx(rows.high, abs=1)
    if len({*a, *b}) > 1:
        assert ours.p == pytest.approx(stats.mannwhitneyu(a, b, method="asymptotic").pvalue, rel=1e-6)
    signs = np.sign(np.subtract.outer(np.array(b), np.array(a)))
    assert shift_effect(x, y) == pytest.approx(signs.mean())


@given(st.integers(1, 300), st.integers(1, 300), st.data())
@examples(40)
def test_the_exceedance_test_is_the_share_of_orders_in_which_one_run_holds_all_the_latest(n: int, m: int, data: st.DataObject) -> None:
    above = data.draw(st.integers(1, m))
    expected = stats.hypergeom(n + m, m, above).pmf(above)
    assert exceedance_p(n, m, above) == pytest.approx(min(1.0, 2 * expected), rel=1e-6, abs=1e-300)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 10**7), st.integers(1, 10**7))
@examples(60)
def test_two_rates_are_compared_by_the_binomial_test(a: int, b: int, of_a: int, of_b: int) -> None:
    expected = stats.binomtest(b, a + b, of_b / (of_a + of_b)).pvalue if a + b else 1.0
    assert rate_p(a, of_a, b, of_b) == pytest.approx(expected, rel=1e-6, abs=1e-12)


@given(st.lists(st.floats(0, 1), max_size=20))
def test_adjusted_p_values_are_those_of_benjamini_and_hochberg(p_values: list[float]) -> None:
    expected = stats.false_discovery_control(p_values) if p_values else []
    assert false_discovery_control(p_values) == pytest.approx(list(expected))


def test_the_interval_of_a_quantiles_shift_holds_the_truth_nearly_as_often_as_it_says() -> None:
    held = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        a, b = (distribution((rng.exponential(10_000, 4000) + extra).astype(int).tolist()) for extra in (0, 2000))
        x, y = Histogram(a), Histogram(b)
        assert x is not None and y is not None
        shift = quantile_shift(x, y, 0.99)
        assert shift is not None
        held += shift.low <= 2000 <= shift.high
    assert held >= 90


def test_a_quantile_with_fewer_than_ten_wake_ups_above_it_is_left_out() -> None:
    names = _verdicts(compare(wakeup_run(distribution(drawn(1, 5000))), wakeup_run(distribution(drawn(2, 5000)))))
    assert "CPU 0 99 %" in names and "CPU 0 99.9 %" not in names


def test_a_tolerance_widens_what_counts_as_the_same() -> None:
    a, b = wakeup_run(distribution(drawn(1)), mode=Mode.REAL), wakeup_run(distribution(drawn(2, factor=1.1)))
    assert compare(a, b).verdict is Verdict.REGRESSED
    assert _verdicts(compare(a, b, Limits(relative=0.2)))["CPU 0 median"] in (Verdict.SAME, Verdict.MOVED)


def test_what_was_clipped_is_later_than_the_histograms_end_and_no_more() -> None:
    """Twenty wake-ups somewhere beyond the end, one of them at 1.9 ms, are no twenty beyond the other run's 1.8 ms."""

    def clipped(maximum: int) -> Distribution:
        one = distribution(drawn(1), test="cyclictest")
        return replace(one, beyond=20, got=one.got + 20, expected=one.got + 20, maximum_ticks=maximum)

    found = compare(wakeup_run(clipped(1_800_000)), wakeup_run(clipped(1_900_000)))
    assert _verdicts(found)["CPU 0 maximum"] is Verdict.CANNOT_TELL
    assert any("20 wake-ups of run lie beyond the end of its histogram" in note for note in found.notes)


def test_a_run_and_its_copy_are_the_same_to_the_last_wake_up() -> None:
    comparison = compare(wakeup_run(distribution(drawn(1))), wakeup_run(distribution(drawn(1))))
    assert comparison.verdict is Verdict.SAME
    assert {row.basis for row in comparison.rows} == {"identical figures"}
    assert {(row.shift.value, row.shift.low, row.shift.high, row.shift.p) for row in comparison.rows} == {(0.0, 0.0, 0.0, 1.0)}
