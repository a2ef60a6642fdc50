# SPDX-License-Identifier: BSD-3-Clause
"""The JSON of cyclictest (--json), other rt-tests (oslat, signaltest, cyclicdeadline) and jitterdebugger: one histogram per CPU. What a
tool leaves out is computed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np

from latlab.core.errors import DataError
from latlab.core.model.distributions import Counts, Distribution
from latlab.core.model.enums import RowKind
from latlab.core.readers.line_account import printed_lines
from latlab.rt.model.wakeups import Wakeups, cpu_row
from latlab.rt.readers import oslat
from latlab.rt.readers.cyclictest import NANOSECONDS, conditions_of
from latlab.rt.readers.pairs import is_of_pairs, read_pairs_json
from latlab.rt.readers.thread_lines import THREADS as TOOLS_THREADS

# `cyclictest -a 1 -t 4` binds all its threads to one CPU, which says nothing of which thread is which.
NAN = re.compile(r"(:\s*)-?nan\b")
"""As C prints the average of no sample."""
SHARED = ("rows", "threads, several of which the tool bound to one CPU")
LINES = printed_lines("wakeup_json")
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
    if isinstance(root, dict) and (program := _program(root)) and program not in ("cyclictest", *READERS):
        raise _not_read(program, place)
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


def _wakeups(tool: str, unit_ns: int, cpus: tuple[Distribution, ...], facts: tuple[tuple[str, str], ...], problems: list[str]) -> Wakeups:
    facts_said = tuple(fact for fact in facts if fact[1])
    return Wakeups(
        tool,
        None,
        unit_ns,
        tuple(sorted(cpus, key=lambda cpu: cpu.number)),
        complete=not problems,
        facts=facts_said,
        problems=tuple(problems),
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


def _cpu(entry: dict[str, Any], cpu: int, counted_as: str, unit_ns: int, place: str, problems: list[str]) -> Distribution:
    got, low, high = (_whole(entry, name, cpu, place) for name in (counted_as, "min", "max"))
    try:
        pairs = sorted((int(bucket), int(count)) for bucket, count in entry.get("histogram", {}).items())
        average = float(entry["avg"])
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise DataError(f"CPU {cpu}: its avg or its histogram is missing or no finite number", "name another file", place=place) from None
    average = 0.0 if math.isnan(average) and not got else average
    largest = max(abs(number) for number in (got, low, high, *(number for pair in pairs for number in pair)))
    is_damaged = got < 0 or not math.isfinite(average) or any(count < 0 for _, count in pairs) or largest > MOST // unit_ns
    if is_damaged or (got and (high < 0 or not low - 1 <= average <= high + 1)):
        raise DataError(f"CPU {cpu}: a count or the average cannot be that of latencies; the file is damaged", place=place)
    inside = sum(count for _, count in pairs)
    if inside > got:
        problems.append(f"{place}: CPU {cpu}: the histogram holds {inside} samples, {counted_as} says {got}")
    counts = tuple((value * unit_ns, (value + 1) * unit_ns, count) for value, count in pairs)
    beyond = max(got - inside, 0) if pairs else 0
    return cpu_row(cpu, counts, got, low * unit_ns, high * unit_ns, average * unit_ns, beyond)


def _whole(entry: dict[str, Any], name: str, cpu: int, place: str) -> int:
    try:
        return int(entry[name])
    except (KeyError, TypeError, ValueError, OverflowError):
        raise DataError(f"CPU {cpu}: its {name} is missing or no finite number", "name another file", place=place) from None


LARGEST = 10**15


def _not_read(program: str, place: str) -> DataError:
    readable = ", ".join(("cyclictest", *READERS))
    return DataError(f"the JSON of {program[:40]}, which is not read", f"give that of {readable}", place=place)


def read_rt_tests(program: str, root: dict[str, Any], place: str) -> Wakeups:
    """Raises DataError for a program whose figures are no wake-ups and no stalls."""
    reader = READERS.get(program)
    if reader is None:
        raise _not_read(program, place)
    threads = root["thread"]
    if not threads or not all(name.isdecimal() and isinstance(entry, dict) for name, entry in threads.items()):
        raise DataError(f"no whole entry of a thread in the JSON of {program}; the tool was stopped before it measured", place=place)
    return with_head(reader(program, [(int(name[:9]), entry) for name, entry in threads.items()], place), root, program, place)


def with_head(read: Wakeups, root: dict[str, Any], program: str, place: str) -> Wakeups:
    """What the JSON says of the run as a whole, whichever program wrote it."""
    problems = read.problems
    if root.get("return_code", 0) != 0:
        problems = (*problems, f"{place}: {program} ended with status {root['return_code']}")
    head_facts = (
        ("command", str(root.get("cmdline:", root.get("cmdline", "")))),
        ("version", str(root.get("rt_test_version:", root.get("rt_test_version", "")))),
        ("started", str(root.get("start_time", ""))),
    )
    return replace(read, facts=(*(fact for fact in head_facts if fact[1]), *read.facts), problems=problems, complete=not problems)


def _oslat(program: str, threads: list[tuple[int, dict[str, Any]]], place: str) -> Wakeups:
    buckets = [_buckets(entry, place) for _, entry in threads]
    cpus = tuple(
        oslat.cpu_of(
            int(_figure(entry.get("cpu", number), "cpu", place)),
            held,
            [
                _figure(entry.get("min"), "min", place),
                _average(entry.get("avg"), sum(held.values()), place),
                _figure(entry.get("max"), "max", place),
            ],
        )
        for (number, entry), held in zip(threads, buckets, strict=True)
    )
    return oslat.wakeups_of(cpus, {name for held in buckets for name in held}, (), place)


def _threads(program: str, threads: list[tuple[int, dict[str, Any]]], place: str) -> Wakeups:
    cpus = []
    for number, entry in threads:
        cycles, low, high = (_figure(entry.get(name), name, place) for name in ("cycles", "min", "max"))
        average = _average(entry.get("avg"), int(cycles), place)
        counts = _threads_counts(entry, place)
        beyond = max(int(cycles) - sum(n for _, _, n in counts), 0) if counts else 0
        cpus.append(cpu_row(number, counts, int(cycles), int(low * 1000), int(high * 1000), float(average * 1000), beyond))
    return Wakeups(program, None, 1000, tuple(sorted(cpus, key=lambda cpu: cpu.number)), facts=(TOOLS_THREADS,), rows=RowKind.THREAD)


def _threads_counts(entry: dict[str, Any], place: str) -> Counts:
    """Of cyclicdeadline with --histogram: whole microseconds. What the buckets do not hold lies beyond the last one."""
    if not isinstance(entry.get("histogram"), dict):
        return ()
    held = _buckets(entry, place)
    return tuple(sorted((int(name) * 1000, (int(name) + 1) * 1000, n) for name, n in held.items()))


def _buckets(entry: dict[str, Any], place: str) -> dict[Decimal, int]:
    held = entry.get("histogram")
    if not isinstance(held, dict):
        raise DataError("a thread has no histogram", "name another file", place=place)
    return {_figure(name, "a bucket", place): int(_figure(count, "a count", place)) for name, count in held.items()}


def _average(value: object, count: int, place: str) -> Decimal:
    """That of no sample is none, and is printed as such."""
    return Decimal(0) if not count and isinstance(value, float) and math.isnan(value) else _figure(value, "avg", place)


def _figure(value: object, name: str, place: str) -> Decimal:
    """A number that a latency in us or a count can be."""
    try:
        number = Decimal(str(value)) if isinstance(value, int | float | str) and not isinstance(value, bool) else Decimal("NaN")
    except (InvalidOperation, ValueError):
        number = Decimal("NaN")
    if not number.is_finite() or not 0 <= number < LARGEST:
        raise DataError(f"{name} is {str(value)[:40]!r} and no figure of rt-tests; the file is damaged", place=place)
    return number


READERS: dict[str, Callable[[str, list[tuple[int, dict[str, Any]]], str], Wakeups]] = {
    "oslat": _oslat,
    "signaltest": _threads,
    "cyclicdeadline": _threads,
}
