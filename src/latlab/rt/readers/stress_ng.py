# SPDX-License-Identifier: BSD-3-Clause
"""stress-ng's stressor `cyclic`: minimum, mean, maximum and percentiles in ns, and with --cyclic-dist a histogram of the first buckets. It
names no CPU, and only the first of its instances reports."""

from __future__ import annotations

import re
from itertools import pairwise

from latlab.core.errors import DataError
from latlab.core.model.conditions import Conditions
from latlab.core.model.enums import RowKind
from latlab.core.readers.line_account import printed_lines
from latlab.core.shown import significant
from latlab.rt.model.wakeups import Wakeups, cpu_row

PREFIX = r"^.{0,80}?\bcyclic: +"
START = re.compile(
    rf"{PREFIX}sched (SCHED_\w{{1,20}}(?: \([^)\n]{{1,130}}\))?): (\d{{1,12}}) ns delay, (\d{{1,12}}) samples", re.MULTILINE | re.ASCII
)
MEAN = re.compile(rf"{PREFIX}mean: (-?\d{{1,15}}\.\d{{1,6}}) ns", re.ASCII)
ENDS = re.compile(rf"{PREFIX}min: (-?\d{{1,15}}) ns, max: (-?\d{{1,15}}) ns", re.ASCII)
PERCENTILE = re.compile(rf"{PREFIX}(\d{{1,3}}\.\d\d)%: +(-?\d{{1,15}} ns)\s*$", re.ASCII | re.MULTILINE)
KEPT = (
    ("method", re.compile(rf"{PREFIX}using method '([\w-]{{1,20}})'", re.ASCII | re.MULTILINE)),
    ("mode", re.compile(rf"{PREFIX}mean: .{{1,30}}, mode: (-?\d{{1,15}} ns)", re.ASCII | re.MULTILINE)),
    ("standard deviation", re.compile(rf"{PREFIX}min: .{{1,60}}, std\.dev\. (\d{{1,15}}\.\d{{1,6}})", re.ASCII | re.MULTILINE)),
    ("samples needed to keep all", re.compile(rf"{PREFIX}Note: --cyclic-samples needed to be (\d{{1,12}}) ", re.ASCII | re.MULTILINE)),
)
ZEROS = re.compile(rf"{PREFIX}\.\. +\.\. \(all zeros hereafter\)")
WIDTH = re.compile(rf"{PREFIX}latency distribution \((\d{{1,12}}) ns intervals\)", re.ASCII)
ANNOUNCED = re.compile(rf"{PREFIX}\(for the first (\d{{1,9}}) buckets? of \d{{1,9}}\)", re.ASCII)
BUCKET = re.compile(rf"{PREFIX}(\d{{1,15}}) +(\d{{1,12}})\s*$", re.ASCII)
LINES = printed_lines("stress_ng")
NOT_NAMED = ("rows", "one thread, whose CPU the tool does not name")


def read_stress_ng(text: str, place: str) -> Wakeups:
    """One report; a log with several is refused, as nothing says which is meant."""
    starts = list(START.finditer(text))
    if len(starts) != 1:
        raise DataError(f"{len(starts)} reports of stress-ng's cyclic", "name a log with one", place=place)
    delay, samples = int(starts[0][2]), int(starts[0][3])
    mean: float | None = None
    ends: tuple[int, int] | None = None
    width, announced, rows = 0, 0, []
    shown: int | None = None
    for line in text.split("\n"):
        line = line.rstrip("\r")
        if match := MEAN.match(line):
            mean = float(match[1])
        elif match := ENDS.match(line):
            ends = int(match[1]), int(match[2])
        elif match := WIDTH.match(line):
            width = int(match[1])
        elif match := ANNOUNCED.match(line):
            announced = int(match[1])
        elif width and (match := BUCKET.match(line)):
            rows.append((int(match[1]), int(match[2])))
        elif ZEROS.match(line):
            shown = len(rows)
    if mean is None or ends is None:
        raise DataError("no mean or no line of min and max of stress-ng's cyclic; it was stopped before it reported", place=place)
    problems: list[str] = []
    last = rows[-1][0] if rows else -1
    if width and shown is not None and last != (announced - 1) * width:
        problems.append(f"{place}: the buckets end at {last} ns where stress-ng announces {announced}; the output was cut off")
    if width and shown is None and len(rows) != announced:
        problems.append(f"{place}: {len(rows)} buckets are printed, and stress-ng announces {announced}; the output was cut off")
    rows = rows[:shown]
    if any(after - before != width for (before, _), (after, _) in pairwise(rows)):
        raise DataError(f"the buckets of stress-ng's cyclic are not {width} ns apart; the file is damaged", place=place)
    inside = sum(count for _, count in rows)
    if inside > samples:
        problems.append(f"{place}: the buckets hold {inside} samples, {samples} were asked for")
    counts = tuple((start, start + width, count) for start, count in rows) if width else ()
    if counts and ends[0] < 0:
        counts = (ends[0], *counts[0][1:]), *counts[1:]
    got, beyond = (max(samples, inside), max(samples - inside, 0)) if counts else (samples, 0)
    return Wakeups(
        "stress-ng cyclic", None, width if counts else 1, (cpu_row(0, counts, got, *ends, mean, beyond),),
        complete=not problems, conditions=Conditions(),
        facts=(("scheduler", starts[0][1]), ("delay", f"{delay} ns"), NOT_NAMED, *_facts(text)),
        problems=tuple(problems), rows=RowKind.THREAD,
    )  # fmt: skip


def _facts(text: str) -> list[tuple[str, str]]:
    """What stress-ng computes of its samples, and how many it left out: of a run that is longer it keeps the first ones."""
    percentiles = ", ".join(f"{significant(float(percent))} % {value}" for percent, value in PERCENTILE.findall(text))
    kept_facts = [(name, match[1]) for name, form in KEPT if (match := form.search(text))]
    return [*kept_facts, *([("percentiles", percentiles)] if percentiles else [])]
