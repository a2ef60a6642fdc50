# SPDX-License-Identifier: BSD-3-Clause
"""Two ways to the same figure: the PMF calls that the payload made, and the rings that the host read."""

from __future__ import annotations

from collections.abc import Iterable

from latlab.core.model.enums import Metric
from latlab.core.model.figures import Figures
from latlab.core.model.run import Problem, Sample

NS_PER_S = 1_000_000_000


def disagreement(samples: Iterable[Sample], figures: Iterable[Figures], clock_hz: int) -> Problem | None:
    """Say where a figure in ns and the span in ticks differ by more than one tick (or one ns, where that is longer); None: nowhere.

    The samples are those of one iteration. A core that had nothing to flush prints 0 ns and has no such span. Integer arithmetic
    only, so that a large counter loses nothing.
    """
    ticks = {(sample.core, sample.metric): sample.value_ticks for sample in samples}
    for line in figures:
        for metric, value_ns in line.values_ns:
            span = ticks.get((line.core, metric))
            if span is None and metric is Metric.CACHE_FLUSH and value_ns == 0:
                continue
            if span is None:
                return Problem(line.line, f"core {line.core} prints {value_ns} ns of {metric}, its trace buffer has no such span")
            if abs(value_ns * clock_hz - span * NS_PER_S) > max(NS_PER_S, clock_hz):
                span_ns = span * NS_PER_S // clock_hz
                return Problem(
                    line.line, f"core {line.core} prints {value_ns} ns of {metric}, its trace buffer has {span} ticks ({span_ns} ns)"
                )
    return None
