# SPDX-License-Identifier: BSD-3-Clause
"""Judgements that once could be taken out without a test that failed, each by figures worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from latlab.calls.model.calls import Call, KernelSpan
from latlab.core.comparison.by_kind import compare, explain_pair, tails
from latlab.core.comparison.comparison import Comparison, Row, Statistic
from latlab.core.comparison.findings import LargeUntold
from latlab.core.comparison.gate import report_gate
from latlab.core.comparison.history import history
from latlab.core.comparison.verdicts import Verdict
from latlab.core.model.blame import UNEXPLAINED, BlameKind
from latlab.core.model.distributions import Distribution, LateWakeup
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Sample, Topology
from latlab.core.statistics.histogram import Histogram, quantile_shift, rate_p
from latlab.core.statistics.statistics import Shift
from latlab.psci.analysis.notable import notable_of
from latlab.rt.analysis.attribution import attribute
from latlab.rt.analysis.lateness_parts import MEASURING_TASK
from latlab.rt.model.wakeups import Outlier, Wakeups
from support.known_boards import JUNO, Noise, measured
from support.runs import INSTRUCTIONS, changed, run_with
from support.wakeup_runs import distribution, drawn, wakeup_run

QUIET = Noise(span=0.05, wakeup=0.05, flush=0.02, version=0.005)
FAIL_ON = frozenset({"regressed"})


def same_pair() -> Comparison:
    return compare(measured(JUNO, QUIET, 1, boots=4, name="before"), measured(JUNO, QUIET, 2, boots=4, name="after"))


def row_of(comparison: Comparison, metric: Metric) -> Row:
    return next(row for row in comparison.rows if row.metric is metric)


def test_one_large_shift_that_is_not_told_stops_a_gate_that_would_pass():
    found = same_pair()
    assert report_gate(found, FAIL_ON).exit_code == 0
    row = row_of(found, Metric.WAKEUP)
    large = replace(row, shift=Shift(2 * row.large, -1e9, 1e9, 0.01), verdict=Verdict.CANNOT_TELL, cells=())
    rows = (*(one for one in found.rows if one is not row), large)
    decision = report_gate(replace(found, rows=rows, notable=notable_of(rows, (found.a, found.b))), FAIL_ON)
    assert decision.exit_code == 3
    assert any(row.test in line for line in decision.lines[:-1])


def test_of_several_large_shifts_that_are_not_told_the_largest_is_named_with_how_many_there_are():
    found = same_pair()
    larger, smaller = row_of(found, Metric.WAKEUP), row_of(found, Metric.POWERDOWN)
    large = [
        replace(row, shift=Shift(times * row.large, -1e9, 1e9, 0.01), verdict=Verdict.CANNOT_TELL, cells=())
        for row, times in ((smaller, 2), (larger, 3))
    ]
    changed_pair = replace(found, rows=tuple(large), notable=notable_of(large, (found.a, found.b)))
    (told,) = (one.finding for one in explain_pair(changed_pair) if isinstance(one.finding, LargeUntold))
    assert (told.metric, told.test, told.rows) == (Metric.WAKEUP, larger.test, 2)


def test_a_last_man_who_pays_in_the_first_run_only_leaves_a_gap():
    before, after = (measured(JUNO, QUIET, seed, name=name) for seed, name in ((1, "before"), (2, "after")))
    cheap = [
        replace(one, value_ticks=min(one.value_ticks, 262))
        if (one.test, one.metric, one.core.cluster) == ("susp_deep_parallel", Metric.CACHE_FLUSH, 0)
        else one
        for one in after.samples
    ]
    gaps = compare(before, changed(after, samples=cheap)).gaps
    assert any("cluster 0" in gap and "last core" in gap for gap in gaps)


def test_a_rate_is_weighed_by_the_exposure_of_its_own_run():
    assert rate_p(10, 10_000, 40, 40_000) > 0.9
    assert rate_p(40, 10_000, 10, 40_000) < 1e-15
    late = 300_000
    values = [*drawn(1, 20_000), *[late] * 20], [*drawn(2, 60_000), *[late] * 60]
    before, after = (wakeup_run(distribution(one, missed=n), name=str(n)) for one, n in zip(values, (20, 60), strict=True))
    found = compare(before, after)
    (row,) = (row for row in found.rows if row.statistic is Statistic.MISSED)
    assert row.shift.p > 0.9


def counted_singly(values: list[int]) -> Distribution:
    """Without the recorder's intervals, which widen with the value."""
    return replace(distribution(values), counts=tuple((value, value + 1, 1) for value in values))


def test_the_interval_of_a_quantile_ends_at_the_ranks_that_hold_it():
    """Of a thousand values 1 to 1000, the 90 % quantile lies between ranks 881 and 920 with 95 %; tenfold values tenfold as far."""
    one, ten = (Histogram(counted_singly([factor * i for i in range(1, 1001)])) for factor in (1, 10))
    assert one is not None and ten is not None
    found = quantile_shift(one, ten, 0.9)
    assert found is not None and found.value == 8100
    assert found.low == pytest.approx(8100 - np.hypot(20, 190))
    assert found.high == pytest.approx(8100 + np.hypot(19, 200))


