# SPDX-License-Identifier: BSD-3-Clause
"""The screen of `rtla timerlat top`: for each CPU count, current, minimum, average and maximum of the timer's interrupt, of the thread, and
perhaps of the return to user space. A screen that was kept while it ran has many; the last counts."""

from __future__ import annotations

import re

from latlab.benchmarks.readers import rtla_output
from latlab.benchmarks.readers.rtla_output import last_screen, missed_events, stop_facts
from latlab.core.errors import DataError
from latlab.core.model.distributions import Distribution
from latlab.core.readers.line_account import printed_lines
from latlab.rt.model.wakeups import Wakeups, cpu_row

TITLE = re.compile(r"^\s*Timer Latency\s*$", re.MULTILINE)
UNIT = re.compile(r"IRQ Timer Latency \((us|ns)\)")
GROUP = r"\|\s*((?:\d{1,18}|-)(?:\s+(?:\d{1,18}|-)){3})\s*"
ROW = re.compile(rf"^\s*(\d{{1,5}}) #(\d{{1,18}})\s*{GROUP}{GROUP}(?:{GROUP})?$", re.ASCII)
TORN = re.compile(r"^\s*\d+ #\d")
LINES = (TITLE, UNIT, ROW, TORN, *printed_lines("rtla_top"), *rtla_output.LINES)
KINDS = ("IRQ", "Thr", "Usr")
NS = {"us": 1000, "ns": 1}


def is_timerlat_top(text: str) -> bool:
    """Whether the title of such a screen stands in it."""
    return "Timer Latency" in text and TITLE.search(text) is not None


def read_timerlat_top(text: str, place: str, kind: str = "Thr") -> Wakeups:
    """One kind of the figures as wake-ups; `Thr` is nearest to cyclictest's figure."""
    lines = text.split("\n")
    start, problems = last_screen(lines, TITLE, ROW, "rtla timerlat top", place)
    problems += missed_events(text, place)
    unit_ns = 1000
    cpus: dict[int, Distribution] = {}
    for number, line in enumerate(lines[start:], start + 1):
        where = f"{place}:{number}"
        if match := UNIT.search(line):
            unit_ns = NS[match[1]]
        elif match := ROW.match(line):
            cpu, group = int(match[1]), match[3 + KINDS.index(kind)]
            figures = (group or "").split()
            if cpu in cpus:
                problems.append(f"{where}: CPU {cpu} appears twice; the second line is left out")
            elif "-" not in figures and figures:
                cpus[cpu] = _cpu(cpu, int(match[2]), [int(part) * unit_ns for part in figures])
            else:
                problems.append(f"{where}: CPU {cpu} has no figure of {kind}; the line is left out")
        elif TORN.match(line):
            problems.append(f"{where}: {line.strip()[:60]!r} is not a whole line of a CPU; it is left out")
    if not cpus:
        raise DataError(f"{problems[0].partition(': ')[2] if problems else 'the screen names no CPU'}; nothing was measured", place=place)
    ordered = tuple(cpus[cpu] for cpu in sorted(cpus))
    return Wakeups(
        f"rtla timerlat ({kind})", None, unit_ns, ordered, complete=not problems, facts=stop_facts(text), problems=tuple(problems)
    )


def _cpu(cpu: int, count: int, figures_ns: list[int]) -> Distribution:
    """The count is that of the interrupt; the thread's is not printed, and is the same unless events were lost."""
    _, low, average, high = figures_ns
    return cpu_row(cpu, (), count, low, high, float(average))
