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

from latlab.errors import DataError
from latlab.formats.rtla_output import LOST
from latlab.model.wakeups import CpuWakeups, Histogram, Wakeups

DAT_MAGIC = b"\x17\x08\x44tracing"
LINE = re.compile(
    r"^.*-\d{1,9} +(?:\( *[-\d]+\) +)?\[(?P<cpu>\d{1,5})\] +(?:\S{4,6} +)?(?P<s>\d{1,9})\.(?P<fraction>\d{9}|\d{6}): +"
    r"(?P<event>sched_switch|sched_waking|sched_wakeup|sched_wakeup_new): +(?P<rest>.*)$"
)
LINES = (
    LINE,
    LOST,
    re.compile(r"^cpus=\d+\s*$|^# tracer: nop\s*$|^# ?(?:entries-in-buffer| {2,}|$)|^version = \d|^ +=> \S"),
    re.compile(r"^.*-\d{1,9} +(?:\( *[-\d]+\) +)?\[\d{1,5}\] +(?:\S{4,6} +)?\d{1,9}\.\d{6,9}: "),
)
"""Any line of the kernel's trace, of the scheduler's events or not."""
PID, PRIORITY = r"\d{1,9}", r"-?\d{1,9}"
WOKEN = re.compile(rf"(?:comm=)?(?P<comm>.+?)(?::| pid=)(?P<pid>{PID})(?: \[| prio=)(?P<priority>{PRIORITY})")
SWITCH = re.compile(
    rf".+?(?::| prev_pid=)(?P<pid>{PID})(?: \[| prev_prio=){PRIORITY}(?:\] | prev_state=)(?P<state>\S+) ==> "
    rf".+?(?::| next_pid=)(?P<next>{PID})(?: \[| next_prio=){PRIORITY}"
)
RUNNABLE = "R"
NORMAL_PRIORITIES = 100
LONGEST_NS = 10**15


@dataclass(slots=True)
class _Trace:
    starts_with: tuple[str, ...]
    waiting: dict[int, tuple[str, int]] = field(default_factory=dict)  # of a thread its name, and since when
    running: dict[int, int] = field(default_factory=dict)  # of a CPU its thread
    late_ns: dict[str, dict[int, list[int]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    resolution_ns: int = 1
    problems: list[str] = field(default_factory=list)


def is_sched_trace(text: str) -> bool:
    return any(LINE.match(line) for line in _candidates(text))


def read_sched_events(text: str, place: str) -> Wakeups:
    """The real-time threads of one name: that whose threads were woken most. Threads that wait behind another one of their CPU are late
    by it; a thread that is woken while it still runs does not wait."""
    begins = ("sched_waking",) if ": sched_waking:" in text else ("sched_wakeup", "sched_wakeup_new")
    trace = _Trace(begins)
    for number, line in enumerate(text.split("\n"), 1):
        _take(trace, line, f"{place}:{number}")
    if not trace.late_ns:
        raise DataError(
            f"{place}: no thread with a real-time priority was woken and switched to in these events; "
            "record sched_waking and sched_switch while one runs"
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
    return (line[0] for line in re.finditer(r"^.*: +sched_(?:switch|waking|wakeup).*$", text, re.MULTILINE))


def _take(trace: _Trace, line: str, where: str) -> None:
    if LOST.search(line):
        trace.waiting.clear()
        trace.running.clear()
        trace.problems.append(f"{where}: {line.strip()[:60]!r}: the kernel's buffer was too small; who waited then is left out")
    match = LINE.match(line)
    if match is None:
        return
    unit_ns = 10 ** (9 - len(match["fraction"]))
    now = int(match["s"]) * 1_000_000_000 + int(match["fraction"]) * unit_ns
    trace.resolution_ns = max(trace.resolution_ns, unit_ns)
    event = SWITCH if match["event"] == "sched_switch" else WOKEN
    told = event.match(match["rest"])
    if told is None:
        trace.problems.append(f"{where}: {match['rest'][:60]!r} is no {match['event']} that is known; it is left out")
    elif event is SWITCH:
        _switched(trace, int(match["cpu"]), told, now)
    elif match["event"] in trace.starts_with and int(told["priority"]) < NORMAL_PRIORITIES:
        _woken(trace, int(told["pid"]), told["comm"], now)


def _woken(trace: _Trace, pid: int, name: str, now: int) -> None:
    if pid not in trace.running.values():
        trace.waiting.setdefault(pid, (name, now))


def _switched(trace: _Trace, cpu: int, told: re.Match[str], now: int) -> None:
    if not told["state"].startswith(RUNNABLE):
        trace.waiting.pop(int(told["pid"]), None)
    pid = int(told["next"])
    trace.running[cpu] = pid
    name, since = trace.waiting.pop(pid, ("", now))
    if name and 0 <= now - since < LONGEST_NS:
        trace.late_ns[name][cpu].append(now - since)


def _cpu(cpu: int, late: list[int], resolution_ns: int) -> CpuWakeups:
    values, counts = np.unique(np.array(late, dtype=np.int64), return_counts=True)
    histogram = Histogram(values, values + resolution_ns, counts.astype(np.int64))
    return CpuWakeups(cpu, histogram, len(late), None, None, min(late), max(late), sum(late) / len(late))
