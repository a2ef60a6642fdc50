# SPDX-License-Identifier: BSD-3-Clause
"""Instruction counts of two releases whose published times changed. Amounts are instructions per call."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from latlab.analysis.base.verdicts import Verdict
from latlab.model.counts import CommitOf
from latlab.model.enums import InstructionClass, Metric

HARDLY_MOVED = 0.01


class Agreement(StrEnum):
    """Whether the counts can explain the change of the time. CONTRADICTED: they changed in the other direction. OUT_OF_SIGHT: they
    changed too little."""

    AGREED = "agreed"
    CONTRADICTED = "contradicted"
    OUT_OF_SIGHT = "out of sight"


class Sight(StrEnum):
    """The evidence for the agreement."""

    OUTSIDE = "by what ran outside of the caches"
    WHOLE = "by the whole count"
    STILL = "hardly moved"
    TOO_FEW = "too few for the time"


@dataclass(frozen=True, slots=True)
class CountedBeside:
    """Counts of spans whose time changed in one direction, in all of these tests on all of these processors, by the same functions and
    classes. `functions` and `classes` are (name, difference), the largest first. `shares` are the smallest and the largest share of a
    span. `commits` are known to have changed one of the functions."""

    metric: Metric
    verdict: Verdict
    tests: tuple[str, ...]
    processors: tuple[str, ...]
    difference: float
    shares: tuple[float, float]
    functions: tuple[tuple[str, float], ...]
    classes: tuple[tuple[InstructionClass, float], ...]
    agreement: Agreement
    sight: Sight
    commits: tuple[CommitOf, ...] = ()


@dataclass(frozen=True, slots=True)
class CountsAreOf:
    """The source of the counts of two releases; `untold` are spans whose time changed in tests that were not counted."""

    releases: tuple[str, str]
    subject: str
    untold: tuple[tuple[Metric, tuple[str, ...]], ...]


CountedFinding = CountedBeside | CountsAreOf
