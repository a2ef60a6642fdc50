# SPDX-License-Identifier: BSD-3-Clause
"""What only the comparison of two runs of amounts has to show: how many values of each there are."""

from __future__ import annotations

from typing import Any

from latlab.core.comparison.comparison import AmountComparison
from latlab.core.model.amounts import amounts_of
from latlab.core.model.run import Run
from latlab.core.report.comparison.comparison_tables import row_tables
from latlab.core.report.page import Section
from latlab.core.shown import significant


def headline(comparison: AmountComparison) -> tuple[str, ...]:
    a, b = comparison.repetitions
    return f"{a} and {b} values or more of each quantity", f"{significant(comparison.limits.relative * 100)} %"


def results(comparison: AmountComparison) -> Section:
    return Section("Results", tuple(table for _, table in row_tables(comparison)))


def data(comparison: AmountComparison) -> dict[str, Any]:
    return {"boots": list(comparison.repetitions)}


def extent(run: Run) -> str:
    """The number of quantities and of their values; empty without any."""
    amounts = amounts_of(run)
    values = sum(len(amount.values) for amount in amounts)
    return f"{len(amounts):,} quantities, {values:,} values" if amounts else ""
