# SPDX-License-Identifier: BSD-3-Clause
"""What is asked of one run of spans: its figures, its number of samples, and limits on the samples of each core.

No figure depends on which core came first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from latlab.core.comparison.coverage import Counted, SampleKey
from latlab.core.comparison.figure import Figure
from latlab.core.comparison.identity import checked_columns
from latlab.core.comparison.limit import Edges, Held, Limit, check_unit, held_edges, held_share, unmeasured_places
from latlab.core.comparison.queue_model import Ladders
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run
from latlab.core.readers.platform_facts import facts_of
from latlab.core.statistics.sample_matrix import Columns, Floats, Matrix, boot_medians, printed_step
from latlab.psci.analysis.queue_fit import fit_ladders, is_refused
from latlab.psci.analysis.roles import Roles, is_parallel, roles_of

WITHOUT_SCHEDULE = frozenset({"watch"})
"""Campaigns in which the guest decides how many calls it makes: no number is due."""
INTERRUPT = "interrupt"
"""The first word of a call that an interrupt made. Their number follows from the order in which cores run, so none is due."""


def span_figures(run: Run) -> tuple[Figure, ...]:
    """Terms of the queue model and sorted cells of parallel tests, cores of serial tests. Raises NotComparable."""
    columns = checked_columns(run)
    roles = roles_of(columns, facts_of(run.platform).managed_by)
    out: list[Figure] = []
    for (test, metric), matrix in columns.matrices.items():
        if not len(matrix.values):
            continue
        for (name, core, cluster), values in _named(columns, roles, test, metric, matrix).items():
            figure = Figure(test, metric, name, run.tick.unit, tuple(float(v) for v in values), core, cluster)
            out.append(replace(figure, below=printed_step(run, metric) / 2, above=printed_step(run, metric)))
    return tuple(out)


_Key = tuple[str, CoreId | None, int | None]


def _named(columns: Columns, roles: Roles, test: str, metric: Metric, matrix: Matrix) -> dict[_Key, Floats]:
    """Values by name and owner: a core or a cluster."""
    if not is_parallel(test):
        return {(f"core {core}", core, None): matrix.by_boot[:, i] for i, core in enumerate(matrix.cores)}
    if metric is Metric.POWERDOWN:
        ladders = fit_ladders(columns, roles, test)
        if ladders is not None and not is_refused(ladders):
            return {(name, None, None): values for name, values in _terms(ladders).items()}
        ordered = boot_medians(matrix.boots, np.sort(matrix.values, axis=1))
        return {(f"place {i + 1}", None, None): ordered[:, i] for i in range(ordered.shape[1])}
    out: dict[_Key, Floats] = {}
    for cluster in dict.fromkeys(core.cluster for core in matrix.cores):
        columns_of = [i for i, core in enumerate(matrix.cores) if core.cluster == cluster]
        ordered = boot_medians(matrix.boots, np.sort(matrix.values[:, columns_of], axis=1))
        out |= {(f"cluster {cluster} rank {i + 1}", None, cluster): ordered[:, i] for i in range(len(columns_of))}
    return out


def _terms(ladders: Ladders) -> dict[str, Floats]:
    medians = {name: boot_medians(ladders.boots, values[:, None])[:, 0] for name, values in ladders.terms.items()}
    return {name: numbers for name, values in medians.items() if len(numbers := values[~np.isnan(values)])}


def counted_spans(run: Run) -> dict[SampleKey, Counted]:
    if run.campaign in WITHOUT_SCHEDULE:
        return {}
    scheduled = (sample for sample in run.samples if sample.test.partition(" ")[0] != INTERRUPT)
    sizes = Counter((sample.test, sample.metric, sample.core) for sample in scheduled)
    return {SampleKey(*key): Counted(n) for key, n in sizes.items()}


def limited_samples(run: Run, limit: Limit) -> Iterator[Held]:
    """Every sample of a core in one test, whatever its boot."""
    if not limit.is_of_samples:
        return
    columns = checked_columns(run)
    for (test, metric), matrix in columns.matrices.items():
        written = f"{test}/{metric}" if "/" in limit.name else metric.value
        if not fnmatchcase(written, limit.name):
            continue
        check_unit(limit, run.tick.unit)
        step = printed_step(run, metric)
        for column, core in enumerate(matrix.cores):
            values = matrix.every.of(column)
            if not limit.takes(core) or not len(values):
                continue
            subject = f"{test} {metric} of core {core}"
            if limit.share is not None:
                at = float(np.quantile(values, limit.share, method="inverted_cdf"))
                yield held_share(limit, subject, len(values), Edges(at - step / 2, at + step), run.tick.unit)
                continue
            value = float({"max": values.max(), "min": values.min(), "average": values.mean()}[limit.statistic])
            edges = Edges(value - step / 2, value + step)
            yield held_edges(limit, f"{subject}, {limit.statistic}", edges, len(values), run.tick.unit)
        yield from unmeasured_places(run, limit, matrix.cores)
