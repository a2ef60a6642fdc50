# SPDX-License-Identifier: BSD-3-Clause
"""`perf sched latency`: for each task how long it ran, how often it was switched to, and its average and largest delay."""

from __future__ import annotations

import re
from collections import Counter

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError
from latlab.core.model.amounts import Amount
from latlab.core.model.enums import Metric
from latlab.core.readers.line_account import printed_lines, second_run

TOOL = "perf-sched"
START = re.compile(r"^\s*Task +\| +Runtime ms +\| +(?:Switches|Count) +\| +Av(?:g|erage) delay ms", re.MULTILINE)
ROW = re.compile(
    r"^\s*(?P<task>\S.{0,60}?):(?P<id>-?\d{1,9}|\(\d{1,9}\)) +\| *\d{1,15}\.\d{3} ms \| *(?P<switches>\d{1,12}) \| "
    r"(?:avg: *)?(?P<average>\d{1,12}\.\d{3}) ms \| (?:max: *)?(?P<largest>\d{1,12}\.\d{3}) ms \|",
    re.ASCII,
)
"""A figure as wide as its column touches the bar before it."""
TORN = re.compile(r"^\s*\S.{0,60}:\(?-?\d+\)? +\|")
TOTAL = re.compile(r"^ *TOTAL: +\|(?: *\d{1,15}\.\d{3} ms \| *(?P<switches>\d{1,15}) \|)?", re.ASCII)
LOST = re.compile(r"^ +INFO: [\d.]+% lost events |^Processed \d+ (?:events and lost \d+ chunks|samples and lost [\d.]+%)!")
COMPLAINT = re.compile(r"^ +INFO: (?P<what>\S.*)$")
LINES = (START, ROW, TORN, TOTAL, LOST, COMPLAINT, *printed_lines("perf_sched"))


def read_perf_sched(text: str, place: str) -> Benchmark:
    """Tasks that waited at least once; those of one name are numbered in their order, as ids change from run to run."""
    times_named: Counter[str] = Counter()
    amounts: list[Amount] = []
    problems: list[str] = []
    complaints: list[str] = []
    total: re.Match[str] | None = None
    begun = switches = 0
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r")
        if START.match(line):
            if begun:
                raise second_run(place, begun, number, "perf sched latency", "its column names again")
            begun = number
        total = total or TOTAL.match(line)
        match = ROW.match(line)
        if match is None:
            if LOST.match(line):
                problems.append(f"{place}:{number}: {line.strip()[:80]!r}: perf lost events, so delays are missing or too long")
            elif complaint := COMPLAINT.match(line):
                complaints.append(complaint["what"][:120])
            elif TORN.match(line):
                problems.append(f"{place}:{number}: {line.strip()[:60]!r} is no whole line of a task; it is left out")
            continue
        switches += int(match["switches"])
        times_named[match["task"]] += 1
        nth = times_named[match["task"]]
        name = match["task"] if nth == 1 else f"{match['task']} {nth}"
        for quantity, figure in (("average delay", match["average"]), ("largest delay", match["largest"])):
            amounts.append(Amount(TOOL, Metric.DURATION, f"{name} {quantity}", None, (float(figure) * 1e6,)))
    if not amounts:
        raise DataError(problems[0] if problems else f"{place}: perf sched latency names no task; record for longer")
    if total is None:
        problems.append(f"{place}: no line `TOTAL:`, so the table was cut off")
    elif total["switches"] and int(total["switches"]) != switches:
        problems.append(f"{place}: the tasks have {switches} switches, `TOTAL:` has {total['switches']}, so rows are missing")
    facts = (("perf's complaints", "; ".join(complaints)),) if complaints else ()
    return Benchmark(TOOL, _once(amounts), facts=facts, problems=tuple(problems))


def _once(amounts: list[Amount]) -> tuple[Amount, ...]:
    """A task may be called as another one with its number: the first keeps the name."""
    by_name: dict[str, Amount] = {}
    for amount in amounts:
        by_name.setdefault(amount.name, amount)
    return tuple(by_name.values())
