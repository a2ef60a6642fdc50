# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a run that may be followed over time, each kind by its own analysis."""

from __future__ import annotations

from statistics import fmean, median

from latlab.analysis.amounts.amount_figures import amount_figures
from latlab.analysis.base.figure import Figure
from latlab.analysis.base.figure_names import refusal
from latlab.analysis.base.identity import NotComparable
from latlab.analysis.ladder.span_figures import span_figures
from latlab.analysis.wakeups.wakeup_figures import wakeup_figures
from latlab.errors import UsageError
from latlab.model.enums import Kind
from latlab.model.run import Run


def figures_of(run: Run) -> tuple[Figure, ...]:
    """Raises NotComparable where the run holds nothing to follow."""
    if run.kind is Kind.ATTACKS:
        raise NotComparable("a run of attacks has outcomes and no figures; `latlab show` prints them")
    if run.kind is Kind.DESIGN:
        raise NotComparable("an experiment has effects and no figures of its own; `latlab design show` prints them")
    if run.kind is Kind.AMOUNTS:
        return amount_figures(run)
    return wakeup_figures(run) if run.kind is Kind.WAKEUPS else span_figures(run)


def figure_value(run: Run, text: str) -> float | None:
    """One number for what the text names, the mean over its figures; None where it names none."""
    values = [median(figure.values) for figure in figures_of(run) if figure.called.asked_by(text)]
    return fmean(values) if values else None


def no_figure(run: Run, text: str) -> UsageError:
    return refusal(text, (figure.called for figure in figures_of(run)), run.id)
