# SPDX-License-Identifier: BSD-3-Clause
"""Whether no stretch of masked interrupts is longer than a limit."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.core.model.run import MaskedAtlas, MaskedStretches

PASS, FAIL, CANNOT_TELL = 0, 1, 3
MOST_LINES = 10


def judge_masked(run: str, atlas: MaskedAtlas | None, most_insns: int, problems: Sequence[str] = ()) -> tuple[int, tuple[str, ...]]:
    """The exit code and what to print. The start of a core, before it first took an interrupt, is not judged.

    A stretch that is too long fails whatever else is the case. What is not known or had not ended passes nothing, nor does a run that is
    partial."""
    if atlas is None:
        return CANNOT_TELL, (f"{run} has no data of masked interrupts; run it with `latlab watch --masked`",)
    judged = [row for row in atlas.stretches if not row.from_start]
    never = dict.fromkeys(row.line for row in atlas.stretches if row.from_start and row.to_end)
    too_long = [row for row in judged if row.longest > most_insns]
    sure = [row for row in too_long if row.is_masked and not row.to_end]
    if sure:
        return FAIL, (f"fail: interrupts were masked for more than {most_insns:,} instructions", *_lines(sure))
    if too_long:
        return CANNOT_TELL, ("inconclusive: not known to be masked, or masked until the machine ended", *_lines(too_long))
    if problems:
        return CANNOT_TELL, (f"inconclusive: {run} is partial: {problems[0]}",)
    if not judged and never:
        return CANNOT_TELL, (f"inconclusive: interrupts were masked from the start of {run} to its end",)
    longest = judged[0].longest if judged else 0
    sentence = f"pass: no interrupts were masked for more than {most_insns:,} instructions, the most are {longest:,}"
    return PASS, (sentence, *(f"  not judged: {line}, which a core masked from its start to the end of the run" for line in never))


def _lines(rows: Sequence[MaskedStretches]) -> list[str]:
    lines = [f"  {row.longest:,} instructions ({row.line}): {stretch_text(row)}" for row in rows[:MOST_LINES]]
    more = len(rows) - MOST_LINES
    return [*lines, f"  and {more} more"] if more > 0 else lines


def stretch_text(row: MaskedStretches) -> str:
    """Where such a stretch began and ended."""
    caller = f", called from {row.caller}" if row.caller else ""
    begin = "the core's start" if row.from_start else f"{row.begin}{caller}"
    return f"{row.world}, {begin}, to {'the end of the run' if row.to_end else row.end}"
