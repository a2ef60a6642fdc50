# SPDX-License-Identifier: BSD-3-Clause
"""Comparable cells: grouped by cluster and role, sorted if a queue makes the order of the cores random."""

from __future__ import annotations

from dataclasses import dataclass

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
OTHER_PART = "last man in one run only"

QUEUE_RATIO = 2.0
FIRST_RATIO = 1.25
ALIKE_RATIO = 1.5


@dataclass(frozen=True)
class Group:
    """The same cells of two runs, one for each label."""

    test: str
    metric: Metric
    cluster: int | None
    role: str
    labels: tuple[str, ...]
    a: Cells
    b: Cells

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
    """The groups of one test and metric. `gaps` are sentences on cells of the first run without a counterpart in the second."""

    groups: list[Group]
    notes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()


def groups_of(grouping: Grouping, test: str, metric: Metric) -> Groups:
    """The groups of a test and metric. A parallel powerdown is in here only if the queue model does not fit it. If the base has cores
    with a part of their own, which the order chooses, all samples are a group besides, by position."""
    ours, theirs = grouping.pair.columns_a.matrix(test, metric), grouping.pair.columns_b.matrix(test, metric)
    if ours is None or theirs is None:
        return Groups([])
    if not is_parallel(test):
        return _serial(grouping, test, metric, ours, theirs)
    if metric is Metric.CACHE_FLUSH:
        last_men = grouping.roles_a.last_man(ours, ours), grouping.roles_b.last_man(theirs, theirs)
        return _with_whole(grouping, test, metric, ours, theirs, last_men)
    if metric is Metric.WAKEUP:
        return _with_whole(grouping, test, metric, ours, theirs, (grouping.roles_a.queued(ours), grouping.roles_b.queued(theirs)))
    if metric is Metric.PSCI_CALL:
        return _with_whole(grouping, test, metric, ours, theirs, (_first_callers(ours), _first_callers(theirs)))
    if turns := groups_of_turns(grouping, test, metric):
        return Groups([*_plain_groups(test, metric, ours, theirs, *_nobody(ours, theirs)), *turns])
    if metric is Metric.POWERDOWN and (_queues(ours) or _queues(theirs)):
        return Groups([_by_place(test, metric, PLACE, ours, theirs)])
    return Groups(_plain_groups(test, metric, ours, theirs, *_nobody(ours, theirs)))


def groups_of_turns(grouping: Grouping, test: str, metric: Metric) -> list[Group]:
    """All samples by position, if they contain the turns of other cores."""
    ours, theirs = grouping.pair.columns_a.matrix(test, metric), grouping.pair.columns_b.matrix(test, metric)
    has_turns = any(takes_turns(run, test) for run in (grouping.pair.a, grouping.pair.b))
    return [_by_place(test, metric, WHOLE, ours, theirs)] if has_turns and ours is not None and theirs is not None else []


def _with_whole(grouping: Grouping, test: str, metric: Metric, ours: Matrix, theirs: Matrix, parts: tuple[Bools, Bools]) -> Groups:
    """The cores without a part of their own, by cluster, and all samples by position. Without such a part in the base no sample is left
    out, so that a core of the candidate that takes as long as one that waits is judged as what it is."""
    if not parts[0].any() and not groups_of_turns(grouping, test, metric):
        return Groups(_plain_groups(test, metric, ours, theirs, *_nobody(ours, theirs)))
    groups = _plain_groups(test, metric, ours, theirs, *parts)
    gaps: tuple[str, ...] = ()
    if metric is Metric.CACHE_FLUSH:
        paid, gaps = _last_men(test, ours, theirs, *parts)
        groups += paid
    return Groups([*groups, _by_place(test, metric, WHOLE, ours, theirs)], gaps=gaps)


def _nobody(ours: Matrix, theirs: Matrix) -> tuple[Bools, Bools]:
    return np.zeros(ours.values.shape, bool), np.zeros(theirs.values.shape, bool)


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
    """Each core compared with itself, if it has the same role in both runs. A changed role is a group of its own if the lead is known to
    be the same, because the firmware changed it. Otherwise the lead may have changed it, and nothing is compared."""
    last_a = serial_last_men(grouping.pair.columns_a, grouping.roles_a, test)
    last_b = serial_last_men(grouping.pair.columns_b, grouping.roles_b, test)
    leads = frozenset(filter(None, grouping.leads)) if grouping.lead_moved and metric is not Metric.CACHE_FLUSH else frozenset()
    parts: dict[tuple[int, str], list[int]] = {}
    apart = []
    for column, core in enumerate(ours.cores):
        other_part = (core in last_a) != (core in last_b)
        if core in leads or (other_part and not grouping.same_lead):
            apart.append(core)
            continue
        role = OTHER_PART if other_part else LAST_MAN if core in last_a else PLAIN
        parts.setdefault((core.cluster, role), []).append(column)
    cells = [m.every if grouping.is_exact else Cells(m.boots, m.values) for m in (ours, theirs)]
    groups = [_of_columns(test, metric, *key, ours.cores, columns, *cells) for key, columns in parts.items()]
    return Groups(groups, gaps=(_apart(test, metric, apart, grouping),) if apart else ())


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
    """Each core without a special role, compared with itself; the medians if no core has none in both runs."""
    a, b = _masked(ours, columns, keep_a), _masked(theirs, columns, keep_b)
    common = [i for i in range(len(columns)) if not (np.isnan(a[:, i]).all() or np.isnan(b[:, i]).all())]
    if common:
        labels = _names(ours.cores, [columns[i] for i in common])
        return [Group(test, metric, cluster, PLAIN, labels, Cells(ours.boots, a[:, common]), Cells(theirs.boots, b[:, common]))]
    group = _medians(test, metric, cluster, PLAIN, ours, theirs, a, b)
    return [] if group is None else [group]


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
        if (group := _medians(test, Metric.CACHE_FLUSH, cluster, LAST_MAN, ours, theirs, paid[0], paid[1])) is not None:
            groups.append(group)
        elif not all(np.isnan(values).all() for values in paid):
            only = "first" if np.isnan(paid[1]).all() else "second"
            gaps.append(f"{test} cache_flush: a core of cluster {cluster} flushes as its last core down in the {only} run only")
    return groups, tuple(gaps)


def _by_place(test: str, metric: Metric, role: str, ours: Matrix, theirs: Matrix) -> Group:
    a, b = (Cells(m.boots, np.sort(m.values, axis=1)) for m in (ours, theirs))
    return Group(test, metric, None, role, _ranks(len(ours.cores)), a, b)


def _medians(test: str, metric: Metric, cluster: int | None, role: str, ours: Matrix, theirs: Matrix, a: Floats, b: Floats) -> Group | None:
    """The medians of the numbers in each iteration; None if one run has no number."""
    cells = [Cells(m.boots, nan_median(values.T)[:, None]) for m, values in ((ours, a), (theirs, b))]
    if any(np.isnan(values.values).all() for values in cells):
        return None
    return Group(test, metric, cluster, role, (MEDIAN,), cells[0], cells[1])


def _clusters(cores: tuple[CoreId, ...]) -> dict[int, list[int]]:
    columns: dict[int, list[int]] = {}
    for column, core in enumerate(cores):
        columns.setdefault(core.cluster, []).append(column)
    return columns


def _names(cores: tuple[CoreId, ...], columns: list[int]) -> tuple[str, ...]:
    return tuple(str(cores[c]) for c in columns)


def _ranks(n: int) -> tuple[str, ...]:
    return tuple(f"rank {i + 1}" for i in range(n))
