# SPDX-License-Identifier: BSD-3-Clause
"""Sentences of counts beside published times."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.analysis.base import counted_findings as c
from latlab.analysis.base.verdicts import Verdict
from latlab.analysis.base.wording import count, percent, signed, signed_bare

MOST_SHOWN = 3


def counted_sentence(finding: c.CountedFinding, unit: str) -> str:
    if isinstance(finding, c.CountsAreOf):
        untold = "; ".join(f"{metric} of {', '.join(tests)}" for metric, tests in finding.untold)
        not_counted = f"; not counted: {untold}" if untold else ""
        return f"counts of {' and '.join(finding.releases)} are of {finding.subject}{not_counted}"
    shares = " to ".join(dict.fromkeys(map(percent, finding.shares)))
    where = f"{finding.metric} of {' and '.join(finding.tests)}, counted on {' and '.join(finding.processors)}"
    moved = f"{signed(finding.difference, unit)} ({shares}), {finding.sight}"
    return f"{where}: {finding.agreement}: {moved}{_by_class(finding, unit)}{_functions(finding, unit)}{_commits(finding)}"


def _by_class(finding: c.CountedBeside, unit: str) -> str:
    return f"; by class {_listed(finding.classes, unit)}" if finding.classes else ""


def _functions(finding: c.CountedBeside, unit: str) -> str:
    """The functions that changed in the direction of the time come first: a few of them may be slow and all others fast."""
    with_time = [move for move in finding.functions if (move[1] > 0) == (finding.verdict is Verdict.REGRESSED)]
    against = [move for move in finding.functions if move not in with_time]
    parts = [
        f"{word} {_listed(some, unit)}"
        for word, some in (("in the same direction", with_time), ("in the opposite direction", against))
        if some
    ]
    return f"; {', '.join(parts)}" if parts else ""


def _commits(finding: c.CountedBeside) -> str:
    return "".join(f"; {' and '.join(commit.functions)} by {commit.id[:9]}, {commit.subject}" for commit in finding.commits)


def _listed(moves: Sequence[tuple[str, float]], unit: str) -> str:
    shown, others = moves[:MOST_SHOWN], moves[MOST_SHOWN:]
    text = ", ".join(f"{name} {signed_bare(difference, unit)}" for name, difference in shown)
    return f"{text}, {count(len(others), 'other')} {signed_bare(sum(difference for _, difference in others), unit)}" if others else text
