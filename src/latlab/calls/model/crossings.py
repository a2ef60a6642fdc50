# SPDX-License-Identifier: BSD-3-Clause
"""The records of the probe, as data. docs/reference/probe-format.md describes each field of a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, IntFlag

LEVEL_MASK = 0x3
SECURE = 0x4
REALM = 0x8
NO_LEVEL = 0x10
NO_WORLD = 0xFF
RISCV_WORLDS = {0: "U", 1: "S", 2: "HS", 3: "M", 4: "VU", 5: "VS"}
LOOP = 1 << 31
ENTERS_AARCH32 = 1 << 31


class Arch(IntEnum):
    AARCH64 = 1
    ARMV8M = 2
    RISCV = 3


class WaitInstruction(IntEnum):
    """The instruction in which a core slept."""

    WFI = 1
    WFE = 2


class Context(IntFlag):
    """What the cost of code depends on, apart from the code. The three flags after SWITCHES are known only if SWITCHES is set. DEVICE
    describes the last instruction alone."""

    TOLD = 1
    SWITCHES = 2
    I_CACHE = 4
    D_CACHE = 8
    TRANSLATION = 16
    DEVICE = 32
    DEVICE_UNKNOWN = 64
    AARCH32 = 128
    THUMB = 256


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
    """A world switch. `instructions` counts the instructions of the core before the first one at `address`, `machine` those of all
    cores. `left_world` and `entered` are the worlds. Bits of `unknown` are registers that the source does not know; ENTERS_AARCH32 in it
    says that the world entered executes AArch32 code."""

    core: int
    instructions: int
    machine: int
    address: int
    left_world: int
    entered: int
    registers: tuple[int, ...]
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class Sleep:
    core: int
    instructions: int
    machine: int
    address: int
    world: int
    wait: WaitInstruction


@dataclass(frozen=True, slots=True)
class Wake:
    """The last wake-up after `sleeps` sleeps at one address. `timer` is the value that the system counter was compared with, if the
    timer ended the sleep; 0 if that is not known."""

    core: int
    instructions: int
    machine: int
    address: int
    sleeps: int
    timer: int = 0


@dataclass(frozen=True, slots=True)
class Fragment:
    """Code that runs to its end once it is entered. On AArch64 `level` is a world without its security state. `context` has the bits of
    Context, 0 if the probe did not record them. The same code in another context has another number."""

    number: int
    address: int
    instructions: int
    level: int
    code: bytes
    context: int = 0


@dataclass(frozen=True, slots=True)
class Path:
    """The code that ran after the core's last world switch or wake-up, in order. The next record of the core may continue it.

    `steps` are pairs: the number of a fragment and how often it ran in a row; or LOOP plus the number of the following pairs that form
    the body of the loop, and how often the loop ran.
    """

    core: int
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """How often each fragment ran since the core's last world switch or wake-up, without the fragments of a path; in the order of the
    first run."""

    core: int
    unlisted_instructions: int
    runs: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Naps:
    """Like a Profile, for the code that ran between the sleeps at one address that the next Wake ends."""

    core: int
    unlisted_instructions: int
    runs: tuple[tuple[int, int], ...]


class Mask(IntEnum):
    """Why interrupts of a line were not taken: masked, or no register says whether they were."""

    MASKED = 1
    UNKNOWN = 2


@dataclass(frozen=True, slots=True)
class Masked:
    """Stretches of one interrupt line that were masked and have the same begin and end, in instructions; `core` is the core of the
    longest.

    `link` is the link register at the begin. `trail` has the link register at the end of the longest stretch and the return addresses
    further out. `worlds` are (world, instructions of all stretches, instructions of the longest).
    """

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


class Absent(IntFlag):
    """What a source cannot know."""

    REGISTERS = 1
    CAUSES = 2
    TIME = 4
    CODE = 8
    SECURE = 16
    SERIALS = 32


@dataclass(frozen=True, slots=True)
class Source:
    """What wrote a trace that is not the plugin's. `unit` is that of its clock, empty without one; a tick lasts `femtoseconds`, 0 if the
    unit has no fixed time."""

    name: str
    unit: str
    femtoseconds: int
    absent: Absent


@dataclass(frozen=True, slots=True)
class Time:
    """The clock of a core when it had executed `instructions`: the time of its next world switch, sleep or wake-up."""

    core: int
    instructions: int
    ticks: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """A core when the machine was stopped from outside. `sleeps` at the address of its last Sleep have no Wake yet; `awake` are its
    instructions since the last of them, 0 if it is asleep or has not slept since its last change."""

    core: int
    instructions: int
    machine: int
    sleeps: int
    awake: int
    world: int
    is_asleep: bool


class GapKind(IntEnum):
    """Why data of a core is missing; docs/reference/trace-sources.md describes each. START and STOP are the ends of a trace."""

    START = 1
    STOP = 2
    LOST = 3
    ORDER = 4
    JUMP = 5
    FOREIGN = 6
    NO_WORLD = 7
    UNREADABLE = 8
    NO_SYNC = 9
    OVERFLOW = 10
    NO_MEMORY = 11
    OFF = 12
    BAD_DATA = 13
    VALUE = 14


@dataclass(frozen=True, slots=True)
class DataGap:
    """Missing data of a core that had executed `instructions`. `world` is NO_WORLD if it is not known. `missing` instructions, the clock
    before it (`ticks`) and behind it (`until`) are None if they are not known; `place` is a line or a byte of the trace, 0 if none."""

    core: int
    kind: GapKind
    world: int
    instructions: int
    missing: int | None
    ticks: int | None
    until: int | None
    place: int


@dataclass(frozen=True, slots=True)
class Spent:
    """Ticks of each fragment since the core's last world switch or wake-up."""

    core: int
    unlisted_ticks: int
    fragments: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class End:
    records: int
    lost: int


