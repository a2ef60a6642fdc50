# SPDX-License-Identifier: BSD-3-Clause
"""A sweep as the probe sees it, made by hand: the timer starts two instructions behind each mark's return."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.calls.analysis.calls import Pairing
from latlab.calls.analysis.marked import MARK_BEGIN, MARK_END, Marks, psa_mark, samples_of_call
from latlab.calls.model.crossings import Arch, Record
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.psa.analysis.sweeps import MARK_SHOT, MARK_SHOT_END, Shot, shots_of, swept, thinned
from latlab.psci.analysis.psa_samples import latency_ticks
from support import probe_stream as made

THREAD, HANDLER, SECURE, SECURE_HANDLER = 0, 1, 4, 5
MARKS, CALL = 0x10000244, 0x10000264
CORE = CoreId(0, 0)


def into(at: int, registers: Sequence[int] = (0, 0, 0), address: int = CALL) -> bytes:
    return made.crossing(0, at, THREAD, SECURE, (*registers, 0, 0x100075)[:5], address)


def out(at: int) -> bytes:
    return made.crossing(0, at, SECURE, THREAD, (0,) * 5, 0x100074)


def mark(at: int, which: int, call: int, number: int) -> bytes:
    return into(at, (which, call, number), MARKS) + out(at + 9)


def records_of(*parts: bytes) -> list[Record]:
    found = list(Decoder().feed(made.header(arch=2) + b"".join(parts)))
    return found[1:]  # type: ignore[return-value]


def shot(at: int, call: int, due: int, fired: int, address: int, left: int = SECURE, length: int = 100) -> bytes:
    """A call from `at` + 13 on; the interrupt's handler begins at `fired`, where `address` was interrupted."""
    begun, ended = at + 13, at + 13 + length
    handler = made.crossing(0, fired, left, HANDLER, (0,) * 5, 0x100400) + made.crossing(0, fired + 8, HANDLER, left, (0,) * 5, address)
    crossings = [(begun, into(begun)), (fired, handler), (ended, out(ended + (8 if fired < ended else 0)))]
    middle = b"".join(part for _, part in sorted(crossings, key=lambda one: one[0]))
    return mark(at, MARK_SHOT, call, due) + middle + mark(at + 500, MARK_SHOT_END, call, due)


def idle(at: int, due: int, late: int = 0) -> bytes:
    fired = at + 9 + 2 + due + late
    back = made.crossing(0, fired, THREAD, HANDLER, (), 0x100400) + made.crossing(0, fired + 8, HANDLER, THREAD, (), 0x100500)
    return mark(at, MARK_SHOT, 0, due) + back + mark(at + 500, MARK_SHOT_END, 0, due)


def test_a_shot_is_its_marks_its_interrupt_and_where_the_core_went_on() -> None:
    (found,) = shots_of(records_of(shot(1000, 1, 20, 1031, 0x10002001)), MARKS)
    assert found == Shot(call=1, due=20, armed=1009, fired=1031, address=0x10002000, returned=1000 + 13 + 100 + 8)


def test_an_interrupt_is_late_by_what_it_came_behind_one_that_waits_for_nothing() -> None:
    parts = (idle(0, 1), idle(1000, 2), shot(2000, 1, 20, 2031, 0x10002000), shot(3000, 1, 21, 3032 + 40, 0x10003000))
    found = swept(list(shots_of(records_of(*parts, shot(4000, 1, 150, 4161, 0x100074, THREAD)), MARKS)), ("nothing", "call"), {0, 1}, CORE)
    assert found.complaints == ()
    first, second = found.traces
    assert (first.test, [latency_ticks(record) for record in first.records]) == ("sweep_nothing", [0, 0])
    assert second.test == "sweep_call"
    assert [(record.time_ticks, latency_ticks(record), record.arg & 0xFFFFFFFF) for record in second.records] == [
        (20, 0, 0x10002000),
        (21, 40, 0x10003000),
        (150, 0, 0x100074),
    ]


def test_a_sweep_that_stops_inside_the_call_says_so() -> None:
    shots = list(shots_of(records_of(idle(0, 1), shot(1000, 1, 20, 1031, 0x10002000)), MARKS))
    assert swept(shots, ("nothing", "call"), {0, 1}, CORE).complaints == (
        "the sweep of call ends before the call does: it took longer when it was interrupted",
    )


def test_a_sweep_that_was_cut_off_is_left_out() -> None:
    shots = list(shots_of(records_of(idle(0, 1), shot(1000, 1, 20, 1031, 0x10002000)), MARKS))
    found = swept(shots, ("nothing", "call"), {0}, CORE)
    assert [trace.test for trace in found.traces] == ["sweep_nothing"]
    assert found.complaints == ("the sweep of call is left out: it was cut off",)


