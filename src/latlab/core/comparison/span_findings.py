# SPDX-License-Identifier: BSD-3-Clause
"""Findings on the changes between two runs of spans, each with its sentence. Amounts are in the run's unit, which `sentence` takes."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.core.comparison.iterations import InIterations
from latlab.core.comparison.queue_findings import listed
from latlab.core.comparison.queue_model import STEP
from latlab.core.comparison.verdicts import Verdict
from latlab.core.comparison.wording import amount, percent, row_title, said_in_iterations, signed
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId

Amounts = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class MetricMoved:
    """Rows of one metric that changed in one direction. `everywhere`: in every test with the metric. `untouched` are metrics shown not
    to change. `in_iterations`: some changed in a part of their iterations; amounts are those of the iteration that changed most."""

    metric: Metric
    verdict: Verdict
    tests: tuple[str, ...]
    everywhere: bool
    low: float
    high: float
    cells: int
    by_cluster: tuple[tuple[int, float], ...]
    untouched: tuple[Metric, ...]
    in_iterations: bool = False

    def sentence(self, unit: str) -> str:
        tests = "every test" if self.everywhere and len(self.tests) > 1 else ", ".join(self.tests)
        low, high = signed(self.low, unit), signed(self.high, unit)
        size = low if low == high else f"{low} to {high}"
        text = f"{self.metric} {self.verdict} in {tests}: {size} over {self.cells} data point{'s' * (self.cells != 1)}"
        if self.in_iterations:
            text += ", each by the iteration that changed most"
        elif self.by_cluster:
            text += ". The median is " + ", ".join(f"{signed(delta, unit)} in cluster {cluster}" for cluster, delta in self.by_cluster)
        if self.untouched:
            text += f". No row of {' or '.join(self.untouched)} changed with it"
        return text


@dataclass(frozen=True, slots=True)
class ShapeMoved:
    """How the spans of some cores spread around their median changed: figures by name with their distance from it before and after."""

    metric: Metric
    test: str
    name: str
    verdict: Verdict
    figures: tuple[tuple[str, float, float], ...]

    def sentence(self, unit: str) -> str:
        text = ", ".join(f"{figure} {amount(before, unit)} to {amount(after, unit)}" for figure, before, after in self.figures)
        where = f"{self.metric} in {self.test}, {row_title(self.name)}"
        return f"{where}, {self.verdict} in its shape, as distances from the median: {text}"


@dataclass(frozen=True, slots=True)
class InSomeIterations:
    """A row that changed in some iterations only, under an exact clock."""

    metric: Metric
    test: str
    name: str
    iterations: InIterations

    def sentence(self, unit: str) -> str:
        return f"{self.metric} in {self.test}, {row_title(self.name)}, differs in {said_in_iterations(self.iterations)}"


@dataclass(frozen=True, slots=True)
class TermMoved:
    """A term of the queue model that changed, with its value before and after in each test."""

    term: str
    verdict: Verdict
    tests: tuple[str, ...]
    changes: tuple[tuple[float, float], ...]
    relative: float

    def sentence(self, unit: str) -> str:
        figures = ", ".join(f"{amount(before, unit)} to {amount(after, unit)}" for before, after in self.changes)
        text = f"{row_title(self.term)} of the queue {self.verdict} in {', '.join(self.tests)}: {figures}"
        if self.term != STEP:
            return text
        longer = "longer" if self.verdict is Verdict.REGRESSED else "less long"
        return f"{text} ({percent(self.relative)}). Each core waits that much {longer} for every core before it"


@dataclass(frozen=True, slots=True)
class PartsMoved:
    """The changes of the medians, over the cores, of a span's parts."""

    metric: Metric
    parts: Amounts

    def sentence(self, unit: str) -> str:
        text = ", ".join(f"{name} {signed(value, unit)}" for name, value in self.parts)
        return f"of the {self.metric}, median over cores, these parts changed: {text}"


@dataclass(frozen=True, slots=True)
class OrderChanged:
    """`largest_share` is the largest relative difference between a span and the model at its queue position; None if it cannot be
    computed."""

    before: tuple[CoreId, ...]
    after: tuple[CoreId, ...]
    largest_share: float | None

    def sentence(self, unit: str) -> str:
        text = f"order changed: {listed(self.before)} to {listed(self.after)}"
        if self.largest_share is None:
            return text
        return f"{text}; at its position in the queue no span changed by more than {self.largest_share * 100:.1f} %"
