# SPDX-License-Identifier: BSD-3-Clause
"""Rules that only one of two runs keeps."""

from __future__ import annotations

from latlab.core.comparison.check import Check, RuleChange
from latlab.core.comparison.identity import Pair
from latlab.core.model.platforms import PlatformFacts
from latlab.core.model.run import Run
from latlab.core.statistics.sample_matrix import Columns
from latlab.psci.analysis.span_invariants import check_columns


def rule_changes(pair: Pair, facts: PlatformFacts) -> tuple[RuleChange, ...]:
    """The changed rules, the worse first. A rule on similar times is left to the rows, which know their scatter."""
    before, after = _by_key(pair.a, pair.columns_a, facts), _by_key(pair.b, pair.columns_b, facts)
    pairs = [(before[key], after[key]) for key in before if key in after and before[key].applicable and after[key].applicable]
    worse = [RuleChange(new, True) for old, new in pairs if old.holds and not new.holds and new.rule.decides]
    better = [RuleChange(old, False) for old, new in pairs if new.holds and not old.holds and old.rule.decides]
    return (*worse, *better)


def _by_key(run: Run, columns: Columns, facts: PlatformFacts) -> dict[tuple[str, str], Check]:
    return {(check.test, check.rule.id): check for check in check_columns(run, columns, facts)}
