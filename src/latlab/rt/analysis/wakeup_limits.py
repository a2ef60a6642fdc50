# SPDX-License-Identifier: BSD-3-Clause
"""Limits on wake-ups: of each CPU its quantiles, extremes and missed periods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from latlab.core.comparison.limit import Held, Limit, LimitOutcome, check_unit, held_share, held_value, unmeasured_cpus
from latlab.core.comparison.wording import amount
from latlab.core.model.distributions import Distribution, distributions_of
from latlab.core.model.enums import Metric, RowKind
from latlab.core.model.run import Run
from latlab.core.statistics.weighted import weighted
from latlab.rt.analysis.wakeup_identity import check_machine

ALIASES = {"wakeup": Metric.TASK_WAKEUP.value, "missed": Metric.MISSED_PERIODS.value, "latency": Metric.TASK_WAKEUP.value}


def limited_wakeups(run: Run, limit: Limit) -> Iterator[Held]:
    check_machine(run)
    name = ALIASES.get(limit.name.lower(), limit.name)
    if name == Metric.MISSED_PERIODS.value and not limit.is_of_samples:
        check_unit(limit, "")
        if limit.cpus and (other := _no_cpus(distributions_of(run))):
            yield _of_no_cpu(run, limit, other)
            return
        yield from (_missed(distribution, limit) for distribution in _of_cpus(distributions_of(run), limit))
        yield from unmeasured_cpus(run, limit, {distribution.core.core for distribution in distributions_of(run)})
        return
    if not limit.is_of_samples:
        return
    spans = Metric.STALL.value if name == Metric.TASK_WAKEUP.value else name
    matching = [distribution for distribution in distributions_of(run) if any(_means(distribution, written) for written in (name, spans))]
    if matching:
        check_unit(limit, run.tick.unit)
        if limit.cpus and (other := _no_cpus(matching)):
            yield _of_no_cpu(run, limit, other)
            return
        yield from (_of_distribution(run, distribution, limit) for distribution in _of_cpus(matching, limit))
        yield from unmeasured_cpus(run, limit, {distribution.core.core for distribution in matching})


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
    return [distribution for distribution in distributions if not limit.cpus or distribution.core.core in limit.cpus]


def _missed(distribution: Distribution, limit: Limit) -> Held:
    if distribution.missed is None:
        how = "the tool does not count them; import it with --duration and --interval"
        return Held(
            limit, LimitOutcome.INCONCLUSIVE, f"inconclusive: {limit.text}: missed periods of {distribution.place} are unknown: {how}"
        )
    return held_value(
        limit,
        f"{distribution.test} {distribution.place}, missed periods",
        float(distribution.missed),
        f"{distribution.missed:,}",
        distribution.expected or distribution.got,
    )


def _of_distribution(run: Run, distribution: Distribution, limit: Limit) -> Held:
    scale, subject = run.tick.value, f"{distribution.test} {distribution.place}"
    if limit.share is None:
        value = {"max": distribution.maximum_ticks, "min": distribution.minimum_ticks, "average": distribution.average_ticks}[
            limit.statistic
        ] * scale
        return held_value(limit, f"{subject} {limit.statistic}", value, amount(value, run.tick.unit), distribution.got)
    counted = weighted(distribution, scale)
    if counted is None:
        return Held(
            limit, LimitOutcome.INCONCLUSIVE, f"inconclusive: {limit.text}: {subject} has no histogram, so its quantiles are unknown"
        )
    return held_share(limit, subject, counted.total, counted.above(limit.value), counted.quantile(limit.share), run.tick.unit)
