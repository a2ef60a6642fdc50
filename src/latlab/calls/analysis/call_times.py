# SPDX-License-Identifier: BSD-3-Clause
"""Calls by the clock of a trace: the same tables as in instructions, and the ticks of each function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import gcd

from latlab.calls.analysis.calls import Pause, WorldCall
from latlab.calls.analysis.span_functions import SpanReader
from latlab.calls.analysis.tally import CallKey, Tally
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, FunctionShare, SpanFunctions

ASLEEP = "asleep (WFI, WFE)"
UNLISTED_TICKS = "code without a fragment"
NO_PAUSE = Pause(0, 0, 0, 0)


@dataclass(slots=True)
class _Spent:
    """Ticks of the calls of one name on one core."""

    calls: int = 0
    ticks: int = 0
    fragments: Counter[int] = field(default_factory=Counter)
    asleep: int = 0


def by_clock(call: WorldCall) -> WorldCall | None:
    """The call with ticks in place of instructions, without its code. None if a moment of it is not known."""
    if call.time is None:
        return None
    pause = NO_PAUSE if call.pause else None
    return replace(call, start=0, end=call.time.ticks, parts=call.time.parts, pause=pause, down=(), up=())


class CallTimes:
    """Feed it calls; those without a clock are left out."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.untimed = 0
        self._spent: dict[tuple[CallKey, int], _Spent] = {}
        self._ratios: set[tuple[int, int]] = set()

    def add(self, call: WorldCall) -> WorldCall | None:
        timed = by_clock(call)
        if timed is None or call.time is None:
            self.untimed += 1
            return None
        self.tally.add(timed)
        key = CallKey(call.caller, call.entry.kind, call.entry.name, call.depth > 0)
        spent = self._spent.setdefault((key, call.core), _Spent())
        spent.calls += 1
        spent.ticks += call.time.ticks
        spent.fragments.update(dict(call.time.spent))
        spent.asleep += call.time.asleep
        if len(self._ratios) < 2 and call.instructions:
            self._ratios.add(_reduced(call.time.ticks, call.instructions))
        return timed

    @property
    def is_a_count(self) -> bool:
        """Whether the clock only counts instructions: each call takes the same ticks for one."""
        return len(self._ratios) < 2

    def functions(self, cores: Mapping[int, CoreId], reader: SpanReader) -> tuple[SpanFunctions, ...]:
        """The ticks of each function in the calls of each name on each core, those inside another call left out."""
        return tuple(
            functions_of_ticks(
                (key.name, Metric.CALL, cores.get(core, CoreId(0, core))), spent.calls, spent.ticks, spent.fragments, spent.asleep, reader
            )
            for (key, core), spent in self._spent.items()
            if not key.is_inner and spent.fragments
        )


def functions_of_ticks(
    span: tuple[str, Metric, CoreId], calls: int, ticks: int, fragments: Mapping[int, int], asleep: int, reader: SpanReader
) -> SpanFunctions:
    """What is in no fragment has a name of its own, so that the functions add up to the span."""
    totals: Counter[str] = Counter()
    for number, spent in fragments.items():
        for name, share in _shares(reader.by_instruction.counts(number), spent):
            totals[name] += share
    totals[ASLEEP] += asleep
    totals[UNLISTED_TICKS] += ticks - totals.total()
    named = tuple(FunctionShare(name, reader.by_instruction.place(name), total) for name, total in totals.items() if total)
    return SpanFunctions(*span, calls, named)


def _shares(instructions: Counter[str], ticks: int) -> Iterable[tuple[str, int]]:
    """The ticks of a fragment in several functions are divided as its instructions are; what is left over is the first one's."""
    total = instructions.total() or 1
    shares = [(name, ticks * count // total) for name, count in instructions.items()]
    if not shares:
        return ()
    remainder = ticks - sum(share for _, share in shares)
    first, share = shares[0]
    return ((first, share + remainder), *shares[1:])


def _reduced(ticks: int, instructions: int) -> tuple[int, int]:
    divisor = gcd(ticks, instructions) or 1
    return ticks // divisor, instructions // divisor
