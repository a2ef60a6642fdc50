# SPDX-License-Identifier: BSD-3-Clause
"""What the program `psa_attacks` would do with an attack, up to its calls: memory is filled, arguments and vectors are read from it."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.psa.model import Attack, Flag, Operation
from latlab.psa.targets.attack_subject import AttackSubject
from latlab.psa.targets.psa_subject import CallKind, PsaCall, PsaSubject

FRAMEWORK_VERSION, VERSION, CONNECT, CALL, CLOSE = VENEERS = (0x1000_8001, 0x1000_8011, 0x1000_8021, 0x1000_8031, 0x1000_8041)
RAM, RAM_BYTES = 0x2820_0000, 0x20_0000
IN_SHIFT, OUT_SHIFT = 16, 24
SECRET_AT, SECRET = 0x1000_0000, bytes(range(0x30, 0x40))
STACK = 0x3800_2568
KEPT = "what was kept"
"""In place of a handle that the program put aside."""

NOTHING = (
    PsaCall("nothing", CallKind.NOTHING),
    PsaCall("framework_version", CallKind.FRAMEWORK_VERSION),
    PsaCall("version", CallKind.VERSION, 0xF200),
)
DATA = PsaCall("data", CallKind.ON_HANDLE, 0x4000_0206, type=7, inputs=(bytes(range(1, 17)), b"abcdefgh"), outputs=(12, 16))
CONNECTED = PsaCall("connected", CallKind.ON_CONNECTION, 0xF201, version=3, type=5)


def subject(
    *calls: PsaCall, data: PsaCall = DATA, veneers: tuple[int, ...] = VENEERS, ungated: tuple[int, ...] = (0x1000_4000,)
) -> AttackSubject:
    psa = PsaSubject("made", "mps2-an521", (), veneers, IN_SHIFT, OUT_SHIFT, 0, RAM, RAM_BYTES, 0x4020_0000, (*NOTHING, *calls))
    return AttackSubject(psa, (SECRET_AT, SECRET), (0x1000_0000, 0x1000_4000), ungated, (0x1000_9000,), (0x1000_0101,), data)


@dataclass(frozen=True, slots=True)
class Made:
    """One call of a veneer, or a branch to anywhere. The vectors are read from memory where the arguments say that they are."""

    target: int
    arguments: tuple[int | str, int, int, int]
    flags: Flag
    memory: dict[int, int]

    @property
    def type(self) -> int:
        return self.arguments[1] & 0xFFFF

    @property
    def counts(self) -> tuple[int, int]:
        return self.arguments[1] >> IN_SHIFT & 0xFF, self.arguments[1] >> OUT_SHIFT & 0xFF

    def _pairs(self, array: int, count: int) -> list[tuple[int, int]]:
        return [(self.memory[array + 8 * i], self.memory[array + 8 * i + 4]) for i in range(count)]

    @property
    def inputs(self) -> list[tuple[int, int]]:
        return self._pairs(self.arguments[2], self.counts[0])

    @property
    def outputs(self) -> list[tuple[int, int]]:
        return self._pairs(self.arguments[3], self.counts[1])

    def bytes_at(self, address: int, count: int) -> bytes:
        words = range(address, address + count + 3 & ~3, 4)
        return b"".join(self.memory[word].to_bytes(4, "little") for word in words)[:count]


def calls_of(attack: Attack) -> list[Made]:
    """In their order, without what an interrupt does. What lies outside the program's memory cannot be filled."""
    memory: dict[int, int] = {}
    made = []
    for step in attack.steps:
        if step.operation is Operation.FILL:
            assert step.target >= RAM and step.target + 4 * len(step.words) <= RAM + RAM_BYTES
            memory.update({step.target + 4 * i: word for i, word in enumerate(step.words)})
        elif step.operation is Operation.CALL:
            first = KEPT if step.flags & Flag.WITH_KEPT else step.arguments[0]
            made.append(Made(step.target, (first, *step.arguments[1:]), step.flags, dict(memory)))
    return made
