# SPDX-License-Identifier: BSD-3-Clause
"""A campaign of attacks that is ended in the middle accuses nobody of what it did not see."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from latlab.core.lifecycle.life import NullProgress
from latlab.core.targets.process import console
from latlab.psa.campaign.attack import NOT_MADE, AttackBoot, _control_problems, _results
from latlab.psa.model import Access, Attack, AttackOutcome, AttackResult, Family, Observation
from latlab.psa.readers.attacks_log import AttacksLog, empty_transcript
from latlab.psa.readers.witness import Witness, empty_observation

ATTACKS = [Attack(Family.POINTER, f"number {number}") for number in range(4)]
LOOK = Access(0x100008CA, 0x38002568, 4, 0xFEF5EDA5)


def done(*numbers: int, seen: Observation | None = None, is_whole: bool = False) -> AttackBoot:
    """A boot in which these attacks were made, and touched what `seen` has; cut off in the one behind them."""
    told = {number: empty_transcript() for number in numbers}
    for one in told.values():
        one.is_done = True
    witness = Witness({number: seen or empty_observation() for number in numbers}, under_way=len(numbers))
    outcome = console.MachineOutcome(console.MachineEnd.STOPPED, "it was stopped")
    stopped: Any = SimpleNamespace(stderr=b"", outcome=outcome, secure_log=Path("no such log"))
    return AttackBoot(AttacksLog(told, is_whole=is_whole), witness, stopped, b"")


def results(control: AttackBoot, boot: AttackBoot, is_interrupted: bool) -> tuple[AttackResult, ...]:
    boots: Any = SimpleNamespace(
        make=lambda attacks, place, targets: boot, interrupted=iter([False, is_interrupted, is_interrupted]).__next__
    )
    plan: Any = SimpleNamespace(targets=())
    return _results(boots, ATTACKS, plan, control, NullProgress())


def outcomes(found: Sequence[AttackResult]) -> list[AttackOutcome]:
    return [one.outcome for one in found]


def test_what_was_not_made_is_said_to_be_that() -> None:
    found = results(done(0, is_whole=True), done(0, 1), True)
    assert outcomes(found) == [AttackOutcome.REFUSED, AttackOutcome.REFUSED, AttackOutcome.INCONCLUSIVE, AttackOutcome.INCONCLUSIVE]
    assert [one.sentence == NOT_MADE for one in found] == [False, False, True, True]


def test_what_the_secure_side_touches_in_ordinary_calls_is_no_attack_s_success() -> None:
    look = empty_observation()
    look.loads.append(LOOK)
    every = done(0, 1, 2, 3, seen=look, is_whole=True)
    assert outcomes(results(every, every, False)) == [AttackOutcome.REFUSED] * 4
    assert outcomes(results(done(0, is_whole=True), every, False)) == [AttackOutcome.BROKEN] * 4


def test_where_ordinary_calls_did_not_end_no_attack_is_judged() -> None:
    (problem,) = _control_problems(done(0))
    assert "the ordinary calls did not finish" in problem.message and "it was stopped" in problem.message and problem.line == 0
    assert _control_problems(done(0, is_whole=True)) == [] == _control_problems(None)
