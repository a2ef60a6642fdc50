# SPDX-License-Identifier: BSD-3-Clause
"""What took each CPU from its kernel, as a table. What is unknown has no column."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.core.model.blame import BlameKind
from latlab.core.report.table import Column, Ranged, Table, figures
from latlab.core.shown import significant
from latlab.rt.analysis.attribution import Attributed
from latlab.rt.analysis.outside_totals import CpuTotals, totals_of
from latlab.rt.analysis.result import RtResult
from latlab.rt.model.outside_counts import OutsideCounts
from latlab.rt.pages.words import ms

TITLE = "What took the CPUs from the kernel"
CLOCK_NOTE = "Steal time is by the kernel's clock in /proc/stat, which has ticks of {} ms: a figure may be a tick too large or small."
BLIND_NOTE = "The clock does not count a hypervisor that is itself preempted, or that a quota throttles."
SMI_NOTE = "SMIs are by the CPU's own count; the time that they took together is not measured."


def tables(result: RtResult) -> list[Table]:
    """Beside the whole measurement what late wake-ups have of it, if the kernel's events were kept."""
    return tables_of(result.outside, result.attributed or ())


def tables_of(counts: OutsideCounts | None, attributed: Sequence[Attributed] = (), title: str = TITLE) -> list[Table]:
    totals = totals_of(counts) if counts else ()
    has_steal = any(cpu.stolen_ns is not None for cpu in totals)
    has_smis = any(cpu.smis is not None for cpu in totals)
    if not has_steal and not has_smis:
        return []
    has_parts = any(entry.parts for entry in attributed)
    columns = (
        *figures("CPU"),
        Column("Measured", unit="s"),
        *(_steal_columns(has_parts) if has_steal else ()),
        *((*figures("SMIs"), *(figures("late wake-ups by them") if has_parts else ())) if has_smis else ()),
    )
    rows = tuple(
        (
            str(cpu.cpu),
            f"{cpu.measured_ns / 1e9:.2f}",
            *(_steal(attributed, cpu, has_parts) if has_steal else ()),
            *(_smis(attributed, cpu, has_parts) if has_smis else ()),
        )
        for cpu in totals
    )
    steal_notes = (CLOCK_NOTE.format(f"{significant(totals[0].tick_ns / 1e6)}"), BLIND_NOTE) if has_steal else ()
    return [Table(title, columns, rows, (*steal_notes, *((SMI_NOTE,) if has_smis else ())))]


def _steal_columns(has_parts: bool) -> tuple[Column, ...]:
    in_late = (Column("in late wake-ups", unit="ms"), Column("CPU not available in them", unit="ms")) if has_parts else ()
    return Column("Steal time", unit="ms"), *in_late, *(() if has_parts else (Column("Share", unit="%"),))


def _steal(attributed: Sequence[Attributed], cpu: CpuTotals, has_parts: bool) -> tuple[str | Ranged, ...]:
    if cpu.stolen_ns is None:
        return ("-",) * (3 if has_parts else 2)
    low, high = (ms(ns) for ns in cpu.stolen_interval_ns)
    parts = (_sum(attributed, cpu.cpu, BlameKind.HYPERVISOR), _sum(attributed, cpu.cpu, BlameKind.AWAY)) if has_parts else ()
    return Ranged(ms(cpu.stolen_ns), f"{low} to {high}"), *(parts or (share(cpu),))


def share(cpu: CpuTotals) -> Ranged:
    """In percent, with its interval."""
    stolen, low, high = (f"{100 * ns / cpu.measured_ns:.2f}" for ns in (cpu.stolen_ns or 0, *cpu.stolen_interval_ns))
    return Ranged(stolen, f"{low} to {high}")


def _smis(attributed: Sequence[Attributed], cpu: CpuTotals, has_parts: bool) -> tuple[str, ...]:
    late = sum(entry.blame.kind is BlameKind.SMI and entry.outlier.cpu == cpu.cpu for entry in attributed)
    return "-" if cpu.smis is None else str(cpu.smis), *((str(late),) if has_parts else ())


def _sum(attributed: Sequence[Attributed], cpu: int, kind: BlameKind) -> str:
    entries = [entry for entry in attributed if entry.outlier.cpu == cpu]
    return ms(sum(part.ns for entry in entries for part in entry.parts if part.blame.kind is kind))
