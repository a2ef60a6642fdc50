# SPDX-License-Identifier: BSD-3-Clause
"""Figures, conditions, causes and findings as their readers see them."""

from __future__ import annotations

import pytest

from latlab.analysis.base import findings as f
from latlab.analysis.base import wording
from latlab.analysis.base.sentences import sentence_of
from latlab.analysis.base.summary import SENTENCES, Mark
from latlab.model.blame import UNEXPLAINED, UNTRACED, Blame, BlameKind, Caller, CallerKind
from latlab.model.conditions import Conditions, Mode
from latlab.model.enums import Metric
from latlab.model.run import CoreId

A, B = CoreId(0, 1), CoreId(1, 0)


@pytest.mark.parametrize(
    ("value", "unit", "said", "bare", "signed"),
    [
        (499_960, "ns", "500.0 µs", "499.96", "+499.96 µs"),
        (500_000, "ns", "500 µs", "500.00", "+500.00 µs"),
        (-500_400, "ns", "-500 µs", "-500.40", "-500.40 µs"),
        (20_000, "ns", "20.0 µs", "20.00", "+20.00 µs"),
        (19_994, "ns", "19.99 µs", "19.99", "+19.99 µs"),
        (-1, "ns", "0.00 µs", "0.00", "+0.00 µs"),
        (1234.4, "insns", "1,234 insns", "1,234", "+1,234 insns"),
        (-0.4, "insns", "0 insns", "0", "+0 insns"),
        (12.3456, "per million", "12.35 per million", "12.35", "+12.35 per million"),
    ],
)
def test_an_amount_has_its_unit_and_as_many_figures_as_say_something(value: float, unit: str, said: str, bare: str, signed: str) -> None:
    assert (wording.amount(value, unit), wording.bare(value, unit), wording.signed(value, unit)) == (said, bare, signed)


def test_a_metric_of_events_is_counted_per_million_and_any_other_in_the_unit_of_its_run() -> None:
    assert wording.unit_of(Metric.MISSED_PERIODS, "ns") == "per million"
    assert wording.unit_of(Metric.TASK_WAKEUP, "ns") == "ns"
    assert (wording.scale_of("ns"), wording.scale_of("insns")) == (1000.0, 1.0)
    assert (wording.heading_unit("ns"), wording.heading_unit("insns")) == ("µs", "insns")


@pytest.mark.parametrize(("share", "said"), [(0.1234, "+12.3 %"), (-0.00001, "+0.0 %"), (-0.5, "-50.0 %"), (float("inf"), "from about 0")])
def test_a_share_is_said_in_percent(share: float, said: str) -> None:
    assert wording.percent(share) == said


@pytest.mark.parametrize(("n", "said"), [(-1, "-1 cores"), (0, "no cores"), (1, "one core"), (12, "twelve cores"), (13, "13 cores")])
def test_small_numbers_are_words(n: int, said: str) -> None:
    assert wording.count(n, "core") == said


def test_conditions_are_said_by_the_names_that_their_readers_know() -> None:
    known = Conditions(
        mode=Mode.REAL, duration_s=90.0, interval_ns=200_500, priority=80, load="", idle_states=False, kstack_randomised=True,
        hwrng_driver=False, kernel_version="6.1", hotplug_cycles=20, suspends=2,
    )  # fmt: skip
    assert wording.said_conditions(known) == [
        ("mode", "real target"), ("duration", "90 s"), ("interval", "200.5 us"), ("priority", "80"), ("load", "none"),
        ("idle states", "forbidden by /dev/cpu_dma_latency"), ("version", "6.1"), ("kernel-stack randomisation", "on"),
        ("hwrng driver", "not loaded"), ("hotplug cycles", "20"), ("suspends", "2"),
    ]  # fmt: skip
    assert wording.said_condition("idle_states", True) == "allowed" and wording.said_condition("hwrng_driver", True) == "loaded"
    assert wording.said_condition("kstack_randomised", False) == "off" and wording.said_condition("load", "stress-ng") == "stress-ng"
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
            f.WaitedFor(A, 30_000.0, "lock wait", ((B, 12_000.0),), (B, "LOCK_RELEASE")),
            "core 0.1 waited 30.0 µs (lock wait), 12.00 µs of it behind 1.0; it went on right after LOCK_RELEASE of 1.0",
        ),
        (f.WaitedFor(A, 30_000.0, "lock wait", (), None), "core 0.1 waited 30.0 µs (lock wait)"),
        (
            f.LongestSpan(B, Metric.POWERDOWN, 40_000.0, (("flush", 30_000.0), ("finish", 10_000.0))),
            "core 1.0 has the longest powerdown, 40.0 µs: flush 30.0 µs, finish 10.00 µs",
        ),
        (f.LeadTookLonger(B, 50_000.0, 0.0), "1.0, the lead, took 50.0 µs more than its siblings"),
        (f.LeadTookLonger(B, 50_000.0, 48_000.0), "1.0, the lead, took 50.0 µs more than its siblings: its cluster flush"),
        (f.LeadTookLonger(B, 50_000.0, 10_000.0), "1.0, the lead, took 50.0 µs more than its siblings, 10.00 µs of flush hidden in it"),
    ],
)
def test_a_finding_is_said_with_its_cores_and_amounts(finding: f.Finding, said: str) -> None:
    assert sentence_of(finding, "ns") == said


def test_a_mark_says_what_its_figures_are_not_and_where_to_get_others() -> None:
    assert "show no contention; that is measured on a board or in virtual time" in SENTENCES[Mark.TURNS]
    assert "they are not latencies and not for publication" in SENTENCES[Mark.NOISE]
