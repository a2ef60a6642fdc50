# SPDX-License-Identifier: BSD-3-Clause
"""What came of an attack, in one sentence, and what this rests on. The first of these that holds is the outcome: something of the secure
side was read, changed or run; the machine stopped; the call was refused or came to nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from latlab.psa.model import (
    Access,
    Attack,
    AttackOutcome,
    AttackResult,
    AttackTranscript,
    CallStep,
    Family,
    Flag,
    Observation,
    Operation,
    Returned,
)

SEAL = 0xFEF5EDA5
REFUSALS = {
    -129: "PSA_ERROR_PROGRAMMER_ERROR",
    -130: "PSA_ERROR_CONNECTION_REFUSED",
    -131: "PSA_ERROR_CONNECTION_BUSY",
    -133: "PSA_ERROR_NOT_PERMITTED",
    -134: "PSA_ERROR_NOT_SUPPORTED",
    -135: "PSA_ERROR_INVALID_ARGUMENT",
}
STATELESS_BIT = 1 << 30
SHORTEST_SECRET = 4
Evidence = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Ordinary:
    """Which instructions touch which words of the targets in ordinary calls: a veneer may look at the seal of its stack."""

    loads: frozenset[tuple[int, int]] = frozenset()
    stores: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class AttackVerdict:
    outcome: AttackOutcome
    sentence: str
    evidence: Evidence = ()


def judged(attack: Attack, transcript: AttackTranscript, observation: Observation, ordinary: Ordinary) -> AttackResult:
    """One row."""
    if attack.why:
        return AttackResult(attack.family, attack.name, AttackOutcome.NOT_TRIED, attack.why, 0)
    attack_verdict = next(verdict for check in _CHECKS if (verdict := check(attack, transcript, observation, ordinary)) is not None)
    tries = max(attack.shots, transcript.guessed, 1)
    return AttackResult(attack.family, attack.name, attack_verdict.outcome, attack_verdict.sentence, tries, attack_verdict.evidence)


def is_secure_address(word: int) -> bool:
    """Whether it may point into memory of the secure side: address bit 28 says so on these machines."""
    return (word >> 28) in (1, 3)


def _signed(word: int) -> int:
    return word - (1 << 32) if word & 1 << 31 else word


def _broken(sentence: str, *evidence: tuple[str, str]) -> AttackVerdict:
    return AttackVerdict(AttackOutcome.BROKEN, sentence, evidence)


def _strange_entry(attack: Attack, transcript: AttackTranscript, observation: Observation, ordinary: Ordinary) -> AttackVerdict | None:
    if not observation.strange:
        return None
    pc, opcode = observation.strange[0]
    return _broken(
        f"code of the secure side ran at {pc:#x}, which is neither a gateway, a handler nor a return address",
        ("entered at", f"{pc:#x}"),
        ("opcode", f"{opcode:#x}"),
    )


def _access(action: str, access: Access) -> AttackVerdict:
    return _broken(
        f"secure code at {access.pc:#x} {action} {access.address:#x}, an address that only the attack had",
        ("pc", f"{access.pc:#x}"),
        ("address", f"{access.address:#x}"),
        ("bytes", str(access.size)),
        ("value", f"{access.value:#x}"),
    )


def _stored(attack: Attack, transcript: AttackTranscript, observation: Observation, ordinary: Ordinary) -> AttackVerdict | None:
    unusual = [store for store in observation.stores if (store.pc, store.address) not in ordinary.stores]
    return _access("wrote to", unusual[0]) if unusual else None


def _secret_shown(attack: Attack, transcript: AttackTranscript, observation: Observation, ordinary: Ordinary) -> AttackVerdict | None:
    secret = attack.secret
    if len(secret) < SHORTEST_SECRET:
        return None
    for shot, shown in transcript.shown.items():
        if secret[:SHORTEST_SECRET] in bytes(shown):
            return _broken("an output contains bytes of secure memory", ("output", bytes(shown).hex()), ("shot", str(shot)))
    for address, word in transcript.loads:
        if word.to_bytes(4, "little") == secret[:4]:
            return _broken(
                f"the non-secure side's own access to {address:#x} read secure memory",
                ("address", f"{address:#x}"),
                ("value", f"{word:#x}"),
            )
    return None


def _loaded(attack: Attack, transcript: AttackTranscript, observation: Observation, ordinary: Ordinary) -> AttackVerdict | None:
    unusual = [load for load in observation.loads if (load.pc, load.address) not in ordinary.loads]
    return _access("read", unusual[0]) if unusual else None


def _handle_taken(attack: Attack, transcript: AttackTranscript, observation: Observation, ordinary: Ordinary) -> AttackVerdict | None:
    accepted = [(handle, status) for handle, status in transcript.taken if not handle & STATELESS_BIT]
    if not accepted:
        return None
    handle, status = accepted[0]
    return _broken(
        f"the handle {handle:#x}, which this client never got, was accepted; the owner of its connection is unknown",
        ("handle", f"{handle:#x}"),
        ("status", str(_signed(status))),
    )


def _accepted(attack: Attack, transcript: AttackTranscript, observation: Observation, ordinary: Ordinary) -> AttackVerdict | None:
    """A partition's error has to end it: whatever it answers afterwards, it went on."""
    if not attack.accepted or not transcript.calls:
        return None
    last = transcript.calls[-1]
    if attack.family is not Family.PARTITION and _signed(last.r0) in REFUSALS:
        return None
    return _broken(attack.accepted, ("status", str(_signed(last.r0))))


