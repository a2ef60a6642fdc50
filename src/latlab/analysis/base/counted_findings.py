# SPDX-License-Identifier: BSD-3-Clause
"""What was counted of the releases whose published times changed, beside that change. Amounts are instructions per call."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.analysis.base.verdicts import Verdict
from latlab.model.enums import Metric


@dataclass(frozen=True, slots=True)
class CountedBeside:
    """Counts of spans whose time changed one way, in all of these tests on all of these processors by the same functions.
    `functions` are those that differ and by how much, the largest first; `shares` are the least and the most of a span."""

    metric: Metric
    verdict: Verdict
    tests: tuple[str, ...]
    processors: tuple[str, ...]
    difference: float
    shares: tuple[float, float]
    functions: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class CountsAreOf:
    """What stands behind the counts of two releases; `untold` are spans whose time changed in tests that were not counted."""

    releases: tuple[str, str]
    subject: str
    untold: tuple[tuple[Metric, tuple[str, ...]], ...]


CountedFinding = CountedBeside | CountsAreOf