def test_without_one_distance_at_idle_nothing_is_said_of_any_call() -> None:
    call = shot(3000, 1, 20, 3031, 0x10002000)
    (uneven,) = swept(
        list(shots_of(records_of(idle(0, 1), idle(1000, 2, late=1), call), MARKS)), ("nothing", "call"), {0, 1}, CORE
    ).complaints
    assert "2 to 3 instructions after the timer's start" in uneven
    none = swept(list(shots_of(records_of(call), MARKS)), ("nothing", "call"), {0, 1}, CORE)
    assert none.traces == ()
    assert "no interrupt came" in none.complaints[0]


def test_an_interrupt_before_it_was_due_is_no_latency() -> None:
    shots = list(shots_of(records_of(idle(0, 1), shot(1000, 1, 20, 1029, 0x10002000)), MARKS))
    found = swept(shots, ("nothing", "call"), {0, 1}, CORE)
    assert [trace.test for trace in found.traces] == ["sweep_nothing"]
    assert found.complaints == ("the sweep of call is left out: an interrupt came before it was due",)


def test_a_shot_whose_interrupt_never_came_is_none() -> None:
    assert list(shots_of(records_of(mark(0, MARK_SHOT, 1, 5), into(20), out(90), mark(100, MARK_SHOT_END, 1, 5)), MARKS)) == []


def test_an_interrupt_that_comes_twice_counts_when_it_came_first() -> None:
    again = made.crossing(0, 1200, THREAD, HANDLER, (), 0x100400) + made.crossing(0, 1208, HANDLER, THREAD, (), 0x100500)
    once = shot(1000, 1, 20, 1031, 0x10002000)
    end = len(mark(1500, MARK_SHOT_END, 1, 20))
    (found,) = shots_of(records_of(once[:-end], again, once[-end:]), MARKS)
    assert found == Shot(call=1, due=20, armed=1009, fired=1031, address=0x10002000, returned=1121)


def test_a_shot_is_marked_at_one_veneer_alone() -> None:
    lookalike = into(0, (MARK_SHOT, 1, 20)) + out(9)
    parts = shot(1000, 1, 20, 1031, 0x10002000)
    begin = len(mark(1000, MARK_SHOT, 1, 20))
    assert list(shots_of(records_of(lookalike, parts[begin:]), MARKS)) == []


def test_a_sweep_reaches_the_end_where_its_last_interrupt_is_due_at_the_return() -> None:
    def complaints(due: int) -> tuple[str, ...]:
        last = shot(1000, 1, due, 1011 + due, 0x100074, THREAD)
        return swept(list(shots_of(records_of(idle(0, 1), last), MARKS)), ("nothing", "call"), {0, 1}, CORE).complaints

    assert complaints(102) == ()  # 1009 + 2 + 102 is the return, 1113
    assert len(complaints(101)) == 1


def test_the_first_and_the_last_of_a_stretch_are_kept_and_other_code_begins_one() -> None:
    points = [(1, 0, 0x100), (2, 0, 0x102), (3, 0, 0x104), (4, 9, 0x200), (5, 8, 0x200), (6, 7, 0x200), (7, 5, 0x300), (8, 6, 0x300)]
    points += [(9, 0, 0x300), (10, 0, 0x500), (11, 0, 0x502), (12, 0, 0x504)]
    assert [due for due, _, _ in thinned(points)] == [1, 3, 4, 7, 8, 9, 10, 12]
    assert thinned([]) == []


def test_a_psa_call_between_its_marks_is_one_span_whatever_its_core_waits_for() -> None:
    sleeping = (made.sleep(0, 140, world=SECURE), made.wake(0, 140))
    parts = (mark(0, MARK_BEGIN, 1, 3), into(100), *sleeping, out(340), mark(400, MARK_END, 1, 3))
    names, marks = ("ns_nothing", "ns_call"), psa_mark(MARKS)
    calls = Pairing(Arch.ARMV8M, call_names()).feed(records_of(*parts))
    (found,) = Marks(names, marks, Metric.PSA_CALL).feed(calls)
    (sample,) = samples_of_call(found, {0: CORE})
    assert (sample.test, sample.metric, sample.iteration, sample.value_ticks) == ("ns_call", Metric.PSA_CALL, 3, 240)


def test_a_call_of_another_veneer_is_no_mark_whatever_its_arguments() -> None:
    parts = (into(0, (MARK_BEGIN, 1, 3)), out(9), into(100), out(340), mark(400, MARK_END, 1, 3))
    calls = Pairing(Arch.ARMV8M, call_names()).feed(records_of(*parts))
    assert list(Marks(("a", "b"), psa_mark(MARKS), Metric.PSA_CALL).feed(calls)) == []


def test_what_the_probe_tells_between_two_crossings_is_no_part_of_a_shot() -> None:
    whole = shot(1000, 1, 20, 1031, 0x10002001)
    between = made.sleep(0, 1035, world=SECURE) + made.wake(0, 1036) + made.fragment(0, 0x10002000, 4)
    first = len(mark(1000, MARK_SHOT, 1, 20))
    parts = (between, whole[:first], between, whole[first:], between)
    assert list(shots_of(records_of(*parts), MARKS)) == list(shots_of(records_of(whole), MARKS)) != []
