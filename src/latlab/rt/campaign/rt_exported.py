# SPDX-License-Identifier: BSD-3-Clause
"""The results of a run of wake-ups of which only an export is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from latlab.core.errors import DataError
from latlab.core.lifecycle.exported import with_export
from latlab.core.model.distributions import Distribution, distributions_of
from latlab.core.model.run import Run
from latlab.rt.analysis.result import RtResult
from latlab.rt.analysis.wakeup import silence
from latlab.rt.model.wakeups import CpuWakeups, Histogram, Outlier, Wakeups


def results_of_export(run: Run, files: Mapping[str, bytes]) -> list[tuple[str, RtResult]]:
    """What each tool counted. What the kernel and the firmware did is in no export."""
    whole = with_export(run, files)
    by_test: dict[str, list[Distribution]] = {}
    for distribution in distributions_of(whole):
        by_test.setdefault(distribution.test, []).append(distribution)
    if not by_test:
        raise DataError(f"{run.source}: no wake-ups in the export; export the run again")
    wakeups = tuple(_wakeups(test, rows, run.conditions.interval_ns) for test, rows in by_test.items())
    silent = tuple(sentence for tool_wakeups in wakeups for cpu in tool_wakeups.cpus if (sentence := silence(tool_wakeups, cpu)))
    return [("", RtResult(wakeups, None, (), None, silent))]


def _wakeups(test: str, rows: Sequence[Distribution], interval_ns: int | None) -> Wakeups:
    outliers = tuple(Outlier(row.core.core, late.wake_ns, late.late_ticks, late.missed) for row in rows for late in row.late)
    resolution = max(row.resolution_ticks for row in rows)
    return Wakeups(test, interval_ns, resolution, tuple(map(_cpu, rows)), outliers, metric=rows[0].metric, rows=rows[0].rows)


def _cpu(row: Distribution) -> CpuWakeups:
    low, high, counts = (np.array([bucket[at] for bucket in row.counts], dtype=np.int64) for at in range(3))
    return CpuWakeups(
        cpu=row.core.core,
        histogram=Histogram(low, high, counts, row.beyond) if row.counts else None,
        got=row.got,
        expected=row.expected,
        missed=row.missed,
        min_ns=row.minimum_ticks,
        max_ns=row.maximum_ticks,
        average_ns=row.average_ticks,
        digest=row.digest,
        outliers_dropped=row.late_dropped,
        thread=row.thread,
    )
