# SPDX-License-Identifier: BSD-3-Clause
"""The account of the samples of a comparison: each belongs to a claim, or is named with the reason why it does not."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.core.model.enums import Metric


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Samples of both runs, (first, second), that belong to no claim."""

    test: str
    metric: Metric
    reason: str
    samples: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Account:
    """Numbers of samples, (first run, second run). Those that are `judged` are in the rows and parts of the comparison; those of `unjudged`
    are all others."""

    samples: tuple[int, int]
    judged: tuple[int, int]
    unjudged: tuple[Unjudged, ...]

    @property
    def sentence(self) -> str:
        """`4,320 of 4,320 samples judged`."""
        return f"{sum(self.judged):,} of {sum(self.samples):,} samples judged"
