# SPDX-License-Identifier: BSD-3-Clause
"""The performance tests of TF-A's test framework (TFTF): round trips of an SMC, one line each, and ticks until a core is on.

The round trips are printed while the test runs (`N cycles<tab>N ns`), their average and range in the report behind it. Of a core that is
switched on while others ask for it only ticks are printed: their worth in ns is that of the round trips.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from latlab.formats.dump.frames import strip_escapes
from latlab.model.enums import Clock, Metric, RunStatus
from latlab.model.run import UNNAMED, Build, CoreId, Problem, Run, Sample, Spans, Tick, Topology

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
    found = _Found()
    for number, line in lines:
        _take(found, number, line)
    for (test, boot), trips in found.trips.items():
        found.samples += [Sample(test, Metric.CALL, LEAD, boot, i, ns) for i, (_, ns) in enumerate(trips)]
    tick_ns = _tick(found)
    _add_core_on(found, tick_ns)
    return CallTimes(tuple(found.samples), tick_ns, tuple(found.problems))


def _take(found: _Found, number: int, line: str) -> None:
    if match := EXECUTING.match(line):
        found.test = named(match[1])
        found.boots[found.test] = found.boots.get(found.test, -1) + 1
    elif match := ROUND_TRIP.match(line):
        found.trips.setdefault(_place(found), []).append((int(match[1]), int(match[2])))
    elif match := AVERAGE.match(line):
        _check_average(found, number, *map(int, match.groups()))
    elif match := CORE_ON.match(line):
        found.ons.append((f"{_place(found)[0]}-{match[1].lower()}", _place(found)[1], int(match[2])))
    elif TORN.match(line):
        found.problems.append(Problem(number, f"{line.strip()[:60]!r} is no whole line of a performance test; it is left out"))


def named(title: str) -> str:
    """`PSCI_VERSION latency` as the name of a test."""
    return re.sub(r"[^A-Za-z0-9_.]+", "-", title.strip()).strip("-") or "test"


def _place(found: _Found) -> tuple[str, int]:
    test = found.test or "call"
    return test, found.boots.get(test, 0)


def _check_average(found: _Found, number: int, average: int, low: int, high: int) -> None:
    """The report against the lines: the average is cut to whole ticks, so it may be one of them less."""
    trips = found.trips.get(_place(found))
    if not trips:
        found.problems.append(
            Problem(number, "an average without its round trips; run a test framework that prints notices (LOG_LEVEL of 20 or more)")
        )
        return
    times = [ns for _, ns in trips]
    tick = max((ns / cycles for cycles, ns in trips if cycles), default=1.0)
    mean = sum(times) / len(times)
    if (min(times), max(times)) != (low, high) or not mean - 2 * tick - 1 <= average <= mean + tick + 1:
        told = f"{len(times)} round trips of {min(times)} to {max(times)} ns, {mean:.0f} on average"
        found.problems.append(Problem(number, f"the report says {low} to {high} ns, {average} on average, its lines are {told}"))


def _tick(found: _Found) -> float | None:
    """By the longest round trip, whose ns are the least rounded."""
    longest = max((trip for trips in found.trips.values() for trip in trips), default=(0, 0))
    return longest[1] / longest[0] if longest[0] else None


def _add_core_on(found: _Found, tick_ns: float | None) -> None:
    for test, boot, ticks in found.ons:
        if tick_ns is None:
            found.problems.append(Problem(0, f"{test}: {ticks} ticks of an unknown counter; give a log that has round trips of an SMC too"))
        elif ticks < 0:
            found.problems.append(Problem(0, f"{test}: {ticks} ticks; the counter ran backwards, so it is left out"))
        else:
            found.samples.append(Sample(test, Metric.WAKEUP, LEAD, boot, 0, round(ticks * tick_ns)))


def parse(data: bytes, name: str) -> Run | None:
    """The run of a whole log; None where the log has no mark of a performance test."""
    if not any(mark in data for mark in MARKS):
        return None
    lines = [(number, strip_escapes(line).rstrip("\r")) for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1)]
    found = read_calls(lines)
    if not found.samples and not found.problems:
        return None
    return Run(
        campaign=CAMPAIGN,
        target="log",
        platform=UNNAMED,
        topology=Topology((1,)),
        tick=Tick(Clock.TIME, 1.0),
        build=Build(name),
        lead=LEAD,
        status=RunStatus.PARTIAL if found.problems else RunStatus.COMPLETE,
        contents=Spans(found.samples),
        problems=found.problems,
        resolutions=tuple((metric, found.tick_ns) for metric in (Metric.CALL, Metric.WAKEUP)) if found.tick_ns else (),
        id=name,
    )
