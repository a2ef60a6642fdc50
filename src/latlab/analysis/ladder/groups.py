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


def groups_of(pair: Pair, roles_a: Roles, roles_b: Roles, test: str, metric: Metric, same_lead: bool) -> tuple[list[Group], list[str]]:
    """The groups of one test and metric, and notes on cells that cannot be compared. Powerdown in parallel is the ladder's, not ours."""
    ours, theirs = pair.columns_a.matrix(test, metric), pair.columns_b.matrix(test, metric)
    if ours is None or theirs is None:
        return [], []
    if not is_parallel(test):
        return _serial(pair, roles_a, roles_b, test, metric, ours, theirs, same_lead)
    if metric is Metric.CACHE_FLUSH:
        return _parallel_flush(test, ours, theirs, roles_a, roles_b), []
    if metric is Metric.WAKEUP:
        return _parallel_wakeup(test, ours, theirs, roles_a, roles_b), []
    if metric is Metric.POWERDOWN:
        return [_by_place(test, ours, theirs)], []
    return _sorted_by_cluster(test, metric, ours, theirs), []


def _serial(
    pair: Pair, roles_a: Roles, roles_b: Roles, test: str, metric: Metric, ours: Matrix, theirs: Matrix, same_lead: bool
) -> tuple[list[Group], list[str]]:
    last_a = serial_last_men(pair.columns_a, roles_a, test)
    last_b = last_a if same_lead else serial_last_men(pair.columns_b, roles_b, test)
    odd = [core for core in ours.cores if (core in last_a) != (core in last_b)]
    kinds: dict[tuple[int, str], list[int]] = {}
    for column, core in enumerate(ours.cores):
        if core in odd:
            continue
        kinds.setdefault((core.cluster, LAST_MAN if core in last_a else PLAIN), []).append(column)
    groups = [
        Group(test, metric, cluster, role, _names(ours.cores, found), ours.by_boot[:, found], theirs.by_boot[:, found])
        for (cluster, role), found in kinds.items()
    ]
    if not odd:
        return groups, []
    named = ", ".join(map(str, odd))
    return groups, [f"{test}: {named} are last man of their cluster in one run only, as the lead differs; their cells are left out"]


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
