# SPDX-License-Identifier: BSD-3-Clause
"""Calls counted by kind while they come: how often, how many instructions, in which world, in which code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from latlab.calls.analysis.calls import EntryKind, WorldCall
from latlab.calls.analysis.paths import runs_of
from latlab.calls.model.crossings import Stretch

MOST_DIFFERENT = 200


@dataclass(frozen=True, slots=True, order=True)
class CallKey:
    """What is counted together: the world that called, what for, and whether it stood inside another call."""

    caller: int
    kind: EntryKind
    name: str
    is_inner: bool


@dataclass(slots=True)
class CallTally:
    """`instructions` and `parts` (by world) count how many calls had which value; `slept` how many went to sleep; `errors` what those
    that failed answered. `ran`, by core, is what ran in how many of them; beyond so many different ones, `fragment_runs` is how often each
    fragment ran."""

    instructions: Counter[int] = field(default_factory=Counter)
    parts: dict[int, Counter[int]] = field(default_factory=dict)
    slept: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    cores: Counter[int] = field(default_factory=Counter)
    ran: dict[int, Counter[tuple[Stretch, ...]]] = field(default_factory=dict)
    fragment_runs: dict[int, Counter[int]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return self.instructions.total()

    def ran_on(self, core: int) -> Counter[tuple[Stretch, ...]]:
        """What ran in its calls on this core, and how often just that."""
        return self.ran.get(core, Counter()) + _without_order(self.fragment_runs.get(core, Counter()))


@dataclass(frozen=True, slots=True)
class TallyRow:
    """One line of the table. `parts` is the median number of instructions in each world."""

    key: CallKey
    count: int
    minimum: int
    median: float
    maximum: int
    total: int
    slept: int
    parts: tuple[tuple[int, float], ...]
    errors: tuple[tuple[str, int], ...] = ()


class Tally:
    def __init__(self) -> None:
        self._calls: dict[CallKey, CallTally] = {}

    def add(self, call: WorldCall) -> None:
        key = CallKey(call.caller, call.entry.kind, call.entry.name, call.depth > 0)
        tally = self._calls.setdefault(key, CallTally())
        tally.instructions[call.instructions] += 1
        tally.slept += call.pause is not None
        if call.error:
            tally.errors[call.error] += 1
        tally.cores[call.core] += 1
        for world, instructions in call.parts:
            tally.parts.setdefault(world, Counter())[instructions] += 1
        ran, on_core = (*call.down, *call.up), tally.ran.setdefault(call.core, Counter())
        if ran in on_core or len(on_core) < MOST_DIFFERENT:
            on_core[ran] += 1
        else:
            tally.fragment_runs.setdefault(call.core, Counter()).update(runs_of(ran))

    def rows(self) -> tuple[TallyRow, ...]:
        """The most instructions first."""
        rows = [_row(key, tally) for key, tally in self._calls.items()]
        return tuple(sorted(rows, key=lambda row: (-row.total, row.key)))

    def tallies(self) -> Mapping[CallKey, CallTally]:
        return self._calls

    def ran(self) -> Mapping[CallKey, Counter[tuple[Stretch, ...]]]:
        """What ran inside each kind of call, and how often just that."""
        return {key: _added(tally.ran_on(core) for core in tally.cores) for key, tally in self._calls.items()}


def _added(counts: Iterable[Counter[tuple[Stretch, ...]]]) -> Counter[tuple[Stretch, ...]]:
    total: Counter[tuple[Stretch, ...]] = Counter()
    for counter in counts:
        total.update(counter)
    return total


def _without_order(runs: Counter[int]) -> Counter[tuple[Stretch, ...]]:
    return Counter([(Stretch(runs=tuple(runs.items())),)] if runs else [])


def median_of(counts: Counter[int]) -> float:
    """The median of a counted distribution, the mean of the middle two where their number is even. Raises ValueError for none."""
    total = counts.total()
    if not total:
        raise ValueError("no value has no median")
    return (_ranked(counts, (total - 1) // 2) + _ranked(counts, total // 2)) / 2


def _ranked(counts: Counter[int], rank: int) -> int:
    for value in sorted(counts):
        rank -= counts[value]
        if rank < 0:
            return value
    raise AssertionError("a rank below the total is in the counts")


def _row(key: CallKey, tally: CallTally) -> TallyRow:
    values = tally.instructions
    total = sum(value * count for value, count in values.items())
    parts = tuple((world, median_of(counts)) for world, counts in sorted(tally.parts.items()))
    errors = tuple(tally.errors.most_common())
    return TallyRow(key, tally.count, min(values), median_of(values), max(values), total, tally.slept, parts, errors)
