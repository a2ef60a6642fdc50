# SPDX-License-Identifier: BSD-3-Clause
"""The screen of `rtla osnoise top` and `rtla hwnoise`: for each CPU how long its busy thread was kept from running, and by what.

A screen that was kept while it ran has many; the last counts. Noise and counts grow with the runtime, which each line says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from latlab.benchmarks.model import Benchmark
from latlab.benchmarks.readers import rtla_output
from latlab.benchmarks.readers.rtla_output import last_screen, missed_events, stop_facts
from latlab.core.errors import DataError
from latlab.core.model.amounts import Amount
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.core.readers.line_account import printed_lines

TITLE = re.compile(r"^\s*(?:Operating System|Hardware-related) Noise\s*$", re.MULTILINE)
ROW = re.compile(
    r"^\s*(?P<cpu>\d{1,5}) #(?P<periods>\d{1,12})\s+(?P<runtime>\d{1,18})\s+(?P<noise>\d{1,18})\s+(?P<available>\d{1,3}\.\d{1,9})"
    r"\s+(?P<most>\d{1,18})\s+(?P<single>\d{1,18})\s+(?P<counts>\d{1,18}(?:\s+\d{1,18}){1,4})\s*$",
    re.ASCII,
)
TORN = re.compile(r"^\s*\d+ #\d")
LINES = (TITLE, ROW, TORN, *printed_lines("osnoise_top"), *rtla_output.LINES)
SOURCES = ("hardware", "NMI", "interrupts", "soft interrupts", "threads")
TOOLS = {"Operating System Noise": "rtla-osnoise", "Hardware-related Noise": "rtla-hwnoise"}


def is_osnoise_top(text: str) -> bool:
    """Whether the title of such a screen stands in it."""
    return " Noise" in text and TITLE.search(text) is not None


def read_osnoise_top(text: str, place: str) -> Benchmark:
    """Durations in ns, shares in percent, counts; all as printed, with the seconds over which they were taken."""
    lines = text.split("\n")
    start, problems = last_screen(lines, TITLE, ROW, "rtla osnoise top", place)
    problems += missed_events(text, place)
    tool = TOOLS[lines[start].strip()]
    by_cpu: dict[int, tuple[Amount, ...]] = {}
    for number, line in enumerate(lines[start:], start + 1):
        match = ROW.match(line)
        if match is None:
            if TORN.match(line):
                problems.append(f"{place}:{number}: {line.strip()[:60]!r} is not a whole line of a CPU; it is left out")
            continue
        cpu = int(match["cpu"])
        contradiction = _contradiction(match)
        if cpu in by_cpu:
            problems.append(f"{place}:{number}: CPU {cpu} appears twice; the second line is left out")
        elif contradiction:
            problems.append(f"{place}:{number}: CPU {cpu}: {contradiction}; the line is left out")
        else:
            by_cpu[cpu] = tuple(_amounts(tool, cpu, match))
    if not by_cpu:
        raise DataError(problems[0] if problems else f"{place}: the screen names no CPU, so nothing was measured")
    return Benchmark(
        tool, tuple(amount for cpu in sorted(by_cpu) for amount in by_cpu[cpu]), facts=stop_facts(text), problems=tuple(problems)
    )


def _amounts(tool: str, cpu: int, match: re.Match[str]) -> Iterator[Amount]:
    core, seconds = CoreId(0, cpu), int(match["runtime"]) / 1e6
    yield Amount(tool, Metric.AVAILABLE, "to the thread", core, (float(match["available"]),))
    yield Amount(tool, Metric.DURATION, "noise", core, (int(match["noise"]) * 1e3,), seconds)
    yield Amount(tool, Metric.DURATION, "most noise of a period", core, (int(match["most"]) * 1e3,))
    yield Amount(tool, Metric.DURATION, "longest single noise", core, (int(match["single"]) * 1e3,))
    for source, count in zip(SOURCES, match["counts"].split(), strict=False):
        yield Amount(tool, Metric.EVENTS, source, core, (float(count),), seconds)


def _contradiction(match: re.Match[str]) -> str:
    """Why the figures of a line cannot be right together; the share is cut after five places."""
    runtime, noise = int(match["runtime"]), int(match["noise"])
    if runtime == 0:
        return "it ran for no time"
    share = max(runtime - noise, 0) * 100 / runtime
    if abs(share - float(match["available"])) > 1e-3:
        return f"{noise} µs of {runtime} µs leave {share:.5f} % and not {match['available']} %"
    return ""
