# SPDX-License-Identifier: BSD-3-Clause
"""Crossings to calls: from the first instruction in the world that serves to the first one back in the world that called.

A call may cross again inside (EL3 to a trusted OS, which asks EL3 for something): such a call is one of its own, and its instructions
are in those of the outer call too. A core that powers down inside a call returns by its wake-up.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from latlab.calls.analysis.call_names import FAST, LAST_OF_EXISTING, LEGACY_SBI, NO_ANSWERS, UNKNOWN_FUNCTION, error_of, sbi_name, smc_name
from latlab.calls.model.crossings import (
    ENTERS_AARCH32,
    LEVEL_MASK,
    NO_WORLD,
    REALM,
    SECURE,
    Answers,
    Arch,
    CallNames,
    Crossing,
    DataGap,
    GapKind,
    Naps,
    Path,
    Profile,
    Record,
    Sleep,
    Source,
    Spent,
    Stopped,
    Stretch,
    Time,
    WaitInstruction,
    Wake,
)

VECTOR_KINDS = {0x080: "IRQ", 0x100: "FIQ", 0x180: "SError"}
AARCH32_VECTOR_KINDS = {0x18: "IRQ", 0x1C: "FIQ"}
AARCH32_VECTOR_MASK = 0x1F
SYNDROME_UNKNOWN, RETURN_UNKNOWN = 1 << 8, 1 << 9
NOT_RECORDED = "not recorded"
ARGUMENTS = 8
CALL_BYTES = 4
EC_SHIFT = 26
EC_NAMES = {0x11: "SVC", 0x12: "HVC", 0x13: "SMC", 0x15: "SVC", 0x16: "HVC", 0x17: "SMC", 0x01: "WFI or WFE", 0x18: "system register"}
SMC_LIKE = ("SMC", "HVC", "SVC")
RISCV_INTERRUPT = 1 << 63
HS_MODE, M_MODE = 2, 3
RISCV_ECALLS = range(8, 12)
SBI_LAST = (0x53525354, 0x8)  # system reset, legacy shutdown


class EntryKind(StrEnum):
    """A yielding call lets interrupts of its caller in (SMCCC: bit 31 of the function is clear)."""

    CALL = "call"
    YIELDING = "yielding call"
    INTERRUPT = "interrupt"
    EXCEPTION = "exception"


CALLS = (EntryKind.CALL, EntryKind.YIELDING)


@dataclass(frozen=True, slots=True)
class WorldEntry:
    """Why a core went to a higher world: `name` for people, `function` the number that the caller gave, 0 where it gave none; how it says
    that it failed, and whether it is to end the system that called."""

    kind: EntryKind
    name: str
    function: int
    answers: Answers = NO_ANSWERS
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class Pause:
    """The sleep in which a core was down inside a call: its instructions when it fell asleep and when it woke, and those of all cores."""

    asleep: int
    asleep_machine: int
    awake: int
    awake_machine: int


@dataclass(frozen=True, slots=True)
class CallTime:
    """One stay by its core's clock, in ticks, without the sleep in which the core was down. `parts` are those in each world; `spent` those
    of each fragment, `asleep` those of other sleeps, `unlisted` those of code without a fragment. `down` is what of it was before the
    sleep in which the core was down; None without such a sleep."""

    ticks: int
    parts: tuple[tuple[int, int], ...]
    spent: tuple[tuple[int, int], ...]
    asleep: int
    unlisted: int
    down: CallTime | None = None


@dataclass(frozen=True, slots=True)
class WorldCall:
    """One stay, in instructions of its core. `parts` are those in each world; `registers` at the entry and `results` at the return are
    x0 to x7, a0 to a7 or r0 to r3, up to the first one that the source does not know. `depth` is 0 for a call that is not inside another.
    `down` and `up` are what ran before the sleep and after it; without a sleep all of it is in `down`. `error` names what a call that
    failed answered. `time` is None without a clock."""

    core: int
    caller: int
    entry: WorldEntry
    start: int
    start_machine: int
    end: int
    end_machine: int
    parts: tuple[tuple[int, int], ...]
    registers: tuple[int, ...]
    results: tuple[int, ...]
    depth: int
    pause: Pause | None = None
    down: tuple[Stretch, ...] = ()
    up: tuple[Stretch, ...] = ()
    error: str = ""
    time: CallTime | None = None

    @property
    def instructions(self) -> int:
        """Executed in the call, those between two sleeps not counted."""
        pause = self.pause
        return self.end - self.start - (pause.awake - pause.asleep if pause else 0)


@dataclass(frozen=True, slots=True)
class Fallen:
    """A call from which its core never came back: where it began, where the core fell asleep, what ran before that."""

    core: int
    entry: WorldEntry
    start: int
    asleep: int
    down: tuple[Stretch, ...]


@dataclass(frozen=True, slots=True)
class Unreturned:
    """A call that had not come back: its core slept when the records ended, or was another system's by then, or neither."""

    core: int
    caller: int
    entry: WorldEntry
    is_asleep: bool
    is_replaced: bool = False


