# SPDX-License-Identifier: BSD-3-Clause
"""The time line of calls in one iteration of a span, on the terminal and for other programs."""

from __future__ import annotations

import msgspec

from latlab.analysis.base.figure_names import FigureName, refusal
from latlab.errors import UsageError
from latlab.model.run import Run, SpanTimeline
from latlab.report.page import Page, Section
from latlab.report.renderers import json
from latlab.report.table import Align, Column, Table

COLUMNS = (Column("Starts at"), Column("Whole"), Column("Own"), Column("Function", Align.LEFT))


def chosen(run: Run, found: tuple[SpanTimeline, ...], span: str) -> SpanTimeline:
    """The span that the user names, of its slowest core where none is named. Raises UsageError with what there is."""
    if not found:
        raise UsageError(f"{run.id} has no time lines of calls; a run that the probe measured with functions has them")
    matching = [one for one in found if _called(one).asked_by(span)]
    if not matching:
        raise refusal(span, (_called(one) for one in found), run.id)
    return max(matching, key=lambda one: one.length)


def page(run: Run, one: SpanTimeline) -> Page:
    """A row for each call, indented by how deep it stands."""
    title = f"{_called(one).path} of {run.id}: {one.length} instructions, iteration {one.iteration}"
    rows = tuple((str(each.start), str(each.whole), str(each.own), f"{'  ' * each.depth}{each.name}") for each in one.calls)
    said = "In instructions. A function's own are those that it did not spend in what it called."
    return Page(title, (said,), (Section("", (Table("", COLUMNS, rows),)),))


def document(run: Run, one: SpanTimeline) -> str:
    """The same in JSON."""
    return json.document({"run": run.id, "unit": run.tick.unit} | msgspec.to_builtins(one) | {"core": str(one.core)})


def _called(one: SpanTimeline) -> FigureName:
    return FigureName(one.test, one.metric.value, f"core {one.core}")
