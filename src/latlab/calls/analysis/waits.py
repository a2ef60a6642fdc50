# SPDX-License-Identifier: BSD-3-Clause
"""How long calls keep an interrupt waiting, seen from outside: one is due at every instruction of a call.

The program marks each shot so many instructions before the interrupt is due, and its own handler marks how many instructions before it
began. The first run of another handler, of the secure world or of EL3, is found in what ran. The distance between the first mark and
the due instruction is one constant, which the shots into no call at all tell: their interrupts are taken at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from latlab.calls.analysis.calls import CALLS, entry_of, is_entry, is_normal
from latlab.calls.analysis.marked import PSCI_FEATURES
from latlab.calls.analysis.paths import body_end
from latlab.calls.analysis.program_labels import MARK_NAME, text_of, with_name
from latlab.calls.analysis.symbolize import Names
from latlab.calls.model.crossings import LOOP, Arch, CallNames, Crossing, Fragment, Path, Record, world_name
from latlab.core.model.enums import Metric, Taker
from latlab.core.model.run import CoreId, Sample
from latlab.core.model.symbols import Image

MARK_SHOT, MARK_SHOT_END, MARK_CAME = 0x4C4D0003, 0x4C4D0004, 0x4C4D0006
SECURE_TIMER = 0xC70000F1
MARKS = (MARK_NAME, MARK_SHOT, MARK_SHOT_END, MARK_CAME)
NO_CALL = "no call"
ONLY_CORE = CoreId(0, 0)
FUNCTIONS_SAID = 3


TAKERS = {Taker.NORMAL: "the normal world", Taker.SECURE: "the secure world", Taker.EL3: "EL3"}
HANDLERS = {Taker.SECURE: "interrupt_main_handler", Taker.EL3: "thief_interrupt"}
"""OP-TEE's, and that of the firmware that is built to start a timer; our program's makes a mark itself."""


@dataclass(frozen=True, slots=True)
class WorldInterval:
    """In one world, since the core had executed `begin` instructions; `steps` are its path, where functions were counted there."""

    begin: int
    world: int
    steps: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Shot:
    """One interrupt, due `due` instructions behind the mark. Counts of the core: `armed` behind the mark, `called` at the first instruction
    in a higher world, `came` at the handler's first, `returned` at the first one back behind `called`. `stays` are those since `called`."""

    due: int
    armed: int
    called: int | None
    came: int
    stays: tuple[WorldInterval, ...]
    returned: int | None = None


@dataclass(frozen=True, slots=True)
class Waited:
    """Of `shots` interrupts into one call, one at every `step`-th instruction, how many waited more than at idle, and the one that waited
    longest for its handler, which was due at the core's instruction `begin`. `took` is the longest that the call then took."""

    call: str
    shots: int
    step: int
    late: int
    longest: int
    begin: int
    shot: Shot
    took: int = 0

    @property
    def due(self) -> int | None:
        """How far into the call, None where before it."""
        called = self.shot.called
        return self.begin - called if called is not None and self.begin >= called else None

    @property
    def worlds(self) -> tuple[tuple[int, int], ...]:
        """Where the wait passed, in instructions."""
        spent: dict[int, int] = {}
        ends = (*(stay.begin for stay in self.shot.stays[1:]), self.shot.came)
        for stay, end in zip(self.shot.stays, ends, strict=False):
            inside = end - max(stay.begin, self.begin)
            if inside > 0:
                spent[stay.world] = spent.get(stay.world, 0) + inside
        return tuple(spent.items())

    def fragments(self, lengths: Mapping[int, int]) -> Counter[int]:
        """How many instructions of each fragment the wait has, in the order in which they came first."""
        spent: Counter[int] = Counter()
        for stay in self.shot.stays:
            at = stay.begin
            for number, times in _in_order(stay.steps):
                end = at + lengths[number] * times
                inside = min(end, self.shot.came) - max(at, self.begin)
                if inside > 0:
                    spent[number] += inside
                at = end
        return spent


@dataclass(slots=True)
class _Open:
    due: int
    armed: int = -1
    called: int | None = None
    came: int = -1
    returned: int | None = None
    stays: list[WorldInterval] = field(default_factory=list)


