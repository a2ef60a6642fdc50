# SPDX-License-Identifier: BSD-3-Clause
"""The scheduler's events as the kernel's trace file and `trace-cmd report` print them (Documentation/trace/ftrace.rst): how long a
real-time thread waited from `sched_waking` to the `sched_switch` to it.

That is the scheduler's part of a wake-up: what passed between the timer's due time and the call that wakes is not in these events.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from latlab.benchmarks.readers.rtla_output import LOST
from latlab.core.errors import DataError
from latlab.core.model.distributions import Distribution
from latlab.core.readers.line_account import printed_lines, second_run
from latlab.rt.model.wakeups import Wakeups, cpu_row, intervals

DAT_MAGIC = b"\x17\x08\x44tracing"
HEAD = r"^.*-\d{1,9} +(?:\( *[-\d]+\) +)?(?:\[(?P<cpu>\d{1,5})\] +(?:\S{4,8} +)?|(?P<short>\d{1,5})[.dDbBX]\S{4,7} +)"
"""Task, CPU and flags: five, seven on a kernel with lazy preemption. `trace-cmd report -l` writes the CPU without brackets."""
LINE = re.compile(
    rf"{HEAD}(?P<s>\d{{1,9}})\.(?P<fraction>\d{{9}}|\d{{6}}): +(?:\(\+-?\d{{1,19}}\) +)?"
    r"(?P<event>sched_switch|sched_waking|sched_wakeup|sched_wakeup_new): +(?P<rest>.*)$"
)
TICKS = re.compile(rf"{HEAD}\d{{1,20}}: +(?:\(\+-?\d{{1,19}}\) +)?sched_(?:switch|waking|wakeup|wakeup_new): ")
RAW = re.compile(r"^.*-\d{1,9} +\[\d{1,5}\]-0x[0-9a-f]+ +[\d.]+: +sched_(?:switch|waking|wakeup|wakeup_new): ")
REFUSED = (
    (TICKS, "time stamps in ticks, whose length the trace does not name; record with a clock in seconds, such as `-C mono`"),
    (RAW, "the raw fields of trace-cmd report -R; print it without -R"),
)
CPUS = re.compile(r"^\s*(?:\S.*: +)?cpus=\d+\s*$")
TITLE = re.compile(r"^# tracer: ")
TRUNCATED = re.compile(r"^File possibly truncated\. ")
LINES = (LINE, LOST, CPUS, TRUNCATED, *printed_lines("sched_events"))
"""Any line of the kernel's trace and of `trace-cmd report`, of the scheduler's events or not."""
PID, PRIORITY = r"\d{1,9}", r"-?\d{1,9}"
WOKEN = re.compile(rf"(?:comm=)?(?P<comm>.+?)(?::| pid=)(?P<pid>{PID})(?: \[| prio=)(?P<priority>{PRIORITY})")
SWITCH = re.compile(
    rf".+?(?::| prev_pid=)(?P<pid>{PID})(?: \[| prev_prio=){PRIORITY}(?:\] | prev_state=)(?P<state>\S+) ==> "
    rf".+?(?::| next_pid=)(?P<next>{PID})(?: \[| next_prio=){PRIORITY}"
)
RUNNABLE = "R"
NO_WAKEUP = " success=0"
"""Of a thread that was awake already, as kernels before 4.3 print it."""
NORMAL_PRIORITIES = 100
LONGEST_NS = 10**15
DISORDER_NS = 10**9
"""CPUs' buffers may be merged out of order by less."""


