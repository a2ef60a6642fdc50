# SPDX-License-Identifier: BSD-3-Clause
"""softirqs and hardirqs of bcc and libbpf-tools: by kind of interrupt the time or the number of a run or of each interval, both with the
longest in libbpf-tools since 2025, or with -d a histogram of times.

An interval whose table lacks a kind had none of it. A histogram has no sum: what is kept of it is the count and the end of the last bucket
in use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError
from latlab.core.model.amounts import Amount
from latlab.core.model.enums import Metric
from latlab.core.readers.line_account import printed_lines, second_run

START = re.compile(r"^Tracing (soft|hard) irq event(?:s| time)\.\.\.", re.MULTILINE)
TITLE = re.compile(r"^(?:SOFTIRQ|HARDIRQ)((?: +(?:TOTAL|MAX)_(?:usecs|nsecs|count))+)\s*$")
ROW = re.compile(r"^[^\s:](?:(?!: )[^\t]){0,60}? +\d{1,15}\s*$", re.ASCII)
QUANTITY = {"TOTAL_count": "count", "TOTAL_usecs": "time", "TOTAL_nsecs": "time", "MAX_usecs": "longest", "MAX_nsecs": "longest"}
NAME = 26  # the width of the column of names
KIND = re.compile(r"^(?:softirq|hardirq) = b?'?(?P<name>\S.{0,60}?)'?\s*$")
HISTOGRAM = re.compile(r"^ *([un])secs +: count +distribution\s*$")
BUCKET = re.compile(r"^ *(?P<low>\d{1,15}) -> (?P<high>\d{1,15}) +: (?P<count>\d{1,15}) +\|[* ]*\|\s*$", re.ASCII)
TORN = re.compile(r"^ *\d+ -> ")
CLOCK = re.compile(r"^(\d\d):(\d\d):(\d\d) *$", re.ASCII)
LINES = (START, TITLE, KIND, HISTOGRAM, BUCKET, TORN, CLOCK)
OWN_LINES = printed_lines("irq_times-own")
NS = {"usecs": 1e3, "nsecs": 1.0, "u": 1e3, "n": 1.0}


@dataclass(slots=True)
class _Text:
    columns: tuple[str, ...] = ()
    tables: list[dict[tuple[str, str], float]] = field(default_factory=list)
    counts: dict[str, list[float]] = field(default_factory=dict)
    longest_ns: dict[str, list[float]] = field(default_factory=dict)
    clocks_s: list[int] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def read_irq_times(text: str, place: str) -> Benchmark:
    """An amount for each kind of interrupt, with a value for each interval."""
    begun = START.search(text)
    if begun is None:
        raise DataError("no line `Tracing soft irq event time...` or of hardirqs", "give the whole output", place=place)
    tool = f"{begun[1]}irqs"
    if (again := START.search(text, begun.end())) is not None:
        first, second = (text.count("\n", 0, match.start()) + 1 for match in (begun, again))
        raise second_run(place, first, second, tool, "its title again")
    parsed = _scanned(text, place)
    over_s = _interval_s(parsed.clocks_s)
    names = dict.fromkeys(name for table in parsed.tables for name in table)
    amounts = [
        Amount(
            tool,
            Metric.EVENTS if quantity == "count" else Metric.DURATION,
            f"{name} {quantity}",
            None,
            tuple(table.get((name, quantity), 0.0) for table in parsed.tables),
            over_s if quantity != "longest" else None,
        )
        for name, quantity in names
    ]
    for name, counts in parsed.counts.items():
        amounts.append(Amount(tool, Metric.EVENTS, f"{name} count", None, tuple(counts), over_s))
        amounts.append(Amount(tool, Metric.DURATION, f"{name} longest, the end of its bucket", None, tuple(parsed.longest_ns[name])))
    if not amounts:
        raise DataError(parsed.problems[0] if parsed.problems else f"{place}: {tool} printed no figure; it was stopped before it printed")
    facts = (("intervals", str(max(len(parsed.tables), *map(len, parsed.counts.values()), 0))),) if parsed.tables or parsed.counts else ()
    return Benchmark(tool, tuple(amounts), facts=facts, problems=tuple(parsed.problems))


def _scanned(text: str, place: str) -> _Text:
    parsed = _Text()
    unit = 1.0
    width = 0  # of the rows of a table, which are as long as its title
    kind = ""
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r")
        if match := CLOCK.match(line):
            parsed.clocks_s.append(int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3]))
            width, kind = 0, ""
        elif match := TITLE.match(line):
            parsed.columns = tuple(match[1].split())
            parsed.tables.append({})
            width = len(line.rstrip())
        elif match := KIND.match(line):
            kind = match["name"]
            parsed.counts.setdefault(kind, []).append(0.0)
            parsed.longest_ns.setdefault(kind, []).append(0.0)
        elif match := HISTOGRAM.match(line):
            unit = NS[match[1]]
        elif kind and (match := BUCKET.match(line)):
            parsed.counts[kind][-1] += int(match["count"])
            if int(match["count"]):
                parsed.longest_ns[kind][-1] = (int(match["high"]) + 1) * unit
        elif width and ROW.match(line) and (row := _row(line, len(parsed.columns), width)):
            for column, value in zip(parsed.columns, row[1:], strict=True):
                parsed.tables[-1][row[0], QUANTITY[column]] = int(value) * NS.get(column.partition("_")[2], 1.0)
        elif TORN.match(line):
            parsed.problems.append(f"{place}:{number}: {line.strip()[:60]!r} is no whole row of a histogram; it is left out")
        elif not line.strip() and parsed.tables and parsed.tables[-1]:
            width = 0
    return parsed


def _row(line: str, columns: int, width: int) -> list[str]:
    """The name and the figures of a row, which is as long as its title, or longer by what its name is too long. Empty of any other line."""
    name, *values = line.rstrip().rsplit(None, columns)
    is_row = len(values) == columns and all(map(str.isdecimal, values)) and len(line.rstrip()) == max(width, len(name) + width - NAME)
    return [name, *values] if is_row else []


def _interval_s(clocks_s: list[int]) -> float | None:
    """By the times of day, where each interval was as long as the others."""
    steps = {(after - before) % 86_400 for before, after in pairwise(clocks_s)}
    return float(steps.pop()) if len(steps) == 1 and min(steps, default=0) > 0 else None
