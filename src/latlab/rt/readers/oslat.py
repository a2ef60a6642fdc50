# SPDX-License-Identifier: BSD-3-Clause
"""oslat: for each CPU how long each turn of a busy loop took, as text and as JSON.

A bucket is named by its upper end in us, and the turns in it took longer than the end of the one before. The last one holds all longer
turns too, so that nothing is known of its upper end. Minimum and maximum are rounded up to whole units in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise

from latlab.core.errors import DataError
from latlab.core.model.distributions import Distribution
from latlab.core.model.enums import Metric
from latlab.core.readers.line_account import MESSAGE, printed_lines, second_run
from latlab.rt.model.wakeups import Wakeups, cpu_row

TOOL = "oslat"
START = re.compile(r"^oslat V ", re.MULTILINE)
ROW = re.compile(
    r"^\s*(?P<name>Core|Minimum|Average|Maximum|(?P<us>\d{1,9}(?:\.\d{1,6})?) \(us\)):(?P<values>[ \t0-9.]*)"
    r"(?P<rest>\(us\)|\(including overflows\))?\s*$",
    re.ASCII,
)
STOPPED = re.compile(r"^oslat: Trace threshold \((\d+) us\) triggered on cpu (\d+) with (\d+) us!", re.MULTILINE | re.ASCII)
BUCKET = re.compile(r"^\s*\d[\d.]* \(us\):")
NUMBER = re.compile(r"\d{1,18}(?:\.\d{1,9})?", re.ASCII)
LINES = (ROW, BUCKET, START, STOPPED, *printed_lines("oslat"), MESSAGE)
"""What it prints, without its usage."""
MOST_CPUS = 4096
_NS = Decimal(1000)


@dataclass(slots=True)
class _Text:
    rows: dict[str, list[Decimal]] = field(default_factory=dict)
    buckets: dict[Decimal, list[int]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def read_oslat(text: str, place: str) -> Wakeups:
    """The summary that oslat prints when it ends."""
    parsed = _scanned(text, place)
    cores = parsed.rows.get("Core")
    stopped = STOPPED.search(text)
    where = f"at its threshold of {stopped[1]} µs, by {stopped[3]} µs on CPU {stopped[2]}" if stopped else ""
    if not cores and stopped:
        raise DataError(f"oslat was stopped {where}, and printed no figures", "run it without -T, or with a higher threshold", place=place)
    if not cores:
        raise DataError("no row `Core:` of oslat; it prints its figures when it ends, so it was stopped before", place=place)
    missing = [name for name in ("Minimum", "Average", "Maximum") if name not in parsed.rows]
    if missing:
        raise DataError(f"no row `{missing[0]}:` of oslat; the output was cut off", place=place)
    cpus = tuple(
        cpu_of(
            int(core),
            {us: counts[column] for us, counts in parsed.buckets.items()},
            [parsed.rows[name][column] for name in ("Minimum", "Average", "Maximum")],
        )
        for column, core in enumerate(cores)
    )
    return wakeups_of(cpus, parsed.buckets, parsed.problems, place, (("stopped", where),) if where else ())


def wakeups_of(
    cpus: tuple[Distribution, ...], names: Iterable[Decimal], problems: Sequence[str], place: str, facts: tuple[tuple[str, str], ...] = ()
) -> Wakeups:
    """`names` are those of the buckets."""
    if len({cpu.number for cpu in cpus}) < len(cpus):
        raise DataError("a CPU is named twice; the file is damaged", place=place)
    return Wakeups(
        TOOL,
        None,
        int(_step(sorted(names)) * _NS),
        tuple(sorted(cpus, key=lambda cpu: cpu.number)),
        complete=not problems,
        facts=facts,
        problems=tuple(problems),
        metric=Metric.STALL,
    )


def cpu_of(cpu: int, buckets: Mapping[Decimal, int], summary: Sequence[Decimal]) -> Distribution:
    """`summary` is minimum, average and maximum in us. Turns of the last bucket are beyond the histogram where one was longer than that."""
    low, average, high = summary
    names = sorted(buckets)
    beyond = buckets[names.pop()] if names and high > names[-1] else 0
    width = int(_step(sorted(buckets)) * _NS)
    ends = ((int(name * _NS) + 1, buckets[name]) for name in names)
    counts = tuple((max(end - width, 0), end, n) for end, n in ends)
    return cpu_row(cpu, counts, sum(buckets.values()), int(low * _NS), int(high * _NS), float(average * _NS), beyond)


def _step(names: Sequence[Decimal]) -> Decimal:
    """How wide a bucket is: the smallest distance of two, or one us where there is one only."""
    steps = [after - before for before, after in pairwise(names)]
    return min(steps, default=Decimal(1))


def _scanned(text: str, place: str) -> _Text:
    parsed = _Text()
    begun = 0
    for number, line in enumerate(text.split("\n"), 1):
        where = f"{place}:{number}"
        if START.match(line):
            if begun:
                raise second_run(place, begun, number, TOOL, "its title again")
            begun = number
        match = ROW.match(line)
        if match is None:
            if BUCKET.match(line):
                parsed.problems.append(f"{where}: {line.strip()[:60]!r} is not a row of the histogram; it is left out")
            continue
        values = [Decimal(part) for part in match["values"].split() if NUMBER.fullmatch(part)]
        if match["name"] != "Core" and "Core" not in parsed.rows:
            parsed.problems.append(f"{where}: the row {match['name']} is before the row `Core:`, which names its CPUs; it is left out")
            continue
        cores = len(parsed.rows.get("Core", values))
        if len(values) != len(match["values"].split()) or len(values) != cores or not 0 < cores <= MOST_CPUS:
            parsed.problems.append(f"{where}: {len(values)} figures where {cores} cores are named; the line is left out")
        elif match["us"] is None and match["name"] in parsed.rows:
            parsed.problems.append(f"{where}: the row {match['name']} appears twice; the second is left out")
        elif match["us"] is None:
            parsed.rows[match["name"]] = values
        elif (us := Decimal(match["us"])) in parsed.buckets:
            parsed.problems.append(f"{where}: the bucket of {us} us appears twice; the second is left out")
        else:
            parsed.buckets[us] = [int(value) for value in values]
    return parsed
