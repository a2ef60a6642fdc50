# SPDX-License-Identifier: BSD-3-Clause
"""What must hold in any run of a correct firmware, whatever its figures: a table that breaks it shows a fault, not noise."""

from __future__ import annotations

from latlab.analysis.base.check import Check
from latlab.analysis.ladder.span_invariants import check_spans
from latlab.analysis.wakeups.wakeup_invariants import check_wakeups
from latlab.model.enums import Kind
from latlab.model.run import Run


def check_invariants(run: Run) -> tuple[Check, ...]:
    """Raises NotComparable where the run holds nothing to check."""
    if run.kind in (Kind.AMOUNTS, Kind.ATTACKS, Kind.DESIGN):
        return ()
    return check_wakeups(run) if run.kind is Kind.WAKEUPS else check_spans(run)
