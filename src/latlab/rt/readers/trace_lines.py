# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's events as text: the trace file of tracefs, `trace-cmd report` and `perf script`.

The first two print the fields as Documentation/trace/ftrace.rst says, with the flags of the CPU. `perf script` prints the event's group
before its name and no flags. Each kind of event has one function that makes a step of its fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from latlab.benchmarks.readers.rtla_output import LOST
from latlab.core.errors import DataError
from latlab.core.model.work_progress import numbered_lines
from latlab.rt.model.kernel_events import UNKNOWN_PRIORITY, KernelStep, Left, StepKind, Thread
from latlab.rt.model.thread_trace import ThreadTrace, TraceEvent
from latlab.rt.readers.event_names import CALLED, IDLE_LEFT, SOFTIRQS, VECTORS

STAMP = re.compile(
    r"(?:\[(?P<cpu>\d{1,5})\] +(?:(?P<flags>[^\s\[]{4,8}) +)?|(?<=\s)(?P<short>\d{1,5})(?P<short_flags>[.dDbBX]\S{4,7}) +)"
    r"(?P<s>\d{1,9})\.(?P<fraction>\d{9}|\d{6}): +(?:\(\+-?\d{1,19}\) +|\d{1,19} +)?"
    r"(?:(?P<group>\w{1,40}):)?(?P<event>\w{1,60}): *(?P<rest>.*)$",
    re.ASCII,
)
"""From the CPU on. `perf script` prints the event's group, and may print a period before it."""
FTRACE_TASK = re.compile(r"(?P<task>.*)-(?P<pid>\d{1,9})(?: +\( *[-\d]+\))?$", re.ASCII)
PERF_TASK = re.compile(r"(?P<task>.*?) +(?:\d{1,9}/ *)?(?P<pid>\d{1,9})$", re.ASCII)
SWITCH = re.compile(
    r"(?:prev_comm=)?(?P<comm>.*?)(?::| prev_pid=)(?P<pid>\d{1,9})(?: \[| prev_prio=)(?P<prio>-?\d{1,9})(?:\] | prev_state=)(?P<state>\S+)"
    r" ==> (?:next_comm=)?(?P<to_comm>.*?)(?::| next_pid=)(?P<to_pid>\d{1,9})(?: \[| next_prio=)(?P<to_prio>-?\d{1,9})",
    re.ASCII,
)
WOKEN = re.compile(
    r"(?:comm=)?(?P<comm>.*?)(?::| pid=)(?P<pid>\d{1,9})(?: \[| prio=)(?P<prio>-?\d{1,9})\]?(?: success=(?P<success>\d))?"
    r"(?:(?: target_cpu=| CPU:)(?P<cpu>\d{1,5}))?",
    re.ASCII,
)
MIGRATED = re.compile(
    r"comm=(?P<comm>.*?) pid=(?P<pid>\d{1,9}) prio=(?P<prio>-?\d{1,9}) orig_cpu=\d{1,5} dest_cpu=(?P<cpu>\d{1,5})", re.ASCII
)
IRQ_IN = re.compile(r"irq=(?P<irq>\d{1,9})(?: name=| handler=)(?P<name>\S+)", re.ASCII)
IRQ_OUT = re.compile(r"irq=(?P<irq>\d{1,9})", re.ASCII)
SOFTIRQ = re.compile(r"vec=(?P<vec>\d{1,3})", re.ASCII)
IDLE = re.compile(r"state=(?P<state>\d{1,10}) cpu_id=(?P<cpu>\d{1,5})", re.ASCII)
FREQUENCY = re.compile(r"state=(?P<khz>\d{1,10}) cpu_id=(?P<cpu>\d{1,5})", re.ASCII)
LOCK = re.compile(r"\(?flags=(?P<flags>[\w|]*)", re.ASCII)
LOCKS = {"MUTEX": "mutex", "RT": "rt_mutex", "SPIN": "spin lock", "PERCPU": "percpu semaphore", "READ": "semaphore", "WRITE": "semaphore"}
WORK = re.compile(r"function[= ](?P<function>\S+)")
DUE, INTERRUPTED = frozenset("NnpBbLlGg"), frozenset("hHsZz")
RUNNABLE, BLOCKED = "R", frozenset("DTtI")
DISORDER_NS = 10**9
"""CPUs' buffers may be merged out of order by less."""
LOST_BY_PERF = re.compile(r"\bPERF_RECORD_LOST(?:_SAMPLES)?\b")
FAILED = "[FAILED TO PARSE]"


@dataclass(frozen=True, slots=True)
class _Line:
    """What stands before and in an event. `current` is the thread on the CPU at the event."""

    cpu: int
    ns: int
    event: str
    rest: str
    current: Thread
    is_switch_due: bool | None
    in_interrupt: bool | None

    def step(
        self, kind: StepKind, name: str = "", leaves: Thread | None = None, comes: Thread | None = None, left: Left | None = None
    ) -> KernelStep:
        return KernelStep(self.ns, kind, name, leaves, comes, left=left, is_switch_due=self.is_switch_due, in_interrupt=self.in_interrupt)

    def of_current(self, kind: StepKind, name: str = "") -> TraceEvent:
        return TraceEvent(self.cpu, self.step(kind, name), self.current, current=self.current)


