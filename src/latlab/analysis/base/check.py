# SPDX-License-Identifier: BSD-3-Clause
"""What a rule says of a run: kept, not kept, or not about this run."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.model.rules import Breach, Rule


@dataclass(frozen=True, slots=True)
class Check:
    """One rule in one test. `sentence` has the figures where it does not hold, and the reason where the rule is not applicable."""

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
        """A definition or a specification demands what does not hold."""
        return not self.holds and self.rule.breaks is Breach.BROKEN


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A rule that one of two runs keeps and the other does not: `check` is of the one that does not."""

    check: Check
    is_worse: bool