def _leak(attack: Attack, transcript: AttackTranscript, observation: Observation, ordinary: Ordinary) -> AttackVerdict | None:
    """A register that the caller finds as it did not leave it, and that is none of the answer."""
    if transcript.saw:
        return _broken("a handler found secure code's registers when it interrupted it", ("registers, ORed", f"{transcript.saw:#x}"))
    for number, value in transcript.floats:
        if value != 0:
            return _broken(f"s{number} came back with another value than the caller's", (f"s{number}", f"{value:#x}"))
    for call in transcript.calls:
        if call.changed:
            names = ", ".join(f"r{4 + bit}" for bit in range(8) if call.changed >> bit & 1)
            return _broken(f"{names} came back with another value than the caller's", ("value", f"{call.value:#x}"))
        verdict = _scratch_leak(attack.steps[call.step], call) if call.step < len(attack.steps) else None
        if verdict:
            return verdict
    return None


def _scratch_leak(step: CallStep, call: Returned) -> AttackVerdict | None:
    if step.operation is not Operation.CALL or step.flags & Flag.IN_HANDLER:
        return None
    passed_in = {*step.arguments, step.target, call.r0}
    for name, value in (("r1", call.r1), ("r2", call.r2), ("r3", call.r3), ("r12", call.r12)):
        if value not in passed_in and is_secure_address(value):
            return _broken(f"{name} came back with {value:#x}, an address in secure memory", (name, f"{value:#x}"))
    return None


def _unsealed(attack: Attack, transcript: AttackTranscript, observation: Observation, ordinary: Ordinary) -> AttackVerdict | None:
    if attack.family is not Family.STACK:
        return None
    stack = observation.process_stack if "process" in attack.name else observation.main_stack
    if stack is None:
        return AttackVerdict(
            AttackOutcome.INCONCLUSIVE, "the stack was not observed: no call entered the secure side, or its stack pointer is not readable"
        )
    pointer, *words = stack
    evidence = (("stack pointer", f"{pointer:#x}"), ("word", f"{words[0]:#x}"))
    if words[0] in (SEAL, SEAL & ~1):
        return AttackVerdict(AttackOutcome.REFUSED, "a forged return would meet the seal", evidence)
    return _broken("the stack has no seal: a forged return is accepted, with the words on the stack", *evidence)


def _stopped(attack: Attack, transcript: AttackTranscript, observation: Observation, ordinary: Ordinary) -> AttackVerdict | None:
    if transcript.is_done and not transcript.resets and not observation.ended:
        return None
    if transcript.is_fault:
        return AttackVerdict(
            AttackOutcome.CONTAINED, "the processor raised a fault, which the non-secure side takes", (("taken by", "the non-secure side"),)
        )
    evidence = []
    if transcript.resets:
        evidence.append(("resets", str(transcript.resets)))
    if observation.ended:
        evidence.append(("last pc", f"{observation.ended_pc:#x}"))
    how = "reset the machine" if transcript.resets else "stopped the machine"
    if transcript.record:
        return AttackVerdict(AttackOutcome.CONTAINED, f"the secure side {how}, with a record", (*evidence, ("record", transcript.record)))
    if transcript.resets or observation.ended:
        return AttackVerdict(AttackOutcome.DENIAL, f"it {how}, and the secure side printed nothing", tuple(evidence))
    return None


def _refused(attack: Attack, transcript: AttackTranscript, observation: Observation, ordinary: Ordinary) -> AttackVerdict | None:
    if not transcript.is_done:
        return None
    if transcript.guessed:
        return AttackVerdict(
            AttackOutcome.REFUSED, f"none of {transcript.guessed} handles was accepted", (("tried", str(transcript.guessed)),)
        )
    if not transcript.calls:
        return _no_call(transcript)
    statuses = sorted({_signed(call.r0) for call in transcript.calls})
    evidence = (("statuses", ", ".join(map(str, statuses[:8]))),)
    if attack.family is Family.REGISTERS:
        return AttackVerdict(AttackOutcome.REFUSED, "the registers have the answer, the caller's own values, or no secure data", evidence)
    if attack.shots > 1:
        return AttackVerdict(
            AttackOutcome.REFUSED,
            f"{attack.shots} calls, one with an interrupt at each position: no secure memory was read or written",
            evidence,
        )
    last = _signed(transcript.calls[-1].r0)
    if last in REFUSALS:
        return AttackVerdict(AttackOutcome.REFUSED, f"answered with {REFUSALS[last]}", evidence)
    return AttackVerdict(AttackOutcome.REFUSED, f"answered with {last}: no secure memory was read, written or executed", evidence)


def _no_call(transcript: AttackTranscript) -> AttackVerdict:
    if transcript.loads:
        address, word = transcript.loads[-1]
        return AttackVerdict(
            AttackOutcome.REFUSED,
            f"{address:#x} reads as {word:#x}, which is not the content of secure memory there",
            (("value", f"{word:#x}"),),
        )
    return AttackVerdict(AttackOutcome.REFUSED, "nothing happened")


def _untold(attack: Attack, transcript: AttackTranscript, observation: Observation, ordinary: Ordinary) -> AttackVerdict:
    return AttackVerdict(AttackOutcome.INCONCLUSIVE, "the machine ended during the attack and printed no reason")


_CHECKS: tuple[Callable[[Attack, AttackTranscript, Observation, Ordinary], AttackVerdict | None], ...] = (
    _strange_entry,
    _stored,
    _secret_shown,
    _loaded,
    _handle_taken,
    _accepted,
    _leak,
    _unsealed,
    _stopped,
    _refused,
    _untold,
)