def test_a_common_quantile_counts_what_is_above_it_and_not_what_is_on_it():
    """Both runs have a thousand spans of 10 ns; 20 and 60 later ones. Above the common 97 % quantile, which is 20 ns, lie 5 and 45."""
    values = [[10] * 980 + [20] * 15 + [21] * 5, [10] * 940 + [20] * 15 + [21] * 45]
    a, b = (Histogram(distribution(one)) for one in values)
    assert a is not None and b is not None
    found = quantile_shift(a, b, 0.97)
    share = 50 / 2000
    z = (45 - 5) / 1000 / (share * (1 - share) * 2 / 1000) ** 0.5
    assert found is not None and found.p == pytest.approx(2 * norm.sf(z), rel=1e-6)


def late_wakeups(values: list[int]) -> tuple[LateWakeup, ...]:
    return tuple(LateWakeup(1_000_000 * i, value, 0, UNEXPLAINED) for i, value in enumerate(values))


def test_no_tail_is_told_of_late_wake_ups_of_which_some_were_not_kept():
    rng = np.random.default_rng(3)
    values = [int(100_000 + value) for value in rng.exponential(20_000, 3_000)]
    kept = replace(distribution(values), late=late_wakeups(values), got=30_000)
    (whole,) = tails(wakeup_run(kept), None, Metric.TASK_WAKEUP, 1e6)
    (holed,) = tails(wakeup_run(replace(kept, late_dropped=3)), None, Metric.TASK_WAKEUP, 1e6)
    assert whole.level is not None
    assert holed.level is None and "3 were not kept" in holed.refusal


def test_a_tail_that_twice_as_many_excesses_tell_otherwise_is_refused():
    """Exponential as far as the excesses go that are taken, and far flatter just below: the level hangs on where they begin."""
    rng = np.random.default_rng(5)
    body = rng.uniform(0.0, 1_000.0, 9_700)
    knee = rng.uniform(1_000.0, 200_000.0, 150)
    tail = 200_000.0 + rng.exponential(2_000.0, 150)
    values = rng.permutation(np.concatenate([body, knee, tail])).astype(int)
    kept = replace(distribution([int(v) + 1 for v in values]), late=late_wakeups([int(v) + 1 for v in values]))
    (found,) = tails(wakeup_run(kept), None, Metric.TASK_WAKEUP, 1e6)
    assert found.level is None
    assert "stability" in [one.name for one in found.diagnostics if not one.passed]


def test_an_exact_change_is_explained_by_the_two_runs_between_which_it_came():
    """The flush grew first and the wake-up two runs later: what is said of the wake-up's change must not name the flush."""
    core = CoreId(0, 0)

    def run(name: str, wakeup: int, flush: int):
        test = "cpu_off_serial"
        figures = ((Metric.POWERDOWN, 5_000), (Metric.WAKEUP, wakeup), (Metric.CACHE_FLUSH, flush))
        samples = [Sample(test, metric, core, 0, 0, value) for metric, value in figures]
        return run_with(topology=Topology((1,)), tick=INSTRUCTIONS, samples=samples, id=name)

    runs = [run("a", 100, 200), run("b", 100, 250), run("c", 100, 250), run("d", 130, 250)]
    (series,) = history(runs, "cpu_off_serial/wakeup/*")
    (change,) = series.changes
    assert (change.left, change.index) == (2, 3)
    assert any("wakeup" in one.sentence for one in change.explanations)
    assert not any("cache_flush regressed" in one.sentence for one in change.explanations)


HZ = 1_000_000_000


def attributed(calls: list[Call], kernel: list[KernelSpan]):
    wakeups = Wakeups("recorder", 200_000, 1, (), counter_hz=HZ, sync=(0, 0), start_ns=0, end_ns=10**9)
    (found,) = attribute(wakeups, [Outlier(0, 1_000_000, 100_000, 0, 1_000_000)], calls, kernel)
    return found


@pytest.mark.parametrize(
    ("into", "out", "stolen"), [(0, 960_000, 60_000), (930_000, 990_000, 60_000), (940_000, 2_000_000, 60_000)], ids=str
)
def test_only_the_part_of_a_call_between_due_and_run_is_stolen(into: int, out: int, stolen: int):
    found = attributed([Call(0, 0xC4000053, into, out)], [])
    assert (found.blame.kind, found.stolen_ns) == (BlameKind.FIRMWARE, stolen)


@pytest.mark.parametrize(("into", "out", "stolen"), [(0, 960_000, 60_000), (940_000, 2_000_000, 60_000)], ids=str)
def test_only_the_part_of_the_kernels_work_between_due_and_run_is_stolen(into: int, out: int, stolen: int):
    found = attributed([], [KernelSpan(0, "futex", MEASURING_TASK, into, out, ("f",))])
    assert (found.blame.kind, found.stolen_ns) == (BlameKind.KERNEL, stolen)
