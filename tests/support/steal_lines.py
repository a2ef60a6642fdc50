# SPDX-License-Identifier: BSD-3-Clause
"""What the steal meter writes, made of a measurement as data: the same lines as guest/steal/output.c."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from latlab.rt.model.stolen import Blind, Calibration, CpuStolen, Regime, Stolen, StolenSecond, Theft

HZ = 62_500_000
SEEN = Calibration(Regime.RUNS, "trng_reseed", 15, 1832.0, 1832.0, 0, 68.5, 1e9)


def second(number: int, marked: int = 0, stolen_ns: int = 0, worst_ns: int = 0, rate: float = 16.0) -> StolenSecond:
    return StolenSecond(number, HZ, 5000, marked, stolen_ns, worst_ns, rate)


def cpu_with(thefts_ns: Sequence[int], number: int = 0, calibration: Calibration = SEEN, seconds: int = 3) -> CpuStolen:
    """Thefts at equal distances over the seconds, the time line holding all of them."""
    step = seconds * HZ // (len(thefts_ns) + 1)
    thefts = tuple(Theft(at * step, at * step + 12500, ns, ns) for at, ns in enumerate(thefts_ns, 1))
    told = []
    for one in range(seconds):
        within = [theft.stolen_ns for theft in thefts if theft.begin_ticks // HZ == one]
        told.append(second(one, len(within), sum(within), max(within, default=0)))
    counts = tuple((ns, ns + 1, thefts_ns.count(ns)) for ns in sorted(set(thefts_ns)))
    return CpuStolen(number, None, calibration=calibration, seconds=tuple(told), thefts=thefts, counts=counts)


def blind_cpu(why: Blind, number: int = 0, error: int = 0) -> CpuStolen:
    return CpuStolen(number, why, error)


def measured(*cpus: CpuStolen, complete: bool = True) -> Stolen:
    return Stolen("aarch64", HZ, 200_000, 1000, 3_000_000_000, 5_000_000_000, 0, 90, cpus, complete)


def text(found: Stolen) -> str:
    return "".join(f"LLST1 {line}\n" for line in _lines(found))


def _lines(found: Stolen) -> Iterator[str]:
    yield (
        f"HEAD version=1 machine={found.machine} counter_hz={found.counter_hz} interval_ns={found.interval_ns}"
        f" threshold_ns={found.threshold_ns} duration_ns={found.duration_ns} start_ns={found.start_ns}"
        f" start_ticks={found.start_ticks} priority={found.priority}"
    )
    yield from map(_cpu, found.cpus)
    for cpu in found.cpus:
        yield from (
            f"THEFT cpu={cpu.cpu} begin_ticks={t.begin_ticks} end_ticks={t.end_ticks} stolen_ns={t.stolen_ns} mark_cycles={t.mark_cycles}"
            for t in cpu.thefts
        )
        yield from (
            f"SECOND cpu={cpu.cpu} second={s.number} measured_ticks={s.measured_ticks} windows={s.windows} marked={s.marked}"
            f" stolen_ns={s.stolen_ns} worst_ns={s.worst_ns} cycles_per_tick={s.cycles_per_tick:.4f}"
            for s in cpu.seconds
        )
    if not found.complete:
        return
    for cpu in found.seeing:
        yield from (f"COUNT cpu={cpu.cpu} low_ns={low} below_ns={below} windows={n}" for low, below, n in cpu.counts)
        yield (
            f"SUM cpu={cpu.cpu} torn={cpu.torn} dropped={cpu.dropped} lowest_mark_cycles={cpu.lowest_mark_cycles} own_ns={cpu.own_ns}"
            f" went_off={cpu.went_off:d}"
        )
    yield "END"


def _cpu(cpu: CpuStolen) -> str:
    found = cpu.calibration
    if found is None:
        return f"CPU cpu={cpu.cpu} sees=no why={cpu.blind} call=none errno={cpu.error}"
    return (
        f"CPU cpu={cpu.cpu} sees={found.regime} call={found.call} calls={found.calls} call_ns={found.call_ns:.1f}"
        f" call_mark_cycles={found.call_mark_cycles:.1f} noise_cycles={found.noise_cycles} noise_ns={found.noise_ns:.1f}"
        f" cycle_hz={found.cycle_hz:.0f}"
    )
