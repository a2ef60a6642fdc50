# SPDX-License-Identifier: BSD-3-Clause
"""Do the percentages that a document prints beside its figures follow from its figures, and if not, what were they taken against?

Nothing is said of deltas whose base is not in the document: the oldest release's, and those that follow from none of its figures are
reported as what they are, not as errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from latlab.core.model.enums import Metric, ProblemKind
from latlab.core.model.run import CoreId, Problem
from latlab.core.readers.published.cell_checks import values_of
from latlab.core.readers.published.printed_tables import UNIT_NS, PrintedFigure, Table
from latlab.core.readers.published.releases import older, words_of

Values = dict[tuple[CoreId, Metric], Decimal]


class DeltaCause(StrEnum):
    """How a printed percentage came about that is not the cell's own."""

    POSITION = "paired by position: row n is compared with row n of {base}, whose rows name other cores"
    OTHER_TEST = "taken against another test of {base}"
    OTHER_RELEASE = "taken against another release than {base}"
    SIGN = "of the wrong sign"
    REVERSED = "relative to the new figure instead of that of {base}"
    UNIT = "taken against a figure in another unit, a thousand times off"
    NONE = "inconsistent with {base}, unlike the others of this release"


@dataclass(frozen=True, slots=True)
class _Cell:
    """A figure with its printed delta, the base that its own cell has in the release before, and every other cause that explains it."""

    table: Table
    figure: PrintedFigure
    base_value: Decimal | None
    causes: frozenset[tuple[DeltaCause, str]]

    @property
    def place(self) -> tuple[str, CoreId, Metric]:
        return self.table.test, self.figure.core, self.figure.metric


@dataclass(slots=True)
class _Judged:
    fine: int = 0
    by_cause: dict[DeltaCause, list[_Cell]] = field(default_factory=dict)
    unexplained: list[_Cell] = field(default_factory=list)

    def add(self, cause: DeltaCause, cell: _Cell) -> None:
        self.by_cause.setdefault(cause, []).append(cell)


def delta_findings(tables: Sequence[Table], release: str) -> list[Problem]:
    """One problem for each cause, with the count; the cases are its details. Cores have to be resolved and units settled before."""
    tables_of_release = [table for table in tables if table.release == release]
    before = older(release, list(dict.fromkeys(table.release for table in tables)))
    if not before:
        return []
    cells = [
        _cell(table, figure, tables, before) for table in tables_of_release for figure in table.figures if figure.printed_delta is not None
    ]
    base = before[0]
    judged = _judge([cell for cell in cells if cell.base_value is not None])
    problems = [_finding(cause, cells_of_cause, len(cells), release, base) for cause, cells_of_cause in judged.by_cause.items()]
    return [*problems, *_without_base(judged.unexplained, len(cells), release, base)]


def follows(base: Decimal, value: Decimal, printed: Decimal) -> bool:
    """Is `printed` the percentage from base to value, rounded or truncated to its last place?"""
    return bool(base) and abs((value - base) / base * 100 - printed) <= _rounding(printed)


def _cell(table: Table, figure: PrintedFigure, tables: Sequence[Table], before: Sequence[str]) -> _Cell:
    printed, value = figure.printed_delta or Decimal(0), figure.value
    key = figure.core, figure.metric
    causes: set[tuple[DeltaCause, str]] = set()
    base_value: Decimal | None = None
    for sibling in tables:
        if sibling is table or not sibling.unit or not table.unit:
            continue
        scale = UNIT_NS[sibling.unit] / UNIT_NS[table.unit]
        values = {k: v * scale for k, v in values_of(sibling).items()}
        older_value = values.get(key)
        is_base = sibling.release in before
        if sibling.test == table.test and is_base:
            if base_value is None or (older_value is not None and follows(older_value, value, printed)):
                base_value = older_value if older_value is not None else base_value
            causes |= _of_own_cell(older_value, value, printed)
            at_row = values.get((sibling.rows.get(figure.row, figure.core), figure.metric))
            if sibling.rows.get(figure.row) != figure.core and at_row is not None and follows(at_row, value, printed):
                causes.add((DeltaCause.POSITION, ""))
        elif older_value is not None and follows(older_value, value, printed):
            if sibling.test == table.test and sibling.release != table.release:
                causes.add((DeltaCause.OTHER_RELEASE, sibling.release))
            elif is_base:
                causes.add((DeltaCause.OTHER_TEST, sibling.test))
    return _Cell(table, figure, base_value, frozenset(causes))


