# SPDX-License-Identifier: BSD-3-Clause
"""The file of a job with rtla: for each run of `rtla timerlat hist` the clocks before it, its output, the clocks after it, and the tracer's
latencies just before it stopped. A section begins with `== clocks`, `== rtla` or `== trace`.

The output has the analysis but not when it was; the trace has that on the scheduler's clock, which the sections of clocks relate to
CLOCK_MONOTONIC."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from latlab.benchmarks.readers.rtla_output import STOPPED, Analysis, AnalysisPart, analyses
from latlab.core.errors import DataError
from latlab.core.model.distributions import Counts, Distribution
from latlab.rt.model.timerlat import NamedPart, Spike, TimerlatPart, TimerlatRuns
from latlab.rt.model.wakeups import Wakeups, cpu_row
from latlab.rt.readers.rtla import TIMERLAT, read_timerlat
from latlab.rt.readers.timerlat_trace import LINE

SECTION = re.compile(r"^== (clocks|rtla|trace)$", re.MULTILINE)
CLOCK = re.compile(r"^(ktime|sched_clk) *: (\d{1,15})\.(\d{6})$", re.ASCII | re.MULTILINE)
"""In milliseconds, to the nanosecond."""
NO_SAMPLE = re.compile(r"^count:[\s0]*$", re.MULTILINE)
IRQ_ENTRY = re.compile(r"^(?:el[01]\w*_64_irq|asm_(?:sysvec|common)_\w+|__irq_(?:svc|usr)|ret_from_exception|handle_exception)$", re.ASCII)
"""The last function of the stack that belongs to the interrupt itself: arm64, x86, arm, riscv."""
PARTS = {
    "Previous IRQ interference": TimerlatPart.PREVIOUS_IRQ,
    "IRQ handler delay": TimerlatPart.IRQ_DELAY,
    "IRQ handler delay (exit from idle)": TimerlatPart.IDLE_EXIT,
    "Timerlat IRQ duration": TimerlatPart.TIMER_IRQ,
    "Blocking thread": TimerlatPart.BLOCKING,
    "NMI interference": TimerlatPart.NMI,
    "IRQ interference": TimerlatPart.IRQ,
    "Softirq interference": TimerlatPart.SOFTIRQ,
    "Thread interference": TimerlatPart.THREAD,
}
SAME_NS = 1_000
"""The analysis prints a latency in whole nanoseconds or in hundredths of a microsecond."""


def read_timerlat_runs(text: str, place: str) -> TimerlatRuns:
    """Raises DataError if no run of rtla measured anything."""
    sections = list(_sections(text))
    clocks = [clock for kind, body in sections if kind == "clocks" and (clock := _clock(body)) is not None]
    outputs = [body for kind, body in sections if kind == "rtla"]
    traces = [body for kind, body in sections if kind == "trace"]
    measured, problems = _measured(outputs, place)
    if not measured:
        raise DataError(problems[0] if problems else f"{place}: rtla measured no wake-up; give it a longer --duration")
    spikes = tuple(
        spike
        for number, body in enumerate(outputs)
        for analysis in analyses(body)
        if (spike := _spike(analysis, traces[number] if number < len(traces) else "", clocks)) is not None
    )
    stopped = sum(STOPPED.search(body) is not None for body in outputs)
    facts = [("runs of rtla", f"{len(outputs)}, {stopped} of them ended by the threshold")]
    if stopped > len(spikes):
        facts.append(("without an analysis", f"{stopped - len(spikes)} of these: an rtla before 6.3, or a file that was cut off"))
    first = measured[0]
    joined = replace(first, cpus=_joined(measured), facts=tuple(facts), problems=tuple(problems), complete=not problems)
    return TimerlatRuns(joined, spikes)


def _sections(text: str) -> Iterator[tuple[str, str]]:
    starts = list(SECTION.finditer(text))
    for match, following in zip(starts, [*starts[1:], None], strict=True):
        yield match[1], text[match.end() : following.start() if following else len(text)]


def _clock(body: str) -> tuple[int, int] | None:
    """The scheduler's clock and CLOCK_MONOTONIC at one moment, in ns."""
    times = {name: int(ms) * 1_000_000 + int(fraction) for name, ms, fraction in CLOCK.findall(body)}
    return (times["sched_clk"], times["ktime"]) if len(times) == 2 else None


