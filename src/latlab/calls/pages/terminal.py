# SPDX-License-Identifier: BSD-3-Clause
"""What a watch saw, for the terminal and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.console import Console

from latlab.calls.analysis.calls import EntryKind
from latlab.calls.analysis.standing import Standing
from latlab.calls.analysis.tally import TallyRow
from latlab.calls.analysis.waits import InterruptWait
from latlab.calls.model.crossings import Arch, world_name
from latlab.calls.pages.watch_tables import boot_table, errors_said, masked_table, standing_table, waits_table
from latlab.core.report.renderers.terminal import print_table
from latlab.core.report.table import Align, Column, Table, figures, words
from latlab.core.shown import significant

if TYPE_CHECKING:
    from latlab.calls.campaign.watching import WatchResult

FUNCTIONS_SHOWN = 5
FIGURES = ("Calls", "Min", "Median", "Max")
MEASURE = "instructions from the call to the return, executed by the core that called"


def print_watched(console: Console, watched: WatchResult) -> None:
    """The call that takes most, the calls, then what else was seen."""
    arch = watched.header.arch
    if sentence := _answer(watched):
        _say(console, sentence, "bold")
        console.print()
    print_table(console, calls_table(watched))
    for key in (row.key for row in watched.rows if row.key in watched.functions):
        functions = watched.functions[key]
        total = functions.total()
        most = ", ".join(f"{name} {count * 100 / total:.0f} %" for name, count in functions.most_common(FUNCTIONS_SHOWN))
        _say(console, f"{key.name} from {world_name(arch, key.caller)}: {most}", "")
    total = watched.crossings.total()
    ways = ", ".join(
        f"{world_name(arch, left_world)} to {world_name(arch, entered)} {count}"
        for (left_world, entered), count in watched.crossings.most_common()
    )
    _say(console, f"{total} world switches: {ways}", "")
    if watched.unreturned:
        _say(console, f"Calls that did not return: {'; '.join(watched.unreturned)}", "")
    if watched.standings:
        print_table(console, standing_table(watched.standings))
    boot = boot_table(watched.stages.samples, watched.stages.functions) if watched.stages else None
    if boot:
        print_table(console, boot)
    if watched.waits:
        print_table(console, waits_table(watched.waits))
    if watched.masked:
        print_table(console, masked_table(watched.masked))
    if watched.proof and watched.proof.holds:
        _say(console, f"Proved: {watched.proof.compared:,} world switches, sleeps and wakes have the same counts in a second probe, "
             "that counts each instruction by itself", "")  # fmt: skip
    for problem in watched.problems:
        _say(console, f"problem {problem.message}", "yellow")


def _say(console: Console, text: str, style: str) -> None:
    """A sentence: broken between words on a terminal, in one line elsewhere."""
    console.print(text, style=style, highlight=False, markup=False, soft_wrap=not console.is_terminal)


def watched_json(watched: WatchResult) -> str:
    arch = watched.header.arch
    data = {
        "run": watched.run_id,
        "status": watched.status.value,
        "unit": "instructions",
        "calls": [
            {
                "caller": world_name(arch, row.key.caller),
                "kind": row.key.kind.value,
                "call": row.key.name,
                "inside_another": row.key.is_inner,
                "count": row.count,
                "min": row.minimum,
                "median": row.median,
                "max": row.maximum,
                "slept": row.slept,
                "failed": dict(row.errors),
                "median_by_world": {world_name(arch, world): value for world, value in row.parts},
                "functions": dict(watched.functions.get(row.key, {})),
            }
            for row in watched.rows
        ],
        "crossings": [
            {"from": world_name(arch, left_world), "to": world_name(arch, entered), "count": count}
            for (left_world, entered), count in watched.crossings.most_common()
        ],
        "boot": {sample.test: sample.value_ticks for sample in watched.stages.samples} if watched.stages else None,
        "waits": [_wait(wait) for wait in watched.waits],
        "masked": [asdict(row) for row in watched.masked.stretches] if watched.masked else None,
        "not_returned": list(watched.unreturned),
        "stood": [_stood(standing) for standing in watched.standings],
        "problems": [problem.message for problem in watched.problems],
        "proved_changes": watched.proof.compared if watched.proof and watched.proof.holds else None,
    }
    return json.dumps(data, indent=2) + "\n"


def _stood(standing: Standing) -> dict[str, object]:
    return {
        "core": str(standing.core),
        "world": standing.world,
        "state": standing.doing.value,
        "wait": standing.wait or None,
        "functions": list(standing.functions),
        "place": standing.place or None,
        "address": standing.address,
        "instructions": standing.instructions,
        "asleep": standing.asleep,
        "turn": standing.turn,
        "times": standing.times,
        "call": standing.call or None,
        "caller": standing.caller or None,
    }


def _wait(wait: InterruptWait) -> dict[str, object]:
    longest = wait.longest
    return {
        "call": longest.call,
        "instructions": wait.instructions,
        "interrupts": longest.shots,
        "step": longest.step,
        "late": longest.late,
        "longest": longest.longest,
        "due": longest.due,
        "interrupt_of": wait.taker.value,
        "at_once": wait.at_once,
        "longest_call": longest.took,
        "longest_by_world": {world_name(Arch.AARCH64, world): count for world, count in longest.worlds},
        "longest_by_function": dict(wait.functions),
    }


def _worlds(watched: WatchResult) -> list[int]:
    """The worlds that calls ran in, the highest first."""
    return sorted({world for row in watched.rows for world, _ in row.parts}, reverse=True)


def _answer(watched: WatchResult) -> str:
    outer = [row for row in watched.rows if not row.key.is_inner]
    total = sum(row.total for row in outer)
    if not total:
        return ""
    most = max(outer, key=lambda row: row.total)
    share = f"{100 * most.total / total:.1f} % of all instructions that calls took"
    caller = world_name(watched.header.arch, most.key.caller)
    return f"{most.key.name} from {caller} takes most: {share} ({most.count:,} calls, median {significant(most.median, 10, grouped=True)})."


def calls_table(watched: WatchResult) -> Table:
    """A row for each kind of call, the most instructions first."""
    arch, worlds = watched.header.arch, _worlds(watched)
    in_worlds = (Column(f"in {world_name(arch, world)}") for world in worlds)
    columns = (*words("Call"), *words("From"), *figures(*FIGURES), *in_worlds, *figures("Slept"), Column("Failed", Align.LEFT, wraps=True))
    rows = tuple(_cells(arch, row, worlds) for row in watched.rows)
    return Table(f"{watched.run_id}: {MEASURE}", columns, rows)


def _cells(arch: Arch, row: TallyRow, worlds: list[int]) -> tuple[str, ...]:
    parts = dict(row.parts)
    name = f"  {row.key.name}" if row.key.is_inner else row.key.name
    inside = (f"{significant(parts[world], 10, grouped=True)}" if world in parts else "" for world in worlds)
    slept = f"{row.slept:,}" if row.slept else ""
    counts = (f"{row.count:,}", f"{row.minimum:,}", f"{significant(row.median, 10, grouped=True)}", f"{row.maximum:,}")
    yields = ", yielding" if row.key.kind is EntryKind.YIELDING else ""
    return (name, f"{world_name(arch, row.key.caller)}{yields}", *counts, *inside, slept, errors_said(row.errors))
