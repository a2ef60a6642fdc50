# SPDX-License-Identifier: BSD-3-Clause
"""The lines of cyclicdeadline and of signaltest: one for each thread, with count, minimum, average and maximum in whole microseconds.

With --histogram cyclicdeadline (rt-tests 2.7 and later) prints below them the rows that cyclictest prints. A thread of theirs is bound
to no CPU, so its number is not that of a CPU: it is kept in its place and said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from latlab.core.errors import DataError
from latlab.core.model.distributions import Counts, Distribution
from latlab.core.model.enums import RowKind
from latlab.core.readers.line_account import MESSAGE, printed_lines, second_run
from latlab.rt.model.wakeups import Wakeups, cpu_row
from latlab.rt.readers.cyclictest import BUCKET, CYCLE, TOTALS, VERBOSE, histogram_columns

_FIGURES = r"C: *(?P<cycles>\d{1,15}) Min: *(?P<low>-?\d{1,15}) Act: *-?\d{1,18} Avg: *(?P<average>-?\d{1,15}) Max: *(?P<high>-?\d{1,15})"
DEADLINE = re.compile(rf"T: *(?P<thread>\d{{1,5}}) \( *(?P<process>\d{{1,9}})\) I: *(?P<interval>\d{{1,12}}) {_FIGURES}", re.ASCII)
SIGNAL = re.compile(rf"T: *(?P<thread>\d{{1,5}}) \( *(?P<process>\d{{1,9}})\) P: *(?P<priority>\d{{1,3}}) {_FIGURES}", re.ASCII)
TORN = re.compile(r"^T:\s*\d+ \(\s*\d+\) ")
LINES = (DEADLINE, SIGNAL, TORN, BUCKET, TOTALS, CYCLE, VERBOSE, *printed_lines("thread_lines"), MESSAGE)
"""What both print, without their usage."""
THREADS = ("rows", "threads, which the tool binds to no CPU")


@dataclass(frozen=True, slots=True)
class Tool:
    """What sets the two apart."""

    name: str
    line: re.Pattern[str]


TOOLS = (Tool("cyclicdeadline", DEADLINE), Tool("signaltest", SIGNAL))


def tool_of(text: str) -> Tool | None:
    """By the first line of a thread; None where there is none of these two."""
    first_lines = [(match.start(), tool) for tool in TOOLS if (match := tool.line.search(text))]
    return min(first_lines, key=lambda pair: pair[0])[1] if first_lines else None


def read_thread_lines(text: str, place: str) -> Wakeups:
    """The last line of each thread; a screen that was kept while the tool ran has many."""
    tool = tool_of(text)
    if tool is None:
        raise DataError("no line of a thread of cyclicdeadline or signaltest", "name the output of one of them", place=place)
    threads: dict[int, Distribution] = {}
    processes: dict[str, tuple[str, int]] = {}
    intervals: list[int] = []
    problems: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        match = tool.line.search(line)
        if match is None:
            if TORN.match(line):
                problems.append(f"{place}:{number}: {line[:60]!r} is not a whole line of a thread; it is left out")
            continue
        thread, process = match["thread"], match["process"]
        before, first = processes.setdefault(thread, (process, number))
        if before != process:
            raise second_run(place, first, number, tool.name, f"thread {thread} is process {before}, then {process}")
        threads[int(thread)] = _thread(match)
        intervals += [int(match["interval"])] if tool.line is DEADLINE else []
    histograms, column_problems = histogram_columns(text, place)
    problems += column_problems
    for thread, (counts, beyond) in histograms.items():
        cycles = threads[thread].got if thread in threads else 0
        total = sum(n for _, _, n in counts) + beyond
        if total > cycles + 1:  # the first cycle is in the histogram and not in the count
            problems.append(f"{place}: thread {thread}: the histogram holds {total} samples, its line says {cycles} cycles")
    if not any(cpu.got for cpu in threads.values()):
        problems.append(f"{place}: no thread counted a cycle; the tool was stopped before it measured")
    return Wakeups(
        tool=tool.name,
        interval_ns=min(intervals) * 1000 if intervals else None,
        resolution_ns=1000,
        cpus=tuple(_with_histogram(threads[thread], histograms) for thread in sorted(threads)),
        complete=not problems,
        facts=(THREADS,),
        rows=RowKind.THREAD,
        problems=tuple(problems),
    )


def _with_histogram(thread: Distribution, histograms: Mapping[int, tuple[Counts, int]]) -> Distribution:
    counts, beyond = histograms.get(thread.number, ((), 0))
    return replace(thread, counts=counts, beyond=beyond)


def _thread(match: re.Match[str]) -> Distribution:
    low, average, high = (int(match[name]) * 1000 for name in ("low", "average", "high"))
    return cpu_row(int(match["thread"]), (), int(match["cycles"]), low, high, float(average))
