# SPDX-License-Identifier: BSD-3-Clause
"""Histograms of rtla. `timerlat hist`: for each CPU the timer interrupt (IRQ), the thread (Thr), perhaps the return to user space (Usr).
`osnoise hist`: for each CPU how long a busy thread was interrupted at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from latlab.benchmarks.readers import rtla_output
from latlab.benchmarks.readers.rtla_output import MISSED, missed_events, stop_facts
from latlab.core.errors import DataError
from latlab.core.model.distributions import Distribution
from latlab.core.model.enums import Metric
from latlab.core.readers.line_account import printed_lines, second_run
from latlab.core.shown import significant
from latlab.rt.model.wakeups import Wakeups, cpu_row, intervals

TIMERLAT = "# RTLA timerlat histogram"
OSNOISE = "# RTLA osnoise histogram"
UNIT = re.compile(r"^# Time unit is \w+ \((us|ns)\)")
COLUMN = re.compile(r"^(IRQ|Thr|Usr|CPU)-(\d{1,9})$", re.ASCII)
ROW = re.compile(r"^(\d{1,12}|over:|count:|min:|max:)((?:\s+(?:\d{1,15}|-))+)\s*$", re.ASCII)
AVERAGES = re.compile(r"^avg:((?:\s+(?:\d{1,20}(?:\.\d{1,9})?|-))+)\s*$", re.ASCII)
COUNTS = re.compile(r"^(?:\s+\d{1,12}){2,}\s*$", re.ASCII | re.MULTILINE)
DURATION = re.compile(r"^# Duration: +(\S.*?)\s*$", re.MULTILINE)
LINES = (ROW, AVERAGES, UNIT, DURATION, *printed_lines("rtla"), *rtla_output.LINES)
"""What both histograms print, and what stands below them."""
NS = {"us": 1000, "ns": 1}


@dataclass(slots=True)
class _Text:
    unit_ns: int = 1000
    begun: int = 0  # the line of its title
    columns: list[tuple[str, int]] = field(default_factory=list)
    rows: dict[str, list[int]] = field(default_factory=dict)
    averages: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


def read_timerlat(text: str, place: str, kind: str = "Thr") -> Wakeups:
    """The columns of one kind as wake-ups; `Thr` is nearest to cyclictest's figure."""
    return _read(text, place, TIMERLAT, kind, f"rtla timerlat ({kind})", Metric.TASK_WAKEUP)


def read_osnoise(text: str, place: str) -> Wakeups:
    """How long each single noise was, as stalls."""
    return _read(text, place, OSNOISE, "CPU", "rtla osnoise", Metric.STALL)


def _read(text: str, place: str, title: str, kind: str, tool: str, metric: Metric) -> Wakeups:
    parsed = _scanned(text, place)
    if not parsed.columns:
        raise DataError(_no_column(text, place, title))
    if len(set(parsed.columns)) < len(parsed.columns):
        raise DataError("the heading of rtla's histogram names a column twice; the file is damaged", place=place)
    if "count:" not in parsed.rows:
        parsed.problems.append(f"{place}: no line `count:`, so the histogram was cut off; maxima and overflows are unknown")
    elif missing := [name for name in ("min:", "max:") if name not in parsed.rows]:
        parsed.problems.append(f"{place}: no line `{missing[0]}`, so the histogram was cut off; it is computed from the rows")
    columns = [column for column, (name, _) in enumerate(parsed.columns) if name == kind]
    if not columns:
        raise DataError(f"no {kind} columns; it has {', '.join(sorted({name for name, _ in parsed.columns}))}", place=place)
    cpus = tuple(_cpu(parsed, at, parsed.columns[at][1], place) for at in columns)
    parsed.problems += missed_events(text, place)
    problems, facts = parsed.problems, (*parsed.notes, *stop_facts(text))
    return Wakeups(tool, None, parsed.unit_ns, cpus, complete=not problems, facts=facts, problems=tuple(problems), metric=metric)


def _no_column(text: str, place: str, title: str) -> str:
    """rtla leaves out CPUs without a sample: of a quiet machine it prints the names of the rows alone, or with one 0 each."""
    if re.search(r"^Index *$", text, re.MULTILINE) and re.search(r"^max:(?: +0)? *$", text, re.MULTILINE):
        lasted = DURATION.search(text)
        missing_sample = "no noise above its threshold" if title == OSNOISE else "no wake-up"
        return (
            f"{place}: rtla saw {missing_sample}{f' in {lasted[1]}' if lasted else ''}, and such a histogram names no CPU; "
            "there is no figure to import"
        )
    if not re.search(r"^Index\b", text, re.MULTILINE) and COUNTS.search(text):
        return f"{place}: no line `Index`, so the columns are not named; run rtla without --no-index"
    return f"{place}: the histogram of rtla has no column, so it was cut off; give rtla's whole output"


