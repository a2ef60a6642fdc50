# SPDX-License-Identifier: BSD-3-Clause
"""Findings over the iterations of a run: a difference in some iterations only, and a drift."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InIterations:
    """A difference in `changed` of `of` iterations: `share` is its median relative size, `same_median` whether the median is unchanged,
    and `shorter` the number of iterations that became shorter."""

    changed: int
    of: int
    share: float
    same_median: bool
    shorter: int = 0

    @property
    def is_both_ways(self) -> bool:
        return 0 < self.shorter < self.changed


@dataclass(frozen=True, slots=True)
class Drift:
    """The change of figures over the iterations of each boot: linear, or a step after `after` iterations."""

    size: float
    iterations: int
    after: int | None
