# SPDX-License-Identifier: BSD-3-Clause
"""Turns the lines of a console into the iterations of a dump as they arrive; all damage is reported with its line.

An iteration that damage touched is left out entirely; the others are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count

from latlab.core.model.enums import ProblemKind, RunStatus
from latlab.core.model.events import EventTable
from latlab.core.model.figures import Figures
from latlab.core.model.run import CoreId, CoreTrace, Problem, TraceRecord
from latlab.core.readers.dump.frames import (
    Boot,
    Damage,
    Data,
    Done,
    EndFrame,
    Frame,
    RawRecord,
    Ring,
    TestStart,
    parse_frames,
    strip_escapes,
)
from latlab.core.readers.dump.messages import fault_message
from latlab.core.readers.dump.rt_instr import parse_figures, short_name

SWEEP = "sweep_"  # a test of one iteration: it tries every case once


@dataclass(frozen=True, slots=True)
class Iteration:
    """A complete iteration. `line` is the number of its TEST line; `boot` counts the BOOT lines of the log from 0."""

    boot: int
    test: str
    iteration: int
    lead: CoreId
    line: int
    traces: tuple[CoreTrace, ...]
    figures: tuple[Figures, ...] = ()


@dataclass(frozen=True, slots=True)
class Dump:
    boots: tuple[Boot, ...]
    iterations: tuple[Iteration, ...]
    ends: tuple[EndFrame, ...]
    problems: tuple[Problem, ...]

    @property
    def status(self) -> RunStatus:
        return RunStatus.PARTIAL if self.problems or not self.ends else RunStatus.COMPLETE


Item = Boot | Iteration | Problem | EndFrame


def read_dump(lines: Iterable[str], table: EventTable) -> Iterator[Item]:
    """Yield what the lines say, each item as soon as it is known. Never raises on bad input."""
    reader = _Reader(table)
    number = 0
    for number, raw in enumerate(lines, 1):
        line = strip_escapes(raw)
        message = fault_message(line)
        if message:
            yield Problem(number, message)
        for figures in parse_figures(line):
            yield from reader.damage(number, figures) if isinstance(figures, Damage) else reader.figures(number, figures)
        for frame in parse_frames(line):
            yield from reader.damage(number, frame) if isinstance(frame, Damage) else reader.frame(number, frame)
    yield from reader.close(number)


def collect_dump(lines: Iterable[str], table: EventTable) -> Dump:
    """The whole log at once."""
    items = list(read_dump(lines, table))
    return Dump(
        tuple(item for item in items if isinstance(item, Boot)),
        tuple(item for item in items if isinstance(item, Iteration)),
        tuple(item for item in items if isinstance(item, EndFrame)),
        tuple(item for item in items if isinstance(item, Problem)),
    )


@dataclass
class _OpenRing:
    frame: Ring
    line: int
    records: dict[int, RawRecord] = field(default_factory=dict)


@dataclass
class _OpenIteration:
    test: str
    number: int
    lead: CoreId | None
    line: int
    rings: dict[CoreId, _OpenRing] = field(default_factory=dict)
    figures: dict[CoreId, Figures] = field(default_factory=dict)
    reason: str = ""

    @property
    def title(self) -> str:
        return f"iteration {self.number} of {self.test}"

    def spoil(self, reason: str) -> None:
        self.reason = self.reason or reason


class _Reader:
    def __init__(self, table: EventTable) -> None:
        self.table = table
        self.boots = -1
        self.boot: Boot | None = None
        self.cores: frozenset[CoreId] = frozenset()
        self.refused = False
        self.ended = False
        self.open: _OpenIteration | None = None
        self.seen: dict[str, set[int]] = {}
        self.orphans = False

    def damage(self, line: int, damage: Damage) -> Iterator[Item]:
        if self.refused:
            return
        if self.open:
            self.open.spoil(f"line {line} is damaged")
        self.orphans = True
        yield Problem(line, f"{damage.reason}; its content is lost")

    def figures(self, line: int, figures: Figures) -> Iterator[Item]:
        if self.refused or self.boot is None or not self.open:
            return
        if figures.test != self.open.test:
            yield from self._spoil(line, f"an RT_INSTR line names {figures.test} inside {self.open.title}")
        elif figures.core not in self.cores:
            yield from self._spoil(line, f"an RT_INSTR line for core {figures.core}, which the topology {self.boot.topology} does not have")
        elif figures.core in self.open.figures:
            first = self.open.figures[figures.core].line
            yield from self._spoil(line, f"a second RT_INSTR line for core {figures.core} in {self.open.title}; the first is line {first}")
        else:
            self.open.figures[figures.core] = replace(figures, line=line)

    def frame(self, line: int, frame: Frame) -> Iterator[Item]:
        if isinstance(frame, Boot):
            yield from self._boot(line, frame)
            return
        if self.refused:
            return
        if self.boot is None:
            yield from self._orphan(line, "a dump line comes before any readable BOOT line; without it the records have no meaning")
            return
        if self.ended:
            yield from self._orphan(line, "a dump line follows the END line")
            return
        match frame:
            case TestStart():
                yield from self._test(line, frame)
            case Ring():
                yield from self._ring(line, frame)
            case Data():
                yield from self._data(line, frame)
            case Done():
                yield from self._done(line, frame)
            case EndFrame():
                yield from self._end(line, frame)

    def close(self, line: int) -> Iterator[Item]:
        """The log is over."""
        if self.refused or self.ended:
            return
        if self.boot is None:
            yield Problem(line, "the log has no readable BOOT line, so no trace of it can be used; give the whole log")
            return
        yield from self._leave_open(line, "the log ends before its DONE line")
        yield Problem(line, "the log ends before the END line; the campaign did not finish", ProblemKind.UNFINISHED)

    def _boot(self, line: int, boot: Boot) -> Iterator[Item]:
        if self.boot is not None and not self.ended and not self.refused:
            yield from self._leave_open(line, "a BOOT line comes before its DONE line")
            yield Problem(line, "a second BOOT line comes before the END line; the target restarted")
        self.boots += 1
        self.ended, self.orphans, self.seen = False, False, {}
        self.refused = boot.events != self.table.hash
        if self.refused:
            yield Problem(
                line,
                f"the dump was made with the event table {boot.events}, this latlab has {self.table.hash}; "
                "read it with the latlab of that firmware",
            )
            return
        if self.boot is not None and (self.boot.topology, self.boot.clock_hz) != (boot.topology, boot.clock_hz):
            self.refused = True
            yield Problem(line, "this boot has another topology or clock than the first; import the two separately")
            return
        self.boot = boot
        self.cores = frozenset(boot.topology.cores)
        yield boot

    def _test(self, line: int, frame: TestStart) -> Iterator[Item]:
        yield from self._leave_open(line, "its DONE line is missing")
        yield from self._begin(line, short_name(frame.name), frame.iteration, frame.lead)

    def _begin(self, line: int, test: str, number: int, lead: CoreId | None) -> Iterator[Item]:
        self.open = _OpenIteration(test, number, lead, line)
        if number in self.seen.setdefault(test, set()):
            yield from self._spoil(line, f"{self.open.title} comes a second time")
        self.seen[test].add(number)
        if lead is None:
            self.open.spoil("its TEST line is missing")

    def _belongs(self, line: int, test: str, number: int) -> Iterator[Item]:
        """Continue the iteration that the frame names, or open it without its TEST line."""
        if self.open and (self.open.test, self.open.number) == (test, number):
            return
        yield from self._leave_open(line, "its DONE line is missing")
        yield from self._begin(line, test, number, None)

    def _ring(self, line: int, frame: Ring) -> Iterator[Item]:
        yield from self._belongs(line, short_name(frame.test), frame.iteration)
        if not self.open or not self.boot:
            return
        if frame.core not in self.cores:
            yield from self._spoil(line, f"a RING line for core {frame.core}, which the topology {self.boot.topology} does not have")
        elif frame.core in self.open.rings:
            yield from self._spoil(line, f"a second RING line for core {frame.core} in {self.open.title}")
        else:
            self.open.rings[frame.core] = _OpenRing(frame, line)
            if frame.lost:
                yield Problem(line, f"core {frame.core} lost {frame.lost} records in {self.open.title}; enlarge its trace buffer")

    def _data(self, line: int, frame: Data) -> Iterator[Item]:
        ring = self.open.rings.get(frame.core) if self.open else None
        if not self.open or ring is None:
            yield from self._orphan(line, f"a DATA line of core {frame.core} has no RING line before it", spoil=True)
            return
        last = ring.frame.first + ring.frame.records
        for sequence, record in enumerate(frame.data, frame.first):
            if not ring.frame.first <= sequence < last:
                yield from self._spoil(line, f"record {sequence} of core {frame.core} is outside its RING of line {ring.line}")
                return
            if sequence in ring.records:
                yield from self._spoil(line, f"record {sequence} of core {frame.core} comes a second time")
                return
            if record.event_id not in self.table.by_id:
                yield from self._spoil(
                    line, f"record {sequence} of core {frame.core} has event {record.event_id}, which is not in the table"
                )
                return
            ring.records[sequence] = record

    def _done(self, line: int, frame: Done) -> Iterator[Item]:
        yield from self._belongs(line, short_name(frame.test), frame.iteration)
        if not self.open or not self.boot:
            return
        yield from self._check_complete(line)
        opened, self.open, self.orphans = self.open, None, False
        if opened.reason or opened.lead is None:
            yield Problem(opened.line, f"{opened.title} is left out: {opened.reason}")
            return
        yield Iteration(
            self.boots,
            opened.test,
            opened.number,
            opened.lead,
            opened.line,
            tuple(self._trace(opened, core) for core in self.boot.topology.cores),
            tuple(opened.figures[core] for core in self.boot.topology.cores if core in opened.figures),
        )

    def _check_complete(self, line: int) -> Iterator[Item]:
        """Every core has its ring, every ring its records, and either all cores have figures or none has."""
        if not self.open or not self.boot or self.open.reason:
            return
        for core in self.boot.topology.cores:
            ring = self.open.rings.get(core)
            if ring is None:
                yield from self._spoil(line, f"core {core} has no RING line in {self.open.title}")
                continue
            missing = ring.frame.records - len(ring.records)
            if missing:
                first = next(s for s in count(ring.frame.first) if s not in ring.records)
                yield from self._spoil(ring.line, f"{missing} records of core {core} are missing, from sequence {first}")
            if self.open.figures and core not in self.open.figures:
                yield from self._spoil(line, f"core {core} has no RT_INSTR line in {self.open.title}")

    def _trace(self, opened: _OpenIteration, core: CoreId) -> CoreTrace:
        ring = opened.rings[core]
        records = tuple(
            TraceRecord(sequence, raw.time_ticks, self.table.by_id[raw.event_id].name, raw.arg)
            for sequence, raw in sorted(ring.records.items())
        )
        return CoreTrace(opened.test, self.boots, opened.number, core, records, ring.frame.lost)

    def _end(self, line: int, frame: EndFrame) -> Iterator[Item]:
        yield from self._leave_open(line, "its DONE line is missing")
        self.ended, self.orphans = True, False
        due_iterations = self.boot.iterations if self.boot else 0
        for test, iterations in self.seen.items():
            due = 1 if test.startswith(SWEEP) else due_iterations
            missing = due - sum(number < due for number in iterations)
            if missing:
                first = next(number for number in count() if number not in iterations)
                yield Problem(line, f"{test} lacks {missing} of {due_iterations} iterations, the first is {first}")
        if len(self.seen) != frame.tests:
            yield Problem(line, f"the END line counts {frame.tests} tests, the log has {len(self.seen)}")
        if frame.iterations != due_iterations:
            yield Problem(line, f"the END line counts {frame.iterations} iterations of each test, the BOOT line {due_iterations}")
        yield frame

    def _leave_open(self, line: int, reason: str) -> Iterator[Item]:
        opened, self.open, self.orphans = self.open, None, False
        if opened:
            opened.spoil(f"{reason} (line {line})")
            yield Problem(opened.line, f"{opened.title} is left out: {opened.reason}")

    def _spoil(self, line: int, message: str) -> Iterator[Item]:
        """Report the damage and leave the open iteration out; what follows from the first damage is not reported again."""
        if self.open and not self.open.reason:
            yield Problem(line, message)
        if self.open:
            self.open.spoil(f"see line {line}")

    def _orphan(self, line: int, message: str, spoil: bool = False) -> Iterator[Item]:
        """Report the first of several consecutive lines that belong nowhere."""
        if not self.orphans:
            yield Problem(line, message)
        self.orphans = True
        if spoil and self.open:
            self.open.spoil(f"see line {line}")
