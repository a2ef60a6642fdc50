# SPDX-License-Identifier: BSD-3-Clause
"""What changed over a fleet since a day: the newest run of each measured thing against the newest comparable one before that day."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version

from latlab.core.model.life import Head
from latlab.core.store.address import StoreAddress
from latlab.core.store.choice import Filter
from latlab.core.store.comparisons import StoredComparison, store_comparisons, stored_comparisons
from latlab.core.store.store import Store, open_store
from latlab.core.targets.process.many import in_processes
from latlab.site.campaign.comparison_summaries import MOST_TRIED, SummaryCache
from latlab.site.campaign.measured import MeasuredThing, compare_stored, measured

AT_ONCE = 64
"""Comparisons that are stored together: so many are lost at most when it is ended in the middle."""


@dataclass(frozen=True, slots=True)
class Job:
    """The runs of one measured thing before the day, the newest first, and its newest run."""

    earlier: tuple[str, ...]
    last: str


@dataclass(frozen=True, slots=True)
class Change:
    """`base` is None where nothing before the day is comparable with `last`, `comparison` then says why, or is None without any run."""

    thing: MeasuredThing
    base: Head | None
    last: Head
    comparison: StoredComparison | None


def changes_since(
    store: Store, since_utc: str, chosen: Filter, processes: int, progress: Callable[[int, int, float], None]
) -> Iterator[Change]:
    """A change for each thing that has a complete run since the day. `progress` is told how many of how many comparisons are done, and the
    time left in s."""
    stored = stored_comparisons(store, version("latlab"))
    things = [thing for thing in measured(store, chosen) if thing.whole and thing.whole[-1].started_utc >= since_utc]
    jobs = [_job(thing, since_utc) for thing in things]
    new = [job for job in jobs if job.earlier and _known(job, stored) is None]
    unsaved: list[StoredComparison] = []
    began = time.monotonic()
    for number, comparisons in enumerate(in_processes(partial(_compare, store.place), new, processes) if new else (), 1):
        unsaved += comparisons
        if len(unsaved) >= AT_ONCE or number == len(new):
            store_comparisons(store, version("latlab"), unsaved)
            stored |= {(comparison.base, comparison.run): comparison for comparison in unsaved}
            unsaved.clear()
        progress(number, len(new), (time.monotonic() - began) / number * (len(new) - number))
    for thing, job in zip(things, jobs, strict=True):
        yield _change(thing, job, stored)


def _job(thing: MeasuredThing, since_utc: str) -> Job:
    earlier = [head.id for head in thing.whole[:-1] if head.started_utc < since_utc]
    return Job(tuple(reversed(earlier[-MOST_TRIED:])), thing.whole[-1].id)


def _known(job: Job, stored: dict[tuple[str, str], StoredComparison]) -> StoredComparison | None:
    """The comparison with the newest comparable run; if none is comparable, that with the newest. None if one has to be made."""
    first = None
    for base in job.earlier:
        comparison = stored.get((base, job.last))
        if comparison is None or comparison.verdict:
            return comparison
        first = first or comparison
    return first


def _change(thing: MeasuredThing, job: Job, stored: dict[tuple[str, str], StoredComparison]) -> Change:
    comparison = _known(job, stored) if job.earlier else None
    heads = {head.id: head for head in thing.whole}
    base = heads[comparison.base] if comparison and comparison.verdict else None
    return Change(thing, base, thing.whole[-1], comparison)


def _compare(place: StoreAddress, job: Job) -> Sequence[StoredComparison]:
    """In a process of its own: with one earlier run after the other, until one is comparable."""
    summaries, comparisons = _summaries(place), []
    for base in job.earlier:
        summary = summaries.of(base, job.last)
        comparisons.append(StoredComparison(base, job.last, summary.verdict, summary.said, summary.functions))
        if summary.verdict:
            break
    return comparisons


@cache
def _summaries(place: StoreAddress) -> SummaryCache:
    return SummaryCache(partial(compare_stored, open_store(place)), redact=False)
