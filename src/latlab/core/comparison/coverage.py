# SPDX-License-Identifier: BSD-3-Clause
"""Coverage: the samples that the base has and the candidate lacks, determined before any statistics.

The expected number of samples comes from the schedule (duration and interval) if the run has one, otherwise from the other cores and
tests of the same run, which show how much longer or shorter the candidate is. Without a schedule, a loss that is the same everywhere looks
like a shorter run and is not found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from latlab.core.comparison.comparison import Row, Statistic
from latlab.core.comparison.findings import SamplesMissing
from latlab.core.comparison.verdicts import Limits, Verdict
from latlab.core.kinds.registry import kind_of
from latlab.core.model.enums import Metric, RowKind
from latlab.core.model.run import CoreId, Run
from latlab.core.statistics.histogram import rate_p
from latlab.core.statistics.statistics import Shift

PARTS = 1_000_000


@dataclass(frozen=True, slots=True)
class SampleKey:
    """The place of a count: a test, a metric, and a core or a named quantity."""

    test: str
    metric: Metric
    core: CoreId | None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Counted:
    """The number of samples; `due` is None if there is no schedule. `rows` says what a row of wake-ups is of."""

    got: int
    due: int | None = None
    rows: RowKind = RowKind.CPU


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A place with fewer samples in the candidate than were due: `got` and `due`, each as (base, candidate).

    `p` is the probability of so few samples if the share of the base still held; `is_scheduled`, whether a schedule tells what was due.
    """

    place: SampleKey
    got: tuple[int, int]
    due: tuple[int, int]
    p: float
    is_significant: bool
    is_scheduled: bool
    rows: RowKind = RowKind.CPU


Counts = Mapping[SampleKey, Counted]


def counted(run: Run) -> dict[SampleKey, Counted]:
    """The number of samples at each place of a run."""
    return kind_of(run).analysis.counted(run)


def absences(ours: Counts, theirs: Counts, limits: Limits) -> tuple[SamplesMissing, ...]:
    """The places with samples in the first run and none in the second: a whole test, a core or CPU of a test, or a metric or quantity.
    Empty for two runs without a common place, which are of two tools."""
    if not ours.keys() & theirs.keys():
        return ()
    gone: dict[tuple[str, CoreId | None, str], list[SampleKey]] = {}
    for place in (place for place in ours if place not in theirs):
        gone.setdefault(_widest(place, theirs, ours[place].rows), []).append(place)
    scale = _scale_of(ours, theirs, limits.relative)
    return tuple(_absence(*key, [ours[place] for place in gone[key]], gone[key][0].metric, scale) for key in sorted(gone, key=str))


def _widest(place: SampleKey, theirs: Mapping[SampleKey, Counted], rows: RowKind) -> tuple[str, CoreId | None, str]:
    """The test, core and name of the largest missing part that contains this place."""
    if all(other.test != place.test for other in theirs):
        return place.test, None, ""
    is_whole_core = place.core and all((other.test, other.core) != (place.test, place.core) for other in theirs)
    return place.test, place.core, _core_of(place, rows) if is_whole_core else named(place, rows)


def _absence(test: str, core: CoreId | None, name: str, lost: list[Counted], metric: Metric, scale: float) -> SamplesMissing:
    before, due_before = (sum(counts) for counts in zip(*((place.got, max(place.due or 0, place.got)) for place in lost), strict=True))
    due = sum(place.due if place.due is not None else round(place.got * scale) for place in lost)
    return SamplesMissing(test, name, _thing(metric), 0, due, before, due_before)


def shortfalls(ours: Counts, theirs: Counts, limits: Limits, burst: int) -> tuple[Shortfall, ...]:
    """The places at which the second run has a smaller share of the due samples than the first, by more than the tolerance; the smallest
    share first. `burst` samples are lost together."""
    places = [*_shortfalls(ours, theirs, limits, burst)]
    return tuple(sorted(places, key=lambda shortfall: (shortfall.got[1] / shortfall.due[1], shortfall.p)))


