# SPDX-License-Identifier: BSD-3-Clause
"""Threads in a trace of the kernel: planned schedules in each form of a trace, held against what was planned."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import astuple, replace
from itertools import pairwise
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latlab.core.comparison.by_kind import explain_pair, explain_run
from latlab.core.errors import DataError, UsageError
from latlab.core.lifecycle.material import load_run
from latlab.core.model.blame import UNEXPLAINED, Blame, BlameKind
from latlab.core.model.distributions import WakeupCounts
from latlab.core.model.work_progress import WorkState, progress_to
from latlab.core.report.comparison.comparison_tables import wakeup_tables
from latlab.core.report.comparison.wakeup_pairs import extent
from latlab.core.report.page import Folded
from latlab.core.report.table import Table, text_of
from latlab.core.report.text import plain
from latlab.core.store.store import open_store
from latlab.rt.analysis.cycles import ThreadCycles, explained_overruns
from latlab.rt.analysis.own_waits import said_priority
from latlab.rt.analysis.result import RtResult
from latlab.rt.analysis.thread_causes import CauseFinder
from latlab.rt.analysis.thread_report import ThreadReporter
from latlab.rt.analysis.thread_sight import sight_of, unread_events
from latlab.rt.analysis.thread_spans import follow, matching
from latlab.rt.campaign.thread_results import thread_results
from latlab.rt.campaign.thread_selecting import period_of, selected
from latlab.rt.model.kernel_events import UNKNOWN_PRIORITY
from latlab.rt.model.thread_trace import ThreadSelection, ThreadState, ThreadTrace
from latlab.rt.pages.thread_tables import UNKNOWN_STATE, by_thread, overruns_sentence, overview, tables
from latlab.rt.pages.wakeup_pages import answer
from latlab.rt.pages.web import page
from latlab.rt.readers.perfetto_ftrace import is_perfetto
from latlab.rt.readers.thread_selection import THREADS, read_selection, written_selection
from latlab.rt.readers.thread_traces import read_thread_trace
from latlab.runs.campaign.importing_file import StatedOptions, import_threads
from support.pairs_of_kind import compare_wakeups
from support.runs import run_with
from support.scheduled import as_ftrace, as_perf, as_perfetto, schedule

RT = ("rt loop",)
SEEDS = st.integers(0, 2**32)
drawn_schedules = settings(max_examples=10, deadline=None)


def waits_of(data: bytes) -> dict[int, list[tuple[int, int, int]]]:
    followed = follow(read_thread_trace(data, "x"), matching(RT))
    return {thread.thread.pid: [(span.begin_ns, span.end_ns, span.cpu) for span in thread.of(ThreadState.WOKEN)] for thread in followed}


@drawn_schedules
@given(SEEDS)
def test_each_form_of_a_trace_has_the_planned_wake_ups_to_the_event(seed):
    planned = schedule(seed)
    for data in (as_ftrace(planned).encode(), as_perf(planned).encode(), as_perfetto(planned)):
        assert waits_of(data) == planned.waits


@pytest.mark.parametrize("form", [as_ftrace, as_perf, as_perfetto])
def test_each_phase_of_reading_a_trace_reports_how_much_is_done_until_all_is(form):
    data = form(schedule(3))
    states: list[WorkState] = []
    with progress_to(states.append):
        results_with(RT, data if isinstance(data, bytes) else data.encode())
    last = {state.work: state for state in states}
    assert {work.partition(" ")[0] for work in last} == {"reading", "following", "what", "rt"}
    assert all(state.done == state.total for state in last.values())


@drawn_schedules
@given(SEEDS)
def test_without_switches_of_idle_tasks_each_wait_is_as_planned_or_counted_as_one_without_an_end(seed):
    planned = schedule(seed)
    data = "".join(
        line for line in as_perf(planned).splitlines(keepends=True) if "swapper" not in line.partition("==>")[0].partition(": ")[2]
    )
    found = waits_of(data.encode())
    for thread in follow(read_thread_trace(data.encode(), "x"), matching(RT)):
        waits, whole = found[thread.thread.pid], planned.waits[thread.thread.pid]
        assert set(waits) <= set(whole) and len(waits) + thread.unseen_starts == len(whole)
        problems = [text for name, result in results_with(RT, data.encode()) for text in result.problems if name.startswith(RT[0])]
        assert any("have no recorded end" in text for text in problems) is (thread.unseen_starts > 0)


@drawn_schedules
@given(SEEDS)
def test_a_wait_behind_a_thread_of_a_higher_priority_has_that_name_and_its_parts_are_the_wait(seed):
    planned = schedule(seed)
    trace = read_thread_trace(as_ftrace(planned).encode(), "x")
    finder = CauseFinder(trace.stretches[0], is_virtual=False)
    for thread in follow(trace, matching(RT)):
        for span in thread.of(ThreadState.WOKEN):
            parts = finder.parts(span)
            behind = planned.behind[thread.thread.pid, span.end_ns]
            is_idle = behind.startswith("swapper")
            blame = Blame(BlameKind.IDLE_EXIT) if is_idle else Blame(BlameKind.THREAD, f"{behind} (priority 95)")
            assert [(part.blame, part.ns) for part in parts] == [(blame, span.ns)]


@pytest.mark.parametrize("form", [as_ftrace, as_perf])
@drawn_schedules
@given(SEEDS)
def test_without_switches_of_idle_tasks_a_wait_is_never_called_an_exit_from_idle_of_a_cpu_that_a_thread_had(form, seed):
    planned = schedule(seed)
    text = "".join(line for line in form(planned).splitlines(keepends=True) if "swapper" not in line.partition("==>")[0].partition(": ")[2])
    trace = read_thread_trace(text.encode(), "x")
    finder = CauseFinder(trace.stretches[0], is_virtual=False)
    for thread in follow(trace, matching(RT)):
        for span in thread.of(ThreadState.WOKEN):
            behind = planned.behind[thread.thread.pid, span.end_ns]
            named = {part.blame for part in finder.parts(span)} - {UNEXPLAINED}
            assert named <= (
                {Blame(BlameKind.IDLE_EXIT)} if behind.startswith("swapper") else {Blame(BlameKind.THREAD, f"{behind} (priority 95)")}
            )


@drawn_schedules
@given(SEEDS)
def test_the_states_of_a_thread_follow_each_other_without_a_hole(seed):
    for thread in follow(read_thread_trace(as_perf(schedule(seed)).encode(), "x"), matching(RT)):
        for before, after in zip(thread.spans, thread.spans[1:], strict=False):
            assert before.end_ns == after.begin_ns and before.state is not after.state


@pytest.mark.parametrize("target", ["", "target_cpu=7"])
def test_nothing_is_named_for_a_cpu_that_no_event_gives_to_the_thread(target):
    """Without the CPU of a waking, and with another CPU than that on which the thread ran, its wait has no owner."""
    trace = read_thread_trace(as_ftrace(schedule(3, cpus=1)).replace("target_cpu=0", target).encode(), "x")
    (thread,) = follow(trace, matching(RT))
    finder = CauseFinder(trace.stretches[0], is_virtual=False)
    assert {part.blame for span in thread.of(ThreadState.WOKEN) for part in finder.parts(span)} == {UNEXPLAINED}


HEAD = "cpus=1\n"
SWITCH = (
    "  a-1 [000] d..2. {}: sched_switch: prev_comm={} prev_pid={} prev_prio={} prev_state={} ==> next_comm={} next_pid={} next_prio={}\n"
)
WAKING = "  a-1 [000] dNh3. {}: sched_waking: comm=loop pid=9 prio=10 target_cpu=000\n"
IRQ_IN = "  make-5 [000] d.h2. 1.000002: irq_handler_entry: irq=9 name=eth0\n"
IRQ_OUT = "  make-5 [000] d.h2. 1.000092: irq_handler_exit: irq=9 ret=handled\n"
LOOP, IDLE, MAKE, HOG = "loop:9:10", "swapper/0:0:120", "make:5:120", "hog:6:4"


def switch(at: str, leaves: str, comes: str, state: str) -> str:
    """Threads as NAME:PID:PRIORITY."""
    return SWITCH.format(at, *leaves.split(":"), state, *comes.split(":"))


def parts_of_only_wait(text: str, is_virtual: bool = False) -> list[tuple[BlameKind, str, int]]:
    trace = read_thread_trace((HEAD + text).encode(), "x")
    (thread,) = follow(trace, matching(("loop",)))
    span = next(span for span in thread.spans if span.state in (ThreadState.WOKEN, ThreadState.PREEMPTED))
    return [(part.blame.kind, part.blame.name, part.ns) for part in CauseFinder(trace.stretches[0], is_virtual).parts(span)]


UNRECORDED = (
    HEAD
    + SWITCH.format("1.000000", "loop", 9, 59, "S", "swapper/0", 0, 120).replace("a-1", "loop-9")
    + "  NOW [000] d.h2. 1.000900: irq_handler_entry: irq=7 name=eth\n"
    + "  NOW [000] dNh3. 1.000901: sched_waking: comm=loop pid=9 prio=59 target_cpu=000\n"
    + "  NOW [000] d.h2. 1.000902: irq_handler_exit: irq=7 ret=handled\n"
    + SWITCH.format("1.003900", "bully", 8, 39, "S", "loop", 9, 59).replace("a-1", "bully-8")
)


@pytest.mark.parametrize(("current", "blame"), [("bully-8", Blame(BlameKind.THREAD, "bully (priority 60)")), ("<idle>-0", UNEXPLAINED)])
def test_a_thread_to_which_no_switch_was_recorded_has_the_cpu_from_the_first_event_that_shows_it(current, blame):
    """Without such an event nobody is known to run: the idle task may have left at once or late."""
    trace = read_thread_trace(UNRECORDED.replace("NOW", current).encode(), "x")
    (loop,) = follow(trace, matching(("loop",)))
    (wait,) = loop.of(ThreadState.WOKEN)
    largest = CauseFinder(trace.stretches[0], is_virtual=False).parts(wait)[0]
    assert wait.ns == 2_999_000 and largest.blame == blame and largest.ns > 2_990_000


def test_an_interrupt_without_a_recorded_end_is_not_named():
    text = switch("1.000000", IDLE, MAKE, "R") + WAKING.format("1.000001") + "{}" + switch("1.000101", MAKE, LOOP, "R+")
    both = [(BlameKind.INTERRUPT, "eth0", 90_000), (BlameKind.AWAY, "make", 10_000)]
    assert parts_of_only_wait(text.format(IRQ_IN + IRQ_OUT)) == both
    assert parts_of_only_wait(text.format(IRQ_IN)) == [(BlameKind.AWAY, "make", 100_000)]


def test_in_a_virtual_machine_an_interrupt_is_no_certain_cause():
    text = switch("1.000000", IDLE, MAKE, "R") + WAKING.format("1.000001") + IRQ_IN + IRQ_OUT + switch("1.000101", MAKE, LOOP, "R+")
    assert parts_of_only_wait(text, is_virtual=True)[0] == (BlameKind.AWAY, "interrupt eth0", 90_000)


def test_a_real_time_thread_for_which_the_scheduler_chose_the_idle_task_is_throttled():
    text = switch("1.000000", LOOP, IDLE, "R") + WAKING.format("1.040000") + switch("1.050000", IDLE, LOOP, "R")
    assert parts_of_only_wait(text) == [(BlameKind.THROTTLED, "", 50_000_000)]


def test_threads_without_a_real_time_priority_that_share_a_cpu_are_not_throttled():
    text = switch("1.000000", "loop:9:120", "nice:7:139", "R") + WAKING.format("1.002000")
    text += switch("1.004000", "nice:7:139", "loop:9:120", "R")
    assert parts_of_only_wait(text) == [(BlameKind.THREAD, "nice (not real-time)", 4_000_000)]


def test_a_thread_that_moves_while_it_waits_has_the_causes_of_each_cpu():
    text = switch("1.000000", IDLE, HOG, "R") + WAKING.format("1.000100")
    text += "  x-2 [001] d..2. 1.000300: sched_migrate_task: comm=loop pid=9 prio=10 orig_cpu=0 dest_cpu=1\n"
    text += switch("1.000301", "x:2:120", LOOP, "R+").replace("[000]", "[001]")
    assert parts_of_only_wait(text) == [(BlameKind.THREAD, "hog (priority 95)", 200_000), (BlameKind.AWAY, "x", 1_000)]


def test_a_waking_on_the_way_into_the_sleep_begins_the_wait_where_it_left_the_cpu():
    text = switch("1.000000", IDLE, LOOP, "R") + WAKING.format("1.000010") + switch("1.000012", LOOP, MAKE, "S")
    trace = read_thread_trace((HEAD + text + switch("1.000040", MAKE, LOOP, "R")).encode(), "x")
    (thread,) = follow(trace, matching(("loop",)))
    assert [(span.state, span.ns) for span in thread.spans] == [(ThreadState.RUNNING, 12_000), (ThreadState.WOKEN, 28_000)]


def test_nobody_waits_across_lost_events():
    text = switch("1.000000", LOOP, IDLE, "S") + WAKING.format("1.000010") + "CPU:0 [LOST 7 EVENTS]\n" + switch("1.000900", IDLE, LOOP, "R")
    text += switch("1.001000", LOOP, IDLE, "S") + WAKING.format("1.002000") + switch("1.002005", IDLE, LOOP, "R")
    trace = read_thread_trace((HEAD + text).encode(), "x")
    (thread,) = follow(trace, matching(("loop",)))
    assert [span.ns for span in thread.of(ThreadState.WOKEN)] == [5_000] and trace.problems[0].startswith("x:4:")


def test_what_perf_lost_cuts_the_trace_too():
    text = as_perf(schedule(2, cpus=1))
    half = text.index("\n", len(text) // 2) + 1
    trace = read_thread_trace(f"{text[:half]}  x 1 [000] 1.5: PERF_RECORD_LOST lost 7\n{text[half:]}".encode(), "x")
    assert len(trace.stretches) == 2 and len(trace.problems) == 1


def stamp(us: int) -> str:
    return f"{us // 1_000_000}.{us % 1_000_000:06}"


def loop_text(cycles: list[tuple[int, str]], period_us: int = 1000, timer_late_us: Mapping[int, int] = MappingProxyType({})) -> str:
    """A thread that works in each period as long as the first figure says, in µs, half of it as the second says. The timer
    of some cycles is late; the loop then works for each period that passed."""
    lines, at_us = [], 0
    for number, (work_us, between) in enumerate(cycles):
        due_us = 1_000_000 + number * period_us + timer_late_us.get(number, 0)
        if due_us > at_us:
            at_us = due_us + 6
            lines += [WAKING.format(stamp(due_us + 3)), switch(stamp(at_us), IDLE, LOOP, "R")]
        lines.append(f"  loop-9 [000] ..... {stamp(at_us + 1)}: sys_exit_clock_nanosleep: 0x0\n")
        lines.append(between.format(begin=stamp(at_us + 1 + work_us // 4), end=stamp(at_us + 1 + work_us * 3 // 4)))
        at_us += work_us
        lines.append(f"  loop-9 [000] ..... {stamp(at_us)}: sys_enter_clock_nanosleep: which_clock: 0x1\n")
        if at_us + 1 < 1_000_000 + (number + 1) * period_us:
            lines.append(switch(stamp(at_us + 1), LOOP, IDLE, "S"))
    return HEAD + "".join(lines)


PREEMPTED = SWITCH.format("{begin}", "loop", 9, 10, "R+", "hog", 6, 4) + SWITCH.format("{end}", "hog", 6, 4, "S", "loop", 9, 10)
SLEPT = (
    SWITCH.format("{begin}", "loop", 9, 10, "S", "low", 8, 120)
    + "  low-8 [000] d..3. {end}: sched_waking: comm=loop pid=9 prio=10 target_cpu=000\n"
    + SWITCH.format("{end}", "low", 8, 120, "R+", "loop", 9, 10)
)
POLLED = "  loop-9 [000] ..... {begin}: sys_enter_poll: x\n  loop-9 [000] ..... {end}: sys_exit_poll: 0x0\n"
USUAL = [(200, "")] * 12


def cycles_in(text: str, is_virtual: bool = False, period_ns: int | None = None) -> tuple[ThreadTrace, ThreadCycles]:
    trace = read_thread_trace(text.encode(), "x")
    (thread,) = follow(trace, matching(("loop",)))
    cycles = ThreadReporter(trace, is_virtual).report(thread, 100_000, period_ns).cycles
    assert cycles is not None
    return trace, cycles


@pytest.mark.parametrize(
    ("between", "blame"),
    [
        (PREEMPTED, Blame(BlameKind.THREAD, "hog (priority 95)")),
        (SLEPT, Blame(BlameKind.WAITED, "low (not real-time)")),
        (POLLED, Blame(BlameKind.CALL, "poll")),
        ("", Blame(BlameKind.COMPUTING)),
    ],
)
def test_an_overrun_has_what_its_time_went_to(between, blame):
    _, cycles = cycles_in(loop_text([*USUAL, (1500, between), *USUAL]))
    assert cycles.is_on_grid and cycles.by_calls and cycles.period_ns == 1_000_000 and len(cycles.cycles) == 2 * len(USUAL) + 1
    (overrun,) = explained_overruns(cycles)
    assert overrun.blame == blame and abs(overrun.outlier.late_ns - 1_506_000) < 10_000


@pytest.mark.parametrize(("work_us", "gone", "missed"), [(3500, (), 0), (200, (13, 14), 2), (3500, (20,), 1)])
def test_a_period_is_missed_if_no_cycle_was_due_in_it_not_if_the_loop_caught_up(work_us, gone, missed):
    lines = loop_text([*USUAL, (work_us, ""), *USUAL]).splitlines(keepends=True)
    _, cycles = cycles_in("".join(line for line in lines if not any(f" 1.{number:03}" in line for number in gone)))
    assert cycles.is_on_grid and sum(cycle.missed for cycle in cycles.cycles) == missed
    assert len(cycles.cycles) + missed == 2 * len(USUAL) + 1


@pytest.mark.parametrize(("work_us", "awake"), [(200, 0), (1500, 1), (3500, 4), (7200, 8)])
def test_cycles_without_a_wake_up_are_counted_with_the_reason(work_us, awake):
    _, cycles = cycles_in(loop_text([*USUAL, (work_us, ""), *USUAL]))
    (table,) = tables(RtResult((), (), (), None, (), cycles=cycles))
    notes = [note for note in map(text_of, table.notes) if "have no wake-up" in note]
    assert len(notes) == (awake > 0)
    assert not awake or notes[0].startswith(f"{awake} of 25 cycles ({4 * awake} %) have no wake-up: the thread did not sleep before them. ")


def test_the_heading_of_a_threads_run_has_its_overruns_and_the_cause_of_the_longest():
    results = results_with(("loop",), loop_text([*USUAL, (1500, PREEMPTED), (1200, ""), *USUAL]).encode())
    said = answer(run_with(campaign="rt", id="rt-threads", contents=WakeupCounts()), results)
    assert (
        "2 of 26 cycles of loop overran their period of 1000 µs; the longest took 1,703.0 µs: CPU not available (running the thread itself"
        in said
    )
    within = results_with(("loop",), loop_text(USUAL).encode())
    assert overruns_sentence(within) == "None of 12 cycles overran its period."
    assert overruns_sentence([("", RtResult((), (), (), None, ()))]) == ""
    assert overruns_sentence([*within, *results]).endswith(" 1 of 2 threads have overruns.")


def loop_and_five_that_never_waited() -> list[tuple[str, RtResult]]:
    names = [f"quiet{number}" for number in range(5)]
    ran = [
        SWITCH.format("{begin}", "loop", 9, 10, "R+", name, 20 + at, 4) + SWITCH.format("{end}", name, 20 + at, 4, "S", "loop", 9, 10)
        for at, name in enumerate(names)
    ]
    return results_with(("loop", *names), loop_text([*USUAL, *((200, between) for between in ran), *USUAL]).encode())


def test_of_many_threads_those_that_never_waited_for_a_cpu_are_counted_below_the_others():
    table = overview(by_thread(loop_and_five_that_never_waited()))
    assert [row[0] for row in table.rows] == ["loop"] and text_of(table.notes[0]) == "Without a wake-up: five more threads."
    (row,) = table.rows
    assert row[1] == "29" and plain(table.caption) == "The 6 threads"


def test_a_page_of_threads_begins_with_their_table_and_opens_those_that_waited():
    sections = page(run_with(campaign="rt", id="rt-threads", contents=WakeupCounts()), loop_and_five_that_never_waited()).sections
    (threads,) = (section for section in sections if section.title == "Threads")
    (table,) = threads.blocks
    assert isinstance(table, Table) and [row[0] for row in table.rows] == ["loop"] and not any("Below" in note for note in table.notes)
    (each,) = (section for section in sections if section.title == "Each measurement")
    assert [block.summary for block in each.blocks if isinstance(block, Folded)] == ["loop", "loop: cycles"]


def test_a_threads_late_wake_ups_have_a_period_that_is_not_its_own():
    """Every tenth waking of a loop of 1 ms is served late."""
    late = {number: 300 for number in range(5, 200, 10)}
    text = "".join(_late_served(loop_text([(200, "")] * 200), late))
    (wakeups, _) = results_with(("loop",), text.encode())
    assert wakeups[1].period is not None and round(wakeups[1].period.period_s, 6) == 0.01
    (even, _) = results_with(("loop",), "".join(_late_served(loop_text([(200, "")] * 200), dict.fromkeys(range(200), 300))).encode())
    assert even[1].period is None


def _late_served(text: str, late_us: Mapping[int, int]) -> Iterator[str]:
    """The waking of these cycles comes so much earlier than its switch."""
    for line in text.splitlines(keepends=True):
        if (waking := re.search(r" (\d+)\.(\d{6}): sched_waking: comm=loop", line)) is not None:
            number = (int(waking[1]) * 1_000_000 + int(waking[2]) - 1_000_000) // 1000
            yield line.replace(f"{waking[1]}.{waking[2]}", stamp(int(waking[1]) * 1_000_000 + int(waking[2]) - late_us.get(number, 0)))
        else:
            yield line


@pytest.mark.parametrize(
    "lost", ["sched_waking: comm=loop", "prev_comm=hog", "prev_comm=low", "prev_comm=loop", "next_comm=loop", "nothing"]
)
def test_the_parts_of_the_cycles_are_the_cycles_whatever_events_were_lost(lost):
    """Every seventh of one kind."""
    text = loop_text([*USUAL, (1500, PREEMPTED), *USUAL, (1500, SLEPT), *USUAL])
    lines = text.splitlines(keepends=True)
    gone = [number for number, line in enumerate(lines) if lost in line][3::7]
    _, cycles = cycles_in("".join(line for number, line in enumerate(lines) if number not in gone))
    (table,) = tables(RtResult((), (), (), None, (), cycles=cycles))
    total_us = {text_of(row[0]): float(text_of(row[-1]).replace(",", "")) for row in table.rows}
    parts_us = sum(us for name, us in total_us.items() if name not in ("Start after due", "Due to end"))
    assert parts_us == pytest.approx(total_us["Due to end"], abs=0.5)
    assert (UNKNOWN_STATE in total_us) is any(cycle.ns != sum(astuple(cycle.split)) for cycle in cycles.cycles)


def test_a_kernel_that_records_no_switch_of_an_idle_task_loses_no_thread_by_it():
    """The thread that waits is woken from a CPU on which only the idle task was switched to."""
    idle_elsewhere = switch("1.000000", "low:8:120", "swapper/1:0:120", "S").replace("[000]", "[001]")
    unseen = (
        SWITCH.format("{begin}", "loop", 9, 10, "S", "swapper/0", 0, 120)
        + "  low-8 [001] d..3. {end}: sched_waking: comm=loop pid=9 prio=10 target_cpu=000\n"
    )
    text = loop_text([*USUAL, (1500, ""), (200, ""), (1500, unseen), *USUAL])
    seen = "".join(line for line in (idle_elsewhere + text).splitlines(keepends=True) if "prev_pid=0 " not in line)
    by_their_own = re.sub(r"  a-1 (.*prev_comm=(\S+) prev_pid=(\d+))", r"  \2-\3 \1", seen).replace("  a-1 ", "  <idle>-0 ")
    _, cycles = cycles_in(by_their_own)
    assert [overrun.blame for overrun in explained_overruns(cycles) if overrun.blame != Blame(BlameKind.CYCLE_BEFORE)] == [
        Blame(BlameKind.COMPUTING),
        Blame(BlameKind.WAITED, "low (not real-time)"),
    ]


@pytest.mark.parametrize(
    ("priority", "said"), [(UNKNOWN_PRIORITY, "priority unknown"), (120, "not real-time"), (39, "priority 60"), (-1, "deadline")]
)
def test_a_priority_that_no_event_says_is_called_unknown(priority, said):
    assert said_priority(priority) == said


def test_a_cycle_behind_an_overrun_is_late_by_the_cycle_before():
    _, cycles = cycles_in(loop_text([*USUAL, (1900, PREEMPTED), (200, ""), *USUAL]))
    first, second = explained_overruns(cycles)
    assert first.blame.kind is BlameKind.THREAD and second.blame == Blame(BlameKind.CYCLE_BEFORE)


def test_a_sleep_before_the_loop_moves_no_due_time():
    early = loop_text([(100, "")])[len(HEAD) :].replace("1.000", "0.9976")
    _, cycles = cycles_in(HEAD + early + loop_text([*USUAL, (1500, POLLED), *USUAL])[len(HEAD) :])
    late_starts = [cycle for cycle in cycles.cycles[1:] if cycle.jitter_ns > 10_000]
    assert len(explained_overruns(cycles)) == len(late_starts) == 1, "the one behind the overrun"


@pytest.mark.parametrize("late_us", [1_400, 5_500, 41_300])
def test_a_timer_that_is_late_by_periods_makes_its_own_cycle_late(late_us):
    """And those that the loop then makes up for. Others, each late by less than a period, move no due time behind them."""
    lates = {20: late_us, **dict.fromkeys(range(70, 90, 5), 480)}
    _, cycles = cycles_in(loop_text([(50, "")] * 120, timer_late_us=lates))
    dues = [cycle.due_ns for cycle in cycles.cycles]
    assert cycles.is_on_grid and {round((after - before) / 1_000_000) for before, after in pairwise(dues)} == {1}
    assert max(cycles.cycles, key=lambda cycle: cycle.ns) is cycles.cycles[20]
    assert abs(cycles.cycles[20].jitter_ns - late_us * 1000) < 20_000
    assert all(cycle.split.asleep_ns == 0 for cycle in cycles.cycles)


def test_a_found_period_is_not_longer_by_cycles_that_start_late():
    """One of four starts late and lasts so long that the next one is not woken: only the longer distance is a single period."""
    lates = dict.fromkeys(range(1, 240, 4), 100)
    _, cycles = cycles_in(loop_text([(200, ""), (1400, ""), (200, ""), (200, "")] * 60, timer_late_us=lates))
    assert cycles.is_on_grid and abs(cycles.period_ns - 1_000_000) < 100


def test_a_thread_that_is_woken_now_and_then_has_no_period():
    """The median lies between two distances, and no distance is near it."""
    starts = [2_000, 4_100, 30_000, 32_100, 60_000]
    lines = [
        line
        for us in starts
        for line in (WAKING.format(stamp(us)), switch(stamp(us + 3), IDLE, LOOP, "R"), switch(stamp(us + 9), LOOP, IDLE, "S"))
    ]
    trace = read_thread_trace((HEAD + "".join(lines)).encode(), "x")
    (thread,) = follow(trace, matching(("loop",)))
    assert ThreadReporter(trace, False).report(thread, 100_000, None).cycles is None


def test_a_trace_whose_lines_number_threads_as_a_namespace_does_has_the_same_cycles():
    """perf in a container does: its lines have the numbers of its own PID namespace, the scheduler's events those of the machine."""
    text = loop_text([*USUAL, (1500, PREEMPTED), *USUAL])
    inside = re.sub(r"^( *[^\n[]*-)(\d+)( +\[)", lambda match: f"{match[1]}{int(match[2]) + 4}{match[3]}", text, flags=re.MULTILINE)
    assert "loop-13 [" in inside and "pid=9 " in inside
    (_, cycles), (_, cycles_inside) = cycles_in(text), cycles_in(inside)
    assert cycles_inside.by_calls and cycles_inside.cycles[1:] == cycles.cycles[-len(cycles_inside.cycles) + 1 :]
    assert len(cycles_inside.cycles) >= len(cycles.cycles) - 1