@dataclass(slots=True)
class _Trace:
    starts_with: tuple[str, ...]
    waiting: dict[int, tuple[str, int]] = field(default_factory=dict)  # of a thread its name, and since when
    running: dict[int, int] = field(default_factory=dict)  # of a CPU its thread
    late_ns: dict[str, dict[int, list[int]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    resolution_ns: int = 1
    first_line: int = 0
    title_line: int = 0
    last_ns: int = 0
    problems: list[str] = field(default_factory=list)


def is_sched_trace(text: str) -> bool:
    return any(LINE.match(line) or _why_refused(line) for line in _candidates(text))


def _why_refused(line: str) -> str:
    return next((why for form, why in REFUSED if form.match(line)), "")


def read_sched_events(text: str, place: str) -> Wakeups:
    """The real-time threads of one name: that whose threads were woken most. Threads that wait behind another one of their CPU are late
    by it; a thread that is woken while it still runs does not wait."""
    begins = ("sched_waking",) if " sched_waking: " in text else ("sched_wakeup", "sched_wakeup_new")
    trace = _Trace(begins)
    for number, line in enumerate(text.split("\n"), 1):
        _check_one_trace(trace, line, place, number)
        _take(trace, line, place, number)
    if not trace.first_line and (why := next(filter(None, map(_why_refused, _candidates(text))), "")):
        raise DataError(str(why), place=place)
    if not trace.late_ns:
        raise DataError(
            "no thread with a real-time priority was woken and switched to in these events",
            "record sched_waking and sched_switch while one runs",
            place=place,
        )
    woken = Counter({name: sum(map(len, cpus.values())) for name, cpus in sorted(trace.late_ns.items())})
    (name, _), *others = woken.most_common()
    facts = [("rows", f"wake-ups of {name}, from {begins[0]} to the switch to it")]
    if others:
        facts.append(("other real-time threads", ", ".join(f"{other} ({count})" for other, count in others)))
    cpus = tuple(_cpu(cpu, late, trace.resolution_ns) for cpu, late in sorted(trace.late_ns[name].items()))
    tool = "trace of the scheduler"
    return Wakeups(tool, None, trace.resolution_ns, cpus, complete=not trace.problems, facts=tuple(facts), problems=tuple(trace.problems))


def _candidates(text: str) -> Iterable[str]:
    return (line[0] for line in re.finditer(r"^.*: +(?:\(\+-?\d{1,19}\) +)?sched_(?:switch|waking|wakeup).*$", text, re.MULTILINE))


def _check_one_trace(trace: _Trace, line: str, place: str, number: int) -> None:
    """Threads and CPUs of two traces, files or buffers are not each other's."""
    if not (CPUS.match(line) or TITLE.match(line)):
        return
    if trace.title_line:
        raise second_run(place, trace.title_line, number, "trace-cmd report", f"{line.strip()[:40]!r}: another trace, file or buffer")
    trace.title_line = number


def _take(trace: _Trace, line: str, place: str, number: int) -> None:
    where = f"{place}:{number}"
    if TRUNCATED.match(line):
        trace.problems.append(f"{where}: trace-cmd says that its file is truncated")
    if LOST.search(line):
        trace.waiting.clear()
        trace.running.clear()
        trace.problems.append(f"{where}: {line.strip()[:60]!r}: the kernel's buffer was too small; who waited then is left out")
    match = LINE.match(line)
    if match is None:
        return
    unit_ns = 10 ** (9 - len(match["fraction"]))
    now = int(match["s"]) * 1_000_000_000 + int(match["fraction"]) * unit_ns
    if now < trace.last_ns - DISORDER_NS:
        raise second_run(place, trace.first_line, number, "trace-cmd report", "the time falls")
    trace.first_line, trace.last_ns = trace.first_line or number, now
    trace.resolution_ns = max(trace.resolution_ns, unit_ns)
    if "[FAILED TO PARSE]" in match["rest"]:
        raise DataError(f"trace-cmd failed to parse {match['event']}", "print the trace with a newer trace-cmd", place=where)
    event = SWITCH if match["event"] == "sched_switch" else WOKEN
    fields = event.match(match["rest"])
    if fields is None:
        trace.problems.append(f"{where}: {match['rest'][:60]!r} is no {match['event']} that is known; it is left out")
    elif event is SWITCH:
        _switched(trace, int(match["cpu"] or match["short"]), fields, now)
    elif NO_WAKEUP in match["rest"]:
        return
    elif match["event"] in trace.starts_with and int(fields["priority"]) < NORMAL_PRIORITIES:
        _woken(trace, int(fields["pid"]), fields["comm"], now)


def _woken(trace: _Trace, pid: int, name: str, now: int) -> None:
    if pid not in trace.running.values():
        trace.waiting.setdefault(pid, (name, now))


def _switched(trace: _Trace, cpu: int, fields: re.Match[str], now: int) -> None:
    if not fields["state"].startswith(RUNNABLE):
        trace.waiting.pop(int(fields["pid"]), None)
    pid = int(fields["next"])
    trace.running[cpu] = pid
    name, since = trace.waiting.pop(pid, ("", now))
    if name and 0 <= now - since < LONGEST_NS:
        trace.late_ns[name][cpu].append(now - since)


def _cpu(cpu: int, late: list[int], resolution_ns: int) -> Distribution:
    values, counts = np.unique(np.array(late, dtype=np.int64), return_counts=True)
    return cpu_row(cpu, intervals(values, values + resolution_ns, counts), len(late), min(late), max(late), sum(late) / len(late))
