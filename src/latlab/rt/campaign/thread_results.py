# SPDX-License-Identifier: BSD-3-Clause
"""The results of a run about single threads: for each thread its wake-ups with their causes, and its cycles with their overruns.

The trace is a file that was imported, or what a job left that followed the threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from latlab.core.comparison.wording import count
from latlab.core.errors import DataError, UsageError
from latlab.core.model.distributions import Distribution
from latlab.core.model.enums import Metric, RowKind
from latlab.core.shown import significant
from latlab.rt.analysis.attribution import Attributed
from latlab.rt.analysis.cycles import ThreadCycles, explained_overruns
from latlab.rt.analysis.periodicity import Period, find_period
from latlab.rt.analysis.result import CYCLE_TIMES, KERNEL_TRACE, RtResult
from latlab.rt.analysis.thread_report import ThreadReport, ThreadReporter
from latlab.rt.analysis.thread_sight import sight_of, unread_events
from latlab.rt.analysis.thread_spans import REAL_TIME, FollowedThread, follow, matching
from latlab.rt.model.kernel_events import Thread
from latlab.rt.model.thread_trace import LIVE, ThreadSelection, ThreadSpan, ThreadState, ThreadTrace
from latlab.rt.model.wakeups import Outlier, Wakeups, cpu_row, intervals
from latlab.rt.readers.advice import all_advice
from latlab.rt.readers.live_trace import FORMATS, NOTES, PAGES, LiveTrace, TraceNotes, read_live_trace, read_notes
from latlab.rt.readers.quotas import Throttled, throttled_threads
from latlab.rt.readers.thread_selection import THREADS, read_selection
from latlab.rt.readers.thread_traces import read_thread_trace

MOST_NAMED = 12


def thread_results(files: Mapping[str, bytes], trace_log: str, place: str) -> list[tuple[str, RtResult]]:
    """One or two for each thread: its wake-ups, and its cycles if it has a period."""
    return list(_results_of(files[THREADS], files[trace_log], place))


@lru_cache(maxsize=1)
def _results_of(selected: bytes, trace_file: bytes, place: str) -> tuple[tuple[str, RtResult], ...]:
    """The results of the last trace are kept: an import checks, stores and prints them, and 80 MB of trace took 20 s each time."""
    trace, selection = read_thread_trace(trace_file, place), read_selection(selected, THREADS)
    followed = _running(trace, matching(selection.names, selection.all_rt))
    _check_all_there(trace, followed, selection, place)
    return tuple(_results(trace, followed, selection))


def live_results(files: Mapping[str, bytes]) -> list[tuple[str, RtResult]]:
    """Results like those of `thread_results`, from the files that a job left. Raises DataError if the job could not follow the threads, or
    if none of them ran."""
    names = sorted(name for name in files if name in (NOTES, FORMATS) or PAGES.fullmatch(name))
    return list(_live_results_of(files[THREADS], tuple((name, files[name]) for name in names)))


@lru_cache(maxsize=1)
def _live_results_of(selected: bytes, files: tuple[tuple[str, bytes], ...]) -> tuple[tuple[str, RtResult], ...]:
    selection = read_selection(selected, THREADS)
    notes = read_notes(dict(files)[NOTES].decode("utf-8", "replace"))
    if "failed" in notes.others:
        raise DataError(f"the threads could not be followed: {notes.others['failed']}")
    live = read_live_trace(dict(files))
    followed = _running(live.trace, lambda thread: thread.pid in live.pids)
    if not followed:
        threads = "the followed thread never" if len(live.pids) == 1 else f"none of the {len(live.pids)} followed threads"
        raise DataError(f"{threads} ran in {_seconds(live.trace):.1f} s, so nothing was measured", "use a longer --duration")
    in_quota = throttled_threads(live.notes.counts, live.notes.groups, live.pids) if "quotas" in live.notes.others else None
    return tuple(_results(replace(live.trace, problems=tuple(_problems_of(live))), followed, selection, in_quota))


def _seconds(trace: ThreadTrace) -> float:
    ends = [(stretch[0].step.ns, stretch[-1].step.ns) for stretch in trace.stretches]
    return (max(end for _, end in ends) - min(begin for begin, _ in ends)) / 1e9 if ends else 0.0


def _problems_of(live: LiveTrace) -> Iterator[str]:
    notes = live.notes
    if notes.lost:
        lost = ", ".join(f"{number} of {cpu}" for cpu, number in notes.lost.items())
        buffer = f"the kernel's buffer of {significant(notes.buffer_kib / 1024, 3)} MiB"
        yield f"{buffer} was too small and events were lost: {lost}; use a larger --trace-buffer"
    if "unstarted" in notes.others:
        yield f"the command could not be started: {notes.others['unstarted']}"
    if "full" in notes.others:
        yield f"the disk was full after {_seconds(live.trace):.1f} s of trace ({notes.others['full']}); free some space and measure again"
    if "most" in notes.others:
        mib = int(notes.others["most"]) >> 20
        yield f"the trace reached its limit of {mib} MiB after {_seconds(live.trace):.1f} s; use a shorter --duration"


def trace_facts(files: Mapping[str, bytes]) -> tuple[tuple[str, str], ...]:
    """What a job that followed threads recorded, and what that was; none of another run."""
    if NOTES not in files:
        return ()
    notes = read_notes(files[NOTES].decode("utf-8", "replace"))
    buffer = f"{significant(notes.buffer_kib / 1024, 3)} MiB for each CPU, twice"
    facts = [("trace buffer", buffer), *_command_facts(notes, files)]
    if notes.recorded:
        facts.append(("traced", f"{notes.recorded:,} events, {sum(notes.lost.values()):,} lost"))
    if "ended" in notes.others and notes.root is None:
        facts.append(("end", "all threads had ended before the duration was over"))
    return tuple(facts)


def traced_events(files: Mapping[str, bytes]) -> tuple[str, ...] | None:
    """The kernel's events that a job switched on to follow threads; None of another run."""
    if NOTES not in files:
        return None
    notes = read_notes(files[NOTES].decode("utf-8", "replace"))
    return tuple(event.partition("/")[2] or event for event in notes.events)


