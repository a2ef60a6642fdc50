# SPDX-License-Identifier: BSD-3-Clause
"""Where each core stood when a machine was stopped: from the records that the probe leaves then."""

from __future__ import annotations

import pytest

from latlab.calls.analysis.calls import Pairing
from latlab.calls.analysis.paths import turning
from latlab.calls.analysis.span_functions import SpanReader
from latlab.calls.analysis.standing import Doing, Standing, most_telling, standing_words, standings, stood_facts, with_standing
from latlab.calls.model.crossings import LOOP, Arch, Fragment, Header
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.core.model.run import CoreId, Problem
from latlab.core.model.symbols import Image
from support import probe_stream as made

CPU_SUSPEND = 0xC4000001
CODE = {0x1000: "entry", 0x2000: "spin_lock", 0x3000: "take", 0x4000: "wait_for_event"}
IMAGE = Image("firmware", tuple(CODE), (0x1000,) * 4, tuple(CODE.values()), tuple((address, bytes(0x100)) for address in CODE))
HEAD = made.header(cores=2, functions=1) + b"".join(made.fragment(number, address, 2, bytes(8)) for number, address in enumerate(CODE))


def stood(*parts: bytes) -> tuple[Standing, ...]:
    records = list(Decoder().feed(b"".join((HEAD, *parts))))
    pairing = Pairing(Arch.AARCH64, call_names())
    list(pairing.feed(record for record in records if not isinstance(record, Header | Problem)))
    fragments = {record.number: record for record in records if isinstance(record, Fragment)}
    return standings(pairing.stopped, Arch.AARCH64, {0: CoreId(0, 0), 1: CoreId(0, 1)}, SpanReader(Arch.AARCH64, fragments, (IMAGE,)))


def test_a_core_that_repeats_code_is_told_with_its_functions_and_the_call_that_it_is_in() -> None:
    (found,) = stood(
        made.smc(0, 50, CPU_SUSPEND),
        made.path(0, [(0, 1), made.loop(2, 84_210), (1, 1), (2, 3), (1, 1)]),
        made.stopped(0, 700_000, 700_000),
    )
    assert (found.doing, found.functions, found.turn, found.times) == (Doing.REPEATS, ("spin_lock", "take"), 8, 84_210)
    assert (found.call, found.caller, found.world, found.instructions) == ("CPU_SUSPEND (64)", "EL1", "EL3", 699_950)
    assert standing_words(found) == "0.0 repeats 8 instructions 84,210 times in spin_lock and take, EL3, in CPU_SUSPEND (64) from EL1"


@pytest.mark.parametrize(
    ("record", "doing", "words"),
    [
        (made.stopped(0, 60, 90, sleeps=1, asleep=True), Doing.SLEEPS, "sleeps in WFE in wait_for_event"),
        (made.stopped(0, 99, 900, sleeps=8, asleep=True), Doing.WAITS, "waits in WFE, woken 7 times in wait_for_event"),
        (made.stopped(0, 99, 900, sleeps=2, awake=9), Doing.WAITS, "waits in WFE, woken 1 time in wait_for_event"),
        (made.stopped(0, 9_999, 9_999, sleeps=2, awake=900), Doing.RUNS, "runs"),
        (made.stopped(0, 60, 90, sleeps=1, awake=5), Doing.RUNS, "runs"),
    ],
)
def test_a_core_sleeps_or_waits_only_if_it_does_so_now(record: bytes, doing: Doing, words: str) -> None:
    (found,) = stood(made.smc(0, 50, CPU_SUSPEND), made.sleep(0, 60, address=0x4004, wait=2), record)
    assert found.doing is doing
    assert standing_words(found) == f"0.0 {words}, EL3, in CPU_SUSPEND (64) from EL1"
    assert found.asleep == (0 if doing is Doing.RUNS else found.asleep)


def test_code_of_a_world_that_is_not_measured_has_no_function() -> None:
    (found,) = stood(
        made.smc(0, 50, CPU_SUSPEND),
        made.back(0, 60),
        made.sleep(0, 70, 0x4004, made.NS_EL1),
        made.stopped(0, 70, 90, 1, 0, made.NS_EL1, True),
    )
    assert (found.functions, found.address, found.call) == ((), 0x4004, ""), "an image of another world has other code there"
    (found,) = stood(made.smc(0, 50, CPU_SUSPEND), made.back(0, 60), made.stopped(0, 5_000, 5_000, world=made.NS_EL1))
    assert (found.doing, found.functions, found.address) == (Doing.RUNS, (), None)


