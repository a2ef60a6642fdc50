# SPDX-License-Identifier: BSD-3-Clause
"""Which threads the quota of a control group held, by the counts of both versions of control groups."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.comparison.wording import said_blame
from latlab.core.model.blame import Blame, BlameKind
from latlab.rt.analysis.thread_causes import CauseFinder
from latlab.rt.analysis.thread_spans import follow, matching
from latlab.rt.campaign.thread_results import _quota
from latlab.rt.model.kernel_events import Thread
from latlab.rt.model.thread_trace import ThreadState
from latlab.rt.readers.quotas import Throttled, throttled_threads
from latlab.rt.readers.thread_traces import read_thread_trace

V2, V1 = "/sys/fs/cgroup", "/sys/fs/cgroup/cpu,cpuacct"
IN_V2, IN_V1 = "/proc/7/cgroup:0::", "/proc/7/cgroup:4:cpu,cpuacct:"


def counts(folder: str, times: tuple[int, int], ns: tuple[int, int], time: str = "throttled_usec") -> list[str]:
    lines = []
    for when, count, amount in zip(("begin", "end"), times, ns, strict=True):
        lines += [f"{when} {folder}/cpu.stat:nr_throttled {count}", f"{when} {folder}/cpu.stat:{time} {amount}"]
    return lines


@pytest.mark.parametrize(
    ("folder", "time", "group_line", "group"),
    [
        (f"{V2}/system.slice/a.service", "throttled_usec", f"{IN_V2}/system.slice/a.service", "/system.slice/a.service"),
        (f"{V2}/system.slice", "throttled_usec", f"{IN_V2}/system.slice/a.service", "/system.slice"),
        (V2, "throttled_usec", f"{IN_V2}/", "/"),
        (f"{V1}/docker/1", "throttled_time", f"{IN_V1}/docker/1", "/docker/1"),
        (V1, "throttled_time", f"{IN_V1}/docker/1", "/"),
    ],
)
def test_a_quota_holds_the_threads_of_its_group_and_of_those_in_it(folder: str, time: str, group_line: str, group: str) -> None:
    ns = 1000 if time == "throttled_usec" else 1
    assert throttled_threads(counts(folder, (2, 5), (10, 60), time), [group_line], [7]) == {7: Throttled(group, 3, 50 * ns)}


@pytest.mark.parametrize(
    ("lines", "group_line"),
    [
        (counts(f"{V2}/a", (2, 5), (10, 60)), f"{IN_V2}/ab"),
        (counts(f"{V2}/a/b", (2, 5), (10, 60)), f"{IN_V2}/a"),
        (counts(f"{V2}/a", (5, 5), (60, 60)), f"{IN_V2}/a"),
        (counts(f"{V2}/a", (2, 5), (10, 60))[:2], f"{IN_V2}/a"),
        (counts(f"{V2}/a", (2, 5), (10, 60)), "/proc/7/cgr"),
        (["end /sys/fs/cgroup/a/cpu.st"], f"{IN_V2}/a"),
    ],
)
def test_no_other_thread_is_held_and_a_quota_that_held_nobody_meanwhile_is_none(lines: list[str], group_line: str) -> None:
    assert throttled_threads(lines, [group_line], [7] if "7/cgroup" in group_line else []) == {}


def test_a_thread_that_ended_before_its_group_was_read_may_have_been_in_any() -> None:
    lines = [*counts(f"{V2}/a", (2, 5), (10, 60)), *counts(f"{V2}/b", (0, 1), (0, 7)), *counts(f"{V2}/c", (4, 4), (9, 9))]
    held = throttled_threads(lines, [f"{IN_V2}/c"], [7, 8])
    assert held == {8: Throttled("", 4, 57_000)}


@given(st.lists(st.text(max_size=80)), st.lists(st.text(max_size=80)))
def test_no_text_is_an_error(some: list[str], others: list[str]) -> None:
    assert throttled_threads(some, others, [7]) == {}


def preempted_trace(priority: int) -> str:
    """`loop` is preempted by `other` for 80 ms, as it also is while a quota holds it."""
    threads = {"loop": 7, "other": 8}
    woken = f"sched_waking: comm=loop pid=7 prio={priority} target_cpu=000"
    lines = ["# tracer: nop", f"            other-8       [000] d..2.   9.999000: {woken}"]
    for at, (leaves, state, comes) in enumerate((("other", "S", "loop"), ("loop", "R", "other"), ("other", "S", "loop"))):
        sides = [f"{way}_comm={name} {way}_pid={threads[name]} {way}_prio={priority}" for way, name in (("prev", leaves), ("next", comes))]
        event = f"10.{80 * at:03d}000: sched_switch: {sides[0]} prev_state={state} ==> {sides[1]}"
        lines.append(f"            {leaves}-{threads[leaves]}       [000] d..2.   {event}")
    return "\n".join([*lines, ""])


@pytest.mark.parametrize(
    ("priority", "held", "kind"),
    [(120, (7,), BlameKind.QUOTA), (120, (), BlameKind.THREAD), (120, (9,), BlameKind.THREAD), (39, (7,), BlameKind.THREAD)],
)
def test_who_ran_while_a_quota_may_have_held_a_thread_is_no_sure_cause(priority: int, held: tuple[int, ...], kind: BlameKind) -> None:
    trace = read_thread_trace(preempted_trace(priority).encode(), "x")
    (loop,) = follow(trace, matching(("loop",)))
    (span,) = loop.of(ThreadState.PREEMPTED)
    ((blame, ns),) = ((part.blame, part.ns) for part in CauseFinder(trace.stretches[0], False, held).parts(span))
    assert (blame.kind, ns) == (kind, 80_000_000)
    assert said_blame(Blame(BlameKind.QUOTA)) == "the quota of its control group, or a thread that ran meanwhile"


@pytest.mark.parametrize(
    ("priority", "held", "words"),
    [
        (120, None, "No event shows the quota of a control group"),
        (
            120,
            {7: Throttled("/a", 1234, 5_600_000)},
            "The quota of the control group /a kept threads off their CPUs 1,234 times for 5.6 ms",
        ),
        (
            120,
            {7: Throttled("", 3, 1_000_000)},
            "loop ended before its group was read. Quotas kept threads off their CPUs 3 times for 1 ms",
        ),
        (120, {}, ""),
        (39, None, ""),
    ],
)
def test_what_is_known_of_quotas_is_said_of_a_thread_that_they_may_hold(
    priority: int, held: dict[int, Throttled] | None, words: str
) -> None:
    sentences = list(_quota(Thread("loop", 7, priority), held))
    assert [words in sentence for sentence in sentences] == [True] * bool(words)


@pytest.mark.parametrize("priority", [120, 39])
@pytest.mark.parametrize("has_end", [True, False])
def test_a_cpu_that_goes_idle_while_a_preempted_thread_could_run_is_held_by_a_limit(priority: int, has_end: bool) -> None:
    """With the switch from the idle task, and on a kernel that records none there: then an event of the thread shows that it is back."""
    loop, idle = f"comm=loop pid=7 prio={priority}", "comm=swapper/0 pid=0 prio=120"
    lines = ["# tracer: nop", f"            other-8       [000] d..2.   9.999000: sched_waking: {loop} target_cpu=000"]
    switches = [("other-8", "10.000000", "comm=other pid=8 prio=120", "S", loop), ("loop-7", "10.001000", loop, "R", idle)]
    switches += [("<idle>-0", "10.081000", idle, "R", loop)] if has_end else []
    for task, at, leaves, state, comes in switches:
        prev, following = (" ".join(f"{way}_{word}" for word in side.split()) for way, side in (("prev", leaves), ("next", comes)))
        lines.append(f"            {task}       [000] d..2.   {at}: sched_switch: {prev} prev_state={state} ==> {following}")
        if task == "loop-7":
            lines.append("            <idle>-0       [000] d.h1.   10.080000: irq_handler_entry: irq=5 name=timer")
            lines.append("            <idle>-0       [000] d.h1.   10.080010: irq_handler_exit: irq=5 ret=handled")
    lines.append("            loop-7       [000] d..2.   10.081500: sched_waking: comm=other pid=8 prio=120 target_cpu=000")
    trace = read_thread_trace("\n".join([*lines, ""]).encode(), "x")
    (thread,) = follow(trace, matching(("loop",)))
    (span,) = thread.of(ThreadState.PREEMPTED)
    parts = {part.blame.kind: part.ns for part in CauseFinder(trace.stretches[0], False).parts(span)}
    assert parts[BlameKind.THROTTLED] >= 79_000_000 and BlameKind.IDLE_EXIT not in parts
