# SPDX-License-Identifier: BSD-3-Clause
"""The result of a rule for a run: kept, broken, or not applicable."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.core.model.rules import Breach, Rule


@dataclass(frozen=True, slots=True)
class Check:
    """One rule for one test. `sentence` has the figures if the rule is broken, and the reason if it is not applicable."""

    test: str
    rule: Rule
    holds: bool
    sentence: str = ""
    applicable: bool = True

    @property
    def name(self) -> str:
        return self.rule.name

    @property
    def is_broken(self) -> bool:
        """Whether the broken rule is required by a definition or a specification."""
        return not self.holds and self.rule.breaks is Breach.BROKEN


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A rule that only one of two runs keeps: `check` belongs to the run that breaks it."""

    check: Check
    is_worse: bool
