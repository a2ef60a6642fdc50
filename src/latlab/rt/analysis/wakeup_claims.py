# SPDX-License-Identifier: BSD-3-Clause
"""The claims above the rows of single CPUs: all CPUs of one tool together, those of each cluster, and for counts of late wake-ups each CPU.

A part has a level, a spread, the share of its wake-ups in the upper tail, and those beyond the end of its histogram. Which parts and which
of these there are follows from the base alone. Parts that are weak one by one are tested by their common shift (O'Brien 1984).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from latlab.core.comparison.between_runs import p_of_stretch, with_scatter
from latlab.core.comparison.comparison import Row, Statistic
from latlab.core.comparison.decision import Claim, ClaimLevel
from latlab.core.comparison.verdicts import CHANGED, Limits, Verdict, decide
from latlab.core.comparison.wording import count
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run
from latlab.core.statistics.histogram import rate_p
from latlab.core.statistics.statistics import Shift, family_wise
from latlab.rt.analysis.lateness import FACTOR, AtLevel, Lateness, levels_above_which
from latlab.rt.analysis.wakeup_rows import CpuRows, Moved, test_of
from latlab.rt.analysis.wakeup_scatter import scatter_of_mean

UPPER_SHARES = (0.1, 0.03, 0.01, 0.003)
"""Of the base's wake-ups, those that are later than a latency: where a second mode of the latencies is seen."""
FEWEST_LATE = 100
UPPER_FACTOR = 1.5
LARGE_FACTOR = 3.0
_PARTS = 1_000_000
_LEAST_RATE = 1e-9
"""Per million, instead of none."""


@dataclass(frozen=True)
class _Part:
    """Some CPUs of one tool."""

    level: ClaimLevel
    name: str
    cpus: tuple[CpuRows, ...]

    @property
    def places(self) -> frozenset[str]:
        return frozenset(cpu.a.distribution.place for cpu in self.cpus)


@dataclass(frozen=True)
class _Judged:
    """A claim and the part that it is of. `is_large`: it is large and not shown to be a change, and nothing passes with it."""

    claim: Claim
    part: _Part
    is_large: bool


def wakeup_claims(cpus: Sequence[CpuRows], rows: Sequence[Row], base: Run, earlier: Sequence[Run], limits: Limits) -> tuple[Claim, ...]:
    """The claims of all tools with their verdicts, each metric of a tool a family of tests. A claim is on the frontier if none of its CPUs
    and no smaller part of it changed by itself."""
    claims: list[Claim] = []
    for test in dict.fromkeys(test_of(cpu.a, cpu.b) for cpu in cpus):
        of_test = tuple(cpu for cpu in cpus if test_of(cpu.a, cpu.b) == test and cpu.a.is_counted and cpu.b.is_counted)
        evidence = [*_of_levels(test, of_test, base, earlier), *_of_rates(test, of_test, base, limits)] if of_test else []
        claims += _frontier(_judged(evidence, limits), [row for row in rows if row.test == test])
    return tuple(claims)


Evidence = tuple[_Part, Row]
"""A part and its figure, as a row without a verdict."""


def _parts(cpus: tuple[CpuRows, ...]) -> Iterator[_Part]:
    """All CPUs, and those of each cluster if there are several."""
    yield _Part(ClaimLevel.METRIC, f"of {count(len(cpus), 'CPU')}", cpus)
    clusters = dict.fromkeys(cpu.core.cluster for cpu in cpus)
    for cluster in clusters if len(clusters) > 1 else ():
        yield _Part(ClaimLevel.GROUP, f"of cluster {cluster}", tuple(cpu for cpu in cpus if cpu.core.cluster == cluster))


def _of_levels(test: str, cpus: tuple[CpuRows, ...], base: Run, earlier: Sequence[Run]) -> Iterator[Evidence]:
    """Level and spread of parts of several CPUs; those of one are rows."""
    for part in _parts(cpus):
        if len(part.cpus) > 1:
            yield part, _together(test, part, Statistic.MEAN, [cpu.mean_moved() for cpu in part.cpus], base, earlier)
        if len(part.cpus) > 1 and all(cpu.has_spread for cpu in part.cpus):
            yield part, _together(test, part, Statistic.SPREAD, [cpu.spread_moved() for cpu in part.cpus], base, earlier)


def _together(test: str, part: _Part, statistic: Statistic, moved: Sequence[Moved], base: Run, earlier: Sequence[Run]) -> Row:
    """The mean over the CPUs. What intervals of a histogram round off may be alike on all of them, so it does not become smaller."""
    error = float(np.linalg.norm([figure.error for figure in moved])) / len(moved)
    figures = ([figure.before, figure.after, figure.rounding, figure.threshold] for figure in moved)
    before, after, rounding, threshold = (float(np.mean(values)) for values in zip(*figures, strict=True))
    shift = Moved(before, after, error, rounding, threshold).shift
    place = test, part.cpus[0].a.distribution.metric, f"{statistic} {part.name}", None
    row = Row(*place, before, after, shift, threshold, Verdict.CANNOT_TELL, "", statistic=statistic)
    values, within = scatter_of_mean(part.cpus, statistic, [(figure.before, figure.after) for figure in moved], earlier)
    return with_scatter(row, values, base, within)


