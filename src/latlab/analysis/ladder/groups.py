# SPDX-License-Identifier: BSD-3-Clause
"""Cells that may be compared with each other: grouped by cluster and role, sorted where a queue makes the order of cores chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latlab.analysis.base.columns import Bools, Floats, Matrix, boot_medians
from latlab.analysis.base.identity import Pair
from latlab.analysis.ladder.roles import Roles, is_parallel, serial_last_men
from latlab.model.enums import Metric
from latlab.model.run import CoreId

PLAIN = ""
LAST_MAN = "last man"
QUEUED = "queued"
WAIT = "queue wait"
PLACE = "by place"
FIRST = "first caller"

QUEUE_RATIO = 1.5
FIRST_RATIO = 1.25


@dataclass(frozen=True)
class Group:
    """The same cells of two runs: `a` and `b` hold a row for each boot and a column for each label.

    `own_work` is the baseline of the threshold where the spans hold a wait beside the core's own work.
    """

    test: str
    metric: Metric
    cluster: int | None
    role: str
    labels: tuple[str, ...]
    a: Floats
    b: Floats
    own_work: float | None = None

    @property
    def name(self) -> str:
        cluster = "" if self.cluster is None else f"cluster {self.cluster}"
        return ", ".join(filter(None, (cluster, self.role))) or "all cores"


@dataclass(frozen=True)
class Grouping:
    """Two runs, and who played which part in them."""

    pair: Pair
    roles_a: Roles
    roles_b: Roles
    same_lead: bool


@dataclass(frozen=True)
class Groups:
    """The groups of one test and metric. `gaps` are cells of the first run that nothing in the second is like."""

    groups: list[Group]
    notes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()


def groups_of(grouping: Grouping, test: str, metric: Metric) -> Groups:
    """Powerdown in parallel comes here only where it makes no ladder."""
    ours, theirs = grouping.pair.columns_a.matrix(test, metric), grouping.pair.columns_b.matrix(test, metric)
    if ours is None or theirs is None:
        return Groups([])
    if not is_parallel(test):
        return _serial(grouping, test, metric, ours, theirs)
    if metric is Metric.CACHE_FLUSH:
        return Groups(_parallel_flush(test, ours, theirs, grouping.roles_a, grouping.roles_b))
    if metric is Metric.WAKEUP:
        return Groups(_parallel_wakeup(test, ours, theirs, grouping.roles_a, grouping.roles_b))
    if metric is Metric.PSCI_CALL:
        return _calls(test, ours, theirs)
    if metric is Metric.POWERDOWN and (_queues(ours) or _queues(theirs)):
        return Groups([_by_place(test, ours, theirs)])
    return Groups(_sorted_by_cluster(test, metric, ours, theirs))


def _serial(grouping: Grouping, test: str, metric: Metric, ours: Matrix, theirs: Matrix) -> Groups:
    """Each core with itself; where it plays another part in the second run, with the cores that play its part there."""
    last_a = serial_last_men(grouping.pair.columns_a, grouping.roles_a, test)
    last_b = last_a if grouping.same_lead else serial_last_men(grouping.pair.columns_b, grouping.roles_b, test)
    groups, gaps, moved = [], [], False
    for cluster, columns in _clusters(ours.cores).items():
        for role, part_a, part_b in (
            (PLAIN, [c for c in columns if ours.cores[c] not in last_a], [c for c in columns if ours.cores[c] not in last_b]),
            (LAST_MAN, [c for c in columns if ours.cores[c] in last_a], [c for c in columns if ours.cores[c] in last_b]),
        ):
            moved = moved or part_a != part_b
            if part_a and part_b:
                groups.append(_part(test, metric, cluster, role, ours, theirs, part_a, part_b))
            elif part_a:
                part = "the last man" if role == LAST_MAN else "a core beside others"
                gaps.append(f"{test} {metric}: no core of cluster {cluster} is {part} in the second run, as the lead differs")
    notes = (f"{test}: other cores are last in their cluster, so cores are compared by the part they play",) if moved else ()
    return Groups(groups, notes, tuple(gaps))


def _part(test: str, metric: Metric, cluster: int, role: str, ours: Matrix, theirs: Matrix, part_a: list[int], part_b: list[int]) -> Group:
    a, b = ours.by_boot[:, part_a], theirs.by_boot[:, part_b]
    if part_a == part_b:
        return Group(test, metric, cluster, role, _names(ours.cores, part_a), a, b)
    if len(part_a) == len(part_b):
        return Group(test, metric, cluster, role, _ranks(len(part_a)), np.sort(a, axis=1), np.sort(b, axis=1))
    return Group(test, metric, cluster, role, ("median",), np.median(a, axis=1)[:, None], np.median(b, axis=1)[:, None])


def _queues(matrix: Matrix) -> bool:
    """Do cores of one cluster lie as far apart as cores lie that wait for each other?"""
    for columns in _clusters(matrix.cores).values():
        values = np.median(np.sort(matrix.values[:, columns], axis=1), axis=0)
        if len(columns) > 1 and values[-1] > QUEUE_RATIO * values[0]:
            return True
    return False


def _calls(test: str, ours: Matrix, theirs: Matrix) -> Groups:
    """Calls of all cores at once. Whoever comes first finds cold caches; where one core stands out for that, it is left to itself."""
    first_a, first_b = _first_callers(ours), _first_callers(theirs)
    groups, notes = [], []
    for cluster, columns in _clusters(ours.cores).items():
        a: Floats = np.asarray(np.where(first_a, np.nan, ours.values))[:, columns]
        b = np.asarray(np.where(first_b, np.nan, theirs.values))[:, columns]
        if not (np.isnan(a).any() or np.isnan(b).any()):
            a, b = (boot_medians(m.boots, np.sort(values, axis=1)) for m, values in ((ours, a), (theirs, b)))
            groups.append(Group(test, Metric.PSCI_CALL, cluster, PLAIN, _ranks(len(columns)), a, b))
        elif not (np.isnan(a).all() or np.isnan(b).all()):
            medians = [boot_medians(m.boots, _kept_median(values)[:, None]) for m, values in ((ours, a), (theirs, b))]
            if not any(np.isnan(one).any() for one in medians):
                groups.append(Group(test, Metric.PSCI_CALL, cluster, PLAIN, ("median",), medians[0], medians[1]))
        firsts = [_kept_median(np.where(first, m.values, np.nan)[:, columns]) for m, first in ((ours, first_a), (theirs, first_b))]
        by_boot = [boot_medians(m.boots, values[:, None]) for m, values in zip((ours, theirs), firsts, strict=True)]
        if not any(np.isnan(one).any() for one in by_boot):
            groups.append(Group(test, Metric.PSCI_CALL, cluster, FIRST, ("first",), by_boot[0], by_boot[1]))
        elif any(not np.isnan(one).all() for one in by_boot):
            notes.append(f"{test}: a first caller stands out in cluster {cluster} in some boots only; the others are compared")
    return Groups(groups, tuple(notes))


def _first_callers(matrix: Matrix) -> Bools:
    """In each iteration the one core that takes much longer than the others of its cluster, or of all where it is alone."""
    out = np.zeros(matrix.values.shape, bool)
    clusters = _clusters(matrix.cores)
    for row in range(len(matrix.values)):
        values = [float(value) for value in np.atleast_1d(matrix.values[row])]
        column = values.index(max(values))
        own = clusters[matrix.cores[column].cluster]
        others = [c for c in (own if len(own) > 1 else range(len(values))) if c != column]
        if others and values[column] > FIRST_RATIO * max(values[c] for c in others):
            out[row, column] = True
    return out


def _kept_median(values: Floats) -> Floats:
    """Row medians of what is a number; NaN where nothing is."""
    return _masked_median(values, np.asarray(~np.isnan(values)))


def _parallel_flush(test: str, ours: Matrix, theirs: Matrix, roles_a: Roles, roles_b: Roles) -> list[Group]:
    groups = []
    for cluster, columns in _clusters(ours.cores).items():
        a, b = np.sort(ours.values[:, columns], axis=1), np.sort(theirs.values[:, columns], axis=1)
        counts = np.r_[
            roles_a.last_man(ours, ours)[:, columns].sum(axis=1),
            roles_b.last_man(theirs, theirs)[:, columns].sum(axis=1),
        ]
        last = int(counts[0]) if (counts == counts[0]).all() else 0
        plain = len(columns) - last
        a, b = boot_medians(ours.boots, a), boot_medians(theirs.boots, b)
        if plain:
            groups.append(Group(test, Metric.CACHE_FLUSH, cluster, PLAIN, _ranks(plain), a[:, :plain], b[:, :plain]))
        if last:
            groups.append(Group(test, Metric.CACHE_FLUSH, cluster, LAST_MAN, _ranks(last), a[:, plain:], b[:, plain:]))
    return groups


def _parallel_wakeup(test: str, ours: Matrix, theirs: Matrix, roles_a: Roles, roles_b: Roles) -> list[Group]:
    """Wake-ups of cores that do not wait by cluster; those of cores that wait by core where the queue is the same, else as sorted waits."""
    queued_a, queued_b = roles_a.queued(ours), roles_b.queued(theirs)
    if _same_queue(ours, theirs, queued_a, queued_b):
        return _fixed_queue(test, ours, theirs, queued_a)
    groups = []
    for cluster, columns in _clusters(ours.cores).items():
        a = _masked_median(ours.values[:, columns], ~queued_a[:, columns])
        b = _masked_median(theirs.values[:, columns], ~queued_b[:, columns])
        groups.append(_medians(test, cluster, PLAIN, ours, theirs, a, b))
    waits_a = _masked_median(ours.values - _references(ours.cores, roles_a), queued_a)
    waits_b = _masked_median(theirs.values - _references(theirs.cores, roles_b), queued_b)
    groups.append(_medians(test, None, WAIT, ours, theirs, waits_a, waits_b))
    if any(np.isnan(group.a).any() or np.isnan(group.b).any() for group in groups):
        return _sorted_by_cluster(test, Metric.WAKEUP, ours, theirs)
    return groups


def _fixed_queue(test: str, ours: Matrix, theirs: Matrix, queued: Bools) -> list[Group]:
    waits = queued[0]
    groups = []
    for cluster, columns in _clusters(ours.cores).items():
        direct = [c for c in columns if not waits[c]]
        if direct:
            a, b = ours.by_boot[:, direct], theirs.by_boot[:, direct]
            groups.append(Group(test, Metric.WAKEUP, cluster, PLAIN, _names(ours.cores, direct), a, b))
    waiting = [int(c) for c in np.flatnonzero(waits)]
    if waiting:
        own = float(np.median(ours.values[:, ~waits])) if (~waits).any() else None
        labels = _names(ours.cores, waiting)
        groups.append(Group(test, Metric.WAKEUP, None, QUEUED, labels, ours.by_boot[:, waiting], theirs.by_boot[:, waiting], own))
    return groups


def _same_queue(ours: Matrix, theirs: Matrix, queued_a: Bools, queued_b: Bools) -> bool:
    """Do the same cores wait, in the same order, in every iteration of both runs?"""
    queued = np.concatenate([queued_a, queued_b])
    first = queued[:1]
    if not bool(np.all(queued == first)):
        return False
    order = np.argsort(np.concatenate([ours.values, theirs.values])[:, first.reshape(-1)], axis=1, kind="stable")
    return not np.ptp(order, axis=0).any()


def _by_place(test: str, ours: Matrix, theirs: Matrix) -> Group:
    a, b = (boot_medians(m.boots, np.sort(m.values, axis=1)) for m in (ours, theirs))
    return Group(test, Metric.POWERDOWN, None, PLACE, _ranks(len(ours.cores)), a, b)


def _sorted_by_cluster(test: str, metric: Metric, ours: Matrix, theirs: Matrix) -> list[Group]:
    groups = []
    for cluster, columns in _clusters(ours.cores).items():
        a = boot_medians(ours.boots, np.sort(ours.values[:, columns], axis=1))
        b = boot_medians(theirs.boots, np.sort(theirs.values[:, columns], axis=1))
        groups.append(Group(test, metric, cluster, PLAIN, _ranks(len(columns)), a, b))
    return groups


def _medians(test: str, cluster: int | None, role: str, ours: Matrix, theirs: Matrix, a: Floats, b: Floats) -> Group:
    boots_a, boots_b = boot_medians(ours.boots, a[:, None]), boot_medians(theirs.boots, b[:, None])
    return Group(test, Metric.WAKEUP, cluster, role, ("median",), boots_a, boots_b)


def _masked_median(values: Floats, keep: Bools) -> Floats:
    """Row medians over the kept columns; NaN where a row keeps none."""
    empty = np.logical_not(np.any(keep, axis=1, keepdims=True))
    medians = np.nanmedian(np.where(keep | empty, values, np.nan), axis=1)
    return np.asarray(np.where(empty.reshape(-1), np.nan, medians))


def _references(cores: tuple[CoreId, ...], roles: Roles) -> Floats:
    return np.array([roles.direct_wakeup[core.cluster] for core in cores])


def _clusters(cores: tuple[CoreId, ...]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for column, core in enumerate(cores):
        found.setdefault(core.cluster, []).append(column)
    return found


def _names(cores: tuple[CoreId, ...], columns: list[int]) -> tuple[str, ...]:
    return tuple(str(cores[c]) for c in columns)


def _ranks(n: int) -> tuple[str, ...]:
    return tuple(f"rank {i + 1}" for i in range(n))
