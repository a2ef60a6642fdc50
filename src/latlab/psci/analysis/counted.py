# SPDX-License-Identifier: BSD-3-Clause
"""Changed published times of two releases beside the probe's counts of these releases on the board's processors.

An emulator runs other platform code than the board, and counts are not times: these findings never change a verdict.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from latlab.core.comparison.comparison import Comparison, Row
from latlab.core.comparison.counted_findings import (
    HARDLY_MOVED,
    OUTSIDE,
    Agreement,
    CountedBeside,
    CountedFinding,
    CountsAreOf,
    Sight,
)
from latlab.core.comparison.verdicts import CHANGED, Verdict
from latlab.core.model.counts import CommitOf, ReleaseCounts, SpanCount
from latlab.core.model.enums import InstructionClass as C
from latlab.core.model.enums import Metric
from latlab.core.readers.platform_facts import facts_of
from latlab.core.readers.release_counts import counts_of

HARDLY_OUTSIDE = 0.05
# What one instruction takes at most: a quarter more than any board has shown, 103 ns on N1SDP.
MOST_OUTSIDE_NS = 130.0
MOST_INSIDE_NS = 5.0

_Pair = tuple[ReleaseCounts, ReleaseCounts]
_Name = TypeVar("_Name", bound=str)
_Alike = tuple[tuple[tuple[str, float], ...], tuple[tuple[C, float], ...], Agreement, Sight]


def counted_beside(comparison: Comparison) -> Iterator[CountedFinding]:
    """The counts beside each changed time; none if a run is not published, its release was not counted, or no time changed."""
    pairs = _counted(comparison)
    changed = [row for row in comparison.rows if row.verdict in CHANGED]
    if not pairs or not changed:
        return
    for metric, verdict in dict.fromkeys((row.metric, row.verdict) for row in changed):
        yield from _beside(metric, verdict, [row for row in changed if (row.metric, row.verdict) == (metric, verdict)], comparison, pairs)
    before, after = pairs[0]
    yield CountsAreOf((before.release, after.release), before.subject, _untold(changed, before, after))


def _counted(comparison: Comparison) -> list[_Pair]:
    """The two releases on each of the board's processors, in the order of its clusters."""
    processors = dict.fromkeys(cluster.core.value for cluster in facts_of(comparison.a.platform).clusters)
    counts = ((counts_of(comparison.a.id, processor), counts_of(comparison.b.id, processor)) for processor in processors)
    return [(before, after) for before, after in counts if before and after]


def _beside(
    metric: Metric, verdict: Verdict, rows: Sequence[Row], comparison: Comparison, pairs: Sequence[_Pair]
) -> Iterator[CountedBeside]:
    """One finding for tests and processors whose functions and classes changed alike, and equally far from the time."""
    clusters = facts_of(comparison.a.platform).clusters
    alike: dict[_Alike, list[tuple[str, str, float, float]]] = defaultdict(list)
    for before, after in pairs:
        cluster_rows = [row for row in rows if row.cluster is None or clusters[row.cluster].core.value == before.processor]
        for test in dict.fromkeys(row.test for row in cluster_rows):
            if not _has(before, after, test, metric):
                continue
            old, new = before.shared((test, metric)), after.shared((test, metric))
            time_ns = max((row.shift.value for row in cluster_rows if row.test == test), key=abs)
            key = _moves(old.functions, new.functions), _moves(old.classes, new.classes), *agreement_of(old, new, time_ns)
            difference = new.total - old.total
            alike[key].append((test, before.processor, difference, difference / old.total))
    commits = pairs[0][1].commits
    for (functions, classes, agreement, sight), cells in alike.items():
        tests, processors, differences, shares = zip(*cells, strict=True)
        yield CountedBeside(
            metric, verdict, tuple(dict.fromkeys(tests)), tuple(dict.fromkeys(processors)), differences[0], (min(shares), max(shares)),
            functions, classes, agreement, sight, _behind(functions, commits),
        )  # fmt: skip


def _behind(moved: Sequence[tuple[str, float]], commits: Sequence[CommitOf]) -> tuple[CommitOf, ...]:
    names = {name for name, _ in moved}
    touching = (replace(commit, functions=tuple(name for name in commit.functions if name in names)) for commit in commits)
    return tuple(commit for commit in touching if commit.functions)


def agreement_of(old: SpanCount, new: SpanCount, time_ns: float) -> tuple[Agreement, Sight]:
    """The agreement by the instructions that leave the caches if their number changed, else by all others: whether the sign fits, and
    whether so many instructions can take so long."""
    outside_before, outside = (sum(span.classes.get(instruction_class, 0.0) for instruction_class in OUTSIDE) for span in (old, new))
    moved_outside, moved = outside - outside_before, new.total - old.total
    if abs(moved_outside) > HARDLY_OUTSIDE * outside_before:
        sight, sign = Sight.OUTSIDE, moved_outside
    elif abs(moved) >= HARDLY_MOVED * old.total:
        sight, sign = Sight.WHOLE, moved
    else:
        return Agreement.OUT_OF_SIGHT, Sight.STILL
    if (sign > 0) != (time_ns > 0):
        return Agreement.CONTRADICTED, sight
    if abs(moved_outside) * MOST_OUTSIDE_NS + abs(moved - moved_outside) * MOST_INSIDE_NS < abs(time_ns):
        return Agreement.OUT_OF_SIGHT, Sight.TOO_FEW
    return Agreement.AGREED, sight


def _untold(changed: Sequence[Row], before: ReleaseCounts, after: ReleaseCounts) -> tuple[tuple[Metric, tuple[str, ...]], ...]:
    missing: dict[Metric, dict[str, None]] = {}
    for row in changed:
        if not _has(before, after, row.test, row.metric):
            missing.setdefault(row.metric, {})[row.test] = None
    return tuple((metric, tuple(tests)) for metric, tests in missing.items())


def _has(before: ReleaseCounts, after: ReleaseCounts, test: str, metric: Metric) -> bool:
    return (test, metric) in before.spans and (test, metric) in after.spans


def _moves(old: Mapping[_Name, float], new: Mapping[_Name, float]) -> tuple[tuple[_Name, float], ...]:
    names = dict.fromkeys(chain(old, new))
    differences = ((name, new.get(name, 0.0) - old.get(name, 0.0)) for name in names)
    return tuple(sorted((move for move in differences if move[1]), key=lambda move: (-abs(move[1]), move[0])))
