# SPDX-License-Identifier: BSD-3-Clause
"""Attacks that stop the machine: where the next boot goes on, and what is put together of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from latlab.core.lifecycle.life import NullProgress
from latlab.core.targets.process import console
from latlab.psa.campaign import attack as campaign
from latlab.psa.campaign.attack import AttackBoot, _all, _ordinary, _seen_together, _survey_facts, _survey_problems, _together
from latlab.psa.campaign.attack_plan import AttackPlan
from latlab.psa.model import Access, Attack, AttackTranscript, Extent, Family, Observation, Returned
from latlab.psa.readers.attacks_log import AttacksLog, empty_transcript
from latlab.psa.readers.witness import Witness, empty_observation
from latlab.psa.targets.attack_params import Place
from support.made_attacks import DATA, RAM, SECRET_AT, STACK, subject

TARGETS = (Extent(SECRET_AT, SECRET_AT + 15),)


def call(r0: int = 0, shot: int = 0) -> Returned:
    return Returned(shot, 0, r0, 0, 0, 0, 0, 0, 0, 0)


def boot(
    under_way: int | None = None,
    shot: int = 0,
    told: dict[int, AttackTranscript] | None = None,
    seen: dict[int, Observation] | None = None,
    rest: Sequence[str] = (),
    banner: Sequence[str] = (),
    is_whole: bool = False,
    stderr: bytes = b"",
) -> AttackBoot:
    log = AttacksLog(told or {}, list(banner), list(rest), is_started=True, is_whole=is_whole)
    outcome = console.MachineOutcome(console.MachineEnd.STOPPED, "it was stopped")
    stopped: Any = SimpleNamespace(stderr=stderr, outcome=outcome, secure_log=Path("no such log"))
    return AttackBoot(log, Witness(seen or {}, under_way=under_way, shot=shot), stopped, b"")


@dataclass
class Boots:
    """In place of the machine: these boots one after the other, and from where each was begun."""

    boots: list[AttackBoot]
    interrupted_after: int = 1000
    places: list[Place] = field(default_factory=list)

    def make(self, attacks: Sequence[Attack], begin: Place, targets: Sequence[Extent]) -> AttackBoot:
        assert tuple(targets) == TARGETS
        self.places.append(begin)
        return self.boots[len(self.places) - 1]

    def interrupted(self) -> bool:
        return len(self.places) >= self.interrupted_after


def attacks(*shots: int) -> list[Attack]:
    return [Attack(Family.POINTER, f"number {number}", shots=count) for number, count in enumerate(shots)]


def made(boots: Boots, *shots: int) -> tuple[dict[int, AttackTranscript], dict[int, Observation], int]:
    return _all(boots, attacks(*shots), TARGETS, NullProgress())  # type: ignore[arg-type]


def test_attacks_that_stop_nothing_are_made_in_one_boot() -> None:
    boots = Boots([boot(2, is_whole=True, told={0: empty_transcript()})])
    assert made(boots, 1, 1, 1) == ({0: empty_transcript()}, {}, 3)
    assert boots.places == [Place()]
    assert made(Boots([]), *()) == ({}, {}, 0)


def test_behind_an_attack_that_stops_the_machine_the_next_boot_goes_on() -> None:
    boots = Boots([boot(1), boot(2), boot(None, is_whole=True)])
    _, _, count = made(boots, 1, 1, 1, 1)
    assert boots.places == [Place(), Place(2), Place(3)] and count == 4


def test_where_not_even_the_first_attack_is_seen_to_begin_that_one_is_given_up() -> None:
    boots = Boots([boot(None), boot(None), boot(0)])
    assert made(boots, 1, 1, 1)[2] == 3
    assert boots.places == [Place(), Place(1), Place(2)]


def test_a_sweep_goes_on_at_its_next_shot_a_few_times() -> None:
    boots = Boots([boot(1, shot=3), *(boot(1, shot=10 + number) for number in range(5)), boot(2, is_whole=True)])
    made(boots, 1, 50, 1)
    assert boots.places[:3] == [Place(), Place(1, 4), Place(1, 11)]
    assert boots.places[5:] == [Place(1, 14), Place(2)], "six starts of one attack are enough"


def test_a_sweep_that_stops_at_its_last_shot_or_by_a_fault_of_the_program_has_no_next() -> None:
    boots = Boots([boot(0, shot=9), boot(None, is_whole=True)])
    made(boots, 10, 1)
    assert boots.places == [Place(), Place(1)]
    fault = empty_transcript()
    fault.is_fault = True
    boots = Boots([boot(0, shot=2, told={0: fault}), boot(None, is_whole=True)])
    made(boots, 10, 1)
    assert boots.places == [Place(), Place(1)]
    boots = Boots([boot(0, shot=8), boot(None, is_whole=True)])
    made(boots, 10, 1)
    assert boots.places == [Place(), Place(0, 9)]


def test_what_the_secure_side_said_last_is_the_attack_s_and_not_its_banner() -> None:
    boots = Boots([boot(0, rest=["hello", "panic: 7", "stopped"], banner=["hello"]), boot(1, rest=["hello", "again"]), boot(2)])
    told, _, _ = made(boots, 1, 1, 1)
    assert (told[0].record, told[1].record, told[2].record) == ("panic: 7; stopped", "again", "")


def test_a_record_that_the_program_told_of_is_kept() -> None:
    known = empty_transcript()
    known.record = "told before"
    told, _, _ = made(Boots([boot(0, told={0: known}, rest=["later"])]), 1)
    assert told[0].record == "told before"


def test_a_processor_that_locks_up_is_told() -> None:
    _, seen, _ = made(Boots([boot(1, stderr=b"qemu: fatal: Lockup: can't take exception\n"), boot(2, is_whole=True)]), 1, 1, 1)
    assert {number: one.ended for number, one in seen.items()} == {1: "lockup"}


def test_an_interrupt_ends_the_row_with_what_was_under_way() -> None:
    boots = Boots([boot(1), boot(2)], interrupted_after=2)
    assert made(boots, 1, 1, 1, 1)[2] == 2
    boots = Boots([boot(1)], interrupted_after=1)
    assert made(boots, 1, 1, 1, 1)[2] == 1
    assert made(Boots([], interrupted_after=0), 1, 1)[2] == 0


def test_two_boots_of_one_attack_are_put_together() -> None:
    first = AttackTranscript(
        [call(1)], {0: bytearray(b"a"), 1: bytearray(b"b")}, [(1, 2)], [3], [(4, 5)], [(6, 7)], 8, 0b01, 1, "", False, True
    )
    second = AttackTranscript([call(2)], {1: bytearray(b"c")}, [(9, 9)], [9], [(9, 9)], [(9, 9)], 1, 0b10, 2, "said", True, False)
    assert _together(first, second) == AttackTranscript(
        [call(1), call(2)], {0: bytearray(b"a"), 1: bytearray(b"c")}, [(1, 2), (9, 9)], [3, 9], [(4, 5), (9, 9)], [(6, 7), (9, 9)],
        9, 0b11, 3, "said", True, True,
    )  # fmt: skip
    assert _together(second, first).record == "said"


def test_two_looks_at_one_attack_are_put_together() -> None:
    access = Access(1, 2, 4, 3)
    first = Observation([1], [(2, 3)], [access], [access], [10], None, (1, 2, 3), "reset", 5)
    second = Observation([4], [(5, 6)], [access], [access], [20], (7, 8, 9), None, "", 0)
    together = Observation([1, 4], [(2, 3), (5, 6)], [access] * 2, [access] * 2, [10, 20], (7, 8, 9), (1, 2, 3), "reset", 5)
    assert _seen_together(first, second) == together
    assert _seen_together(second, first).ended == "reset" and _seen_together(first, Observation([], [], [], [], [], ended="x")).ended == "x"


def test_what_came_of_an_attack_in_several_boots_is_all_there() -> None:
    boots = Boots(
        [
            boot(0, shot=1, told={0: AttackTranscript([call(1)], {}, [], [], [], [])}, seen={0: Observation([1], [], [], [], [5])}),
            boot(1, told={0: AttackTranscript([call(2)], {}, [], [], [], [])}, seen={0: Observation([2], [], [], [], [6])}, is_whole=True),
        ]
    )
    told, seen, _ = made(boots, 10, 1)
    assert [one.r0 for one in told[0].calls] == [1, 2] and seen[0].gates == [1, 2]


def test_the_survey_tells_seals_the_length_of_the_call_and_whether_there_are_floats() -> None:
    survey = boot(0, seen={0: Observation([], [], [], [], [7, 250, 9])})
    survey.witness.seals += [STACK, STACK + 8]
    survey.log.has_floats = True
    known = _survey_facts(survey)
    assert (known.seals, known.length, known.has_floats) == ((STACK, STACK + 8), 250, True)
    assert _survey_facts(boot()).length == 0


def test_what_ordinary_calls_touch_is_kept_by_instruction_and_address() -> None:
    looks, stores = Access(1, 2, 4, 0), Access(3, 4, 4, 0)
    ordinary = _ordinary(boot(seen={0: Observation([], [], [stores], [looks], []), 1: empty_observation()}))
    assert (ordinary.loads, ordinary.stores) == (frozenset({(1, 2)}), frozenset({(3, 4)}))


def test_an_undisturbed_call_has_to_come_back_with_what_is_expected() -> None:
    plan = AttackPlan(subject(DATA), _survey_facts(boot()))

    def said(*returned: int) -> list[str]:
        told = AttackTranscript([call(r0) for r0 in returned], {}, [], [], [], [])
        return [problem.message for problem in _survey_problems(boot(told={0: told}), plan)]

    assert said(0) == said(5, 0) == said(0xFFFFFF7F, 0) == []
    assert said() == ["the call data never returned in an undisturbed machine, so attacks on it have no verdict"]
    assert said(0xFFFFFF7F) == ["the call data returned -129 where 0 is expected, so attacks on it have no verdict"]
    assert said(0, 0xFFFFFF7F) == said(0xFFFFFF7F), "the last answer counts"
    assert said(0x7FFFFFFF) == ["the call data returned 2147483647 where 0 is expected, so attacks on it have no verdict"]
    silent = boot()
    silent.log.is_started = False
    assert any("it was stopped" in problem.message for problem in _survey_problems(silent, plan))
    never = boot(told={0: AttackTranscript([], {}, [], [], [], [])})
    assert [
        problem.line
        for one in (never, boot(told={0: AttackTranscript([call(5)], {}, [], [], [], [])}))
        for problem in _survey_problems(one, plan)
    ] == [0, 0]


def test_what_the_attacks_rest_on_is_written_into_the_run() -> None:
    known = _survey_facts(boot(seen={0: Observation([], [], [], [], [33])}))
    facts = dict(campaign._facts(AttackPlan(subject(DATA), known)))
    assert facts == {
        "targets": "0x10000000 to 0x1000000f",
        "data call": "data, 33 instructions",
        "floating point": "no: s0 to s31 were not read",
    }


def test_a_boot_is_given_the_attacks_the_handlers_and_the_targets(tmp_path: Any, monkeypatch: Any) -> None:
    wrote: list[object] = []
    followed: list[tuple[str, ...]] = []

    def follow(command: tuple[str, ...], reader: object) -> tuple[AttacksLog, object]:
        followed.append(command)
        (tmp_path / "witness").write_text("M 1\n")
        return AttacksLog(), SimpleNamespace(stderr=b"")

    (tmp_path / "witness").write_text("of the boot before")
    monkeypatch.setattr(campaign, "write_attacks", lambda *given: wrote.append(given))
    machine: Any = SimpleNamespace(follow=follow, interrupted=lambda: True)
    boots = campaign._AttackBoots(machine, ("qemu", "-x"), subject(DATA), tmp_path / "w.so", tmp_path)
    found = boots.make(attacks(1), Place(2, 3), (Extent(0x10, 0x1F), Extent(0x40, 0x47)))
    assert wrote == [(boots.subject.psa, tmp_path, attacks(1), Place(2, 3))]
    assert followed == [
        (
            *("qemu", "-x", "-plugin"),
            f"{tmp_path / 'w.so'},out={tmp_path / 'witness'},mark={RAM + 0x200:#x},limit=3000000,handler=0x10000101,"
            "target=0x10-0x1f,target=0x40-0x47",
        )
    ]
    assert (found.stream, found.witness.under_way, boots.interrupted()) == (b"M 1\n", 0, True)
