# SPDX-License-Identifier: BSD-3-Clause
"""Attacks on the secure side as plain data: the steps, the observations and the result."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag, StrEnum


class Family(StrEnum):
    """What an attack uses."""

    REGISTERS = "registers"
    STACK = "stack seal"
    POINTER = "pointer"
    HANDLE = "handle"
    MEMORY = "memory"
    SYSTEM = "system"
    INTERRUPT = "interrupt"
    GATEWAY = "gateway"
    RETURN = "forged return"
    PARTITION = "partition"


class AttackOutcome(StrEnum):
    """What came of an attack."""

    REFUSED = "refused"
    CONTAINED = "contained"
    DENIAL = "denial of service"
    BROKEN = "broken"
    NOT_TRIED = "not tried"
    INCONCLUSIVE = "inconclusive"


class Operation(IntEnum):
    """The operations, with the numbers that the program uses."""

    CALL = 0
    LOAD = 1
    STORE = 2
    FILL = 3
    POKES = 4
    GUESS = 5


class Flag(IntFlag):
    """The flags, with the values that the program uses."""

    NONE = 0
    IN_HANDLER = 1
    WITH_KEPT = 2
    KEEP = 4
    WITH_TIMER = 8
    WITH_FLOATS = 16
    QUIET = 32


@dataclass(frozen=True, slots=True)
class CallStep:
    """`words` are what a FILL writes, the pairs of POKES, or the handles of a GUESS. `then` is the step of the same attack that the timer's
    handler takes."""

    operation: Operation
    target: int = 0
    arguments: tuple[int, int, int, int] = (0, 0, 0, 0)
    flags: Flag = Flag.NONE
    words: tuple[int, ...] = ()
    then: int | None = None


@dataclass(frozen=True, slots=True)
class Extent:
    """Addresses from `first` to `last`."""

    first: int
    last: int

    def holds(self, address: int) -> bool:
        return self.first <= address <= self.last


@dataclass(frozen=True, slots=True)
class Attack:
    """`shots` is the number of interrupts, or one try. `shown` is the memory that the program prints after the attack. `accepted` says
    what it means if a call of the attack is not refused; it is empty if that means nothing. `secret` are bytes that must not come back.
    `reachable` is false if the subject lacks what the attack needs, and `why` gives the reason."""

    family: Family
    name: str
    steps: tuple[CallStep, ...] = ()
    first_shot: int = 0
    shot_step: int = 0
    shots: int = 1
    shown: int = 0
    shown_bytes: int = 0
    secret: bytes = b""
    accepted: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Returned:
    """The registers after one call. `changed` has a bit for each of r4 to r11 that differs from the caller's value; `value` is the last
    of these."""

    shot: int
    step: int
    r0: int
    r1: int
    r2: int
    r3: int
    r12: int
    flags: int
    changed: int
    value: int


@dataclass(slots=True)
class AttackTranscript:
    """What the program printed about one attack, and the lines that the secure side printed before the machine started again."""

    calls: list[Returned]
    shown: dict[int, bytearray]
    loads: list[tuple[int, int]]
    stored: list[int]
    taken: list[tuple[int, int]]
    floats: list[tuple[int, int]]
    guessed: int = 0
    saw: int = 0
    resets: int = 0
    record: str = ""
    is_done: bool = False
    is_fault: bool = False


@dataclass(frozen=True, slots=True)
class Access:
    """An access of secure code at `pc` to a word that only the attack named."""

    pc: int
    address: int
    size: int
    value: int


@dataclass(slots=True)
class Observation:
    """What the monitor plugin observed of one attack. `strange` are entries into the secure side, as (address, opcode), that are neither
    a gateway, nor a handler, nor a place that it had left. `spent` is the number of instructions of each stay in the secure side."""

    gates: list[int]
    strange: list[tuple[int, int]]
    stores: list[Access]
    loads: list[Access]
    spent: list[int]
    process_stack: tuple[int, int, int] | None = None
    main_stack: tuple[int, int, int] | None = None
    ended: str = ""
    ended_pc: int = 0


@dataclass(frozen=True, slots=True)
class AttackResult:
    """One row of a run. `tries` is how often the attack was made; `evidence` are the facts behind the sentence, as (name, value)."""

    family: Family
    name: str
    outcome: AttackOutcome
    sentence: str
    tries: int
    evidence: tuple[tuple[str, str], ...] = ()