@dataclass(frozen=True, slots=True)
class StoppedCore:
    """A core when the machine was stopped from outside: its instructions `since` its last world switch, what it `ran` since its last
    change, its last sleep, and the innermost call that has not come back."""

    record: Stopped
    since: int
    ran: Stretch
    sleep: Sleep | None
    call: Unreturned | None


@dataclass(frozen=True, slots=True)
class ColdStart:
    """Of the core that came to the normal world first, in instructions: those in each world before, and what ran, in its order."""

    core: int
    parts: tuple[tuple[int, int], ...]
    ran: tuple[Stretch, ...]

    @property
    def instructions(self) -> int:
        return sum(count for _, count in self.parts)


@dataclass(slots=True)
class _Clock:
    """Of a call that has not ended. `sleeps` have the ticks that each took, `before` what was until each of them began; `is_known` is
    false once one moment of it was not known."""

    is_known: bool = False
    parts: Counter[int] = field(default_factory=Counter)
    spent: Counter[int] = field(default_factory=Counter)
    sleeps: list[tuple[Sleep, int]] = field(default_factory=list)
    before: list[CallTime] = field(default_factory=list)
    unlisted: int = 0

    def sleep(self, record: Sleep) -> None:
        self.before.append(self.until_now())
        self.sleeps.append((record, 0))

    def until_now(self) -> CallTime:
        parts, spent = tuple(sorted(self.parts.items())), tuple(sorted(self.spent.items()))
        return CallTime(self.parts.total(), parts, spent, sum(ticks for _, ticks in self.sleeps), self.unlisted)

    def add(self, passed: int | None, world: int | None) -> None:
        """`world` is None for a sleep: the time is of the world that slept."""
        if passed is None:
            self.is_known = False
        elif world is not None:
            self.parts[world] += passed
        elif self.sleeps:
            sleep, _ = self.sleeps[-1]
            self.sleeps[-1] = sleep, passed
            self.parts[sleep.world] += passed


@dataclass(slots=True)
class _Open:
    """`registers` as in the crossing. `sleeps` are the sleeps so far with their wake-ups; `ran` is what ran before each of them and, last,
    since the last one. Of the stretches behind a sleep the first `naps[number]` are what ran between it and its wake-up."""

    caller: int
    entry: WorldEntry
    start: int
    start_machine: int
    registers: tuple[int, ...]
    parts: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    sleeps: list[tuple[Sleep, Wake | None]] = field(default_factory=list)
    clock: _Clock = field(default_factory=_Clock)
    unknown: int = 0
    ran: list[list[Stretch]] = field(default_factory=lambda: [[]])
    naps: dict[int, int] = field(default_factory=lambda: defaultdict(int))


