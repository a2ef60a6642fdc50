# SPDX-License-Identifier: BSD-3-Clause
"""What the iterations of a run tell: a difference that only some of them have, and a drift over them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InIterations:
    """A difference in `changed` of `of` iterations and in no other: what these changed by in the middle, whether the median is as it was,
    and how many of them are `shorter` now: not all and not none where they went both ways."""

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
    """By how much figures changed over the iterations of each boot: steadily, or at once after `after` of them."""

    size: float
    iterations: int
    after: int | None
