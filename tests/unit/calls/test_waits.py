# SPDX-License-Identifier: BSD-3-Clause
"""Interrupts into calls as a probe sees them: how long each waited, and where."""

from __future__ import annotations

import pytest

from latlab.calls.analysis.waits import (
    MARK_CAME,
    MARK_SHOT,
    MARK_SHOT_END,
    SECURE_TIMER,
    InterruptWait,
    Shots,
    Waits,
    most_words,
    wait_words,
    waits_of,
)
from latlab.calls.model.crossings import Arch, Fragment
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.core.model.enums import Metric, Taker
from support import probe_stream as made

FEATURES, VERSION, OPTEE = 0x8400000A, 0x84000000, 0x32000004
MARK_NAME = 0x4C4D0005
ARMS = 7  # instructions from the mark to the due time of an interrupt that is due at once
ENTERS = 20  # from the mark to the call
TO_MARK = 5  # of the handler, its call included


FRAGMENTS = {number: Fragment(number, 0x1000 * number, length, 3, b"") for number, length in ((1, 4), (2, 8), (3, 14))}


def mark(at: int, *words: int) -> bytes:
    return made.smc(0, at, FEATURES, words) + made.back(0, at + 100)


def name(at: int, text: str) -> bytes:
    low, high = (int.from_bytes(text.encode()[part : part + 8], "little") for part in (0, 8))
    return mark(at, MARK_NAME, low, high)


def reference(at: int, length: int, function: int = VERSION) -> bytes:
    return made.smc(0, at, function) + made.back(0, at + length)


def shot(at: int, due: int, late: int, length: int = 0, function: int = VERSION, inner: bytes = b"") -> bytes:
    """Marked at `at`; its interrupt comes `late` instructions behind its time. With a length it is due before or in a call of so many."""
    armed = at + 100
    call = made.smc(0, armed + ENTERS, function) + inner + made.back(0, armed + ENTERS + length) if length else b""
    came = armed + ARMS + due + late
    handler = mark(came + TO_MARK, MARK_CAME, TO_MARK)
    return mark(at, MARK_SHOT, due) + (handler + call if came < armed + ENTERS else call + handler) + mark(came + 1000, MARK_SHOT_END, due)


def seen(*parts: bytes) -> tuple[Waits, Shots]:
    waits, shots = Waits(), Shots(Arch.AARCH64, call_names())
    records = [item for item in Decoder().feed(made.header() + b"".join(parts))][1:]
    for call, one in shots.feed(records):  # type: ignore[arg-type]
        waits.add(call, one)
    return waits, shots


def idle() -> bytes:
    return name(0, "no call") + shot(1000, 1, 0) + shot(3000, 2, 0)


def test_an_interrupt_waits_for_what_its_call_has_left() -> None:
    calls = [shot(20000 + 3000 * due, due, ENTERS + 50 - ARMS - due, 50) for due in range(ENTERS - ARMS, ENTERS - ARMS + 40)]
    waits, shots = seen(idle(), name(8000, ""), reference(9000, 50), *calls)
    found = waits.found["PSCI_VERSION"]
    assert (found.shots, found.step, found.late, found.longest, found.due) == (40, 1, 40, 50, 0)
    assert found.worlds == ((made.EL3, 50),)
    assert shots.instructions == {"PSCI_VERSION": 50} and not waits.complaints
    assert waits.found["no call"].longest == 0


def test_a_wait_is_told_by_world_and_by_the_calls_own_name() -> None:
    armed = 20100
    inner = made.crossing(0, armed + ENTERS + 30, made.EL3, made.S_EL1) + made.crossing(
        0, armed + ENTERS + 90, made.S_EL1, made.EL3, (1,) * 10
    )
    due = ENTERS - ARMS + 10
    waits, _ = seen(idle(), name(8000, "rng 64 bytes"), reference(9000, 100, OPTEE), shot(20000, due, 90, 100, OPTEE, inner))
    found = waits.found["OPTEE_CALL_WITH_ARG (rng 64 bytes)"]
    assert (found.due, found.longest, dict(found.worlds)) == (10, 90, {made.EL3: 30, made.S_EL1: 60})


def test_an_interrupt_due_before_the_call_waits_for_nothing_and_is_due_nowhere_in_it() -> None:
    waits, _ = seen(idle(), name(8000, ""), reference(9000, 50), shot(20000, 3, 0, 50))
    found = waits.found["PSCI_VERSION"]
    assert (found.late, found.longest, found.due, found.worlds) == (0, 0, None, ())


