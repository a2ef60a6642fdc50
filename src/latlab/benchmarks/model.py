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


@dataclass(frozen=True, slots=True)
class Stated:
    """What the user says of a file: the tool that wrote it, the unit of its figures, the columns that are read. Empty as the file says."""

    tool: str = ""
    unit: str = ""
    columns: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The form that a run keeps: tool, unit and columns, a line each."""
        return "\n".join((self.tool, self.unit, *self.columns)).rstrip("\n")

    @classmethod
    def of(cls, text: str) -> Stated:
        tool, unit, *columns = (*text.split("\n"), "")
        return cls(tool, unit, tuple(filter(None, columns)))