def test_of_a_path_without_room_the_code_that_took_the_most_is_named() -> None:
    (found,) = stood(
        made.smc(0, 50, CPU_SUSPEND), made.path(0, [(0, 1)]), made.profile(0, [(1, 5), (2, 900)]), made.stopped(0, 9_000, 9_000)
    )
    assert (found.doing, found.functions) == (Doing.RUNS, ("take",))


def test_what_ran_before_the_last_change_is_not_where_a_core_stands() -> None:
    (found,) = stood(made.path(0, [(1, 7)]), made.smc(0, 50, CPU_SUSPEND), made.path(0, [(2, 1)]), made.stopped(0, 60, 60))
    assert found.functions == ("take",)


def _standing(number: int, doing: Doing, functions: tuple[str, ...] = (), instructions: int = 10**6, call: str = "") -> Standing:
    return Standing(CoreId(0, number), "EL3", instructions, doing, functions, call=call, wait="WFI")


def test_the_core_that_explains_a_hang_best_is_the_one_that_is_busy_then_one_that_waits_inside_a_call() -> None:
    busy = _standing(3, Doing.REPEATS, ("spin_lock",), call="CPU_ON (64)")
    inside = _standing(2, Doing.SLEEPS, ("power_down",), 40, "CPU_SUSPEND (64)")
    outside = _standing(0, Doing.RUNS)
    off = _standing(1, Doing.SLEEPS, ("power_down",), 40, "CPU_OFF")
    just_in = _standing(4, Doing.RUNS, ("affinity_info",), 12, "AFFINITY_INFO (64)")
    waits_to_be_started = _standing(5, Doing.REPEATS, ("holding_pen",), instructions=10**9)
    everyone = [off, outside, inside, just_in, waits_to_be_started, busy]
    for number in range(len(everyone)):
        assert most_telling(everyone[number:] + everyone[:number]) is busy
    assert most_telling([off, outside, inside, just_in, waits_to_be_started]) is inside
    assert most_telling([off, outside, waits_to_be_started]) is waits_to_be_started
    assert most_telling([off, outside]) is outside
    assert most_telling([off, inside, without_functions := _standing(6, Doing.RUNS, call="CPU_ON (64)")]) is without_functions
    assert most_telling([]) is None


def test_a_fact_names_the_cores_that_explain_the_most_and_how_many_others_there_are() -> None:
    cores = [_standing(number, Doing.SLEEPS, ("power_down",), 40, "CPU_OFF") for number in range(63)]
    ((_, words),) = stood_facts((*cores, _standing(63, Doing.REPEATS, ("spin_lock",), call="CPU_ON (64)")))
    assert words.startswith("0.63 repeats ") and words.endswith("; 56 more") and words.count("sleeps in WFI") == 7
    assert stood_facts(()) == ()


def test_the_first_problem_names_the_core_and_without_a_problem_nothing_is_said() -> None:
    busy = _standing(3, Doing.REPEATS, ("spin_lock",))
    first, second = with_standing([Problem(0, "the machine was stopped after 1 s"), Problem(0, "more")], [busy])
    assert first.message == "the machine was stopped after 1 s; core 0.3 repeats 0 instructions 0 times in spin_lock, EL3"
    assert second.message == "more" and with_standing([], [busy]) == [] and with_standing([second], []) == [second]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ((), ((), 1)),
        ((5, 1), ((5, 1), 1)),
        ((5, 9), ((5, 1), 9)),
        ((4, 1, LOOP | 2, 70, 5, 1, 6, 1), ((5, 1, 6, 1), 70)),
        ((4, 1, LOOP | 2, 70, 5, 1, 6, 1, 5, 1), ((5, 1, 6, 1), 70)),
        ((LOOP | 2, 70, 5, 1, 6, 1, 7, 1), ((7, 1), 1)),
        ((LOOP | 3, 70, 5, 1, 6, 3, 7, 1, 5, 1, 6, 2), ((5, 1, 6, 3, 7, 1), 70)),
        ((LOOP | 2, 70, 5, 1, 6, 1, 4, 1, LOOP | 2, 70, 5, 1, 6, 1), ((5, 1, 6, 1), 70)),
        ((LOOP | 4, 3, 5, 1, LOOP | 2, 8, 6, 1, 7, 1, 5, 1), ((5, 1, LOOP | 2, 8, 6, 1, 7, 1), 3)),
    ],
)
def test_the_loop_in_which_a_path_ends_is_its_last_with_at_most_a_part_of_a_turn_behind_it(
    steps: tuple[int, ...], expected: tuple[tuple[int, ...], int]
) -> None:
    assert turning(steps) == expected
