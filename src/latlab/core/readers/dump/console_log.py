# SPDX-License-Identifier: BSD-3-Clause
"""A whole console log with `<RT_INSTR:...>` lines as a run. Only the lines that may hold figures are looked at, so that it is fast."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import gcd

from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.figures import Figures
from latlab.core.model.run import UNNAMED, Build, Problem, Run, Sample, Spans, Tick, Topology
from latlab.core.readers.console_text import as_printed
from latlab.core.readers.dump.frames import VIRTUAL_PLATFORM, strip_escapes
from latlab.core.readers.dump.rt_instr import BANNER, Placed, parse_figures, read_numbered_figures

_MARKS = (b"RT_INSTR", b"/>", b"\x1b", BANNER.encode())
_SIMULATED = re.compile(rb"<LLT1:BOOT [^\n>]*;" + VIRTUAL_PLATFORM.encode() + rb"[; ]")
FEWEST_FIGURES = 20
MOST_IN_A_ROW = 1024  # clusters, and cores of one: a larger number is damage, not a board


def parse(data: bytes, name: str, topology: Topology | None = None) -> Run:
    """Figures are ns of the board's counter. Without a topology, the cores that the lines name are assumed to be all."""
    lines = list(candidate_lines(as_printed(data)))
    shape = topology or _topology(lines)
    placed_figures, problems = read_numbered_figures(lines, shape)
    samples = samples_of(placed_figures)
    if not samples:
        problems.append(Problem(0, "the log holds no RT_INSTR figure; give the whole console log"))
    clock = Clock.VIRTUAL if _SIMULATED.search(data) else Clock.TIME
    return Run(
        campaign="psci",
        target="log",
        platform=UNNAMED,
        topology=shape,
        tick=Tick(clock, 1.0),
        build=Build(name),
        lead=None,
        status=RunStatus.PARTIAL if problems else RunStatus.COMPLETE,
        contents=Spans(samples),
        problems=tuple(problems),
        resolutions=tuple(_steps(samples)) if clock is Clock.TIME else (),
        id=name,
    )


def _steps(samples: Sequence[Sample]) -> Iterator[tuple[Metric, float]]:
    """What all figures of a log are multiples of is the tick of its counter, where they are many and it is a whole number of ns."""
    values = [sample.value_ticks for sample in samples]
    step = gcd(*values)
    if step > 1 and len(values) >= FEWEST_FIGURES:
        yield from ((metric, float(step)) for metric in dict.fromkeys(sample.metric for sample in samples))


def samples_of(placed_figures: Iterable[Placed]) -> tuple[Sample, ...]:
    """The spans of figures, in ns."""
    return tuple(
        Sample(placed.figures.test, metric, placed.figures.core, placed.boot, placed.iteration, value)
        for placed in placed_figures
        for metric, value in placed.figures.values_ns
    )


def candidate_lines(data: bytes) -> Iterator[tuple[int, str]]:
    """Lines that may hold figures, pieces of them or a banner, with their numbers from 1: those with a mark of these or an escape."""
    number, counted = 1, 0
    for start in sorted({data.rfind(b"\n", 0, at) + 1 for mark in _MARKS for at in _places(data, mark)}):
        number += data.count(b"\n", counted, start)
        counted = start
        end = data.find(b"\n", start)
        yield number, data[start : end if end >= 0 else len(data)].decode("utf-8", "backslashreplace").rstrip("\r")


def _places(data: bytes, mark: bytes) -> Iterator[int]:
    """The first place of the mark in each line that has it."""
    at = data.find(mark)
    while at >= 0:
        yield at
        end = data.find(b"\n", at)
        at = data.find(mark, end) if end >= 0 else -1


def _topology(lines: list[tuple[int, str]]) -> Topology:
    cores: dict[int, int] = {}
    for _, line in lines:
        for figures in parse_figures(strip_escapes(line)):
            if isinstance(figures, Figures) and max(figures.core.cluster, figures.core.core) < MOST_IN_A_ROW:
                cores[figures.core.cluster] = max(cores.get(figures.core.cluster, 0), figures.core.core + 1)
    return Topology(tuple(cores.get(i, 0) for i in range(max(cores, default=-1) + 1)))
