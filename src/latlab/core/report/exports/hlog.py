# SPDX-License-Identifier: BSD-3-Clause
"""A histogram log of HdrHistogram: one interval histogram for each test, metric and core, named by its tag.

Values are ns or instructions to three significant figures. What a tool counted in intervals stands at their upper end, but not above the
maximum; what it clipped stands at the maximum.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import datetime

from latlab.core.errors import UsageError, needs_packages
from latlab.core.model.distributions import Distribution, distributions_of
from latlab.core.model.run import Run
from latlab.core.report.titles import platform_title

FIGURES = 3
LEAST_RANGE = 1000
Counted = tuple[str, list[tuple[int, int]]]


def render(run: Run) -> str:
    """Raises UsageError where the run holds neither samples nor histograms."""
    try:
        from hdrh.histogram import HdrHistogram
        from hdrh.log import HistogramLogWriter
    except ModuleNotFoundError:
        raise needs_packages("--format hlog", "hdrhistogram") from None
    held = [(tag, counts) for tag, counts in (*_of_samples(run), *_of_distributions(run)) if counts]
    if not held:
        raise UsageError(f"{run.id} holds no sample and no histogram, so there is nothing to count", "export it as json or csv")
    out = io.StringIO()
    writer = HistogramLogWriter(out)
    start = _started(run)
    writer.output_comment(f"[latlab {run.id} on {platform_title(run)}; values are {run.tick.unit}]")
    writer.output_log_format_version()
    writer.output_comment(f"[StartTime: {start:.3f} (seconds since epoch), {run.started_utc}]")
    writer.output_legend()
    for tag, counts in held:
        histogram = HdrHistogram(1, max(LEAST_RANGE, *(value for value, _ in counts)), FIGURES)
        for value, count in counts:
            assert histogram.record_value(value, count), f"{tag}: {value} is beyond the histogram's own range"
        out.write(f"Tag={tag},")
        writer.output_interval_histogram(histogram, start or 1e-6, start or 1e-6, 1.0)
    return out.getvalue()


def _of_samples(run: Run) -> Iterator[Counted]:
    cells: dict[str, dict[int, int]] = {}
    for sample in run.samples:
        counts = cells.setdefault(_tag(sample.test, sample.metric.value, str(sample.core)), {})
        value = max(round(sample.value_ticks * run.tick.value), 0)
        counts[value] = counts.get(value, 0) + 1
    for tag, counts in cells.items():
        yield tag, sorted(counts.items())


def _of_distributions(run: Run) -> Iterator[Counted]:
    for distribution in distributions_of(run):
        yield _tag(distribution.test, distribution.metric.value, str(distribution.core)), _counts(distribution, run.tick.value)


def _counts(distribution: Distribution, scale: float) -> list[tuple[int, int]]:
    highest = round(distribution.maximum_ticks * scale)
    counts = [(max(min(round(high * scale) - 1, highest), 0), n) for _, high, n in distribution.counts]
    return counts + ([(highest, distribution.beyond)] if distribution.beyond and distribution.counts else [])


def _tag(*names: str) -> str:
    """A tag ends at a comma or a blank."""
    return "/".join(name.replace(",", "_").replace(" ", "_") for name in names)


def _started(run: Run) -> float:
    try:
        return datetime.fromisoformat(run.started_utc).timestamp()
    except ValueError:
        return 0.0
