# SPDX-License-Identifier: BSD-3-Clause
"""Figures, conditions, causes and findings as their readers see them."""

from __future__ import annotations

import pytest

from latlab.core.comparison import findings as f
from latlab.core.comparison import queue_findings as q
from latlab.core.comparison import span_findings as s
from latlab.core.comparison import wakeup_findings as w
from latlab.core.comparison import wording
from latlab.core.comparison.summary import SENTENCES, Mark
from latlab.core.comparison.verdicts import Verdict
from latlab.core.model.blame import UNEXPLAINED, UNTRACED, Blame, BlameKind, Caller, CallerKind
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.psci.analysis import explain_trace as t

A, B = CoreId(0, 1), CoreId(1, 0)


@pytest.mark.parametrize(
    ("value", "unit", "said", "bare", "signed"),
    [
        (499_960, "ns", "500.0 µs", "499.96", "+499.96 µs"),
        (500_000, "ns", "500 µs", "500.00", "+500.00 µs"),
        (-500_400, "ns", "-500 µs", "-500.40", "-500.40 µs"),
        (20_000, "ns", "20.0 µs", "20.00", "+20.00 µs"),
        (19_994, "ns", "19.99 µs", "19.99", "+19.99 µs"),
        (-1, "ns", "0.00 µs", "0.00", "0.00 µs"),
        (1234.4, "insns", "1,234 instructions", "1,234", "+1,234 instructions"),
        (-0.4, "insns", "0 instructions", "0", "0 instructions"),
        (12.3456, "per million", "12.35 per million", "12.35", "+12.35 per million"),
    ],
)
def test_an_amount_has_its_unit_and_as_many_figures_as_say_something(value: float, unit: str, said: str, bare: str, signed: str) -> None:
    assert (wording.amount(value, unit), wording.bare(value, unit), wording.signed(value, unit)) == (said, bare, signed)


def test_a_metric_of_events_is_counted_per_million_and_any_other_in_the_unit_of_its_run() -> None:
    assert wording.unit_of(Metric.MISSED_PERIODS, "ns") == "per million"
    assert wording.unit_of(Metric.TASK_WAKEUP, "ns") == "ns"
    assert (wording.scale_of("ns"), wording.scale_of("insns")) == (1000.0, 1.0)
    assert (wording.heading_unit("ns"), wording.heading_unit("insns")) == ("µs", "instructions")


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.1234, "+12.3 %"), (-0.00003, "-0.003 %"), (0.0, "+0.0 %"), (-1e-12, "+0.0 %"), (-0.5, "-50.0 %"), (float("inf"), "from about 0")],
)
def test_a_share_is_said_in_percent(share: float, said: str) -> None:
    assert wording.percent(share) == said


@pytest.mark.parametrize(("n", "said"), [(-1, "-1 cores"), (0, "no cores"), (1, "one core"), (12, "twelve cores"), (13, "13 cores")])
def test_small_numbers_are_words(n: int, said: str) -> None:
    assert wording.count(n, "core") == said


def test_a_mode_is_said_by_what_its_figures_are_worth() -> None:
    assert wording.said_mode(None) == "imported: as the tool says it" and wording.said_mode(Mode.REAL) == "real target"


@pytest.mark.parametrize(
    ("blame", "said"),
    [
        (UNEXPLAINED, "unexplained"),
        (UNTRACED, "not traced"),
        (Blame(BlameKind.KERNEL, "timer"), "kernel: timer"),
        (Blame(BlameKind.FIRMWARE, "TRNG_RND"), "TRNG_RND"),
        (Blame(BlameKind.FIRMWARE, "X", Caller(CallerKind.HWRNG_THREAD, "hwrng")), "X, called by the hwrng thread"),
        (Blame(BlameKind.FIRMWARE, "X", Caller(CallerKind.HWRNG_DRIVER, "dd")), "X, called by the hwrng driver in dd"),
        (Blame(BlameKind.FIRMWARE, "X", Caller(CallerKind.KSTACK, "ls")), "X, called by kernel-stack randomisation in a system call of ls"),
        (Blame(BlameKind.FIRMWARE, "X", Caller(CallerKind.FUNCTION, "ls", "sys_read")), "X, called by sys_read in ls"),
    ],
)
def test_what_is_to_blame_is_said_with_its_caller(blame: Blame, said: str) -> None:
    assert wording.said_blame(blame) == said