@dataclass(slots=True)
class _Trace:
    """`on_cpu` is the thread that a CPU switched to. `is_numbered_apart`: the lines number threads otherwise than the scheduler's events,
    as perf does in a PID namespace of its own; who runs is then known by the switches alone."""

    stretches: list[list[TraceEvent]] = field(default_factory=lambda: [[]])
    recorded: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    resolution_ns: int = 1
    last_ns: int = 0
    is_perf: bool = False
    on_cpu: dict[int, Thread] = field(default_factory=dict)
    is_numbered_apart: bool = False

    def see(self, line: _Line, events: Iterable[TraceEvent]) -> None:
        for event in events:
            if event.step.leaves is not None and event.step.comes is not None:
                self.on_cpu[event.cpu] = event.step.comes
                self.is_numbered_apart |= line.current.pid != event.step.leaves.pid


def read_trace_lines(text: str, place: str) -> ThreadTrace:
    """Every event that says what a thread or a CPU does. Lines of other events are skipped. Raises DataError if the scheduler's events are
    missing, or if the times show two traces."""
    trace = _Trace()
    for number, line in numbered_lines(text, f"reading {place}"):
        if ("LOST" in line or "EVENTS" in line) and (LOST.search(line) or LOST_BY_PERF.search(line)):
            trace.problems.append(f"{place}:{number}: {line.strip()[:60]!r}: the kernel's buffer was too small; events are missing there")
            trace.stretches.append([])
            continue
        match = STAMP.search(line)
        task = _task(line[: match.start()].strip(), match) if match is not None else None
        if match is not None and task is not None:
            _take(trace, match, task, f"{place}:{number}")
    check_events(trace.recorded, place)
    if trace.is_numbered_apart:
        trace.stretches = [[replace(event, current=None) for event in stretch] for stretch in trace.stretches]
    stretches = tuple(tuple(sorted(stretch, key=lambda event: event.step.ns)) for stretch in trace.stretches if stretch)
    tool = "perf" if trace.is_perf else "trace-cmd"
    return ThreadTrace(stretches, frozenset(trace.recorded), tool, trace.resolution_ns, tuple(trace.problems))


def check_events(recorded: Collection[str], place: str) -> None:
    """Raises DataError if the events cannot say when a thread waited."""
    if "sched_switch" not in recorded or not {"sched_waking", "sched_wakeup"}.intersection(recorded):
        raise DataError(
            "the trace has no sched_switch or no waking, so no thread can be followed", "record sched_switch and sched_waking", place=place
        )


def _task(before: str, match: re.Match[str]) -> Thread | None:
    """The thread on the CPU, of which the line has no priority."""
    task = (PERF_TASK if match["group"] else FTRACE_TASK).match(before)
    return Thread(task["task"], int(task["pid"]), UNKNOWN_PRIORITY) if task is not None else None


def _take(trace: _Trace, match: re.Match[str], task: Thread, where: str) -> None:
    if (read := _reader_of(match["event"])) is None:
        return
    line = _line(match, task, trace.on_cpu if trace.is_numbered_apart else {})
    if line.ns < trace.last_ns - DISORDER_NS:
        raise DataError("the time falls, so a second trace begins here", "put each trace into a file of its own", place=where)
    trace.last_ns = max(trace.last_ns, line.ns)
    trace.resolution_ns = max(trace.resolution_ns, 10 ** (9 - len(match["fraction"])))
    trace.is_perf = trace.is_perf or bool(match["group"])
    if FAILED in line.rest:
        raise DataError(f"trace-cmd failed to parse {line.event}", "print the trace with a newer trace-cmd", place=where)
    trace.recorded.add(line.event)
    events = list(read(line))
    trace.see(line, events)
    if not events and line.event in ("sched_switch", "sched_waking", "sched_wakeup"):
        trace.problems.append(f"{where}: {line.rest[:60]!r} is no {line.event} that is known; it is left out")
    trace.stretches[-1] += events


def _line(match: re.Match[str], task: Thread, on_cpu: Mapping[int, Thread]) -> _Line:
    """`on_cpu` has the threads of CPUs that replace `task`."""
    cpu = int(match["cpu"] or match["short"])
    fraction = match["fraction"]
    ns = int(match["s"]) * 1_000_000_000 + int(fraction) * 10 ** (9 - len(fraction))
    flags = match["flags"] or match["short_flags"]
    is_switch_due, in_interrupt = (flags[1] in DUE, flags[2] in INTERRUPTED) if flags else (None, None)
    return _Line(cpu, ns, match["event"], match["rest"], on_cpu.get(cpu, task), is_switch_due, in_interrupt)


def _reader_of(event: str) -> Callable[[_Line], Iterator[TraceEvent]] | None:
    if event in READERS:
        return READERS[event]
    name, _, way = event.rpartition("_")
    if name in VECTORS and way in ("entry", "exit"):
        return _vector
    return _call if event.startswith(("sys_enter_", "sys_exit_")) else None