def test_without_events_of_calls_a_cycle_ends_at_the_sleep_that_an_interrupt_ends():
    text = loop_text([*USUAL, (900, SLEPT), *USUAL])
    without = "".join(line for line in text.splitlines(keepends=True) if "nanosleep" not in line)
    _, by_calls = cycles_in(text)
    _, by_sleeps = cycles_in(without)
    assert not by_sleeps.by_calls and len(by_sleeps.cycles) == len(by_calls.cycles) - 2, (
        "the first and the last have no sleep before or behind"
    )
    for one, other in zip(by_sleeps.cycles, by_calls.cycles[1:-1], strict=True):
        assert abs(one.ns - other.ns) < 3_000


def test_in_a_virtual_machine_an_overrun_is_not_certainly_its_own_computing():
    _, cycles = cycles_in(loop_text([*USUAL, (1500, ""), *USUAL]), is_virtual=True, period_ns=1_000_000)
    (overrun,) = explained_overruns(cycles)
    assert overrun.blame.kind is BlameKind.AWAY and not overrun.explained


def test_the_parts_of_a_cycle_are_the_cycle():
    _, cycles = cycles_in(loop_text([*USUAL, (1500, PREEMPTED), (900, ""), (100, SLEPT), *USUAL]), is_virtual=True)
    for cycle in cycles.cycles:
        split = cycle.split
        in_states = split.waiting_ns + split.computing_ns + split.interrupted_ns + split.preempted_ns + split.asleep_ns
        assert sum(part.ns for part in cycle.parts) == cycle.ns
        assert 0 <= cycle.ns - in_states - split.before_run_ns <= max(0, cycle.jitter_ns)


