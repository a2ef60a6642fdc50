# SPDX-License-Identifier: BSD-3-Clause
"""Logs as a target would print them, for any topology: a small model of the six tests, exact to the tick and seeded."""

from __future__ import annotations

import random
from collections.abc import Iterator

from latlab.core.model.enums import Metric
from latlab.core.model.figures import Figures
from latlab.core.model.run import CoreId, CoreTrace, Topology, TraceRecord
from latlab.core.readers.dump.dump import Iteration
from latlab.core.readers.dump.frames import Boot, Data, Done, EndFrame, RawRecord, Ring, TestStart
from latlab.core.readers.event_table import event_table
from support.console_lines import format_figures, format_frame
from support.runs import JUNO

CLOCK_HZ = 62_500_000
CPU_SUSPEND = 0xC4000001
CPU_OFF = 0x84000002
PSCI_VERSION = 0x84000000
TESTS = (
    "susp_deep_parallel",
    "susp_deep_serial",
    "cpu_susp_parallel",
    "cpu_susp_serial",
    "cpu_off_serial",
    "psci_version_parallel",
)


def write_iteration(iteration: Iteration) -> Iterator[str]:
    """The dump lines of one iteration: what `read_dump` makes it from."""
    table, test, number = event_table(), iteration.test, iteration.iteration
    yield format_frame(TestStart(test, number, iteration.lead))
    yield from map(format_figures, iteration.figures)
    for trace in iteration.traces:
        first = trace.records[0].sequence if trace.records else 0
        yield format_frame(Ring(test, number, trace.core, first, len(trace.records), trace.lost))
        for start in range(0, len(trace.records), 3):
            part = trace.records[start : start + 3]
            raw = tuple(RawRecord(r.time_ticks, table.by_name[r.event].id, r.arg) for r in part)
            yield format_frame(Data(trace.core, part[0].sequence, raw))
    yield format_frame(Done(test, number))


class _Tracer:
    """Collects the records of one core."""

    def __init__(self, sequence: int, time: int) -> None:
        self.sequence = sequence
        self.time = time
        self.records: list[TraceRecord] = []

    def put(self, event: str, after: int, arg: int = 0) -> None:
        self.time += after
        self.records.append(TraceRecord(self.sequence, self.time, event, arg))
        self.sequence += 1

    def time_of(self, event: str) -> int:
        return next(r.time_ticks for r in reversed(self.records) if r.event == event)


class Model:
    def __init__(
        self, topology: Topology = JUNO, iterations: int = 2, tests: tuple[str, ...] = TESTS, seed: int = 1, boot: int = 0
    ) -> None:
        self.topology = topology
        self.count = iterations
        self.tests = tests
        self.boot = boot
        self.random = random.Random(seed)
        self.lead = topology.cores[0]
        self.sequences = dict.fromkeys(topology.cores, 0)
        self.now = 100_000

    @property
    def header(self) -> Boot:
        return Boot(event_table().hash, CLOCK_HZ, 7_500, self.topology, self.lead, self.count, 1, 3, "synthetic-1.0,release")

    def iterations(self) -> Iterator[Iteration]:
        for test in self.tests:
            for number in range(self.count):
                yield self._iteration(test, number)

    def lines(self) -> Iterator[str]:
        yield format_frame(self.header)
        for iteration in self.iterations():
            yield from write_iteration(iteration)
        yield format_frame(EndFrame(len(self.tests), self.count, "pass"))

    def _iteration(self, test: str, number: int) -> Iteration:
        tracers = {}
        lock_free = self.now
        for position, core in enumerate(self.topology.cores):
            start = self.now if test.endswith("parallel") else self.now + position * 400_000
            tracer = _Tracer(self.sequences[core], start)
            if test.startswith("psci_version"):
                self._version(tracer)
            else:
                lock_free = self._power(tracer, test, core, position, lock_free)
            self.sequences[core] = tracer.sequence
            tracers[core] = tracer
        self.now = max(t.time for t in tracers.values()) + 50_000
        traces = tuple(CoreTrace(test, self.boot, number, core, tuple(t.records)) for core, t in tracers.items())
        return Iteration(self.boot, test, number, self.lead, 0, traces, tuple(figures(t) for t in traces))

    def _version(self, tracer: _Tracer) -> None:
        tracer.put("ENTER_PSCI", self.random.randrange(20), PSCI_VERSION)
        tracer.put("EXIT_PSCI", 50 + self.random.randrange(8), 0x10001)

    def _power(self, tracer: _Tracer, test: str, core: CoreId, position: int, lock_free: int) -> int:
        deep = "deep" in test or "off" in test
        last_man = deep and (core.core == self.topology.clusters[core.cluster] - 1 if "parallel" in test else core != self.lead)
        level = 1 if last_man else 0
        call = CPU_OFF if "off" in test and core != self.lead else CPU_SUSPEND
        tracer.put("ENTER_PSCI", self.random.randrange(20), call)
        if deep:
            tracer.put("LOCK_REQUEST", 60, 1 << 16 | core.cluster)
            tracer.put("LOCK_ACQUIRE", max(8, lock_free - tracer.time), 1 << 16 | core.cluster)
            tracer.put("LOCK_RELEASE", 90 + self.random.randrange(5), 1 << 16 | core.cluster)
            lock_free = tracer.time if "parallel" in test else lock_free
        tracer.put("ENTER_CFLUSH", 15, level)
        tracer.put("EXIT_CFLUSH", 133_338 if last_man else 2_174, level)
        tracer.put("ENTER_POWER_MESSAGE", 12, level)
        tracer.put("EXIT_POWER_MESSAGE", 30, level)
        tracer.put("ENTER_HW_LOW_PWR", 9, level)
        tracer.put("EXIT_HW_LOW_PWR", 150_000 + self.random.randrange(100))
        tracer.put("WARM_BOOT", 40)
        if deep:
            tracer.put("LOCK_REQUEST", 70, 1 << 16 | core.cluster)
            tracer.put("LOCK_ACQUIRE", 8, 1 << 16 | core.cluster)
            tracer.put("LOCK_RELEASE", 50, 1 << 16 | core.cluster)
        tracer.put("EXIT_PSCI", 100 + position, 0)
        return lock_free


def figures(trace: CoreTrace) -> Figures:
    """What the payload would print of the trace."""
    times = {record.event: record.time_ticks for record in trace.records}
    ns = 1_000_000_000 // CLOCK_HZ
    if "ENTER_HW_LOW_PWR" not in times:
        return Figures(trace.test, trace.core, ((Metric.PSCI_CALL, (times["EXIT_PSCI"] - times["ENTER_PSCI"]) * ns),))
    spans = (
        (Metric.POWERDOWN, times["ENTER_HW_LOW_PWR"] - times["ENTER_PSCI"]),
        (Metric.WAKEUP, times["EXIT_PSCI"] - times["EXIT_HW_LOW_PWR"]),
        (Metric.CACHE_FLUSH, times["EXIT_CFLUSH"] - times["ENTER_CFLUSH"]),
    )
    return Figures(trace.test, trace.core, tuple((metric, ticks * ns) for metric, ticks in spans))


def log(topology: Topology = JUNO, iterations: int = 2, tests: tuple[str, ...] = TESTS, seed: int = 1) -> list[str]:
    return list(Model(topology, iterations, tests, seed).lines())