def _switch(line: _Line) -> Iterator[TraceEvent]:
    match = SWITCH.match(line.rest)
    if match is None:
        return
    leaves = Thread(match["comm"], int(match["pid"]), int(match["prio"]))
    comes = Thread(match["to_comm"], int(match["to_pid"]), int(match["to_prio"]))
    yield TraceEvent(line.cpu, line.step(StepKind.SWITCH, leaves=leaves, comes=comes, left=_left(match["state"])))


def _left(state: str) -> Left:
    if state.startswith(RUNNABLE):
        return Left.RUNNABLE
    return Left.BLOCKED if BLOCKED.intersection(state) else Left.ASLEEP


def _woken(line: _Line) -> Iterator[TraceEvent]:
    """A `success=0` of kernels before 4.3 says that the thread was awake already."""
    match = WOKEN.match(line.rest)
    if match is None or match["success"] == "0":
        return
    kind = StepKind.WAKING if line.event == "sched_waking" else StepKind.QUEUED
    to_cpu = int(match["cpu"]) if match["cpu"] else None
    yield TraceEvent(line.cpu, line.step(kind, match["comm"]), _thread(match), to_cpu, line.current)


def _migrated(line: _Line) -> Iterator[TraceEvent]:
    match = MIGRATED.match(line.rest)
    if match is not None:
        step = line.step(StepKind.MIGRATED, match["cpu"].lstrip("0") or "0")
        yield TraceEvent(line.cpu, step, _thread(match), int(match["cpu"]), line.current)


def _thread(match: re.Match[str]) -> Thread:
    return Thread(match["comm"], int(match["pid"]), int(match["prio"]))


def _irq(line: _Line) -> Iterator[TraceEvent]:
    is_entry = line.event.endswith("entry")
    match = (IRQ_IN if is_entry else IRQ_OUT).match(line.rest)
    if match is not None:
        name = match["name"] if is_entry else ""
        yield line.of_current(StepKind.INTERRUPT_IN if is_entry else StepKind.INTERRUPT_OUT, name)


def _softirq(line: _Line) -> Iterator[TraceEvent]:
    match = SOFTIRQ.match(line.rest)
    if match is not None:
        vector = int(match["vec"])
        name = SOFTIRQS[vector] if vector < len(SOFTIRQS) else str(vector)
        yield line.of_current(StepKind.SOFTIRQ_IN if line.event.endswith("entry") else StepKind.SOFTIRQ_OUT, name)


def _vector(line: _Line) -> Iterator[TraceEvent]:
    name, _, way = line.event.rpartition("_")
    yield line.of_current(StepKind.INTERRUPT_IN if way == "entry" else StepKind.INTERRUPT_OUT, CALLED.get(name, name))


def _idle(line: _Line) -> Iterator[TraceEvent]:
    match = IDLE.match(line.rest)
    if match is not None and int(match["cpu"]) == line.cpu:
        is_out = int(match["state"]) == IDLE_LEFT
        yield line.of_current(StepKind.IDLE_OUT if is_out else StepKind.IDLE_IN, "" if is_out else f"state {match['state']}")


def _frequency(line: _Line) -> Iterator[TraceEvent]:
    match = FREQUENCY.match(line.rest)
    if match is not None and int(match["cpu"]) == line.cpu:
        yield line.of_current(StepKind.FREQUENCY, match["khz"])


def _fault(line: _Line) -> Iterator[TraceEvent]:
    yield line.of_current(StepKind.FAULT)


def _lock(line: _Line) -> Iterator[TraceEvent]:
    if line.event == "contention_end":
        yield line.of_current(StepKind.LOCK_OUT)
        return
    match = LOCK.search(line.rest)
    flags = match["flags"].split("|") if match else []
    yield line.of_current(StepKind.LOCK_IN, next((name for flag, name in LOCKS.items() if flag in flags), "lock"))


def _work(line: _Line) -> Iterator[TraceEvent]:
    match = WORK.search(line.rest)
    kind = StepKind.WORK_IN if line.event == "workqueue_execute_start" else StepKind.WORK_OUT
    yield line.of_current(kind, match["function"] if match else "")


def _call(line: _Line) -> Iterator[TraceEvent]:
    """A system call of the thread on the CPU."""
    kind = StepKind.CALL_IN if line.event.startswith("sys_enter_") else StepKind.CALL_OUT
    yield line.of_current(kind, line.event.partition("_")[2].partition("_")[2])


READERS: dict[str, Callable[[_Line], Iterator[TraceEvent]]] = {
    "sched_switch": _switch,
    "sched_waking": _woken,
    "sched_wakeup": _woken,
    "sched_wakeup_new": _woken,
    "sched_migrate_task": _migrated,
    "irq_handler_entry": _irq,
    "irq_handler_exit": _irq,
    "softirq_entry": _softirq,
    "softirq_exit": _softirq,
    "cpu_idle": _idle,
    "cpu_frequency": _frequency,
    "page_fault_user": _fault,
    "page_fault_kernel": _fault,
    "contention_begin": _lock,
    "contention_end": _lock,
    "workqueue_execute_start": _work,
    "workqueue_execute_end": _work,
}
