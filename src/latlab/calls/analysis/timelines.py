# SPDX-License-Identifier: BSD-3-Clause
"""The time line of calls in one iteration of a span."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median_low

from latlab.calls.analysis.marked import Marked, Stranded, parts_of_call
from latlab.calls.analysis.stacks import Code, Walk
from latlab.calls.model.crossings import Stretch
from latlab.core.comparison.call_trees import Tree
from latlab.core.model.enums import Metric
from latlab.core.model.run import CalledAt, CoreId, SpanTimeline

MOST_ROWS = 2000


def timelines_of(marked: Iterable[Marked | Stranded], codes: Mapping[int, Code], cores: Mapping[int, CoreId]) -> tuple[SpanTimeline, ...]:
    """One for each test, span and core: of the first iteration that took the (lower) median."""
    by_span: dict[tuple[str, Metric, CoreId], list[tuple[int, int, tuple[Stretch, ...]]]] = {}
    for call in marked:
        for metric, length, stretches in parts_of_call(call):
            by_span.setdefault((call.test, metric, cores[call.core]), []).append((call.iteration, length, stretches))
    chosen = {}
    for key, spans in by_span.items():
        typical = median_low(length for _, length, _ in spans)
        chosen[key] = next(span for span in spans if span[1] == typical)
    return tuple(
        SpanTimeline(*key, iteration, length, timeline_of(stretches, codes))
        for key, (iteration, length, stretches) in chosen.items()
        if stretches
    )


def timeline_of(stretches: tuple[Stretch, ...], codes: Mapping[int, Code], most: int = MOST_ROWS) -> tuple[CalledAt, ...]:
    """Each call where it starts. Calls behind the first `most` are counted as their callers' own instructions."""
    walk = Walk(codes, Tree(), most)
    walk.span(stretches)
    lengths = [row.end - row.start for row in walk.rows]
    above: list[int] = []
    for index, row in enumerate(walk.rows):
        del above[row.depth :]
        if above:
            lengths[above[-1]] -= row.end - row.start
        above.append(index)
    return tuple(CalledAt(row.depth, row.name, row.start, row.end - row.start, mine) for row, mine in zip(walk.rows, lengths, strict=True))