@dataclass(slots=True)
class _CoreState:
    """`steps`, `profile` and `spent` are what ran since the last change, until the record of the next one comes; `time` is when that is,
    `last_time` when the last one was, None if not known. `sleep` is the last one. `boot` is as if its first instruction were a call, until
    it, or another core, comes to the normal world."""

    stack: list[_Open] = field(default_factory=list)
    boot: _Open | None = None
    last: int = 0
    steps: tuple[int, ...] = ()
    profile: Profile | None = None
    spent: Spent | None = None
    time: int | None = None
    last_time: int | None = None
    sleep: Sleep | None = None

    def lasting(self) -> tuple[_Open, ...]:
        """What began and has not ended."""
        return (self.boot, *self.stack) if self.boot else tuple(self.stack)


class Pairing:
    """Feed it records in their order; it gives each call when it is over. `elsewhere` are those that did not return behind the call."""

    def __init__(self, arch: Arch, names: CallNames) -> None:
        self._arch = arch
        self._names = names
        self._cores: dict[int, _CoreState] = defaultdict(_CoreState)
        self._replaced: list[Unreturned] = []
        self._is_booted = False
        self._is_plugin = True
        self.boot: ColdStart | None = None
        self.stopped: list[StoppedCore] = []
        self.across_gaps: Counter[str] = Counter()
        self.elsewhere: Counter[str] = Counter()

    def feed(self, records: Iterable[Record]) -> Iterator[WorldCall]:
        for record in records:
            match record:
                case Crossing():
                    _ran(self._cores[record.core])
                    yield from self._crossed(self._cores[record.core], record)
                case Sleep():
                    _ran(self._cores[record.core])
                    _slept(self._cores[record.core], record)
                case Wake():
                    _woke(self._cores[record.core], record)
                case Path():
                    self._cores[record.core].steps += record.steps
                case Profile():
                    self._cores[record.core].profile = _added(self._cores[record.core].profile, record)
                case Naps():
                    _napped(self._cores[record.core], record)
                case Time():
                    self._cores[record.core].time = record.ticks
                case Spent():
                    self._cores[record.core].spent = _more_spent(self._cores[record.core].spent, record)
                case DataGap():
                    self._cut(self._cores[record.core], record)
                case Stopped():
                    self.stopped.append(_stopped(self._cores[record.core], record))
                case Source():
                    self._is_plugin = False

    def unreturned(self) -> tuple[Unreturned, ...]:
        """The calls that have not come back: of cores that are off, what ran when the machine stopped, those of a system that is gone."""
        still = (_unreturned(number, call) for number, core in self._cores.items() for call in core.stack)
        return (*self._replaced, *still)

    def fallen(self) -> Iterator[Fallen]:
        """The calls in whose sleep a core still is when the records end."""
        for number, core in self._cores.items():
            if core.stack and core.stack[0].sleeps:
                yield _fallen(number, core.stack[0])

    def _cut(self, core: _CoreState, gap: DataGap) -> None:
        """No figure spans a gap: what is open is a call without an end, and a boot that began later would be another one."""
        _ran(core)
        if gap.kind is GapKind.STOP:
            return
        self.across_gaps.update(call.entry.name for call in core.stack)
        core.stack.clear()
        core.boot, self._is_booted = None, True

    def _crossed(self, core: _CoreState, record: Crossing) -> Iterator[WorldCall]:
        spent, core.last = record.instructions - core.last, record.instructions
        for call in core.lasting():
            call.parts[record.left_world] += spent
        _pass_time(core, record.left_world)
        self._booted(core, record)
        if record.left_world == NO_WORLD:
            core.stack.clear()
        elif is_entry(self._arch, record):
            entry = entry_of(self._arch, self._names, record, self._is_plugin)
            opened = _Open(record.left_world, entry, record.instructions, record.machine, record.registers, unknown=record.unknown)
            opened.clock.is_known = core.last_time is not None
            core.stack.append(opened)
        else:
            yield from self._returned(core, record)

    def _booted(self, core: _CoreState, record: Crossing) -> None:
        if self._is_booted:
            return
        if record.left_world == NO_WORLD:
            core.boot = _Open(NO_WORLD, WorldEntry(EntryKind.CALL, "boot", 0), record.instructions, record.machine, ())
        if not is_normal(self._arch, record.entered):
            return
        self._is_booted = True
        if core.boot and core.boot.parts:
            ran = tuple(stretch for part in core.boot.ran for stretch in part)
            self.boot = ColdStart(record.core, tuple(core.boot.parts.items()), ran)
        for other in self._cores.values():
            other.boot = None

    def _returned(self, core: _CoreState, record: Crossing) -> Iterator[WorldCall]:
        """The innermost open call that was made by the world that is entered is over; those inside it were ways back, no calls."""
        for depth in reversed(range(len(core.stack))):
            if core.stack[depth].caller == record.entered:
                is_whole = depth == len(core.stack) - 1 or self._arch is Arch.AARCH64
                done = core.stack[depth]
                del core.stack[depth:]
                if done.entry.is_last and not _is_back(self._arch, done, record):
                    self._replaced.append(_unreturned(record.core, done, is_replaced=True))
                elif is_whole:
                    if done.entry.kind is EntryKind.CALL and not done.sleeps and not _is_back(self._arch, done, record):
                        self.elsewhere[done.entry.name] += 1
                    yield _call(self._arch, done, record, depth)
                return
        if self._arch is Arch.AARCH64 and not record.entered & (SECURE | REALM):
            # A boot through the secure world: what is open there has called for the last time.
            self._replaced += [_unreturned(record.core, call, is_replaced=True) for call in core.stack]
            core.stack.clear()