class Shots:
    """Feed it the records of one core; it gives each shot whose interrupt came, by the name of its call. `instructions` are those of each
    call without one. `handler` is the address of a handler that makes no mark; `unseen` are the interrupts into each call that did not
    come, or not in what is known in its order."""

    def __init__(self, arch: Arch, names: CallNames, handler: int | None = None) -> None:
        self._arch, self._names, self._handler = arch, names, handler
        self._handlers: set[int] = set()
        self._lengths: dict[int, int] = {}
        self.unseen: Counter[str] = Counter()
        self._given = ""
        self._name = ""
        self._shot: _Open | None = None
        self._began: int | None = None
        self._steps: tuple[int, ...] = ()
        self.instructions: dict[str, int] = {}

    def feed(self, records: Iterable[Record]) -> Iterator[tuple[str, Shot]]:
        for record in records:
            if isinstance(record, Path):
                self._steps += record.steps
            elif isinstance(record, Fragment) and self._handler is not None:
                self._lengths[record.number] = record.instructions
                if record.address == self._handler:
                    self._handlers.add(record.number)
            elif isinstance(record, Crossing):
                self._stayed()
                mark = _mark(record)
                if mark:
                    yield from self._marked(mark, record)
                elif self._shot is None:
                    self._reference(record)
                else:
                    self._crossed(self._shot, record)

    def _stayed(self) -> None:
        """What has run belongs to the stay that ends now."""
        shot = self._shot
        if self._steps and shot and shot.stays and shot.came < 0:
            shot.stays[-1] = replace(shot.stays[-1], steps=self._steps)
            if not self._handlers.isdisjoint(self._steps[::2]):
                shot.came = self._handled(shot.stays[-1])
        self._steps = ()

    def _handled(self, stay: WorldInterval) -> int:
        at = stay.begin
        for number, times in _in_order(stay.steps):
            if number in self._handlers:
                return at
            at += self._lengths[number] * times
        return -1

    def _marked(self, mark: int, record: Crossing) -> Iterator[tuple[str, Shot]]:
        self._began = None
        shot = self._shot
        if mark == MARK_NAME:
            self._given = self._name = text_of(record.registers[2:4]) or ""
            self._shot = None
        elif mark == MARK_SHOT:
            self._shot = _Open(record.registers[2])
        elif mark == MARK_CAME and shot and shot.came < 0:
            shot.came = record.instructions - record.registers[2]
        elif mark == MARK_SHOT_END and shot:
            self._shot = None
            if shot.came < 0:
                self.unseen[self._name] += 1
                return
            yield self._name, Shot(shot.due, shot.armed, shot.called, shot.came, tuple(shot.stays), shot.returned)

    def _crossed(self, shot: _Open, record: Crossing) -> None:
        if shot.armed < 0:
            shot.armed = record.instructions
            return
        if shot.called is None and self._is_call(record):
            shot.called = record.instructions
        elif shot.called is not None and shot.returned is None and is_normal(self._arch, record.entered):
            shot.returned = record.instructions
        is_outside = not shot.stays and (is_normal(self._arch, record.entered) or _is_timers(record))
        if shot.came < 0 and not is_outside:
            shot.stays.append(WorldInterval(record.instructions, record.entered))

    def _is_call(self, record: Crossing) -> bool:
        is_made = is_entry(self._arch, record) and not is_normal(self._arch, record.entered) and not _is_timers(record)
        return is_made and entry_of(self._arch, self._names, record).kind in CALLS

    def _reference(self, record: Crossing) -> None:
        if self._began is None and self._is_call(record):
            self._began = record.instructions
            self._name = with_name(entry_of(self._arch, self._names, record).name, self._given)
        elif self._began is not None and is_normal(self._arch, record.entered):
            self.instructions[self._name] = record.instructions - self._began
            self._began = None


def _is_timers(record: Crossing) -> bool:
    """The program starts or stops the secure timer."""
    return record.registers[:1] == (SECURE_TIMER,)


def _mark(record: Crossing) -> int:
    """0 where the crossing is no mark."""
    registers = record.registers
    return registers[1] if registers[:1] == (PSCI_FEATURES,) and registers[1] in MARKS else 0


