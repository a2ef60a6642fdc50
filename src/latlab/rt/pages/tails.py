# SPDX-License-Identifier: BSD-3-Clause
"""Estimates of worst cases: the level with its interval, or the diagnostic that forbids one."""

from __future__ import annotations

from latlab.core.comparison.tail import Tail
from latlab.core.comparison.wording import amount, count
from latlab.core.report.page import Block, Caution, Page, Section
from latlab.core.report.table import Table, figures, prose, words
from latlab.core.report.text import Style, Styled, strong


def screen(estimates: tuple[Tail, ...], unit: str, caveat: str) -> Page:
    """A table for each test and metric; below an estimate stand the diagnostics that allow it."""
    tests = dict.fromkeys((tail.test, tail.metric) for tail in estimates)
    caution: tuple[Block, ...] = (Caution("", caveat),) if caveat else ()
    tables = (_table([tail for tail in estimates if (tail.test, tail.metric) == key], unit) for key in tests)
    return Page("", sections=(Section("", (*caution, *tables)),), answer=_answer(estimates, unit))


def _answer(estimates: tuple[Tail, ...], unit: str) -> str:
    """The highest level of those that may be estimated."""
    levels = [(tail.level, tail) for tail in estimates if tail.level is not None]
    if not levels:
        return "No core allows an estimate; the table has the reason for each core."
    level, most = max(levels, key=lambda pair: pair[0])
    where = f"{most.test} {most.metric}, core {most.core}"
    remainder = f"; {len(estimates) - len(levels)} of {count(len(estimates), 'core')} allow none" if len(levels) < len(estimates) else ""
    return (
        f"Once in {most.once_in:,.0f} samples {amount(level, unit)} "
        f"is exceeded "
        f"({where}; 95 "
        f"% interval "
        f"{_interval(most, unit)}){remainder}."
    )


def _table(estimates: list[Tail], unit: str) -> Table:
    rows = tuple(
        (
            str(tail.core),
            tail.samples,
            amount(tail.largest, unit),
            strong(amount(tail.level, unit)) if tail.level is not None else Styled("no estimate", Style.DOUBT),
            _interval(tail, unit),
            tail.refusal or "; ".join((*_sight(tail, unit), *(check.text for check in tail.diagnostics))),
        )
        for tail in estimates
    )
    once = f"Once in {estimates[0].once_in:,.0f} samples"
    columns = (*words("Core"), *figures("Samples", "Largest", once, "95 % interval"), prose("Why"))
    return Table(f"{estimates[0].test} {estimates[0].metric}", columns, rows)


def _interval(tail: Tail, unit: str) -> str:
    if tail.low is None:
        return ""
    return f"{amount(tail.low, unit)} or more" if tail.high is None else f"{amount(tail.low, unit)} to {amount(tail.high, unit)}"


def _sight(tail: Tail, unit: str) -> tuple[str, ...]:
    """What a mode that never came would make of the estimate."""
    if tail.high_without_mode is None or tail.high is not None:
        return ()
    return (
        f"the run cannot detect a mode rarer than once in {tail.detection_limit:,.0f}, so the interval has no upper end. "
        f"Without such a mode it ends at {amount(tail.high_without_mode, unit)}",
    )
