# SPDX-License-Identifier: BSD-3-Clause
"""Estimates of worst cases: the level with its interval, or the diagnostic that forbids one."""

from __future__ import annotations

from latlab.analysis.base.wording import amount, count
from latlab.analysis.wakeups.tail import Tail
from latlab.report.page import Block, Caution, Page, Section
from latlab.report.table import Table, figures, prose, words
from latlab.report.text import Style, Styled, strong


def screen(found: tuple[Tail, ...], unit: str, caveat: str) -> Page:
    """A table for each test and metric; below an estimate stand the diagnostics that allow it."""
    tests = dict.fromkeys((one.test, one.metric) for one in found)
    caution: tuple[Block, ...] = (Caution("", caveat),) if caveat else ()
    tables = (_table([one for one in found if (one.test, one.metric) == key], unit) for key in tests)
    return Page("", sections=(Section("", (*caution, *tables)),), answer=_answer(found, unit))


def _answer(found: tuple[Tail, ...], unit: str) -> str:
    """The highest level of those that may be estimated."""
    told = [(one.level, one) for one in found if one.level is not None]
    if not told:
        return "No core allows an estimate; the table has the reason for each core."
    level, most = max(told, key=lambda pair: pair[0])
    where = f"{most.test} {most.metric}, core {most.core}"
    rest = f"; {len(found) - len(told)} of {count(len(found), 'core')} allow none" if len(told) < len(found) else ""
    return f"Once in {most.once_in:,.0f} samples {amount(level, unit)} is exceeded ({where}; 95 % interval {_interval(most, unit)}){rest}."


def _table(found: list[Tail], unit: str) -> Table:
    rows = tuple(
        (
            str(one.core),
            one.samples,
            amount(one.largest, unit),
            strong(amount(one.level, unit)) if one.level is not None else Styled("no estimate", Style.DOUBT),
            _interval(one, unit),
            one.refusal or "; ".join((*_sight(one, unit), *(check.said for check in one.diagnostics))),
        )
        for one in found
    )
    once = f"Once in {found[0].once_in:,.0f} samples"
    columns = (*words("Core"), *figures("Samples", "Largest", once, "95 % interval"), prose("Why"))
    return Table(f"{found[0].test} {found[0].metric}", columns, rows)


def _interval(one: Tail, unit: str) -> str:
    if one.low is None:
        return ""
    return f"{amount(one.low, unit)} or more" if one.high is None else f"{amount(one.low, unit)} to {amount(one.high, unit)}"


def _sight(one: Tail, unit: str) -> tuple[str, ...]:
    """What a mode that never came would make of the estimate."""
    if one.high_without_mode is None or one.high is not None:
        return ()
    return (
        f"the run cannot detect a mode rarer than once in {one.sight:,.0f}, so the interval has no upper end. "
        f"Without such a mode it ends at {amount(one.high_without_mode, unit)}",
    )