def _call(arch: Arch, done: _Open, record: Crossing, depth: int) -> WorldCall:
    pause, before = _pause(done)
    behind = [stretch for part in done.ran[before:] for stretch in part]
    return WorldCall(
        record.core,
        done.caller,
        done.entry,
        done.start,
        done.start_machine,
        record.instructions,
        record.machine,
        tuple(sorted(done.parts.items())),
        _known_of(done.registers[: argument_count(arch)], done.unknown),
        _known_of(record.registers[: argument_count(arch)], record.unknown),
        depth,
        pause,
        tuple(stretch for part in done.ran[:before] for stretch in part),
        tuple(behind[done.naps.get(before, 0) :]),
        _error(done.entry.answers, record) if _is_back(arch, done, record) else "",
        _time_of(done, pause),
    )


def _known_of(registers: tuple[int, ...], unknown: int) -> tuple[int, ...]:
    first_unknown = next((number for number in range(len(registers)) if unknown >> number & 1), len(registers))
    return registers[:first_unknown]


def _error(answers: Answers, record: Crossing) -> str:
    """What failed, or that the register which says so is not known."""
    answer_bits = 1 << answers.register | (answers.marker is not None)
    return f"answer {NOT_RECORDED}" if answers.codes and record.unknown & answer_bits else error_of(answers, record.registers)


def _time_of(done: _Open, pause: Pause | None) -> CallTime | None:
    clock = done.clock
    if not clock.is_known:
        return None
    whole = clock.until_now()
    number = next((at for at, (sleep, _) in enumerate(clock.sleeps) if pause and sleep.instructions == pause.asleep), None)
    if number is None:
        return whole
    sleep, ticks = clock.sleeps[number]
    parts = Counter(clock.parts)
    parts[sleep.world] -= ticks
    down = clock.before[number]
    return replace(whole, ticks=parts.total(), parts=tuple(sorted(parts.items())), asleep=whole.asleep - ticks, down=down)


def _is_back(arch: Arch, done: _Open, record: Crossing) -> bool:
    """Right behind the call. A core that woke up or was started goes on elsewhere, and its first register is no answer."""
    if len(done.registers) <= ARGUMENTS + 1 or done.unknown & RETURN_UNKNOWN:
        return arch is Arch.ARMV8M
    return record.address - done.registers[ARGUMENTS + 1] in (0, CALL_BYTES)


def _unreturned(core: int, call: _Open, is_replaced: bool = False) -> Unreturned:
    return Unreturned(core, call.caller, call.entry, bool(call.sleeps) and call.sleeps[-1][1] is None, is_replaced)


