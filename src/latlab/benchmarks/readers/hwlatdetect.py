# SPDX-License-Identifier: BSD-3-Clause
"""hwlatdetect: gaps in which the hardware took the CPU away. Its thread moves over all CPUs; releases from 2.6 on name the CPU of each gap.
It looks for gaps in a part of the time only, the sample width of each window: gaps per second are those of that part."""

from __future__ import annotations

import re
from collections.abc import Mapping

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError
from latlab.core.model.amounts import Amount
from latlab.core.model.conditions import NO_CONDITIONS, Conditions
from latlab.core.model.enums import Metric
from latlab.core.readers.line_account import printed_lines, second_run
from latlab.core.shown import significant

TOOL = "hwlatdetect"
START = re.compile(r"^hwlatdetect:  test duration (\d{1,9}) seconds", re.MULTILINE | re.ASCII)
SETTING = re.compile(r"^ +(Latency threshold|Sample window|Sample width|Non-sampling period): +(\d{1,15})us\s*$", re.ASCII)
LARGEST = re.compile(r"^Max Latency: (?:(\d{1,15})us|Below threshold)\s*$", re.ASCII)
COUNT = re.compile(r"^(Samples recorded|Samples exceeding threshold|SMIs during run): (\d{1,15})\s*$", re.ASCII)
SAMPLE = re.compile(
    r"^ts: .{1,60}?(?:, delta:-?\d{1,12}\.\d{1,6})?, inner:(?P<inner>\d{1,15}), outer:(?P<outer>\d{1,15})"
    r"(?:, cpu:(?P<cpu>\d{1,5}))?(?:, count:\d{1,12})?\s*$",
    re.ASCII,
)
OLD_SAMPLE = re.compile(r"^\d{9,12}\.\d{6,10}\t(?P<inner>\d{1,15})\t(?P<outer>\d{1,15})\s*$", re.ASCII)
MTBF = re.compile(r"^MTBF: (\d{1,12}\.\d{1,6}) seconds\s*$", re.ASCII)
SMIS_OF_CPU = re.compile(r"^(\d{1,15}) SMIs occured on cpu (\d{1,5})\s*$", re.ASCII)
UNREADABLE = re.compile(r"^rdmsr: .*cannot read MSR", re.MULTILINE)
LINES = (START, SETTING, LARGEST, COUNT, SAMPLE, OLD_SAMPLE, MTBF, SMIS_OF_CPU, UNREADABLE, *printed_lines("hwlatdetect"))
ABOVE, SMIS = "Samples exceeding threshold", "SMIs during run"
NAMES = {ABOVE: "gaps above the threshold", SMIS: "system management interrupts"}


def read_hwlatdetect(text: str, place: str) -> Benchmark:
    """The largest gap, how many were above the threshold, and the system management interrupts where they were counted."""
    begun = START.search(text)
    if begun is not None and (again := START.search(text, begun.end())) is not None:
        first, second = (text.count("\n", 0, title_match.start()) + 1 for title_match in (begun, again))
        raise second_run(place, first, second, TOOL, "its title again")
    if begun is None:
        raise DataError("no `hwlatdetect:  test duration`", "name the output of hwlatdetect, made without --quiet", place=place)
    seconds = int(begun[1])
    settings: dict[str, int] = {}
    counts: dict[str, int] = {}
    largest: int | None = None
    finished = False
    gaps: list[int] = []
    facts: list[tuple[str, str]] = []
    cpus: set[int] = set()
    problems: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if match := SETTING.match(line):
            settings[match[1]] = int(match[2])
        elif match := COUNT.match(line):
            counts[match[1]] = int(match[2])
        elif match := LARGEST.match(line):
            finished, largest = True, int(match[1]) if match[1] else None
        elif match := SAMPLE.match(line) or OLD_SAMPLE.match(line):
            gaps.append(max(int(match["inner"]), int(match["outer"])))
            cpu = match.groupdict().get("cpu")
            cpus |= {int(cpu)} if cpu else set()
        elif match := MTBF.match(line):
            facts.append(("mean time between gaps", f"{match[1]} s, as hwlatdetect computes it"))
        elif match := SMIS_OF_CPU.match(line):
            facts.append((f"system management interrupts on CPU {match[2]}", match[1]))
        elif line.startswith(("ts:", "Max Latency:", "Samples ")):
            problems.append(f"{place}:{number}: {line[:60]!r} is no whole line of hwlatdetect; it is left out")
    above = counts.get(ABOVE)
    if not finished or above is None:
        raise DataError(f"hwlatdetect printed no result, so it was stopped before the end of its {seconds} seconds", place=place)
    recorded = counts.get("Samples recorded", len(gaps))
    if gaps and (len(gaps) != recorded or max(gaps) != (largest or 0)):
        problems.append(f"{place}: {len(gaps)} gaps up to {max(gaps)} µs are listed, {recorded} up to {largest or 0} µs stated")
    threshold = settings.get("Latency threshold")
    unknown = SMIS in counts and UNREADABLE.search(text) is not None
    if unknown:
        del counts[SMIS]
    sampled_s = _sampled_s(seconds, settings)
    over_s = {ABOVE: sampled_s, SMIS: float(seconds)}
    amounts = [Amount(TOOL, Metric.EVENTS, NAMES[name], None, (float(counts[name]),), over_s[name]) for name in NAMES if name in counts]
    if largest is not None:
        amounts.append(Amount(TOOL, Metric.DURATION, "largest gap", None, (largest * 1e3,)))
    facts = [*((name.lower(), f"{value} us") for name, value in settings.items()), *facts]
    if sampled_s < seconds:
        facts.append(("time sampled", f"{significant(sampled_s)} s of {seconds} s, over which gaps are counted"))
    if cpus:
        facts.append(("CPUs with gaps", ", ".join(map(str, sorted(cpus)))))
    if unknown:
        facts.append((NAMES[SMIS], "unknown: rdmsr could not read their counter, and hwlatdetect prints 0 all the same"))
    if largest is None:
        facts.append(("largest gap", f"below the threshold{f' of {threshold} us' if threshold is not None else ''}"))
    conditions = Conditions(duration_s=float(seconds)) if seconds else NO_CONDITIONS
    return Benchmark(TOOL, tuple(amounts), conditions, tuple(facts), tuple(problems))


def _sampled_s(seconds: int, settings: Mapping[str, int]) -> float:
    """The duty cycle of the run: it samples for `width` of each `window`."""
    width, window = settings.get("Sample width", 0), settings.get("Sample window", 0)
    return seconds * width / window if 0 < width < window else float(seconds)
