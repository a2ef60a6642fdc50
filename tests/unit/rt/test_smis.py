# SPDX-License-Identifier: BSD-3-Clause
"""System management interrupts as causes of late wake-ups, by their count at each event."""

from __future__ import annotations

import pytest

from latlab.core.model.blame import BlameKind
from latlab.rt.analysis.lateness_parts import parts_of, smis_in
from latlab.rt.analysis.outside_totals import is_alone, totals_of, unknown_sentences
from latlab.rt.model.kernel_events import KernelStep, LateSteps, StepKind, Thread
from latlab.rt.model.outside_counts import OutsideCount, OutsideCounts, SmiSource, StealClock
from latlab.rt.model.wakeups import Outlier

LOAD, OWN = Thread("stress-ng", 7, 120), Thread("latlab-recorder", 9, 19)
DUE_US, WAKE_US, USUAL_NS = 1000, 1150, 2_000
OUTLIER = Outlier(0, 1000 * WAKE_US, 1000 * (WAKE_US - DUE_US))


def step(
    us: int, kind: StepKind, smis: int | None, name: str = "", leaves: Thread | None = None, comes: Thread | None = None
) -> KernelStep:
    return KernelStep(1000 * us, kind, name, leaves, comes, smis=smis)


def late(counts: tuple[int | None, ...], begin_us: int = 1140, end_us: int = 1145) -> LateSteps:
    """The load runs from 900 µs on, and the timer's interrupt that wakes the thread comes at `begin_us`; a count at each event."""
    before, into, woken, out, at_switch, at_end = counts
    steps = (
        step(900, StepKind.SWITCH, before, "", OWN, LOAD),
        step(begin_us, StepKind.INTERRUPT_IN, into, "timer"),
        step(begin_us + 1, StepKind.WAKING, woken, OWN.name),
        step(end_us, StepKind.INTERRUPT_OUT, out, "timer"),
        step(1146, StepKind.SWITCH, at_switch, "", LOAD, OWN),
    )
    return LateSteps(0, 1000 * WAKE_US, True, steps, own_at_ns=1000 * WAKE_US + 1, smis=at_end)


def parts(steps: LateSteps, is_alone: bool = False) -> dict[BlameKind, int]:
    return {part.blame.kind: part.ns // 1000 for part in parts_of(steps, OUTLIER, 80, None, USUAL_NS, None, is_alone)}


def test_an_smi_that_keeps_the_timers_interrupt_waiting_has_the_time() -> None:
    steps = late((4, 5, 5, 5, 5, 5))
    assert parts(steps)[BlameKind.SMI] == 138
    assert smis_in(steps, OUTLIER) == 1


def test_without_one_nothing_is_called_so() -> None:
    assert BlameKind.SMI not in parts(late((4, 4, 4, 4, 4, 4)))
    assert BlameKind.SMI not in parts(late((None,) * 6)), "nothing counts them"


def test_where_nothing_else_can_take_the_cpu_interrupts_were_masked() -> None:
    steps = late((4, 4, 4, 4, 4, 4))
    assert parts(steps)[BlameKind.AWAY] == 141
    assert parts(steps, is_alone=True)[BlameKind.MASKED] == 140


def test_an_smi_in_an_interrupt_is_not_told_from_the_interrupt() -> None:
    steps = late((4, 4, 4, 6, 6, 6), begin_us=1002)
    assert BlameKind.SMI not in parts(steps)
    assert smis_in(steps, OUTLIER) == 2


def test_several_windows_add_up_and_one_that_ended_before_is_left_out() -> None:
    assert smis_in(late((4, 5, 5, 5, 7, 7)), OUTLIER) == 3
    early = LateSteps(0, 1000 * WAKE_US, True, (step(100, StepKind.SWITCH, 1, "", OWN, LOAD), *late((9, 9, 9, 9, 9, 9)).steps), smis=9)
    assert smis_in(early, OUTLIER) == 0


def counts(source: SmiSource, smis: tuple[int | None, int | None], steal: StealClock = StealClock.NO_HYPERVISOR) -> OutsideCounts:
    both = tuple(OutsideCount(0, ns, 0, number) for ns, number in zip((0, 10**9), smis, strict=True))
    return OutsideCounts(steal, 10_000_000, both, ((0, source),), True)


def test_the_total_is_the_rise_of_a_count_of_32_bits() -> None:
    assert totals_of(counts(SmiSource.EVENT, (5, 12)))[0].smis == 7
    assert totals_of(counts(SmiSource.DEVICE, ((1 << 32) - 1, 2)))[0].smis == 3


@pytest.mark.parametrize("source", [SmiSource.NONE, SmiSource.NOT_PERMITTED])
def test_a_count_that_cannot_be_read_is_unknown_and_never_0(source: SmiSource) -> None:
    unknown = counts(source, (None, None))
    assert totals_of(unknown)[0].smis is None
    assert any(sentence.startswith("System management interrupts (SMI) are unknown: ") for sentence in unknown_sentences(unknown))


def test_a_cpu_is_alone_without_a_hypervisor_and_with_a_count_at_each_event() -> None:
    assert is_alone(counts(SmiSource.EVENT, (0, 0)))
    assert not is_alone(counts(SmiSource.DEVICE, (0, 0)))
    assert not is_alone(counts(SmiSource.EVENT, (0, 0), StealClock.KNOWN))
    assert not is_alone(None)
