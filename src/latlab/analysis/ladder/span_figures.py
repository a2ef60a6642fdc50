# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a run of spans: nothing in them depends on which core came first."""

from __future__ import annotations

import numpy as np

from latlab.analysis.base.columns import Columns, Floats, Matrix, boot_medians
from latlab.analysis.base.figure import Figure
from latlab.analysis.base.identity import checked_columns
from latlab.analysis.base.ladders import Ladders
from latlab.analysis.ladder.canonical import fit_ladders, is_refused
from latlab.analysis.ladder.roles import Roles, is_parallel, roles_of
from latlab.catalog.platform_facts import facts_of
from latlab.model.enums import Metric
from latlab.model.run import Run


def span_figures(run: Run) -> tuple[Figure, ...]:
    """Terms of the ladder and sorted cells for parallel tests, cores for serial ones. Raises NotComparable."""
    columns = checked_columns(run)
    roles = roles_of(columns, facts_of(run.platform).managed_by)
    out: list[Figure] = []
    for (test, metric), matrix in columns.matrices.items():
        if not len(matrix.values):
            continue
        named = _named(columns, roles, test, metric, matrix)
        out += [Figure(test, metric, name, run.tick.unit, tuple(float(v) for v in values)) for name, values in named.items()]
    return tuple(out)


def _named(columns: Columns, roles: Roles, test: str, metric: Metric, matrix: Matrix) -> dict[str, Floats]:
    if not is_parallel(test):
        return {f"core {core}": matrix.by_boot[:, i] for i, core in enumerate(matrix.cores)}
    if metric is Metric.POWERDOWN:
        ladders = fit_ladders(columns, roles, test)
        if ladders is not None and not is_refused(ladders):
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
