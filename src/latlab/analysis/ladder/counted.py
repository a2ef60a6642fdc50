# SPDX-License-Identifier: BSD-3-Clause
"""Published times of two releases that changed, and what the probe counted of the same two on the board's processors.

An emulator runs other platform code than the board, and counts are no times: what stands here is beside a verdict, never part of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain

from latlab.analysis.base.comparison import Comparison, Row
from latlab.analysis.base.counted_findings import CountedBeside, CountedFinding, CountsAreOf
from latlab.analysis.base.verdicts import Verdict
from latlab.catalog.platform_facts import facts_of
from latlab.catalog.release_counts import counts_of
from latlab.model.counts import ReleaseCounts, SpanCount
from latlab.model.enums import Metric

_CHANGED = (Verdict.REGRESSED, Verdict.IMPROVED)
_Pair = tuple[ReleaseCounts, ReleaseCounts]
_Moves = tuple[tuple[str, float], ...]


def counted_beside(comparison: Comparison) -> Iterator[CountedFinding]:
    """Nothing where a run is not published, its release was not counted, or no time changed."""
    pairs = _counted(comparison)
    changed = [row for row in comparison.rows if row.verdict in _CHANGED]
    if not pairs or not changed:
        return
    for metric, verdict in dict.fromkeys((row.metric, row.verdict) for row in changed):
        yield from _beside(metric, verdict, [row for row in changed if (row.metric, row.verdict) == (metric, verdict)], comparison, pairs)
    before, after = pairs[0]
    yield CountsAreOf((before.release, after.release), before.subject, _untold(changed, before, after))


def _counted(comparison: Comparison) -> list[_Pair]:
    """The two releases on each of the board's processors, in the order of its clusters."""
    processors = dict.fromkeys(cluster.core.value for cluster in facts_of(comparison.a.platform).clusters)
    found = ((counts_of(comparison.a.id, one), counts_of(comparison.b.id, one)) for one in processors)
    return [(before, after) for before, after in found if before and after]


def _beside(
    metric: Metric, verdict: Verdict, rows: Sequence[Row], comparison: Comparison, pairs: Sequence[_Pair]
) -> Iterator[CountedBeside]:
    """Tests and processors whose functions moved alike are one finding."""
    clusters = facts_of(comparison.a.platform).clusters
    alike: dict[_Moves, list[tuple[str, str, float, float]]] = defaultdict(list)
    for before, after in pairs:
        own = [row.test for row in rows if row.cluster is None or clusters[row.cluster].core.value == before.processor]
        for test in dict.fromkeys(own):
            if _has(before, after, test, metric):
                old, new = before.spans[test, metric], after.spans[test, metric]
                alike[_moves(old, new)].append((test, before.processor, new.total - old.total, (new.total - old.total) / old.total))
    for moves, cells in alike.items():
        tests, processors, differences, shares = zip(*cells, strict=True)
        ends = min(shares), max(shares)
        yield CountedBeside(metric, verdict, tuple(dict.fromkeys(tests)), tuple(dict.fromkeys(processors)), differences[0], ends, moves)


def _untold(changed: Sequence[Row], before: ReleaseCounts, after: ReleaseCounts) -> tuple[tuple[Metric, tuple[str, ...]], ...]:
    missing: dict[Metric, dict[str, None]] = {}
    for row in changed:
        if not _has(before, after, row.test, row.metric):
            missing.setdefault(row.metric, {})[row.test] = None
    return tuple((metric, tuple(tests)) for metric, tests in missing.items())


def _has(before: ReleaseCounts, after: ReleaseCounts, test: str, metric: Metric) -> bool:
    return (test, metric) in before.spans and (test, metric) in after.spans


def _moves(old: SpanCount, new: SpanCount) -> _Moves:
    names = dict.fromkeys(chain(old.functions, new.functions))
    differences = ((name, new.functions.get(name, 0.0) - old.functions.get(name, 0.0)) for name in names)
    return tuple(sorted((one for one in differences if one[1]), key=lambda one: (-abs(one[1]), one[0])))
