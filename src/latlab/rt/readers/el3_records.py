# SPDX-License-Identifier: BSD-3-Clause
"""What the guest's module prints of the EL3 rings: one line per core, then its records `sequence ticks event arg` (arg in hex)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from latlab.calls.model.calls import Call
from latlab.core.model.events import EventTable
from latlab.core.model.run import CoreId, CoreTrace, Problem, TraceRecord

CORE = re.compile(r"^core (\d{1,5})\.(\d{1,5}) cpu=(\d{1,5}) next=(\d{1,20}) oldest=(\d{1,20})$", re.ASCII)
RECORD = re.compile(r"^(\d{1,20}) (\d{1,20}) (\d{1,5}) ([0-9a-f]{1,16})$", re.ASCII)
INFO = re.compile(r"events=([0-9a-f]{16}) clock_hz=(\d{1,20}) capture_mticks=(\d{1,20})", re.ASCII)
END_OF_TIME = 1 << 64
ENTERS = {"ENTER_SMC": "EXIT_SMC", "ENTER_PSCI": "EXIT_PSCI"}


@dataclass(frozen=True, slots=True)
class El3Records:
    """The rings by CPU number. `problems` lists the lines that could not be read."""

    traces: tuple[CoreTrace, ...]
    cpus: tuple[int, ...]
    problems: tuple[Problem, ...]

    @property
    def lost(self) -> int:
        return sum(trace.lost for trace in self.traces)

    @property
    def gaps(self) -> dict[int, tuple[tuple[int, int], ...]]:
        """For each CPU, the intervals, in ticks, whose records were overwritten before they were read."""
        pairs = zip(self.cpus, self.traces, strict=True)
        return {cpu: tuple(_gaps(trace)) for cpu, trace in pairs if trace.lost}

    def calls(self) -> tuple[Call, ...]:
        return tuple(call for cpu, trace in zip(self.cpus, self.traces, strict=True) for call in _calls(cpu, trace.records))


def read_all(text: str, table: EventTable, place: str) -> El3Records:
    """Successive reads of the rings, each after a line `read`; the first part says from which record on all are wanted."""
    parts = re.split(r"^read\n", text, flags=re.MULTILINE)
    if len(parts) == 1:
        return read_records(text, table, place)
    begins = {int(match[3]): int(match[4]) for line in parts[0].splitlines() if (match := CORE.match(line))}
    lines = [0, *accumulate(part.count("\n") + 1 for part in parts)]
    head = read_records(parts[0], table, place)
    record_set = merged([read_records(part, table, place, line) for part, line in zip(parts[1:], lines[1:], strict=False)])
    traces = [_since(trace, begins.get(cpu, 0)) for cpu, trace in zip(record_set.cpus, record_set.traces, strict=True)]
    unsaid = [
        Problem(1, f"{place}:1: the first record that is wanted of CPU {cpu} is not stated; all are kept")
        for cpu in record_set.cpus
        if cpu not in begins
    ]
    return replace(record_set, traces=tuple(traces), problems=(*head.problems, *unsaid, *record_set.problems))


def _since(trace: CoreTrace, begin: int) -> CoreTrace:
    records = tuple(record for record in trace.records if record.sequence >= begin)
    return replace(trace, records=records, lost=records[-1].sequence + 1 - begin - len(records) if records else 0)


def read_records(text: str, table: EventTable, place: str, lines_before: int = 0) -> El3Records:
    """Records of unknown events keep their number as a name, so that nothing is lost."""
    traces: list[CoreTrace] = []
    cpus: list[int] = []
    problems: list[Problem] = []
    records: list[TraceRecord] = []
    core: CoreId | None = None
    lost = 0
    for number, line in enumerate(text.splitlines(), 1 + lines_before):
        if match := CORE.match(line):
            if core is not None:
                traces.append(CoreTrace("rt", 0, 0, core, tuple(records), lost))
            core, records, lost = CoreId(int(match[1]), int(match[2])), [], int(match[5])
            cpus.append(int(match[3]))
        elif (match := RECORD.match(line)) and core is not None:
            sequence, ticks, event, arg = int(match[1]), int(match[2]), int(match[3]), int(match[4], 16)
            event_type = table.by_id.get(event)
            records.append(TraceRecord(sequence, ticks, event_type.name if event_type else f"EVENT_{event}", arg))
        else:
            problems.append(Problem(number, f"{place}:{number}: neither a core nor a record: {line[:60]!r}; the line is left out"))
    if core is not None:
        traces.append(CoreTrace("rt", 0, 0, core, tuple(records), lost))
    return El3Records(tuple(traces), tuple(cpus), tuple(problems))


def info_of(text: str) -> tuple[str, int, int] | None:
    """The event table's hash, the counter in Hz, the cost of a capture in thousandths of a tick."""
    match = INFO.search(text)
    return (match[1], int(match[2]), int(match[3])) if match else None


def merged(reads: Sequence[El3Records]) -> El3Records:
    """Several reads of the same rings: each record once, by its sequence. What no read caught is lost; a read may be incomplete."""
    cpus = tuple(dict.fromkeys(cpu for read in reads for cpu in read.cpus))
    traces = tuple(_joined(cpu, reads) for cpu in cpus)
    return El3Records(traces, cpus, tuple(problem for read in reads for problem in read.problems))


def _joined(cpu: int, reads: Sequence[El3Records]) -> CoreTrace:
    parts = [trace for read in reads for number, trace in zip(read.cpus, read.traces, strict=True) if number == cpu]
    by_sequence = {record.sequence: record for part in parts for record in part.records}
    records = tuple(by_sequence[sequence] for sequence in sorted(by_sequence))
    return replace(parts[-1], records=records, lost=records[-1].sequence + 1 - len(records) if records else 0)


def _gaps(trace: CoreTrace) -> Iterator[tuple[int, int]]:
    """Jumps of the sequence, and what is lost before the first record."""
    if not trace.records:
        yield 0, END_OF_TIME
        return
    inside = [(a, b) for a, b in pairwise(trace.records) if b.sequence != a.sequence + 1]
    if trace.lost > sum(b.sequence - a.sequence - 1 for a, b in inside):
        yield 0, trace.records[0].time_ticks
    yield from ((a.time_ticks, b.time_ticks) for a, b in inside)


def _calls(cpu: int, records: Sequence[TraceRecord]) -> Iterator[Call]:
    """A call that does not return by its own exit (a suspend that powers down) ends where the next one of its kind does. No call
    spans records that are lost."""
    entered: TraceRecord | None = None
    expected = 0
    for record in records:
        if record.sequence != expected:
            entered = None
        expected = record.sequence + 1
        if record.event in ENTERS:
            entered = record
        elif entered is not None and record.event == ENTERS[entered.event]:
            yield Call(cpu, entered.arg & 0xFFFFFFFF, entered.time_ticks, record.time_ticks)
            entered = None
