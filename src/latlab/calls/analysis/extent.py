# SPDX-License-Identifier: BSD-3-Clause
"""How much of a trace there is: instructions and ticks of each world, the gaps between, and what ran in all of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from latlab.calls.model.crossings import NO_WORLD, Arch, Crossing, DataGap, GapKind, Path, Profile, Record, Spent, Stretch, Time, world_name

REASONS = {
    GapKind.START: "the trace begins when the core had already run",
    GapKind.LOST: "numbered instructions are missing",
    GapKind.ORDER: "numbers or times go back",
    GapKind.JUMP: "the code continues where the instruction before does not lead",
    GapKind.FOREIGN: "lines of another dialect, unit or architecture",
    GapKind.NO_WORLD: "instructions without a known mode",
    GapKind.UNREADABLE: "instructions that cannot be read",
    GapKind.NO_SYNC: "the decoder was not synchronised",
    GapKind.OVERFLOW: "the trace unit or its buffer was full",
    GapKind.NO_MEMORY: "the code at the address is in no image",
    GapKind.OFF: "the trace was off or filtered",
    GapKind.BAD_DATA: "damaged packets",
    GapKind.VALUE: "a register has a value that the instructions before do not give",
}


@dataclass(slots=True)
class GapSum:
    """Gaps of one kind behind one world. `missing` is a sum, None if one of them is not known; so is `ticks`. `place` is that of the
    first, a line or a byte, 0 if none."""

    count: int = 0
    missing: int | None = 0
    ticks: int | None = 0
    place: int = 0

    def add(self, gap: DataGap) -> None:
        self.place = self.place if self.count else gap.place
        self.count += 1
        self.missing = None if self.missing is None or gap.missing is None else self.missing + gap.missing
        is_dated = gap.ticks is not None and gap.until is not None and gap.until >= gap.ticks
        self.ticks = self.ticks + (gap.until or 0) - (gap.ticks or 0) if is_dated and self.ticks is not None else None


@dataclass(slots=True)
class _Core:
    world: int = NO_WORLD
    instructions: int = 0
    ticks: int | None = None
    pending: int | None = None
    steps: tuple[int, ...] = ()
    runs: tuple[tuple[int, int], ...] = ()
    unlisted: int = 0


@dataclass(slots=True)
class Extent:
    """Feed it the records of a trace. `ran` and `spent` are of the measured code, by core, while it is in its first world."""

    instructions: Counter[int] = field(default_factory=Counter)
    ticks: Counter[int] = field(default_factory=Counter)
    gaps: dict[tuple[int, GapKind], GapSum] = field(default_factory=lambda: defaultdict(GapSum))
    ran: dict[int, list[Stretch]] = field(default_factory=lambda: defaultdict(list))
    spent: dict[int, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    first_ticks: int | None = None
    last_ticks: int | None = None
    switches: int = 0
    _cores: dict[int, _Core] = field(default_factory=lambda: defaultdict(_Core))

    def feed(self, record: Record) -> None:
        match record:
            case Time():
                self._cores[record.core].pending = record.ticks
            case Crossing():
                self._close(record.core, record.instructions, self._cores[record.core].pending)
                self._cores[record.core].world = record.entered
                self.switches += record.left_world != NO_WORLD
            case DataGap():
                self._gap(record)
            case Path():
                self._cores[record.core].steps += record.steps
            case Profile():
                core = self._cores[record.core]
                core.runs, core.unlisted = core.runs + record.runs, core.unlisted + record.unlisted_instructions
            case Spent() if not self.switches:
                self.spent[record.core].update(dict(record.fragments))

    def _keep(self, number: int, stretch: Stretch) -> None:
        """All of a long trace would fill the memory; with world switches it has calls instead."""
        if self.switches:
            self.ran.clear()
            self.spent.clear()
        else:
            self.ran[number].append(stretch)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing, also not before it."""
        return not self.gaps

    def worlds(self) -> tuple[int, ...]:
        return tuple(sorted(self.instructions, reverse=True))

    def _gap(self, gap: DataGap) -> None:
        core = self._cores[gap.core]
        self._close(gap.core, gap.instructions, gap.ticks)
        if gap.kind is not GapKind.STOP:
            self.gaps[core.world if gap.world == NO_WORLD else gap.world, gap.kind].add(gap)
        core.world = NO_WORLD

    def _close(self, number: int, instructions: int, ticks: int | None) -> None:
        """The stay in a world that ends now."""
        core = self._cores[number]
        if core.world != NO_WORLD:
            self.instructions[core.world] += instructions - core.instructions
            if ticks is not None and core.ticks is not None:
                self.ticks[core.world] += ticks - core.ticks
        if core.steps or core.runs or core.unlisted:
            self._keep(number, Stretch(core.steps, core.runs, core.unlisted))
        core.steps, core.runs, core.unlisted = (), (), 0
        core.instructions, core.ticks, core.pending = instructions, ticks, None
        if ticks is not None:
            self.first_ticks = ticks if self.first_ticks is None else min(self.first_ticks, ticks)
            self.last_ticks = ticks if self.last_ticks is None else max(self.last_ticks, ticks)


def gap_sentences(extent: Extent, arch: Arch, unit: str, place: str = "line") -> tuple[str, ...]:
    """A sentence for each kind of missing data in each world, except for a late start. `place`: what gaps are counted in, such as lines."""
    return tuple(_sentence(key, gap, arch, unit, place) for key, gap in extent.gaps.items() if key[1] is not GapKind.START)


def _sentence(key: tuple[int, GapKind], gap: GapSum, arch: Arch, unit: str, place: str) -> str:
    world, kind = key
    where = f"behind {world_name(arch, world)}" if world != NO_WORLD else "of unknown world"
    missing = "" if gap.missing is None else f", {number_of(gap.missing, 'instruction')}"
    ticks = "" if not gap.ticks or not unit else f", {gap.ticks:,} {unit}"
    first = f", first at {place} {gap.place:,}" if gap.place else ""
    return f"missing data {where}, {number_of(gap.count, 'time')}: {REASONS[kind]}{missing}{ticks}{first}"


def number_of(number: int, noun: str) -> str:
    """`1 time`, `1,204 instructions`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
