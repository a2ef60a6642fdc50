# SPDX-License-Identifier: BSD-3-Clause
"""What a trace says of one thread: its time by state, and its cycles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple

import numpy as np

from latlab.core.comparison.wording import count, said_blame
from latlab.core.model.blame import UNEXPLAINED
from latlab.core.report.table import Column, Table, figures, prose, words
from latlab.core.shown import significant
from latlab.rt.analysis.causes import cause_name
from latlab.rt.analysis.cycles import ThreadCycle, ThreadCycles
from latlab.rt.analysis.result import RtResult
from latlab.rt.analysis.thread_report import ThreadReport
from latlab.rt.model.thread_trace import ThreadState
from latlab.rt.pages.words import us, why_unread

MOST_PREEMPTIONS = 5
STATES = {
    ThreadState.RUNNING: "on a CPU",
    ThreadState.WOKEN: "woken, waits for a CPU",
    ThreadState.PREEMPTED: "preempted, waits for a CPU",
    ThreadState.ASLEEP: "asleep",
    ThreadState.BLOCKED: "blocked in the kernel",
}
UNKNOWN_STATE = "State not in the trace"
SPLITS: tuple[tuple[str, Callable[[ThreadCycle], int]], ...] = (
    ("Start after due", lambda cycle: cycle.jitter_ns),
    ("Until woken", lambda cycle: cycle.split.before_run_ns),
    ("Woken, waits for a CPU", lambda cycle: cycle.split.waiting_ns),
    ("Computing", lambda cycle: cycle.split.computing_ns),
    ("Interrupted", lambda cycle: cycle.split.interrupted_ns),
    ("Preempted", lambda cycle: cycle.split.preempted_ns),
    ("Asleep or blocked in the cycle", lambda cycle: cycle.split.asleep_ns),
    (UNKNOWN_STATE, lambda cycle: cycle.ns - sum(astuple(cycle.split))),
    ("Due to end", lambda cycle: cycle.ns),
)


NONE = "0"
MOST_IN_FULL = 4
"""Up to so many threads have all their tables on a screen; of more, the two with the latest wake-up and the longest cycle."""


def by_thread(results: Sequence[tuple[str, RtResult]]) -> dict[str, tuple[RtResult, RtResult | None]]:
    """The wake-ups of each thread by its name, and its cycles if it has a period."""
    wakeups = {name: result for name, result in results if result.thread is not None}
    cycles = {name: result for name, result in results if result.cycles is not None}
    return {name: (result, cycles.get(name)) for name, result in wakeups.items()}


def in_full(threads: Mapping[str, tuple[RtResult, RtResult | None]]) -> list[str]:
    """The names of those whose tables a screen shows."""
    if len(threads) <= MOST_IN_FULL:
        return list(threads)
    latest = max(threads, key=lambda name: _latest_ns(threads[name][0]))
    longest = max(threads, key=lambda name: _latest_ns(threads[name][1]))
    return list(dict.fromkeys((latest, longest)))


def overview(threads: Mapping[str, tuple[RtResult, RtResult | None]], below: str = "") -> Table:
    """A row for each thread that waited for a CPU or has cycles, the one with the latest wake-up first; the others are counted. `below` is
    a note."""
    names = sorted(threads, key=lambda name: -_latest_ns(threads[name][0]))
    shown = (name for name in names if not is_quiet(*threads[name]))
    rows = tuple((name, *_of_wakeups(threads[name][0]), *_of_cycles(threads[name][1])) for name in shown)
    quiet = f"Without a wake-up: {count(len(names) - len(rows), 'more thread')}." if len(rows) < len(names) else ""
    columns = (
        *words("Thread"),
        *figures("Wake-ups"),
        *figures("Average", "Maximum", unit="µs"),
        prose("Cause of the latest"),
        *figures("Cycles", "Overruns"),
        *figures("Longest cycle", unit="µs"),
    )
    return Table(f"The {len(threads)} threads", columns, rows, tuple(filter(None, (quiet, below))))


def is_quiet(wakeups: RtResult, cycles: RtResult | None) -> bool:
    """Whether a thread never waited for a CPU and has no cycles."""
    return _of_wakeups(wakeups)[0] == NONE and _of_cycles(cycles)[0] == "-"


def _latest_ns(result: RtResult | None) -> int:
    return max((wakeups.max_ns for wakeups in result.wakeups if wakeups.cpus), default=0) if result is not None else 0


def _of_wakeups(result: RtResult) -> tuple[str, str, str, str]:
    cpus = [cpu for wakeups in result.wakeups for cpu in wakeups.cpus]
    number = sum(cpu.got for cpu in cpus)
    if not number:
        return NONE, "-", "-", "-"
    average_ns = sum(cpu.average_ticks * cpu.got for cpu in cpus) / number
    latest = max(result.attributed or (), key=lambda entry: entry.outlier.late_ns, default=None)
    return str(number), us(average_ns), us(_latest_ns(result)), "-" if latest is None else cause_name(latest)


def _of_cycles(result: RtResult | None) -> tuple[str, str, str]:
    if result is None or result.cycles is None or not result.cycles.cycles:
        return "-", "-", "-"
    return str(len(result.cycles.cycles)), str(len(result.cycles.overruns)), us(_latest_ns(result))


def tables(result: RtResult) -> list[Table]:
    return list(_tables(result))


def _tables(result: RtResult) -> Iterator[Table]:
    if result.thread is not None:
        yield _states(result.thread)
    if result.cycles is not None and result.cycles.cycles:
        yield _cycles(result.cycles)


def _states(report: ThreadReport) -> Table:
    whole_ns = sum(time.total_ns for time in report.states.values()) or 1
    rows = tuple(
        (STATES[state], str(time.count), us(time.total_ns), f"{100 * time.total_ns / whole_ns:.1f}", us(time.longest_ns))
        for state, time in report.states.items()
    )
    columns = (
        *words("State"),
        *figures("Times"),
        Column("Total", unit="µs"),
        Column("Share", unit="%"),
        Column("Longest", unit="µs"),
    )
    notes = [f"moved to another CPU {report.migrations} times"] if report.migrations else []
    if report.preempted_by:
        largest = ", ".join(f"{said_blame(blame)} {us(ns)}" for blame, ns in report.preempted_by[:MOST_PREEMPTIONS])
        notes.append(f"preempted by (µs): {largest}")
    return Table("Time of the thread by state", columns, rows, tuple(notes))


def _cycles(cycles: ThreadCycles) -> Table:
    times = {name: [ns_of(cycle) for cycle in cycles.cycles] for name, ns_of in SPLITS}
    rows = tuple((name, *_quantiles(ns)) for name, ns in times.items() if any(ns) or name != UNKNOWN_STATE)
    columns = (*words("Part of a cycle"), *figures("Minimum", "Median", "99 %", "Maximum", "Total", unit="µs"))
    overruns = len(cycles.overruns)
    note = f"{overruns} of {len(cycles.cycles)} cycles ended more than {significant(cycles.period_ns / 1000)} µs after they were due"
    return Table("Parts of the cycles", columns, rows, (note, *_not_woken(cycles.cycles)))


def _not_woken(cycles: Sequence[ThreadCycle]) -> Iterator[str]:
    awake = sum(not cycle.is_woken for cycle in cycles)
    if awake:
        yield (
            f"{awake} of {len(cycles)} cycles ({100 * awake / len(cycles):.0f} %) have no wake-up: the thread did not sleep before them. "
            "It was still busy with the cycle before, or was catching up, when their period began"
        )


def overruns_sentence(results: Sequence[tuple[str, RtResult]]) -> str:
    """Of the thread with the longest overrun, in its periods; of all threads if none has any. Empty if no thread has cycles."""
    with_cycles = [(name, result, result.cycles) for name, result in results if result.cycles is not None and result.cycles.cycles]
    overran = [entry for entry in with_cycles if entry[2].overruns]
    if not overran:
        total = sum(len(entry[2].cycles) for entry in with_cycles)
        return f"None of {total:,} cycles overran its period." if total else ""
    name, result, cycles = max(overran, key=lambda entry: max(cycle.ns for cycle in entry[2].overruns) / entry[2].period_ns)
    longest = max(cycles.overruns, key=lambda cycle: cycle.ns)
    entry = next((entry for entry in result.attributed or () if entry.outlier.wake_ns == longest.end_ns), None)
    cause = said_blame(entry.blame if entry else UNEXPLAINED)
    why = why_unread(result, entry.outlier.cpu) if entry and entry.blame == UNEXPLAINED else ""
    others = f" {len(overran)} of {len(with_cycles)} threads have overruns." if len(with_cycles) > 1 else ""
    return (
        f"{len(cycles.overruns):,} of {len(cycles.cycles):,} cycles of {name} "
        f"overran their period of {significant(cycles.period_ns / 1000)} µs; "
        f"the longest took {longest.ns / 1000:,.1f} µs: {cause}{why}.{others}"
    )


def _quantiles(ns: Sequence[int]) -> tuple[str, ...]:
    low, half, high, most = np.quantile(ns, (0, 0.5, 0.99, 1), method="higher")
    return us(int(low)), us(int(half)), us(int(high)), us(int(most)), us(sum(ns))
