# SPDX-License-Identifier: BSD-3-Clause
"""Thread-Metric, as Zephyr and other kernels have it: how often a loop of calls went round in each period of some seconds."""

from __future__ import annotations

import re

from latlab.errors import DataError
from latlab.model.benchmarks import Benchmark
from latlab.model.enums import Metric
from latlab.model.run import Amount

TOOL = "thread-metric"
HEAD = re.compile(r"\*{4} Thread-Metric (?P<name>\S.{0,80}?)(?: Test)? \*{4} Relative Time:\s*(?P<seconds>\d{1,9})\s*$", re.ASCII)
TOTAL = re.compile(r"^\s*Time Period Total:\s*(\d{1,18})\s*$", re.ASCII)
ERROR = re.compile(r"^\s*ERROR:\s*(\S.*)$")
START = re.compile(r"\*{4} Thread-Metric ")

LINES = (HEAD, TOTAL, ERROR, START, re.compile(r"^\s*Time Period Total:|^\*{3,} Booting Zephyr OS"))


def read_thread_metric(text: str, place: str) -> Benchmark:
    """For each test its totals by period; the length of a period is the distance of two relative times."""
    totals: dict[tuple[str, float], list[float]] = {}
    problems: list[str] = []
    current: tuple[str, float] | None = None
    last: dict[str, int] = {}
    for number, raw in enumerate(text.split("\n"), 1):
        line, where = raw.rstrip("\r"), f"{place}:{number}"
        if match := HEAD.search(line):
            if current:
                problems.append(f"{where}: the period before this line has no total; it is left out")
            name, seconds = match["name"], int(match["seconds"])
            period = seconds - last.get(name, 0)
            if period <= 0:
                period = seconds  # another boot
            last[name] = seconds
            current = (name, float(period)) if period else None
        elif match := TOTAL.match(line):
            if current is None:
                problems.append(f"{where}: a total of no test; it is left out")
            else:
                totals.setdefault(current, []).append(float(match[1]))
            current = None
        elif match := ERROR.match(line):
            problems.append(f"{where}: the test says: {match[1].strip()[:120]}")
        elif START.search(line) or line.lstrip().startswith("Time Period Total:"):
            problems.append(f"{where}: {line.strip()[:60]!r} is no whole line of Thread-Metric; it is left out")
    if not totals:
        raise DataError(problems[0] if problems else f"{place}: no total of Thread-Metric; it was stopped within its first period")
    amounts = tuple(Amount(TOOL, Metric.THROUGHPUT, name, None, tuple(values), over) for (name, over), values in totals.items())
    return Benchmark(TOOL, amounts, problems=tuple(problems))
