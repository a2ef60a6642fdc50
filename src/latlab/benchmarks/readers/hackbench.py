# SPDX-License-Identifier: BSD-3-Clause
"""hackbench, and `perf bench sched messaging`, which is made after it: the time that all messages of a run took. Several runs in one file,
as a loop of a shell leaves them, are repetitions.

An interrupted hackbench prints a time too: that until the signal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from latlab.benchmarks.model import Benchmark
from latlab.core.errors import DataError
from latlab.core.model.amounts import Amount
from latlab.core.model.enums import Metric
from latlab.core.readers.line_account import printed_lines
from latlab.core.shown import significant

TOOL = "hackbench"
FEWEST_EQUAL, LONG_NS = 3, 5e8
"""The tool prints milliseconds: as many equal times of half a second are no chance."""
SETUP = re.compile(
    r"^Running in (\w{1,20}) mode with (\d{1,9}) groups using (\d{1,9}) file descriptors each \(== (\d{1,9}) tasks\)\s*$", re.ASCII
)
OLD_SETUP = re.compile(r"^Running with (\d{1,9})\*40 \(== (\d{1,9})\) tasks\.?\s*$", re.ASCII)
"""Of the hackbench before rt-tests; it names neither the mode nor the messages."""
MESSAGES = re.compile(r"^Each sender will pass (\d{1,12}) messages of (\d{1,12}) bytes\s*$", re.ASCII)
TIME = re.compile(r"^Time: (\d{1,9})\.(\d{1,9})\s*$", re.ASCII)
PERF_SENDERS = re.compile(r"^# (\d{1,9}) sender and receiver (threads|processes) per group\s*$", re.ASCII)
PERF_SETUP = re.compile(r"^# (\d{1,9}) groups == (\d{1,9}) (threads|processes) run\s*$", re.ASCII)
PERF_TIME = re.compile(r"^ *Total time: (\d{1,9})\.(\d{3}) \[sec\]\s*$", re.ASCII)
INTERRUPTED = re.compile(
    r"^(?:Signal \d+ caught, longjmp'ing out!|longjmp'ed out, |sending SIGTERM to all child|signaling \d+ worker threads to term)"
)
WORKER = r"SENDER: write|SERVER: read|CLIENT: ready write|poll"
MAIN = r"fork\(\)|pthread_\w+(?: failed)?\(\)|Creating \w+|Reading for readyfds|Writing to start senders|(?:main:)?malloc\(\)[^(]{0,20}"
SOCKET = r"socket|bind|listen|ioctl|accept|can't change to fifo in main"
FAILED = re.compile(rf"^(?:(?:{WORKER}|{MAIN}|{SOCKET}) \(error: .+\)|perf: (?:{WORKER}): .+)")
"""A process that fails leaves the others and the time behind."""
LINES = (SETUP, OLD_SETUP, MESSAGES, TIME, PERF_SENDERS, PERF_SETUP, PERF_TIME, INTERRUPTED, FAILED, *printed_lines("hackbench"))
START = re.compile(
    r"^(?:Running in \w+ mode with \d|Running with \d+\*40 \(|Time: \d+\.\d[\d.]*\s*$|# \d+ sender and receiver (?:threads|processes) )",
    re.MULTILINE,
)


@dataclass(slots=True)
class _Runs:
    """The times by setting, and the run that has begun: `begun` is its line, 0 without one, and `spoilt` says why its time is none."""

    place: str
    times: dict[str, list[float]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    begun: int = 0
    setup: str = ""
    size: str = ""
    spoilt: str = ""

    def begin(self, number: int, setup: str) -> None:
        if self.begun:
            self.problems.append(f"{self.place}:{self.begun}: this run of hackbench printed no time; it is left out")
        self.begun, self.setup, self.size, self.spoilt = number, setup, "", ""

    def end(self, number: int, match: re.Match[str]) -> None:
        if self.spoilt:
            self.problems.append(f"{self.place}:{number}: {self.spoilt}; its time is left out")
        else:
            time_ns = int(match[1]) * 1e9 + int(match[2].ljust(9, "0"))
            self.times.setdefault(self.setup + self.size or "run", []).append(time_ns)
        self.begun, self.spoilt = 0, ""


def read_hackbench(text: str, place: str) -> Benchmark:
    """A duration for each way in which it was run, with as many values as runs."""
    runs = _Runs(place)
    for number, line in enumerate(text.split("\n"), 1):
        _take(runs, number, line)
    if runs.begun:
        why = runs.spoilt or "this run of hackbench printed no time, so it was stopped before its end"
        runs.problems.append(f"{place}:{runs.begun}: {why}; it is left out")
    if not runs.times:
        raise DataError(runs.problems[0] if runs.problems else f"{place}: no time of hackbench; name its whole output")
    for values in runs.times.values():
        if len(values) >= FEWEST_EQUAL and min(values) == max(values) >= LONG_NS:
            runs.problems.append(
                f"{place}: all {len(values)} times are exactly {significant(values[0] / 1e9)} s, which runs of a load are not"
            )
    amounts = tuple(Amount(TOOL, Metric.DURATION, name, None, tuple(values)) for name, values in runs.times.items())
    return Benchmark(TOOL, amounts, problems=tuple(runs.problems))


def _take(runs: _Runs, number: int, line: str) -> None:
    if match := SETUP.match(line):
        runs.begin(number, f"{match[1]} mode, {match[2]} groups, {match[3]} descriptors")
    elif match := OLD_SETUP.match(line):
        runs.begin(number, f"{match[1]} groups of 40 tasks")
    elif PERF_SENDERS.match(line):
        runs.begin(number, "")
    elif match := PERF_SETUP.match(line):
        runs.setup = f"perf bench, {match[1]} groups, {match[2]} {match[3]}"
    elif match := MESSAGES.match(line):
        runs.size = f", {match[1]} messages of {match[2]} bytes"
    elif INTERRUPTED.match(line):
        runs.spoilt = "a signal interrupted this run of hackbench"
    elif FAILED.match(line):
        runs.spoilt = runs.spoilt or f"a worker of this run of hackbench failed ({line.strip()[:60]})"
    elif match := TIME.match(line):
        runs.end(number, match)
    elif match := PERF_TIME.match(line):
        if runs.setup.startswith("perf bench"):
            runs.end(number, match)
            runs.setup = ""
    elif line.startswith("Time:"):
        runs.problems.append(f"{runs.place}:{number}: {line[:60]!r} is no time of hackbench; it is left out")
