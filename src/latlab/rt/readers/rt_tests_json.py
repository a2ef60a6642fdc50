# SPDX-License-Identifier: BSD-3-Clause
"""The JSON of other programs of rt-tests than cyclictest: oslat, signaltest, cyclicdeadline. All have one `thread` object."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np

from latlab.core.errors import DataError
from latlab.core.model.enums import RowKind
from latlab.rt.model.wakeups import CpuWakeups, Histogram, Wakeups, counted_us
from latlab.rt.readers import oslat
from latlab.rt.readers.thread_lines import THREADS

LARGEST = 10**15


def read_rt_tests(program: str, root: dict[str, Any], place: str) -> Wakeups:
    """Raises DataError for a program whose figures are no wake-ups and no stalls."""
    reader = READERS.get(program)
    if reader is None:
        readable = ", ".join(("cyclictest", *READERS))
        raise DataError(f"the JSON of {program}, which is not read", f"give that of {readable}", place=place)
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
        held = _threads_histogram(entry, int(cycles), place)
        cpus.append(CpuWakeups(number, held, int(cycles), None, None, int(low * 1000), int(high * 1000), float(average * 1000)))
    return Wakeups(program, None, 1000, tuple(sorted(cpus, key=lambda cpu: cpu.cpu)), facts=(THREADS,), rows=RowKind.THREAD)


def _threads_histogram(entry: dict[str, Any], cycles: int, place: str) -> Histogram | None:
    """Of cyclicdeadline with --histogram: whole microseconds. What the buckets do not hold lies beyond the last one."""
    if not isinstance(entry.get("histogram"), dict):
        return None
    held = _buckets(entry, place)
    counts = np.array(list(held.values()), dtype=np.int64)
    return counted_us(np.array([int(name) for name in held], dtype=np.int64), counts, max(cycles - int(counts.sum()), 0))


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
