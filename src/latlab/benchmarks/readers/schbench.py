# SPDX-License-Identifier: BSD-3-Clause
"""schbench: percentiles of wake-up and request latencies and of requests per second. It prints them again and again; the last count. The
last second's and those of the whole run may both say the same second, or the whole run's one less: it is stamped with -r."""

from __future__ import annotations

import re

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError
from latlab.core.model.amounts import Amount
from latlab.core.model.enums import Metric
from latlab.core.readers.line_account import printed_lines, second_run
from latlab.core.shown import significant

TOOL = "schbench"
SECTION = re.compile(
    r"^(?:(?P<what>Wakeup|Request) )?(?:Latencies|[Ll]atency|RPS) percentiles \((?P<unit>usec|requests)\)"
    r"(?: runtime (?P<seconds>\d{1,9}) \(s\)(?: \((?P<total>\d{1,15}) total samples\))?)?\s*$",
    re.ASCII,
)
START = re.compile(r'^(?:(?:Wakeup|Request) )?[Ll]atenc(?:ies|y) percentiles \(usec\)|^\{"normal": \{"version": ', re.MULTILINE)
OBJECT = re.compile(r'^\{"normal": \{"version": .*\}\}')
FIELD = re.compile(r'"(?P<what>wakeup_latency|request_latency|rps)_(?:pct(?P<percent>\d{1,3}\.\d)|max)": (?P<value>\d{1,12})', re.ASCII)
END = re.compile(r"^(?:average rps: |final rps goal was |avg worker transfer: )")
RATE = re.compile(r"^(?:average |avg )?rps: (\d{1,12}\.\d{1,4})(?:\s|$)", re.ASCII)
TRANSFERS = re.compile(r"^avg worker transfer: (\d{1,15}\.\d{1,4}) ops/sec ", re.ASCII)
GOAL = re.compile(r"^final rps goal was (\d{1,12})\s*$", re.ASCII | re.MULTILINE)
DELAY = re.compile(r"^sched delay: message (\d{1,12}) \(usec\) worker (\d{1,12}) \(usec\)\s*$", re.ASCII | re.MULTILINE)
PERCENTILE = re.compile(r"^\s*\*? ?\*?(\d{1,3}\.\d{1,4})th: (\d{1,12})(?:\s+\(\d{1,15} samples\))?\s*$", re.ASCII)
TORN = re.compile(r"^\s*\*? ?\*?\d+\.\d+th:")
LARGEST = re.compile(r"^\s*(?:Over=\d{1,12}, )?min=(\d{1,12}), max=(\d{1,12})\s*$", re.ASCII)

LINES = (SECTION, PERCENTILE, TORN, LARGEST, OBJECT, *printed_lines("schbench"))


def read_schbench(text: str, place: str) -> Benchmark:
    """A quantity for each percentile and for the maximum of each section, and the rate of the whole run."""
    sections: dict[str, dict[str, Amount]] = {}
    rates: dict[str, Amount] = {}
    current = ""
    metric_of: dict[str, Metric] = {}
    ran: dict[str, tuple[int, int, int]] = {}
    metric, scale = Metric.DURATION, 1e3
    ended = 0
    problems: list[str] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r")
        if match := OBJECT.match(line):
            sections.update(_of_object(match[0]))
            line = line[match.end() :]
        if match := SECTION.match(line):
            is_rate = match["unit"] == "requests"
            current = "requests per second" if is_rate else f"{(match['what'] or 'wakeup').lower()} latency"
            metric, scale = (Metric.THROUGHPUT, 1.0) if is_rate else (Metric.DURATION, 1e3)
            seconds, total = int(match["seconds"] or 0), int(match["total"] or 1)
            if ended:
                raise second_run(place, ended, number, TOOL, "percentiles after the figures of the whole run")
            before_s, before_total, before = ran.get(current, (0, 0, 0))
            if seconds and (seconds < before_s - 1 or (not is_rate and seconds <= before_s and total < before_total)):
                raise second_run(place, before, number, TOOL, f"after {before_s} s come {seconds} s")
            ran[current] = seconds, total, number
            sections[current], metric_of[current] = {}, metric
            if total == 0:
                del sections[current]
                current = ""
        elif current and (match := PERCENTILE.match(line)):
            name = f"{current} {significant(float(match[1]))} %"
            sections[current][name] = Amount(TOOL, metric, name, None, (int(match[2]) * scale,))
        elif current and metric is Metric.DURATION and (match := LARGEST.match(line)):
            name = f"{current} maximum"
            sections[current][name] = Amount(TOOL, metric, name, None, (int(match[2]) * scale,))
        elif match := RATE.match(line) or TRANSFERS.match(line):
            name = "transfers per second" if line.startswith("avg worker") else "requests per second average"
            rates[name] = Amount(TOOL, Metric.THROUGHPUT, name, None, (float(match[1]),))
        elif current and TORN.match(line):
            problems.append(f"{place}:{number}: {line.strip()[:60]!r} is no whole percentile of schbench; it is left out")
        if END.match(line):
            ended = number
    cut = next((name for name in sections if metric_of.get(name) is Metric.DURATION and f"{name} maximum" not in sections[name]), "")
    if cut:
        problems.append(f"{place}: the percentiles of {cut} have no line `min=`, so the output was cut off")
    amounts = tuple(amount for section in (*sections.values(), rates) for amount in section.values())
    if not any(sections.values()):
        raise DataError(problems[0] if problems else f"{place}: no percentile of schbench; it was stopped before it measured")
    return Benchmark(TOOL, amounts, problems=tuple(problems), facts=_facts(text))


def _of_object(text: str) -> dict[str, dict[str, Amount]]:
    """The JSON of -j. A section whose maximum is 0 has no sample."""
    sections: dict[str, dict[str, Amount]] = {}
    for match in FIELD.finditer(text):
        is_rate = match["what"] == "rps"
        section = "requests per second" if is_rate else match["what"].replace("_", " ")
        if match["percent"] is None and match["value"] == "0":
            del sections[section]
        elif match["percent"] is not None or not is_rate:
            name = f"{section} {significant(float(match['percent']))} %" if match["percent"] else f"{section} maximum"
            metric, scale = (Metric.THROUGHPUT, 1.0) if is_rate else (Metric.DURATION, 1e3)
            sections.setdefault(section, {})[name] = Amount(TOOL, metric, name, None, (int(match["value"]) * scale,))
    return sections


def _facts(text: str) -> tuple[tuple[str, str], ...]:
    delays, goals = DELAY.findall(text), GOAL.findall(text)
    delay = [("scheduling delay", f"message threads {delays[-1][0]} µs, workers {delays[-1][1]} µs")] if delays else []
    return (*delay, *([("goal of requests per second", goals[-1])] if goals else []))
