# SPDX-License-Identifier: BSD-3-Clause
"""`perf sched latency`: for each task how long it ran, how often it was switched to, and its average and largest delay."""

from __future__ import annotations

import re
from collections import Counter

from latlab.errors import DataError
from latlab.formats.line_account import second_run
from latlab.model.benchmarks import Benchmark
from latlab.model.enums import Metric
from latlab.model.run import Amount

TOOL = "perf-sched"
START = re.compile(r"^\s*Task +\| +Runtime ms +\| +(?:Switches|Count) +\| +Av(?:g|erage) delay ms", re.MULTILINE)
ROW = re.compile(
    r"^\s*(?P<task>\S.{0,60}?):(?P<id>\d{1,9}|\(\d{1,9}\)) +\| +\d{1,15}\.\d{3} ms \| +(?P<switches>\d{1,12}) \| "
    r"(?:avg: *)?(?P<average>\d{1,12}\.\d{3}) ms \| (?:max: *)?(?P<largest>\d{1,12}\.\d{3}) ms \|",
    re.ASCII,
)
TORN = re.compile(r"^\s*\S.{0,60}:\(?\d+\)? +\| ")

TOTAL = re.compile(r"^ *TOTAL: +\|", re.MULTILINE)
LINES = (START, ROW, TORN, re.compile(r"^ *-{40,}|^ +TOTAL: +\||^ +INFO: "))


def read_perf_sched(text: str, place: str) -> Benchmark:
    """Tasks that waited at least once; those of one name are numbered in their order, as ids change from run to run."""
    seen: Counter[str] = Counter()
    amounts: list[Amount] = []
    problems: list[str] = []
    begun = 0
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r")
        if START.match(line):
            if begun:
                raise second_run(place, begun, number, "perf sched latency", "its column names again")
            begun = number
        match = ROW.match(line)
        if match is None:
            if TORN.match(line):
                problems.append(f"{place}:{number}: {line.strip()[:60]!r} is no whole line of a task; it is left out")
            continue
        seen[match["task"]] += 1
        nth = seen[match["task"]]
        name = match["task"] if nth == 1 else f"{match['task']} {nth}"
        for what, figure in (("average delay", match["average"]), ("largest delay", match["largest"])):
            amounts.append(Amount(TOOL, Metric.DURATION, f"{name} {what}", None, (float(figure) * 1e6,)))
    if not amounts:
        raise DataError(problems[0] if problems else f"{place}: perf sched latency names no task; record for longer")
    if not TOTAL.search(text):
        problems.append(f"{place}: no line `TOTAL:`, so the table was cut off")
    return Benchmark(TOOL, _once(amounts), problems=tuple(problems))


def _once(amounts: list[Amount]) -> tuple[Amount, ...]:
    """A task may be called as another one with its number: the first keeps the name."""
    found: dict[str, Amount] = {}
    for one in amounts:
        found.setdefault(one.name, one)
    return tuple(found.values())
