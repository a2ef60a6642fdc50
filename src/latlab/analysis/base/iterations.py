# SPDX-License-Identifier: BSD-3-Clause
"""A difference that only some iterations have."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InIterations:
    """A difference in `changed` of `of` iterations and in no other: what these changed by, and whether the median is as it was."""

    changed: int
    of: int
    share: float
    same_median: bool
