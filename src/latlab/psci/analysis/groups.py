# SPDX-License-Identifier: BSD-3-Clause
"""What is judged of a span, chosen by the base alone: its cores by cluster and role, or by position if a queue makes their order random.

The groups of a base against any candidate that has its samples are those of the base against itself. A core of the candidate that changed
its role stays in the group that its role in the base puts it in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from latlab.core.comparison.identity import Pair
from latlab.core.comparison.summary import takes_turns
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import CoreId
from latlab.core.statistics.sample_matrix import Bools, Cells, Floats, Matrix, nan_median
from latlab.psci.analysis.roles import Roles, is_parallel, serial_last_men

PLAIN = ""
LAST_MAN = "last man"
PLACE = "by place"
MEDIAN = "median"
WHOLE = "all cores, sorted"
"""All samples of a parallel test, in each iteration sorted: what the order of the cores cannot move. The parent of rows that leave
out cores that wait, that flush for their cluster or that call first."""

QUEUE_RATIO = 2.0
FIRST_RATIO = 1.25
ALIKE_RATIO = 1.5
FEWEST_FOR_ROLES = 3
"""Iterations of the base that show how many cores play a part: in one iteration their number is chance."""


@dataclass(frozen=True)
class Group:
    """The same cells of two runs, one for each label. Without any number in `b` the group has no verdict, for the reason in `unjudged`."""

    test: str
    metric: Metric
    cluster: int | None
    role: str
    labels: tuple[str, ...]
    a: Cells
    b: Cells
    unjudged: str = ""

    @property
    def name(self) -> str:
        cluster = "" if self.cluster is None else f"cluster {self.cluster}"
        return ", ".join(filter(None, (cluster, self.role))) or "all cores"


@dataclass(frozen=True)
class Grouping:
    """Two runs, and the roles of their cores."""

    pair: Pair
    roles_a: Roles
    roles_b: Roles
    leads: tuple[CoreId | None, CoreId | None]

    @property
    def same_lead(self) -> bool:
        """Whether the lead is known to be the same in both runs."""
        return self.leads[0] is not None and self.leads[0] == self.leads[1]

    @property
    def is_exact(self) -> bool:
        """Whether the clock is exact, so that figures of incomplete iterations count too."""
        return self.pair.a.tick.clock is not Clock.TIME

    @property
    def lead_moved(self) -> bool:
        return None not in self.leads and not self.same_lead


@dataclass(frozen=True)
class Groups:
    """The groups of one test and metric. `gaps` are sentences on cells of the first run without a counterpart in the second, `apart` the
    cores that no group compares."""

    groups: list[Group]
    gaps: tuple[str, ...] = ()
    apart: tuple[CoreId, ...] = ()


def groups_of(grouping: Grouping, test: str, metric: Metric) -> Groups:
    """The groups of a test and metric. A parallel powerdown is in here only if the base's queue model does not fit it. If the base has
    cores with a part of their own, which the order chooses, all samples are a group besides, by position."""
    ours, theirs = grouping.pair.columns_a.matrix(test, metric), grouping.pair.columns_b.matrix(test, metric)
    if ours is None or theirs is None:
        return Groups([])
    if not is_parallel(test):
        return _serial(grouping, test, metric, ours, theirs)
    turns = whole_of(grouping, test, metric) if takes_turns(grouping.pair.a, test) else []
    if metric is Metric.POWERDOWN:
        if not turns and _queues(ours):
            return Groups([by_place(test, metric, PLACE, ours, theirs)])
        return Groups([*_plain_groups(test, metric, ours, theirs, _nobody(ours), _nobody(theirs)), *turns])
    apart = _parts_of_order(grouping, metric, ours, theirs)
    if not apart[0].any():
        plain = _plain_groups(test, metric, ours, theirs, _nobody(ours), _nobody(theirs))
        return Groups([*plain, *turns] if metric in PARTS_OF_ORDER else plain)
    groups = _plain_groups(test, metric, ours, theirs, *apart)
    gaps: tuple[str, ...] = ()
    if metric is Metric.CACHE_FLUSH:
        paid, gaps = _last_men(test, ours, theirs, *apart)
        groups += paid
    return Groups([*groups, by_place(test, metric, WHOLE, ours, theirs)], gaps)


PARTS_OF_ORDER = (Metric.CACHE_FLUSH, Metric.WAKEUP, Metric.PSCI_CALL)


def _parts_of_order(grouping: Grouping, metric: Metric, ours: Matrix, theirs: Matrix) -> tuple[Bools, Bools]:
    """For each value of both runs, whether its core plays a part that the order of the cores chooses. In an iteration of the candidate no
    more cores play it than in any of the base, so that what became as long as a part is judged as what it is."""
    if metric is Metric.PSCI_CALL:
        return _first_callers(ours), _first_callers(theirs)
    if metric is Metric.CACHE_FLUSH:
        a, limits = ours.values > grouping.roles_a.flush_limits(ours), grouping.roles_b.flush_limits(theirs)
    elif metric is Metric.WAKEUP:
        a, limits = grouping.roles_a.queued(ours), grouping.roles_a.wait_limits(ours)
        limits = limits * max(1.0, _fastest(theirs, limits) / _fastest(ours, limits))
    else:
        return _nobody(ours), _nobody(theirs)
    most = int(a.sum(axis=1).max(initial=0)) if len(a) >= FEWEST_FOR_ROLES else len(ours.cores)
    return a, _farthest_beyond(limits, theirs.values, most)


def _fastest(matrix: Matrix, limits: Floats) -> float:
    """What the fastest core of an iteration takes, as a share of its limit. It waits for nobody: a core that waits needs another one that
    does not."""
    shares = np.divide(matrix.values, limits, out=np.ones_like(matrix.values), where=np.asarray(limits) > 0)
    return float(np.median(shares.min(axis=1)))


def _farthest_beyond(limits: Floats, values: Floats, most: int) -> Bools:
    """Of each iteration so many cores, those that are farthest beyond their limit."""
    rank = np.argsort(np.argsort(limits - values, axis=1, kind="stable"), axis=1)
    return np.asarray((values > limits) & (rank < most))


def whole_of(grouping: Grouping, test: str, metric: Metric) -> list[Group]:
    """All samples of a test by position."""
    ours, theirs = grouping.pair.columns_a.matrix(test, metric), grouping.pair.columns_b.matrix(test, metric)
    return [] if ours is None or theirs is None else [by_place(test, metric, WHOLE, ours, theirs)]


def _nobody(matrix: Matrix) -> Bools:
    return np.zeros(matrix.values.shape, bool)


def _plain_groups(test: str, metric: Metric, ours: Matrix, theirs: Matrix, apart_a: Bools, apart_b: Bools) -> list[Group]:
    """By cluster; calls of all clusters together, if the cores are equally fast."""
    clusters = _clusters(ours.cores)
    is_alike = metric is Metric.PSCI_CALL and _alike(ours, clusters)
    parts = {None: list(range(len(ours.cores)))} if is_alike else clusters
    groups = (_cluster_group(test, metric, part, ours, theirs, columns, ~apart_a, ~apart_b) for part, columns in parts.items())
    return [group for of_part in groups for group in of_part]


def left_out(grouping: Grouping, test: str, metric: Metric) -> tuple[str, ...]:
    """Notes on incomplete iterations: cores that run in parallel are compared in complete iterations only. Under an exact clock the
    figures of the others are missing."""
    matrices = [columns.matrix(test, metric) for columns in (grouping.pair.columns_a, grouping.pair.columns_b)]
    incomplete = sum(matrix.incomplete for matrix in matrices if matrix) if grouping.is_exact and is_parallel(test) else 0
    return (f"{test} {metric}: {incomplete} iterations lack a core and are left out",) if incomplete else ()


def _serial(grouping: Grouping, test: str, metric: Metric, ours: Matrix, theirs: Matrix) -> Groups:
    """Each core compared with itself, in the group of its role in the base. If the lead is known to be the same, the firmware changed a
    role, and the core is judged as what it was. Otherwise the lead may have changed it, and the core is not compared."""
    last_a = serial_last_men(grouping.pair.columns_a, grouping.roles_a, test)
    last_b = serial_last_men(grouping.pair.columns_b, grouping.roles_b, test)
    leads = frozenset(filter(None, grouping.leads)) if grouping.lead_moved and metric is not Metric.CACHE_FLUSH else frozenset()
    apart = {core for core in ours.cores if core in leads or ((core in last_a) != (core in last_b) and not grouping.same_lead)}
    parts: dict[tuple[int, str], list[int]] = {}
    for column, core in enumerate(ours.cores):
        parts.setdefault((core.cluster, LAST_MAN if core in last_a else PLAIN), []).append(column)
    cells = [m.every if grouping.is_exact else Cells(m.boots, m.values) for m in (ours, theirs)]
    groups = []
    for key, columns in parts.items():
        judged = [column for column in columns if ours.cores[column] not in apart]
        group = _of_columns(test, metric, *key, ours.cores, judged or columns, *cells)
        groups.append(group if judged else replace(group, unjudged="its cores play another part in one run"))
    others = tuple(sorted(apart))
    return Groups(groups, (_apart(test, metric, list(others), grouping),) if apart else (), others)


def _apart(test: str, metric: Metric, cores: list[CoreId], grouping: Grouping) -> str:
    before, after = grouping.leads
    unknown = grouping.pair.a if before is None else grouping.pair.b
    why = (
        f"the lead moved from {before} to {after}, and their role with it"
        if grouping.lead_moved
        else f"they are last in their cluster in one run only; the lead of {unknown.id}, which may be why, is unknown"
    )
    return f"{test} {metric} of {', '.join(map(str, cores))} cannot be compared: {why}"


def _of_columns(
    test: str, metric: Metric, cluster: int, role: str, cores: tuple[CoreId, ...], columns: list[int], ours: Cells, theirs: Cells
) -> Group:
    a, b = (Cells(cells.boots, cells.values[:, columns]) for cells in (ours, theirs))
    return Group(test, metric, cluster, role, _names(cores, columns), a, b)


def _queues(matrix: Matrix) -> bool:
    """Whether the cores differ by as much as cores that wait for each other."""
    values = np.median(np.sort(matrix.values, axis=1), axis=0)
    return bool(values[-1] > QUEUE_RATIO * values[0])


def _alike(matrix: Matrix, clusters: dict[int, list[int]]) -> bool:
    """Whether the cores of all clusters are equally fast."""
    medians = [float(np.median(matrix.values[:, columns])) for columns in clusters.values()]
    return max(medians) <= ALIKE_RATIO * min(medians)


def _cluster_group(
    test: str, metric: Metric, cluster: int | None, ours: Matrix, theirs: Matrix, columns: list[int], keep_a: Bools, keep_b: Bools
) -> list[Group]:
    """Each core without a part of its own, compared with itself; the medians if no core has none in both runs. None if no core of the base
    is without one."""
    a, b = _masked(ours, columns, keep_a), _masked(theirs, columns, keep_b)
    common = [i for i in range(len(columns)) if not (np.isnan(a[:, i]).all() or np.isnan(b[:, i]).all())]
    if common:
        labels = _names(ours.cores, [columns[i] for i in common])
        return [Group(test, metric, cluster, PLAIN, labels, Cells(ours.boots, a[:, common]), Cells(theirs.boots, b[:, common]))]
    if np.isnan(a).all():
        return []
    return [_medians(test, metric, cluster, PLAIN, ours, theirs, a, b, "each of its cores plays a part of the order in the second run")]


def _masked(matrix: Matrix, columns: list[int], keep: Bools) -> Floats:
    return np.asarray(np.where(keep, matrix.values, np.nan))[:, columns]


def _first_callers(matrix: Matrix) -> Bools:
    """For each iteration, the one core that takes much longer than the others of its cluster, or than all others if it is alone in its
    cluster."""
    out = np.zeros(matrix.values.shape, bool)
    clusters = _clusters(matrix.cores)
    for row in range(len(matrix.values)):
        values = [float(value) for value in np.atleast_1d(matrix.values[row])]
        column = values.index(max(values))
        cluster_columns = clusters[matrix.cores[column].cluster]
        others = [c for c in (cluster_columns if len(cluster_columns) > 1 else range(len(values))) if c != column]
        if others and values[column] > FIRST_RATIO * max(values[c] for c in others):
            out[row, column] = True
    return out


def _last_men(test: str, ours: Matrix, theirs: Matrix, last_a: Bools, last_b: Bools) -> tuple[list[Group], tuple[str, ...]]:
    groups, gaps = [], []
    for cluster, columns in _clusters(ours.cores).items():
        paid = _masked(ours, columns, last_a), _masked(theirs, columns, last_b)
        has = [not np.isnan(values).all() for values in paid]
        if has[0]:
            group = _medians(
                test, Metric.CACHE_FLUSH, cluster, LAST_MAN, ours, theirs, *paid, "no core flushes for its cluster in the second run"
            )
            groups.append(group)
        if has[0] != has[1]:
            only = "first" if has[0] else "second"
            gaps.append(f"{test} cache_flush: a core of cluster {cluster} flushes as its last core down in the {only} run only")
    return groups, tuple(gaps)


def by_place(test: str, metric: Metric, role: str, ours: Matrix, theirs: Matrix) -> Group:
    a, b = (Cells(m.boots, np.sort(m.values, axis=1)) for m in (ours, theirs))
    return Group(test, metric, None, role, _ranks(len(ours.cores)), a, b)


def _medians(
    test: str, metric: Metric, cluster: int | None, role: str, ours: Matrix, theirs: Matrix, a: Floats, b: Floats, without: str
) -> Group:
    """The medians of the numbers in each iteration; unjudged if the second run has no number."""
    before, after = (Cells(m.boots, nan_median(values.T)[:, None]) for m, values in ((ours, a), (theirs, b)))
    return Group(test, metric, cluster, role, (MEDIAN,), before, after, without if np.isnan(b).all() else "")


def _clusters(cores: tuple[CoreId, ...]) -> dict[int, list[int]]:
    columns: dict[int, list[int]] = {}
    for column, core in enumerate(cores):
        columns.setdefault(core.cluster, []).append(column)
    return columns


def _names(cores: tuple[CoreId, ...], columns: list[int]) -> tuple[str, ...]:
    return tuple(str(cores[c]) for c in columns)


def _ranks(n: int) -> tuple[str, ...]:
    return tuple(f"rank {i + 1}" for i in range(n))
