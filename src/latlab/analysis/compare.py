# SPDX-License-Identifier: BSD-3-Clause
"""Two runs compared, each kind by its own analysis."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.analysis.amounts.compare_amounts import compare_amounts
from latlab.analysis.base.comparison import Comparison
from latlab.analysis.base.verdicts import Limits
from latlab.analysis.ladder.compare_spans import compare_spans
from latlab.analysis.wakeups.compare_wakeups import compare_wakeups
from latlab.model.enums import Kind
from latlab.model.run import Run


def compare(a: Run, b: Run, limits: Limits | None = None, earlier: Sequence[Run] = ()) -> Comparison:
    """`earlier` are other runs of wake-ups of the same thing. Raises NotComparable where the two do not belong together."""
    limits = limits or Limits()
    if Kind.AMOUNTS in (a.kind, b.kind):
        return compare_amounts(a, b, limits)
    if Kind.WAKEUPS in (a.kind, b.kind):
        return compare_wakeups(a, b, limits, earlier)
    return compare_spans(a, b, limits)
