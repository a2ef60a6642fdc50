# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a run that may be followed over time: nothing in them depends on which core came first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from latlab.analysis.base.columns import Columns, Floats, Matrix, boot_medians
from latlab.analysis.base.identity import checked_columns
from latlab.analysis.base.weighted import FEWEST_ABOVE, weighted
from latlab.analysis.base.wording import unit_of
from latlab.analysis.ladder.canonical import LEAST_SHARE, Ladders, fit_ladders
from latlab.analysis.ladder.roles import Roles, is_parallel, roles_of
from latlab.analysis.wakeups.wakeup_identity import check_latencies
from latlab.model.enums import Metric
from latlab.model.run import Distribution, Run

QUANTILES = (("median", 0.5), ("p99", 0.99), ("p99.9", 0.999))


@dataclass(frozen=True, slots=True)
class Figure:
    """One quantity of a run: a value for each boot, in `unit` (ns or insns)."""

    test: str
    metric: Metric
    name: str
    unit: str
    values: tuple[float, ...]

    @property
    def value(self) -> float:
        return float(np.median(self.values))

    @property
    def path(self) -> str:
        """`susp_deep_parallel/powerdown/step`: no blanks, so that other tools take it as a name."""
        return "/".join((self.test, self.metric.value, self.name.replace(" ", "-")))


def figures_of(run: Run) -> tuple[Figure, ...]:
    """Terms of the ladder and sorted cells for parallel tests, cores for serial ones; quantiles of wake-ups. Raises NotComparable."""
    if run.distributions:
        check_latencies(run)
        return tuple(figure for one in run.distributions for figure in _wakeup_figures(run, one))
    columns = checked_columns(run)
    roles = roles_of(columns)
    out: list[Figure] = []
    for (test, metric), matrix in columns.matrices.items():
        if not len(matrix.values):
            continue
        named = _named(columns, roles, test, metric, matrix)
        out += [Figure(test, metric, name, run.tick.unit, tuple(float(v) for v in values)) for name, values in named.items()]
    return tuple(out)


def _wakeup_figures(run: Run, one: Distribution) -> Iterator[Figure]:
    scale, cpu = run.tick.value, f"CPU {one.core.core}"
    counted = weighted(one, scale)
    found = {"average": one.average_ticks * scale, "maximum": one.maximum_ticks * scale}
    for name, share in QUANTILES:
        value = counted.quantile(share) if counted and counted.total * (1 - share) >= FEWEST_ABOVE else None
        if value is not None:
            found[name] = value
    for name, value in found.items():
        yield Figure(one.test, one.metric, f"{cpu} {name}", run.tick.unit, (value,))
    if one.missed is not None and (due := one.expected or one.got + one.missed):
        rate = one.missed * 1_000_000 / due
        yield Figure(one.test, Metric.MISSED_PERIODS, cpu, unit_of(Metric.MISSED_PERIODS, run.tick.unit), (rate,))


def _named(columns: Columns, roles: Roles, test: str, metric: Metric, matrix: Matrix) -> dict[str, Floats]:
    if not is_parallel(test):
        return {f"core {core}": matrix.by_boot[:, i] for i, core in enumerate(matrix.cores)}
    if metric is Metric.POWERDOWN:
        ladders = fit_ladders(columns, roles, test)
        if ladders is not None and np.nanmedian(ladders.share) >= LEAST_SHARE:
            return _terms(ladders)
        ordered = boot_medians(matrix.boots, np.sort(matrix.values, axis=1))
        return {f"place {i + 1}": ordered[:, i] for i in range(ordered.shape[1])}
    out: dict[str, Floats] = {}
    for cluster in dict.fromkeys(core.cluster for core in matrix.cores):
        own = [i for i, core in enumerate(matrix.cores) if core.cluster == cluster]
        ordered = boot_medians(matrix.boots, np.sort(matrix.values[:, own], axis=1))
        out |= {f"cluster {cluster} rank {i + 1}": ordered[:, i] for i in range(len(own))}
    return out


def _terms(ladders: Ladders) -> dict[str, Floats]:
    medians = {name: boot_medians(ladders.boots, values[:, None])[:, 0] for name, values in ladders.terms.items()}
    return {name: kept for name, values in medians.items() if len(kept := values[~np.isnan(values)])}
