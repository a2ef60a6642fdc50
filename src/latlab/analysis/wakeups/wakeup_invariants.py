# SPDX-License-Identifier: BSD-3-Clause
"""What must hold in any measurement of wake-ups: nothing that was due is lost."""

from __future__ import annotations

from latlab.analysis.base.check import Check
from latlab.analysis.wakeups.wakeup_identity import check_machine
from latlab.catalog.rules import rules
from latlab.model.run import Distribution, Run


def check_wakeups(run: Run) -> tuple[Check, ...]:
    """Raises NotComparable where the run holds nothing to check."""
    check_machine(run)
    counted = [_all_counted(one) for one in run.distributions]
    return (*counted, *(_all_accounted(one, one.expected) for one in run.distributions if one.expected is not None))


def _all_counted(one: Distribution) -> Check:
    held = sum(n for _, _, n in one.counts) + one.beyond
    holds = not one.counts or held == one.got
    return Check(_place(one), rules()["all_counted"], holds, "" if holds else f"it holds {held} of {one.got}")


def _all_accounted(one: Distribution, expected: int) -> Check:
    short = expected - one.got - (one.missed or 0)
    return Check(_place(one), rules()["all_accounted"], short <= 0, f"{short} of {expected} are unaccounted for" if short > 0 else "")


def _place(one: Distribution) -> str:
    return f"{one.test}, {one.place}"
