# SPDX-License-Identifier: BSD-3-Clause
"""How long calls keep an interrupt of the normal world waiting, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.calls.analysis.waits import TAKERS, InterruptWait, most_words, passed_words
from latlab.core.model.enums import Taker
from latlab.core.report.table import Align, Column, Table, figures, words

OVER_IDLE = "Waits in instructions, more than at idle. "
NOTE = (
    f"{OVER_IDLE}Length: instructions of the call. Sent: interrupts, one due at each Every-th instruction, "
    "from before the call to after it. Due: instructions from the call to the interrupt of the longest wait. The worlds and functions are "
    "those in which that wait passed, from a repetition of it."
)
TAKEN = (
    "Instructions from the due time of an interrupt to the first one of its handler: {at_once:,} if no call was in progress. Late: took "
    "longer. Then took: the most instructions from there until the core was back behind the call."
)


def waits_table(waits: Sequence[InterruptWait]) -> Table:
    taker = waits[0].taker
    is_taken = taker is not Taker.NORMAL
    columns = (
        *words("Call"),
        *figures("Length", "Sent", "Every", "Late", "Longest", "Due", *(("Then took",) if is_taken else ())),
        *(Column(name, Align.LEFT, wraps=True) for name in ("Where it passed", "Most in")),
    )
    notes = (NOTE.removeprefix(OVER_IDLE), TAKEN.format(at_once=waits[0].at_once)) if is_taken else (NOTE,)
    return Table(f"Interrupts of {TAKERS[taker]} that had to wait", columns, tuple(_row(wait) for wait in waits), notes)


def _row(wait: InterruptWait) -> tuple[str, ...]:
    longest = wait.longest
    counts = (wait.instructions, longest.shots, longest.step, longest.late, longest.longest)
    due = "" if longest.due is None else f"{longest.due:,}"
    took = () if wait.taker is Taker.NORMAL else (f"{longest.took:,}",)
    return (longest.call, *(f"{count:,}" for count in counts), due, *took, passed_words(wait), most_words(wait))