def test_an_interrupt_due_right_before_the_call_may_wait_for_all_of_it() -> None:
    before = ENTERS - ARMS - 2
    waits, _ = seen(idle(), name(8000, ""), reference(9000, 50), shot(20000, before, 52, 50))
    found = waits.found["PSCI_VERSION"]
    assert (found.longest, found.due, found.worlds) == (52, None, ((made.EL3, 50),))


def test_of_interrupts_that_waited_as_long_the_first_is_told() -> None:
    calls = [shot(20000 + 3000 * due, due, 40, 50) for due in (20, 21)]
    waits, _ = seen(idle(), name(8000, ""), reference(9000, 50), *calls)
    assert (waits.found["PSCI_VERSION"].due, waits.found["PSCI_VERSION"].late) == (20 + ARMS - ENTERS, 2)


def test_every_so_manieth_instruction_is_told() -> None:
    calls = [shot(20000 + 3000 * due, due, 1, 50) for due in (20, 27, 34)]
    waits, _ = seen(idle(), name(8000, ""), reference(9000, 50), *calls)
    assert waits.found["PSCI_VERSION"].step == 7


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ((name(0, ""), reference(500, 50), shot(20000, 20, 1, 50)), "no interrupt came where no call was under way"),
        (
            (name(0, "no call"), shot(1000, 1, 0), shot(3000, 2, 1)),
            "into no call came 8 instructions behind its time, the first into no call 7",
        ),
        ((idle(), name(8000, ""), reference(9000, 50), shot(20000, 20, -1, 50)), "into PSCI_VERSION came 6 instructions"),
    ],
)
def test_nothing_is_told_where_no_interrupt_says_when_one_is_due(parts: tuple[bytes, ...], said: str) -> None:
    waits, shots = seen(*parts)
    assert len(waits.complaints) == 1 and said in waits.complaints[0]
    assert waits_of(waits, shots.instructions, waits, {}, ()) == ()


def again(path: tuple[tuple[int, int], ...], late: int) -> Waits:
    """One shot of 50 instructions with the path of its call, due at the tenth."""
    armed = 20100
    code = b"".join(made.fragment(one.number, one.address, one.instructions) for one in FRAGMENTS.values())
    call = code + made.smc(0, armed + ENTERS, VERSION) + made.path(0, path) + made.back(0, armed + ENTERS + 50)
    came = armed + ENTERS + 10 + late
    due = ENTERS - ARMS + 10
    one = mark(20000, MARK_SHOT, due) + call + mark(came + TO_MARK, MARK_CAME, TO_MARK) + mark(came + 900, MARK_SHOT_END, due)
    return seen(idle(), name(8000, ""), reference(9000, 50), one)[0]


def wait_of(waits: Waits, repeated: Waits) -> InterruptWait:
    (found,) = waits_of(waits, {"PSCI_VERSION": 50}, repeated, FRAGMENTS, ())
    return found


def test_the_functions_of_a_wait_are_those_behind_the_instruction_at_which_it_was_due() -> None:
    path = ((1, 1), made.loop(2, 2), (1, 1), (2, 1), (1, 2), (3, 1))  # 4, twice (4, 8), 4, 4, 14: fifty
    waits = again(path, 40)
    found = wait_of(waits, waits)
    assert sum(count for _, count in found.functions) == 40
    assert [count for _, count in found.functions] == [6 + 8, 4 + 4 + 4, 14]
    assert (found.sample.test, found.sample.metric, found.sample.value_ticks) == ("PSCI_VERSION", Metric.IRQ_LATENCY, 40)


def test_they_are_not_told_of_a_wait_of_another_length_or_with_a_path_that_is_cut_short() -> None:
    whole, cut = again(((3, 3), (2, 1)), 40), again(((3, 1),), 40)
    assert sum(count for _, count in wait_of(whole, whole).functions) == 40
    assert wait_of(whole, again(((3, 3), (2, 1)), 39)).functions == ()
    assert wait_of(cut, cut).functions == ()