def test_what_was_not_recorded_is_named_with_the_command_that_records_it():
    missing, doubt, _ = sight_of(read_thread_trace(as_perf(schedule(1)).encode(), "x"), is_virtual=True)
    assert "kernel locks" in missing and "perf record -a" in missing and "-e lock:contention_begin" in missing
    assert "--bare-metal" in doubt
    (of_trace_cmd,) = sight_of(read_thread_trace(as_ftrace(schedule(1)).encode(), "x"), is_virtual=False)
    assert "`trace-cmd record -e sched:sched_switch" in of_trace_cmd


def test_the_first_sentence_of_a_followed_thread_says_which_events_the_trace_lacks():
    text = switch("1.000000", LOOP, IDLE, "S") + WAKING.format("1.000010") + switch("1.000900", IDLE, LOOP, "R")
    text += switch("1.001000", LOOP, IDLE, "S")
    ((name, result),) = results_with(("loop",), (HEAD + text).encode())
    unexplained = replace(result, attributed=tuple(replace(entry, blame=UNEXPLAINED, parts=()) for entry in result.attributed or ()))
    missing = "the trace does not show on which CPU a thread waited before it moved, interrupts, softirqs and five more kinds"
    assert answer(run_with(contents=WakeupCounts()), [(name, unexplained)]).endswith(f", unexplained; {missing}.")
    lost = HEAD + text + "CPU:0 [LOST 7 EVENTS]\n" + switch("1.002000", IDLE, LOOP, "R")
    assert unread_events(read_thread_trace(lost.encode(), "x")) == f"events of the trace were lost; {missing}"