def _fallen(core: int, call: _Open) -> Fallen:
    before = len(call.sleeps)
    return Fallen(
        core, call.entry, call.start, call.sleeps[-1][0].instructions, tuple(stretch for part in call.ran[:before] for stretch in part)
    )


def _pause(done: _Open) -> tuple[Pause | None, int]:
    """The sleep in which the core was down, and how many stretches of code ran before it.

    Locks sleep as well, in WFE and hardly ever twice at one place: a WFI goes before a WFE, then the one that slept more often, then the
    one during which the other cores executed more, then the last."""
    best: tuple[tuple[bool, int, int, int], Sleep, Wake] | None = None
    for number, (sleep, wake) in enumerate(done.sleeps):
        if wake is not None:
            key = (sleep.wait is WaitInstruction.WFI, wake.sleeps, wake.machine - sleep.machine, number)
            if best is None or key > best[0]:
                best = key, sleep, wake
    if best is None:
        return None, len(done.ran)
    (_, _, _, number), sleep, wake = best
    return Pause(sleep.instructions, sleep.machine, wake.instructions, wake.machine), number + 1


def is_normal(arch: Arch, world: int) -> bool:
    """A world that firmware starts and that is not its own."""
    if arch is Arch.RISCV:
        return world & LEVEL_MASK != M_MODE
    return not world & (SECURE | REALM)


def argument_count(arch: Arch) -> int:
    return 4 if arch is Arch.ARMV8M else ARGUMENTS


def is_entry(arch: Arch, crossing: Crossing) -> bool:
    """To a world that serves the one left. Changes between a system and its own processes are none, they carry no registers."""
    if not crossing.registers:
        return False
    if arch is Arch.ARMV8M:
        return bool(crossing.entered & ~crossing.left_world & 0x4)
    return crossing.entered & LEVEL_MASK > crossing.left_world & LEVEL_MASK


def entry_of(arch: Arch, names: CallNames, crossing: Crossing, is_plugin: bool = True) -> WorldEntry:
    """The plugin's syndrome register is that of an earlier exception if an interrupt came; other sources give one of this entry or none."""
    if arch is Arch.ARMV8M:
        return WorldEntry(EntryKind.CALL, f"{crossing.address & ~1:#x}", crossing.address & ~1)
    cause = crossing.registers[ARGUMENTS]
    if arch is Arch.RISCV:
        return _riscv(names, crossing, cause)
    has_cause = not is_plugin and not crossing.unknown & SYNDROME_UNKNOWN
    vector = "" if has_cause else _vector(crossing)
    if vector:
        return WorldEntry(EntryKind.INTERRUPT, vector, 0)
    if not is_plugin and not has_cause:
        return WorldEntry(EntryKind.EXCEPTION, f"exception, cause {NOT_RECORDED}", 0)
    return _aarch64(names, crossing, cause)


def _vector(crossing: Crossing) -> str:
    """The name of the interrupt whose vector the core entered, empty for other vectors."""
    if crossing.unknown & ENTERS_AARCH32:
        return AARCH32_VECTOR_KINDS.get(crossing.address & AARCH32_VECTOR_MASK, "")
    return VECTOR_KINDS.get(crossing.address & 0x180, "")


def _aarch64(names: CallNames, crossing: Crossing, syndrome: int) -> WorldEntry:
    exception_class = EC_NAMES.get(syndrome >> EC_SHIFT & 0x3F, "")
    if exception_class in SMC_LIKE and crossing.unknown & 1:
        name = exception_class if exception_class == "SVC" else f"{exception_class}, x0 {NOT_RECORDED}"
        return WorldEntry(EntryKind.CALL, name, 0)
    function = crossing.registers[0] & 0xFFFFFFFF
    if exception_class == "SVC" and not (function & FAST and function in names.smc):
        return WorldEntry(EntryKind.CALL, exception_class, 0)  # a system call, whose number is where its system wants it
    if exception_class in SMC_LIKE:
        name = smc_name(names, function) if exception_class == "SMC" else f"{exception_class} {smc_name(names, function)}"
        otherwise = UNKNOWN_FUNCTION if exception_class == "SMC" and function & FAST else NO_ANSWERS
        kind = EntryKind.CALL if function & FAST or function <= LAST_OF_EXISTING else EntryKind.YIELDING
        return WorldEntry(kind, name, function, names.answers.get(function, otherwise), function in names.last)
    return WorldEntry(EntryKind.EXCEPTION, f"{exception_class or f'exception class {syndrome >> EC_SHIFT & 0x3F:#x}'} trapped", 0)