def _scanned(text: str, place: str) -> _Text:
    parsed = _Text()
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{place}:{number}"
        if line.startswith("ALL:"):
            break
        if match := UNIT.match(line):
            parsed.unit_ns = NS[match[1]]
        elif line.startswith((TIMERLAT, OSNOISE)):
            if parsed.begun:
                raise second_run(place, parsed.begun, number, "rtla", "its title again")
            parsed.begun = number
        elif line.startswith("Index"):
            if parsed.columns:
                parsed.problems.append(f"{where}: a second heading; the rows continue under the first")
                continue
            parsed.columns = [(m[1], int(m[2])) for m in map(COLUMN.match, line.split()[1:]) if m]
        elif match := ROW.match(line):
            _add_row(parsed, match[1].lstrip("0") or "0", match[2].split(), where)
        elif match := AVERAGES.match(line):
            parts = match[1].split()
            if len(parts) == len(parsed.columns):
                parsed.averages = parsed.averages or [0.0 if part == "-" else float(part) for part in parts]
            else:
                parsed.problems.append(_odd(parsed, len(parts), where))
        elif line[:1].isdecimal() and not MISSED.match(line):
            parsed.problems.append(f"{where}: {line[:60]!r} is not a row of the histogram; it is left out")
    return parsed


def _add_row(parsed: _Text, name: str, parts: list[str], where: str) -> None:
    if len(parts) != len(parsed.columns):
        parsed.problems.append(_odd(parsed, len(parts), where))
    elif name in parsed.rows:
        parsed.problems.append(f"{where}: the row {name} appears twice; the second is left out")
    else:
        parsed.rows[name] = [0 if part == "-" else int(part) for part in parts]


def _odd(parsed: _Text, columns: int, where: str) -> str:
    return f"{where}: {columns} columns where the heading names {len(parsed.columns)}; the line is left out"


def _cpu(parsed: _Text, column: int, cpu: int, place: str) -> Distribution:
    rows, unit_ns = parsed.rows, parsed.unit_ns
    pairs = sorted((int(low), values[column]) for low, values in rows.items() if low.isdecimal())
    lows = np.array([low for low, _ in pairs], dtype=np.int64) * unit_ns
    counts = np.array([count for _, count in pairs], dtype=np.int64)
    inside = int(counts.sum()) if pairs else 0
    stated = {name: rows[f"{name}:"][column] if f"{name}:" in rows else None for name in ("over", "count", "min", "max")}
    beyond = stated["over"] or 0
    got = inside + beyond if stated["count"] is None else stated["count"]
    if got != inside + beyond:
        parsed.problems.append(f"{place}: CPU {cpu}: the histogram holds {inside} samples and {beyond} over, the count says {got}")
    width = _width(lows, unit_ns)
    buckets_used = lows[counts > 0] if inside else np.zeros(1, dtype=np.int64)
    middle = float((counts * (lows + width / 2)).sum()) / inside if inside else 0.0
    return cpu_row(
        number=cpu,
        counts=intervals(lows, lows + width, counts),
        got=got,
        min_ns=int(buckets_used.min()) if stated["min"] is None else stated["min"] * unit_ns,
        max_ns=int(buckets_used.max()) if stated["max"] is None else stated["max"] * unit_ns,
        average_ns=_average(parsed, column, cpu, stated["min"] or 0, middle),
        beyond=beyond,
    )


def _average(parsed: _Text, column: int, cpu: int, least: int, middle_ns: float) -> float:
    """rtla's osnoise of Linux before 6.5 prints 0 for every average: one below the minimum is none."""
    if not parsed.averages:
        return middle_ns
    average = parsed.averages[column]
    if average + 1 > least or not middle_ns:
        return average * parsed.unit_ns
    reason = f"computed from the histogram: rtla printed {significant(average)}, which is below the minimum {least}"
    parsed.notes.append((f"average of CPU {cpu}", reason))
    return middle_ns


def _width(lows: np.ndarray, unit_ns: int) -> int:
    """rtla leaves out rows without a count: the bucket's width is the largest step that divides all distances."""
    return int(np.gcd.reduce(np.diff(lows))) if len(lows) > 1 else unit_ns
