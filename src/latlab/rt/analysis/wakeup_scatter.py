# SPDX-License-Identifier: BSD-3-Clause
"""What runs scatter by, as earlier runs, parts in time and like CPUs show it, for the figures of a CPU and of several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from latlab.core.comparison.between_runs import WithinRunScatter, among_cpus, with_scatter
from latlab.core.comparison.comparison import Row, Statistic
from latlab.core.model.distributions import distributions_of
from latlab.core.model.run import Run
from latlab.core.statistics.histogram import Histogram, histogram_of, trimmed_mean
from latlab.rt.analysis.wakeup_rows import QUANTILES, CpuRows

LEVELS = (Statistic.MEDIAN, Statistic.AVERAGE, Statistic.MEAN)


def with_scatter_of_runs(tested: Sequence[tuple[CpuRows, Row]], base: Run, earlier: Sequence[Run]) -> Iterator[tuple[Row, float]]:
    """Each row with the scatter between runs, and the p-value that its wake-ups have alone."""
    alike: dict[tuple[str, Statistic | None], list[tuple[float, float]]] = {}
    for _, row in tested:
        alike.setdefault((row.test, row.statistic), []).append((row.before, row.after))
    sides: dict[int, list[Histogram]] = {}
    for cpu, row in tested:
        if id(cpu) not in sides:
            sides[id(cpu)] = _earlier_sides(cpu, earlier)
        values = [value for side in sides[id(cpu)] if (value := _value(side, row.statistic)) is not None]
        blocks = tuple(_in_blocks(side, row.statistic) for side in (cpu.a, cpu.b))
        within = WithinRunScatter(blocks if all(blocks) else (), among_cpus(alike[row.test, row.statistic]))
        yield with_scatter(row, values, base, within), row.shift.p


def scatter_of_mean(
    cpus: Sequence[CpuRows], statistic: Statistic, moved: Sequence[tuple[float, float]], earlier: Sequence[Run]
) -> tuple[list[float], WithinRunScatter]:
    """Of the mean over these CPUs, which moved from and to `moved`: its values in earlier runs that have all of them, and what the two runs
    show themselves."""
    by_cpu = [[_value(side, statistic) for side in _earlier_sides(cpu, earlier)] for cpu in cpus]
    complete = len({len(values) for values in by_cpu}) == 1
    values = [fmean(run) for run in zip(*by_cpu, strict=complete) if None not in run] if complete else []
    blocks = []
    for sides in ([cpu.a for cpu in cpus], [cpu.b for cpu in cpus]):
        parts = [_in_blocks(side, statistic) for side in sides]
        blocks.append(tuple(map(fmean, zip(*parts, strict=False))))
    return values, WithinRunScatter(tuple(blocks) if all(blocks) else (), among_cpus(moved))


def _earlier_sides(cpu: CpuRows, earlier: Sequence[Run]) -> list[Histogram]:
    """The same tool and CPU in earlier runs. Two tools differ by more than runs scatter, so earlier runs show nothing of these."""
    ours = cpu.a.distribution
    if ours.test != cpu.b.distribution.test:
        return []
    same = [
        (run, distribution)
        for run in earlier
        for distribution in distributions_of(run)
        if (distribution.test, distribution.core) == (ours.test, ours.core)
    ]
    return [histogram_of(run, distribution) for run, distribution in same]


def _in_blocks(side: Histogram, statistic: Statistic | None) -> tuple[float, ...]:
    """A level of each part in time of a run, between the steps of the tool."""
    if statistic not in LEVELS:
        return ()
    means = {Statistic.AVERAGE: lambda block: block.mean_and_error[0], Statistic.MEAN: lambda block: trimmed_mean(block)[0]}
    level = means.get(statistic, lambda block: block.interpolated(0.5)) if statistic else None
    levels = (level(block) for block in side.blocks) if level else ()
    return tuple(value for value in levels if value is not None)


def _value(side: Histogram, statistic: Statistic | None) -> float | None:
    if statistic is Statistic.MISSED:
        return side.missed_rate
    simple = {Statistic.MAXIMUM: side.maximum, Statistic.MINIMUM: side.minimum, Statistic.AVERAGE: side.average}
    if statistic in simple:
        return simple[statistic]
    if statistic is Statistic.MEAN:
        return trimmed_mean(side)[0] if side.is_counted else None
    if statistic is Statistic.SPREAD and side.is_counted:
        return (side.quantile(0.9) or 0) - (side.quantile(0.1) or 0)
    if statistic is Statistic.SHAPE and side.is_counted:
        return side.mean_and_error[0]
    share = dict(QUANTILES).get(statistic) if statistic else None
    return side.quantile(share) if share is not None and side.is_counted else None