class Waits:
    """Add the shots in their order, those into no call first; `found` are the calls, each with its longest wait. `at_once` is what the
    way to the handler takes where nothing keeps it."""

    def __init__(self) -> None:
        self._idle: int | None = None
        self.at_once = 0
        self.found: dict[str, Waited] = {}
        self.complaints: list[str] = []

    def add(self, name: str, shot: Shot) -> None:
        behind = shot.came - shot.armed - shot.due
        if name == NO_CALL and self._idle is None:
            self.at_once = shot.came - shot.stays[0].begin if shot.stays else 0
            self._idle = behind - self.at_once
        if self._idle is None:
            self._complain("no interrupt came where no call was under way, so latlab does not know when an interrupt is due")
        elif behind < self._idle or (name == NO_CALL and behind != self._idle + self.at_once):
            first = self._idle + self.at_once
            self._complain(f"an interrupt into {name} came {behind} instructions behind its time, the first into no call {first}")
        else:
            self._keep(name, shot, behind - self._idle, self._idle)

    def _complain(self, sentence: str) -> None:
        if not self.complaints:
            self.complaints.append(f"no waits are reported: {sentence}")

    def _keep(self, name: str, shot: Shot, late: int, idle: int) -> None:
        before = self.found.get(name)
        took = shot.returned - shot.called if shot.returned is not None and shot.called is not None else 0
        waited = Waited(name, 1, 1, int(late > self.at_once), late, shot.armed + shot.due + idle, shot, took)
        if before:
            step = shot.due - before.shot.due if before.shots == 1 else before.step
            longer = waited if late > before.longest else before
            waited = replace(longer, shots=before.shots + 1, step=step, late=before.late + waited.late, took=max(before.took, took))
        self.found[name] = waited


@dataclass(frozen=True, slots=True)
class InterruptWait:
    """The longest wait into a call that takes so many `instructions` without an interrupt. `functions` are those of the same wait again,
    in their order; none where it was of another length then, or where the order of what ran is not known throughout. `at_once` is what
    the way to the handler takes where no call is under way."""

    longest: Waited
    instructions: int
    functions: tuple[tuple[str, int], ...]
    at_once: int = 0
    taker: Taker = Taker.NORMAL

    @property
    def sample(self) -> Sample:
        name = self.longest.call if self.taker is Taker.NORMAL else f"{self.longest.call}, interrupt of {TAKERS[self.taker]}"
        return Sample(name, Metric.IRQ_LATENCY, ONLY_CORE, 0, 0, self.longest.longest)


def waits_of(
    waits: Waits,
    instructions: Mapping[str, int],
    again: Waits,
    fragments: Mapping[int, Fragment],
    images: Sequence[Image],
    taker: Taker = Taker.NORMAL,
) -> tuple[InterruptWait, ...]:
    """Every call but none, in the order of the sweeps; none where there are complaints. `again` has each longest wait once more, with the
    code that ran."""
    names = Names(fragments, images)
    lengths = {number: fragment.instructions for number, fragment in fragments.items()}
    waits_found = []
    for call, waited in waits.found.items() if not waits.complaints else ():
        same = again.found.get(call)
        functions: Counter[str] = Counter()
        if same and same.longest == waited.longest:
            for number, count in same.fragments(lengths).items():
                functions[names[number]] += count
        if functions.total() != waited.longest:
            functions.clear()
        if call != NO_CALL:
            waits_found.append(InterruptWait(waited, instructions.get(call, 0), tuple(functions.items()), waits.at_once, taker))
    return tuple(waits_found)


def passed_words(wait: InterruptWait) -> str:
    """`EL3 840, S-EL1 8,820`, in instructions."""
    return ", ".join(f"{world_name(Arch.AARCH64, world)} {count:,}" for world, count in wait.longest.worlds)


def most_words(wait: InterruptWait) -> str:
    """The functions in which most of it passed, empty where that is not told."""
    most = sorted(wait.functions, key=lambda pair: -pair[1])[:FUNCTIONS_SAID]
    return ", ".join(f"{name} {100 * count / wait.longest.longest:.0f} %" for name, count in most)


def wait_words(wait: InterruptWait) -> str:
    """Of one call, for people."""
    longest, most = wait.longest, most_words(wait)
    if not longest.longest:
        return f"none of {longest.shots:,} interrupts waited"
    place = f"due {longest.due:,} instructions into it" if longest.due is not None else "due before it"
    inside = f" ({passed_words(wait)}{f'; most in {most}' if most else ''})"
    others = "" if wait.taker is Taker.NORMAL else f"; {wait.at_once:,} into no call; the call then took up to {longest.took:,}"
    return f"{longest.longest:,} instructions{inside}, of the interrupt {place}; {longest.late:,} of {longest.shots:,} waited{others}"


def _in_order(steps: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(steps):
        if steps[at] < LOOP:
            yield steps[at], steps[at + 1]
            at += 2
            continue
        end = body_end(steps, at)
        for _ in range(steps[at + 1]):
            yield from _in_order(steps[at + 2 : end])
        at = end
