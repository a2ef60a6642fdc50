# SPDX-License-Identifier: BSD-3-Clause
"""zyclictest, a command of Zephyr's shell: how late the timer's interrupt and the thread were, in whole microseconds, as a histogram of
1000 buckets. The thread's column is read, which is nearest to cyclictest's figure."""

from __future__ import annotations

import re

from latlab.core.errors import DataError
from latlab.core.model.conditions import Conditions
from latlab.core.model.enums import RowKind
from latlab.core.readers.line_account import printed_lines, second_run
from latlab.rt.model.wakeups import Wakeups, cpu_row

TOOL = "zyclictest"
INTERVAL = re.compile(r"^Cycle interval: (\d{1,12}) us\s*$", re.ASCII)
PRIORITY = re.compile(r"^Priority: (-?\d{1,4})\s*$", re.ASCII)
COUNT = re.compile(r"^(?:Finished thread with count|Count): *(\d{1,15})\s*$", re.ASCII)
SUMMARY = re.compile(r"^(Min-Latency|Avg-Latency|Max-Latency|Errors|Overflow):\s+(\d{1,12})\s+(\d{1,12})(?: us)?\s*$", re.ASCII)
START = re.compile(r"^Max-Latency:\s+\d{1,12}\s+\d{1,12}(?: us)?\s*$", re.MULTILINE | re.ASCII)
TITLE = re.compile(r"^Histogram:\s*$")
ROW = re.compile(r"^ *(\d{1,4})\s{6,}(\d{1,12})\s+(\d{1,12})\s*$", re.ASCII)
TORN = re.compile(r"^ *\d{1,4}\s{6,}\d+\s*$|^(?:Min|Avg|Max)-Latency:")
LINES = (INTERVAL, PRIORITY, COUNT, SUMMARY, TITLE, ROW, TORN, *printed_lines("zyclictest"))
NOT_NAMED = ("rows", "one thread, whose CPU the tool does not name")


def read_zyclictest(text: str, place: str) -> Wakeups:
    """The summary that `zyclictest stop` prints."""
    summary: dict[str, tuple[int, int]] = {}
    rows: dict[int, int] = {}
    problems: list[str] = []
    interval = priority = count = None
    first = 0
    below_title = False
    for number, raw in enumerate(text.split("\n"), 1):
        line, where = raw.rstrip("\r"), f"{place}:{number}"
        if match := INTERVAL.match(line):
            interval = int(match[1])
        elif match := PRIORITY.match(line):
            priority = int(match[1])
        elif match := COUNT.match(line):
            count = int(match[1])
        elif match := SUMMARY.match(line):
            if match[1] in summary:
                raise second_run(place, first, number, TOOL, f"{match[1]} again")
            first = first or number
            summary[match[1]] = int(match[2]), int(match[3])
        elif TITLE.match(line):
            below_title = True
        elif below_title and (match := ROW.match(line)) and int(match[1]) not in rows:
            rows[int(match[1])] = int(match[3])
        elif below_title and TORN.match(line):
            problems.append(f"{where}: {line.strip()[:60]!r} is no whole row of zyclictest; it is left out")
    if "Max-Latency" not in summary:
        raise DataError("no line `Max-Latency:` of zyclictest", "give the output of `zyclictest stop`", place=place)
    counts = tuple((low * 1000, (low + 1) * 1000, n) for low, n in sorted(rows.items()))
    beyond = summary.get("Overflow", (0, 0))[1] if counts else 0
    total = sum(rows.values()) + beyond
    if not counts and count is None:
        raise DataError("neither a histogram nor a count of zyclictest", "run `zyclictest stop` without -q", place=place)
    got = total if count is None else count
    if counts and got != total:
        problems.append(f"{place}: the histogram holds {total} wake-ups, the count says {got}")
    irq, high = summary["Max-Latency"]
    used = [low for low, held in sorted(rows.items()) if held]
    if used and summary.get("Overflow", (0, 0))[1] == 0 and used[-1] != high:
        problems.append(f"{place}: the last bucket in use is {used[-1]} µs, the maximum says {high}")
    low = summary["Min-Latency"][1] if "Min-Latency" in summary else min(used, default=0)
    middle = sum((low + 0.5) * held for low, held in rows.items()) / max(sum(rows.values()), 1)
    average = float(summary["Avg-Latency"][1]) if "Avg-Latency" in summary else middle
    facts = [NOT_NAMED, ("largest latency of the interrupt", f"{irq} µs")]
    if "Avg-Latency" not in summary:
        facts.append(("average", "computed from the histogram"))
    if any(summary.get("Errors", ())):
        problems.append(f"{place}: zyclictest counted {sum(summary['Errors'])} errors")
    cpu = cpu_row(0, counts, got, low * 1000, high * 1000, average * 1000, beyond)
    interval_ns = None if interval is None else interval * 1000
    return Wakeups(
        TOOL, interval_ns, 1000, (cpu,), complete=not problems, conditions=Conditions(interval_ns=interval_ns),
        facts=(*facts, *((("priority", str(priority)),) if priority is not None else ())), problems=tuple(problems), rows=RowKind.THREAD,
    )  # fmt: skip
