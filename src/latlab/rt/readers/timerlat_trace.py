# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's tracer timerlat as its trace file prints it (Documentation/trace/timerlat-tracer.rst): each activation with its number, and
how late the interrupt and the thread were, in ns. The thread's figures are read, as of rtla."""

from __future__ import annotations

import re
from collections import defaultdict

import numpy as np

from latlab.benchmarks.readers.rtla_output import LOST
from latlab.core.errors import DataError
from latlab.core.model.distributions import Distribution
from latlab.core.readers.line_account import printed_lines, second_run
from latlab.rt.model.wakeups import Wakeups, counted_values, cpu_row, in_blocks

TOOL = "timerlat tracer"
LINE = re.compile(
    r"^.*-\d{1,9} +(?:\( *[-\d]+\) +)?\[(?P<cpu>\d{1,5})\] +\S+ +(?P<at>\d{1,9}\.\d{6,9}): +#(?P<number>\d{1,10}) +context +"
    r"(?P<context>irq|thread|user-ret) +timer_latency +(?P<ns>\d{1,15}) ns\s*$",
    re.ASCII,
)
TORN = re.compile(r"#\d+ +context +")
HEADER = re.compile(r"^# tracer: timerlat\s*$", re.MULTILINE)
ACTIVATION = re.compile(r"#\d+ +context +(?:irq|thread) +timer_latency +\d+ ns")
LINES = (LINE, TORN, LOST, *printed_lines("timerlat_trace"))


def is_timerlat_trace(text: str) -> bool:
    """By its header, or by more than one activation: the header is not in trace_pipe."""
    return HEADER.search(text) is not None or len(ACTIVATION.findall(text)) > 1


def read_timerlat_trace(text: str, place: str, context: str = "thread") -> Wakeups:
    """The values of one context by CPU. Activations that are not in the trace were not measured."""
    late: dict[int, list[int]] = defaultdict(list)
    span: dict[int, tuple[int, int, int]] = {}  # first and last activation, the line of the first
    problems: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if match := LINE.match(line):
            if match["context"] != context:
                continue
            cpu, activation = int(match["cpu"]), int(match["number"])
            first, last, begun = span.get(cpu, (activation, -1, number))
            if activation <= last:
                raise second_run(place, begun, number, TOOL, f"CPU {cpu} is at activation {last}, then {activation}")
            span[cpu] = first, activation, begun
            late[cpu].append(int(match["ns"]))
        elif LOST.search(line):
            problems.append(f"{place}:{number}: {line.strip()[:60]!r}: the kernel's buffer was too small; what it held is left out")
        elif TORN.search(line):
            problems.append(f"{place}:{number}: {line.strip()[:60]!r} is no whole line of timerlat; it is left out")
    if not late:
        raise DataError("the trace of timerlat holds no latency of a thread; it was stopped before the first activation", place=place)
    cpus = tuple(_cpu(cpu, late[cpu], span[cpu][1] - span[cpu][0] + 1) for cpu in sorted(late))
    return Wakeups(TOOL, None, 1, cpus, complete=not problems, problems=tuple(problems))


def _cpu(cpu: int, late: list[int], activations: int) -> Distribution:
    values = np.array(late, dtype=np.int64)
    return cpu_row(
        cpu, counted_values(values, 1), len(late), min(late), max(late), float(values.mean()),
        expected=activations, missed=activations - len(late), blocks=in_blocks(values, 1),
    )  # fmt: skip
