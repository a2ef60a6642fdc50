# SPDX-License-Identifier: BSD-3-Clause
"""How long calls keep an interrupt of the normal world waiting, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.analysis.crossings.waits import TAKERS, Wait, most_words, passed_words
from latlab.model.enums import Taker
from latlab.report.table import Align, Column, Table, figures, words

OVER_IDLE = "Waits in instructions, more than at idle. "
NOTE = (
    f"{OVER_IDLE}So many interrupts were sent into a call of this length, one due at each of its "
    "instructions or at every so-many-th, and before and behind it. Of the longest wait: how far into the call it was due, in which worlds "
    "it passed, and in which functions most of it, as told of the same wait once more."
)
TAKEN = (
    "Instructions from when an interrupt was due to the first one of its handler: {at_once:,} where no call was under way; late is what "
    "took longer. Then the call as above took up to so many, until the core was back behind it."
)


def waits_table(waits: Sequence[Wait]) -> Table:
    taker = waits[0].taker
    is_taken = taker is not Taker.NORMAL
    columns = (
        *words("Call"),
        *figures("Length", "Sent", "Every", "Late", "Longest", "Due", *(("Then took",) if is_taken else ())),
        *(Column(name, Align.LEFT, wraps=True) for name in ("Where it passed", "Most in")),
    )
    notes = (NOTE.removeprefix(OVER_IDLE), TAKEN.format(at_once=waits[0].at_once)) if is_taken else (NOTE,)
    return Table(f"Interrupts of {TAKERS[taker]} that had to wait", columns, tuple(_row(wait) for wait in waits), notes)


def _row(wait: Wait) -> tuple[str, ...]:
    one = wait.found
    counts = (wait.instructions, one.shots, one.step, one.late, one.longest)
    due = "" if one.due is None else f"{one.due:,}"
    took = () if wait.taker is Taker.NORMAL else (f"{one.took:,}",)
    return (one.call, *(f"{count:,}" for count in counts), due, *took, passed_words(wait), most_words(wait))
