# SPDX-License-Identifier: BSD-3-Clause
"""What is asked of one run of wake-ups, CPU by CPU: its quantiles and its missed periods, how many were due, and limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from latlab.core.comparison.comparison import Statistic
from latlab.core.comparison.coverage import Counted, SampleKey
from latlab.core.comparison.figure import Figure
from latlab.core.comparison.limit import Edges, Held, Limit, LimitOutcome, check_unit, held_edges, held_share, unmeasured_places
from latlab.core.comparison.wording import unit_of
from latlab.core.model.distributions import Distribution, distributions_of
from latlab.core.model.enums import Metric, RowKind
from latlab.core.model.run import Run
from latlab.core.statistics.histogram import FEWEST_ABOVE, Histogram
from latlab.rt.analysis.wakeup_identity import check_machine

QUANTILES = ((Statistic.MEDIAN, 0.5), (Statistic.P99, 0.99), (Statistic.P99_9, 0.999))
NAMES = {Statistic.P99: "p99", Statistic.P99_9: "p99.9"}

BURST = 10
"""Wake-ups to one event: what keeps a CPU busy passes over several periods in a row. Lateness counts them in the same way."""

ALIASES = {"wakeup": Metric.TASK_WAKEUP.value, "missed": Metric.MISSED_PERIODS.value, "latency": Metric.TASK_WAKEUP.value}


def wakeup_figures(run: Run) -> tuple[Figure, ...]:
    """Raises NotComparable where the run holds no latencies."""
    check_machine(run)
    return tuple(figure for distribution in distributions_of(run) for figure in _figures(run, distribution))


def _figures(run: Run, distribution: Distribution) -> Iterator[Figure]:
    scale, cpu = run.tick.value, distribution.place
    counted = Histogram(distribution, scale)
    cut_off = (distribution.resolution_ticks - 1) * scale
    figures = {
        Statistic.AVERAGE: (distribution.average_ticks * scale, 0.0, cut_off),
        Statistic.MAXIMUM: (distribution.maximum_ticks * scale, 0.0, cut_off),
    }
    for name, share in QUANTILES:
        value = counted.quantile(share) if counted.is_counted and counted.total * (1 - share) >= FEWEST_ABOVE else None
        if value is not None:
            low, high = counted.quantile_edges(share)
            figures[name] = value, value - (low or value), (high or value) - value
    for statistic, (value, below, above) in figures.items():
        yield Figure(
            distribution.test,
            distribution.metric,
            f"{cpu} {NAMES.get(statistic, statistic.value)}",
            run.tick.unit,
            (value,),
            judged_as=f"{cpu} {statistic}",
            below=below,
            above=above,
        )
    if distribution.missed is not None and (due := distribution.due):
        rate = distribution.missed * 1_000_000 / due
        unit = unit_of(Metric.MISSED_PERIODS, run.tick.unit)
        yield Figure(distribution.test, Metric.MISSED_PERIODS, cpu, unit, (rate,), judged_as=f"{cpu} {Statistic.MISSED}")


def counted_wakeups(run: Run) -> dict[SampleKey, Counted]:
    spans = (distribution for distribution in distributions_of(run) if distribution.metric is Metric.TASK_WAKEUP)
    return {
        SampleKey(distribution.test, distribution.metric, distribution.core): Counted(
            distribution.got, distribution.expected, distribution.rows
        )
        for distribution in spans
        if distribution.got
    }


def limited_wakeups(run: Run, limit: Limit) -> Iterator[Held]:
    check_machine(run)
    name = ALIASES.get(limit.name.lower(), limit.name)
    if name == Metric.MISSED_PERIODS.value and not limit.is_of_samples:
        check_unit(limit, "")
        if limit.is_of_places and (other := _no_cpus(distributions_of(run))):
            yield _of_no_cpu(run, limit, other)
            return
        yield from (_missed(distribution, limit) for distribution in _of_cpus(distributions_of(run), limit))
        yield from unmeasured_places(run, limit, {distribution.core for distribution in distributions_of(run)})
        return
    if not limit.is_of_samples:
        return
    spans = Metric.STALL.value if name == Metric.TASK_WAKEUP.value else name
    matching = [distribution for distribution in distributions_of(run) if any(_means(distribution, written) for written in (name, spans))]
    if matching:
        check_unit(limit, run.tick.unit)
        if limit.is_of_places and (other := _no_cpus(matching)):
            yield _of_no_cpu(run, limit, other)
            return
        yield from (_of_distribution(run, distribution, limit) for distribution in _of_cpus(matching, limit))
        yield from unmeasured_places(run, limit, {distribution.core for distribution in matching})


def _means(distribution: Distribution, name: str) -> bool:
    written = f"{distribution.test}/{distribution.metric}" if "/" in name else distribution.metric.value
    return fnmatchcase(written, name)


def _no_cpus(distributions: Iterable[Distribution]) -> Distribution | None:
    """The first row whose number is no CPU's."""
    return next((distribution for distribution in distributions if distribution.rows is not RowKind.CPU), None)


def _of_no_cpu(run: Run, limit: Limit, distribution: Distribution) -> Held:
    why = (
        f"the rows of {distribution.test} in {run.id} are no CPUs, as "
        f"{distribution.place}; "
        f"leave out "
        f"`on cpu`, or "
        f"measure with `cyclictest --json`"
    )
    return Held(limit, LimitOutcome.INCONCLUSIVE, f"inconclusive: {limit.text}: {why}")


def _of_cpus(distributions: Iterable[Distribution], limit: Limit) -> list[Distribution]:
    return [distribution for distribution in distributions if limit.takes(distribution.core)]


def _missed(distribution: Distribution, limit: Limit) -> Held:
    if distribution.missed is None:
        how = "the tool does not count them; import it with --duration and --interval"
        return Held(
            limit, LimitOutcome.INCONCLUSIVE, f"inconclusive: {limit.text}: missed periods of {distribution.place} are unknown: {how}"
        )
    missed = float(distribution.missed)
    subject = f"{distribution.test} {distribution.place}, missed periods"
    return held_edges(limit, subject, Edges(missed, missed), distribution.expected or distribution.got, "")


def _of_distribution(run: Run, distribution: Distribution, limit: Limit) -> Held:
    scale, subject = run.tick.value, f"{distribution.test} {distribution.place}"
    if limit.share is None:
        value = {"max": distribution.maximum_ticks, "min": distribution.minimum_ticks, "average": distribution.average_ticks}[
            limit.statistic
        ] * scale
        edges = Edges(value, value + (distribution.resolution_ticks - 1) * scale)
        return held_edges(limit, f"{subject} {limit.statistic}", edges, distribution.got, run.tick.unit)
    counted = Histogram(distribution, scale)
    if not counted.is_counted:
        return Held(
            limit, LimitOutcome.INCONCLUSIVE, f"inconclusive: {limit.text}: {subject} has no histogram, so its quantiles are unknown"
        )
    return held_share(limit, subject, counted.total, Edges(*counted.quantile_edges(limit.share)), run.tick.unit)
