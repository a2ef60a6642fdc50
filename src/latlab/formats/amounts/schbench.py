# SPDX-License-Identifier: BSD-3-Clause
"""schbench: percentiles of wake-up and request latencies and of requests per second. It prints them again and again; the last count."""

from __future__ import annotations

import re

from latlab.errors import DataError
from latlab.formats.line_account import second_run
from latlab.model.benchmarks import Benchmark
from latlab.model.enums import Metric
from latlab.model.run import Amount

TOOL = "schbench"
SECTION = re.compile(
    r"^(?:(?P<what>Wakeup|Request) )?(?:Latencies|Latency|RPS) percentiles \((?P<unit>usec|requests)\)"
    r"(?: runtime (?P<seconds>\d{1,9}) \(s\) \((?P<total>\d{1,15}) total samples\))?\s*$",
    re.ASCII,
)
START = re.compile(r"^(?:(?:Wakeup|Request) )?Latenc(?:ies|y) percentiles \(usec\)", re.MULTILINE)
PERCENTILE = re.compile(r"^\s*\*? ?\*?(\d{1,3}\.\d{1,4})th: (\d{1,12})(?:\s+\(\d{1,15} samples\))?\s*$", re.ASCII)
TORN = re.compile(r"^\s*\*? ?\*?\d+\.\d+th:")
LARGEST = re.compile(r"^\s*min=(\d{1,12}), max=(\d{1,12})\s*$", re.ASCII)

LINES = (SECTION, PERCENTILE, TORN, LARGEST, re.compile(r"^(?:average|current|final) rps[ :]|^sched delay: |^setting |^warmup done"))


def read_schbench(text: str, place: str) -> Benchmark:
    """A quantity for each percentile and for the maximum of each section."""
    found: dict[str, dict[str, Amount]] = {}
    current = ""
    metric_of: dict[str, Metric] = {}
    ran: dict[str, tuple[int, int]] = {}
    metric, scale = Metric.DURATION, 1e3
    problems: list[str] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r")
        if match := SECTION.match(line):
            is_rate = match["unit"] == "requests"
            current = "requests per second" if is_rate else f"{(match['what'] or 'wakeup').lower()} latency"
            metric, scale = (Metric.THROUGHPUT, 1.0) if is_rate else (Metric.DURATION, 1e3)
            seconds = int(match["seconds"] or 0)
            if seconds and seconds <= ran.get(current, (0, 0))[0]:
                raise second_run(place, ran[current][1], number, TOOL, f"after {ran[current][0]} s come {seconds} s")
            ran[current] = seconds, number
            found[current], metric_of[current] = {}, metric
        elif current and (match := PERCENTILE.match(line)):
            name = f"{current} {float(match[1]):g} %"
            found[current][name] = Amount(TOOL, metric, name, None, (int(match[2]) * scale,))
        elif current and metric is Metric.DURATION and (match := LARGEST.match(line)):
            name = f"{current} maximum"
            found[current][name] = Amount(TOOL, metric, name, None, (int(match[2]) * scale,))
        elif TORN.match(line):
            problems.append(f"{place}:{number}: {line.strip()[:60]!r} is no whole percentile of schbench; it is left out")
    cut = next((name for name, section in found.items() if metric_of[name] is Metric.DURATION and f"{name} maximum" not in section), "")
    if cut:
        problems.append(f"{place}: the percentiles of {cut} have no line `min=`, so the output was cut off")
    amounts = tuple(one for section in found.values() for one in section.values())
    if not amounts:
        raise DataError(problems[0] if problems else f"{place}: no percentile of schbench; it was stopped before it printed")
    return Benchmark(TOOL, amounts, problems=tuple(problems))
