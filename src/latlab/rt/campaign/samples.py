# SPDX-License-Identifier: BSD-3-Clause
"""A stored rt run as distributions, which compare, gate, explain, tail, history and export take. Its raw files stay what it is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from latlab.core.model.blame import UNTRACED
from latlab.core.model.distributions import Counts, Distribution, LateWakeup, WakeupCounts
from latlab.core.model.run import Run
from latlab.rt.analysis.result import RtResult
from latlab.rt.analysis.wakeup import never_woke
from latlab.rt.campaign.results import results_of, work_of_load
from latlab.rt.model.wakeups import Wakeups


def with_distributions(run: Run, files: Mapping[str, bytes]) -> Run:
    """Each tool of each condition is a test: `recorder`, `cyclictest`, or `recorder-200-us-kstack-on-hwrng-off` in an experiment."""
    results = results_of(run, files)
    distributions = tuple(
        distribution for name, result in results for wakeups in result.wakeups for distribution in _distributions(name, result, wakeups)
    )
    conditions = run.conditions
    for _, result in results:
        for wakeups in result.wakeups:
            conditions = conditions.completed(wakeups.conditions)
    return replace(run, contents=WakeupCounts(distributions, work_of_load(files)), conditions=conditions)


def _distributions(name: str, result: RtResult, wakeups: Wakeups) -> Iterator[Distribution]:
    """A CPU that never woke has no figure: the tool prints its start values then."""
    late = _late(result, wakeups)
    for cpu in (cpu for cpu in wakeups.cpus if not never_woke(wakeups.metric, cpu)):
        yield replace(
            cpu,
            test="-".join(filter(None, (*re.findall(r"[\w.]+", wakeups.tool), name))),
            metric=wakeups.metric,
            counts=_used(cpu.counts),
            resolution_ticks=wakeups.resolution_ns,
            late=tuple(late.get(cpu.number, ())),
            blocks=tuple(map(_used, cpu.blocks)),
            rows=wakeups.rows,
        )


def _used(counts: Counts) -> Counts:
    return tuple(interval for interval in counts if interval[2])


def _late(result: RtResult, wakeups: Wakeups) -> dict[int, list[LateWakeup]]:
    attributed = result.attributed if wakeups is result.recorder else None
    blamed = {id(entry.outlier): entry.blame for entry in attributed or ()}
    by_cpu: dict[int, list[LateWakeup]] = {}
    for outlier in wakeups.outliers:
        late = LateWakeup(outlier.wake_ns, outlier.late_ns, outlier.missed, blamed.get(id(outlier), UNTRACED))
        by_cpu.setdefault(outlier.cpu, []).append(late)
    return by_cpu
