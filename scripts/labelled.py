# SPDX-License-Identifier: BSD-3-Clause
"""Labelled cases: two runs of a random board in virtual time, of which the second has one known cause of change, or none.

The truth that explanations are tested against: topology, order, costs, cause, its size and the noise are drawn from a seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from latlab.calls.analysis.marked import TESTS
from latlab.core.comparison.check import Check
from latlab.core.comparison.explanation import Explanation
from latlab.core.comparison.findings import Finding
from latlab.core.comparison.queue_model import STEP
from latlab.core.comparison.span_findings import MetricMoved, PartsMoved, TermMoved
from latlab.core.comparison.verdicts import Verdict
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import CoreId, Run
from latlab.core.store.store import Store
from latlab.psci.analysis.decompose import FINISH, POWER_MESSAGE, PartName
from latlab.psci.targets.board import Board
from latlab.psci.targets.virtual_program import run_program
from latlab.runs.campaign.importing_log import import_log

CAUSES = ("none", "slower wake-up", "slower core flush", "slower cluster flush", "slower channel", "slower message", "flush as last man")
NOISE_NS = 50
ITERATIONS = 3
PARALLEL = tuple(test for test in TESTS if test.endswith("_parallel"))


@dataclass(frozen=True)
class Case:
    """A board before and after, the cause of the difference, and the order in which cores came each time."""

    seed: int
    cause: str
    before: Board
    after: Board
    order_before: tuple[CoreId, ...]
    order_after: tuple[CoreId, ...]


def case_of(seed: int, juno: Board) -> Case:
    """The case of a seed; the same seed gives the same case."""
    random = np.random.default_rng(seed)
    clusters = tuple((int(random.integers(2, 5)), kind) for kind in juno.classes)
    costs = {name: round(value * float(random.uniform(0.7, 1.4))) for name, value in juno.costs.items()}
    scope = str(random.choice(["coordination", "transition"]))
    lead = CoreId(int(random.integers(len(clusters))), 0)
    before = replace(
        juno, clusters=clusters, costs=costs, lock_scope=scope, lead=lead, noise_ns=NOISE_NS, seed=int(random.integers(1, 2**31))
    )
    cause = CAUSES[int(random.integers(len(CAUSES)))]
    after = replace(_changed(before, cause, float(random.uniform(1.15, 1.6))), seed=int(random.integers(1, 2**31)))
    cores = list(before.topology.cores)
    orders = [tuple(cores[i] for i in random.permutation(len(cores))) for _ in range(2)]
    return Case(seed, cause, before, after, *orders)


def _changed(board: Board, cause: str, factor: float) -> Board:
    scaled = {
        "slower wake-up": ("exit_ns",),
        "slower core flush": ("flush_core_ns",),
        "slower cluster flush": ("flush_cluster_ns",),
        "slower channel": ("busy_core_ns",),
        "slower message": ("message_ns",),
    }
    if cause == "flush as last man":
        return replace(board, flush_always_cluster=True)
    names = scaled.get(cause, ())
    return board.with_costs({cost: round(ns * factor) for cost, ns in board.costs.items() if cost.rpartition(".")[2] in names})


def measure(program: Path, store: Store, board: Board, order: tuple[CoreId, ...]) -> Run:
    """The board's campaign as a stored run, by the path that every dump takes."""
    orders = {test: order for test in PARALLEL}
    printed = run_program(program, board, (str(ITERATIONS), "all", "dump"), orders)
    recorded = import_log(store, printed, "virtual.log", clock=Clock.VIRTUAL, platform=board.name)
    return store.load(recorded.run_id)


def named_causes(told: Sequence[Explanation], checks: Sequence[Check]) -> set[str]:
    """The causes that explanations name: what they say moved, in the tests in which only that cause can move it."""
    if any(not check.holds for check in checks):
        return {"flush as last man"}
    slower = {e.finding.metric: e.finding for e in told if isinstance(e.finding, MetricMoved) and e.finding.verdict is Verdict.REGRESSED}
    found = set()
    if Metric.WAKEUP in slower and _part_grew(told, Metric.WAKEUP, FINISH):
        found.add("slower wake-up")
    if Metric.POWERDOWN in slower and _part_grew(told, Metric.POWERDOWN, POWER_MESSAGE):
        found.add("slower message")
    elif any(_is_slower_step(e.finding) for e in told):
        found.add("slower channel")
    flush = slower.get(Metric.CACHE_FLUSH)
    if flush is not None:
        shallow = flush.everywhere or any(test.startswith("cpu_susp") for test in flush.tests)
        found.add("slower core flush" if shallow else "slower cluster flush")
    return found


def _part_grew(told: Sequence[Explanation], metric: Metric, part: PartName) -> bool:
    """Did a part of the serial level-0 span grow by more than the noise?"""
    moved = [e.finding for e in told if e.test == "cpu_susp_serial" and isinstance(e.finding, PartsMoved) and e.finding.metric is metric]
    return any(name == str(part) and grown > 4 * NOISE_NS for finding in moved for name, grown in finding.parts)


def _is_slower_step(finding: Finding) -> bool:
    if not isinstance(finding, TermMoved):
        return False
    return finding.term == STEP and finding.verdict is Verdict.REGRESSED and "cpu_susp_parallel" in finding.tests
