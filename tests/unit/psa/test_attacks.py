# SPDX-License-Identifier: BSD-3-Clause
"""What is said of an attack, and that nothing is said of one that came to nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from latlab.psa.analysis.attack_outcome import Ordinary, judged
from latlab.psa.model import (
    Access,
    Attack,
    AttackOutcome,
    AttackResult,
    AttackTranscript,
    CallStep,
    Family,
    Observation,
    Operation,
    Returned,
)
from latlab.psa.readers.attacks_log import empty_transcript
from latlab.psa.readers.witness import empty_observation

SECRET = bytes.fromhex("00080038651a0010")
STEP = CallStep(Operation.CALL, 0x100FF029, (1, 2, 0x28201000, 0x28201040))
CALL = Attack(Family.POINTER, "input in secure code", (STEP,), secret=SECRET)
REFUSED = Returned(0, 0, 0xFFFFFF7F, 0, 0, 0, 0, 0, 0, 0)
SERVED = replace(REFUSED, r0=0)


def told(**changes: Any) -> AttackTranscript:
    return replace(empty_transcript(), is_done=True, **changes)


def seen(**changes: Any) -> Observation:
    return replace(empty_observation(), **changes)


def outcome(
    attack: Attack = CALL, said: AttackTranscript | None = None, saw: Observation | None = None, ordinary: Ordinary | None = None
) -> AttackResult:
    return judged(attack, said or told(calls=[REFUSED]), saw or empty_observation(), ordinary or Ordinary())


@pytest.mark.parametrize(
    ("status", "name"),
    [
        (-129, "PROGRAMMER_ERROR"),
        (-130, "CONNECTION_REFUSED"),
        (-131, "CONNECTION_BUSY"),
        (-133, "NOT_PERMITTED"),
        (-134, "NOT_SUPPORTED"),
        (-135, "INVALID_ARGUMENT"),
    ],
)
def test_an_error_that_changed_nothing_is_a_refusal(status: int, name: str) -> None:
    """The status codes of PSA FF-M 1.0, section 4.5."""
    found = outcome(said=told(calls=[replace(REFUSED, r0=status & 0xFFFFFFFF)]))
    assert (found.outcome, found.evidence) == (AttackOutcome.REFUSED, (("statuses", str(status)),))
    assert found.sentence == f"answered with PSA_ERROR_{name}"


@pytest.mark.parametrize(
    ("attack", "said", "saw", "words"),
    [
        (CALL, told(calls=[SERVED]), seen(strange=[(0x10000402, 0xB510)]), "ran at 0x10000402"),
        (CALL, told(calls=[REFUSED]), seen(stores=[Access(0x10000410, 0x38000800, 4, 7)]), "wrote to 0x38000800"),
        (CALL, told(calls=[REFUSED]), seen(loads=[Access(0x10000410, 0x10000000, 4, 7)]), "read 0x10000000"),
        (CALL, told(calls=[SERVED], shown={0: bytearray(SECRET)}), seen(), "an output contains bytes of secure memory"),
        (replace(CALL, family=Family.MEMORY), told(loads=[(0, 0x38000800)]), seen(), "the non-secure side's own access"),
        (replace(CALL, accepted="it was accepted"), told(calls=[SERVED]), seen(), "it was accepted"),
        (replace(CALL, family=Family.HANDLE), told(taken=[(0x41, 0)], guessed=9), seen(), "the handle 0x41"),
        (CALL, told(calls=[replace(SERVED, r3=0x38000820)]), seen(), "r3 came back with 0x38000820"),
        (CALL, told(calls=[replace(SERVED, changed=0b10, value=3)]), seen(), "r5 came back"),
        (CALL, told(calls=[SERVED], saw=0x10000000), seen(), "a handler found"),
        (CALL, told(calls=[SERVED], floats=[(17, 5)]), seen(), "s17 came back"),
        (replace(CALL, family=Family.STACK, name="the process stack"), told(), seen(process_stack=(0x38002C40, 0, 0)), "no seal"),
        (replace(CALL, family=Family.PARTITION, accepted="it read it"), told(calls=[REFUSED]), seen(), "it read it"),
    ],
)
def test_what_was_read_written_run_or_leaked_is_broken_with_its_evidence(
    attack: Attack, said: AttackTranscript, saw: Observation, words: str
) -> None:
    found = outcome(attack, said, saw)
    assert found.outcome is AttackOutcome.BROKEN
    assert words in found.sentence
    assert found.evidence


def test_what_an_ordinary_call_touches_too_is_no_evidence() -> None:
    usual = Ordinary(frozenset({(0x10000410, 0x10000000)}), frozenset({(0x10000500, 0x38000800)}))
    assert outcome(saw=seen(stores=[Access(0x10000500, 0x38000800, 4, 7)]), ordinary=usual).outcome is AttackOutcome.REFUSED
    assert outcome(saw=seen(stores=[Access(0x10000502, 0x38000800, 4, 7)]), ordinary=usual).outcome is AttackOutcome.BROKEN
    assert outcome(saw=seen(loads=[Access(0x10000410, 0x10000000, 4, 7)]), ordinary=usual).outcome is AttackOutcome.REFUSED


def test_a_register_may_hold_the_answer_an_argument_or_no_address_of_the_secure_side() -> None:
    held = replace(SERVED, r1=2, r2=0x28201000, r3=0x20, r12=0x100FF029)
    assert outcome(said=told(calls=[held])).outcome is AttackOutcome.REFUSED


def test_a_public_stateless_handle_is_nobodys_secret() -> None:
    said = told(taken=[(0x40000102, 0)], guessed=9)
    assert outcome(replace(CALL, family=Family.HANDLE), said).outcome is AttackOutcome.REFUSED


def test_a_stop_is_contained_with_a_record_and_a_denial_of_service_without() -> None:
    assert outcome(said=replace(empty_transcript(), resets=1, record="SPM: a fault")).outcome is AttackOutcome.CONTAINED
    assert outcome(said=replace(empty_transcript(), resets=1)).outcome is AttackOutcome.DENIAL
    stuck = outcome(said=empty_transcript(), saw=seen(ended="asleep", ended_pc=0x10000500))
    assert (stuck.outcome, dict(stuck.evidence)["last pc"]) == (AttackOutcome.DENIAL, "0x10000500")
    assert outcome(said=replace(empty_transcript(), is_fault=True)).outcome is AttackOutcome.CONTAINED


def test_a_machine_that_ended_without_a_word_and_a_stack_never_seen_cannot_be_told() -> None:
    assert outcome(said=empty_transcript()).outcome is AttackOutcome.INCONCLUSIVE
    assert outcome(replace(CALL, family=Family.STACK), told(calls=[SERVED])).outcome is AttackOutcome.INCONCLUSIVE


def test_what_the_subject_has_no_means_for_is_not_tried() -> None:
    found = outcome(replace(CALL, why="needs a partition of ours"))
    assert (found.outcome, found.sentence, found.tries) == (AttackOutcome.NOT_TRIED, "needs a partition of ours", 0)
