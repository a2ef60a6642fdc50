# SPDX-License-Identifier: BSD-3-Clause
"""What moves: one core, some, half or all of the like ones, in one test or in all, in one boot or in every one, up, down or both, in the
candidate or in the base; and how the wake-ups of some CPUs of a Linux move. Nothing here knows the product."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from truth.machines import JUNO, N1SDP, SERIAL, UP, Floats, Machine, Span, scaled
from truth.noise import Noise
from truth.planted import Pathology, Planted
from truth.spans import Pair, Table, pair_of
from truth.wakeups import Between, Late, Tool, WakeupPair, wakeup_pair
from truth.written import Form

LARGE = 0.2
LARGE_TICKS = 25
NOISES = 8.0
"""Standard deviations of a core's difference beyond which its change is no matter of chance, whatever tails the noise has."""


class Which(StrEnum):
    """`SPLIT`: half of them up and the others down by as much."""

    NONE = "nobody"
    ONE = "one core"
    EACH = "one core of each cluster"
    HALF = "half of the cores"
    ALL = "all cores"
    SPLIT = "half up, half down"


class How(StrEnum):
    LEVEL = "level"
    BOOT = "one boot"
    SPREAD = "spread"


@dataclass(frozen=True)
class Part:
    which: Which
    how: How
    size: float
    tests: tuple[str, ...]
    in_base: bool = False

    @property
    def name(self) -> str:
        where = "every serial test" if len(self.tests) > 1 else self.tests[0]
        return f"{self.how} {self.size:+.0%} of {self.which} in {where}{', in the base' if self.in_base else ''}"


@dataclass(frozen=True)
class PartCase:
    machine: Machine
    part: Part
    noise: Noise
    boots: int
    iterations: int
    seed: int
    form: Form = Form.JSON

    @property
    def planted(self) -> Planted:
        return Planted(Pathology.NOTHING)

    @property
    def name(self) -> str:
        return f"{self.machine.name}, {self.part.name}, {self.boots} boots of {self.iterations}, {self.noise}"

    @property
    def group(self) -> tuple[str, str, str, str]:
        planted = f"{self.part.how} of {self.part.which}" if self.part.which is not Which.NONE else "nothing"
        return self.machine.name, planted, f"{self.boots} x {self.iterations}", self.noise.value


@dataclass(frozen=True)
class PartPair:
    """`factor` is what the spans of each planted test were multiplied by, in the run that moved, `(boots, iterations, cores)`."""

    pair: Pair
    factor: dict[Span, Floats]

    def is_large(self, case: PartCase) -> bool:
        """Whether what was planted is more than may pass in silence."""
        for span, factor in self.factor.items():
            middle = float(np.median(self.pair.truth_before.values[span]))
            noise = NOISES * self.pair.machine.deviation(*span) * (2 / case.boots) ** 0.5
            least = max(1.02 * LARGE * middle, LARGE_TICKS * self.pair.machine.tick_ns, noise)
            moved = np.abs(factor - 1) * middle
            if case.part.how is How.BOOT and moved.max() > max(least, noise * case.boots**0.5):
                return case.boots >= 8
            if case.part.how is How.LEVEL and np.median(moved, axis=(0, 1)).max() > least:
                return True
        wide = case.part.how is How.SPREAD and case.part.size >= 2 and len(case.part.tests) > 1 and case.iterations >= 5
        return wide and case.part.which in (Which.ALL, Which.SPLIT)


def part_pair(case: PartCase) -> PartPair:
    """Two runs of one truth, of which one was changed in a part."""
    pair = pair_of(case.machine, case.planted, case.noise, (case.boots, case.boots), case.iterations, case.seed)
    part, rng = case.part, np.random.default_rng([case.seed, 11])
    table: Table = dict(pair.before if part.in_base else pair.after)
    factors: dict[Span, Floats] = {}
    cores = _sizes(case.machine, part, rng)
    boot = int(rng.integers(case.boots))
    for test in part.tests if part.which is not Which.NONE else ():
        span = (test, UP)
        values = table[span].astype(float)
        if part.how is How.SPREAD:
            middle = np.median(values, axis=1, keepdims=True)
            table[span] = np.rint(np.maximum(middle + (values - middle) * (1 + part.size * (cores != 0)), 1)).astype(np.int64)
            factors[span] = np.ones(values.shape)
            continue
        factor = np.broadcast_to(1 + cores, values.shape).copy()
        if part.how is How.BOOT:
            factor[np.arange(case.boots) != boot] = 1.0
        table[span] = np.rint(values * factor).astype(np.int64)
        factors[span] = factor
    moved = {"before": table} if part.in_base else {"after": table}
    return PartPair(Pair(**{**pair.__dict__, **moved}), factors)


