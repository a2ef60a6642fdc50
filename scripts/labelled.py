# SPDX-License-Identifier: BSD-3-Clause
"""Labelled cases: two runs of a random board in virtual time, of which the second has one known cause of change, or none.

The truth that explanations are tested against: topology, order, costs, cause, its size and the noise are drawn from a seed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from latlab.analysis.base.check import Check
from latlab.analysis.base.explanation import Explanation
from latlab.campaigns.importing import import_log
from latlab.model.enums import Clock
from latlab.model.run import CoreId, Run
from latlab.store.store import Store
from latlab.virtual.board import Board
from latlab.virtual.program import TESTS, run_program

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
    """The causes that an explanation names: what its sentences say moved, in the tests in which only that cause can move it."""
    if any(not check.holds for check in checks):
        return {"flush as last man"}
    sentences = [explanation.sentence for explanation in told]
    finish = any(e.test == "cpu_susp_serial" and "of the wakeup" in e.sentence and _moved(e.sentence, "finish") for e in told)
    message = any(e.test == "cpu_susp_serial" and "of the powerdown" in e.sentence and _moved(e.sentence, "power message") for e in told)
    step = any("step of the queue regressed in" in s and "cpu_susp_parallel" in s for s in sentences)
    flush = [s for s in sentences if s.startswith("cache_flush regressed in ")]
    found = set()
    if any(s.startswith("wakeup regressed") for s in sentences) and finish:
        found.add("slower wake-up")
    if any(s.startswith("powerdown regressed") for s in sentences) and message:
        found.add("slower message")
    elif step:
        found.add("slower channel")
    if flush:
        everywhere = any("in every test" in s or "cpu_susp" in s.partition(":")[0] for s in flush)
        found.add("slower core flush" if everywhere else "slower cluster flush")
    return found


def _moved(sentence: str, part: str) -> bool:
    """Does the sentence say that this part grew by more than the noise?"""
    match = re.search(rf"{part} \+([0-9.]+) (ns|µs)", sentence)
    return match is not None and float(match[1]) * (1000 if match[2] == "µs" else 1) > 4 * NOISE_NS
