# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps over boards that nobody has built: cores, clusters, lock kind and scope, channel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from latlab.calls.analysis.marked import TESTS
from latlab.core.errors import DataError, UsageError
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.core.readers.dump.dump import Iteration, collect_dump
from latlab.core.readers.event_table import event_table
from latlab.psci.analysis.crosscheck import disagreement
from latlab.psci.analysis.slowest import Calls, Cause, causes, shortest_to_message
from latlab.psci.analysis.spans import core_samples, measured_call
from latlab.psci.targets.board import CHOICES, MAX_CORES, Board
from latlab.psci.targets.virtual_program import run_program, spans_of

SWEPT_TESTS = ("susp_deep_parallel", "cpu_susp_parallel")
SMALL, LARGE = 6, 64
TICKS_A_SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Design:
    """One choice of lock and channel."""

    lock: str
    lock_scope: str
    channel: str

    def __str__(self) -> str:
        return f"{self.lock}, {self.lock_scope}, {self.channel} channel"


@dataclass(frozen=True, slots=True)
class SimulationJob:
    """One simulation of a sweep."""

    board: Board
    design: Design
    cluster_size: int
    test: str


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """Two spans over the cores of one simulated board, one iteration, in nanoseconds; the slowest power-down by cause.

    `alone_ns` is what that core's power-down takes when it meets no other core, without its flush. `channel_floor_ns` is the least
    that the worst power-down can take with one channel, whatever the locks; None with one channel per core.
    """

    design: Design
    cluster_size: int
    cores: int
    clusters: int
    powerdown_median_ns: float
    powerdown_worst_ns: float
    wakeup_median_ns: float
    wakeup_worst_ns: float
    worst_core: CoreId
    causes_ns: Mapping[Cause, int]
    alone_ns: float
    channel_floor_ns: float | None

    @property
    def over_alone(self) -> float:
        """The worst power-down divided by what its core and its flush take with no other core there."""
        return self.powerdown_worst_ns / (self.alone_ns + self.causes_ns[Cause.OWN_FLUSH])

    @property
    def over_floor(self) -> float | None:
        return None if self.channel_floor_ns is None else self.powerdown_worst_ns / self.channel_floor_ns


@dataclass(frozen=True, slots=True)
class Growth:
    """The points of one design and cluster size at two numbers of cores."""

    small: SweepPoint
    large: SweepPoint

    @property
    def factor(self) -> float:
        return self.large.powerdown_worst_ns / self.small.powerdown_worst_ns


Engine = Callable[[Path, Sequence[SimulationJob]], list[SweepPoint]]


def designs_of(board: Board, locks: Sequence[str], scopes: Sequence[str], channels: Sequence[str]) -> list[Design]:
    """Every combination. By default the board's lock, every scope, every channel."""
    chosen = (locks or [board.lock], scopes or CHOICES["lock_scope"], channels or CHOICES["channel"])
    for option, key, values in zip(("--lock", "--scope", "--channel"), ("lock", "lock_scope", "channel"), chosen, strict=True):
        for value in values:
            if value not in CHOICES[key]:
                raise UsageError(f"{option} {value!r} is not known; it is one of {', '.join(CHOICES[key])}")
    return [Design(*design) for design in product(*map(dict.fromkeys, chosen))]


def counts_of(option: str, text: str) -> list[int]:
    """Numbers of cores joined by commas, smallest first, each once."""
    parts = text.split(",")
    if not all(part.isdecimal() and 1 <= int(part) <= MAX_CORES for part in parts):
        raise UsageError(f"{option} {text!r}: it is whole numbers from 1 to {MAX_CORES}, joined by commas, such as 4,16")
    return sorted(set(map(int, parts)))


def board_of(board: Board, design: Design, cores: int, cluster_size: int) -> Board:
    """The board with that many cores in clusters of one size; the costs of its last class for all of them."""
    kind = board.clusters[-1][1]
    whole, remainder = divmod(cores, cluster_size)
    clusters = ((cluster_size, kind),) * whole + (((remainder, kind),) if remainder else ())
    costs = {cost: ns for cost, ns in board.costs.items() if "." not in cost or cost.rpartition(".")[0] == kind}
    return replace(
        board, clusters=clusters, lead=CoreId(0, 0), costs=costs, lock=design.lock, lock_scope=design.lock_scope, channel=design.channel
    )


