# SPDX-License-Identifier: BSD-3-Clause
"""Where interrupts were masked: the probe's sums by function, the longest stretch first, and whether none is longer than a limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from latlab.calls.model.crossings import Arch, Mask, Masked, world_name
from latlab.core.comparison.call_trees import ROOT, Tree
from latlab.core.model.run import Frame, MaskedAtlas, MaskedStretches
from latlab.core.model.symbols import Image, called_behind

LINES = {Arch.AARCH64: ("IRQ", "FIQ"), Arch.ARMV8M: ("all", "low priority"), Arch.RISCV: ("of M", "of S")}
BOTH = {Arch.AARCH64: "IRQ and FIQ", Arch.ARMV8M: "all", Arch.RISCV: "of M and S"}
UNTOLD = "(unknown caller)"

PASS, FAIL, CANNOT_TELL = 0, 1, 3
MOST_LINES = 10


def atlas_of(stretches: Iterable[Masked], arch: Arch, images: Sequence[Image]) -> tuple[MaskedStretches, ...]:
    """Stretches with names, the longest first. Two lines that were masked alike throughout are one."""
    by_line: dict[int, list[Masked]] = {}
    for masked in stretches:
        by_line.setdefault(masked.line, []).append(masked)
    if _are_alike(by_line):
        by_line = {-1: by_line[0]}
    rows = [
        _row(stretch, BOTH[arch] if line < 0 else LINES[arch][line], arch, images)
        for line, of_line in by_line.items()
        for stretch in of_line
    ]
    return tuple(sorted(_summed(rows), key=lambda row: (-row.longest, row.line, row.begin, row.end, row.caller)))


def _are_alike(by_line: dict[int, list[Masked]]) -> bool:
    first, second = ({replace(masked, line=0) for masked in by_line.get(line, ())} for line in (0, 1))
    return bool(first) and first == second


def _row(masked: Masked, line: str, arch: Arch, images: Sequence[Image]) -> MaskedStretches:
    begin = _function(masked.begin, images)
    return MaskedStretches(
        line,
        masked.mask is Mask.MASKED,
        begin,
        _caller(masked.link, begin, images),
        _function(masked.end, images) if not masked.to_end else "",
        world_name(arch, masked.begin_world),
        masked.from_start,
        masked.to_end,
        masked.count,
        masked.instructions,
        masked.longest,
        tuple((world_name(arch, world), total, longest) for world, total, longest in masked.worlds),
        tuple(_opened_for(masked, arch, images)),
    )


def _opened_for(masked: Masked, arch: Arch, images: Sequence[Image]) -> Iterator[str]:
    """The functions around the end of the longest, from the inner to the outer. A return into a function itself says nothing.

    On M-profile all but the first were found on the stack, where old ones lie as well: they count as far as each called the one before."""
    last = _function(masked.end, images)
    for number, address in enumerate(masked.trail):
        if arch is Arch.ARMV8M and number and called_behind(address, images) != last:
            return
        name = next((name for image in images if address and (name := image.function(address - 1))), last)
        if name != last:
            yield name
        last = name


def _function(address: int, images: Sequence[Image]) -> str:
    return next((name for image in images if (name := image.function(address))), f"{address:#x}")


def _caller(link: int, begin: str, images: Sequence[Image]) -> str:
    """The function that the link register returns to, if that is another one: inside of a function that called others it says nothing."""
    if not link:
        return ""
    name = next((name for image in images if (name := image.function(link - 1))), "")
    if not images:
        return f"{link:#x}"
    return "" if name == begin else name


def _summed(rows: Iterable[MaskedStretches]) -> Iterator[MaskedStretches]:
    """Rows of the same functions are one, however many places in them there are."""
    sums: dict[tuple[object, ...], MaskedStretches] = {}
    for row in rows:
        key = (row.line, row.is_masked, row.begin, row.caller, row.end, row.world, row.from_start, row.to_end)
        sums[key] = _added(sums[key], row) if key in sums else row
    yield from sums.values()


def _added(a: MaskedStretches, b: MaskedStretches) -> MaskedStretches:
    longer = b if b.longest > a.longest else a
    longest = {world: part for world, _, part in longer.worlds}
    totals = {world: total for world, total, _ in a.worlds}
    for world, total, _ in b.worlds:
        totals[world] = totals.get(world, 0) + total
    worlds = tuple((world, total, longest.get(world, 0)) for world, total in totals.items())
    return replace(longer, count=a.count + b.count, instructions=a.instructions + b.instructions, worlds=worlds)


def frames_of_masked(rows: Iterable[MaskedStretches], line: str) -> tuple[Frame, ...]:
    """A tree of one line: the world where interrupts were masked, the caller, the function that masked them."""
    tree = Tree()
    for row in rows:
        if row.line == line and row.is_masked and not row.from_start:
            node = tree.child(tree.child(tree.child(ROOT, row.world), row.caller or UNTOLD), row.begin)
            tree.own[node] += row.instructions
            tree.calls[node] += row.count
    return tuple(tree.frames())


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
