# SPDX-License-Identifier: BSD-3-Clause
"""The performance tests of TF-A's test framework (TFTF): round trips of an SMC, one line each, and ticks until a core is on.

The round trips are printed while the test runs (`N cycles<tab>N ns`), their average and range in the report behind it. Of a core that is
switched on while others ask for it only ticks are printed: their worth in ns is that of the round trips.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.run import UNNAMED, Build, CoreId, Problem, Run, Sample, Spans, Tick, Topology
from latlab.core.readers.dump.frames import strip_escapes

EXECUTING = re.compile(r"^> Executing '(.{1,120})'\s*$")
ROUND_TRIP = re.compile(r"^(?:NOTICE: +)?(\d{1,15}) cycles\t(\d{1,18}) ns\s*$", re.ASCII)
AVERAGE = re.compile(r"^Average time: (\d{1,18}) ns \(ranging from (\d{1,18}) to (\d{1,18})\)\s*$", re.ASCII)
CORE_ON = re.compile(r"^(Baseline|Test) data: \t(-?\d{1,15}) \t+(\d{1,9})\s*$", re.ASCII)
TORN = re.compile(r"^(?:NOTICE: +)?\d+ cycles|^Average time: |^(?:Baseline|Test) data: ")
MARKS = (b"Average time: ", b" cycles\t", b"Baseline data: ")
CAMPAIGN = "smc"
LEAD = CoreId(0, 0)
Line = tuple[int, str]


@dataclass(slots=True)
class _Found:
    test: str = ""
    boots: dict[str, int] = field(default_factory=dict)
    trips: dict[tuple[str, int], list[tuple[int, int]]] = field(default_factory=dict)
    ons: list[tuple[str, int, int]] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class CallTimes:
    """Samples in ns of the board's counter, and what one tick of it is worth where two round trips say it."""

    samples: tuple[Sample, ...]
    tick_ns: float | None
    problems: tuple[Problem, ...]


def read_calls(lines: Sequence[Line]) -> CallTimes:
    """Lines with their numbers. A test that is executed again is another boot; every call is of the lead core, which alone makes them."""
    calls = _Found()
    for number, line in lines:
        _take(calls, number, line)
    for (test, boot), trips in calls.trips.items():
        calls.samples += [Sample(test, Metric.CALL, LEAD, boot, i, ns) for i, (_, ns) in enumerate(trips)]
    tick_ns = _tick(calls)
    _add_core_on(calls, tick_ns)
    return CallTimes(tuple(calls.samples), tick_ns, tuple(calls.problems))


def _take(calls: _Found, number: int, line: str) -> None:
    if match := EXECUTING.match(line):
        calls.test = named(match[1])
        calls.boots[calls.test] = calls.boots.get(calls.test, -1) + 1
    elif match := ROUND_TRIP.match(line):
        calls.trips.setdefault(_place(calls), []).append((int(match[1]), int(match[2])))
    elif match := AVERAGE.match(line):
        _check_average(calls, number, *map(int, match.groups()))
    elif match := CORE_ON.match(line):
        calls.ons.append((f"{_place(calls)[0]}-{match[1].lower()}", _place(calls)[1], int(match[2])))
    elif TORN.match(line):
        calls.problems.append(Problem(number, f"{line.strip()[:60]!r} is no whole line of a performance test; it is left out"))


def named(title: str) -> str:
    """`PSCI_VERSION latency` as the name of a test."""
    return re.sub(r"[^A-Za-z0-9_.]+", "-", title.strip()).strip("-") or "test"


def _place(calls: _Found) -> tuple[str, int]:
    test = calls.test or "call"
    return test, calls.boots.get(test, 0)


def _check_average(calls: _Found, number: int, average: int, low: int, high: int) -> None:
    """The report against the lines: the average is cut to whole ticks, so it may be one of them less."""
    trips = calls.trips.get(_place(calls))
    if not trips:
        calls.problems.append(
            Problem(number, "an average without its round trips; run a test framework that prints notices (LOG_LEVEL of 20 or more)")
        )
        return
    times = [ns for _, ns in trips]
    tick = max((ns / cycles for cycles, ns in trips if cycles), default=1.0)
    mean = sum(times) / len(times)
    if (min(times), max(times)) != (low, high) or not mean - 2 * tick - 1 <= average <= mean + tick + 1:
        measured = f"{len(times)} round trips of {min(times)} to {max(times)} ns, {mean:.0f} on average"
        calls.problems.append(Problem(number, f"the report says {low} to {high} ns, {average} on average, its lines are {measured}"))


def _tick(calls: _Found) -> float | None:
    """By the longest round trip, whose ns are the least rounded."""
    longest = max((trip for trips in calls.trips.values() for trip in trips), default=(0, 0))
    return longest[1] / longest[0] if longest[0] else None


def _add_core_on(calls: _Found, tick_ns: float | None) -> None:
    for test, boot, ticks in calls.ons:
        if tick_ns is None:
            calls.problems.append(Problem(0, f"{test}: {ticks} ticks of an unknown counter; give a log that has round trips of an SMC too"))
        elif ticks < 0:
            calls.problems.append(Problem(0, f"{test}: {ticks} ticks; the counter ran backwards, so it is left out"))
        else:
            calls.samples.append(Sample(test, Metric.WAKEUP, LEAD, boot, 0, round(ticks * tick_ns)))


def parse(data: bytes, name: str) -> Run | None:
    """The run of a whole log; None where the log has no mark of a performance test."""
    if not any(mark in data for mark in MARKS):
        return None
    lines = [(number, strip_escapes(line).rstrip("\r")) for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1)]
    calls = read_calls(lines)
    if not calls.samples and not calls.problems:
        return None
    return Run(
        campaign=CAMPAIGN,
        target="log",
        platform=UNNAMED,
        topology=Topology((1,)),
        tick=Tick(Clock.TIME, 1.0),
        build=Build(name),
        lead=LEAD,
        status=RunStatus.PARTIAL if calls.problems else RunStatus.COMPLETE,
        contents=Spans(calls.samples),
        problems=calls.problems,
        resolutions=tuple((metric, calls.tick_ns) for metric in (Metric.CALL, Metric.WAKEUP)) if calls.tick_ns else (),
        id=name,
    )
