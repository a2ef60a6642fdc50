# SPDX-License-Identifier: BSD-3-Clause
"""What was counted of the releases whose published times changed, beside that change. Amounts are instructions per call."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from latlab.analysis.base.verdicts import Verdict
from latlab.model.counts import CommitOf
from latlab.model.enums import InstructionClass, Metric

HARDLY_MOVED = 0.01


class Agreement(StrEnum):
    """Whether counts can be why a time changed. CONTRADICTED: they moved the other way. OUT_OF_SIGHT: they hardly moved, or too few did."""

    AGREED = "agreed"
    CONTRADICTED = "contradicted"
    OUT_OF_SIGHT = "out of sight"


class Sight(StrEnum):
    """What an agreement rests on."""

    OUTSIDE = "by what ran outside of the caches"
    WHOLE = "by the whole count"
    STILL = "hardly moved"
    TOO_FEW = "too few for the time"


@dataclass(frozen=True, slots=True)
class CountedBeside:
    """Counts of spans whose time changed one way, in all of these tests on all of these processors by the same functions and classes.
    `functions` and `classes` are those that differ and by how much, the largest first; `shares` are the least and the most of a span;
    `commits` are known to have moved one of the functions."""

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
    """What stands behind the counts of two releases; `untold` are spans whose time changed in tests that were not counted."""

    releases: tuple[str, str]
    subject: str
    untold: tuple[tuple[Metric, tuple[str, ...]], ...]


CountedFinding = CountedBeside | CountsAreOf
