# SPDX-License-Identifier: BSD-3-Clause
"""What one file of a benchmark or a noise meter says."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.model.conditions import UNSAID, Conditions
from latlab.model.run import Amount


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What a tool printed: amounts in the order of the file. `facts` are for a reader; `problems` each begin with the file's name."""

    tool: str
    amounts: tuple[Amount, ...]
    conditions: Conditions = UNSAID
    facts: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()
