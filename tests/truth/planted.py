# SPDX-License-Identifier: BSD-3-Clause
"""What is planted in the second of two runs: a cause, how it shows, and so what may be said of whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from truth.machines import DEEP, DOWN, FLUSH, SERIAL, UP, Floats, Machine, Span


class Pathology(StrEnum):
    """`NOTHING`: one truth. `LEVEL`: a cost of the machine. The shapes change some of the iterations of a span only. What remains is no
    change of the machine: the run says something else than what was measured."""

    NOTHING = "nothing"
    LEVEL = "level"
    LAST_MAN = "every core pays as last man"
    LEAD = "another lead"
    SPREAD = "spread"
    TAIL_1 = "1 % six times"
    TAIL_5 = "5 % three times"
    ONE_A_CORE = "one a core eleven times"
    HALF = "nine of twenty ten times"
    DRIFT = "drift"
    UNIT_20 = "a twentieth"
    HALF_CLOCK = "half clock in one test"
    EXCHANGED = "exchanged columns"
    ROTATED = "rotated labels"
    PASTED = "pasted boots"
    WRAPPED = "wrapped counter"
    ZEROS = "a column of zeros"


SHAPES = (Pathology.SPREAD, Pathology.TAIL_1, Pathology.TAIL_5, Pathology.ONE_A_CORE, Pathology.HALF, Pathology.DRIFT)
CORRUPT = (
    Pathology.UNIT_20, Pathology.HALF_CLOCK, Pathology.EXCHANGED, Pathology.ROTATED, Pathology.PASTED, Pathology.WRAPPED, Pathology.ZEROS
)  # fmt: skip


@dataclass(frozen=True)
class Cause:
    """A part of the machine that costs `size` of itself more."""

    name: str
    apply: Callable[[Machine, float], Machine]


def _of_cluster(costs: tuple[float, ...], factor: float, cluster: int | None) -> tuple[float, ...]:
    return tuple(cost * (factor if cluster in (None, i) else 1.0) for i, cost in enumerate(costs))


def _wakeup(cluster: int | None) -> Cause:
    def apply(machine: Machine, size: float) -> Machine:
        return replace(machine, wake={test: _of_cluster(costs, 1 + size, cluster) for test, costs in machine.wake.items()})

    return Cause("wakeup" if cluster is None else f"wakeup of cluster {cluster}", apply)


def _flush(cluster: int) -> Cause:
    return Cause(f"cluster flush of cluster {cluster}", lambda m, s: replace(m, flush_cluster=_of_cluster(m.flush_cluster, 1 + s, cluster)))


_CORE_FLUSH = Cause("core flush", lambda m, s: replace(m, flush_core=_of_cluster(m.flush_core, 1 + s, None)))
_CALL = Cause("call", lambda m, s: replace(m, call=m.call * (1 + s)))
_ALONE = Cause("powerdown", lambda m, s: replace(m, alone=m.alone * (1 + s), base=m.base * (1 + s)))
QUEUED_CAUSES = (
    _wakeup(None), _wakeup(0), _wakeup(1), Cause("base", lambda m, s: replace(m, base=m.base * (1 + s))),
    Cause("step", lambda m, s: replace(m, step=m.step * (1 + s))), _CORE_FLUSH, _flush(0), _flush(1), _CALL,
)  # fmt: skip
FREE_CAUSES = (_wakeup(None), _wakeup(1), _ALONE, _CALL)
EXACT_CAUSES = FREE_CAUSES[:-1]  # cores take turns, so nothing is said of what they do at once
CAUSES = {cause.name: cause for cause in (*QUEUED_CAUSES, *FREE_CAUSES)}


@dataclass(frozen=True)
class Planted:
    """`span` and `cores` say where a shape or a corruption sits; `cause` what costs more."""

    pathology: Pathology
    cause: str = ""
    size: float = 0.0
    span: Span = ("", "")

    @property
    def name(self) -> str:
        what = self.cause or " ".join(filter(None, self.span))
        return " ".join(filter(None, (str(self.pathology), what, f"{self.size:+.0%}" if self.size else "")))


def machine_after(machine: Machine, planted: Planted) -> Machine:
    if planted.pathology is Pathology.LEVEL:
        return CAUSES[planted.cause].apply(machine, planted.size)
    if planted.pathology is Pathology.LAST_MAN:
        return replace(machine, everybody_last=True)
    if planted.pathology is Pathology.LEAD:
        return replace(machine, lead=next(core for core in machine.cores if core != machine.lead and core[0] != machine.lead[0]))
    return machine


def shaped(values: Floats, middle: Floats, planted: Planted, rng: np.random.Generator) -> Floats:
    """One span of (boots, iterations, cores) with the shape planted: `middle` is the span without noise."""
    boots, iterations, cores = values.shape
    if planted.pathology is Pathology.SPREAD:
        return np.asarray(middle + (values - middle) * planted.size)
    if planted.pathology is Pathology.DRIFT:
        return values * (1 + planted.size * np.linspace(0.0, 1.0, iterations))[None, :, None]
    if planted.pathology is Pathology.HALF:
        hit = np.zeros(iterations, bool)
        hit[rng.permutation(iterations)[: round(0.45 * iterations)]] = True
        return np.asarray(np.where(hit[None, :, None], values * 10.0, values))
    share, factor = {Pathology.TAIL_1: (0.01, 6.0), Pathology.TAIL_5: (0.05, 3.0), Pathology.ONE_A_CORE: (0.0, 11.0)}[planted.pathology]
    late = rng.random(values.shape) < share
    if not share:
        late[rng.integers(boots), rng.integers(iterations, size=cores), np.arange(cores)] = True
    return np.asarray(np.where(late, values * factor, values))


def corrupted(table: dict[Span, Floats], planted: Planted) -> dict[Span, Floats]:
    """Every span of a run as it would stand there."""
    test = planted.span[0]
    if planted.pathology is Pathology.UNIT_20:
        return {span: values / 20 for span, values in table.items()}
    if planted.pathology is Pathology.HALF_CLOCK:
        return {span: values / 2 if span[0] == test else values for span, values in table.items()}
    if planted.pathology is Pathology.EXCHANGED:
        return {**table, (test, UP): table[test, FLUSH], (test, FLUSH): table[test, UP]}
    if planted.pathology is Pathology.ROTATED:
        turned = {DOWN: UP, UP: FLUSH, FLUSH: DOWN}
        return {span: table[test, turned[span[1]]] if span[0] == test else values for span, values in table.items()}
    if planted.pathology is Pathology.PASTED:
        return {span: np.repeat(values[:1], len(values), axis=0) for span, values in table.items()}
    out = {span: values.copy() for span, values in table.items()}
    if planted.pathology is Pathology.WRAPPED:
        out[planted.span][0, 0, 0] += 2.0**32
    if planted.pathology is Pathology.ZEROS:
        out[planted.span][:] = 0.0
    return out


def places(machine: Machine, planted: Pathology) -> tuple[Span, ...]:
    """Where a shape or a corruption of this kind may be planted."""
    if planted in SHAPES:
        return tuple((test, UP) for test in SERIAL)
    if planted is Pathology.ZEROS:
        return ((DEEP, DOWN), *((test, UP) for test in SERIAL))
    if planted is Pathology.WRAPPED:
        return tuple((test, UP) for test in SERIAL)
    if planted in (Pathology.HALF_CLOCK, Pathology.EXCHANGED, Pathology.ROTATED):
        return tuple((test, DOWN) for test in SERIAL)
    return ()
