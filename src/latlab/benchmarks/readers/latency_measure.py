# SPDX-License-Identifier: BSD-3-Clause
"""Zephyr's latency_measure, and timing_info before it: for each operation of the kernel the average of many, in cycles and in ns, on the
console or as its CSV. sched_queues and wait_queues print in the same way, and minimum, maximum and average under a title."""

from __future__ import annotations

import re

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError
from latlab.core.model.amounts import Amount
from latlab.core.model.enums import Metric
from latlab.core.readers.line_account import printed_lines

TOOL, BEFORE = "latency_measure", "timing_info"
IS_BEFORE = re.compile(r"^\s*Timing Results: Clock Frequency:", re.MULTILINE)
ROW = re.compile(
    r"^\s*(?P<name>\S.{0,118}?)\s*:\s*(?P<cycles>\d{1,15}) cycles ,\s*(?P<ns>\d{1,15}) ns(?: :.*)?\s*$|"
    r"^(?=[^,]{50,},)\s*(?P<csv_name>\S[^,]{0,118}?)\s*,\s*(?P<csv_cycles>\d{1,15}),\s*(?P<csv_ns>\d{1,15})\s*$",
    re.ASCII,
)
DASHES = re.compile(r"^-{20,}\s*$")
TITLE = re.compile(r"^(?P<name>(?:Add|Remove|Time to) [\w ().,/-]{3,100}?)\s*$", re.ASCII)
EXTREME = re.compile(
    r"^\s*(?P<what>Minimum|Maximum|Average|Std Deviation) ?: *(?P<cycles>\d{1,15}) cycles \( *(?P<ns>\d{1,15}) nsec\)\s*$", re.ASCII
)
TICK = re.compile(r"^\s*Error: tick occurred")
TORN = re.compile(r":\s*\d+ cycles ,")
CLOCK = re.compile(r"Clock frequency: (\d{1,9}) MHz", re.ASCII | re.IGNORECASE)
START = re.compile(r"^START - Time Measurement|:\s*\d+ cycles ,\s*\d+ ns|^\s*Minimum : *\d+ cycles \( *\d+ nsec\)", re.MULTILINE)
LINES = (ROW, TORN, CLOCK, START, IS_BEFORE, TITLE, EXTREME, TICK, DASHES, *printed_lines("latency_measure"))
END = re.compile(r"PROJECT EXECUTION (SUCCESSFUL|FAILED)")


def read_latency_measure(text: str, place: str) -> Benchmark:
    """An average in ns for each operation; several boots in one log are repetitions."""
    values_of: dict[str, list[float]] = {}
    problems: list[str] = []
    mhz, ended = 0, False
    title, is_below_dashes = "", False
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r")
        if match := CLOCK.search(line):
            mhz = int(match[1])
        elif match := ROW.match(line):
            name, cycles, ns = (match[group] or match[f"csv_{group}"] for group in ("name", "cycles", "ns"))
            if mhz and not _agree(int(cycles), int(ns), mhz):
                problems.append(f"{place}:{number}: {cycles} cycles at {mhz} MHz are not {ns} ns; the line is left out")
            else:
                values_of.setdefault(" ".join(name.removeprefix("REC: ").split()), []).append(float(ns))
        elif match := EXTREME.match(line):
            if title:
                values_of.setdefault(f"{title} {match['what'].lower()}", []).append(float(match["ns"]))
            else:
                problems.append(f"{place}:{number}: figures without the title of what was measured; the line is left out")
        elif DASHES.match(line):
            title, is_below_dashes = "", True
        elif is_below_dashes and (match := TITLE.match(line)):
            title, is_below_dashes = match["name"].rstrip(". "), False
        elif TICK.match(line):
            problems.append(f"{place}:{number}: the benchmark says that a tick occurred while it measured")
        elif match := END.search(line):
            ended = True
            if match[1] == "FAILED":
                problems.append(f"{place}:{number}: the benchmark says that it failed")
        elif TORN.search(line):
            problems.append(f"{place}:{number}: {line.strip()[:60]!r} is no whole line of latency_measure; it is left out")
    if not values_of:
        raise DataError(problems[0] if problems else f"{place}: no figure of latency_measure; it was stopped before it measured")
    if not ended:
        problems.append(f"{place}: no line `PROJECT EXECUTION`, so the log was cut off")
    tool = BEFORE if IS_BEFORE.search(text) else TOOL
    amounts = tuple(Amount(tool, Metric.DURATION, name, None, tuple(values)) for name, values in values_of.items())
    return Benchmark(tool, amounts, facts=(("clock", f"{mhz} MHz"),) if mhz else (), problems=tuple(problems))


def _agree(cycles: int, ns: int, mhz: int) -> bool:
    """Both are averages of one sum, each cut to whole numbers, and so is the frequency."""
    return cycles * 1000 / (mhz + 1) - 1 <= ns <= (cycles + 1) * 1000 / mhz + 1
