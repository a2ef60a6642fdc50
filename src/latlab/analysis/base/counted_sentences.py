# SPDX-License-Identifier: BSD-3-Clause
"""Sentences of counts beside published times."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.analysis.base import counted_findings as c
from latlab.analysis.base.verdicts import Verdict
from latlab.analysis.base.wording import count, percent, signed, signed_bare

HARDLY_MOVED = 0.01
MOST_FUNCTIONS = 3


def counted_sentence(finding: c.CountedFinding, unit: str) -> str:
    if isinstance(finding, c.CountsAreOf):
        untold = "; ".join(f"{metric} of {', '.join(tests)}" for metric, tests in finding.untold)
        rest = f"; not counted, so out of sight: {untold}" if untold else ""
        return f"counts of {' and '.join(finding.releases)} are of {finding.subject}{rest}"
    shares = " to ".join(dict.fromkeys(map(percent, finding.shares)))
    where = f"{finding.metric} of {' and '.join(finding.tests)}, counted on {' and '.join(finding.processors)}"
    return f"{where}: {signed(finding.difference, unit)} ({shares}), {_agrees(finding)}{_functions(finding, unit)}"


def _agrees(finding: c.CountedBeside) -> str:
    if max(map(abs, finding.shares)) < HARDLY_MOVED:
        return "less than 1 % of the span"
    return "the same way as the time" if _is_with_time(finding, finding.difference) else "against the time"


def _is_with_time(finding: c.CountedBeside, difference: float) -> bool:
    return (difference > 0) == (finding.verdict is Verdict.REGRESSED)


def _functions(finding: c.CountedBeside, unit: str) -> str:
    """Those that moved the way of the time first: a few of them may be slow, and all others fast."""
    with_time = [one for one in finding.functions if _is_with_time(finding, one[1])]
    against = [one for one in finding.functions if one not in with_time]
    told = [f"{word} {_listed(some, unit)}" for word, some in (("with it", with_time), ("against it", against)) if some]
    return f"; {', '.join(told)}" if told else ""


def _listed(functions: Sequence[tuple[str, float]], unit: str) -> str:
    shown, rest = functions[:MOST_FUNCTIONS], functions[MOST_FUNCTIONS:]
    told = ", ".join(f"{name} {signed_bare(difference, unit)}" for name, difference in shown)
    return f"{told}, {count(len(rest), 'other')} {signed_bare(sum(one for _, one in rest), unit)}" if rest else told