def _sizes(machine: Machine, part: Part, rng: np.random.Generator) -> Floats:
    """By how much each core moves. Half of the like cores: of each cluster half, rounded down, one at least."""
    out = np.zeros(len(machine.cores))
    clusters = [[i for i, core in enumerate(machine.cores) if core[0] == cluster] for cluster in range(len(machine.clusters))]
    if part.which is Which.ONE:
        out[rng.integers(len(out))] = part.size
    elif part.which in (Which.ALL, Which.SPLIT):
        out[:] = part.size
    for own in clusters:
        drawn = rng.permutation(own)
        half = max(len(own) // 2, 1)
        if part.which is Which.EACH:
            out[drawn[:1]] = part.size
        elif part.which is Which.HALF:
            out[drawn[:half]] = part.size
        elif part.which is Which.SPLIT:
            out[drawn[:half]] = -part.size / 2
    return out


def part_case_of(seed: int) -> PartCase:
    """One in four holds nothing."""
    rng = np.random.default_rng([seed, 12])
    machine = scaled((JUNO, N1SDP)[rng.integers(2)], float(rng.choice((0.6, 1.0, 2.0))))
    which = Which.NONE if rng.random() < 0.25 else list(Which)[1 + rng.integers(len(Which) - 1)]
    how = list(How)[rng.choice(3, p=(0.6, 0.2, 0.2))]
    size = {How.LEVEL: (0.12, 0.2, 0.4, 1.0, -0.3), How.BOOT: (0.5, 1.0, 3.0), How.SPREAD: (2.0, 3.0)}[how]
    boots, iterations = {How.LEVEL: (1, 3, 4, 8), How.BOOT: (4, 8, 10), How.SPREAD: (1, 4)}[how], (1, 5)
    tests = SERIAL if rng.random() < 0.6 else (SERIAL[rng.integers(len(SERIAL))],)
    part = Part(which, how, float(rng.choice(size)), tests, bool(rng.random() < 0.3))
    noise = (Noise.GAUSSIAN, Noise.HEAVY, Noise.DEPENDENT, Noise.BIMODAL)[rng.integers(4)]
    many = 5 if how is How.SPREAD else int(rng.choice(iterations))
    return PartCase(machine, part, noise, int(rng.choice(boots)), many, seed)


@dataclass(frozen=True)
class RtPartCase:
    """The median or the spread of some CPUs, or some of their wake-ups gone."""

    which: Which
    how: How
    size: float
    cpus: int
    tool: Tool
    between: Between
    seed: int

    @property
    def planted(self) -> Late:
        return Late.NOTHING

    @property
    def name(self) -> str:
        return f"rt, {self.how} {self.size:+.0%} of {self.which} of {self.cpus}, {self.between} between, {self.tool}"

    @property
    def group(self) -> tuple[str, str, str, str]:
        return "rt", f"{self.how} of {self.which}" if self.which is not Which.NONE else "nothing", "1 run", self.between.value

    @property
    def is_large(self) -> bool:
        """Of a level a fifth; a spread needs a step of the tool's as well."""
        return self.which is not Which.NONE and abs(self.size) >= (0.3 if self.how is How.LEVEL else 1.0)


def rt_part_case_of(seed: int) -> RtPartCase:
    rng = np.random.default_rng([seed, 13])
    which = (Which.NONE, Which.ONE, Which.HALF, Which.ALL)[rng.integers(4)]
    how = (How.LEVEL, How.SPREAD)[rng.integers(2)]
    size = float(rng.choice((0.05, 0.3, 0.46, 0.7, 1.4) if how is How.LEVEL else (0.5, 1.0, 2.0)))
    between = (Between.NOTHING, Between.MINUTES)[rng.integers(2)]
    return RtPartCase(which, how, size, int(rng.integers(2, 5)), list(Tool)[rng.integers(3)], between, seed)


def rt_part_pair(case: RtPartCase, count: int) -> WakeupPair:
    plain = wakeup_pair(Late.NOTHING, 0.0, case.cpus, count, case.between, case.seed)
    hit = {Which.NONE: 0, Which.ONE: 1, Which.HALF: case.cpus // 2, Which.ALL: case.cpus}[case.which]
    after = []
    for cpu, values in enumerate(plain.after):
        middle = float(np.median(values))
        moved = values * (1 + case.size) if case.how is How.LEVEL else middle + (values - middle) * (1 + case.size)
        after.append(np.maximum(moved, 1_000.0).astype(np.int64) if cpu < hit else values)
    planted = {How.LEVEL: Late.LEVEL, How.SPREAD: Late.SPREAD}[case.how] if hit else Late.NOTHING
    return WakeupPair(planted, tuple(range(hit)), case.size, plain.before, tuple(after))
