# SPDX-License-Identifier: BSD-3-Clause
"""Where interrupts were masked, as a table and as flame graphs."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.calls.analysis.masked import frames_of_masked
from latlab.core.model.run import MaskedAtlas, MaskedStretches
from latlab.core.report.flame import OWN_KEY, OWN_SENTENCE, flame
from latlab.core.report.page import Block, Paragraph, Section
from latlab.core.report.table import Align, Column, Table, figures, words

ROWS_SHOWN = 20
NOTE = (
    "Stretches that began and ended in the same functions are one row. The worlds and the caller are those of the longest one. A world "
    "entered during it, such as EL3, has its own part."
)


def masked_table(atlas: MaskedAtlas, most: int = ROWS_SHOWN) -> Table:
    rows = tuple(
        (f"{row.longest:,}", f"{row.count:,}", f"{row.instructions:,}", row.line, _where(row), _began(row), _ended(row))
        for row in atlas.stretches[:most]
    )
    shorter = len(atlas.stretches) - most
    notes = (NOTE, f"{shorter:,} shorter rows are not shown.") if shorter > 0 else (NOTE,)
    columns = (
        *figures("Longest", "Times", "All together"),
        *words("Masked"),
        *(Column(name, Align.LEFT, wraps=True) for name in ("Where it ran", "From", "To")),
    )
    return Table("Interrupts masked, in instructions", columns, rows, notes)


def masked_section(atlas: MaskedAtlas) -> Section:
    return Section("Masked interrupts", tuple(_blocks(atlas)), anchor="masked")


def _blocks(atlas: MaskedAtlas) -> Iterator[Block]:
    if not atlas.stretches:
        yield Paragraph("No core masked its interrupts.")
        return
    yield masked_table(atlas)
    lines = [
        (line, frames) for line in dict.fromkeys(row.line for row in atlas.stretches) if (frames := frames_of_masked(atlas.stretches, line))
    ]
    if lines:
        yield Paragraph(f"By who masked them, without the start of each core: the world, the caller, the function. {OWN_SENTENCE}")
        yield OWN_KEY
    for number, (line, frames) in enumerate(lines):
        yield from flame(frames, 1, f"Interrupts masked: {line}", "all stretches", f"masked-{number}")


def _where(row: MaskedStretches) -> str:
    worlds = ", ".join(f"{world} {part:,}" if len(row.worlds) > 1 else world for world, _, part in row.worlds if part)
    return worlds if row.is_masked else f"{worlds}; not known whether masked"


def _ended(row: MaskedStretches) -> str:
    callers = f", called from {', '.join(row.opened_for)}" if row.opened_for else ""
    return f"{row.end}{callers}" if row.end else "the end of the run"


def _began(row: MaskedStretches) -> str:
    if row.from_start:
        return "the core's start"
    return f"{row.begin}, called from {row.caller}" if row.caller else row.begin
