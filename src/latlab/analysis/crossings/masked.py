# SPDX-License-Identifier: BSD-3-Clause
"""Where interrupts were masked: the probe's sums by function, the longest stretch first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from latlab.analysis.base.call_trees import ROOT, Tree
from latlab.model.crossings import Arch, Mask, Masked, world_name
from latlab.model.run import Frame, MaskedStretches
from latlab.model.symbols import Image, called_behind

LINES = {Arch.AARCH64: ("IRQ", "FIQ"), Arch.ARMV8M: ("all", "low priority"), Arch.RISCV: ("of M", "of S")}
BOTH = {Arch.AARCH64: "IRQ and FIQ", Arch.ARMV8M: "all", Arch.RISCV: "of M and S"}
UNTOLD = "(unknown caller)"


def atlas_of(found: Iterable[Masked], arch: Arch, images: Sequence[Image]) -> tuple[MaskedStretches, ...]:
    """Stretches with names, the longest first. Two lines that were masked alike throughout are one."""
    by_line: dict[int, list[Masked]] = {}
    for one in found:
        by_line.setdefault(one.line, []).append(one)
    if _are_alike(by_line):
        by_line = {-1: by_line[0]}
    rows = [_row(one, BOTH[arch] if line < 0 else LINES[arch][line], arch, images) for line, each in by_line.items() for one in each]
    return tuple(sorted(_summed(rows), key=lambda row: (-row.longest, row.line, row.begin, row.end, row.caller)))


def _are_alike(by_line: dict[int, list[Masked]]) -> bool:
    first, second = ({replace(one, line=0) for one in by_line.get(line, ())} for line in (0, 1))
    return bool(first) and first == second


def _row(one: Masked, line: str, arch: Arch, images: Sequence[Image]) -> MaskedStretches:
    begin = _function(one.begin, images)
    return MaskedStretches(
        line,
        one.mask is Mask.MASKED,
        begin,
        _caller(one.link, begin, images),
        _function(one.end, images) if not one.to_end else "",
        world_name(arch, one.begin_world),
        one.from_start,
        one.to_end,
        one.count,
        one.instructions,
        one.longest,
        tuple((world_name(arch, world), total, longest) for world, total, longest in one.worlds),
        tuple(_opened_for(one, arch, images)),
    )


def _opened_for(one: Masked, arch: Arch, images: Sequence[Image]) -> Iterator[str]:
    """The functions around the end of the longest, from the inner to the outer. A return into a function itself says nothing.

    On M-profile all but the first were found on the stack, where old ones lie as well: they count as far as each called the one before."""
    last = _function(one.end, images)
    for number, address in enumerate(one.trail):
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
    found: dict[tuple[object, ...], MaskedStretches] = {}
    for row in rows:
        key = (row.line, row.is_masked, row.begin, row.caller, row.end, row.world, row.from_start, row.to_end)
        found[key] = _added(found[key], row) if key in found else row
    yield from found.values()


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
