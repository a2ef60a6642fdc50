# SPDX-License-Identifier: BSD-3-Clause
"""Runs of wake-ups made of numbers, with a recorder's histogram, for tests of their analysis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from latlab.core.model.blame import UNEXPLAINED
from latlab.core.model.conditions import Mode
from latlab.core.model.distributions import Distribution, LateWakeup, WakeupCounts
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import UNNAMED, CoreId, Run
from latlab.rt.campaign.results import CAMPAIGN, new_run, workload_conditions
from latlab.rt.targets.rt_job import Workload

INTERVAL_NS = 200_000


def bounds(value: int) -> tuple[int, int]:
    """The interval of the recorder's histogram that holds a value."""
    low, high = _bounds(np.array([value]))
    return int(low[0]), int(high[0])


def _bounds(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    shifts = np.maximum(np.frexp(values.astype(float))[1] - 7, 0)  # the exponent is the number of bits
    lows = values >> shifts << shifts
    return lows, lows + (1 << shifts)


def counted(values: Sequence[int]) -> tuple[tuple[int, int, int], ...]:
    """The rows of a histogram."""
    lows, highs = _bounds(np.asarray(values, dtype=np.int64))
    found, first, counts = np.unique(lows, return_index=True, return_counts=True)
    return tuple(zip(found.tolist(), highs[first].tolist(), counts.tolist(), strict=True))


def distribution(values: Sequence[int], cpu: int = 0, missed: int = 0, test: str = "recorder") -> Distribution:
    return Distribution(
        test=test,
        metric=Metric.TASK_WAKEUP,
        core=CoreId(0, cpu),
        counts=counted(values),
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
