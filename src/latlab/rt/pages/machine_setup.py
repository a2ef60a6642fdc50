# SPDX-License-Identifier: BSD-3-Clause
"""The set-up of a machine as a table: what is fine, what disturbs and how it is changed, and whether it mattered in a run."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.core.report.page import Page, Section
from latlab.core.report.table import Align, Column, Table, Value
from latlab.core.report.text import Style, Styled, strong
from latlab.rt.analysis.setup_effects import SetupEffect
from latlab.rt.model.machine_setup import SetupCheck
from latlab.rt.pages.words import us

STATES = {True: Styled("ok", Style.GOOD), False: Styled("change", Style.BAD), None: Styled("-", Style.SOFT)}
NOT_SHOWN = "no record shows it"
IN_A_RUN = (
    "Whether a point matters is shown by a run with causes: `latlab run rt --target linux --causes`, then `latlab doctor rt --run last`."
)


def setup_page(subject: str, effects: Sequence[SetupEffect], is_of_run: bool) -> Page:
    """`subject` is the machine, or the run whose effects these are."""
    disturbing = sum(effect.check.is_fine is False for effect in effects)
    answer = f"{subject}: {disturbing} of {len(effects)} points of the set-up disturb real-time work."
    return Page("", sections=(Section("", (setup_table(effects, is_of_run),)),), answer=answer)


def setup_table(effects: Sequence[SetupEffect], is_of_run: bool) -> Table:
    columns = (Column("", Align.LEFT), Column("Set-up", Align.LEFT), Column("State, and what changes it", Align.LEFT, wraps=True))
    effect_columns = (Column("In this run", Align.LEFT, wraps=True),) if is_of_run else ()
    ordered = sorted(effects, key=lambda effect: effect.check.is_fine is not False)
    rows = tuple((*_row(effect.check), *((_effect(effect),) if is_of_run else ())) for effect in ordered)
    return Table("", (*columns, *effect_columns), rows, () if is_of_run else (IN_A_RUN,))


def _row(check: SetupCheck) -> tuple[Value, ...]:
    return (
        STATES[check.is_fine],
        strong(check.topic.value),
        "; ".join(filter(None, (check.finding or check.value, check.remedy, f"from {check.source}"))),
    )


def _effect(effect: SetupEffect) -> str:
    if effect.late is None:
        return NOT_SHOWN
    if not effect.late and not effect.ns:
        return "no part of a late wake-up"
    return f"cause of {effect.late} late wake-up{'s' * (effect.late != 1)}, parts of {us(effect.ns)} µs in all"
