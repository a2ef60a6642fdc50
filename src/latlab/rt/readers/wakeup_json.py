# SPDX-License-Identifier: BSD-3-Clause
"""The JSON of cyclictest (--json) and of jitterdebugger, and the way to that of other rt-tests: one histogram per CPU; what a tool leaves
out is computed."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np

from latlab.core.errors import DataError
from latlab.core.model.enums import RowKind
from latlab.rt.model.wakeups import CpuWakeups, Histogram, Wakeups
from latlab.rt.readers.cyclictest import NANOSECONDS
from latlab.rt.readers.cyclictest_command import conditions_of
from latlab.rt.readers.pairs import is_of_pairs, read_pairs_json
from latlab.rt.readers.rt_tests_json import read_rt_tests, with_head

# `cyclictest -a 1 -t 4` binds all its threads to one CPU, which says nothing of which thread is which.
NAN = re.compile(r"(:\s*)-?nan\b")
"""As C prints the average of no sample."""
SHARED = ("rows", "threads, several of which the tool bound to one CPU")
LINES = (
    re.compile(r"^T: ?\d+ \( *\d+\) (?:A: ?\d+ )?C: *\d+ +Min: *\d+ +(?:Avg|Max): "),
    re.compile(r"^affinity: [\d,-]+ = \d+ \[0x[0-9A-F]+\]|^Thread \d+ on CPU \d+ hit \d+ [un]s latency"),
    re.compile(r"^jitterdebugger is not running with root rights|^Directory '[^']{1,200}' already exist"),
)
"""What jitterdebugger prints beside its file."""
THREADS = ("rows", "threads, fewer than the CPUs online; the file does not name the CPU of a thread")
NO_SAMPLE = {"min": 0, "max": 0}
"""jitterdebugger prints the largest number as the minimum of no sample."""
MOST = int(np.iinfo(np.int64).max)


def read_json(text: str, place: str) -> Wakeups:
    """A file of either tool, recognised by its keys."""
    try:
        root = json.loads(NAN.sub(r"\1NaN", text))
    except json.JSONDecodeError as error:
        raise DataError(
            f"not whole JSON ({error.msg}); the tool was killed or the file cut off", place=f"{place}:{error.lineno}"
        ) from error
    except RecursionError as error:
        raise DataError("JSON nested deeper than any tool's", "name another file", place=place) from error
    if isinstance(root, dict) and isinstance(root.get("thread"), dict):
        program = _program(root)
        if is_of_pairs(root["thread"]):
            return with_head(read_pairs_json(program or "pairs of rt-tests", root["thread"], place), root, program, place)
        if program and program != "cyclictest":
            return read_rt_tests(program, root, place)
        return _cyclictest(root, place)
    if isinstance(root, dict) and isinstance(root.get("cpu"), dict):
        return _jitterdebugger(root, place)
    raise DataError("JSON with neither cyclictest's `thread` nor jitterdebugger's `cpu`", "name another file", place=place)


def _program(root: dict[str, Any]) -> str:
    """The program of rt-tests that wrote the file: all of them write `thread`. Empty where the file does not say its command."""
    words = str(root.get("cmdline:", root.get("cmdline", ""))).split()
    return words[0].rpartition("/")[2] if words else ""


def _cyclictest(root: dict[str, Any], place: str) -> Wakeups:
    """The keys of the command line and the version end in a colon in the releases seen; both spellings are accepted. Overflows are not in
    the file: they are the cycles that the histogram does not show."""
    command = str(root.get("cmdline:", root.get("cmdline", "")))
    nanoseconds = root.get("resolution_in_ns") == 1 or NANOSECONDS.search(command) is not None
    problems: list[str] = []
    entries = _entries(root["thread"], place)
    bound = [_number(entry.get("cpu", name), "cpu", place) for name, entry in entries]
    shared = len(set(bound)) < len(bound) or min(bound) < 0
    numbers = [_number(name, "thread", place) for name, _ in entries] if shared else bound
    cpus = tuple(
        replace(_cpu(entry, number, "cycles", 1 if nanoseconds else 1000, place, problems), thread=int(name))
        for number, (name, entry) in zip(numbers, entries, strict=True)
    )
    is_of_threads = shared or not all("cpu" in entry for _, entry in entries)
    if root.get("return_code", 0) != 0:
        problems.append(f"{place}: cyclictest ended with status {root['return_code']}")
    facts = (
        ("command", command),
        ("version", str(root.get("rt_test_version:", root.get("rt_test_version", "")))),
        ("started", str(root.get("start_time", ""))),
        *((SHARED,) if shared else ()),
    )
    read = _wakeups("cyclictest", 1 if nanoseconds else 1000, cpus, facts, problems)
    return replace(read, conditions=conditions_of(command), rows=RowKind.THREAD if is_of_threads else RowKind.CPU)


def _jitterdebugger(root: dict[str, Any], place: str) -> Wakeups:
    system = root.get("sysinfo", {})
    if not isinstance(system, dict):
        raise DataError("`sysinfo` is not an object", "name another file", place=place)
    unit_ns = _number(system.get("resolution_in_ns", 1000), "resolution_in_ns", place) or 1000
    problems: list[str] = []
    entries = [(name, entry if entry.get("count") else entry | NO_SAMPLE) for name, entry in _entries(root["cpu"], place)]
    cpus = tuple(_cpu(entry, int(name), "count", unit_ns, place, problems) for name, entry in entries)
    online = _number(system.get("cpus_online", len(cpus)), "cpus_online", place)
    facts = (
        ("kernel", str(system.get("release", ""))),
        ("machine", str(system.get("machine", ""))),
        *((THREADS,) if len(cpus) < online else ()),
    )
    read = _wakeups("jitterdebugger", unit_ns, cpus, facts, problems)
    return replace(read, rows=RowKind.THREAD if len(cpus) < online else RowKind.CPU)


def _wakeups(tool: str, unit_ns: int, cpus: tuple[CpuWakeups, ...], facts: tuple[tuple[str, str], ...], problems: list[str]) -> Wakeups:
    facts_said = tuple(fact for fact in facts if fact[1])
    return Wakeups(
        tool, None, unit_ns, tuple(sorted(cpus, key=lambda cpu: cpu.cpu)), complete=not problems, facts=facts_said, problems=tuple(problems)
    )


def _number(value: object, name: str, place: str) -> int:
    try:
        return int(value)  # type: ignore[call-overload,no-any-return]
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{name} is {value!r} and not a number", "name another file", place=place) from error


def _entries(group: dict[str, Any], place: str) -> list[tuple[str, dict[str, Any]]]:
    if not group:
        raise DataError("no CPU in the file; the tool was stopped before it measured", place=place)
    for name, entry in group.items():
        if not name.isdecimal() or not isinstance(entry, dict):
            raise DataError(f"{name!r} is not the entry of a CPU", "name another file", value=name, place=place)
    return list(group.items())


def _cpu(entry: dict[str, Any], cpu: int, counted_as: str, unit_ns: int, place: str, problems: list[str]) -> CpuWakeups:
    try:
        pairs = sorted((int(low), int(count)) for low, count in entry.get("histogram", {}).items())
        got, low, high, average = int(entry[counted_as]), int(entry["min"]), int(entry["max"]), float(entry["avg"])
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DataError(f"CPU {cpu}: {error!r} is missing or not a number", "name another file", place=place) from error
    average = 0.0 if math.isnan(average) and not got else average
    largest = max(abs(number) for number in (got, low, high, *(number for pair in pairs for number in pair)))
    if got < 0 or not math.isfinite(average) or any(count < 0 for _, count in pairs) or largest > MOST // unit_ns:
        raise DataError(f"CPU {cpu}: a count or the average cannot be that of latencies; the file is damaged", place=place)
    inside = sum(count for _, count in pairs)
    if inside > got:
        problems.append(f"{place}: CPU {cpu}: the histogram holds {inside} samples, {counted_as} says {got}")
    histogram = None
    if pairs:
        lows = np.array([value for value, _ in pairs], dtype=np.int64) * unit_ns
        counts = np.array([count for _, count in pairs], dtype=np.int64)
        histogram = Histogram(lows, lows + unit_ns, counts, max(got - inside, 0))
    return CpuWakeups(cpu, histogram, got, None, None, low * unit_ns, high * unit_ns, average * unit_ns)
