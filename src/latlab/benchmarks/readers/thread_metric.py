# SPDX-License-Identifier: BSD-3-Clause
"""Thread-Metric, as Zephyr and other kernels have it: how often a loop of calls went round in each period of some seconds."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError
from latlab.core.model.amounts import Amount
from latlab.core.model.enums import Metric
from latlab.core.readers.line_account import printed_lines

TOOL = "thread-metric"
HEAD = re.compile(r"\*{4} Thread-Metric (?P<name>\S.{0,80}?)(?: Test)? \*{4} Relative Time:\s*(?P<seconds>\d{1,9})\s*$", re.ASCII)
TOTAL = re.compile(r"^\s*Time Period Total:\s*(\d{1,18})\s*$", re.ASCII)
ERROR = re.compile(r"^\s*ERROR:\s*(\S.*)$")
START = re.compile(r"\*{4} Thread-Metric ")

LINES = (HEAD, TOTAL, ERROR, START, *printed_lines("thread_metric"))


@dataclass(slots=True)
class _Boot:
    """One test from its start on: its relative times are multiples of the period, whichever of them the console missed."""

    test: str
    period_s: int = 0
    last_s: int = 0
    totals: list[float] = field(default_factory=list)


def read_thread_metric(text: str, place: str) -> Benchmark:
    """For each test its totals by period."""
    boots: dict[str, list[_Boot]] = {}
    problems: list[str] = []
    current: _Boot | None = None
    for number, raw in enumerate(text.split("\n"), 1):
        line, where = raw.rstrip("\r"), f"{place}:{number}"
        if match := HEAD.search(line):
            if current:
                problems.append(f"{where}: the period before this line has no total; it is left out")
            current = _boot_at(boots.setdefault(match["name"], []), match["name"], int(match["seconds"]))
        elif match := TOTAL.match(line):
            if current is None:
                problems.append(f"{where}: a total of no test; it is left out")
            else:
                current.totals.append(float(match[1]))
            current = None
        elif match := ERROR.match(line):
            problems.append(f"{where}: the test says: {match[1].strip()[:120]}")
        elif START.search(line) or line.lstrip().startswith("Time Period Total:"):
            problems.append(f"{where}: {line.strip()[:60]!r} is no whole line of Thread-Metric; it is left out")
    amounts = _amounts(boots)
    if not amounts:
        raise DataError(problems[0] if problems else f"{place}: no total of Thread-Metric; it was stopped within its first period")
    return Benchmark(TOOL, amounts, problems=tuple(problems))


def _boot_at(boots: list[_Boot], test: str, seconds: int) -> _Boot | None:
    """The boot that prints this relative time; a time that falls is another boot's."""
    if not boots or seconds <= boots[-1].last_s:
        boots.append(_Boot(test))
    boots[-1].period_s, boots[-1].last_s = math.gcd(boots[-1].period_s, seconds), seconds
    return boots[-1] if seconds else None


def _amounts(boots: dict[str, list[_Boot]]) -> tuple[Amount, ...]:
    totals: dict[tuple[str, float], list[float]] = {}
    for boot in (boot for of_test in boots.values() for boot in of_test if boot.totals):
        totals.setdefault((boot.test, float(boot.period_s)), []).extend(boot.totals)
    return tuple(Amount(TOOL, Metric.THROUGHPUT, name, None, tuple(values), over) for (name, over), values in totals.items())
