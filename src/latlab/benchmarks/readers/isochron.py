# SPDX-License-Identifier: BSD-3-Clause
"""isochron report --summary: minimum, maximum and mean in ns of each part of a packet's way, from the sender's wake-up to the receiver."""

from __future__ import annotations

import re

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError
from latlab.core.model.amounts import Amount
from latlab.core.model.enums import Metric
from latlab.core.readers.line_account import printed_lines, second_run

TOOL = "isochron"
_PART = (
    r"Path delay|Wakeup to HW TX timestamp|Packets arrived later than scheduled\. TX time to HW RX timestamp"
    r"|Packets arrived earlier than scheduled\. HW RX timestamp to TX time|MAC latency|Application latency budget|Sender latency"
    r"|Wakeup latency|Driver latency|Arrival latency"
)
PART = re.compile(
    rf"^(?P<name>{_PART}): min (?P<low>-?\d{{1,18}}) max (?P<high>-?\d{{1,18}}) mean (?P<mean>-?\d{{1,18}}\.\d{{1,6}}) stddev \S+, "
    r"min at seqid \d+, max at seqid \d+\s*$",
    re.ASCII,
)
TORN = re.compile(rf"^(?:{_PART}):")
START = re.compile(rf"^(?:{_PART}): min -?\d+ max -?\d+ mean ", re.MULTILINE)
LOST = re.compile(r"^Packets not (?:completely TX timestamped|received): (\d{1,12}) \(", re.ASCII)
UNSYNCHRONIZED = re.compile(r"^(?:Sender|Receiver) PHC not synchronized|^Sender and receiver not synchronized")
MISSES = re.compile(r"^HW TX deadline misses: (\d{1,12}) \(", re.ASCII)
END = re.compile(r"^Driver takes on average ", re.MULTILINE)
LINES = (PART, TORN, LOST, UNSYNCHRONIZED, MISSES, *printed_lines("isochron"))
OWN_LINES = printed_lines("isochron-own")
MORE_IS_BETTER = ("Application latency budget", "Packets arrived earlier than scheduled. HW RX timestamp to TX time")


def read_isochron(text: str, place: str) -> Benchmark:
    """Three durations for each part. A budget is a value, as more of it is better. Where the clocks that a part is measured between are not
    synchronised it can be negative: such a part is left out and reported."""
    amounts: list[Amount] = []
    lines_of: dict[str, int] = {}
    problems: list[str] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line, where = raw.rstrip("\r"), f"{place}:{number}"
        if match := PART.match(line):
            name = match["name"]
            if name in lines_of:
                raise second_run(place, lines_of[name], number, TOOL, f"{name} again")
            lines_of[name] = number
            if int(match["low"]) < 0 and name not in MORE_IS_BETTER:
                problems.append(f"{where}: {name} is negative, so the clocks are not synchronised; it is left out")
                continue
            metric = Metric.VALUE if name in MORE_IS_BETTER else Metric.DURATION
            for quantity, group in (("minimum", "low"), ("mean", "mean"), ("maximum", "high")):
                amounts.append(Amount(TOOL, metric, f"{name} {quantity}", None, (float(match[group]),)))
        elif match := MISSES.match(line):
            if "misses" in lines_of:
                raise second_run(place, lines_of["misses"], number, TOOL, "deadline misses again")
            lines_of["misses"] = number
            amounts.append(Amount(TOOL, Metric.EVENTS, "deadline misses", None, (float(match[1]),)))
        elif LOST.match(line) or UNSYNCHRONIZED.match(line):
            problems.append(f"{where}: isochron says: {line.strip()[:120]}")
        elif TORN.match(line):
            problems.append(f"{where}: {line.strip()[:60]!r} is no whole line of isochron; it is left out")
    if not amounts:
        raise DataError(problems[0] if problems else f"{place}: no figure of isochron; give the output of `isochron report --summary`")
    if not END.search(text):
        problems.append(f"{place}: no line `Driver takes on average`, so the summary was cut off")
    return Benchmark(TOOL, tuple(amounts), problems=tuple(problems))
