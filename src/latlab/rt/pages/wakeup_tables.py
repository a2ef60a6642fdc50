# SPDX-License-Identifier: BSD-3-Clause
"""What an rt run says, as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from latlab.core.model.blame import UNEXPLAINED
from latlab.core.model.distributions import Distribution
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import Run
from latlab.core.report.table import Column, Table, figures, words
from latlab.core.report.text import plain
from latlab.core.report.titles import METRIC_TITLES
from latlab.core.shown import significant
from latlab.rt.analysis.attribution import Attributed
from latlab.rt.analysis.causes import cause_name
from latlab.rt.analysis.result import RtResult
from latlab.rt.analysis.wakeup import agreement, never_woke, percentile_ns, told_percentiles
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.pages import cause_details, namings, outside_counts, thread_tables
from latlab.rt.pages.late_causes import by_world, cause_table
from latlab.rt.pages.words import check_publishable, us

OUTLIERS_SHOWN = 10
LATENCIES = {Metric.TASK_WAKEUP: "Wake-up latency", Metric.STALL: "Stalls of a busy loop", Metric.CYCLE: "Time from due to end"}
DUE = {Metric.CYCLE: "Cycles due"}
UNIT = "µs"

Results = list[tuple[str, RtResult]]


def all_tables(run: Run, results: Results) -> list[Table]:
    """A run's tables."""
    return [table for name, result in results for table in tables(name, result, is_exact(run))]


def screen_tables(run: Run, results: Results) -> list[Table]:
    """A run's tables for a terminal. Of many threads it shows a row each, and the tables of the worst."""
    threads = thread_tables.by_thread(results)
    if len(threads) > thread_tables.MOST_IN_FULL:
        shown = thread_tables.in_full(threads)
        results = [(name, result) for name, result in results if name in shown]
        note = f"Below are the tables of {' and '.join(shown)}; `latlab report {run.id} -o run.html` has those of all threads."
        return [thread_tables.overview(threads, note), *(table for pair in results for table in brief_tables(*pair, is_exact(run)))]
    return [table for name, result in results for table in brief_tables(name, result, is_exact(run))]


def published(run: Run, results: Results) -> list[Table]:
    """The same; refuses figures that are no latencies."""
    check_publishable(run)
    return all_tables(run, results)


def tables(name: str, result: RtResult, is_exact: bool = False) -> list[Table]:
    """Everything that one measurement says; `is_exact`: on the instruction clock."""
    causes = [*cause_tables(name, result, is_exact), *worst_tables(name, result)]
    measured = [*latency_tables(name, result), *thread_states(name, result)]
    return [*measured, *causes, *outside_tables(name, result), *further_tables(name, result, is_exact)]


def brief_tables(name: str, result: RtResult, is_exact: bool = False) -> list[Table]:
    """What a terminal shows: without the tables of how often and of which CPU."""
    causes = [*cause_tables(name, result, is_exact), *worst_tables(name, result)]
    measured = [*latency_tables(name, result), *thread_states(name, result)]
    return [*measured, *causes, *outside_tables(name, result), *_seen_by_others(name, result)]


def latency_tables(name: str, result: RtResult) -> list[Table]:
    return [latencies(name, wakeups) for wakeups in result.wakeups]


def thread_states(name: str, result: RtResult) -> list[Table]:
    """Of a thread in a trace: its time by state, and what its cycles are made of."""
    return [_named(name, table) for table in thread_tables.tables(result)]


def cause_tables(name: str, result: RtResult, is_exact: bool) -> list[Table]:
    recorder = result.recorder
    by_recorder = [cause_table(result, is_exact)] if recorder and recorder.outliers else []
    return [_named(name, table) for table in (*by_recorder, *namings.tables(result))]


def worst_tables(name: str, result: RtResult) -> list[Table]:
    recorder = result.recorder
    if recorder is None or not recorder.outliers:
        return []
    return [_named(name, table) for table in cause_details.worst(result)] if _has_parts(result) else [_worst(name, result, recorder)]


def outside_tables(name: str, result: RtResult) -> list[Table]:
    """What took each CPU from its kernel in the whole measurement, as far as the kernel counts it."""
    return [_named(name, table) for table in outside_counts.tables(result)]


def further_tables(name: str, result: RtResult, is_exact: bool) -> list[Table]:
    """How often each cause comes, what it took of each CPU, and what else was measured beside the wake-ups."""
    by_cpu = [_named(name, table) for table in (*cause_details.rates(result, is_exact), *cause_details.took(result))]
    digests = [digest_table(name, tool_wakeups) for tool_wakeups in result.wakeups if any(cpu.digest for cpu in tool_wakeups.cpus)]
    return [*by_cpu, *_seen_by_others(name, result), *digests]


def _seen_by_others(name: str, result: RtResult) -> list[Table]:
    cyclictest = next((wakeups for wakeups in result.wakeups if wakeups.tool == "cyclictest"), None)
    other_tables = [side_by_side(name, result.recorder, cyclictest)] if result.recorder and cyclictest else []
    other_tables += [_named(name, table) for table in by_world(result)]
    return [*other_tables, *([_exposure(name, result)] if result.exposure else [])]


def digest_table(name: str, wakeups: Wakeups) -> Table:
    """A checksum over all samples in order, by which two runs are told to be the same."""
    rows = tuple((wakeups.rows.named(cpu.number), cpu.digest) for cpu in wakeups.cpus)
    return Table(_titled(name, f"Checksums of the samples of {wakeups.tool}"), words("CPU", "checksum of the samples"), rows)


def is_exact(run: Run) -> bool:
    return run.tick.clock is Clock.INSTRUCTIONS


