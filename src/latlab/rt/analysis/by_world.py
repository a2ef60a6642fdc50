# SPDX-License-Identifier: BSD-3-Clause
"""Late wake-ups of a guest split by world: the recorder inside tells when each was due and when it ran, the probe outside which world the
core was in meanwhile, and both count on the system counter. One core, on the instruction clock."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from statistics import median_low

from latlab.calls.analysis.calls import CALLS, Pairing, WorldCall
from latlab.calls.analysis.counter_clock import CounterClock
from latlab.calls.model.calls import Call as Smc
from latlab.calls.model.crossings import LEVEL_MASK, NO_WORLD, SECURE, Arch, CallNames, Crossing, Record, world_name
from latlab.rt.model.wakeups import Outlier, Wakeups
from latlab.rt.model.worlds import GuestWorlds, LateByWorld, WorldCalls, WorldShare

FOREIGN_INTERRUPT = 0xFFFF0004
"""What OP-TEE answers to a yielding call that it leaves for an interrupt of the normal world (optee_smc.h)."""
OTHER_SERVICES = 0xFFFF0000
RETURN_FROM_RPC = 0x32000003
FOR_OPTEE = "for OP-TEE"
"""The normal world does what OP-TEE has asked it for, between two calls."""
TIMER_ENABLED = 1
REGISTERS_WITH_TIMER = 9
EL3 = SECURE | 3


class WorldAccumulator:
    """Feed it the probe's records in their order."""

    def __init__(self, names: CallNames, ns_per_instruction: int, counter_hz: int) -> None:
        self._clock = CounterClock(ns_per_instruction, counter_hz)
        self._hz = counter_hz
        self._pairing = Pairing(Arch.AARCH64, names)
        self._at: list[int] = []
        self._worlds: list[int] = []
        self._timer: dict[int, bool] = {}
        self._calls: list[WorldCall] = []

    def take(self, records: Iterable[Record]) -> None:
        self._calls += [call for call in self._pairing.feed(self._noted(records)) if call.depth == 0]

    def _noted(self, records: Iterable[Record]) -> Iterator[Record]:
        for record in records:
            self._clock.take(record)
            if isinstance(record, Crossing):
                self._crossed(record)
            yield record

    def _crossed(self, record: Crossing) -> None:
        self._at.append(record.machine)
        self._worlds.append(record.entered)
        if len(record.registers) == REGISTERS_WITH_TIMER and record.left_world == EL3:
            self._timer[len(self._at) - 1] = bool(record.registers[-1] & TIMER_ENABLED)

    def worlds(self, wakeups: Wakeups) -> GuestWorlds:
        """What the records say of the recorder's measurement."""
        times = [self._clock.ns(at) for at in self._at]
        spans = list(self._spans())
        late = [self._split(outlier, times, spans) for outlier in wakeups.outliers]
        located = tuple(entry for entry in late if entry is not None)
        first, last = (self._place(times, wakeups.ticks_of(ns) if ns is not None else None) for ns in (wakeups.start_ns, wakeups.end_ns))
        stays = [place for place in self._timer if first <= place < last]
        ended = [call for call in self._calls if self._at[first] <= call.start_machine < self._at[last - 1]] if last > first else []
        return GuestWorlds(
            tuple(_kinds(ended)),
            len(stays),
            sum(not self._timer[place] for place in stays),
            sum(_in_secure(call) for call in ended),
            located,
            len(late) - len(located),
            tuple(self._overlapping(wakeups, located)),
        )

    def _spans(self) -> Iterator[tuple[int, int, str]]:
        """The calls, and what the normal world does for OP-TEE between two of them, in their order and apart."""
        request_time: int | None = None
        for call in self._calls:
            if request_time is not None and call.entry.function == RETURN_FROM_RPC:
                yield request_time, call.start_machine, FOR_OPTEE
            yield call.start_machine, call.end_machine, call.entry.name
            answer = call.results[0] & 0xFFFFFFFF if call.results else 0
            request_time = call.end_machine if answer & 0xFFFF0000 == OTHER_SERVICES and answer != FOREIGN_INTERRUPT else None

    def _place(self, times: list[int | None], ticks: int | None) -> int:
        """The first crossing from a time on; all of them where it is not known."""
        if ticks is None:
            return 0
        time_ns = ticks * 1_000_000_000 // self._hz
        return bisect_left(times, time_ns, key=lambda ns: -1 if ns is None else ns)

    def _split(self, outlier: Outlier, times: list[int | None], spans: list[tuple[int, int, str]]) -> LateByWorld | None:
        if outlier.wake_ticks is None:
            return None
        end = outlier.wake_ticks * 1_000_000_000 // self._hz
        due = end - outlier.late_ns
        place = bisect_right(times, due, key=lambda ns: -1 if ns is None else ns) - 1
        sums: Counter[tuple[str, str]] = Counter()
        while 0 <= place < len(times):
            begin = times[place]
            if begin is None:
                return None
            if begin >= end:
                break
            until = times[place + 1] if place + 1 < len(times) else end
            if until is None:
                return None
            sums[world_name(Arch.AARCH64, self._worlds[place]), self._in(place, spans)] += min(until, end) - max(begin, due)
            place += 1
        if sums.total() != outlier.late_ns:
            return None
        shares = tuple(WorldShare(world, call, ns) for (world, call), ns in sums.most_common() if ns)
        return LateByWorld(outlier.cpu, outlier.wake_ns, shares)

    def _in(self, place: int, spans: list[tuple[int, int, str]]) -> str:
        at = self._at[place]
        span = bisect_right(spans, at, key=lambda candidate: candidate[0]) - 1
        return spans[span][2] if span >= 0 and spans[span][1] > at else ""

    def _overlapping(self, wakeups: Wakeups, late: tuple[LateByWorld, ...]) -> Iterator[Smc]:
        """On the counter, each once."""
        located = {(entry.cpu, entry.wake_ns) for entry in late}
        starts = [call.start_machine for call in self._calls]
        times = [self._clock.ns(start) or 0 for start in starts]
        by_place: dict[int, Smc] = {}
        for outlier in wakeups.outliers:
            if (outlier.cpu, outlier.wake_ns) not in located or outlier.wake_ticks is None:
                continue
            end = outlier.wake_ticks * 1_000_000_000 // self._hz
            place = max(bisect_right(times, end - outlier.late_ns) - 1, 0)
            while place < len(times) and times[place] < end:
                call = self._calls[place]
                out = self._clock.ns(call.end_machine)
                if call.entry.kind in CALLS and out is not None and out > end - outlier.late_ns:
                    by_place[place] = Smc(outlier.cpu, call.entry.function, self._ticks(times[place]), self._ticks(out))
                place += 1
        return iter(by_place[place] for place in sorted(by_place))

    def _ticks(self, ns: int) -> int:
        return ns * self._hz // 1_000_000_000


def _kinds(calls: Iterable[WorldCall]) -> Iterator[WorldCalls]:
    groups: dict[str, list[WorldCall]] = defaultdict(list)
    for call in calls:
        groups[call.entry.name].append(call)
    for name, group in sorted(groups.items(), key=lambda item: -sum(call.instructions for call in item[1])):
        counts = [call.instructions for call in group]
        yielded = sum(bool(call.results) and call.results[0] & 0xFFFFFFFF == FOREIGN_INTERRUPT for call in group)
        in_el3 = sum(dict(call.parts).get(EL3, 0) for call in group)
        in_secure = sum(_in_secure(call) for call in group)
        yield WorldCalls(name, len(group), yielded, min(counts), median_low(counts), max(counts), in_el3, in_secure)


def _in_secure(call: WorldCall) -> int:
    return sum(count for world, count in call.parts if world != NO_WORLD and world & SECURE and world & LEVEL_MASK != 3)
