# SPDX-License-Identifier: BSD-3-Clause
"""A pair of runs of spans: tables in ticks, before and after, and by how much they truly differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truth.machines import DOWN, FLUSH, Bools, Floats, Machine, Span, Spans, spans_of
from truth.noise import Noise, drawn
from truth.planted import CORRUPT, SHAPES, Pathology, Planted, corrupted, machine_after, shaped

Table = dict[Span, NDArray[np.int64]]
TAIL_LIMIT = 8.0


@dataclass(frozen=True)
class Pair:
    """`before` and `after` in ticks, `truth_before` and `truth_after` without noise and with the cores in one order. `hit` are the cells
    of the planted span that a shape changed."""

    machine: Machine
    machine_after: Machine
    planted: Planted
    before: Table
    after: Table
    truth_before: Spans
    truth_after: Spans
    hit: Bools | None = None


def pair_of(machine: Machine, planted: Planted, noise: Noise, boots: tuple[int, int], iterations: int, seed: int) -> Pair:
    rng = np.random.default_rng([seed, 1])
    changed = machine_after(machine, planted)
    before, _ = _measured(machine, Planted(Pathology.NOTHING), noise, boots[0], iterations, rng)
    after, hit = _measured(changed, planted, noise, boots[1], iterations, rng)
    order_seed = int(rng.integers(2**31))
    truths = [spans_of(one, 40, 1, order_seed) for one in (machine, changed)]
    return Pair(machine, changed, planted, before, after, truths[0], truths[1], hit)


def _measured(
    machine: Machine, planted: Planted, noise: Noise, boots: int, iterations: int, rng: np.random.Generator
) -> tuple[Table, Bools | None]:
    plain = spans_of(machine, boots, iterations, int(rng.integers(2**31)))
    table: dict[Span, Floats] = {}
    for span, middle in plain.values.items():
        kind = Noise.NONE if machine.exact else noise
        values = middle + np.clip(drawn(kind, rng, middle.shape), -TAIL_LIMIT, None) * machine.deviation(*span)
        values = values + _pattern(values.shape) if machine.exact else values
        table[span] = np.maximum(values, 0.2 * middle)
    hit: Bools | None = None
    if planted.pathology in SHAPES:
        plain_shape = table[planted.span]
        table[planted.span] = np.maximum(shaped(plain_shape, plain.values[planted.span], planted, rng), machine.tick_ns)
        hit = table[planted.span] != plain_shape
    for test in {test for test, metric in table if metric == FLUSH}:
        table[test, DOWN] = np.maximum(table[test, DOWN], 1.05 * table[test, FLUSH])
    if planted.pathology in CORRUPT:
        table = corrupted(table, planted)
    return {span: np.rint(values / machine.tick_ns).astype(np.int64) for span, values in table.items()}, hit


def _pattern(shape: tuple[int, ...]) -> Floats:
    """A deterministic machine has iterations of its own length, the same in every run: cold caches of the emulated code, say."""
    return np.broadcast_to(np.array([(7 * i * i) % 5 for i in range(shape[1])], float)[None, :, None], shape)
