# SPDX-License-Identifier: BSD-3-Clause
"""Comparable cells: grouped by cluster and role, sorted if a queue makes the order of the cores random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latlab.core.comparison.identity import Pair
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import CoreId
from latlab.core.statistics.sample_matrix import Bools, Cells, Floats, Matrix, nan_median
from latlab.psci.analysis.roles import Roles, is_parallel, serial_last_men

PLAIN = ""
LAST_MAN = "last man"
QUEUED = "queued"
WAIT = "queue wait"
PLACE = "by place"
FIRST = "first caller"
OTHER_PART = "last man in one run only"

QUEUE_RATIO = 2.0
FIRST_RATIO = 1.25
ALIKE_RATIO = 1.5


@dataclass(frozen=True)
class Group:
    """The same cells of two runs, one for each label.

    `own_work` is the baseline of the threshold, if the spans contain a wait in addition to the core's own work.
    """

    test: str
    metric: Metric
    cluster: int | None
    role: str
    labels: tuple[str, ...]
    a: Cells
    b: Cells
    own_work: float | None = None

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
    """The groups of a test and metric. A parallel powerdown is in here only if the queue model does not fit it."""
    ours, theirs = grouping.pair.columns_a.matrix(test, metric), grouping.pair.columns_b.matrix(test, metric)
    if ours is None or theirs is None:
        return Groups([])
    if not is_parallel(test):
        return _serial(grouping, test, metric, ours, theirs)
    if metric is Metric.CACHE_FLUSH:
        return _parallel_flush(test, ours, theirs, grouping.roles_a, grouping.roles_b)
    if metric is Metric.WAKEUP:
        return _parallel_wakeup(test, ours, theirs, grouping.roles_a, grouping.roles_b)
    if metric is Metric.PSCI_CALL:
        return _calls(test, ours, theirs)
    if metric is Metric.POWERDOWN and (_queues(ours) or _queues(theirs)):
        return Groups([_by_place(test, ours, theirs)])
    everybody = np.ones(ours.values.shape, bool), np.ones(theirs.values.shape, bool)
    kept_groups = [_cluster_group(test, metric, k, ours, theirs, columns, *everybody) for k, columns in _clusters(ours.cores).items()]
    return Groups([group for groups in kept_groups for group in groups])


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


def _calls(test: str, ours: Matrix, theirs: Matrix) -> Groups:
    """Calls of all cores at once. The first caller finds cold caches; if one core stands out for that, it is compared separately."""
    first_a, first_b = _first_callers(ours), _first_callers(theirs)
    clusters = _clusters(ours.cores)
    parts = {None: list(range(len(ours.cores)))} if _alike(ours, clusters) and _alike(theirs, clusters) else clusters
    groups: list[Group] = []
    notes: list[str] = []
    for part, columns in parts.items():
        groups += _cluster_group(test, Metric.PSCI_CALL, part, ours, theirs, columns, ~first_a, ~first_b)
    for cluster, columns in clusters.items():
        firsts = [_masked(m, columns, first) for m, first in ((ours, first_a), (theirs, first_b))]
        if (group := _medians(test, Metric.PSCI_CALL, cluster, FIRST, ours, theirs, firsts[0], firsts[1])) is not None:
            groups.append(group)
        elif not all(np.isnan(values).all() for values in firsts):
            notes.append(f"{test}: the first caller is an outlier in cluster {cluster} in one run only; the others are compared")
    return Groups(groups, tuple(notes))


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


def _parallel_flush(test: str, ours: Matrix, theirs: Matrix, roles_a: Roles, roles_b: Roles) -> Groups:
    groups, gaps = [], []
    last_a, last_b = roles_a.last_man(ours, ours), roles_b.last_man(theirs, theirs)
    for cluster, columns in _clusters(ours.cores).items():
        groups += _cluster_group(test, Metric.CACHE_FLUSH, cluster, ours, theirs, columns, ~last_a, ~last_b)
        paid = _masked(ours, columns, last_a), _masked(theirs, columns, last_b)
        if (group := _medians(test, Metric.CACHE_FLUSH, cluster, LAST_MAN, ours, theirs, paid[0], paid[1])) is not None:
            groups.append(group)
        elif not all(np.isnan(values).all() for values in paid):
            only = "first" if np.isnan(paid[1]).all() else "second"
            gaps.append(f"{test} cache_flush: a core of cluster {cluster} flushes as its last core down in the {only} run only")
    return Groups(groups, gaps=tuple(gaps))


def _parallel_wakeup(test: str, ours: Matrix, theirs: Matrix, roles_a: Roles, roles_b: Roles) -> Groups:
    """Wake-ups of cores without a wait, by cluster. Wake-ups of waiting cores by core if the queue is the same in both runs, else as
    sorted waits."""
    queued_a, queued_b = roles_a.queued(ours), roles_b.queued(theirs)
    if _same_queue(ours, theirs, queued_a, queued_b):
        return Groups(_fixed_queue(test, ours, theirs, queued_a))
    waits_a = np.asarray(np.where(queued_a, ours.values - _references(ours.cores, roles_a), np.nan))
    waits_b = np.asarray(np.where(queued_b, theirs.values - _references(theirs.cores, roles_b), np.nan))
    groups, notes = [], []
    for cluster, columns in _clusters(ours.cores).items():
        new_groups = _cluster_group(test, Metric.WAKEUP, cluster, ours, theirs, columns, ~queued_a, ~queued_b)
        groups += new_groups
        if not new_groups:
            notes.append(f"{test} wakeup: in one of the runs every core of cluster {cluster} waits, so latlab does not compare them")
    if (group := _medians(test, Metric.WAKEUP, None, WAIT, ours, theirs, waits_a, waits_b)) is not None:
        groups.append(group)
    return Groups(groups, tuple(notes), _new_waits(test, ours, theirs, queued_a, queued_b))


def _new_waits(test: str, ours: Matrix, theirs: Matrix, queued_a: Bools, queued_b: Bools) -> tuple[str, ...]:
    """Gaps for waits in the second run if the first has none. Which core waits is random; whether any core waits is not."""
    if queued_a.any() or not queued_b.any():
        return ()
    longest = theirs.cores[int(np.argmax(np.where(queued_b, theirs.values, 0.0).max(axis=0)))]
    return (f"{test} wakeup: core {longest} takes as long in the second run as a core that waits, and no core waits in the first",)


def _fixed_queue(test: str, ours: Matrix, theirs: Matrix, queued: Bools) -> list[Group]:
    waits = queued[0]
    groups = []
    for cluster, columns in _clusters(ours.cores).items():
        direct = [c for c in columns if not waits[c]]
        if direct:
            a, b = (Cells(m.boots, m.values[:, direct]) for m in (ours, theirs))
            groups.append(Group(test, Metric.WAKEUP, cluster, PLAIN, _names(ours.cores, direct), a, b))
    waiting = [int(c) for c in np.flatnonzero(waits)]
    if waiting:
        direct_ns = float(np.median(ours.values[:, ~waits])) if (~waits).any() else None
        labels = _names(ours.cores, waiting)
        a, b = (Cells(m.boots, m.values[:, waiting]) for m in (ours, theirs))
        groups.append(Group(test, Metric.WAKEUP, None, QUEUED, labels, a, b, direct_ns))
    return groups


def _same_queue(ours: Matrix, theirs: Matrix, queued_a: Bools, queued_b: Bools) -> bool:
    """Whether the same cores wait in the same order in every iteration of both runs."""
    queued = np.concatenate([queued_a, queued_b])
    first = queued[:1]
    if not bool(np.all(queued == first)):
        return False
    order = np.argsort(np.concatenate([ours.values, theirs.values])[:, first.reshape(-1)], axis=1, kind="stable")
    return not np.ptp(order, axis=0).any()


def _by_place(test: str, ours: Matrix, theirs: Matrix) -> Group:
    a, b = (Cells(m.boots, np.sort(m.values, axis=1)) for m in (ours, theirs))
    return Group(test, Metric.POWERDOWN, None, PLACE, _ranks(len(ours.cores)), a, b)


def _medians(test: str, metric: Metric, cluster: int | None, role: str, ours: Matrix, theirs: Matrix, a: Floats, b: Floats) -> Group | None:
    """The medians of the numbers in each iteration; None if one run has no number."""
    cells = [Cells(m.boots, nan_median(values.T)[:, None]) for m, values in ((ours, a), (theirs, b))]
    if any(np.isnan(values.values).all() for values in cells):
        return None
    return Group(test, metric, cluster, role, ("median",), cells[0], cells[1])


def _references(cores: tuple[CoreId, ...], roles: Roles) -> Floats:
    return np.array([roles.direct_wakeup[core.cluster] for core in cores])


def _clusters(cores: tuple[CoreId, ...]) -> dict[int, list[int]]:
    columns: dict[int, list[int]] = {}
    for column, core in enumerate(cores):
        columns.setdefault(core.cluster, []).append(column)
    return columns


def _names(cores: tuple[CoreId, ...], columns: list[int]) -> tuple[str, ...]:
    return tuple(str(cores[c]) for c in columns)


def _ranks(n: int) -> tuple[str, ...]:
    return tuple(f"rank {i + 1}" for i in range(n))