def jobs_of(board: Board, designs: Sequence[Design], cores: Sequence[int], cluster_sizes: Sequence[int], test: str) -> list[SimulationJob]:
    if test not in SWEPT_TESTS:
        raise UsageError("a sweep is about cores that meet", f"use {' or '.join(SWEPT_TESTS)}", place=test)
    return [
        SimulationJob(board_of(board, design, count, size), design, size, test)
        for design in designs
        for size in cluster_sizes
        for count in cores
    ]


def simulate(program: Path, job: SimulationJob) -> SweepPoint:
    """One iteration of one parallel test on one board."""
    iteration = _iteration(program, job)
    samples = [sample for trace in iteration.traces for sample in core_samples(trace)]
    fault = disagreement(samples, iteration.figures, TICKS_A_SECOND)
    if fault:
        raise DataError(f"{program.name}, {job.design}: {fault.message}")
    down = {sample.core: sample.value_ticks for sample in samples if sample.metric is Metric.POWERDOWN}
    wake = np.array([sample.value_ticks for sample in samples if sample.metric is Metric.WAKEUP])
    calls = {trace.core: measured_call(trace) for trace in iteration.traces}
    worst = max(down, key=lambda core: down[core])
    return SweepPoint(
        job.design,
        job.cluster_size,
        len(down),
        len(job.board.clusters),
        float(np.median(list(down.values()))),
        float(down[worst]),
        float(np.median(wake)),
        float(wake.max()),
        worst,
        causes(calls, worst),
        alone_ns(program, job.board, job.test)[worst],
        channel_floor_ns(job, calls) if job.design.channel == "shared" else None,
    )


def alone_ns(program: Path, board: Board, test: str) -> dict[CoreId, float]:
    """What the power-down of a parallel test costs each core that meets no other, without its flush."""
    serial = test.replace("_parallel", "_serial")
    spans = spans_of(program, replace(board, channel="per-core"), None, serial)
    return {
        core: value - spans[serial, Metric.CACHE_FLUSH, core] for (_, metric, core), value in spans.items() if metric is Metric.POWERDOWN
    }


def channel_floor_ns(job: SimulationJob, calls: Calls) -> float:
    """The core that the channel serves last waits for the others' messages, and for the controller to take them down.

    Cores start at most `stagger_ns` apart, and no message comes before the fastest core has got to its own. If they start so far
    apart that they need not meet, only its own message is a lower bound for a core.
    """
    others, costs = len(calls) - 1, job.board.costs
    waits_ns = others * (costs["message_ns"] + costs["busy_core_ns"] - costs["stagger_ns"])
    if job.test == "susp_deep_parallel":
        waits_ns += (len(job.board.clusters) - 1) * costs["busy_cluster_ns"]
    return float(shortest_to_message(calls) + costs["message_ns"] + max(waits_ns, 0))


def growths(points: Sequence[SweepPoint]) -> list[Growth]:
    """From 6 to 64 cores if the sweep has both, otherwise from its fewest to its most."""
    by_design: dict[tuple[Design, int], dict[int, SweepPoint]] = {}
    for point in points:
        by_design.setdefault((point.design, point.cluster_size), {})[point.cores] = point
    return [Growth(of[SMALL], of[LARGE]) if SMALL in of and LARGE in of else Growth(of[min(of)], of[max(of)]) for of in by_design.values()]


def _iteration(program: Path, job: SimulationJob) -> Iteration:
    printed = run_program(program, job.board, ("1", str(TESTS.index(job.test)), "dump"))
    dump = collect_dump(printed.decode().splitlines(), event_table())
    if dump.problems or len(dump.iterations) != 1:
        reason = dump.problems[0].message if dump.problems else f"{len(dump.iterations)} iterations instead of one"
        raise DataError(f"{program.name} printed a dump that cannot be used: {reason}", "build it again")
    return dump.iterations[0]