def _riscv(names: CallNames, crossing: Crossing, cause: int) -> WorldEntry:
    if cause & RISCV_INTERRUPT:
        return WorldEntry(EntryKind.INTERRUPT, f"interrupt {cause & 0xFFFF}", 0)
    if cause in RISCV_ECALLS:
        extension, function = crossing.registers[7], crossing.registers[6]
        answers = NO_ANSWERS if extension in LEGACY_SBI else names.sbi_answers
        server = "HS " if crossing.entered == HS_MODE else ""
        name = server + sbi_name(names, extension, function, crossing.registers)
        return WorldEntry(EntryKind.CALL, name, extension, answers, extension in SBI_LAST)
    return WorldEntry(EntryKind.EXCEPTION, f"exception {cause}", 0)


def _stopped(core: _CoreState, record: Stopped) -> StoppedCore:
    call = _unreturned(record.core, core.stack[-1]) if core.stack else None
    return StoppedCore(record, record.instructions - core.last, _stretch(core), core.sleep, call)


def _slept(core: _CoreState, record: Sleep) -> None:
    core.sleep = record
    _pass_time(core, record.world)
    for call in core.lasting():
        if call.clock.is_known:
            call.clock.sleep(record)
        call.sleeps.append((record, None))
        call.ran.append([])


def _napped(core: _CoreState, record: Naps) -> None:
    for call in core.lasting():
        if call.sleeps:
            call.naps[len(call.sleeps)] += 1
            call.ran[-1].append(Stretch((), record.runs, record.unlisted_instructions))


def _woke(core: _CoreState, record: Wake) -> None:
    _pass_time(core, None)
    for call in core.lasting():
        if call.sleeps:
            call.sleeps[-1] = call.sleeps[-1][0], record


def _more_spent(before: Spent | None, more: Spent) -> Spent:
    """Sums that fill a record go on in the next."""
    if before is None:
        return more
    return Spent(more.core, before.unlisted_ticks + more.unlisted_ticks, before.fragments + more.fragments)


def _pass_time(core: _CoreState, world: int | None) -> None:
    """The clock of the change that is under way: what passed since the last one was in `world`, or in the sleep that ends."""
    passed = None if core.time is None or core.last_time is None else core.time - core.last_time
    for call in core.lasting():
        call.clock.add(passed, world)
    core.last_time, core.time = core.time, None


def _added(before: Profile | None, more: Profile) -> Profile:
    """A profile that fills a record goes on in the next."""
    if before is None:
        return more
    return Profile(more.core, before.unlisted_instructions + more.unlisted_instructions, before.runs + more.runs)


def _ran(core: _CoreState) -> None:
    """The stretch that ends now belongs to every open call."""
    if core.spent:
        for call in core.lasting():
            call.clock.spent.update(dict(core.spent.fragments))
            call.clock.unlisted += core.spent.unlisted_ticks
    core.spent = None
    if not core.steps and core.profile is None:
        return
    stretch = _stretch(core)
    core.steps, core.profile = (), None
    for call in core.lasting():
        call.ran[-1].append(stretch)


def _stretch(core: _CoreState) -> Stretch:
    """What ran since the last change."""
    runs, unlisted = (core.profile.runs, core.profile.unlisted_instructions) if core.profile else ((), 0)
    return Stretch(core.steps, runs, unlisted)
