# SPDX-License-Identifier: BSD-3-Clause
"""What the probe saw, as data. docs/reference/probe-format.md says what each field of a record is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, IntFlag

LEVEL_MASK = 0x3
SECURE = 0x4
REALM = 0x8
NO_WORLD = 0xFF
RISCV_WORLDS = {0: "U", 1: "S", 2: "HS", 3: "M", 4: "VU", 5: "VS"}
LOOP = 1 << 31


class Arch(IntEnum):
    AARCH64 = 1
    ARMV8M = 2
    RISCV = 3


class Wait(IntEnum):
    """The instruction that a core slept in."""

    WFI = 1
    WFE = 2


class Context(IntFlag):
    """What the cost of code depends on beside the code. The three behind SWITCHES are known where that is set; DEVICE is of the last
    instruction alone."""

    TOLD = 1
    SWITCHES = 2
    I_CACHE = 4
    D_CACHE = 8
    TRANSLATION = 16
    DEVICE = 32
    DEVICE_UNKNOWN = 64
    AARCH32 = 128


@dataclass(frozen=True, slots=True)
class Header:
    arch: Arch
    has_functions: bool
    cores: int
    interface: int
    has_masked: bool = False
    has_contexts: bool = False


@dataclass(frozen=True, slots=True)
class Core:
    """`identity` is VMPIDR_EL2, mhartid, or the number itself."""

    core: int
    identity: int


@dataclass(frozen=True, slots=True)
class Crossing:
    """A change of world. `instructions` are those of the core before the first one at `address`, `machine` those of all cores."""

    core: int
    instructions: int
    machine: int
    address: int
    left: int
    entered: int
    registers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sleep:
    core: int
    instructions: int
    machine: int
    address: int
    world: int
    wait: Wait


@dataclass(frozen=True, slots=True)
class Wake:
    """The last wake-up after `sleeps` sleeps at one address. `timer` is what the system counter was compared with where that ended the
    sleep, 0 where it is not known that it did."""

    core: int
    instructions: int
    machine: int
    address: int
    sleeps: int
    timer: int = 0


@dataclass(frozen=True, slots=True)
class Fragment:
    """Code that runs to its end once it is entered. `level` is a world without its security state on AArch64. `context` are bits of
    Context, 0 where the probe was not asked for them; the same code has another number in another one."""

    number: int
    address: int
    instructions: int
    level: int
    code: bytes
    context: int = 0


@dataclass(frozen=True, slots=True)
class Path:
    """What ran since the core's last crossing or wake-up, in order; it may go on in the core's next record.

    `steps` are pairs: a fragment's number and how often it ran in a row; or LOOP and the number of pairs behind this one that are the
    loop's body, and how often that ran."""

    core: int
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """How often which fragment ran since then that is in no path, in the order of the first run."""

    core: int
    unlisted_instructions: int
    runs: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Naps:
    """As a Profile, of what ran between the sleeps at one address that the next Wake ends."""

    core: int
    unlisted_instructions: int
    runs: tuple[tuple[int, int], ...]


class Mask(IntEnum):
    """Why interrupts of a line were not taken: masked, or no register says whether they were."""

    MASKED = 1
    UNKNOWN = 2


@dataclass(frozen=True, slots=True)
class Masked:
    """Stretches of one line without its interrupts that began and ended alike, in instructions; `core` is that of the longest.

    `link` is the link register where they began, `trail` that where the longest ended and the return
    addresses further out. `worlds` are (world, instructions of all, of the longest)."""

    core: int
    line: int
    mask: Mask
    begin_world: int
    end_world: int
    from_start: bool
    to_end: bool
    count: int
    instructions: int
    longest: int
    begin: int
    link: int
    end: int
    worlds: tuple[tuple[int, int, int], ...]
    trail: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class End:
    records: int
    lost: int


@dataclass(frozen=True, slots=True)
class Answers:
    """How a call says that it failed: names of the signed numbers of `bits` in result `register`. With a `marker` only where the first
    result is that."""

    codes: Mapping[int, str]
    register: int = 0
    bits: int = 32
    marker: int | None = None


@dataclass(frozen=True, slots=True)
class CallNames:
    """Function numbers of SMCCC to names and to how each says that it failed; extensions of SBI to their name and those of their
    functions, and how these say it. `last` are the calls after which nothing goes on."""

    smc: Mapping[int, str]
    sbi: Mapping[int, tuple[str, tuple[str, ...]]]
    answers: Mapping[int, Answers]
    sbi_answers: Answers
    last: frozenset[int]


Record = Core | Crossing | Sleep | Wake | Fragment | Path | Profile | Naps | Masked | End


@dataclass(frozen=True, slots=True)
class Stretch:
    """What a core ran between two changes: `steps` as in a Path, then `runs` of fragments whose order is not known and
    `unlisted_instructions` of which nothing is."""

    steps: tuple[int, ...] = ()
    runs: tuple[tuple[int, int], ...] = ()
    unlisted_instructions: int = 0


def world_name(arch: Arch, world: int) -> str:
    """`EL3`, `EL1`, `S-EL1`, `R-EL2`; `M`, `HS`, `VS`, `S`, `U`, `VU`; `secure handler`; `none` before a core's first instruction."""
    level = world & LEVEL_MASK
    if world == NO_WORLD:
        return "none"
    if arch is Arch.RISCV:
        return RISCV_WORLDS.get(world, "?")
    if arch is Arch.ARMV8M:
        return f"{'secure' if world & SECURE else 'non-secure'} {'handler' if level else 'thread'}"
    if level == 3:
        return "EL3"
    prefix = "R-" if world & REALM else "S-" if world & SECURE else ""
    return f"{prefix}EL{level}"
