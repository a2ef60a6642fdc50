# SPDX-License-Identifier: BSD-3-Clause
"""Runs of wake-ups made of numbers, with a recorder's histogram, for tests of their analysis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from latlab.core.model.blame import UNEXPLAINED
from latlab.core.model.conditions import Mode
from latlab.core.model.distributions import Distribution, LateWakeup, WakeupCounts
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import UNNAMED, CoreId, Run
from latlab.rt.campaign.results import CAMPAIGN, new_run, workload_conditions
from latlab.rt.targets.rt_job import Workload
from support.recorder_files import bucket

INTERVAL_NS = 200_000


def bounds(value: int) -> tuple[int, int]:
    """The interval of the recorder's histogram that holds a value."""
    if value < 128:
        return value, value + 1
    shift = value.bit_length() - 7
    low = value >> shift << shift
    assert bucket(low) == bucket(value)
    return low, low + (1 << shift)


def distribution(values: Sequence[int], cpu: int = 0, missed: int = 0, test: str = "recorder") -> Distribution:
    counts = Counter(bounds(int(value)) for value in values)
    return Distribution(
        test=test,
        metric=Metric.TASK_WAKEUP,
        core=CoreId(0, cpu),
        counts=tuple((low, high, n) for (low, high), n in sorted(counts.items())),
        beyond=0,
        got=len(values),
        expected=len(values) + missed,
        missed=missed,
        minimum_ticks=int(min(values)),
        maximum_ticks=int(max(values)),
        average_ticks=float(np.mean(values)),
    )


def wakeup_run(
    *found: Distribution,
    name: str = "run",
    mode: Mode | None = Mode.REAL,
    platform: str = UNNAMED,
    workload: Workload | None = None,
    **conditions: object,
) -> Run:
    """A complete run; `conditions` are fields of Conditions that are to differ from the workload's."""
    measured = workload_conditions(workload or Workload(10), mode or Mode.REAL)
    cpus = len({one.core for one in found})
    run = new_run(CAMPAIGN, "ssh:board", platform, cpus, replace(measured, mode=mode, **conditions))  # type: ignore[arg-type]
    return replace(run, contents=WakeupCounts(found), id=name, status=RunStatus.COMPLETE)


def drawn(seed: int, count: int = 60_000, factor: float = 1.0) -> list[int]:
    """Wake-ups of a quiet board: most about 8 us, some a good deal later, none near a period."""
    rng = np.random.default_rng(seed)
    values = 6_000 + rng.gamma(4.0, 500.0, count) + np.where(rng.random(count) < 0.02, rng.gamma(2.0, 2_000.0, count), 0.0)
    return [int(v * factor) for v in values]


def with_late(of: Distribution, level: int, seed: int = 0) -> Distribution:
    """The same with the time of each wake-up later than a level, as the recorder keeps it: each far from the others."""
    rng = np.random.default_rng(seed)
    late = [high - 1 for low, high, n in of.counts if low > level for _ in range(n)]
    times = rng.permutation(len(late)) * 20_000_000
    return replace(of, late=tuple(LateWakeup(int(at), ticks, 0, UNEXPLAINED) for at, ticks in zip(times, late, strict=True)))


def resampled(of: Distribution, seed: int, count: int) -> Distribution:
    """As many wake-ups as wanted, drawn from a histogram."""
    rng = np.random.default_rng(seed)
    shares = np.array([n for _, _, n in of.counts], float)
    drawn_counts = rng.multinomial(count, shares / shares.sum())
    counts = tuple((low, high, int(n)) for (low, high, _), n in zip(of.counts, drawn_counts, strict=True) if n)
    middle = sum((low + high) / 2 * n for low, high, n in counts) / count
    low, high = counts[0][0], counts[-1][1] - 1
    return replace(of, counts=counts, got=count, expected=count, minimum_ticks=low, maximum_ticks=high, average_ticks=middle)