def _of_rates(test: str, cpus: tuple[CpuRows, ...], base: Run, limits: Limits) -> Iterator[Evidence]:
    """What is late: in the upper tail, and beyond the histogram of the base, of all CPUs, of each cluster and of each CPU."""
    alone = [_Part(ClaimLevel.CORE, f"of {cpu.a.distribution.place}", (cpu,)) for cpu in cpus] if len(cpus) > 1 else []
    for part in (*_parts(cpus), *alone):
        late = Lateness(tuple(cpu.a for cpu in part.cpus), tuple(cpu.b for cpu in part.cpus))
        if upper := [late.at(level) for level in _upper_levels(late)]:
            yield part, _rate(test, f"upper tail {part.name}", late, upper, UPPER_FACTOR, base, limits)
        if any(side.beyond for side in late.a) and late.end is not None:
            yield part, _rate(test, f"beyond the histogram {part.name}", late, [late.at(late.end)], FACTOR, base, limits)


def _upper_levels(late: Lateness) -> list[float]:
    """Quantiles of the base, as far as both runs know how many wake-ups are later."""
    n, _ = late.totals
    levels = levels_above_which(late.a, [share * n for share in UPPER_SHARES if share * n >= FEWEST_LATE])
    return [level for level in levels if late.end is None or level <= late.end]


def _rate(test: str, name: str, late: Lateness, levels: Sequence[AtLevel], factor: float, base: Run, limits: Limits) -> Row:
    """Two rates of late wake-ups, which change by a factor, at the level where they differ most clearly. Runs of one machine differ by as
    much as a tail that is a little longer in time."""
    n, m = late.totals
    at = min(levels, key=lambda at: at.p)
    before, after = at.before.events * _PARTS / n, at.after.events * _PARTS / m
    moved, threshold = after - before, max(before, after) * (1 - 1 / factor)
    ends = min(moved, before * (at.low - 1)), max(moved, before * (at.high - 1))
    place = test, Metric.LATE_WAKEUPS, name, None
    row = Row(
        *place, before, after, Shift(moved, *ends, min(1.0, len(levels) * at.p)), threshold, Verdict.CANNOT_TELL, "",
        statistic=Statistic.LATE, large=large_rate(at, late.totals, limits.alpha / len(levels)),
    )  # fmt: skip
    row = with_scatter(row, (), base)
    if row.shift.p >= limits.alpha:
        return row
    return replace(row, shift=replace(row.shift, p=max(row.shift.p, p_of_stretch(late.stretch(at), base))))


def large_rate(at: AtLevel, totals: tuple[int, int], alpha: float) -> float:
    """The difference of two rates of events, per million, beyond which it must not pass: the larger is several times the smaller. Where
    nobody says which late wake-ups came together, ten may be one event or ten, and each counts for whether the two differ."""
    before, after = (events.events if events.seen else events.wakeups for events in (at.before, at.after))
    n, m = totals
    if rate_p(before, n, after, m) >= alpha:
        return 0.0
    return max((LARGE_FACTOR - 1) * min(at.before.events / n, at.after.events / m) * _PARTS, _LEAST_RATE)


def _judged(evidence: Sequence[Evidence], limits: Limits) -> list[_Judged]:
    out = []
    for metric in dict.fromkeys(row.metric for _, row in evidence):
        of_metric = [(part, row) for part, row in evidence if row.metric is metric]
        for (part, row), p in zip(of_metric, family_wise([row.shift.p for _, row in of_metric]), strict=True):
            verdict = decide(row.shift, row.threshold, p, limits.alpha)
            place = part.level, metric, row.test, row.name, row.before, row.after
            claim = Claim(*place, row.shift, row.threshold, p, verdict, len(part.cpus), len(part.cpus))
            out.append(_Judged(claim, part, replace(row, verdict=verdict).is_large))
    return out


def _frontier(claims: Sequence[_Judged], rows: Sequence[Row]) -> Iterator[Claim]:
    for judged in claims:
        inside = [part for part in claims if part.part.places < judged.part.places and part.claim.metric is judged.claim.metric]
        is_held = any(_holds(part.claim.verdict, part.is_large, judged) for part in inside) or any(
            _is_inside(row, judged) and _holds(row.verdict, row.is_large, judged) for row in rows
        )
        yield replace(judged.claim, is_frontier=(judged.claim.verdict in CHANGED or judged.is_large) and not is_held)


def _holds(verdict: Verdict, is_large: bool, judged: _Judged) -> bool:
    """Whether a part with this verdict reports what the claim found."""
    return verdict in CHANGED or (judged.is_large and is_large)


def _is_inside(row: Row, judged: _Judged) -> bool:
    """Whether the row is of a CPU of the claim. The rate of late wake-ups of all CPUs is a row too."""
    if row.core is None:
        return judged.claim.metric is Metric.LATE_WAKEUPS
    return row.name.startswith(tuple(f"{place} " for place in judged.part.places))
