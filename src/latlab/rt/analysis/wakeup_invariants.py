# SPDX-License-Identifier: BSD-3-Clause
"""What must hold in any measurement of wake-ups: nothing that was due is lost."""

from __future__ import annotations

from latlab.core.comparison.check import Check
from latlab.core.model.distributions import Distribution, distributions_of
from latlab.core.model.run import Run
from latlab.core.readers.rules import rules
from latlab.rt.analysis.wakeup_identity import check_machine


def check_wakeups(run: Run) -> tuple[Check, ...]:
    """Raises NotComparable where the run holds nothing to check."""
    check_machine(run)
    counted = [_all_counted(distribution) for distribution in distributions_of(run)]
    return (
        *counted,
        *(
            _all_accounted(distribution, distribution.expected)
            for distribution in distributions_of(run)
            if distribution.expected is not None
        ),
    )


def _all_counted(distribution: Distribution) -> Check:
    holds = not distribution.counts or distribution.counted == distribution.got
    return Check(
        _place(distribution), rules()["all_counted"], holds, "" if holds else f"it holds {distribution.counted} of {distribution.got}"
    )


def _all_accounted(distribution: Distribution, expected: int) -> Check:
    short = expected - distribution.got - (distribution.missed or 0)
    return Check(
        _place(distribution), rules()["all_accounted"], short <= 0, f"{short} of {expected} are unaccounted for" if short > 0 else ""
    )


def _place(distribution: Distribution) -> str:
    return f"{distribution.test}, {distribution.place}"
