# SPDX-License-Identifier: BSD-3-Clause
"""What must hold in any run of a correct firmware, whatever its figures: a table that breaks it shows a fault, not noise."""

from __future__ import annotations

from latlab.core.comparison.check import Check
from latlab.core.kinds.registry import kind_of
from latlab.core.model.run import Run


def check_invariants(run: Run) -> tuple[Check, ...]:
    """Raises NotComparable where the run holds nothing to check."""
    return kind_of(run).analysis.rules(run)
