# SPDX-License-Identifier: BSD-3-Clause
"""runqlat of bcc, of libbpf-tools and of bpftrace: how long tasks waited for a CPU, in buckets each twice as wide as the one before.

Every histogram of these programs looks alike: the line above it says what was traced. One histogram of all tasks and CPUs is read. What was
printed for each process, or at intervals, is refused: nothing says which is meant.
"""

from __future__ import annotations

import re

import numpy as np

from latlab.core.errors import DataError
from latlab.core.model.enums import RowKind
from latlab.core.readers.line_account import printed_lines
from latlab.core.readers.text_tables import BCC, BPFTRACE, interval_of
from latlab.rt.model.wakeups import Wakeups, cpu_row

START = re.compile(r"^Tracing (?:run queue latency|CPU scheduler\.\.\.)", re.MULTILINE)
HISTOGRAM = re.compile(r"^ *([um])secs +: count +distribution\s*$|^@([um])secs(?:\[[^]]*\])?:\s*$", re.MULTILINE)
FULL = re.compile(r"\|(?:\*+|@+)\|\s*$", re.MULTILINE)
TORN = re.compile(r"^ *\d+ -> |^\[\d+[KMG]?[\],]")
LINES = (BCC, BPFTRACE, TORN, START, HISTOGRAM, *printed_lines("runqlat"))
UNIT_NS = {"u": 1_000, "m": 1_000_000}
LATEST = 10**12


def read_runqlat(text: str, place: str) -> Wakeups:
    """Average and maximum are not printed: the middles of the buckets and the end of the last one stand for them, and it is said."""
    starts = HISTOGRAM.findall(text)
    if len(starts) != 1:
        raise DataError(f"{len(starts)} histograms of runqlat", "name the output of one, without -P and without an interval", place=place)
    unit = UNIT_NS["".join(starts[0])]
    rows: list[tuple[int, int, int]] = []
    problems: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        match = BCC.match(line) or BPFTRACE.match(line)
        interval = interval_of(match[1]) if match else None
        if match is None or interval is None:
            if TORN.match(line):
                problems.append(f"{place}:{number}: {line.strip()[:60]!r} is no whole row of runqlat; it is left out")
            continue
        low, high = (int(end) for end in interval)
        if high > LATEST or (rows and low * unit < rows[-1][1]):
            problems.append(f"{place}:{number}: the bucket {match[1]} does not follow the one before; it is left out")
        else:
            rows.append((low * unit, high * unit, int(match[2])))
    used = [row for row in rows if row[2]]
    if not used:
        raise DataError(problems[0] if problems else f"{place}: runqlat counted nothing; trace for longer")
    lows, highs, counts = (np.array(column, dtype=np.int64) for column in zip(*used, strict=True))
    if not FULL.search(text):
        problems.append(f"{place}: no bar is full, so the row with the largest count is missing; the histogram was cut off")
    average = float(((lows + highs) / 2 * counts).sum() / counts.sum())
    facts = (
        ("rows", "all tasks on all CPUs; the tool does not separate them"),
        ("average and maximum", "computed from the buckets: their middles, and the end of the last one"),
    )
    cpu = cpu_row(0, tuple(used), int(counts.sum()), int(lows[0]), int(highs[-1]) - 1, average)
    return Wakeups("runqlat", None, unit, (cpu,), complete=not problems, facts=facts, problems=tuple(problems), rows=RowKind.ALL)
