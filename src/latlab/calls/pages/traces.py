# SPDX-License-Identifier: BSD-3-Clause
"""What a trace of another source has, for the terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from latlab.calls.analysis.calls import EntryKind
from latlab.calls.analysis.extent import REASONS
from latlab.calls.analysis.tally import TallyRow
from latlab.calls.model.calls import TRACED_PART, WHOLE_TRACE
from latlab.calls.model.crossings import NO_WORLD, Arch, world_name
from latlab.calls.pages.watch_tables import errors_said
from latlab.core.model.run import SpanFunctions
from latlab.core.report.renderers.terminal import print_table
from latlab.core.report.table import Table, figures, words
from latlab.core.shown import significant

if TYPE_CHECKING:
    from latlab.calls.campaign.traces import TraceRead

FUNCTIONS_SHOWN = 5


def print_trace(console: Console, read: TraceRead) -> None:
    arch, source = read.header.arch, read.source
    for sentence in _lead(read):
        _print(console, sentence, "bold")
    print_table(console, worlds_table(read))
    if read.rows:
        print_table(console, calls_table(arch, read.rows, "Calls in instructions", "of the core that called, from the call to the return"))
    if read.time_rows and not read.is_a_count:
        print_table(
            console,
            calls_table(arch, read.time_rows, f"Calls in {source.unit}", "of the trace's clock, without the sleep of a core that was down"),
        )
    for key in (row.key for row in read.rows if row.key in read.functions):
        _print(console, f"{key.name} from {world_name(arch, key.caller)}: {_most(read.functions[key])}", "")
    for name, functions in read.time_functions.items() if not read.is_a_count else ():
        _print(console, f"{name} in {source.unit}: {_most(functions)}", "")
    for span in read.whole:
        shares = {share.name: share.instructions for share in span.functions}
        _print(console, f"{span.test}, core {span.core}: {_most(shares)}", "")
    if read.gaps:
        print_table(console, gaps_table(read))
    for note in read.notes:
        _print(console, f"note: {note}", "")
    if read.unreturned:
        _print(console, f"Calls that did not return: {'; '.join(read.unreturned)}", "")
    for problem in read.problems:
        place = f"line {problem.line}: " if problem.line else ""
        _print(console, f"problem {place}{problem.message}", "yellow")


def _lead(read: TraceRead) -> Iterator[str]:
    cores = ", ".join(name or "unnamed" for name in read.summary.cores)
    unit = read.summary.place_unit
    size = sum(trace.lines if unit == "line" else trace.bytes for trace in read.summary.inputs)
    counted = f"{read.summary.instructions:,} instructions in {size:,} {unit}s"
    yield f"{read.source.name}: {counted}, cores: {cores}; {read.extent.switches:,} world switches"
    if read.run_id:
        clock = f", {read.clock_run_id} in {read.source.unit} of its clock" if read.clock_run_id else ""
        yield f"kept as {read.run_id} in instructions{clock}"
    if read.source.unit and read.is_a_count:
        yield f"its clock ({read.source.unit}) counts instructions, so there is no second run by it"


def worlds_table(read: TraceRead) -> Table:
    """Instructions of each world, and ticks where they are known."""
    extent, unit = read.extent, read.source.unit
    has_ticks = bool(extent.ticks) and bool(unit)
    rows = tuple(
        (
            world_name(read.header.arch, world),
            f"{extent.instructions[world]:,}",
            *((f"{extent.ticks[world]:,}",) if has_ticks else ()),
        )
        for world in extent.worlds()
    )
    return Table("Worlds", (*words("World"), *figures("Instructions", *((f"Time ({unit})",) if has_ticks else ()))), rows)


def gaps_table(read: TraceRead) -> Table:
    rows = tuple(
        (
            world_name(read.header.arch, world) if world != NO_WORLD else "unknown",
            REASONS[kind],
            f"{gap.count:,}",
            "unknown" if gap.missing is None else f"{gap.missing:,}",
            "unknown" if gap.ticks is None else f"{gap.ticks:,}",
            f"{gap.place:,}" if gap.place else "",
        )
        for (world, kind), gap in read.extent.gaps.items()
    )
    columns = (
        *words("Behind", "Why"),
        *figures("n", "Instructions", f"Time ({read.source.unit or 'none'})", f"First {read.summary.place_unit}"),
    )
    return Table("Missing data", columns, rows, ("No figure spans missing data: a call with it inside is left out.",))


def calls_table(arch: Arch, rows: Sequence[TallyRow], title: str, note: str) -> Table:
    worlds = sorted({world for row in rows for world, _ in row.parts}, reverse=True)
    columns = (
        *words("From", "Call"),
        *figures("Calls", "Min", "Median", "Max", *(f"in {world_name(arch, world)}" for world in worlds), "Slept"),
        *words("Failed"),
    )
    return Table(title, columns, tuple(_cells(arch, row, worlds) for row in rows), (f"{title}, {note}.",))


def _cells(arch: Arch, row: TallyRow, worlds: Sequence[int]) -> tuple[str, ...]:
    parts = dict(row.parts)
    yields = ", yielding" if row.key.kind is EntryKind.YIELDING else ""
    return (
        f"{world_name(arch, row.key.caller)}{yields}",
        f"  {row.key.name}" if row.key.is_inner else row.key.name,
        *(f"{row.count:,}", f"{row.minimum:,}", f"{significant(row.median, grouped=True)}", f"{row.maximum:,}"),
        *(f"{significant(parts[world], grouped=True)}" if world in parts else "" for world in worlds),
        str(row.slept) if row.slept else "",
        errors_said(row.errors),
    )


def _most(functions: dict[str, int]) -> str:
    total = sum(functions.values()) or 1
    most = sorted(functions.items(), key=lambda pair: -pair[1])[:FUNCTIONS_SHOWN]
    return ", ".join(f"{name} {count * 100 / total:.0f} %" for name, count in most)


def _print(console: Console, text: str, style: str) -> None:
    console.print(text, style=style, highlight=False, markup=False, soft_wrap=not console.is_terminal)


def trace_json(read: TraceRead) -> str:
    arch, extent = read.header.arch, read.extent
    data = {
        "run": read.run_id,
        "run_by_clock": read.clock_run_id or None,
        "status": read.status.value,
        "source": read.source.name,
        "unit_of_clock": read.source.unit or None,
        "cores": list(read.summary.cores),
        "instructions": read.summary.instructions,
        "instructions_by_world": {world_name(arch, world): extent.instructions[world] for world in extent.worlds()},
        "time_by_world": {world_name(arch, world): extent.ticks[world] for world in extent.worlds()} if extent.ticks else None,
        "calls": [_call(arch, row) for row in read.rows],
        "calls_by_clock": [_call(arch, row) for row in read.time_rows],
        "functions": {key.name: dict(functions) for key, functions in read.functions.items()},
        "functions_by_clock": {name: dict(functions) for name, functions in read.time_functions.items()},
        "whole": _by_core(read.whole, WHOLE_TRACE),
        "traced": _by_core(read.whole, TRACED_PART),
        "gaps": [
            {
                "behind": world_name(arch, world) if world != NO_WORLD else None,
                "kind": kind.name.lower(),
                "count": gap.count,
                "instructions": gap.missing,
                "time": gap.ticks,
                read.summary.place_unit: gap.place,
            }
            for (world, kind), gap in extent.gaps.items()
        ],
        "notes": list(read.notes),
        "not_returned": list(read.unreturned),
        "problems": [problem.message for problem in read.problems],
    }
    return json.dumps(data, indent=2) + "\n"


def _by_core(spans: Sequence[SpanFunctions], name: str) -> dict[str, dict[str, int]]:
    return {str(span.core): {share.name: share.instructions for share in span.functions} for span in spans if span.test == name}


def _call(arch: Arch, row: TallyRow) -> dict[str, object]:
    return {
        "caller": world_name(arch, row.key.caller),
        "call": row.key.name,
        "inside_another": row.key.is_inner,
        "count": row.count,
        "min": row.minimum,
        "median": row.median,
        "max": row.maximum,
        "slept": row.slept,
        "failed": dict(row.errors),
        "median_by_world": {world_name(arch, world): value for world, value in row.parts},
    }