def _shortfalls(ours: Mapping[SampleKey, Counted], theirs: Mapping[SampleKey, Counted], limits: Limits, burst: int) -> Iterator[Shortfall]:
    common = [place for place in ours if place in theirs]
    scale = _scale_of(ours, theirs, limits.relative)
    for place in common:
        base, candidate = ours[place], theirs[place]
        is_scheduled = base.due is not None and candidate.due is not None
        due_before = max(base.due or 0, base.got) if is_scheduled else base.got
        due = max(candidate.due or 0 if is_scheduled else round(base.got * scale), candidate.got)
        if candidate.got / due >= base.got / due_before * (1 - limits.relative):
            continue
        missing = [-(-(of - got) // burst) for got, of in ((base.got, due_before), (candidate.got, due))]
        p = rate_p(missing[0], due_before, missing[1], due)
        is_known = is_scheduled or not any(_may_differ_in_interval(side, place.test) for side in (ours, theirs))
        is_significant = is_known and p < limits.alpha / len(common)
        yield Shortfall(place, (base.got, candidate.got), (due_before, due), p, is_significant, is_scheduled, candidate.rows)


def _may_differ_in_interval(counts: Mapping[SampleKey, Counted], test: str) -> bool:
    """Whether the counts of threads fall with their number: each may have a longer interval than the one before (cyclictest -d)."""
    threads = [(place.core.core, count) for place, count in counts.items() if place.test == test and place.core is not None]
    got = [count.got for _, count in sorted(threads, key=lambda thread: thread[0])]
    if not got:
        return False
    is_falling = all(later <= earlier for earlier, later in pairwise(got)) and got[-1] < got[0]
    return is_falling and all(count.rows is RowKind.THREAD for _, count in threads)


def _scale_of(ours: Mapping[SampleKey, Counted], theirs: Mapping[SampleKey, Counted], tolerance: float) -> float:
    common = [place for place in ours if place in theirs]
    return _scale([ours[place].got for place in common], [theirs[place].got for place in common], tolerance)


def _scale(before: list[int], after: list[int], tolerance: float) -> float:
    """How many times as long as the base the candidate is: the ratio of the fullest places if all places of the base have the same
    number of samples. Otherwise the median of the ratios of all places, which a minority cannot move; of two middle ratios, the one
    nearer to the ratio of the fullest places."""
    if not before:
        return 1.0
    fullest = max(after) / max(before)
    if min(before) >= max(before) * (1 - tolerance) or len(before) < 3:
        return fullest
    ratios = sorted(late / early for early, late in zip(before, after, strict=True))
    middle = ratios[(len(ratios) - 1) // 2], ratios[len(ratios) // 2]
    return min(middle, key=lambda ratio: abs(ratio - fullest))


def coverage_rows(short_places: tuple[Shortfall, ...], limits: Limits) -> tuple[Row, ...]:
    """A regression for each place that lost more samples than chance explains, in missing samples per million due."""
    return tuple(_row(shortfall, limits) for shortfall in short_places if shortfall.is_significant)


def _row(shortfall: Shortfall, limits: Limits) -> Row:
    before, after = (PARTS * (of - got) / of for got, of in zip(shortfall.got, shortfall.due, strict=True))
    place, moved = shortfall.place, after - before
    return Row(
        place.test, Metric.MISSING_SAMPLES, named(place, shortfall.rows), place.core.cluster if place.core else None, before, after,
        Shift(moved, moved, moved, shortfall.p), limits.relative * PARTS, Verdict.REGRESSED, missing_samples(shortfall).sentence(""),
        statistic=Statistic.COVERAGE,
        core=place.core, p_adjusted=shortfall.p,
    )  # fmt: skip


def named(place: SampleKey, rows: RowKind = RowKind.CPU) -> str:
    """`CPU 1`, `thread 1`, `core 1.2 wakeup`, or the quantity's name."""
    metric = "" if place.name or place.metric is Metric.TASK_WAKEUP else place.metric.value
    return " ".join(filter(None, (place.name, _core_of(place, rows), metric)))


def _core_of(place: SampleKey, rows: RowKind = RowKind.CPU) -> str:
    if place.core is None:
        return ""
    return rows.named(place.core.core) if place.name or place.metric is Metric.TASK_WAKEUP else f"core {place.core}"


def missing_samples(shortfall: Shortfall) -> SamplesMissing:
    return SamplesMissing(
        shortfall.place.test,
        named(shortfall.place, shortfall.rows),
        _thing(shortfall.place.metric),
        shortfall.got[1],
        shortfall.due[1],
        shortfall.got[0],
        shortfall.due[0],
    )


def _thing(metric: Metric) -> str:
    return "wake-up" if metric is Metric.TASK_WAKEUP else "sample"
