# SPDX-License-Identifier: BSD-3-Clause
"""Experiments whose truth is known: maxima of heavy-tailed iterations in runs that are boots, with drift from replicate to replicate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from latlab.core.model.experiment import Factor, Trial, TrialFigure
from latlab.experiments.analysis.effects import analyse
from latlab.experiments.analysis.order import combinations_of
from latlab.experiments.analysis.response import response_of
from latlab.experiments.analysis.result import Analysis, EffectVerdict

PATH = "recorder/task_wakeup/CPU-0-maximum"
FIRST_REPLICATES, MOST_REPLICATES = 2, 5
ITERATIONS = 2000
TAILS = ("lognormal", "pareto", "student", "gumbel")


@dataclass(frozen=True)
class Truth:
    """Logarithms of what each factor's second level does, and what the first two do together."""

    effects: tuple[float, ...]
    together: float
    tail: str


def trial(levels: Sequence[str], replicate: int, value: float, run: str = "", path: str = PATH, unit: str = "ns") -> Trial:
    return Trial(tuple(levels), replicate, run, (TrialFigure(path, unit, value),))


def two_levels(count: int) -> tuple[Factor, ...]:
    return tuple(Factor(f"f{number}", ("off", "on")) for number in range(count))


def drawn_truth(random: np.random.Generator) -> Truth:
    """Three or four factors, one or two of which do nothing at all."""
    count = int(random.integers(3, 5))
    idle = int(random.integers(1, 3))
    effects = [*random.choice([-1, 1], count - idle) * random.uniform(0.05, 0.6, count - idle), *np.zeros(idle)]
    together = float(random.choice([0.0, random.uniform(-0.4, 0.4)]))
    return Truth(tuple(map(float, effects)), together if count - idle >= 2 else 0.0, str(random.choice(TAILS)))


def run_once(truth: Truth, random: np.random.Generator) -> Analysis:
    """As `latlab design run` does it: two replicates, then as many as their noise asks for."""
    factors = two_levels(len(truth.effects))
    trials: list[Trial] = []
    wanted = FIRST_REPLICATES
    while len(trials) < wanted * 2 ** len(factors):
        trials += _replicate(truth, factors, len(trials) // 2 ** len(factors), random)
        if len(trials) == FIRST_REPLICATES * 2 ** len(factors):
            seen = analyse(factors, response_of(trials, PATH, "simulated"), 0.2).seen
            wanted = min(max(seen.replicates or MOST_REPLICATES, FIRST_REPLICATES), MOST_REPLICATES)
    return analyse(factors, response_of(trials, PATH, "simulated"), 0.2)


def _replicate(truth: Truth, factors: Sequence[Factor], number: int, random: np.random.Generator) -> Iterator[Trial]:
    drift = random.normal(0, 0.15)
    for levels in combinations_of(factors):
        on = [level == "on" for level in levels]
        mean = sum(effect for effect, is_on in zip(truth.effects, on, strict=True) if is_on) + truth.together * (on[0] and on[1])
        boot = random.normal(0, 0.08)
        yield trial(levels, number, float(50_000 * np.exp(mean + drift + boot + _tail(truth.tail, random))))


def _tail(name: str, random: np.random.Generator) -> float:
    """The logarithm of the largest of so many iterations, in units of its centre."""
    if name == "lognormal":
        return float(0.3 * random.normal(0, 1, ITERATIONS).max() - 1.0)
    if name == "pareto":
        return float(np.log((random.pareto(6, ITERATIONS) + 1).max()) - 1.3)
    if name == "student":
        return float(0.1 * random.standard_t(3))
    return float(0.15 * random.gumbel())


def hits(truth: Truth, found: Analysis) -> Iterator[tuple[str, bool, bool]]:
    """(what, whether the interval holds the truth, whether something was told that is not there or the other way round)."""
    for number, effect in enumerate(found.effects):
        true = truth.effects[number] + (truth.together / 2 if number < 2 else 0.0)
        assert effect.ratio is not None
        kind = "effect" if true else "idle"
        told = effect.told in (EffectVerdict.RAISES, EffectVerdict.LOWERS)
        yield (
            kind,
            effect.ratio.low <= np.exp(true) <= effect.ratio.high,
            told and (not true or (effect.told is EffectVerdict.RAISES) != (true > 0)),
        )
    for one in found.interactions:
        assert one.ratio is not None
        true = truth.together if {one.factor, one.other} == {"f0", "f1"} else 0.0
        told = one.told in (EffectVerdict.RAISES, EffectVerdict.LOWERS)
        yield (
            "interaction" if true else "idle interaction",
            one.ratio.low <= np.exp(true) <= one.ratio.high,
            told and (not true or (one.told is EffectVerdict.RAISES) != (true > 0)),
        )