def results_with(names: tuple[str, ...], data: bytes, all_rt: bool = False) -> list[tuple[str, RtResult]]:
    return thread_results({"t": data, THREADS: written_selection(ThreadSelection(names, all_rt))}, "t", "t.txt")


def test_a_thread_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(UsageError, match="no thread 'rtloop' ran in this trace; its real-time threads are rt loop, hog/0, hog/1"):
        results_with(("rtloop",), as_perf(schedule(1)).encode())


def test_threads_of_one_name_are_told_apart_by_their_numbers_and_all_rt_has_the_others_too():
    data = as_perf(schedule(1)).encode()
    assert {name for name, _ in results_with(RT, data)} == {"rt loop-100", "rt loop-101"}
    assert {name for name, _ in results_with((), data, all_rt=True)} >= {"rt loop-100", "hog/0", "hog/1"}


@pytest.mark.parametrize("text", ["a-1 [000] 1.000000: sys_enter_read: x", "nothing"])
def test_a_trace_without_the_events_of_the_scheduler_says_what_to_record(text):
    with pytest.raises(DataError, match="record sched_switch and sched_waking"):
        read_thread_trace(text.encode(), "x")


def test_two_traces_in_one_file_are_refused():
    text = switch("9.000000", LOOP, IDLE, "S") + WAKING.format("9.000010") + switch("1.000900", IDLE, LOOP, "R")
    with pytest.raises(DataError, match=r"^x:4: the time falls"):
        read_thread_trace((HEAD + text).encode(), "x")


