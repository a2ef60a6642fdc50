# SPDX-License-Identifier: BSD-3-Clause
"""Two counts of one machine held against each other: by blocks of code, and by each instruction."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from latlab.calls.model.crossings import Core, Crossing, Header, Record, Sleep, Wake
from latlab.core.model.run import Problem

Change = Crossing | Sleep | Wake


@dataclass(frozen=True, slots=True)
class Proof:
    """How many changes of world, sleeps and wakes were compared, one sentence for each core where a count is not the other, and one for
    each of which one stream says more. The latter means nothing of streams that were cut off."""

    compared: int
    differences: tuple[str, ...]
    behind: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        return not self.differences and not self.behind


@dataclass(slots=True)
class _Core:
    number: int
    compared: int = 0
    difference: str = ""
    ahead: deque[Change] = field(default_factory=deque)
    is_first_ahead: bool = True


def prove(by_blocks: Iterable[Header | Record | Problem], by_each: Iterable[Header | Record | Problem], has_one_clock: bool) -> Proof:
    """Takes both streams in turn, so that neither is kept whole. Cores are told by their identity: each count numbers them as they come to
    it, and cores on threads may come to the two in another order. They have no count in common but their own, and no common end: there the
    last change may be in one stream alone."""
    cores: dict[int, _Core] = {}
    for is_first, (identity, change) in _in_turn(_changes(by_blocks), _changes(by_each)):
        core = cores.setdefault(identity, _Core(change.core))
        if core.ahead and core.is_first_ahead is not is_first:
            _compare(core, core.ahead.popleft(), change, has_one_clock)
        else:
            core.is_first_ahead = is_first
            core.ahead.append(change)
    most = 0 if has_one_clock else 1
    return Proof(
        sum(core.compared for core in cores.values()),
        tuple(core.difference for core in cores.values() if core.difference),
        tuple(
            f"core {core.number}: behind {core.compared} changes one count has {len(core.ahead)} more"
            for core in cores.values()
            if len(core.ahead) > most
        ),
    )


def _compare(core: _Core, change: Change, other: Change, has_one_clock: bool) -> None:
    core.compared += 1
    if core.difference or (change == other if has_one_clock else _core_figures(change) == _core_figures(other)):
        return
    by_blocks, by_each = (change, other) if core.is_first_ahead else (other, change)
    core.difference = (
        f"core {core.number}, change {core.compared} at {by_blocks.address:#x}: {by_blocks.instructions:,} instructions by blocks, "
        f"{by_each.instructions:,} by each instruction" + ("" if by_blocks.address == by_each.address else f" at {by_each.address:#x}")
    )


def _core_figures(change: Change) -> tuple[object, ...]:
    return type(change), change.instructions, change.address


def _changes(records: Iterable[Header | Record | Problem]) -> Iterator[tuple[int, Change]]:
    """Each with the identity of its core."""
    identities: dict[int, int] = {}
    for record in records:
        if isinstance(record, Core):
            identities[record.core] = record.identity
        elif isinstance(record, Crossing | Sleep | Wake):
            yield identities.get(record.core, record.core), record


def _in_turn(first: Iterator[tuple[int, Change]], second: Iterator[tuple[int, Change]]) -> Iterator[tuple[bool, tuple[int, Change]]]:
    """One of each as long as both last, then the rest; whether it is of the first."""
    sources = {True: first, False: second}
    while sources:
        for is_first, changes in list(sources.items()):
            change = next(changes, None)
            if change is None:
                del sources[is_first]
            else:
                yield is_first, change