def test_a_wait_in_words_has_its_worlds_its_functions_and_how_many_waited() -> None:
    waits = again(((3, 3), (2, 1)), 40)
    most, behind = most_words(wait_of(waits, waits)), "of the interrupt due 10 instructions into it; 1 of 1 waited"
    assert wait_words(wait_of(waits, waits)) == f"40 instructions (EL3 40; most in {most}), {behind}"
    assert most.endswith(" 20 %")
    untold = wait_words(wait_of(waits, again(((3, 1),), 40)))
    assert untold == f"40 instructions (EL3 40), {behind}"
    waits, _ = seen(idle(), name(8000, ""), reference(9000, 50), shot(20000, 3, 0, 50))
    assert wait_words(wait_of(waits, waits)) == "none of 1 interrupts waited"


HANDLER, TO_HANDLER, HANDLED, TO_START = 0x9000, 12, 30, 10
IRQ = (0,) * 10
CODE = ((4, 0x4000, 1), (5, 0x5000, TO_HANDLER), (6, HANDLER, HANDLED - TO_HANDLER))


def taken_shot(at: int, due: int, length: int) -> bytes:
    """Of EL3: its handler is twelve instructions behind the vector, to which the normal world goes, or EL3 where it is about to leave."""
    armed = at + 100
    called, when = armed + ENTERS, armed + ARMS + TO_START + due
    interrupt = made.crossing(0, when, made.NS_EL1, made.EL3, IRQ, 0x500) + made.path(0, ((5, 1), (6, 1))) + made.back(0, when + HANDLED)
    call = made.smc(0, called, VERSION) + made.path(0, ((4, length),)) + made.back(0, called + length)
    if length and called <= when < called + length:
        middle = made.smc(0, called, VERSION) + made.path(0, ((4, length), (5, 1), (6, 1))) + made.back(0, called + length + HANDLED)
    else:
        middle = (interrupt + call if when < called else call + interrupt) if length else interrupt
    starts = made.smc(0, armed + 2, SECURE_TIMER) + made.path(0, ((5, 1),)) + made.back(0, armed + 2 + TO_HANDLER)
    stops = made.smc(0, at + 900, SECURE_TIMER) + made.back(0, at + 950)
    return mark(at, MARK_SHOT, due) + starts + middle + stops + mark(at + 1000, MARK_SHOT_END, due)


def taken(*parts: bytes) -> tuple[Waits, Shots]:
    waits, shots = Waits(), Shots(Arch.AARCH64, call_names(), HANDLER)
    code = b"".join(made.fragment(*one) for one in CODE)
    none = name(0, "no call") + taken_shot(1000, 1, 0) + taken_shot(3000, 2, 0)
    for call, one in shots.feed(list(Decoder().feed(made.header() + code + none + b"".join(parts)))[1:]):  # type: ignore[arg-type]
        waits.add(call, one)
    return waits, shots


def test_another_worlds_handler_is_found_in_what_ran_and_the_way_to_it_told_alone() -> None:
    dues = range(1, 76)
    calls = [taken_shot(20000 + 3000 * due, due, 50) for due in dues]
    waits, shots = taken(name(8000, ""), reference(9000, 50), *calls)
    found = waits.found["PSCI_VERSION"]
    assert not waits.complaints and not shots.unseen and shots.instructions == {"PSCI_VERSION": 50}
    assert waits.at_once == waits.found["no call"].longest == TO_HANDLER
    assert (found.shots, found.late, found.longest, found.due, found.took) == (75, 50, 50 + TO_HANDLER, 0, 50 + HANDLED)
    fragments = {number: Fragment(number, address, length, 3, b"") for number, address, length in CODE}
    (wait,) = waits_of(waits, shots.instructions, waits, fragments, (), Taker.EL3)
    assert sum(count for _, count in wait.functions) == 50 + TO_HANDLER
    assert wait.sample.test == "PSCI_VERSION, interrupt of EL3"
    assert wait_words(wait).endswith("50 of 75 waited; 12 into no call; the call then took up to 80")


def test_another_worlds_interrupt_due_before_the_call_is_no_call() -> None:
    waits, _ = taken(name(8000, ""), reference(9000, 50), taken_shot(20000, 1, 50))
    found = waits.found["PSCI_VERSION"]
    assert (found.due, found.late, found.longest, found.took) == (None, 0, TO_HANDLER, 50)


def test_an_interrupt_whose_handler_is_in_nothing_that_is_known_is_counted() -> None:
    lost = taken_shot(20000, 30, 50).replace(made.path(0, ((4, 50), (5, 1), (6, 1))), made.path(0, ((4, 50),)))
    waits, shots = taken(name(8000, ""), reference(9000, 50), lost)
    assert dict(shots.unseen) == {"PSCI_VERSION": 1} and "PSCI_VERSION" not in waits.found
