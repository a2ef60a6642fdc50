# SPDX-License-Identifier: BSD-3-Clause
"""Joins several runs of the same system into one run with as many boots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from latlab.core.comparison.conditions import CONDITIONS, Condition, ConditionRule
from latlab.core.comparison.identity import NotComparable
from latlab.core.kinds.registry import kind_of
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.run import UNNAMED, Contents, Run
from latlab.core.shown import significant


def join_boots(runs: Sequence[Run]) -> Run:
    """One run with the boots of all runs, numbered in the order of the runs. A single run is returned unchanged.

    Raises NotComparable if two of them differ in platform, topology, clock, tick, campaign, firmware, lead or conditions. A log that
    does not name its firmware or platform is taken to be of the others'.
    """
    first = runs[0]
    if len(runs) == 1:
        return first
    for run in runs:
        if kind_of(run).analysis.join is None:
            raise NotComparable(
                f"{run.id} has no spans of boots. Only runs of psci, psa, smc or sbi, their logs, or of one benchmark, are joined by +. "
                "The base of a comparison of wake-ups may be named twice, as in `latlab gate A+A2 B`"
            )
        if run.kind != first.kind:
            raise NotComparable(f"{run.id} holds {run.kind} and {first.id} {first.kind}; only runs of one kind are joined by +")
    twice = next((run.id for i, run in enumerate(runs) if any(_is_same(run, other) for other in runs[:i])), None)
    if twice is not None:
        raise NotComparable(f"{twice} has the same samples as another run that it is joined with, so its boots would count twice")
    for quantity, of in _SAME.items():
        _refuse_other(quantity, of, runs)
    for condition in CONDITIONS:
        if condition.rule is not ConditionRule.NOTE:
            _refuse_other(condition.name, partial(_stated, condition), runs)
    join = kind_of(first).analysis.join
    assert join is not None
    return _together(runs, join(runs))


def _together(runs: Sequence[Run], contents: Contents) -> Run:
    first = runs[0]
    name = "+".join(run.id for run in runs)
    named = next((run for run in runs if _firmware(run)), None)
    return replace(
        first,
        id=name,
        platform=next((run.platform for run in runs if run.platform != UNNAMED), UNNAMED),
        build=named.build if named else replace(first.build, firmware=name),
        lead=next((run.lead for run in runs if run.lead is not None), None),
        status=RunStatus.PARTIAL if any(run.status is not RunStatus.COMPLETE for run in runs) else first.status,
        contents=contents,
        problems=tuple(replace(p, message=f"{run.id}: {p.message}") for run in runs for p in run.problems),
        capture_cost_ticks=max((run.capture_cost_ticks for run in runs if run.capture_cost_ticks is not None), default=None),
        printed_deltas=(),
        resolutions=_coarsest(runs),
    )


def _is_same(a: Run, b: Run) -> bool:
    """Whether two runs have the same samples under a deterministic clock. Under another clock the same samples do not occur twice."""
    return a.id == b.id or (a.tick.clock is Clock.TIME and a.contents == b.contents)


def _firmware(run: Run) -> str:
    """The firmware that the run states. A log without one has the name of its file there."""
    return "" if run.build.firmware == run.id else run.build.firmware


_SAME: dict[str, Callable[[Run], object]] = {
    "platform": lambda run: "" if run.platform == UNNAMED else run.platform,
    "topology": lambda run: str(run.topology),
    "clock": lambda run: run.tick.clock.value,
    "tick": lambda run: f"{significant(run.tick.value)} {run.tick.unit}",
    "campaign": lambda run: run.campaign,
    "firmware": _firmware,
    "event table": lambda run: run.build.events_hash or "",
    "lead": lambda run: str(run.lead or ""),
}


def _stated(condition: Condition, run: Run) -> str:
    value = condition.of(run)
    return "" if value is None else condition.format(value)


def _refuse_other(quantity: str, of: Callable[[Run], object], runs: Sequence[Run]) -> None:
    stated = [(run, value) for run in runs if (value := of(run))]
    other = next(((run, value) for run, value in stated if value != stated[0][1]), None)
    if other is not None:
        raise NotComparable(
            f"the {quantity} differs, {stated[0][1]} in {stated[0][0].id} and "
            f"{other[1]} in "
            f"{other[0].id}; "
            f"only runs of "
            f"one thing are joined by +"
        )


def _coarsest(runs: Sequence[Run]) -> tuple[tuple[Metric, float], ...]:
    coarsest: dict[Metric, float] = {}
    for metric, step in (resolution for run in runs for resolution in run.resolutions):
        coarsest[metric] = max(step, coarsest.get(metric, 0.0))
    return tuple(coarsest.items())
