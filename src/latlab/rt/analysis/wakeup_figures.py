# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a run of wake-ups: its quantiles and its missed periods, CPU by CPU."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.core.comparison.comparison import Statistic
from latlab.core.comparison.figure import Figure
from latlab.core.comparison.wording import unit_of
from latlab.core.model.distributions import Distribution, distributions_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run
from latlab.core.statistics.weighted import FEWEST_ABOVE, weighted
from latlab.rt.analysis.wakeup_identity import check_machine

QUANTILES = ((Statistic.MEDIAN, 0.5), (Statistic.P99, 0.99), (Statistic.P99_9, 0.999))
NAMES = {Statistic.P99: "p99", Statistic.P99_9: "p99.9"}


def wakeup_figures(run: Run) -> tuple[Figure, ...]:
    """Raises NotComparable where the run holds no latencies."""
    check_machine(run)
    return tuple(figure for distribution in distributions_of(run) for figure in _figures(run, distribution))


def _figures(run: Run, distribution: Distribution) -> Iterator[Figure]:
    scale, cpu = run.tick.value, distribution.place
    counted = weighted(distribution, scale)
    figures = {Statistic.AVERAGE: distribution.average_ticks * scale, Statistic.MAXIMUM: distribution.maximum_ticks * scale}
    for name, share in QUANTILES:
        value = counted.quantile(share) if counted and counted.total * (1 - share) >= FEWEST_ABOVE else None
        if value is not None:
            figures[name] = value
    for statistic, value in figures.items():
        yield Figure(
            distribution.test,
            distribution.metric,
            f"{cpu} {NAMES.get(statistic, statistic.value)}",
            run.tick.unit,
            (value,),
            judged_as=f"{cpu} {statistic}",
        )
    if distribution.missed is not None and (due := distribution.expected or distribution.got + distribution.missed):
        rate = distribution.missed * 1_000_000 / due
        unit = unit_of(Metric.MISSED_PERIODS, run.tick.unit)
        yield Figure(distribution.test, Metric.MISSED_PERIODS, cpu, unit, (rate,), judged_as=f"{cpu} {Statistic.MISSED}")
