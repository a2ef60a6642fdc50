# SPDX-License-Identifier: BSD-3-Clause
"""Which samples of two runs of spans belong to a claim, and why the others do not.

Both are counted by themselves: the judged ones from the values behind each row, the others from what was left out before. A sample of
neither would be missing in the sum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from latlab.core.comparison.account import Account, Unjudged
from latlab.core.comparison.identity import Pair
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import CoreId, Run
from latlab.core.statistics.sample_matrix import Cells, Columns
from latlab.psci.analysis.roles import is_parallel
from latlab.psci.analysis.variance_estimate import Evidence

Span = tuple[str, Metric]

TWICE = "a boot with the same figures as another one counts once"
ONE_RUN = "the other run has no such samples of the same cores"
SUSPECT = "a data-quality warning"
USUAL_BOOT = "a boot that is off in the same way in both runs"
INCOMPLETE = "an iteration that lacks a core"
OTHER_ROLE = "a core whose role the lead may have changed"


@dataclass(frozen=True)
class _Side:
    """One run: its samples, all of its columns, those that were judged, and the values behind each row with a verdict."""

    run: Run
    whole: Columns
    usable: Columns
    rows: Sequence[tuple[Evidence, Cells]]


def account_of(whole: Pair, usable: Pair, evidence: Sequence[Evidence], apart: Mapping[Span, Sequence[CoreId]]) -> Account:
    """`whole` has all columns of both runs, `usable` those without figures under a warning and without boots that are usual. `evidence` is
    of the rows with a verdict, and `apart` has the cores that no row has."""
    sides = (
        _Side(whole.a, whole.columns_a, usable.columns_a, [(row_evidence, row_evidence.before) for row_evidence in evidence]),
        _Side(whole.b, whole.columns_b, usable.columns_b, [(row_evidence, row_evidence.after) for row_evidence in evidence]),
    )
    is_exact = whole.a.tick.clock is not Clock.TIME
    judged, left, sizes = [], [], []
    for side in sides:
        sizes.append(len(side.run.samples))
        spans = dict.fromkeys((row_evidence.row.test, row_evidence.row.metric) for row_evidence, _ in side.rows)
        judged.append(sum(_judged(side, span) for span in spans))
        left.append(Counter(dict(_unjudged(side, whole, usable, apart, is_exact))))
    places = dict.fromkeys((*left[0], *left[1]))
    unjudged = (Unjudged(*place, (left[0][place], left[1][place])) for place in places)
    return Account((sizes[0], sizes[1]), (judged[0], judged[1]), tuple(part for part in unjudged if any(part.samples)))


def _judged(side: _Side, span: Span) -> int:
    """Of a test by position, or by a queue model, all complete iterations; else the values of each row."""
    rows = [(e, cells) for e, cells in side.rows if (e.row.test, e.row.metric) == span]
    if any(e.row.is_whole or e.row.is_term for e, _ in rows):
        return int(side.usable.matrices[span].values.size)
    return sum(_numbers(cells) for _, cells in rows)


def _unjudged(
    side: _Side, whole: Pair, usable: Pair, apart: Mapping[Span, Sequence[CoreId]], is_exact: bool
) -> Iterator[tuple[tuple[str, Metric, str], int]]:
    samples = Counter(map(attrgetter("test", "metric"), side.run.samples))
    for span, count in samples.items():
        once = _numbers(side.whole.matrices[span].every)
        yield (*span, TWICE), count - once
        if span not in whole.common:
            yield (*span, ONE_RUN), once
            continue
        if span not in usable.common:
            yield (*span, SUSPECT), once
            continue
        matrix = side.usable.matrices[span]
        yield (*span, USUAL_BOOT), once - _numbers(matrix.every)
        columns = [matrix.cores.index(core) for core in apart.get(span, ())]
        is_every = is_exact and not is_parallel(span[0])
        yield (*span, INCOMPLETE), 0 if is_every else _numbers(matrix.every) - matrix.values.size
        if columns:
            yield (*span, OTHER_ROLE), int(np.count_nonzero(~np.isnan((matrix.every if is_every else matrix).values[:, columns])))


def _numbers(cells: Cells) -> int:
    return int(np.count_nonzero(~np.isnan(cells.values)))