def _command_facts(notes: TraceNotes, files: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    if notes.command_status is None:
        return
    by = ", ended by latlab" if "command_ended" in notes.others else ""
    yield "exit status of the command", f"{notes.command_status}{by}"


def _running(trace: ThreadTrace, is_followed: Callable[[Thread], bool]) -> list[FollowedThread]:
    return [thread for thread in follow(trace, is_followed) if thread.of(ThreadState.RUNNING)]


def _results(
    trace: ThreadTrace, followed: Sequence[FollowedThread], selection: ThreadSelection, in_quota: Mapping[int, Throttled] | None = None
) -> Iterator[tuple[str, RtResult]]:
    """`in_quota` are the threads that a quota of a control group held; None if that is unknown, as it is of each imported trace."""
    is_virtual = not selection.is_bare_metal
    reporter, sight = ThreadReporter(trace, is_virtual, in_quota or ()), sight_of(trace, is_virtual)
    start_ns = min(stretch[0].step.ns for stretch in trace.stretches)
    names, reason = _names(followed), unread_events(trace)
    for thread in followed:
        name = names[thread.thread.pid]
        report = reporter.report(thread, selection.threshold_ns, selection.period_ns)
        wakeups = _wakeups(thread, report, trace, start_ns)
        of_trace = trace.problems if thread is followed[0] else ()
        problems = (*of_trace, *_unseen(thread, trace))
        unproven = (*sight, *_quota(thread.thread, in_quota))
        result = _result((wakeups,) if wakeups.cpus else (), report.late, problems, unproven, reason, report)
        yield name, result if trace.problems else replace(result, period=_period_of(report))
        if report.cycles is not None:
            overruns = explained_overruns(report.cycles)
            measured = _cycles(report.cycles, overruns, trace, start_ns)
            yield name, replace(_result((measured,), overruns, (), (), reason), cycles=report.cycles)


def _check_all_there(trace: ThreadTrace, followed: Sequence[FollowedThread], selection: ThreadSelection, place: str) -> None:
    for name in selection.names:
        if not any(matching((name,))(thread.thread) for thread in followed) and not follow(trace, matching((name,))):
            real_time = follow(trace, lambda thread: thread.pid != 0 and thread.priority < REAL_TIME)
            real_time_names = ", ".join(dict.fromkeys(thread.thread.name for thread in real_time[:MOST_NAMED]))
            raise UsageError(
                f"no thread {name!r} ran in this trace",
                f"its real-time threads are {real_time_names}" if real_time_names else "it has no real-time thread",
                value=name,
                place=place,
            )
    if not followed:
        raise UsageError("no thread with a real-time priority ran in this trace", "name a thread with --thread", place=place)


def _names(followed: Sequence[FollowedThread]) -> dict[int, str]:
    """By the thread's name, and its number if several have that name."""
    names = [thread.thread.name for thread in followed]
    return {
        thread.thread.pid: thread.thread.name if names.count(thread.thread.name) == 1 else f"{thread.thread.name}-{thread.thread.pid}"
        for thread in followed
    }


def _result(
    wakeups: tuple[Wakeups, ...],
    attributed: tuple[Attributed, ...],
    problems: tuple[str, ...],
    sight: tuple[str, ...],
    reason: str,
    report: ThreadReport | None = None,
) -> RtResult:
    unread = dict.fromkeys((entry.outlier.cpu for entry in attributed), reason) if reason else {}
    return RtResult(wakeups, attributed, (), None, problems, sight=sight, advice=all_advice(), thread=report, unread=unread)


def _wakeups(followed: FollowedThread, report: ThreadReport, trace: ThreadTrace, start_ns: int) -> Wakeups:
    waits = followed.of(ThreadState.WOKEN)
    rows = tuple(_row(cpu, [wait.ns for wait in waits if wait.cpu == cpu], trace.resolution_ns) for cpu in _cpus(waits))
    begins = "sched_waking" if "sched_waking" in trace.recorded else "sched_wakeup"
    facts = (("rows", f"wake-ups of {followed.thread.name} (thread {followed.thread.pid}), from {begins} to the switch to it"),)
    outliers = tuple(entry.outlier for entry in report.late)
    is_whole = not trace.problems and not followed.unseen_starts
    return Wakeups(KERNEL_TRACE, None, trace.resolution_ns, rows, outliers, start_ns, facts=facts, complete=is_whole)


def _period_of(report: ThreadReport) -> Period | None:
    """Of the late wake-ups. A thread that is woken in the grid of its cycles has that grid as no period of its lateness."""
    if report.cycles is None:
        return None
    return find_period([entry.outlier.wake_ns - entry.outlier.late_ns for entry in report.late], report.cycles.period_ns)


def _quota(thread: Thread, in_quota: Mapping[int, Throttled] | None) -> Iterator[str]:
    """What is known of quotas, where the thread has no real-time priority: they hold no other."""
    if thread.priority < REAL_TIME:
        return
    if in_quota is None:
        named = f"a thread named here may have run while a quota kept {thread.name} off"
        yield f"No event shows the quota of a control group (cpu.stat): {named}"
    elif quota := in_quota.get(thread.pid):
        group = f"The quota of the control group {quota.group}" if quota.group else f"{thread.name} ended before its group was read. Quotas"
        times = f"{quota.times:,} times for {significant(quota.ns / 1e6, 4)} ms"
        yield f"{group} kept threads off their CPUs {times} (cpu.stat); no event says when"


def _unseen(followed: FollowedThread, trace: ThreadTrace) -> Iterator[str]:
    if followed.unseen_starts:
        waits = count(followed.unseen_starts, "wait")
        advice = "the kernel recorded no switch to it" if trace.tool == LIVE else "record irq_vectors:* and irq:* too"
        yield f"{waits} of {followed.thread.name} have no recorded end, and no latency; {advice}"


def _cpus(waits: Sequence[ThreadSpan]) -> list[int]:
    return sorted({wait.cpu for wait in waits})


def _row(number: int, ns: Sequence[int], resolution_ns: int) -> Distribution:
    values, counts = np.unique(np.array(ns, dtype=np.int64), return_counts=True)
    return cpu_row(number, intervals(values, values + resolution_ns, counts), len(ns), min(ns), max(ns), sum(ns) / len(ns))


def _cycles(cycles: ThreadCycles, overruns: Sequence[Attributed], trace: ThreadTrace, start_ns: int) -> Wakeups:
    """One row for the thread, whichever CPU it ran on."""
    row = _row(0, [cycle.ns for cycle in cycles.cycles], trace.resolution_ns)
    missed = sum(cycle.missed for cycle in cycles.cycles)
    row = replace(row, metric=Metric.CYCLE, missed=missed, expected=len(cycles.cycles) + missed)
    how = "given" if cycles.is_given else "found in the trace"
    facts = (
        ("period", f"{significant(cycles.period_ns / 1000)} µs, {how}"),
        ("a cycle is due", "at the multiples of its period" if cycles.is_on_grid else "when the thread is woken"),
        ("a cycle ends", "at the call that waits for the next" if cycles.by_calls else "at the sleep that an interrupt ends"),
    )
    outliers: tuple[Outlier, ...] = tuple(entry.outlier for entry in overruns)
    return Wakeups(
        CYCLE_TIMES,
        cycles.period_ns,
        trace.resolution_ns,
        (row,),
        outliers,
        start_ns,
        facts=facts,
        metric=Metric.CYCLE,
        rows=RowKind.THREAD,
    )
