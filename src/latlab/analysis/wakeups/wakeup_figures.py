# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a run of wake-ups: its quantiles and its missed periods, CPU by CPU."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.analysis.base.figure import Figure
from latlab.analysis.base.weighted import FEWEST_ABOVE, weighted
from latlab.analysis.base.wording import unit_of
from latlab.analysis.wakeups.wakeup_identity import check_latencies
from latlab.model.enums import Metric
from latlab.model.run import Distribution, Run

QUANTILES = (("median", 0.5), ("p99", 0.99), ("p99.9", 0.999))


def wakeup_figures(run: Run) -> tuple[Figure, ...]:
    """Raises NotComparable where the run holds no latencies."""
    check_latencies(run)
    return tuple(figure for one in run.distributions for figure in _figures(run, one))


def _figures(run: Run, one: Distribution) -> Iterator[Figure]:
    scale, cpu = run.tick.value, f"CPU {one.core.core}"
    counted = weighted(one, scale)
    found = {"average": one.average_ticks * scale, "maximum": one.maximum_ticks * scale}
    for name, share in QUANTILES:
        value = counted.quantile(share) if counted and counted.total * (1 - share) >= FEWEST_ABOVE else None
        if value is not None:
            found[name] = value
    for name, value in found.items():
        yield Figure(one.test, one.metric, f"{cpu} {name}", run.tick.unit, (value,))
    if one.missed is not None and (due := one.expected or one.got + one.missed):
        rate = one.missed * 1_000_000 / due
        yield Figure(one.test, Metric.MISSED_PERIODS, cpu, unit_of(Metric.MISSED_PERIODS, run.tick.unit), (rate,))
