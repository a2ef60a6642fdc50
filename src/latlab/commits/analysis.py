# SPDX-License-Identifier: BSD-3-Clause
"""What one commit of a firmware changed in its counts: the figures whose mean moved, and the functions that did it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from latlab.calls.analysis.span_functions import Move, moves_of
from latlab.core.comparison.by_kind import figures_of
from latlab.core.comparison.class_views import ClassMove, class_moves
from latlab.core.comparison.summary import Mark, mark_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run

Span = tuple[str, Metric]


@dataclass(frozen=True, slots=True)
class FigureStep:
    """The mean over the cores before and after, in the run's unit, the functions that differ, the largest difference first, and the classes
    of instructions, where both runs have them."""

    test: str
    metric: Metric
    before: float
    after: float
    moves: tuple[Move, ...]
    classes: tuple[ClassMove, ...] = ()

    @property
    def difference(self) -> float:
        return self.after - self.before

    @property
    def share(self) -> float | None:
        """Of what it was before; None where that was nothing."""
        return self.difference / self.before if self.before else None


def means_of(run: Run) -> Mapping[Span, float]:
    """Each span's mean over its cores. Tests in which cores take turns are left out: what they wait is not the firmware's."""
    by_span: dict[Span, list[float]] = defaultdict(list)
    for figure in figures_of(run):
        if mark_of(run, figure.test) is not Mark.TURNS:
            by_span[figure.test, figure.metric].append(figure.value)
    return {span: fmean(values) for span, values in by_span.items()}


def steps_of(before: Run, after: Run, tolerance: float = 0.0) -> tuple[FigureStep, ...]:
    """The figures of both runs that differ by more than this share of what they were."""
    old, new = means_of(before), means_of(after)
    moves, classes = moves_of(before, after), class_moves(before, after)
    steps = (
        FigureStep(
            *span, value, new[span], moves[span].functions if span in moves else (), classes[span].classes if span in classes else ()
        )
        for span, value in old.items()
        if span in new
    )
    return tuple(step for step in steps if abs(step.difference) > tolerance * abs(step.before))
