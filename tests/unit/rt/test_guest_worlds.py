# SPDX-License-Identifier: BSD-3-Clause
"""Late wake-ups of a guest split by world: streams of the probe made by hand beside a recorder's figures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from latlab.calls.analysis.counter_clock import CounterClock
from latlab.calls.model.calls import Call
from latlab.calls.model.crossings import Header, Sleep, WaitInstruction, Wake
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.core.errors import DataError
from latlab.core.model.blame import UNEXPLAINED, Blame, BlameKind
from latlab.core.model.run import Problem
from latlab.rt.analysis.attribution import Attributed
from latlab.rt.analysis.by_world import WorldAccumulator
from latlab.rt.analysis.instruments import Instrument, InstrumentComparison, beside
from latlab.rt.analysis.lateness_parts import LatenessPart
from latlab.rt.model.wakeups import Outlier, Wakeups, cpu_row
from latlab.rt.model.worlds import GuestWorlds, LateByWorld, WorldCalls, WorldShare
from latlab.rt.pages.late_causes import by_world
from latlab.rt.readers.guest_worlds import read_worlds, render_worlds
from support import probe_stream as made
from support.refusals import refused

HZ, NS = 62_500_000, 2
AHEAD_NS = 1_000_000  # the clock slept so long before the stream below
YIELDING, RETURN = 0x32000013, 0x32000003
FOREIGN, ASKS = 0xFFFF0004, 0xFFFF0005
ON, OFF = 1, 0


def at(instructions: int) -> int:
    """The time then, in ns."""
    return instructions * NS + AHEAD_NS


def woken(instructions: int) -> bytes:
    assert at(instructions) % 16 == 0
    return made.sleep(0, instructions, world=made.NS_EL1) + made.wake(0, instructions, timer=at(instructions) // 16)


def into(instructions: int, timer: int) -> bytes:
    return made.crossing(0, instructions, made.EL3, made.S_EL1, (*(0,) * 8, timer))


def out_of(instructions: int) -> bytes:
    return made.crossing(0, instructions, made.S_EL1, made.EL3, (*(0,) * 8, made.SMC64, 0x60000000))


def call(start: int, function: int = YIELDING, answer: int = 0, timer: int = OFF) -> bytes:
    """800 instructions: 100 in EL3, 600 in S-EL1, 100 in EL3."""
    return b"".join((made.smc(0, start, function), into(start + 100, timer), out_of(start + 700), made.back(0, start + 800, answer)))


def seen(*stream: bytes, late: tuple[tuple[int, int], ...], span: tuple[int, int] = (0, 1_000_000)) -> GuestWorlds:
    """`late` are pairs: when the thread ran, in instructions, and how many ns late."""
    outliers = tuple(Outlier(0, at(ran), late_ns, 0, at(ran) // 16) for ran, late_ns in late)
    recorder = Wakeups("recorder", 200_000, 1, (), outliers, at(span[0]), at(span[1]), HZ, (at(0), at(0) // 16))
    found = WorldAccumulator(call_names(), NS, HZ)
    start = made.header() + made.core(0, 0) + made.crossing(0, 0, made.NO_WORLD, made.EL3) + made.back(0, 8)
    items = Decoder().feed(b"".join((start, *stream)))
    found.take(item for item in items if not isinstance(item, Header | Problem))
    return found.worlds(recorder)


def shares(one: LateByWorld) -> dict[tuple[str, str], int]:
    return {(share.world, share.call): share.ns for share in one.shares}


def test_a_wake_up_that_fell_due_in_a_call_is_split_to_the_nanosecond() -> None:
    found = seen(woken(80), call(1000), late=((2000, 1600),))
    (late,) = found.late
    assert shares(late) == {("S-EL1", "OPTEE_CALL_WITH_REGD_ARG"): 1000, ("EL3", "OPTEE_CALL_WITH_REGD_ARG"): 200, ("EL1", ""): 400}
    assert (late.taken_ns, found.untimed) == (1200, 0) and sum(share.ns for share in late.shares) == 1600
    assert found.calls == (Call(0, YIELDING, at(1000) // 16, at(1800) // 16),)
    assert found.kinds == (WorldCalls("OPTEE_CALL_WITH_REGD_ARG", 1, 0, 800, 800, 800, 200, 600),)


def test_a_wake_up_that_met_no_call_is_linuxs_own_and_one_of_before_the_clock_is_known_is_counted() -> None:
    (late,) = seen(woken(80), call(1000), late=((4000, 1600),)).late
    assert shares(late) == {("EL1", ""): 1600} and late.taken_ns == 0
    found = seen(call(1000), woken(2400), call(2600), late=((1600, 800), (4000, 800)))
    assert (len(found.late), found.untimed) == (1, 1)


def test_calls_that_are_left_for_linux_are_counted_with_whether_its_timer_was_on() -> None:
    yields = seen(woken(80), call(1000, answer=FOREIGN, timer=ON), call(3000, RETURN, timer=ON), late=())
    assert [(kind.name, kind.calls, kind.yielded) for kind in yields.kinds] == [
        ("OPTEE_CALL_WITH_REGD_ARG", 1, 1), ("OPTEE_CALL_RETURN_FROM_RPC", 1, 0),
    ]  # fmt: skip
    assert (yields.stays, yields.stays_without_timer, yields.secure) == (2, 0, 1200)
    kept = seen(woken(80), call(1000), call(3000, timer=ON), call(900_000_0), late=(), span=(900, 1_000_000))
    assert (kept.stays, kept.stays_without_timer, kept.secure) == (2, 1, 1200), "what comes after the measurement is none of it"


def test_what_the_normal_world_does_because_optee_asked_is_told_from_its_own() -> None:
    asked = seen(woken(80), call(1000, answer=ASKS), call(2000, RETURN), late=((2400, 1600),))
    assert shares(asked.late[0])["EL1", "for OP-TEE"] == 400
    interrupted = seen(woken(80), call(1000, answer=FOREIGN), call(2000, RETURN), late=((2400, 1600),))
    assert shares(interrupted.late[0])["EL1", ""] == 400


def test_the_clock_goes_by_the_timer_that_ended_a_sleep_and_by_nothing_else() -> None:
    clock = CounterClock(NS, HZ)
    assert clock.ns(5) is None
    for wait, machine, timer in (
        (WaitInstruction.WFI, 100, 1000),
        (WaitInstruction.WFE, 150, 9_999_999),
        (WaitInstruction.WFI, 200, 1010),
        (WaitInstruction.WFI, 300, 5000),
    ):
        clock.take(Sleep(0, machine, machine, 0, 1, wait))
        clock.take(Wake(0, machine, machine, 0, 1, timer))
    assert clock.ns(100) == 16_000 and clock.ns(160) == 16_120, "WFE lets the clock go on"
    assert clock.ns(200) == 16_200, "a timer that had fired before the sleep: no time passed"
    assert clock.ns(310) == 80_020
    clock.take(Sleep(0, 400, 400, 0, 1, WaitInstruction.WFI))
    clock.take(Wake(0, 400, 400, 0, 1, 0))
    assert clock.ns(399) == 80_198 and clock.ns(400) is None, "something else woke it: how long it slept is not known"


def test_what_was_kept_comes_back_and_a_damaged_line_is_named() -> None:
    found = seen(woken(80), call(1000), late=((2000, 1600),))
    kept = render_worlds(found)
    assert read_worlds(kept, "worlds.txt") == found
    with pytest.raises(DataError, check=refused(place="worlds.txt:1")):
        read_worlds(b"LLWORLDS\t9\n", "worlds.txt")
    for damage in (kept.replace(b"\t1600", b"\tx"), kept + b"SHARE\tEL1\n", kept + b"CALL\t1\n", kept + b"KIND\ta\tb\n"):
        if damage != kept:
            with pytest.raises(DataError, match=r"worlds\.txt:\d+: .*cannot be read"):
                read_worlds(damage, "worlds.txt")


def test_the_instruments_are_laid_beside_each_other_where_both_tell() -> None:
    late = [LateByWorld(0, ns, (WorldShare("S-EL1", "c", 1000), WorldShare("EL1", "", 500))) for ns in (1, 2, 3)]
    stolen, own = LatenessPart(Blame(BlameKind.STOLEN), 1100), LatenessPart(Blame(BlameKind.PATH), 400)
    entries = [Attributed(Outlier(0, ns, 1500), UNEXPLAINED, parts=(stolen, own)) for ns in (1, 2)]
    blind = Attributed(Outlier(0, 3, 1500), UNEXPLAINED, parts=(LatenessPart(UNEXPLAINED, 1500),))
    outliers = tuple(Outlier(0, ns, 1600, 0, 1000 * ns) for ns in (1, 2, 3))
    recorder = Wakeups("recorder", None, 1, (), outliers, counter_hz=HZ)
    rings = (Call(0, 1, 850, 950), Call(1, 1, 900, 1000), Call(0, 1, 1990, 2500))
    meter, ring = beside(late, [*entries, blind], recorder, rings, {0})
    assert meter == InstrumentComparison(Instrument.METER, 2, 2200, 2000, 100, 100, 100, 100)
    assert (ring.wakeups, ring.told_ns, ring.largest_ns) == (3, 800 + 160, -1000), "a ring that tells nothing of a wake-up says 0"
    assert beside(late, [blind], recorder, (), {0}) == ()
    assert beside(late, entries, recorder, (), ()) == (), "a blind meter says nothing, and not 0"
    (reaching,) = beside(late, [blind], recorder, rings, {0}, {0: ((0, 1500),)})
    assert (reaching.wakeups, reaching.told_ns) == (2, 160), "the ring of the first had been overwritten"


@pytest.mark.parametrize(
    ("off", "said"),
    [
        (4, "Linux's timer was off in all 4 stays in the secure world, 2,400 instructions together. EL3 saves its registers on entry"),
        (0, "Linux's timer stayed on in all 4 stays in the secure world, so it can end a call that takes interrupts. 1 of 4 calls"),
        (3, "Linux's timer was off in 3 of 4 stays in the secure world."),
    ],
)
def test_the_table_names_the_cause_by_what_the_cores_registers_said(off: int, said: str) -> None:
    from latlab.rt.analysis.result import RtResult

    kind = WorldCalls("OPTEE_CALL_WITH_REGD_ARG", 4, 1, 700, 800, 900, 800, 2400)
    worlds = GuestWorlds((kind,), 4, off, 2400, (), 2, ())
    recorder = Wakeups("recorder", None, 1, (cpu_row(0, (), 0, 0, 0, 0.0, expected=0, missed=0),))
    (table,) = by_world(RtResult((recorder,), None, (), None, (), worlds=worlds))
    assert table.rows == (("OPTEE_CALL_WITH_REGD_ARG", 4, 1, 700, 800, 900, 200, 600),)
    assert any(said in note for note in table.notes)
    late = LateByWorld(0, 1, (WorldShare("S-EL1", "c", 3000), WorldShare("EL1", "", 1000)))
    both = by_world(RtResult((recorder,), None, (), None, (), worlds=replace(worlds, late=(late,))))
    assert both[1].rows == (("S-EL1", "c", "1", "3.0", "75.0", "3.0"), ("EL1", "-", "1", "1.0", "25.0", "1.0"))
    assert "2 more are left out, because the probe's clock is unknown there" in both[1].notes[1]
    assert by_world(RtResult((recorder,), None, (), None, ())) == []
