# SPDX-License-Identifier: BSD-3-Clause
"""Arithmetic of published tables: do the printed deltas follow from the printed values, and can the unit be the stated one?

Each finding is a `Problem` of the kind that says which.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from statistics import median

from latlab.formats.published.tables import UNIT_NS, Figure, Table
from latlab.model.enums import Metric, ProblemKind
from latlab.model.run import CoreId, Problem

_UNIT_RATIO = 300
_FEWEST_FIGURES = 6


def misprinted_deltas(tables: Sequence[Table]) -> list[Problem]:
    """Deltas that do not follow from any other release's value of the same cell, each with the right figure.

    A delta's base is not printed beside it, so every other table of the test is tried; the nearest one above gives the right figure.
    """
    problems = []
    for i, table in enumerate(tables):
        siblings = [*reversed(tables[:i]), *tables[i + 1 :]]
        siblings = [s for s in siblings if s.test == table.test and s.unit == table.unit]
        bases = [_values(s) for s in siblings]
        for figure in table.figures:
            if figure.printed_delta is None:
                continue
            rights = [_delta_percent(base[key], figure.value) for base in bases if base.get(key := (figure.core, figure.metric))]
            if not rights or any(abs(right - figure.printed_delta) <= _rounding(figure.printed_delta) for right in rights):
                continue
            key = figure.core, figure.metric
            printed = f"{table.test} {figure.metric} of core {figure.core} is printed with {figure.printed_delta:+}%"
            values = f"{bases[0].get(key)} ({siblings[0].release}) and {figure.value} ({table.release})"
            problems.append(
                Problem(
                    figure.line,
                    f"misprinted delta: {printed}, but the published values {values} give {rights[0]:+.2f}%",
                    ProblemKind.MISPRINTED_DELTA,
                )
            )
    return problems


def unit_suspects(tables: Sequence[Table], tick_ns: Decimal | None) -> list[tuple[Table, Problem]]:
    """Tables whose unit contradicts the clock tick, a sibling table, or is not named at all."""
    return [(table, problem) for table in tables if (problem := next(_suspicions(table, tables, tick_ns), None))]


def off_tick(figure: Figure, unit: str, tick_ns: Decimal, step: Decimal) -> bool:
    """Is the figure, printed to multiples of `step`, not a whole number of ticks, even allowing for its rounding?"""
    value_ns = figure.value * UNIT_NS[unit]
    rounding_ns = step * UNIT_NS[unit] / 2
    distance_ns = abs(value_ns - (value_ns / tick_ns).to_integral_value() * tick_ns)
    return bool(distance_ns > rounding_ns)


def print_step(figures: Sequence[Figure]) -> Decimal:
    """The finest step that the printed figures show: 0.01 if one of them has two decimals."""
    digits = max((-int(figure.value.as_tuple().exponent) for figure in figures), default=0)
    return Decimal(1).scaleb(-max(digits, 0))


def _suspicions(table: Table, tables: Sequence[Table], tick_ns: Decimal | None) -> Iterator[Problem]:
    if not table.unit:
        yield Problem(
            table.line,
            f"unit suspect: no unit is named for {table.test} ({table.release}); name it in the caption or with --unit",
            ProblemKind.UNIT_SUSPECT,
        )
        return
    for other in tables:
        if other is table or other.test != table.test or not other.unit:
            continue
        ratio = _ratio_in_ns(table, other)
        if ratio is not None and ratio > _UNIT_RATIO and _values(table):
            yield Problem(
                table.line,
                f"unit suspect: {table.test} ({table.release}) in {table.unit} is {ratio:.0f} times its sibling of {other.release}, "
                f"in {other.unit} (line {other.line}); ns that are labelled us look like that",
                ProblemKind.UNIT_SUSPECT,
            )
            return
    if tick_ns is None or tick_ns <= 1 or len(table.figures) < _FEWEST_FIGURES:
        return
    numerals = [figure.value for figure in table.figures]
    if table.unit != "ns" and all(n % tick_ns == 0 for n in numerals) and any(numerals):
        yield Problem(
            table.line,
            f"unit suspect: every figure of {table.test} ({table.release}) is a whole multiple of {tick_ns}, the clock's tick in ns; "
            f"the figures are ns, not {table.unit}",
            ProblemKind.UNIT_SUSPECT,
        )


def _values(table: Table) -> dict[tuple[CoreId, Metric], Decimal]:
    return {(figure.core, figure.metric): figure.value for figure in table.figures}


def _ratio_in_ns(table: Table, other: Table) -> float | None:
    ours, theirs = _values(table), _values(other)
    scale = UNIT_NS[table.unit] / UNIT_NS[other.unit]
    ratios = [float(ours[key] / theirs[key] * scale) for key in ours if theirs.get(key)]
    return median(ratios) if ratios else None


def _delta_percent(base: Decimal, value: Decimal) -> Decimal:
    return (value - base) / base * 100


def _rounding(delta: Decimal) -> Decimal:
    """One unit in the last printed place: covers a rounded and a truncated figure."""
    return Decimal(1).scaleb(int(delta.as_tuple().exponent)) * Decimal("1.001")
