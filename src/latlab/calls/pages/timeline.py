# SPDX-License-Identifier: BSD-3-Clause
"""The time line of calls in one iteration of a span, on the terminal and for other programs."""

from __future__ import annotations

import msgspec

from latlab.core.comparison.figure import FigureName, refusal
from latlab.core.errors import UsageError
from latlab.core.model.run import Run, SpanTimeline
from latlab.core.report.page import Page, Section
from latlab.core.report.renderers import json
from latlab.core.report.table import Align, Column, Table

COLUMNS = (Column("Starts at"), Column("Whole"), Column("Own"), Column("Function", Align.LEFT))


def chosen(run: Run, timelines: tuple[SpanTimeline, ...], span: str) -> SpanTimeline:
    """The span that the user names, of its slowest core where none is named. Raises UsageError with what there is."""
    if not timelines:
        raise UsageError(f"{run.id} has no time lines of calls; a run that the probe measured with functions has them")
    matching = [timeline for timeline in timelines if _called(timeline).asked_by(span)]
    if not matching:
        raise refusal(span, (_called(timeline) for timeline in timelines), run.id)
    return max(matching, key=lambda timeline: timeline.length)


def page(run: Run, timeline: SpanTimeline) -> Page:
    """A row for each call, indented by how deep it stands."""
    title = f"{_called(timeline).path} of {run.id}: {timeline.length} instructions, iteration {timeline.iteration}"
    rows = tuple((str(call.start), str(call.whole), str(call.own), f"{'  ' * call.depth}{call.name}") for call in timeline.calls)
    note = "In instructions. A function's own are those that it did not spend in what it called."
    return Page(title, (note,), (Section("", (Table("", COLUMNS, rows),)),))


def document(run: Run, timeline: SpanTimeline) -> str:
    """The same in JSON."""
    return json.document({"run": run.id, "unit": run.tick.unit} | msgspec.to_builtins(timeline) | {"core": str(timeline.core)})


def _called(timeline: SpanTimeline) -> FigureName:
    return FigureName(timeline.test, timeline.metric.value, f"core {timeline.core}")
