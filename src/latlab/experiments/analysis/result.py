# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment tells, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class EffectVerdict(StrEnum):
    RAISES = "raises"
    LOWERS = "lowers"
    NONE_SO_LARGE = "none so large"
    CANNOT_TELL = "inconclusive"
    NO_CHANGE = "no change"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval and standard error; infinite where too few runs are left to know it."""

    value: float
    low: float
    high: float
    error: float
    p: float


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of runs of one replicate that differ in this factor alone, by where the second one lies."""

    lower: int
    equal: int
    higher: int

    @property
    def count(self) -> int:
        return self.lower + self.equal + self.higher


@dataclass(frozen=True, slots=True)
class Effect:
    """What `level` of a factor does against `base`, its first one, averaged over the levels of all others.

    `where` is empty, or the level of another factor at which it is meant. `difference` is in the response's unit; `ratio` is the factor
    between geometric means, None where the response is not positive throughout. `p` is adjusted for all that was asked with it.
    """

    factor: str
    level: str
    base: str
    difference: Estimate
    ratio: Estimate | None
    p: float
    told: EffectVerdict
    pairs: Pairs
    where: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Interaction:
    """How the effect of `level` of one factor changes from `other_base` to `other_level` of another one. `told` says whether that raises or
    lowers it. `asked`: at least one of the two does something by itself, else the question is not put."""

    factor: str
    level: str
    base: str
    other: str
    other_level: str
    other_base: str
    difference: Estimate
    ratio: Estimate | None
    p: float
    told: EffectVerdict
    asked: bool
    at_base: Effect
    at_level: Effect


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What so many runs could have seen in nine of ten experiments, and how many it takes to see the smallest change that was asked for;
    shares of the mean. None where it cannot be said, or more than the most that is worth saying."""

    share: float | None
    asked_share: float
    runs: int | None
    replicates: int | None


@dataclass(frozen=True, slots=True)
class Analysis:
    """`order` is how many factors an interaction has at most in the model, `free` what is left to know the noise from. `exact`: the
    clock counts instructions and equal runs were equal, so there is no noise.
    `noise_share` is a run's standard deviation as a share of the mean."""

    response: str
    unit: str
    runs: int
    replicates: int
    mean: float
    exact: bool
    as_ratio: bool
    order: int
    free: int
    noise_share: float
    effects: tuple[Effect, ...]
    interactions: tuple[Interaction, ...]
    seen: Sensitivity
    missing: int = 0
