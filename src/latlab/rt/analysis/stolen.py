# SPDX-License-Identifier: BSD-3-Clause
"""What a steal meter's windows come to: amounts of each CPU, and sentences about what it could not see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from latlab.core.model.amounts import Amount
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.core.shown import significant
from latlab.rt.analysis.outside_totals import SMI_COUNT_WRAPS, has_steal_clock
from latlab.rt.model.outside_counts import OutsideCount, OutsideCounts
from latlab.rt.model.stolen import CpuStolen, Regime, Stolen, Theft

WHOLE_SECOND = 0.9
CLOCK_CHANGED = 0.01
ALIKE = 1.2
ALIKE_NS = 200


@dataclass(frozen=True, slots=True)
class CpuLoss:
    """One CPU over a whole measurement. `share` is of the time that was measured; `worst_ns` is the most in one window."""

    cpu: int
    measured_s: float
    stolen_ns: int
    share: float
    windows: int
    marked: int
    worst_ns: int
    worst_second_ns: int
    own_share: float


def loss_of(steal: Stolen, cpu: CpuStolen) -> CpuLoss:
    measured_ns = steal.ns_of(sum(second.measured_ticks for second in cpu.seconds))
    stolen_ns = sum(second.stolen_ns for second in cpu.seconds)
    return CpuLoss(
        cpu.cpu,
        measured_ns / 1e9,
        stolen_ns,
        stolen_ns / measured_ns if measured_ns else 0.0,
        sum(second.windows for second in cpu.seconds),
        sum(second.marked for second in cpu.seconds),
        max((second.worst_ns for second in cpu.seconds), default=0),
        max((second.stolen_ns for second in cpu.seconds), default=0),
        cpu.own_ns / measured_ns if measured_ns else 0.0,
    )


def amounts_of(name: str, steal: Stolen) -> tuple[Amount, ...]:
    """A test for each phase; each whole second is a repetition. A blind CPU has no amounts, not amounts of 0."""
    return tuple(amount for cpu in steal.seeing for amount in _amounts(name, steal, cpu))


def _amounts(name: str, steal: Stolen, cpu: CpuStolen) -> Iterator[Amount]:
    whole = [second for second in cpu.seconds if second.measured_ticks >= WHOLE_SECOND * steal.counter_hz]
    if not whole:
        return
    core = CoreId(0, cpu.cpu)
    measured_s = [second.measured_ticks / steal.counter_hz for second in whole]
    stolen = tuple(second.stolen_ns / over_s for second, over_s in zip(whole, measured_s, strict=True))
    events = tuple(second.marked / over_s for second, over_s in zip(whole, measured_s, strict=True))
    yield Amount(name, Metric.DURATION, "time in firmware per second", core, stolen)
    yield Amount(
        name, Metric.DURATION, "largest time in firmware of a window in a second", core, tuple(float(second.worst_ns) for second in whole)
    )
    yield Amount(name, Metric.EVENTS, "windows with time in firmware", core, events, 1.0)


def amounts_of_counts(name: str, counts: OutsideCounts) -> tuple[Amount, ...]:
    """Of each CPU, a repetition for each second. What is unknown has no amount."""
    return tuple(
        amount
        for cpu in dict.fromkeys(count.cpu for count in counts.counts)
        for amount in _counted(name, counts, list(pairwise(count for count in counts.counts if count.cpu == cpu)))
    )


def _counted(name: str, counts: OutsideCounts, steps: Sequence[tuple[OutsideCount, OutsideCount]]) -> Iterator[Amount]:
    whole = [(first, last) for first, last in steps if last.ns - first.ns >= WHOLE_SECOND * 1e9]
    if not whole:
        return
    core = CoreId(0, whole[0][0].cpu)
    over_s = [(last.ns - first.ns) / 1e9 for first, last in whole]
    ticks = [
        last.steal_ticks - first.steal_ticks for first, last in whole if last.steal_ticks is not None and first.steal_ticks is not None
    ]
    smis = [(last.smis - first.smis) % SMI_COUNT_WRAPS for first, last in whole if last.smis is not None and first.smis is not None]
    if has_steal_clock(counts) and len(ticks) == len(whole):
        stolen = tuple(count * counts.tick_ns / seconds for count, seconds in zip(ticks, over_s, strict=True))
        yield Amount(name, Metric.DURATION, "hypervisor's steal time per second", core, stolen)
    if len(smis) == len(whole):
        yield Amount(name, Metric.EVENTS, "SMIs", core, tuple(count / seconds for count, seconds in zip(smis, over_s, strict=True)), 1.0)


def by_size(thefts: Sequence[Theft]) -> tuple[tuple[Theft, ...], ...]:
    """Thefts that are about as long together, in the order of their times: one thief takes as much each time, and several keep several
    periods. The shortest group comes first."""
    groups: list[list[Theft]] = []
    for theft in sorted(thefts, key=lambda theft: theft.stolen_ns):
        if groups and theft.stolen_ns <= ALIKE * groups[-1][0].stolen_ns + ALIKE_NS:
            groups[-1].append(theft)
        else:
            groups.append([theft])
    return tuple(tuple(sorted(group, key=lambda theft: theft.begin_ticks)) for group in groups)


def doubts(steal: Stolen) -> tuple[str, ...]:
    """What weakens the figures of CPUs that see."""
    return tuple(sentence for cpu in steal.seeing for sentence in _doubts(steal, cpu))


def _doubts(steal: Stolen, cpu: CpuStolen) -> Iterator[str]:
    calibration = cpu.calibration
    if calibration is None:
        return
    rates = [second.cycles_per_tick for second in cpu.seconds if second.windows > 1]
    calibrated = calibration.cycle_hz / steal.counter_hz if steal.counter_hz else 0.0
    if calibrated and any(abs(rate / calibrated - 1) > CLOCK_CHANGED for rate in rates) and calibration.regime is Regime.RUNS:
        yield (
            f"CPU {cpu.cpu}: it made {significant(min(rates), 4)} to {significant(max(rates), 4)} cycles a tick, "
            f"at calibration {significant(calibrated, 4)}: it slept, or its "
            "clock changed. If its clock changed, its cycles are right and its nanoseconds wrong"
        )
    if -cpu.lowest_mark_cycles > calibration.noise_cycles:
        yield (
            f"CPU {cpu.cpu}: two readings scattered by {-cpu.lowest_mark_cycles} cycles, at calibration by {calibration.noise_cycles}: "
            "shorter times in firmware may be noise"
        )
    if cpu.went_off:
        yield f"CPU {cpu.cpu}: it went offline during the measurement, so the rest was not measured"
    if cpu.dropped:
        yield (
            f"CPU {cpu.cpu}: {cpu.dropped} windows with time in firmware are not in the time line, which was full; sums and histogram "
            "include them"
        )
    if calibration.regime is Regime.UNMARKED:
        yield f"CPU {cpu.cpu}: an entry into the firmware has no signature here, so steal time by a hypervisor looks the same"
