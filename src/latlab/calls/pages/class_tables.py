# SPDX-License-Identifier: BSD-3-Clause
"""Instructions by class: of each span, of each function in one class, and what differs between two runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from latlab.calls.analysis.span_functions import moves_of
from latlab.core.comparison.class_views import ALL, Span, check_classes, class_moves, class_named, classes_of, in_class
from latlab.core.model.enums import InstructionClass
from latlab.core.model.run import Run
from latlab.core.report.page import Page, Section
from latlab.core.report.renderers import json
from latlab.core.report.table import Table, figures, words
from latlab.core.report.titles import METRIC_TITLES
from latlab.core.shown import significant

MEAN = "Instructions per call, mean over the cores. Each has one class; all classes together are the span."
MEAN_OF_PAIR = "Instructions per call, mean over the cores that moved. Each has one class; all classes together are the span."

Row = tuple[str, float, float]


def page(run: Run, class_text: str) -> Page:
    """The classes of each span, or the functions of one class. Raises UsageError where the run has none or the class is none."""
    check_classes(run)
    if class_text == ALL:
        by_span = classes_of(run)
        return Page(
            f"{run.id} by class of instruction",
            (MEAN,),
            (Section("", tuple(_table(span, counts, "Class") for span, counts in by_span.items())),),
        )
    name = class_named(class_text)
    found_functions = _functions(in_class(run, name))
    tables = tuple(_table(span, counts, "Function") for span, counts in found_functions.items() if counts)
    return Page(f"{run.id}: {name.value}", (MEAN,), (Section("", tables),))


def pair_page(a: Run, b: Run, class_text: str) -> Page:
    """The classes that differ in each span, or the functions that differ in one class. Raises UsageError like `page`."""
    for run in (a, b):
        check_classes(run)
    if class_text == ALL:
        by_class = class_moves(a, b, moved_cores_only=True)
        moved = {span: [(move.name.value, move.before, move.after) for move in span_moves.classes] for span, span_moves in by_class.items()}
        cores = {span: (span_moves.cores, span_moves.of_cores) for span, span_moves in by_class.items()}
        title, first = f"{a.id} to {b.id} by class of instruction", "Class"
    else:
        name = class_named(class_text)
        moves = moves_of(in_class(a, name), in_class(b, name), moved_cores_only=True)
        moved = {span: [(move.name, move.before, move.after) for move in span_moves.functions] for span, span_moves in moves.items()}
        cores = {span: (span_moves.cores, span_moves.of_cores) for span, span_moves in moves.items()}
        title, first = f"{a.id} to {b.id}: {name.value}", "Function"
    tables = tuple(_difference(span, rows, first, *cores[span]) for span, rows in moved.items())
    return Page(title, (MEAN_OF_PAIR if tables else "Nothing differs.",), (Section("", tables),))


def data(shown_page: Page) -> str:
    """The tables of such a page in JSON."""
    return json.tables(block for section in shown_page.sections for block in section.blocks if isinstance(block, Table))


def _functions(run: Run) -> dict[Span, dict[str, float]]:
    """Instructions of each function per call, mean over the cores, the most first."""
    by_span: dict[Span, dict[str, float]] = {}
    cores: dict[Span, int] = {}
    for span_functions in run.functions:
        total = by_span.setdefault((span_functions.test, span_functions.metric), {})
        cores[span_functions.test, span_functions.metric] = cores.get((span_functions.test, span_functions.metric), 0) + 1
        for function in span_functions.functions:
            total[function.name] = total.get(function.name, 0.0) + function.instructions / span_functions.calls
    return {
        span: {name: count / cores[span] for name, count in sorted(total.items(), key=lambda pair: -pair[1]) if count}
        for span, total in by_span.items()
    }


def _table(span: Span, counts: Mapping[InstructionClass, float] | Mapping[str, float], first: str) -> Table:
    total = sum(counts.values())
    rows = tuple((str(name), _number(count), f"{100 * count / total:.1f} %") for name, count in counts.items())
    return Table(_title(span), (*words(first), *figures("Instructions", "Share")), (*rows, ("all", _number(total), "")))


def _difference(span: Span, rows: list[Row], first: str, cores: int, of_cores: int) -> Table:
    of_all = "" if cores == of_cores else f", mean over {cores} of {of_cores} cores"
    return Table(_title(span) + of_all, (*words(first), *figures("Before", "After", "Difference")), tuple(_cells(rows)))


def _cells(rows: list[Row]) -> Iterator[tuple[str, str, str, str]]:
    for name, before, after in (*rows, ("all of these", sum(row[1] for row in rows), sum(row[2] for row in rows))):
        yield name, _number(before), _number(after), _signed(after - before)


def _title(span: Span) -> str:
    return f"{span[0]}: {METRIC_TITLES[span[1]]}"


def _number(value: float) -> str:
    """A mean of whole numbers: whole, or with what is left of it."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}" if abs(value) >= 1 else f"{significant(value, 2)}"


def _signed(value: float) -> str:
    return ("" if value < 0 else "+") + _number(value)
