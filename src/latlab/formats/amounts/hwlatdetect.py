# SPDX-License-Identifier: BSD-3-Clause
"""hwlatdetect: gaps in which the hardware took the CPU away. Its thread moves over all CPUs; releases from 2.6 on
name the CPU of each gap."""

from __future__ import annotations

import re

from latlab.errors import DataError
from latlab.model.benchmarks import Benchmark
from latlab.model.conditions import UNSAID, Conditions
from latlab.model.enums import Metric
from latlab.model.run import Amount

TOOL = "hwlatdetect"
START = re.compile(r"^hwlatdetect:  test duration (\d{1,9}) seconds", re.MULTILINE | re.ASCII)
SETTING = re.compile(r"^ +(Latency threshold|Sample window|Sample width|Non-sampling period): +(\d{1,15})us\s*$", re.ASCII)
LARGEST = re.compile(r"^Max Latency: (?:(\d{1,15})us|Below threshold)\s*$", re.ASCII)
COUNT = re.compile(r"^(Samples recorded|Samples exceeding threshold|SMIs during run): (\d{1,15})\s*$", re.ASCII)
SAMPLE = re.compile(r"^ts: (\S{1,40}), inner:(\d{1,15}), outer:(\d{1,15})(?:, cpu:(\d{1,5}))?\s*$", re.ASCII)
UNREADABLE = re.compile(r"^rdmsr: .*cannot read MSR", re.MULTILINE)
SMIS = "SMIs during run"
NAMES = {"Samples exceeding threshold": "gaps above the threshold", SMIS: "system management interrupts"}


def read_hwlatdetect(text: str, place: str) -> Benchmark:
    """The largest gap, how many were above the threshold, and the system management interrupts where they were counted."""
    begun = START.search(text)
    if begun is None:
        raise DataError(f"{place}: no `hwlatdetect:  test duration`; name the output of hwlatdetect, made without --quiet")
    seconds = int(begun[1])
    settings: dict[str, int] = {}
    counts: dict[str, int] = {}
    largest: int | None = None
    finished = False
    gaps: list[int] = []
    cpus: set[int] = set()
    problems: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if match := SETTING.match(line):
            settings[match[1]] = int(match[2])
        elif match := COUNT.match(line):
            counts[match[1]] = int(match[2])
        elif match := LARGEST.match(line):
            finished, largest = True, int(match[1]) if match[1] else None
        elif match := SAMPLE.match(line):
            gaps.append(max(int(match[2]), int(match[3])))
            cpus |= {int(match[4])} if match[4] else set()
        elif line.startswith(("ts:", "Max Latency:", "Samples ")):
            problems.append(f"{place}:{number}: {line[:60]!r} is no whole line of hwlatdetect; it is left out")
    above = counts.get("Samples exceeding threshold")
    if not finished or above is None:
        raise DataError(f"{place}: hwlatdetect printed no result, so it was stopped before the end of its {seconds} seconds")
    recorded = counts.get("Samples recorded", len(gaps))
    if gaps and (len(gaps) != recorded or max(gaps) != (largest or 0)):
        problems.append(f"{place}: {len(gaps)} gaps up to {max(gaps)} µs are listed, {recorded} up to {largest or 0} µs stated")
    threshold = settings.get("Latency threshold")
    unknown = SMIS in counts and UNREADABLE.search(text) is not None
    if unknown:
        del counts[SMIS]
    amounts = [Amount(TOOL, Metric.EVENTS, NAMES[name], None, (float(counts[name]),), float(seconds)) for name in NAMES if name in counts]
    if largest is not None:
        amounts.append(Amount(TOOL, Metric.DURATION, "largest gap", None, (largest * 1e3,)))
    facts = [(name.lower(), f"{value} us") for name, value in settings.items()]
    if cpus:
        facts.append(("CPUs with gaps", ", ".join(map(str, sorted(cpus)))))
    if unknown:
        facts.append((NAMES[SMIS], "unknown: rdmsr could not read their counter, and hwlatdetect prints 0 all the same"))
    if largest is None:
        facts.append(("largest gap", f"below the threshold{f' of {threshold} us' if threshold is not None else ''}"))
    conditions = Conditions(duration_s=float(seconds)) if seconds else UNSAID
    return Benchmark(TOOL, tuple(amounts), conditions, tuple(facts), tuple(problems))