def _has_parts(result: RtResult) -> bool:
    return any(entry.parts for entry in result.attributed or ())


def _named(name: str, table: Table) -> Table:
    return replace(table, caption=_titled(name, plain(table.caption)))


def latencies(name: str, wakeups: Wakeups) -> Table:
    """The reference's table, a column for each CPU, and below it what the reference leaves out."""
    cpus, step = wakeups.cpus, wakeups.resolution_ns
    silent = {cpu.number for cpu in cpus if never_woke(wakeups.metric, cpu)}
    figures_of: tuple[tuple[str, Callable[[Distribution], float]], ...] = (
        ("Minimum (µs)", lambda cpu: cpu.minimum_ticks),
        ("Average (µs)", lambda cpu: cpu.average_ticks),
        ("Maximum (µs)", lambda cpu: cpu.maximum_ticks),
    )
    rows = [
        *((name, *("-" if cpu.number in silent else us(value(cpu), step) for cpu in cpus)) for name, value in figures_of),
        *((f"{significant(percent)} % (µs)", *(us(percentile_ns(cpu, percent)) for cpu in cpus)) for percent in told_percentiles(cpus)),
        (DUE.get(wakeups.metric, "Wake-ups due"), *(_count(cpu.expected) for cpu in cpus)),
        ("measured", *(f"{cpu.got:,}" for cpu in cpus)),
        ("missed", *(_count(cpu.missed) for cpu in cpus)),
        ("beyond the histogram", *(f"{cpu.beyond:,}" if cpu.counts or cpu.beyond else "-" for cpu in cpus)),
    ]
    columns = (*words("Latencies"), *figures(*(wakeups.rows.named(cpu.number) for cpu in cpus)))
    title = f"{LATENCIES.get(wakeups.metric, METRIC_TITLES[wakeups.metric])} by {wakeups.tool}"
    return Table(_titled(name, title), columns, tuple(rows), _latency_notes(wakeups))


def side_by_side(name: str, recorder: Wakeups, cyclictest: Wakeups) -> Table:
    """Whether the two tools saw the same distribution, and what each of them did not see."""
    rows = tuple(
        (
            str(agreement_of_cpu.cpu),
            "-" if agreement_of_cpu.distance is None else f"{agreement_of_cpu.distance:.3f}",
            _count(agreement_of_cpu.missed_by_first),
            _count(agreement_of_cpu.missed_by_second),
            _count(agreement_of_cpu.clipped_by_second),
        )
        for agreement_of_cpu in agreement(recorder, cyclictest)
    )
    names = ("Distance", "Missed by the recorder, counted", "Missed by cyclictest, left out", "Clipped by cyclictest")
    note = "Distance: the largest between the two distribution functions (Kolmogorov-Smirnov) in whole microseconds, 0 to 1."
    return Table(_titled(name, "Recorder against cyclictest, one after the other"), (*words("CPU"), *figures(*names)), rows, (note,))


def _latency_notes(wakeups: Wakeups) -> tuple[str, ...]:
    notes = [f"{key}: {value}" for key, value in wakeups.facts]
    widths = [high - low for cpu in wakeups.cpus for low, high, _ in cpu.counts]
    if widths and told_percentiles(wakeups.cpus):
        wide = " to ".join(f"{significant(width / 1000)}" for width in sorted({min(widths), max(widths)}))
        notes.append(f"a percentile is the upper end of its interval of the histogram, {wide} µs wide: it may be above the average")
    if wakeups.missed:
        implied = any(n for counts in wakeups.implied for _, _, n in counts)
        remark = (
            "their latencies are kept apart as implied" if implied else "this tool skips them, so its distribution does not include them"
        )
        notes.append(f"{wakeups.missed} periods passed while the thread was late; {remark}")
    return tuple(notes)


def _worst(name: str, result: RtResult, recorder: Wakeups) -> Table:
    entries: Sequence[Attributed] = result.attributed or [Attributed(outlier, UNEXPLAINED) for outlier in recorder.outliers]
    worst = sorted(entries, key=lambda entry: -entry.outlier.late_ns)[:OUTLIERS_SHOWN]
    start = recorder.start_ns or 0
    rows = tuple(
        (
            f"{(entry.outlier.wake_ns - start) / 1e9:.6f}",
            str(entry.outlier.cpu),
            us(entry.outlier.late_ns),
            str(entry.outlier.missed),
            str(entry.calls) if entry.calls else "-",
            us(entry.stolen_ns) if entry.explained else "-",
            cause_name(entry),
        )
        for entry in sorted(worst, key=lambda entry: entry.outlier.wake_ns)
    )
    notes = (f"The {len(worst)} latest of {len(entries)}.",) if len(entries) > len(worst) else ()
    columns = (
        Column("At", unit="s"),
        *figures("CPU"),
        Column("Late", unit=UNIT),
        *figures("Missed", "Calls"),
        Column("By the cause", unit=UNIT),
        *words("Cause"),
    )
    return Table(_titled(name, "Outliers"), columns, rows, notes)


def _exposure(name: str, result: RtResult) -> Table:
    rows = tuple((e.name, str(e.cpu), str(e.events), us(e.longest_ns), us(e.total_ns)) for e in result.exposure)
    notes = ["A cause that occurred only a few times may have a larger maximum: measure for longer before you rely on it."]
    if result.records_lost:
        notes.append(f"The trace buffers had wrapped: {result.records_lost} records are lost, and these counts are too low.")
    columns = (*words("Call"), *figures("CPU", "n"), *figures("Maximum", "Total", unit=UNIT))
    return Table(_titled(name, "Calls into the firmware during the measurement"), columns, rows, tuple(notes))


def _titled(name: str, title: str) -> str:
    return f"{title} ({name})" if name else title


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
