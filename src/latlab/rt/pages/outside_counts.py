# SPDX-License-Identifier: BSD-3-Clause
"""What took each CPU from its kernel, as a table; nothing of what is unknown."""

from __future__ import annotations

from latlab.core.model.blame import BlameKind
from latlab.core.report.table import Column, Ranged, Table, figures
from latlab.rt.analysis.outside_totals import CpuTotals, totals_of
from latlab.rt.analysis.result import RtResult
from latlab.rt.pages.words import ms

TITLE = "Time that the hypervisor took"
CLOCK_NOTE = (
    "By the kernel's steal clock (/proc/stat), which the kernel prints in ticks of {} ms: a figure may be a tick too large or small."
)
BLIND_NOTE = "The clock does not count a hypervisor that is itself preempted, or that a quota throttles."


def tables(result: RtResult) -> list[Table]:
    """Beside the whole measurement what late wake-ups have of it, if the kernel's events were kept."""
    totals = [cpu for cpu in totals_of(result.outside) if cpu.stolen_ns is not None] if result.outside else []
    if not totals:
        return []
    has_parts = any(entry.parts for entry in result.attributed or ())
    columns = (
        *figures("CPU"),
        Column("Measured", unit="s"),
        Column("Steal time", unit="ms"),
        *((Column("in late wake-ups", unit="ms"), Column("CPU not available in them", unit="ms")) if has_parts else ()),
    )
    notes = (CLOCK_NOTE.format(f"{totals[0].tick_ns / 1e6:g}"), BLIND_NOTE)
    return [Table(TITLE, columns, tuple(_row(result, cpu, has_parts) for cpu in totals), notes)]


def _row(result: RtResult, cpu: CpuTotals, has_parts: bool) -> tuple[str | Ranged, ...]:
    low, high = (ms(ns) for ns in cpu.stolen_interval_ns)
    parts = (_sum(result, cpu.cpu, BlameKind.HYPERVISOR), _sum(result, cpu.cpu, BlameKind.AWAY)) if has_parts else ()
    return str(cpu.cpu), f"{cpu.measured_ns / 1e9:.2f}", Ranged(ms(cpu.stolen_ns), f"{low} to {high}"), *parts


def _sum(result: RtResult, cpu: int, kind: BlameKind) -> str:
    entries = [entry for entry in result.attributed or () if entry.outlier.cpu == cpu]
    return ms(sum(part.ns for entry in entries for part in entry.parts if part.blame.kind is kind))
