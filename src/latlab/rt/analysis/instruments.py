# SPDX-License-Identifier: BSD-3-Clause
"""What several instruments say that firmware and secure world took of the same late wake-ups: the probe outside, which is exact, the steal
meter and EL3's rings inside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from latlab.calls.model.calls import Call
from latlab.core.model.blame import BlameKind
from latlab.rt.analysis.attribution import Attributed
from latlab.rt.model.wakeups import Outlier, Wakeups
from latlab.rt.model.worlds import LateByWorld

Key = tuple[int, int]
Gaps = Mapping[int, Sequence[tuple[int, int]]]
NO_GAPS: Gaps = {}


class Instrument(StrEnum):
    METER = "steal meter"
    RINGS = "EL3's rings"


@dataclass(frozen=True, slots=True)
class InstrumentComparison:
    """One instrument beside the probe. `wakeups` are those that both tell; the differences are its figure less the probe's, the one that
    5, 50 and 95 % stay below, and the largest either way."""

    instrument: Instrument
    wakeups: int
    told_ns: int
    probe_ns: int
    low_ns: int
    median_ns: int
    high_ns: int
    largest_ns: int


def beside(
    late: Iterable[LateByWorld],
    attributed: Sequence[Attributed],
    wakeups: Wakeups,
    rings: Sequence[Call],
    seeing: Container[int],
    gaps: Gaps = NO_GAPS,
) -> tuple[InstrumentComparison, ...]:
    """Those instruments that tell anything of these wake-ups. `seeing` are the CPUs whose meter is not blind: what it does not see is not
    nothing. `gaps` are the ticks of each CPU whose records were overwritten."""
    exact = {(late_split.cpu, late_split.wake_ns): late_split.taken_ns for late_split in late}
    meter = {
        _key(entry.outlier): sum(part.ns for part in entry.parts if part.blame.kind is BlameKind.STOLEN)
        for entry in attributed
        if entry.outlier.cpu in seeing and entry.parts and all(part.blame.kind is not BlameKind.UNEXPLAINED for part in entry.parts)
    }
    instruments = ((Instrument.METER, meter), (Instrument.RINGS, _by_rings(wakeups, rings, gaps)))
    return tuple(_beside(name, exact, times) for name, times in instruments if exact.keys() & times.keys())


def _beside(instrument: Instrument, exact: Mapping[Key, int], measured: Mapping[Key, int]) -> InstrumentComparison:
    common = exact.keys() & measured.keys()
    apart = sorted(measured[key] - exact[key] for key in common)
    low, median, high = (apart[min(len(apart) * percent // 100, len(apart) - 1)] for percent in (5, 50, 95))
    together = sum(measured[key] for key in common), sum(exact[key] for key in common)
    return InstrumentComparison(instrument, len(common), *together, low, median, high, max(apart, key=abs))


def _by_rings(wakeups: Wakeups, rings: Sequence[Call], gaps: Gaps) -> dict[Key, int]:
    """What the calls in the rings took of each that they reach back to."""
    if not rings or wakeups.counter_hz is None:
        return {}
    by_key: Counter[Key] = Counter()
    calls = sorted(rings, key=lambda call: call.in_ticks)
    for outlier in wakeups.outliers:
        if outlier.wake_ticks is None:
            continue
        start = outlier.wake_ticks - outlier.late_ns * wakeups.counter_hz // 1_000_000_000
        if any(start < until and outlier.wake_ticks > since for since, until in gaps.get(outlier.cpu, ())):
            continue
        ticks = sum(
            min(call.out_ticks, outlier.wake_ticks) - max(call.in_ticks, start)
            for call in calls
            if call.cpu == outlier.cpu and call.in_ticks < outlier.wake_ticks and call.out_ticks > start
        )
        by_key[_key(outlier)] = ticks * 1_000_000_000 // wakeups.counter_hz
    return dict(by_key)


def _key(outlier: Outlier) -> Key:
    return outlier.cpu, outlier.wake_ns