def _of_own_cell(base: Decimal | None, value: Decimal, printed: Decimal) -> set[tuple[DeltaCause, str]]:
    if not base or not value:
        return set()
    explains: dict[DeltaCause, Callable[[], bool]] = {
        DeltaCause.SIGN: lambda: follows(base, value, -printed),
        DeltaCause.REVERSED: lambda: follows(value, base, printed),
        DeltaCause.UNIT: lambda: follows(base * 1000, value, printed) or follows(base / 1000, value, printed),
    }
    return {(cause, "") for cause, holds in explains.items() if holds()}


def _judge(cells: Sequence[_Cell]) -> _Judged:
    judged = _Judged()
    by_table: dict[int, list[_Cell]] = {}
    for cell in cells:
        if cell.base_value is not None and follows(cell.base_value, cell.figure.value, cell.figure.printed_delta or Decimal(0)):
            judged.fine += 1
        else:
            by_table.setdefault(id(cell.table), []).append(cell)
    for wrong in by_table.values():
        _judge_table(wrong, judged)
    explained = judged.fine + sum(map(len, judged.by_cause.values()))
    if judged.unexplained and explained >= len(judged.unexplained):
        judged.by_cause[DeltaCause.NONE] = judged.unexplained
        judged.unexplained = []
    return judged


def _judge_table(wrong: Sequence[_Cell], judged: _Judged) -> None:
    """A cause that concerns rows or whole tables has to explain two cells of a table and half of those that are wrong: one is chance."""
    unexplained = list(wrong)
    shared = (DeltaCause.POSITION, DeltaCause.OTHER_TEST, DeltaCause.OTHER_RELEASE)
    causes_by_cell = dict.fromkeys(key for cause in shared for cell in wrong for key in sorted(cell.causes) if key[0] is cause)
    for key in sorted(causes_by_cell, key=lambda key: -sum(key in cell.causes for cell in unexplained)):
        covered = [cell for cell in unexplained if key in cell.causes]
        if len(covered) >= 2 and 2 * len(covered) >= len(unexplained):
            for cell in covered:
                judged.add(key[0], cell)
            unexplained = [cell for cell in unexplained if key not in cell.causes]
    for cell in unexplained:
        single = next((cause for cause in (DeltaCause.SIGN, DeltaCause.REVERSED, DeltaCause.UNIT) if (cause, "") in cell.causes), None)
        if single is not None:
            judged.add(single, cell)
        else:
            judged.unexplained.append(cell)


def _finding(cause: DeltaCause, cells: Sequence[_Cell], count: int, release: str, base: str) -> Problem:
    details = tuple(_case(cell, release, base) for cell in cells)
    words = cause.value.format(base=words_of(base))
    if len(cells) == 1:
        message = f"misprinted delta: of the {count} printed deltas of {words_of(release)} 1 is {words}: {details[0]}"
        return Problem(cells[0].figure.line, message, ProblemKind.MISPRINTED_DELTA)
    message = f"misprinted delta: of the {count} printed deltas of {words_of(release)} {len(cells)} are {words}"
    return Problem(cells[0].figure.line, message, ProblemKind.MISPRINTED_DELTA, details)


def _without_base(cells: Sequence[_Cell], count: int, release: str, base: str) -> Iterator[Problem]:
    if not cells:
        return
    do = "does" if len(cells) == 1 else "do"
    message = (
        f"delta without base: of the {count} printed deltas of {words_of(release)} {len(cells)} {do} not follow "
        f"from the figures of {words_of(base)}, the one before it here. Their reference table is not in this document"
    )
    yield Problem(cells[0].figure.line, message, ProblemKind.DELTA_WITHOUT_BASE, tuple(_case(cell, release, base) for cell in cells))


def _case(cell: _Cell, release: str, base: str) -> str:
    figure, base_value = cell.figure, cell.base_value or Decimal(0)
    right = f"{(figure.value - base_value) / base_value * 100:+.2f}%" if base_value else "nothing"
    where = f"line {figure.line}: {cell.table.test} {figure.metric} of core {figure.core}"
    return f"{where} is printed with {figure.printed_delta:+}%, but {base_value} ({base}) and {figure.value} ({release}) give {right}"


def _rounding(delta: Decimal) -> Decimal:
    """One unit in the last printed place: covers a rounded and a truncated figure."""
    return Decimal(1).scaleb(int(delta.as_tuple().exponent)) * Decimal("1.001")
