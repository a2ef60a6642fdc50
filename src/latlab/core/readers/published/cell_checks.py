# SPDX-License-Identifier: BSD-3-Clause
"""Arithmetic of published tables: can the unit be the stated one, and is a figure a whole number of ticks?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import median

from latlab.core.model.enums import Metric, ProblemKind
from latlab.core.model.run import CoreId, Problem
from latlab.core.readers.published.printed_tables import UNIT_NS, PrintedFigure, Table
from latlab.core.readers.published.releases import words_of

_UNIT_RATIO = 300
_FEWEST_FIGURES = 6


@dataclass(frozen=True, slots=True)
class UnitSuspect:
    """Why a table's unit cannot be what it says; tables of one release with the same `cause` are one finding."""

    table: Table
    cause: str
    case: str


def unit_suspects(tables: Sequence[Table], tick_ns: Decimal | None) -> list[UnitSuspect]:
    """Tables whose unit contradicts the clock tick, a sibling table, or is not named at all."""
    return [suspect for table in tables if (suspect := next(_suspicions(table, tables, tick_ns), None))]


def unit_findings(suspects: Sequence[UnitSuspect]) -> list[Problem]:
    """One problem for each cause: what is wrong, of how many tables, and the option that settles it."""
    groups: dict[tuple[str, str], list[UnitSuspect]] = {}
    for suspect in suspects:
        groups.setdefault((suspect.table.release, suspect.cause), []).append(suspect)
    problems = []
    for (release, cause), alike in groups.items():
        cases = tuple(f"line {case.table.line}: {case.case}" for case in alike)
        tables = "1 table" if len(alike) == 1 else f"{len(alike)} tables"
        message = f"unit suspect: {tables} of {words_of(release)}: {cause}"
        problems.append(Problem(alike[0].table.line, message, ProblemKind.UNIT_SUSPECT, cases))
    return problems


def off_tick(figure: PrintedFigure, unit: str, tick_ns: Decimal, step: Decimal) -> bool:
    """Is the figure, printed to multiples of `step`, not a whole number of ticks, even allowing for its rounding?"""
    value_ns = figure.value * UNIT_NS[unit]
    rounding_ns = step * UNIT_NS[unit] / 2
    distance_ns = abs(value_ns - (value_ns / tick_ns).to_integral_value() * tick_ns)
    return bool(distance_ns > rounding_ns)


def print_step(figures: Sequence[PrintedFigure]) -> Decimal:
    """The finest step that the printed figures show: 0.01 if one of them has two decimals."""
    digits = max((-int(figure.value.as_tuple().exponent) for figure in figures), default=0)
    return Decimal(1).scaleb(-max(digits, 0))


def _suspicions(table: Table, tables: Sequence[Table], tick_ns: Decimal | None) -> Iterator[UnitSuspect]:
    if not table.unit:
        yield UnitSuspect(table, "no unit is named; name it in the caption or with --unit", f"{table.test} names no unit")
        return
    numerals = [figure.value for figure in table.figures]
    can_tell = table.unit != "ns" and tick_ns and tick_ns > 1 and len(numerals) >= _FEWEST_FIGURES and any(numerals)
    if can_tell and tick_ns and all(number % tick_ns == 0 for number in numerals):
        cause = (
            f"the stated unit is {table.unit}, but every figure is a whole multiple of {tick_ns.normalize():f}, the counter's tick "
            "in ns, so the figures are ns. --unit ns reads them so"
        )
        yield UnitSuspect(table, cause, f"{table.test}, such as {max(numerals)}")
        return
    for other in tables:
        if other is table or other.test != table.test or not other.unit:
            continue
        ratio = _ratio_in_ns(table, other)
        if ratio is not None and ratio > _UNIT_RATIO:
            sibling = f"those of {words_of(other.release)} in {other.unit}"
            cause = f"in {table.unit} the figures are hundreds of times {sibling}; give the unit with --unit"
            yield UnitSuspect(table, cause, f"{table.test} is {ratio:.0f} times its sibling of {other.release} in line {other.line}")
            return


def values_of(table: Table) -> dict[tuple[CoreId, Metric], Decimal]:
    return {(figure.core, figure.metric): figure.value for figure in table.figures}


def _ratio_in_ns(table: Table, other: Table) -> float | None:
    ours, theirs = values_of(table), values_of(other)
    scale = UNIT_NS[table.unit] / UNIT_NS[other.unit]
    ratios = [float(ours[key] / theirs[key] * scale) for key in ours if theirs.get(key)]
    return median(ratios) if ratios else None
