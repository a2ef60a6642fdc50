# SPDX-License-Identifier: BSD-3-Clause
"""Tail estimates for the terminal: the level with its interval, or the diagnostic that forbids one."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from latlab.analysis.base.wording import MODES, amount
from latlab.analysis.wakeups.tail import Tail
from latlab.model.conditions import Mode


def print_tails(console: Console, tails: tuple[Tail, ...], unit: str, caveat: Mode | None) -> None:
    if caveat:
        _line(console, f"[yellow]{escape(MODES[caveat])}[/yellow]")
    for one in tails:
        where = f"{one.test} {one.metric} of {one.core}, {one.samples} samples, largest {amount(one.largest, unit)}"
        if one.level is None or one.low is None or one.high is None:
            _line(console, f"{escape(where)}: [yellow]no estimate[/yellow] ({escape(one.refusal)})")
            continue
        bounds = f"{amount(one.low, unit)} to {amount(one.high, unit)}"
        _line(console, f"{escape(where)}: [bold]{amount(one.level, unit)}[/bold] once in {one.once_in:,.0f} samples (95 %: {bounds})")
        for check in one.diagnostics:
            _line(console, f"    [dim]{escape(check.name)}: {escape(check.figure)}[/dim]")


def _line(console: Console, text: str) -> None:
    console.print(text, soft_wrap=not console.is_terminal, highlight=False)
