# SPDX-License-Identifier: BSD-3-Clause
"""What a rule says of a run: kept or not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """One invariant of one test, whether it holds, and a sentence with the figures where it does not."""

    test: str
    name: str
    holds: bool
    sentence: str = ""