def test_a_file_that_is_cut_or_is_text_is_no_trace_of_perfetto():
    data = as_perfetto(schedule(1))
    assert is_perfetto(data) and not is_perfetto(data[:-1]) and not is_perfetto(b"\n\n\ntext") and not is_perfetto(b"")


def test_a_selection_is_kept_with_the_run():
    selection = ThreadSelection(("a", "7"), True, 1_000_000, 50_000, True)
    assert read_selection(written_selection(selection), "x") == selection
    with pytest.raises(DataError, match="damaged"):
        read_selection(b"{}", "x")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([], False, "1ms", None, False), "--period is for the threads of a trace"),
        ((["a"], False, "1 ms", None, False), "not a time with its unit"),
        ((["a"], False, "1us", None, False), "out of its bounds"),
        ((["a"], False, None, 0, False), "--threshold 0 is out of its bounds"),
    ],
)
def test_options_of_threads_are_checked(arguments, words):
    with pytest.raises(UsageError, match=words):
        selected(*arguments)


def test_a_period_has_its_unit():
    assert [period_of(text) for text in ("1ms", "250us", "0.5s")] == [1_000_000, 250_000, 500_000_000]
    assert selected([], False, None, None, False) is None


def test_explanations_and_comparisons_of_threads_count_cycles_as_cycles(tmp_path):
    """And a table whose rows have several units names the unit of each."""
    store = open_store(str(tmp_path / "store.sqlite"))
    selection = ThreadSelection(("loop",), period_ns=1_000_000)
    data = loop_text([*USUAL, (1500, ""), (1800, PREEMPTED), *USUAL]).encode()
    a, b = (import_threads(store, data, "t.txt", StatedOptions(threads=selection)) for _ in range(2))
    runs = [load_run(store, run_id) for run_id in (a, b)]
    alone = [entry.sentence for entry in explain_run(runs[0])]
    assert any(re.match(r"cycles: median .*, over 26 cycles", sentence) for sentence in alone)
    assert any("overruns: " in sentence for sentence in alone) and not any("thread 0" in sentence for sentence in alone)
    comparison = compare_wakeups(*runs)
    assert extent(runs[0]).endswith("23 wake-ups and 26 cycles")
    assert explain_pair(comparison)[0].sentence == "no significant change of any CPU's wake-ups or any thread's cycles"
    for _, table in wakeup_tables(comparison):
        units = [text_of(row[4]) for row in table.rows]
        assert [plain(column.name) for column in table.columns][4] == "Unit" and set(units) <= {"µs", "per million", "events per million"}
