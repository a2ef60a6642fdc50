# SPDX-License-Identifier: BSD-3-Clause
"""The contents of an rt run: wake-ups as histograms, the late ones with their causes, and the work of the load."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from latlab.core.model.blame import Blame
from latlab.core.model.enums import Metric, RowKind
from latlab.core.model.run import Contents, CoreId, Run


@dataclass(frozen=True, slots=True)
class LateWakeup:
    """A wake-up that was later than the recorder's threshold, the number of periods that passed before the task ran, and the cause."""

    wake_ns: int
    late_ticks: int
    missed: int
    blame: Blame


Counts = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Distribution:
    """The spans of one core as a histogram: (low, high, n) counts n spans in [low, high), sorted and disjoint; `beyond` counts the spans
    above the last.

    `counts` is empty if only minimum, average and maximum are known. `expected` is the number of spans that were due, and `missed` the
    number of these that passed unmeasured; both are None if the tool does not report them. Two distributions with the same `digest`
    contain the same spans in the same order. `blocks` are the counts of equal parts of the time, empty if the order is not known. If
    `rows` says that the row is not a CPU, the number of `core` is the number of the row. `thread` is the number of the thread, if a tool
    reports both.
    """

    test: str
    metric: Metric
    core: CoreId
    counts: Counts
    beyond: int
    got: int
    expected: int | None
    missed: int | None
    minimum_ticks: int
    maximum_ticks: int
    average_ticks: float
    resolution_ticks: int = 1
    digest: str = ""
    late: tuple[LateWakeup, ...] = ()
    late_dropped: int = 0
    blocks: tuple[Counts, ...] = ()
    rows: RowKind = RowKind.CPU
    thread: int | None = None

    @property
    def number(self) -> int:
        return self.core.core

    @property
    def due(self) -> int:
        """The number of spans that were due, by what the tool reports."""
        return self.expected or self.got + (self.missed or 0)

    @property
    def counted(self) -> int:
        """The number of spans in the histogram and beyond it."""
        return sum(n for _, _, n in self.counts) + self.beyond

    @property
    def place(self) -> str:
        return self.rows.named(self.number)

    @property
    def is_computed(self) -> bool:
        """Whether the number of spans was computed and not counted: if only a summary was published, `got` is the number that was due."""
        return not self.counts and self.missed is None and self.expected is not None and self.got == self.expected


@dataclass(frozen=True, slots=True)
class LoadWork:
    """The work of one stressor of the load during the measurement, as the stressor counts it."""

    name: str
    per_second: float


@dataclass(frozen=True, slots=True)
class WakeupCounts(Contents):
    """The contents of an rt run: histograms of wake-ups by tool and CPU, and the work of the load if the load counts it.

    A stored run consists of raw files; the contents are available once these are read.
    """

    kind: ClassVar[str] = "wakeups"

    distributions: tuple[Distribution, ...] = ()
    load: tuple[LoadWork, ...] = ()


def distributions_of(run: Run) -> tuple[Distribution, ...]:
    """The histograms of a run of wake-ups; empty for another kind."""
    return run.contents.distributions if isinstance(run.contents, WakeupCounts) else ()


def load_of(run: Run) -> tuple[LoadWork, ...]:
    """The work of the load in a run of wake-ups; empty if the load does not count it."""
    return run.contents.load if isinstance(run.contents, WakeupCounts) else ()
