# SPDX-License-Identifier: BSD-3-Clause
"""hackbench: the time that all messages of a run took. Several runs in one file, as a loop of a shell leaves them, are repetitions."""

from __future__ import annotations

import re

from latlab.errors import DataError
from latlab.model.benchmarks import Benchmark
from latlab.model.enums import Metric
from latlab.model.run import Amount

TOOL = "hackbench"
SETUP = re.compile(
    r"^Running in (\w{1,20}) mode with (\d{1,9}) groups using (\d{1,9}) file descriptors each \(== (\d{1,9}) tasks\)\s*$", re.ASCII
)
MESSAGES = re.compile(r"^Each sender will pass (\d{1,12}) messages of (\d{1,12}) bytes\s*$", re.ASCII)
TIME = re.compile(r"^Time: (\d{1,9})\.(\d{1,9})\s*$", re.ASCII)
LINES = (SETUP, MESSAGES, TIME, re.compile(r"^Time:|^Running in \w+ mode with |^Each sender will pass "))
START = re.compile(r"^(?:Running in \w+ mode with \d|Time: \d+\.\d[\d.]*\s*$)", re.MULTILINE)


def read_hackbench(text: str, place: str) -> Benchmark:
    """A duration for each way in which it was run, with as many values as runs."""
    times: dict[str, list[float]] = {}
    setup, size = "", ""
    problems: list[str] = []
    begun = 0
    for number, line in enumerate(text.split("\n"), 1):
        if match := SETUP.match(line):
            if begun:
                problems.append(f"{place}:{begun}: this run of hackbench printed no time; it is left out")
            setup, size, begun = f"{match[1]} mode, {match[2]} groups, {match[3]} descriptors", "", number
        elif match := MESSAGES.match(line):
            size = f", {match[1]} messages of {match[2]} bytes"
        elif match := TIME.match(line):
            times.setdefault(setup + size or "run", []).append(int(match[1]) * 1e9 + int(match[2].ljust(9, "0")))
            begun = 0
        elif line.startswith("Time:"):
            problems.append(f"{place}:{number}: {line[:60]!r} is no time of hackbench; it is left out")
    if begun:
        problems.append(f"{place}:{begun}: this run of hackbench printed no time, so it was stopped before its end; it is left out")
    if not times:
        raise DataError(problems[0] if problems else f"{place}: no time of hackbench; name its whole output")
    amounts = tuple(Amount(TOOL, Metric.DURATION, name, None, tuple(values)) for name, values in times.items())
    return Benchmark(TOOL, amounts, problems=tuple(problems))
