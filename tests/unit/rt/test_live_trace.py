# SPDX-License-Identifier: BSD-3-Clause
"""What a job leaves that followed threads: planned schedules in the pages of the kernel's buffer, held against what was planned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latlab.core.comparison.conditions import differences
from latlab.core.comparison.identity import NotComparable
from latlab.core.errors import DataError
from latlab.core.model.blame import Blame, BlameKind
from latlab.core.model.conditions import Conditions
from latlab.rt.analysis import cycles as cycles_module
from latlab.rt.analysis.cycles import explained_overruns
from latlab.rt.analysis.lateness_parts import LatenessPart
from latlab.rt.analysis.thread_report import ThreadReporter
from latlab.rt.analysis.thread_sight import sight_of
from latlab.rt.analysis.thread_spans import follow, matching
from latlab.rt.campaign.thread_results import live_results, trace_facts, traced_events
from latlab.rt.model.kernel_events import StepKind, Thread
from latlab.rt.model.thread_trace import ThreadSelection, ThreadState
from latlab.rt.readers.live_trace import read_live_trace, read_notes
from latlab.rt.readers.thread_selection import THREADS, written_selection
from latlab.rt.readers.thread_traces import read_thread_trace
from latlab.rt.readers.trace_pages import LostEvents, RawEvent, read_layout, read_pages
from support.raw_traces import LAYOUT, PAGE_BYTES, Raw, as_live, files_of, pages, raw_events, record
from support.runs import run_with
from support.scheduled import as_ftrace, schedule

SEEDS = st.integers(0, 2**32)
drawn_schedules = settings(max_examples=10, deadline=None)
LOOPS = (100, 101)
MS = 1_000_000
NO_PERIOD = written_selection(ThreadSelection(threshold_ns=100_000, is_bare_metal=True))


def waits_of(files: dict[str, bytes]) -> dict[int, list[tuple[int, int, int]]]:
    live = read_live_trace(files)
    followed = follow(live.trace, lambda thread: thread.pid in live.pids)
    return {thread.thread.pid: [(span.begin_ns, span.end_ns, span.cpu) for span in thread.of(ThreadState.WOKEN)] for thread in followed}


@drawn_schedules
@given(SEEDS)
def test_pages_have_the_planned_wake_ups_to_the_event_and_the_events_of_the_same_trace_as_text(seed):
    planned = schedule(seed)
    files = as_live(planned, LOOPS)
    assert waits_of(files) == planned.waits
    (raw,), (text,) = read_live_trace(files).trace.stretches, read_thread_trace(as_ftrace(planned).encode(), "x").stretches
    numbers = [[(event.cpu, event.step.ns, event.step.step, event.to_cpu, event.step.left) for event in events] for events in (raw, text)]
    assert sorted(numbers[0]) == sorted(numbers[1])
    for mine, theirs in zip(sorted(raw, key=lambda e: (e.step.ns, e.cpu)), sorted(text, key=lambda e: (e.step.ns, e.cpu)), strict=True):
        assert (mine.step.leaves, mine.step.comes, mine.thread) == (theirs.step.leaves, theirs.step.comes, theirs.thread)
        assert (mine.step.is_switch_due, mine.step.in_interrupt) == (theirs.step.is_switch_due, theirs.step.in_interrupt)


@drawn_schedules
@given(st.lists(st.integers(0, 1 << 40), min_size=1, max_size=60), st.integers(0, 1 << 50))
def test_times_of_any_distance_and_records_of_any_length_come_back(distances, begin_ns):
    ns, events = begin_ns, []
    for at, distance in enumerate(distances):
        ns += distance
        events.append(Raw(ns, "irq_handler_entry", at, (at, "n" * (at * 7 % 150))))
    read = list(read_pages(pages(events), read_layout(LAYOUT, "x")))
    assert [(item.ns, item.record.rstrip(b"\0")) for item in read if isinstance(item, RawEvent)] == [
        (event.ns, record(event).rstrip(b"\0")) for event in events
    ]


def test_a_page_that_is_cut_off_is_left_out_and_any_bytes_are_no_fault():
    data = pages([Raw(at * MS, "softirq_entry", 1, (1,)) for at in range(100)])
    layout = read_layout(LAYOUT, "x")
    whole = sum(isinstance(item, RawEvent) for item in read_pages(data[: 2 * PAGE_BYTES], layout))
    assert sum(isinstance(item, RawEvent) for item in read_pages(data[: 3 * PAGE_BYTES - 1], layout)) == whole
    for byte in (0x00, 0x1D, 0x1E, 0x1F, 0xFF):
        list(read_pages(bytes([byte]) * (2 * PAGE_BYTES), layout))
    with pytest.raises(DataError, match="layout"):
        read_layout("field: char data;", "x")


def test_lost_events_cut_the_trace_and_nobody_waits_across_them():
    planned = schedule(3)
    by_cpu = raw_events(planned)
    cpu_0 = by_cpu[0]
    first, behind = cpu_0[len(cpu_0) // 2 - 1], cpu_0[len(cpu_0) // 2 + 10]
    remaining = [event for event in cpu_0 if not first.ns < event.ns < behind.ns]
    files = files_of(by_cpu, [*(f"thread {pid}" for pid in LOOPS), "buffer_kib 512", "stats machine cpu0 overrun: 10"])
    files["machine-cpu0.raw"] = pages(remaining, [behind.ns])
    gaps = [item for item in read_pages(files["machine-cpu0.raw"], read_layout(LAYOUT, "x")) if isinstance(item, LostEvents)]
    assert gaps == [LostEvents(first.ns, behind.ns)]
    inside = [wait for wait in planned.waits[101] if first.ns < wait[0] < behind.ns]
    assert inside and not set(inside) & set(waits_of(files)[101])
    assert all(wait in planned.waits[pid] for pid, waits in waits_of(files).items() for wait in waits)
    problems = live_results({**files, THREADS: NO_PERIOD})[0][1].problems
    assert any("buffer of 0.5 MiB was too small and events were lost: 10 of cpu0" in problem for problem in problems)


def switch(ns: int, leaves: tuple[str, int], state: int, comes: tuple[str, int]) -> Raw:
    return Raw(ns, "sched_switch", leaves[1], (*leaves, 19, state, *comes, 120))


def waking(ns: int, by: int, thread: tuple[str, int], cpu: int = 0, flags: int = 9) -> Raw:
    return Raw(ns, "sched_waking", by, (*thread, 19, cpu), flags)


IDLE, LOOP = ("swapper/0", 0), ("loop", 7)


def loop_cycles(count: int, late: dict[int, list[Raw]], work_ns: int = 100_000) -> tuple[list[Raw], list[Raw]]:
    """The events of the CPU and the calls of a loop with a period of 1 ms. `late` has what comes while a cycle works."""
    machine, own = [], []
    for number in range(count):
        due = 1_000_000_000 + number * MS
        machine += [waking(due, 0, LOOP), switch(due + 5000, IDLE, 0, LOOP)]
        own.append(Raw(due + 6000, "sys_exit_clock_nanosleep", 7))
        machine += late.get(number, [])
        end = (late[number][-1].ns if number in late else due + 6000) + work_ns
        own.append(Raw(end, "sys_enter_clock_nanosleep", 7))
        machine.append(switch(end + 1000, LOOP, 1, IDLE))
    return machine, own


def test_events_of_the_threads_alone_end_the_cycles_and_an_overrun_has_its_cause():
    due = 1_000_000_000 + 10 * MS
    hog = ("hog", 9)
    machine, own = loop_cycles(11, {10: [switch(due + 50_000, LOOP, 256, hog), switch(due + 1_500_000, hog, 1, LOOP)]})
    live = read_live_trace(files_of({0: machine}, ["thread 7"], {0: own}))
    (thread,) = follow(live.trace, matching(("loop",)))
    cycles = ThreadReporter(live.trace, is_virtual=False).report(thread, 100_000, MS).cycles
    assert cycles is not None and cycles.by_calls and len(cycles.cycles) == 11
    (overrun,) = explained_overruns(cycles)
    assert (overrun.blame.kind, overrun.blame.name.partition(" ")[0]) == (BlameKind.THREAD, "hog")


@pytest.mark.parametrize("name, fields", [("contention_begin", (0, 1)), ("softirq_entry", (1,)), ("page_fault_user", (0,))])
def test_an_event_behind_the_switch_of_a_thread_that_leaves_does_not_bring_it_back(name, fields):
    """The kernel traces a switch before it makes it."""
    machine, own = loop_cycles(20, {})
    leaving = next(event for event in machine[40:] if event.name == "sched_switch" and event.fields[1] == 7)
    for behind in (Raw(leaving.ns + 300, name, 7, fields), Raw(leaving.ns + 300, "softirq_exit", 7, (1,))):
        in_order = sorted([*machine, behind], key=lambda event: event.ns)
        live = read_live_trace(files_of({0: in_order}, ["thread 7"], {0: own}))
        (thread,) = follow(live.trace, matching(("loop",)))
        report = ThreadReporter(live.trace, is_virtual=False).report(thread, 100_000, MS)
        assert report.states[ThreadState.WOKEN].count == 20 and report.cycles is not None
        assert not any(part.blame.kind is BlameKind.UNEXPLAINED for cycle in report.cycles.cycles for part in cycle.parts)


def test_a_thread_that_comes_back_from_one_whose_switches_are_not_recorded_is_on_its_cpu_again():
    """Some kernels record no switch of some threads. A waking tells such a return from an event behind the own switch."""
    due, silent = 1_000_000_000, ("silent", 3)
    events = [
        switch(due, IDLE, 0, LOOP),
        switch(due + 10_000, LOOP, 1, silent),
        waking(due + 100_000, 3, LOOP),
        Raw(due + 110_000, "softirq_entry", 7, (1,)),
        Raw(due + 111_000, "softirq_exit", 7, (1,)),
        switch(due + 120_000, LOOP, 1, IDLE),
    ]
    assert waits_of(files_of({0: events}, ["thread 7"])) == {7: [(due + 100_000, due + 110_000, 0)]}


def test_of_many_cycles_a_sample_shows_what_is_usual_and_each_overrun_its_cause(monkeypatch):
    hog = ("hog", 9)
    late = {
        number: [
            switch(1_000_000_000 + number * MS + 50_000, LOOP, 256, hog),
            switch(1_000_000_000 + number * MS + 1_500_000, hog, 1, LOOP),
        ]
        for number in (17, 43)
    }
    machine, own = loop_cycles(60, late)
    for number in late:
        machine = [event for event in machine if not 1e9 + (number + 1) * MS <= event.ns < 1e9 + (number + 2) * MS or event in late[number]]
        own = [event for event in own if not 1e9 + (number + 1) * MS <= event.ns < 1e9 + (number + 2) * MS]
    live = read_live_trace(files_of({0: sorted(machine, key=lambda event: event.ns)}, ["thread 7"], {0: own}))
    (thread,) = follow(live.trace, matching(("loop",)))

    def blames() -> list[str]:
        cycles = ThreadReporter(live.trace, is_virtual=False).report(thread, 100_000, MS).cycles
        assert cycles is not None
        return [overrun.blame.name for overrun in explained_overruns(cycles)]

    whole = blames()
    monkeypatch.setattr(cycles_module, "SAMPLED", 7)
    assert blames() == whole and whole.count("hog (priority 20)") + whole.count("hog (not real-time)") == 2


def test_threads_that_are_started_later_are_followed_and_other_processes_only_of_a_command():
    started = [
        Raw(MS, "task_newtask", 7, (8, "later", 0x10000)),
        Raw(2 * MS, "task_newtask", 7, (20, "child", 0)),
        Raw(3 * MS, "task_newtask", 8, (9, "later still", 0x10000)),
        Raw(4 * MS, "task_newtask", 1, (30, "other", 0x10000)),
    ]
    machine, _ = loop_cycles(3, {})
    assert read_live_trace(files_of({0: [*started, *machine]}, ["thread 7"])).pids == {7, 8, 9}
    assert read_live_trace(files_of({0: [*started, *machine]}, ["thread 7", "any"])).pids == {7, 8, 9, 20}
    assert read_live_trace(files_of({0: [*started, *machine]}, ["root 7"])).pids == {7, 8, 9, 20}


def test_each_kind_of_event_becomes_a_step_of_the_thread_on_the_cpu():
    events = [Raw(1, "irq_handler_entry", 7, (24, "eth0")), Raw(2, "irq_handler_exit", 7, (24, 1)), Raw(3, "softirq_entry", 7, (3,)),
              Raw(4, "softirq_exit", 7, (3,)), Raw(5, "cpu_idle", 0, (1, 0)), Raw(6, "cpu_idle", 0, ((1 << 32) - 1, 0)),
              Raw(7, "contention_begin", 7, (0, 32)), Raw(8, "contention_end", 7, (0, 0)), Raw(9, "page_fault_user", 7, (0,)),
              Raw(10, "local_timer_entry", 7, (236,)), Raw(11, "cpu_idle", 0, (1, 3)), Raw(12, "sys_enter_clock_nanosleep", 7)]  # fmt: skip
    files = files_of({0: events}, ["thread 7"])
    steps = [(event.step.step, event.step.name, event.current and event.current.pid) for event in read_live_trace(files).trace.stretches[0]]
    assert steps == [
        (StepKind.INTERRUPT_IN, "eth0", 7), (StepKind.INTERRUPT_OUT, "", 7), (StepKind.SOFTIRQ_IN, "NET_RX", 7),
        (StepKind.SOFTIRQ_OUT, "NET_RX", 7), (StepKind.IDLE_IN, "state 1", 0), (StepKind.IDLE_OUT, "", 0), (StepKind.LOCK_IN, "mutex", 7),
        (StepKind.LOCK_OUT, "", 7), (StepKind.FAULT, "", 7), (StepKind.INTERRUPT_IN, "local_timer", 7),
        (StepKind.CALL_IN, "clock_nanosleep", 7),
    ]  # fmt: skip


def test_no_thread_that_ran_and_a_job_that_failed_are_said():
    machine, _ = loop_cycles(3, {})
    with pytest.raises(DataError, match=r"none of the 2 followed threads ran in 0\.0 s, so nothing was measured; use a longer"):
        live_results({**files_of({0: machine}, ["thread 50", "thread 51"]), THREADS: NO_PERIOD})
    with pytest.raises(DataError, match="the threads could not be followed: Permission denied"):
        live_results({**files_of({}, ["failed Permission denied"]), THREADS: NO_PERIOD})


def test_a_trace_that_was_cut_short_is_partial_and_says_by_what():
    machine, _ = loop_cycles(30, {})
    for note, words in (("full dd: error writing", "the disk was full after 0.0 s"), ("most 1048576", "limit of 1 MiB after 0.0 s")):
        problems = live_results({**files_of({0: machine}, ["thread 7", note]), THREADS: NO_PERIOD})[0][1].problems
        assert any(words in problem for problem in problems)


def test_what_was_recorded_and_how_a_command_ended_are_facts():
    notes = ["root 7", "buffer_kib 8192", "command_status 3", "stats machine cpu0 read events: 1200", "stats own cpu0 read events: 34"]
    facts = dict(trace_facts(files_of({}, notes)))
    assert facts["traced"] == "1,234 events, 0 lost" and facts["exit status of the command"] == "3"
    assert facts["trace buffer"].startswith("8 MiB")
    assert trace_facts({}) == ()
    assert "ended by latlab" in dict(trace_facts(files_of({}, [*notes, "command_ended by latlab"])))["exit status of the command"]


def test_runs_that_recorded_other_events_are_not_comparable_and_say_which():
    """Each event takes its time from the threads that are followed."""
    every, fewer = (traced_events(files_of({}, more)) for more in (["event exceptions/page_fault_kernel"], []))
    run, same, other = (
        run_with(id=name, conditions=Conditions(trace_events=events)) for name, events in (("a", every), ("s", every), ("b", fewer))
    )
    assert differences(run, same).title == ""
    with pytest.raises(NotComparable, match="the trace events differ, without page_fault_kernel in b;"):
        differences(run, other)
    assert traced_events({}) is None


def test_damaged_notes_cost_only_themselves():
    notes = read_notes("call x y\ncall 5\nthread -1\nthread 7\nstats machine\nstats machine cpu0 overrun: x\nroot\n\nstopped\n")
    assert (notes.threads, notes.calls, notes.stats, notes.root) == ({7}, {}, {}, None)
    assert notes.others.keys() >= {"stopped"}


def test_a_trace_without_the_scheduler_is_refused():
    files = files_of({}, ["thread 7"])
    formats = files["trace-formats.txt"].replace(b"name: sched_switch", b"name: other")
    with pytest.raises(DataError, match="no sched_switch"):
        read_live_trace({**files, "trace-formats.txt": formats})


def test_events_that_the_kernel_lacks_are_listed_and_those_that_never_came_are_not():
    machine, own = loop_cycles(3, {})
    live = read_live_trace(files_of({0: machine}, ["thread 7"], {0: own}))
    (sentence,) = sight_of(live.trace, is_virtual=False)
    assert sentence.startswith(
        "This kernel has no event of these, so they are unknown: on which CPU a thread waited before it moved; a kernel"
    )
    assert "sched:sched_migrate_task" in sentence and "perf record" not in sentence


def test_two_results_of_a_thread_are_those_of_the_same_trace_as_a_file():
    machine, own = loop_cycles(60, {})
    files = {**files_of({0: machine}, ["thread 7"], {0: own}), THREADS: NO_PERIOD}
    names = [(name, [wakeups.tool for wakeups in result.wakeups]) for name, result in live_results(files)]
    assert names == [("loop", ["kernel trace"]), ("loop", ["cycle times"])]
    assert replace(live_results(files)[0][1], thread=None) == replace(live_results(dict(files))[0][1], thread=None)


def causes_of(*cycles: Mapping[BlameKind, float]) -> list[BlameKind]:
    """The causes of the overruns among cycles of 5 ms that are made of these parts, in ms."""
    made = []
    for of_cycle in cycles:
        parts = tuple(LatenessPart(Blame(kind), round(ms * MS)) for kind, ms in of_cycle.items())
        made.append(cycles_module.ThreadCycle(0, 0, sum(part.ns for part in parts), 0, parts))
    all_cycles = cycles_module.ThreadCycles(Thread("loop", 7, 120), 5 * MS, True, True, True, tuple(made))
    return [entry.blame.kind for entry in explained_overruns(all_cycles)]


BEFORE, COMPUTING, HELD, PREEMPTED = BlameKind.CYCLE_BEFORE, BlameKind.COMPUTING, BlameKind.THROTTLED, BlameKind.THREAD


def test_where_most_cycles_wait_for_the_one_before_no_millisecond_of_their_own_is_blamed():
    assert causes_of({BEFORE: 45, COMPUTING: 1}, {BEFORE: 45, COMPUTING: 1.1}, {BEFORE: 44, COMPUTING: 1}) == [BEFORE] * 3


def test_a_cycle_that_is_late_alone_has_a_cause_of_its_own_however_late_the_loop_was():
    """A loop that never catches up: what holds it is what there is to know, not that it was late before."""
    behind = [{BEFORE: 100 * late, COMPUTING: 1} for late in range(1, 5)]
    assert causes_of(*behind, {BEFORE: 2000, COMPUTING: 1, HELD: 45}) == [BEFORE] * 4 + [HELD]
    assert causes_of(*({BEFORE: late, COMPUTING: 6} for late in range(5))) == [COMPUTING] * 5


def test_a_cycle_that_a_little_tips_over_its_period_blames_that_little():
    assert causes_of({COMPUTING: 4.9}, {COMPUTING: 4.9}, {COMPUTING: 4.9}, {BEFORE: 0.2, COMPUTING: 4.9}) == [BEFORE]


def test_what_kept_a_cycle_for_long_is_its_cause_beside_a_little_of_the_cycle_before():
    assert causes_of({COMPUTING: 1}, {COMPUTING: 1}, {COMPUTING: 1}, {BEFORE: 0.3, COMPUTING: 1, PREEMPTED: 3.9}) == [PREEMPTED]
