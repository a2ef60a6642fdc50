"""What the guest's module prints of the EL3 rings: a line a core, then its records `sequence ticks event arg` (arg in hex)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

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
    def held_from_ticks(self) -> dict[int, int]:
        """The oldest time that each overwritten ring still holds."""
        pairs = zip(self.cpus, self.traces, strict=True)
        return {cpu: trace.records[0].time_ticks for cpu, trace in pairs if trace.lost and trace.records}

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


def merged(reads: Sequence[El3Records]) -> El3Records:
    """Several reads of the same rings: each record once, by its sequence. What no read caught is lost."""
    cpus = reads[0].cpus
    traces = []
    for index in range(len(cpus)):
        found = {record.sequence: record for read in reads for record in read.traces[index].records}
        records = tuple(found[sequence] for sequence in sorted(found))
        lost = records[-1].sequence + 1 - len(records) if records else 0
        traces.append(replace(reads[-1].traces[index], records=records, lost=lost))
    return El3Records(tuple(traces), cpus, tuple(problem for read in reads for problem in read.problems))


def _calls(cpu: int, records: Sequence[TraceRecord]) -> Iterator[Call]:
    """A call that does not return by its own exit (a suspend that powers down) ends where the next one of its kind does."""
    entered: TraceRecord | None = None
    for record in records:
        if record.event in ENTERS:
            entered = record
        elif entered is not None and record.event == ENTERS[entered.event]:
            yield Call(cpu, entered.arg & 0xFFFFFFFF, entered.time_ticks, record.time_ticks)
            entered = None
