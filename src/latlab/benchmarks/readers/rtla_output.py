# SPDX-License-Identifier: BSD-3-Clause
"""What the tools of rtla have in common: screens that follow one another, events that they missed, and what they print where a threshold
ended the run (-a, -T, -s), with their analysis of the latency that did it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from latlab.core.errors import DataError
from latlab.core.readers.line_account import printed_lines, second_run
from latlab.core.shown import significant

STOPPED = re.compile(r"^(?:rtla )?(?:timerlat|timelat|osnoise|hwnoise) hit stop tracing", re.MULTILINE)
ANALYSED = re.compile(r"^## CPU (\d{1,5}) hit stop tracing", re.ASCII)
_US = r"(\d{1,12}(?:\.\d{1,3})?) us"
PART = re.compile(
    r"^\s+(Previous IRQ interference|IRQ handler delay|Timerlat IRQ duration|Blocking thread|(?:NMI|IRQ|Softirq|Thread) interference"
    rf"|Exit from idle latency):?(?:\s+(\(exit from idle\)))?(?:\s+(?:up to\s+)?{_US}.*)?\s*$",
    re.ASCII,
)
TOTAL = re.compile(rf"^\s+(IRQ|Thread) latency:\s+{_US} \(100 ?%\)", re.ASCII)
NAMED = re.compile(rf"^\s+(\S.{{0,120}}?:\d{{1,12}})(?:\s+{_US})?\s*$", re.ASCII)
CALLED = re.compile(r"^\s+-> (\S+)\s*$", re.ASCII)
FROM_IDLE = re.compile(rf"^Max timerlat IRQ latency from idle: {_US} in cpu (\d{{1,5}})", re.ASCII | re.MULTILINE)
MISSED = re.compile(r"^(?:(\d{1,18}) \(\d{1,3}\.\d\d%\)|unknown number of) events missed", re.ASCII | re.MULTILINE)
LOST = re.compile(r"\[(?:LOST \d+ EVENTS|\d+ EVENTS DROPPED|EVENTS DROPPED)\]")
"""As the kernel's trace says that its buffer was too small."""
LINES = (STOPPED, ANALYSED, PART, TOTAL, FROM_IDLE, MISSED, *printed_lines("rtla_output"))
"""What rtla prints below its figures."""


@dataclass(slots=True)
class AnalysisPart:
    """One line of the analysis; `named` are the tasks or handlers below it, each with its time in us, 0 where none is printed."""

    name: str
    us: float
    named: list[tuple[str, float]] = field(default_factory=list)


@dataclass(slots=True)
class Analysis:
    """What rtla prints of one CPU; `total` in us, as printed. `is_thread`: that of the thread and not of the interrupt. `stack`: the
    functions of the kernel that the timer's interrupt came in, the innermost first."""

    cpu: str
    total: str = ""
    is_thread: bool = False
    parts: list[AnalysisPart] = field(default_factory=list)
    stack: list[str] = field(default_factory=list)


def stop_facts(text: str) -> tuple[tuple[str, str], ...]:
    """Empty where no threshold ended the run. The latency that ended it is the maximum, so rates of such a run are biased."""
    if not STOPPED.search(text):
        return ()
    facts = [("stopped", "by rtla's threshold: the maximum is the latency that ended the run")]
    for number, analysis in enumerate(analyses(text)):
        if not analysis.parts:
            continue
        name = "rtla's analysis" if number == 0 else f"rtla's analysis of CPU {analysis.cpu}"
        facts += [(name, _largest(analysis)), (f"parts of the latency on CPU {analysis.cpu}", _all(analysis))]
    if idle := FROM_IDLE.search(text):
        facts.append(("largest IRQ latency from idle", f"{idle[1]} µs on CPU {idle[2]}"))
    return tuple(facts)


def missed_events(text: str, place: str) -> list[str]:
    """A problem where rtla says that it lost events of the kernel."""
    if (match := MISSED.search(text)) is None:
        return []
    line = text.count("\n", 0, match.start()) + 1
    return [f"{place}:{line}: rtla missed {match[1] or 'an unknown number of'} events of the kernel, so its figures may lack some"]


def last_screen(lines: Sequence[str], title: re.Pattern[str], row: re.Pattern[str], tool: str, place: str) -> tuple[int, list[str]]:
    """The place of the last screen, and rows above the first one. The first two groups of a row are its CPU and a count that only grows.
    Raises DataError for two runs."""
    starts = [number for number, line in enumerate(lines) if title.match(line)]
    if not starts:
        raise DataError(f"no screen of {tool}", "name its output, with -q if only the summary is wanted", place=place)
    counted: dict[str, tuple[int, int]] = {}
    problems = []
    for number, line in enumerate(lines):
        match = row.match(line)
        if match is None:
            continue
        if number < starts[0]:
            problems.append(f"{place}:{number + 1}: a row is above the first screen; it is left out")
            continue
        count, first = counted.get(match[1], (0, number + 1))
        if int(match[2]) < count:
            raise second_run(place, first, number + 1, tool, f"CPU {match[1]} has counted {count}, then {match[2]}")
        counted[match[1]] = int(match[2]), first
    return starts[-1], problems


def analyses(text: str) -> list[Analysis]:
    """Those of rtla's automatic analysis, in their order."""
    entries: list[Analysis] = []
    for line in text.split("\n"):
        if match := ANALYSED.match(line):
            entries.append(Analysis(match[1]))
        elif entries and not entries[-1].total:
            _add_line(entries[-1], line)
    return entries


def _add_line(analysis: Analysis, line: str) -> None:
    if match := TOTAL.match(line):
        analysis.is_thread, analysis.total = match[1] == "Thread", match[2]
    elif match := PART.match(line):
        analysis.parts.append(AnalysisPart(" ".join(filter(None, (match[1], match[2]))), float(match[3] or 0)))
    elif match := CALLED.match(line):
        analysis.stack.append(match[1])
    elif (match := NAMED.match(line)) and analysis.parts:
        analysis.parts[-1].named.append((match[1], float(match[2] or 0)))


def _largest(analysis: Analysis) -> str:
    part = max(analysis.parts, key=lambda part: part.us)
    named = f" {part.named[0][0]}" if part.named and part.name == "Blocking thread" else ""
    of = f" of {analysis.total} µs" if analysis.total else ""
    return f"CPU {analysis.cpu}: {_lower(part.name)}{named}, {significant(part.us)} µs{of}"


def _all(analysis: Analysis) -> str:
    return "; ".join(_part(part) for part in analysis.parts)


def _part(part: AnalysisPart) -> str:
    named = f" ({', '.join(name for name, _ in part.named)})" if part.named else ""
    return f"{_lower(part.name)}{named} {significant(part.us)} µs" if part.us else f"{_lower(part.name)}{named}"


def _lower(name: str) -> str:
    return name if name.startswith(("IRQ", "NMI")) else name[0].lower() + name[1:]
