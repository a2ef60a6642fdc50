# SPDX-License-Identifier: BSD-3-Clause
"""How long calls keep an interrupt of the normal world waiting, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.analysis.crossings.waits import Wait, most_words, passed_words
from latlab.report.table import Align, Column, Table, figures, words

NOTE = (
    "Waits in instructions, more than at idle. So many interrupts were sent into a call of this length, one due at each of its "
    "instructions or at every so-many-th, and before and behind it. Of the longest wait: how far into the call it was due, in which worlds "
    "it passed, and in which functions most of it, as told of the same wait once more."
)


def waits_table(waits: Sequence[Wait]) -> Table:
    columns = (
        *words("Call"),
        *figures("Length", "Sent", "Every", "Late", "Longest", "Due"),
        *(Column(name, Align.LEFT, wraps=True) for name in ("Where it passed", "Most in")),
    )
    return Table("Interrupts of the normal world that had to wait", columns, tuple(_row(wait) for wait in waits), (NOTE,))


def _row(wait: Wait) -> tuple[str, ...]:
    one = wait.found
    counts = (wait.instructions, one.shots, one.step, one.late, one.longest)
    due = "" if one.due is None else f"{one.due:,}"
    return (one.call, *(f"{count:,}" for count in counts), due, passed_words(wait), most_words(wait))
