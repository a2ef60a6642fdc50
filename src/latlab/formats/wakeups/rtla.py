# SPDX-License-Identifier: BSD-3-Clause
"""Histograms of `rtla timerlat hist`: for each CPU the timer interrupt (IRQ), the thread (Thr), perhaps the return to user space (Usr)."""

from __future__ import annotations

import re

import numpy as np

from latlab.errors import DataError
from latlab.model.wakeups import CpuWakeups, Histogram, Wakeups

TITLE = re.compile(r"^# RTLA timerlat histogram")
UNIT = re.compile(r"^# Time unit is \w+ \((us|ns)\)")
COLUMN = re.compile(r"^(IRQ|Thr|Usr)-(\d+)$")
ROW = re.compile(r"^(\d{1,18}|over:|count:|min:|avg:|max:)((?:\s+(?:\d{1,20}|-))+)\s*$", re.ASCII)
NS = {"us": 1000, "ns": 1}


def read_timerlat(text: str, place: str, kind: str = "Thr") -> Wakeups:
    """The columns of one kind as wake-ups; `Thr` is nearest to cyclictest's figure."""
    unit_ns = 1000
    columns: list[tuple[str, int]] = []
    rows: dict[str, list[int]] = {}
    problems: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("ALL:"):
            break
        if match := UNIT.match(line):
            unit_ns = NS[match[1]]
        elif line.startswith("Index"):
            if columns:
                problems.append(f"{place}:{number}: a second heading; the rows continue under the first")
                continue
            columns = [(m[1], int(m[2])) for m in map(COLUMN.match, line.split()[1:]) if m]
        elif match := ROW.match(line):
            values = [0 if part == "-" else int(part) for part in match[2].split()]
            if len(values) != len(columns):
                problems.append(f"{place}:{number}: {len(values)} columns where the heading names {len(columns)}; the line is left out")
                continue
            if match[1] in rows:
                problems.append(f"{place}:{number}: the row {match[1]} appears twice; the second is left out")
                continue
            rows[match[1]] = values
        elif line[:1].isdecimal():
            problems.append(f"{place}:{number}: {line[:60]!r} is not a row of the histogram; it is left out")
    if not columns or not TITLE.search(text.lstrip().split("\n", 1)[0]):
        raise DataError(f"{place}: no histogram of rtla timerlat; name the output of `rtla timerlat hist`")
    if "count:" not in rows:
        problems.append(f"{place}: no line `count:`, so the histogram was cut off; maxima and overflows are unknown")
    wanted = [place_ for place_, (name, _) in enumerate(columns) if name == kind]
    if not wanted:
        raise DataError(f"{place}: no {kind} columns; it has {', '.join(sorted({name for name, _ in columns}))}")
    cpus = tuple(_cpu(rows, at, columns[at][1], unit_ns, place, problems) for at in wanted)
    return Wakeups(f"rtla timerlat ({kind})", None, unit_ns, cpus, complete=not problems, problems=tuple(problems))


def _cpu(rows: dict[str, list[int]], column: int, cpu: int, unit_ns: int, place: str, problems: list[str]) -> CpuWakeups:
    pairs = sorted((int(low), values[column]) for low, values in rows.items() if low.isdecimal())
    lows = np.array([low for low, _ in pairs], dtype=np.int64) * unit_ns
    counts = np.array([count for _, count in pairs], dtype=np.int64)
    inside = int(counts.sum()) if pairs else 0
    stated = {name: rows[f"{name}:"][column] if f"{name}:" in rows else None for name in ("over", "count", "min", "avg", "max")}
    beyond = stated["over"] or 0
    got = inside + beyond if stated["count"] is None else stated["count"]
    if got != inside + beyond:
        problems.append(f"{place}: CPU {cpu}: the histogram holds {inside} samples and {beyond} over, the count says {got}")
    width = _width(lows, unit_ns)
    seen = lows[counts > 0] if inside else np.zeros(1, dtype=np.int64)
    middle = float((counts * (lows + width / 2)).sum()) / inside if inside else 0.0
    return CpuWakeups(
        cpu=cpu,
        histogram=Histogram(lows, lows + width, counts, beyond),
        got=got,
        expected=None,
        missed=None,
        min_ns=int(seen.min()) if stated["min"] is None else stated["min"] * unit_ns,
        max_ns=int(seen.max()) if stated["max"] is None else stated["max"] * unit_ns,
        average_ns=middle if stated["avg"] is None else float(stated["avg"] * unit_ns),
    )


def _width(lows: np.ndarray, unit_ns: int) -> int:
    """rtla leaves out rows without a count: the bucket's width is the largest step that divides all distances."""
    return int(np.gcd.reduce(np.diff(lows))) if len(lows) > 1 else unit_ns
