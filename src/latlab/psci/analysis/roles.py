# SPDX-License-Identifier: BSD-3-Clause
"""The roles of cores in a run: which core paid the cluster flush, which waited, which was the lead.

Inferred from durations, for runs without traces.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from latlab.core.model.enums import Metric
from latlab.core.model.platforms import Coherency
from latlab.core.model.run import CoreId, Run
from latlab.core.statistics.sample_matrix import Bools, Columns, Floats, Matrix

LAST_MAN_RATIO = 3.0
QUEUED_RATIO = 1.3
LEAD_HELD_UP = 1.5
LEAD_SPARED = 3.0
OFF_SERIAL = "cpu_off_serial"


@dataclass(frozen=True)
class Roles:
    """References of each cluster, in the unit of the columns: the flush of a core that is not the last one down, and the wake-up of a
    core that never waits."""

    plain_flush: dict[int, float]
    direct_wakeup: dict[int, float]

    def last_man(self, flush: Matrix | None, like: Matrix) -> Bools:
        """For each value of `like`: whether the core paid the flush of its whole cluster in this iteration."""
        if flush is None or flush.values.shape != like.values.shape or flush.cores != like.cores:
            return np.zeros(like.values.shape, bool)
        return np.asarray(flush.values > self.flush_limits(flush))

    def queued(self, wakeup: Matrix) -> Bools:
        """For each wake-up: whether the core waited for others."""
        return np.asarray(wakeup.values > self.wait_limits(wakeup))

    def flush_limits(self, flush: Matrix) -> Floats:
        """For each core, the flush above which it is that of its whole cluster."""
        return np.array([LAST_MAN_RATIO * self.plain_flush[core.cluster] for core in flush.cores])

    def wait_limits(self, wakeup: Matrix) -> Floats:
        """For each core, the wake-up above which it waited for others."""
        return np.array([QUEUED_RATIO * self.direct_wakeup[core.cluster] for core in wakeup.cores])


def is_parallel(test: str) -> bool:
    return test.endswith("_parallel")


def is_level_zero(test: str) -> bool:
    return test.startswith("cpu_susp")


def roles_of(columns: Columns, managed_by: Coherency = Coherency.SOFTWARE) -> Roles:
    """The references of a run. If hardware keeps the clusters coherent, no core flushes a cluster, so no flush is an outlier."""
    flush: dict[int, list[float]] = {}
    level_zero: dict[int, list[float]] = {}
    serial_wakeup: dict[int, list[float]] = {}
    parallel_wakeup: dict[int, list[float]] = {}
    for test in columns.tests:
        _collect(columns.matrix(test, Metric.CACHE_FLUSH), level_zero if is_level_zero(test) else flush)
        _collect(columns.matrix(test, Metric.WAKEUP), parallel_wakeup if is_parallel(test) else serial_wakeup)
    direct = {c: float(np.median(v)) for c, v in serial_wakeup.items()}
    for cluster, values in parallel_wakeup.items():
        direct.setdefault(cluster, min(values))
    if managed_by is Coherency.HARDWARE:
        return Roles(dict.fromkeys((*flush, *level_zero), np.inf), direct)
    plain = {cluster: _usual(values, 0.25) for cluster, values in flush.items()}
    plain |= {cluster: min(_usual(values, 0.5), plain.get(cluster, np.inf)) for cluster, values in level_zero.items()}
    return Roles(plain, direct)


def serial_last_men(columns: Columns, roles: Roles, test: str) -> frozenset[CoreId]:
    """The cores that pay the cluster flush in a serial test, by the median over its iterations."""
    flush = columns.matrix(test, Metric.CACHE_FLUSH)
    if flush is None or not len(flush.values):
        return frozenset()
    paid = roles.last_man(flush, flush).mean(axis=0) > 0.5
    return frozenset(core for core, last in zip(flush.cores, paid, strict=True) if last)


def inferred_lead(run: Run, columns: Columns, roles: Roles) -> CoreId | None:
    """The lead that the serial tests show; None if none does, or if two show different cores."""
    leads = {
        _alone_in_its_cluster(run, columns, roles, "susp_deep_serial"),
        _alone_in_its_cluster(run, columns, roles, OFF_SERIAL),
        _standing_out(columns.matrix("cpu_susp_serial", Metric.POWERDOWN), _is_held_up),
        None if serial_last_men(columns, roles, OFF_SERIAL) else _standing_out(columns.matrix(OFF_SERIAL, Metric.POWERDOWN), _is_spared),
    } - {None}
    return leads.pop() if len(leads) == 1 else None


def _alone_in_its_cluster(run: Run, columns: Columns, roles: Roles, test: str) -> CoreId | None:
    """The core that pays the cluster flush alone in its cluster. The lead goes down last, with no other core of its cluster on; its
    siblings had it on, and in other clusters every core is alone. None if no cluster, or more than one, has this pattern."""
    last = serial_last_men(columns, roles, test)
    paid = [[core for core in last if core.cluster == cluster] for cluster, size in enumerate(run.topology.clusters) if size > 1]
    candidates = [cores[0] for cores in paid if len(cores) == 1]
    return candidates[0] if len(candidates) == 1 else None


def _standing_out(powerdown: Matrix | None, stands_out: Callable[[Floats], Bools]) -> CoreId | None:
    """The only core that differs from all others; None if there is none."""
    if powerdown is None or not len(powerdown.values) or len(powerdown.cores) < 2:
        return None
    columns = np.flatnonzero(stands_out(np.median(powerdown.values, axis=0)))
    return powerdown.cores[int(columns[0])] if len(columns) == 1 else None


def _is_held_up(medians: Floats) -> Bools:
    """Which medians are held up. If no core flushes a cluster, the lead, which is last, waits for what the core before it started."""
    return np.asarray(medians > LEAD_HELD_UP * np.partition(medians, -2)[-2])


def _is_spared(medians: Floats) -> Bools:
    """Which medians are shorter: a core that is not switched off is only suspended."""
    return np.asarray(LEAD_SPARED * medians < np.partition(medians, 1)[1])


def _collect(matrix: Matrix | None, into: dict[int, list[float]]) -> None:
    if matrix is None or not len(matrix.values):
        return
    medians = np.median(matrix.values, axis=0)
    for core, value in zip(matrix.cores, medians, strict=True):
        into.setdefault(core.cluster, []).append(float(value))


def _usual(values: list[float], share: float) -> float:
    """A quantile of the positive values: a cell of 0 is no flush."""
    took = [value for value in values if value > 0]
    return float(np.quantile(took, share, method="lower")) if took else 0.0
