# SPDX-License-Identifier: BSD-3-Clause
"""What one file of a benchmark or a noise meter says."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.core.model.amounts import Amount
from latlab.core.model.conditions import NO_CONDITIONS, Conditions


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The figures that a tool printed, in the order of the file. `facts` are for a reader. Each of `problems` begins with the name of
    the file."""

    tool: str
    amounts: tuple[Amount, ...]
    conditions: Conditions = NO_CONDITIONS
    facts: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()