@pytest.mark.parametrize(
    ("finding", "said"),
    [
        (
            t.WaitedFor(A, 30_000.0, "lock wait", ((B, 12_000.0),), (B, "LOCK_RELEASE")),
            "core 0.1 waited 30.0 µs (lock wait), 12.00 µs of it behind 1.0; it continued right after LOCK_RELEASE of 1.0",
        ),
        (t.WaitedFor(A, 30_000.0, "lock wait", (), None), "core 0.1 waited 30.0 µs (lock wait)"),
        (
            t.LongestSpan(B, Metric.POWERDOWN, 40_000.0, (("flush", 30_000.0), ("finish", 10_000.0))),
            "core 1.0 has the longest powerdown on average, 40.0 µs: flush 30.0 µs, finish 10.00 µs",
        ),
        (
            t.LongestSpan(B, Metric.POWERDOWN, 40_000.0, (("flush", 40_000.0),), is_alike=True, is_median=True),
            "each core has the same powerdown by median, 40.0 µs: flush 40.0 µs",
        ),
        (
            t.SpentIn(B, Metric.WAKEUP, "puts", "log", 2.0, 28_000.0, 0.7),
            "70 % of that wakeup of core 1.0 is puts and its callees, 28.0 µs, called 2 times by log",
        ),
        (t.SpentIn(B, Metric.WAKEUP, "log", "", 1.0, 28_000.0, 0.7), "70 % of that wakeup of core 1.0 is log and its callees, 28.0 µs"),
        (q.LeadTookLonger(B, 50_000.0, 0.0), "1.0, the lead, took 50.0 µs more than the other cores of its cluster"),
        (
            q.LeadTookLonger(B, 50_000.0, 48_000.0),
            "1.0, the lead, took 50.0 µs more than the other cores of its cluster: its cluster flush",
        ),
        (
            q.LeadTookLonger(B, 50_000.0, 10_000.0),
            "1.0, the lead, took 50.0 µs more than the other cores of its cluster, 10.00 µs of flush included",
        ),
        (q.LadderRefused(0.31, None, 0), "these spans form no queue of equal delays: the queue model explains 31 % of their variance"),
        (q.LadderRefused(0.9, 1, 3), "3 cores of cluster 1 flush as its last core down, so latlab fits no queue model"),
        (q.NoQueue(1_000.0, 95_000.0), "no queue: sorted spans grow by 1.00 µs per core from 95.0 µs"),
        (
            q.ServedInOrder((B, A), 104_000.0, 139_000.0, 700.0),
            "cores were served in the order 1.0, 0.1: first-core latency 104.0 µs, delay per position 139.0 µs, residual 0.70 µs",
        ),
        (
            q.ServedInOrder((B, A), 104_000.0, 139_000.0, 700.0, 20),
            "medians of 20 iterations: first-core latency 104.0 µs, delay per position 139.0 µs, residual 0.70 µs. In the first one, that "
            "of the waits below, the order was 1.0, 0.1",
        ),
        (q.DidNotWait((B,)), "1.0 did not wait: the queue begins behind it"),
        (q.LongestWait(A, 700_000.0, 5, 140_000.0, ()), "core 0.1 waited 700 µs behind five cores: 5 positions of 140.0 µs"),
        (
            q.LongestWait(A, 882_000.0, 5, 140_000.0, (("after the last man", 146_000.0), ("last of all", 36_000.0))),
            "core 0.1 waited 882 µs behind five cores: 5 positions of 140.0 µs, 146.0 µs last-core delay and 36.0 µs last of all",
        ),
        (q.PaidAsLastMan(B, 138_000.0, None), "1.0 flushed its cluster for 138.0 µs as last core down of cluster 1"),
        (
            q.PaidAsLastMan(B, 138_000.0, 150_000.0),
            "1.0 flushed its cluster for 138.0 µs as last core down of cluster 1. It is 150.0 µs behind the core before it, so "
            "it waited anyway during most of the flush",
        ),
        (q.WaitedBehindLastMan(A, 146_000.0), "0.1, next behind it, waited 146.0 µs longer than the delay per position"),
        (q.LastOfSystem(A, 36_000.0), "0.1, last of the system, took 36.0 µs more than its position in the queue"),
        (q.StepOfQueue(139_000.0), "each position adds 139.0 µs"),
        (q.QueueWithoutClusterLock(), "power level 0 needs no lock of a cluster, so the cores queue for something that all of them share"),
        (
            q.StepOfLevelZero(139_000.0, True),
            "the test at power level 0, which takes no cluster lock, has the same delay per position (139.0 µs): both queues "
            "have one cause",
        ),
        (q.StepOfLevelZero(70_000.0, False), "the delay per position differs from that of the test at power level 0 (70.0 µs)"),
        (q.WaitedOnTheWayUp(((A, 200_000.0), (B, 30_000.0))), "these cores also waited during wake-up: 0.1 200.0 µs, 1.0 30.0 µs"),
        (
            s.TermMoved("step", Verdict.REGRESSED, ("x", "y"), ((87_700.0, 139_600.0), (86_500.0, 139_100.0)), 0.592),
            "delay per position of the queue regressed in x, y: 87.7 µs to 139.6 µs, 86.5 µs to 139.1 µs (+59.2 %). Each core "
            "waits that much longer for every core before it",
        ),
        (
            s.TermMoved("step", Verdict.IMPROVED, ("x",), ((139_600.0, 87_700.0),), -0.372),
            "delay per position of the queue improved in x: 139.6 µs to 87.7 µs (-37.2 %). Each core waits that much less "
            "long for every core before it",
        ),
        (
            s.TermMoved("base", Verdict.IMPROVED, ("x",), ((20_000.0, 19_000.0),), -0.05),
            "first-core latency of the queue improved in x: 20.0 µs to 19.00 µs",
        ),
        (
            s.PartsMoved(Metric.WAKEUP, (("finish", 4_000.0), ("lock wait", -20.0))),
            "of the wakeup, median over cores, these parts changed: finish +4.00 µs, lock wait -0.02 µs",
        ),
        (
            s.OrderChanged((A, B), (B, A), 0.00736),
            "order changed: 0.1, 1.0 to 1.0, 0.1; at its position in the queue no span changed by more than 0.7 %",
        ),
        (s.OrderChanged((A, B), (B, A), None), "order changed: 0.1, 1.0 to 1.0, 0.1"),
        (
            f.PartChanged(Metric.WAKEUP, "", "of cluster 1 in five tests", Verdict.REGRESSED, 20_000.0, 900.0, "measure more"),
            "wakeup of cluster 1 in five tests regressed by +0.90 µs (+4.5 %) as a whole; no single row can be named",
        ),
        (
            f.PartChanged(Metric.TASK_WAKEUP, "x", "spread of two CPUs", Verdict.CANNOT_TELL, 20_000.0, 900.0, "measure longer"),
            "task_wakeup in x, spread of two CPUs differs by +0.90 µs (+4.5 %) as a whole: inconclusive. Measure longer",
        ),
        (
            f.BeyondOrder(Metric.WAKEUP, "x", "all cores, sorted (rank 1)", 1_000.0, 2_000.0, 900.0, 1_200.0, 2),
            "wakeup in x, all cores, sorted (rank 1), differs by +1.00 µs (+100.0 %), and one other rank too: more than the order of "
            "the cores explains. The base has 0.90 to 1.20 µs there",
        ),
        (f.NothingMoved(), "no structure changed beyond its threshold"),
        (f.NothingMoved(of_levels=True), "no median changed beyond its threshold"),
        (
            s.MetricMoved(
                Metric.WAKEUP,
                Verdict.REGRESSED,
                ("x", "y"),
                False,
                2_100.0,
                4_920.0,
                30,
                ((0, 3_740.0), (1, 4_390.0)),
                (Metric.POWERDOWN, Metric.PSCI_CALL),
            ),
            "wakeup regressed in x, y: +2.10 µs to +4.92 µs over 30 data points. The median is +3.74 µs in cluster 0, +4.39 µs in "
            "cluster 1. No row of powerdown or psci_call changed with it",
        ),
        (
            s.MetricMoved(Metric.WAKEUP, Verdict.IMPROVED, ("x",), True, -4_000.0, -2_000.0, 6, (), ()),
            "wakeup improved in x: -4.00 µs to -2.00 µs over 6 data points",
        ),
        (
            s.MetricMoved(Metric.WAKEUP, Verdict.IMPROVED, ("x", "y"), True, -4_000.0, -4_000.0, 6, (), ()),
            "wakeup improved in every test: -4.00 µs over 6 data points",
        ),
        (
            f.LargeUntold(Metric.POWERDOWN, "x", "cluster 1", 2_640.0, 1_060.0, 2),
            "powerdown in x, cluster 1, differs by +1.06 µs (+40.2 %), and one more row by that or less: large but "
            "inconclusive with so few boots. Measure more boots of both",
        ),
        (f.TailNotTold(11, 47, True), "the tail of 11 of 47 rows is inconclusive: too few iterations, or too much scatter"),
        (
            f.CouldHaveSeen("level", 44, 0.04, 0.9, 3, 0.02),
            "median minimum detectable effect of 44 rows: 4 % (90 % power); 2 % with three more boots of each run",
        ),
        (
            f.CouldHaveSeen("maximum", 1, 0.35, 0.9, None, None),
            "minimum detectable effect for maximum: 35 % (90 % power)",
        ),
        (
            s.ShapeMoved(Metric.WAKEUP, "x", "cluster 1", Verdict.REGRESSED, (("99 %", 910.0, 2120.0),)),
            "wakeup in x, cluster 1, regressed in its shape, as distances from the median: 99 % 0.91 µs to 2.12 µs",
        ),
        (
            f.NotTold(34, 87, -2.92, by_order=True),
            "34 of 87 rows inconclusive: the order of the cores alone can cause their differences; the others are equal",
        ),
        (f.NotTold(11, 31, 0.125), "11 of 31 rows inconclusive, largest shift +12.5 %; the others are within the threshold"),
        (
            f.Scatter(Metric.WAKEUP, (0.012, 0.034), (0.005, 0.02), (4, 4, 3, 3, 18)),
            "wakeup scatters by 1.2 % between boots (at most 3.4 %) and 0.5 % within one boot (at most 2 %): medians of 18 spans; "
            "four boots of three iterations",
        ),
        (
            f.Scatter(Metric.WAKEUP, (0.0, 0.0), None, (2, 3, 1, 2, 6)),
            "wakeup: every boot and iteration of six spans is identical; 2 to 3 boots of 1 to 2 iterations",
        ),
        (w.ModeCaveat(Mode.VIRTUAL_MACHINE, True), "virtual machine: not an RT figure: the hypervisor may have caused a change"),
        (w.ModeCaveat(Mode.VIRTUAL_MACHINE, False), "virtual machine: not an RT figure: the figures describe this virtual machine"),
        (
            w.Spread(2, 9_000.0, 8_000.0, 56_000.0, 12_345, 1_000),
            "CPU 2: median 8.00 µs, maximum 56.0 µs, 7.0 times the median, over 12,345 wake-ups; "
            "1,000 periods passed while the task was late",
        ),
        (w.Spread(2, 9_000.0, None, 56_000.0, 0, 0), "CPU 2: average 9.00 µs, maximum 56.0 µs"),
        (
            w.LateByBlame(Blame(BlameKind.FIRMWARE, "TRNG_RND"), 3, 4, 90_000.0),
            "3 of four late wake-ups: TRNG_RND, the latest 90.0 µs",
        ),
        (w.LateInPeriod(7, 0.25), "7 late wake-ups have a period of 0.25 s"),
        (
            w.CpuMoved(2, Verdict.REGRESSED, (w.StatisticMoved("median", Metric.TASK_WAKEUP, 8_000.0, 9_000.0, 0.125),), (0, 1)),
            "CPU 2 regressed: median 8.00 µs to 9.00 µs (+12.5 %); no significant change of CPU 0, CPU 1",
        ),
        (
            w.CpuMoved(2, Verdict.IMPROVED, (w.StatisticMoved("missed periods", Metric.MISSED_PERIODS, 0.0, 2.0, 0.0),), ()),
            "CPU 2 improved: missed periods 0 per million to 2 per million",
        ),
        (w.BlameMoved(Blame(BlameKind.FIRMWARE, "TRNG_RND"), 3, 5), "late wake-ups by cause: TRNG_RND, 3 before and 5 after"),
        (w.NoWakeupMoved(), "no significant change of any CPU's wake-ups"),
    ],
)
def test_a_finding_is_said_with_its_cores_and_amounts(finding: f.Finding, said: str) -> None:
    assert finding.sentence("ns") == said


def test_a_mark_says_what_its_figures_are_not_and_where_to_get_others() -> None:
    assert "show no contention. Measure contention on a board or in virtual time." in SENTENCES[Mark.TURNS]
    assert "and are no latencies" in SENTENCES[Mark.NOISE]
