# SPDX-License-Identifier: BSD-3-Clause
"""What rtla's analysis names, and beside it what the recorder names of the same late wake-ups, in one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from latlab.core.model.blame import BlameKind
from latlab.core.report.table import Column, Table, Value, figures, prose, words
from latlab.rt.analysis.causes import cause_name
from latlab.rt.analysis.namings import Agreement, Naming
from latlab.rt.analysis.result import RtResult
from latlab.rt.model.advice import advice_for
from latlab.rt.model.timerlat import NamedPart, Spike, TimerlatPart
from latlab.rt.pages.words import us

MOST_SPIKES = 20
TIMERLAT_THREAD = "rtla timerlat (Thr)"
ADVISED = {
    TimerlatPart.PREVIOUS_IRQ: BlameKind.INTERRUPT,
    TimerlatPart.IRQ_DELAY: BlameKind.MASKED,
    TimerlatPart.IDLE_EXIT: BlameKind.IDLE_EXIT,
    TimerlatPart.BLOCKING: BlameKind.UNPREEMPTED,
    TimerlatPart.IRQ: BlameKind.INTERRUPT,
    TimerlatPart.SOFTIRQ: BlameKind.SOFTIRQ,
    TimerlatPart.THREAD: BlameKind.THREAD,
}
"""Whose advice is right for a part that rtla names alone."""
UNIT = "µs"
BY_RECORDER = (Column("Late by the recorder", unit=UNIT), prose("Recorder names"), *words("They are"), prose("Events that decide"))


def tables(result: RtResult) -> list[Table]:
    """Nothing where rtla analysed nothing."""
    if not result.namings:
        return []
    common = [naming for naming in result.namings if naming.recorder is not None]
    shown = sorted(common or result.namings, key=lambda naming: -naming.spike.late_ns)[:MOST_SPIKES]
    shown.sort(key=lambda naming: naming.spike.end_ns or 0)
    title = "Recorder and rtla, cause by cause" if common else "Late wake-ups by rtla's analysis"
    columns = (
        Column("At", unit="s"),
        *figures("CPU"),
        Column("Late", unit=UNIT),
        prose("rtla names"),
        *(BY_RECORDER if common else ()),
    )
    rows = tuple(_row(result, naming) for naming in shown)
    return [Table(title, columns, rows, tuple(_notes(result, common, len(shown))))]


def analysed(result: RtResult, late_ns: int) -> str:
    """What took most of rtla's maximum, as the end of a sentence; empty where rtla did not analyse it."""
    spike = next((naming.spike for naming in result.namings if naming.spike.late_ns // 1000 * 1000 == late_ns), None)
    return f": {_said_part(spike.parts[0], spike)} took {us(spike.parts[0].ns)} µs of it" if spike and spike.thread else ""


def said_spike(spike: Spike) -> str:
    """`IRQ handler delay in dd at vfs_read 166.3, blocking thread dd 9.7`: the parts that are half of the latency together."""
    if not spike.thread:
        return f"IRQ latency in {_where(spike)}"
    named, ns = [], 0
    for part in spike.parts:
        named.append(f"{_said_part(part, spike)} {us(part.ns)}")
        ns += part.ns
        if 2 * ns >= spike.late_ns:
            break
    return ", ".join(named)


def _said_part(part: NamedPart, spike: Spike) -> str:
    if part.part is TimerlatPart.IRQ_DELAY:
        return f"{part.part} in {_where(spike)}" if spike.interrupted else str(part.part)
    return f"{part.part} {part.name}".rstrip()


def _where(spike: Spike) -> str:
    return f"{spike.interrupted} at {spike.function}" if spike.function else spike.interrupted


def _row(result: RtResult, naming: Naming) -> tuple[Value, ...]:
    spike, entry = naming.spike, naming.recorder
    start_ns = (result.recorder.start_ns if result.recorder else None) or 0
    at = "-" if spike.end_ns is None else f"{(spike.end_ns - start_ns) / 1e9:.6f}"
    by_rtla = (at, str(spike.cpu), us(spike.late_ns), said_spike(spike))
    if entry is None:
        return by_rtla
    took = f" {us(entry.stolen_ns)}" if entry.stolen_ns else ""
    return (*by_rtla, us(entry.outlier.late_ns), f"{cause_name(entry)}{took}", str(naming.agreement), naming.evidence)


def _notes(result: RtResult, common: list[Naming], shown: int) -> Iterator[str]:
    saw = len(result.namings)
    if common:
        counts = Counter(naming.agreement for naming in common)
        yield f"Of {saw} latencies that stopped rtla, the recorder kept {len(common)}: " + ", ".join(
            f"{counts[agreement]} {agreement}" for agreement in Agreement if counts[agreement]
        )
        yield "The two threads were due at different times, so their latencies differ. Each µs in a name is what that cause took."
    elif result.recorder is not None:
        unplaced = sum(naming.spike.end_ns is None for naming in result.namings)
        reason = f"; for {unplaced} the tracer's clock is unknown: mount debugfs at /sys/kernel/debug" if unplaced else ""
        yield f"None of the {saw} latencies that stopped rtla is among the recorder's late wake-ups{reason}"
    if not common:
        yield from _by_part(result)
    if shown < (len(common) or saw):
        yield f"The {shown} latest of {len(common) or saw}."


def _by_part(result: RtResult) -> Iterator[str]:
    """How often each part was the largest, and what to do about it."""
    largest = [naming.largest for naming in result.namings]
    counts = Counter(part.part for part in largest)
    yield "Largest part: " + ", ".join(f"{part} of {n}" for part, n in counts.most_common())
    for part in counts:
        name = next((entry.name for entry in largest if entry.part is part), "")
        kind = ADVISED.get(part)
        if kind is not None and (advice := advice_for(result.advice, kind, name)) is not None:
            yield f"What to do about {part}: {advice.line} ({advice.source})."