def _measured(outputs: Sequence[str], place: str) -> tuple[list[Wakeups], list[str]]:
    """The histogram of each run that had a wake-up, and what is wrong with them."""
    measured, problems = [], []
    for number, body in enumerate(outputs, 1):
        if NO_SAMPLE.search(body):
            continue
        if TIMERLAT not in body:
            problems.append(f"{place}: run {number} of rtla printed no histogram; `latlab show --log timerlat.err` prints why")
            continue
        try:
            wakeups = read_timerlat(body, f"{place}, run {number}")
        except DataError as error:
            problems.append(str(error))
            continue
        measured.append(wakeups)
        problems += wakeups.problems
    return measured, problems


def _joined(measured: Sequence[Wakeups]) -> tuple[Distribution, ...]:
    numbers = sorted({cpu.number for wakeups in measured for cpu in wakeups.cpus})
    return tuple(_cpu(number, [cpu for wakeups in measured for cpu in wakeups.cpus if cpu.number == number]) for number in numbers)


def _cpu(number: int, rows: Sequence[Distribution]) -> Distribution:
    got = sum(row.got for row in rows)
    average = sum(row.average_ticks * row.got for row in rows) / got if got else 0.0
    measured = [row for row in rows if row.got]
    least = min((row.minimum_ticks for row in measured), default=0)
    most = max((row.maximum_ticks for row in measured), default=0)
    return cpu_row(number, _sum_of(rows), got, least, most, average, beyond=sum(row.beyond for row in rows))


def _sum_of(rows: Sequence[Distribution]) -> Counts:
    """All have the same width, which rtla was given."""
    counts: dict[tuple[int, int], int] = {}
    for low, high, n in (interval for row in rows for interval in row.counts):
        counts[low, high] = counts.get((low, high), 0) + n
    return tuple((low, high, n) for (low, high), n in sorted(counts.items()))


def _spike(analysis: Analysis, trace: str, clocks: Sequence[tuple[int, int]]) -> Spike | None:
    """None where the analysis was cut off."""
    if not analysis.total or not analysis.parts:
        return None
    late_ns, cpu = round(float(analysis.total) * 1000), int(analysis.cpu)
    parts = [_named(part) for part in analysis.parts]
    blocking = next((part.name for part in parts if part.part is TimerlatPart.BLOCKING), "")
    return Spike(
        cpu,
        late_ns,
        _end_ns(trace, cpu, "thread" if analysis.is_thread else "irq", late_ns, clocks),
        tuple(sorted(parts, key=lambda part: -part.ns)),
        blocking,
        _function(analysis.stack),
        analysis.is_thread,
    )


def _named(part: AnalysisPart) -> NamedPart:
    name = max(part.named, key=lambda entry: entry[1])[0] if part.named else ""
    return NamedPart(PARTS[part.name], round(part.us * 1000), name.rpartition(":")[0])


def _function(stack: Sequence[str]) -> str:
    """Where in the kernel the timer's interrupt came; empty where the stack does not show its entry."""
    entry = max((at for at, name in enumerate(stack) if IRQ_ENTRY.match(name)), default=None)
    return stack[entry + 1] if entry is not None and entry + 1 < len(stack) else ""


def _end_ns(trace: str, cpu: int, context: str, late_ns: int, clocks: Sequence[tuple[int, int]]) -> int | None:
    """When the latency ended, by the tracer's last line of it; None if the line or a clock is missing."""
    lines = [
        match for line in trace.splitlines() if (match := LINE.match(line)) and int(match["cpu"]) == cpu and match["context"] == context
    ]
    if not clocks or not lines or abs(int(lines[-1]["ns"]) - late_ns) > SAME_NS:
        return None
    seconds, _, fraction = lines[-1]["at"].partition(".")
    tracer_ns = int(seconds) * 1_000_000_000 + int(fraction.ljust(9, "0"))
    offsets = [monotonic - scheduler for scheduler, monotonic in clocks]
    return tracer_ns + round(float(np.interp(tracer_ns, [scheduler for scheduler, _ in clocks], offsets)))
