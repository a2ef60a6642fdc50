# SPDX-License-Identifier: BSD-3-Clause
"""What wake-ups scatter by from run to run, by earlier runs of the same thing: a single run does not have it in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace

import numpy as np

from latlab.analysis.base.comparison import Row
from latlab.analysis.base.distributions import t_quantile, t_upper
from latlab.analysis.base.statistics import Shift
from latlab.analysis.base.wording import count
from latlab.model.conditions import Conditions
from latlab.model.enums import Clock, Kind, RunStatus
from latlab.model.run import UNNAMED, Run

FEWEST_EARLIER = 3
CONFIDENCE = 0.95
MAY_DIFFER = ("duration_s",)


def earlier_runs(runs: Iterable[Run], a: Run, b: Run) -> tuple[Run, ...]:
    """Those of `runs` that measured again what `a` did: platform, campaign, topology, clock, firmware and every stated condition.

    Neither of the two is one of them, nor is a run that began after `b`, or that did not come to its end.
    """
    others = [run for run in runs if run.id not in (a.id, b.id) and run.kind is Kind.WAKEUPS and run.status is RunStatus.COMPLETE]
    return tuple(run for run in others if _same_thing(run, a) and not (b.started_utc and run.started_utc > b.started_utc))


def with_scatter(row: Row, values: Sequence[float]) -> Row:
    """The row with the p-value and interval that hold for runs, not for wake-ups; `values` are the earlier runs' of its statistic.

    A difference of two runs of one thing has twice their variance (Student's t, one degree of freedom less than the earlier runs). The
    wake-ups' own test stays the other bound: neither p-value nor interval becomes smaller. As it is with fewer than three runs.
    """
    if len(values) < FEWEST_EARLIER:
        return row
    error = float(np.std(values, ddof=1)) * float(np.sqrt(2))
    if error == 0.0:
        return replace(row, basis=f"{row.basis}, {_told(values)}")
    free = len(values) - 1
    half = t_quantile((1 + CONFIDENCE) / 2, free) * error
    shift = row.shift
    p = max(shift.p, 2 * t_upper(abs(shift.value) / error, free))
    wider = Shift(shift.value, min(shift.low, shift.value - half), max(shift.high, shift.value + half), p)
    return replace(row, shift=wider, basis=f"{row.basis}, {_told(values)}")


def _told(values: Sequence[float]) -> str:
    return f"with the scatter of {count(len(values), 'earlier run')}"


def _same_thing(run: Run, a: Run) -> bool:
    same = (run.platform, run.campaign, run.topology, run.tick, run.build.firmware) == (
        a.platform,
        a.campaign,
        a.topology,
        a.tick,
        a.build.firmware,
    )
    return same and run.platform != UNNAMED and run.tick.clock is Clock.TIME and _same_conditions(run.conditions, a.conditions)


def _same_conditions(one: Conditions, other: Conditions) -> bool:
    names = [field.name for field in fields(Conditions) if field.name not in MAY_DIFFER]
    return all(getattr(one, name) == getattr(other, name) for name in names)
