# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a run that may be followed over time, each kind by its own analysis."""

from __future__ import annotations

from statistics import fmean, median

from latlab.core.comparison.figure import Figure
from latlab.core.comparison.figure_names import refusal
from latlab.core.comparison.identity import NotComparable
from latlab.core.errors import UsageError
from latlab.core.kinds.registry import kind_of
from latlab.core.model.run import Run


def figures_of(run: Run) -> tuple[Figure, ...]:
    """Raises NotComparable where the run holds nothing to follow."""
    analysis = kind_of(run).analysis
    if analysis.figures is None:
        raise NotComparable(analysis.without_figures)
    return analysis.figures(run)


def figure_value(run: Run, text: str) -> float | None:
    """One number for what the text names, the mean over its figures; None where it names none."""
    values = [median(figure.values) for figure in figures_of(run) if figure.called.asked_by(text)]
    return fmean(values) if values else None


def no_figure(run: Run, text: str) -> UsageError:
    return refusal(text, (figure.called for figure in figures_of(run)), run.id)