@dataclass(frozen=True, slots=True)
class Answers:
    """How a call reports that it failed: names of the signed values, of `bits` bits, in result `register`. If there is a `marker`, the
    call failed only if the first result equals it."""

    codes: Mapping[int, str]
    register: int = 0
    bits: int = 32
    marker: int | None = None


@dataclass(frozen=True, slots=True)
class CallNames:
    """Names of the function numbers of SMCCC and how each call reports a failure; names of SBI extensions, of their functions, and how
    they report a failure. `last` are the calls after which nothing runs."""

    smc: Mapping[int, str]
    sbi: Mapping[int, tuple[str, tuple[str, ...]]]
    answers: Mapping[int, Answers]
    sbi_answers: Answers
    last: frozenset[int]


Record = Core | Crossing | Sleep | Wake | Fragment | Path | Profile | Naps | Masked | Source | Time | DataGap | Spent | Stopped | End


@dataclass(frozen=True, slots=True)
class Stretch:
    """What a core ran between two world switches: `steps` as in a Path, then `runs` of fragments in unknown order, and
    `unlisted_instructions` of which no fragment is known."""

    steps: tuple[int, ...] = ()
    runs: tuple[tuple[int, int], ...] = ()
    unlisted_instructions: int = 0


def world_name(arch: Arch, world: int) -> str:
    """`EL3`, `EL1`, `S-EL1`, `R-EL2`; `M`, `HS`, `VS`, `S`, `U`, `VU`; `secure handler`; `none` before a core's first instruction. `secure`
    and `non-secure` if only the security state is known."""
    level = world & LEVEL_MASK
    if world == NO_WORLD:
        return "none"
    if arch is Arch.RISCV:
        return RISCV_WORLDS.get(world, "?")
    if arch is Arch.ARMV8M:
        return f"{'secure' if world & SECURE else 'non-secure'} {'handler' if level else 'thread'}"
    if level == 3:
        return "EL3"
    if world & NO_LEVEL:
        return "secure" if world & SECURE else "non-secure"
    prefix = "R-" if world & REALM else "S-" if world & SECURE else ""
    return f"{prefix}EL{level}"
