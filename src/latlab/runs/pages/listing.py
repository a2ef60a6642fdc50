# SPDX-License-Identifier: BSD-3-Clause
"""The list of runs as text: one line for each, however many there are, so it is set without a table's layout."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.core.kinds.registry import is_sampled
from latlab.core.model.enums import Clock
from latlab.core.model.life import Head
from latlab.core.report.renderers import csv
from latlab.core.report.titles import SIMULATED
from latlab.core.shown import shown

GAP = "  "
COLUMNS = ("Run", "Started (UTC)", "Status", "Samples", "Target", "Topology", "Clock", "Label", "Platform", "Firmware")
LEAVE_OUT_FIRST = ("Firmware", "Topology", "Clock", "Platform", "Target", "Label", "Samples")
WIDEST = 80
"""A longer cell is cut, except the id. CSV and JSON have it whole."""
CSV_COLUMNS = ("id", "started_utc", "target", "platform", "topology", "clock", "status", "samples", "firmware", "campaign", "label")


def list_lines(heads: Sequence[Head], width: int | None = None) -> tuple[list[str], tuple[str, ...]]:
    """The heading and a line for each run, and which columns were left out to fit `width`; None is as wide as it takes. A line that is
    still too wide is not cut: no id is lost."""
    rows = [COLUMNS, *map(_cells, heads)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    columns = [number for number, name in enumerate(COLUMNS) if name != "Label" or any(head.label for head in heads)]
    left_out = []
    for name in LEAVE_OUT_FIRST:
        number = COLUMNS.index(name)
        if width is None or sum(widths[n] + len(GAP) for n in columns) - len(GAP) <= width:
            break
        if number in columns:
            columns.remove(number)
            left_out.append(name)
    line = GAP.join(f"{{{n}:{widths[n]}}}" for n in columns)
    return [line.format(*row).rstrip() for row in rows], tuple(left_out)


def list_csv(heads: Sequence[Head]) -> str:
    return csv.lines(CSV_COLUMNS, [tuple(getattr(head, name) for name in CSV_COLUMNS) for head in heads])


def _cells(head: Head) -> tuple[str, ...]:
    """A run that keeps raw files has no count of samples."""
    samples = str(head.samples) if is_sampled(head.kind) else "-"
    started = head.started_utc[:16].replace("T", " ")
    platform = f"{head.platform}, {SIMULATED}" if head.clock == Clock.VIRTUAL else head.platform
    cells = (head.id, started, head.status, samples, head.target, head.topology, head.clock, head.label, platform, head.firmware)
    return (shown(head.id), *(_cut(shown(cell)) for cell in cells[1:]))


def _cut(cell: str) -> str:
    return cell if len(cell) <= WIDEST else f"{cell[: WIDEST - 1]}…"
