"""Sweeps over boards that nobody has built: cores, clusters, lock kind and scope, channel."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from latlab.errors import UsageError
from latlab.model import CoreId, Metric
from latlab.targets.board import MAX_CORES, Board
from latlab.targets.virtual_time import spans_of


@dataclass(frozen=True, slots=True)
class Design:
    """One choice of lock and channel."""

    lock: str
    lock_scope: str
    channel: str

    def __str__(self) -> str:
        return f"{self.lock}, {self.lock_scope}, {self.channel} channel"


@dataclass(frozen=True, slots=True)
class Point:
    """Median and worst of two spans over the cores of one simulated board, in nanoseconds."""

    design: Design
    cores: int
    clusters: int
    powerdown_median_ns: float
    powerdown_worst_ns: float
    wakeup_median_ns: float
    wakeup_worst_ns: float


def board_of(board: Board, design: Design, cores: int, cluster_size: int) -> Board:
    """The board with so many cores in clusters of one size; the costs of its last class for all of them."""
    if not 1 <= cores <= MAX_CORES:
        raise UsageError(f"{cores} cores: the virtual-time platform has 1 to {MAX_CORES}")
    kind = board.clusters[-1][1]
    whole, rest = divmod(cores, cluster_size)
    clusters = ((cluster_size, kind),) * whole + (((rest, kind),) if rest else ())
    costs = {cost: ns for cost, ns in board.costs.items() if "." not in cost or cost.rpartition(".")[0] == kind}
    return replace(
        board, clusters=clusters, lead=CoreId(0, 0), costs=costs, lock=design.lock, lock_scope=design.lock_scope, channel=design.channel
    )


def simulate(program: Path, board: Board, design: Design, test: str) -> Point:
    """One parallel test on one board."""
    spans = spans_of(program, board, None, test)
    down = np.array([value for (_, metric, _), value in spans.items() if metric is Metric.POWERDOWN])
    wake = np.array([value for (_, metric, _), value in spans.items() if metric is Metric.WAKEUP])
    return Point(
        design,
        len(board.topology.cores),
        len(board.clusters),
        float(np.median(down)),
        float(down.max()),
        float(np.median(wake)),
        float(wake.max()),
    )


Mapper = Callable[[Callable[[tuple[Design, int]], Point], Iterable[tuple[Design, int]]], Iterable[Point]]


def sweep(
    program: Path,
    board: Board,
    designs: Sequence[Design],
    cores: Sequence[int],
    cluster_size: int,
    test: str,
    mapper: Mapper | None = None,
) -> list[Point]:
    """Every design at every number of cores. The simulations are processes of their own: all local cores work."""
    if not test.endswith("_parallel") or test.startswith("psci_version"):
        raise UsageError(f"{test}: a sweep is about cores that meet; use susp_deep_parallel or cpu_susp_parallel")

    def one(choice: tuple[Design, int]) -> Point:
        design, count = choice
        return simulate(program, board_of(board, design, count, cluster_size), design, test)

    choices = [(design, count) for design in designs for count in cores]
    if mapper:
        return list(mapper(one, choices))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(one, choices))


def uncontended_ns(program: Path, board: Board) -> dict[CoreId, float]:
    """What a power-down to the deepest level costs each core that meets nobody, its flush left out."""
    alone = replace(board, channel="per-core")
    spans = spans_of(program, alone, None, "susp_deep_serial")
    return {
        core: value - spans[(test, Metric.CACHE_FLUSH, core)] for (test, metric, core), value in spans.items() if metric is Metric.POWERDOWN
    }
