"""What the guest's module prints of the EL3 rings: a line a core, then its records `sequence ticks event arg` (arg in hex)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from latlab.analysis.attribution import Call
from latlab.formats.events import EventTable
from latlab.model import CoreId, CoreTrace, Problem, TraceRecord

CORE = re.compile(r"^core (\d+)\.(\d+) cpu=(\d+) next=(\d+) oldest=(\d+)$")
RECORD = re.compile(r"^(\d+) (\d+) (\d+) ([0-9a-f]+)$")
INFO = re.compile(r"events=([0-9a-f]{16}) clock_hz=(\d+) capture_mticks=(\d+)")
ENTERS = {"ENTER_SMC": "EXIT_SMC", "ENTER_PSCI": "EXIT_PSCI"}


@dataclass(frozen=True, slots=True)
class El3Records:
    """The rings by CPU number. `problems` names the lines that could not be read."""

    traces: tuple[CoreTrace, ...]
    cpus: tuple[int, ...]
    problems: tuple[Problem, ...]

    @property
    def lost(self) -> int:
        return sum(trace.lost for trace in self.traces)

    @property
    def unseen_ticks(self) -> dict[int, tuple[tuple[int, int], ...]]:
        """By CPU, the stretches of time whose records were overwritten before they were read."""
        pairs = zip(self.cpus, self.traces, strict=True)
        return {cpu: found for cpu, trace in pairs if (found := tuple(_gaps(trace)))}

    def calls(self) -> tuple[Call, ...]:
        return tuple(call for cpu, trace in zip(self.cpus, self.traces, strict=True) for call in _calls(cpu, trace.records))


def read_records(text: str, table: EventTable, place: str) -> El3Records:
    """Records of unknown events keep their number as a name, so that nothing is lost."""
    traces: list[CoreTrace] = []
    cpus: list[int] = []
    problems: list[Problem] = []
    records: list[TraceRecord] = []
    core: CoreId | None = None
    lost = 0
    for number, line in enumerate(text.splitlines(), 1):
        if match := CORE.match(line):
            if core is not None:
                traces.append(CoreTrace("rt", 0, 0, core, tuple(records), lost))
            core, records, lost = CoreId(int(match[1]), int(match[2])), [], int(match[5])
            cpus.append(int(match[3]))
        elif (match := RECORD.match(line)) and core is not None:
            sequence, ticks, event, arg = int(match[1]), int(match[2]), int(match[3]), int(match[4], 16)
            known = table.by_id.get(event)
            records.append(TraceRecord(sequence, ticks, known.name if known else f"EVENT_{event}", arg))
        else:
            problems.append(Problem(number, f"{place}:{number}: neither a core nor a record: {line[:60]!r}; the line is left out"))
    if core is not None:
        traces.append(CoreTrace("rt", 0, 0, core, tuple(records), lost))
    return El3Records(tuple(traces), tuple(cpus), tuple(problems))


def info_of(text: str) -> tuple[str, int, int] | None:
    """Event table's hash, counter in Hz, cost of a capture in thousandths of a tick."""
    match = INFO.search(text)
    return (match[1], int(match[2]), int(match[3])) if match else None


def merged(reads: Sequence[El3Records], since_boot: bool = True) -> El3Records:
    """Several reads of the same rings: each record once, by its sequence. What no read caught is lost; what had been overwritten before
    the first read counts only where `since_boot`."""
    cpus = tuple(dict.fromkeys(cpu for read in reads for cpu in read.cpus))
    traces = tuple(_joined(cpu, reads, since_boot) for cpu in cpus)
    return El3Records(traces, cpus, tuple(problem for read in reads for problem in read.problems))


def _joined(cpu: int, reads: Sequence[El3Records], since_boot: bool) -> CoreTrace:
    parts = [trace for read in reads for number, trace in zip(read.cpus, read.traces, strict=True) if number == cpu]
    found = {record.sequence: record for part in parts for record in part.records}
    records = tuple(found[sequence] for sequence in sorted(found))
    first = 0 if since_boot or not records else records[0].sequence
    lost = records[-1].sequence + 1 - first - len(records) if records else 0
    return replace(parts[-1], records=records, lost=lost)


def _gaps(trace: CoreTrace) -> Iterator[tuple[int, int]]:
    """Before the first record that is held, and between records that do not follow each other."""
    if trace.records and trace.records[0].sequence > 0:
        yield 0, trace.records[0].time_ticks
    for before, after in pairwise(trace.records):
        if after.sequence != before.sequence + 1:
            yield before.time_ticks, after.time_ticks


def _calls(cpu: int, records: Sequence[TraceRecord]) -> Iterator[Call]:
    """A call that does not return by its own exit (a suspend that powers down) ends where the next one of its kind does. No call
    reaches over records that are lost."""
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
