# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a run as a page holds them, for a reader who puts two runs beside each other in a browser (`compare.js`).

They describe and do not judge: there is no test, no interval and no threshold, and all cores and boots are together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec
import numpy as np

from latlab.core.comparison.by_kind import figures_of
from latlab.core.comparison.conditions import ConditionRule, caveat_of, stated_by_rule
from latlab.core.comparison.wording import heading_unit, scale_of, unit_of
from latlab.core.errors import LatlabError
from latlab.core.lifecycle.material import load_run
from latlab.core.model.distributions import Distribution, distributions_of
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import Run
from latlab.core.report.redaction import Secrets, redacted
from latlab.core.report.titles import METRIC_TITLES, title_of
from latlab.core.statistics.histogram import histogram_of
from latlab.core.statistics.sample_matrix import Floats
from latlab.core.store.store import Store

MOST_POINTS = 40
"""Values of a figure that a page holds; of more values it holds so many quantiles."""
QUARTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True)
class FigureRow:
    """`points` are all values in order, or, if not `is_whole`, quantiles at the middles of as many equal shares."""

    name: str
    unit: str
    n: int
    quartiles: tuple[float, ...]
    points: tuple[float, ...]
    is_whole: bool


@dataclass(frozen=True, slots=True)
class RunFigures:
    """`may_differ` are the conditions that `latlab compare` names. Those by which it refuses two runs are equal in all runs of a list."""

    id: str
    may_differ: Mapping[str, str]
    caveats: tuple[str, ...]
    rows: tuple[FigureRow, ...]


def figures_of_run(store: Store, redact: bool, run: str) -> str:
    """The figures of a stored run as JSON for a page, with `<` escaped; empty if the run cannot be read."""
    try:
        loaded = load_run(store, run)
        figures = run_figures(loaded)
    except LatlabError:
        return ""
    return document(redacted(figures, Secrets.of((loaded,))) if redact else figures)


def run_figures(run: Run) -> RunFigures:
    partial = f"{run.id} is {run.status}" if run.status is not RunStatus.COMPLETE else ""
    return RunFigures(
        run.id,
        stated_by_rule(run, ConditionRule.NAMED),
        tuple(filter(None, (caveat_of(run), partial))),
        tuple(_rows(run)),
    )


def document(figures: RunFigures) -> str:
    """JSON for a page, with `<` escaped."""
    return msgspec.json.encode(figures).decode().replace("<", "\\u003c")


def _rows(run: Run) -> Iterator[FigureRow]:
    if run.samples:
        yield from _of_samples(run)
    elif distributions_of(run):
        yield from _of_distributions(run)
    else:
        for figure in figures_of(run):
            name = f"{_name(figure.test, figure.metric)}, {figure.name}"
            yield _row(name, figure.unit, np.array(figure.values), np.ones(len(figure.values)))


def _of_samples(run: Run) -> Iterator[FigureRow]:
    values: dict[tuple[str, Metric], list[float]] = {}
    for sample in run.samples:
        values.setdefault((sample.test, sample.metric), []).append(sample.value_ticks * run.tick.value)
    for (test, metric), of_test in values.items():
        yield _row(_name(test, metric), unit_of(metric, run.tick.unit), np.array(of_test), np.ones(len(of_test)))


def _of_distributions(run: Run) -> Iterator[FigureRow]:
    """Those that only give a minimum, an average and a maximum have no quartiles and are left out."""
    counted: dict[tuple[str, Metric], list[Distribution]] = {}
    for distribution in distributions_of(run):
        if distribution.counts:
            counted.setdefault((distribution.test, distribution.metric), []).append(distribution)
    for (test, metric), of_test in counted.items():
        histograms = [histogram_of(run, distribution) for distribution in of_test]
        values = np.concatenate([np.r_[histogram.middles, histogram.maximum] for histogram in histograms])
        counts = np.concatenate([np.r_[histogram.counts, float(histogram.beyond)] for histogram in histograms])
        yield _row(_name(test, metric), unit_of(metric, run.tick.unit), values, counts)


def _name(test: str, metric: Metric) -> str:
    """The title of a test without a scope ends in a blank."""
    return f"{title_of(test).full}, {METRIC_TITLES.get(metric, str(metric))}".replace(" ,", ",")


def _row(name: str, unit: str, values: Floats, counts: Floats) -> FigureRow:
    order = np.argsort(values, kind="stable")
    ordered, upto = values[order] / scale_of(unit), np.cumsum(counts[order])
    n = int(upto[-1])
    is_whole = n <= MOST_POINTS
    shares = (np.arange(min(n, MOST_POINTS)) + 0.5) / min(n, MOST_POINTS)
    points = tuple(_at(ordered, upto, share * n - 0.5) for share in shares)
    return FigureRow(name, heading_unit(unit), n, tuple(_at(ordered, upto, share * (n - 1)) for share in QUARTILES), points, is_whole)


def _at(ordered: Floats, upto: Floats, rank: float) -> float:
    """The value of a rank, which begins with 0; between two ranks on the line between their values."""
    below, above = (ordered[np.searchsorted(upto, whole, side="right")] for whole in (np.floor(rank), np.ceil(rank)))
    return float(below + (rank - np.floor(rank)) * (above - below))
