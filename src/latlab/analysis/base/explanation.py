# SPDX-License-Identifier: BSD-3-Clause
"""What every explanation is: a sentence with figures, and what it stands on."""

from __future__ import annotations

from dataclasses import dataclass

EXACT = "exact"
INFERRED = "inferred"


@dataclass(frozen=True, slots=True)
class Explanation:
    """One sentence; `alternatives` fit the figures as well as each other."""

    test: str
    sentence: str
    basis: str
    alternatives: tuple[str, ...] = ()
