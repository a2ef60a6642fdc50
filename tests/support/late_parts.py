# SPDX-License-Identifier: BSD-3-Clause
"""A measurement whose late wake-ups are known part by part."""

from __future__ import annotations

from latlab.core.model.blame import UNEXPLAINED, Blame, BlameKind
from latlab.core.model.distributions import Distribution
from latlab.rt.analysis.attribution import Attributed
from latlab.rt.analysis.lateness_parts import LatenessPart
from latlab.rt.analysis.result import RtResult
from latlab.rt.model.wakeups import Outlier, Wakeups, cpu_row

INTERVAL_NS = 1_000_000
THIEF = Blame(BlameKind.THREAD, "irq/42-a-driver (priority 90)")
NETWORK, STOLEN, PATH = Blame(BlameKind.INTERRUPT, "eth0"), Blame(BlameKind.STOLEN), Blame(BlameKind.PATH)
SHAPES = (
    ((THIEF, 400_000), (NETWORK, 30_000), (PATH, 2_500)),
    ((STOLEN, 190_000), (PATH, 2_000)),
    ((NETWORK, 110_000), (UNEXPLAINED, 8_000), (PATH, 2_000)),
)


def late_result(late: int = 45, cpus: int = 2) -> RtResult:
    """Late wake-ups of three causes in turn, on CPUs in turn, with many others in time between them."""
    entries = tuple(_entry(number, number % cpus) for number in range(late))
    found = tuple(_cpu(cpu, [one.outlier.late_ns for one in entries if one.outlier.cpu == cpu]) for cpu in range(cpus))
    outliers = tuple(one.outlier for one in entries)
    recorder = Wakeups("recorder", INTERVAL_NS, 1, found, outliers, 0, (late + 1) * 100 * INTERVAL_NS)
    return RtResult((recorder,), entries, (), None, ())


def _entry(number: int, cpu: int) -> Attributed:
    parts = tuple(LatenessPart(blame, ns + 100 * number) for blame, ns in SHAPES[number % len(SHAPES)])
    late_ns = sum(part.ns for part in parts)
    outlier = Outlier(cpu, (number + 1) * 100 * INTERVAL_NS + late_ns, late_ns)
    return Attributed(outlier, parts[0].blame, 0, parts[0].ns, parts)


def _cpu(cpu: int, late_ns: list[int]) -> Distribution:
    lows = sorted({8_000, 10_000, 14_000, *(ns // 1000 * 1000 for ns in late_ns)})
    counts = tuple((at, at + 1000, 1500 if at < 20_000 else sum(ns // 1000 * 1000 == at for ns in late_ns)) for at in lows)
    total = sum(n for _, _, n in counts)
    return cpu_row(cpu, counts, total, 8_000, max(late_ns), 10_000.0, expected=total, missed=0)
