# SPDX-License-Identifier: BSD-3-Clause
"""What wake-ups scatter by from run to run, by earlier runs of the same thing: a single run does not have it in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from latlab.core.comparison.comparison import Row, Statistic
from latlab.core.comparison.conditions import differing_conditions
from latlab.core.comparison.identity import NotComparable
from latlab.core.comparison.wording import count
from latlab.core.model.conditions import Mode
from latlab.core.model.distributions import WakeupCounts
from latlab.core.model.enums import Clock, RunStatus
from latlab.core.model.run import UNNAMED, Run
from latlab.core.statistics.distributions import normal_upper, t_quantile, t_upper
from latlab.core.statistics.statistics import Shift

FEWEST_EARLIER = 3
CONFIDENCE = 0.95
UNNAMED_FIRMWARE = "unknown"
PRIOR_RUNS = 3
BEYOND_P = 0.0025


@dataclass(frozen=True, slots=True)
class Scatter:
    """What runs of one thing are taken to scatter by, relative standard deviations, until earlier runs say it: of a machine that is known
    to be real, and of any other. docs/explanation/wakeup-comparison.md says what they rest on."""

    real: float
    other: float

    def on(self, run: Run) -> float:
        return self.real if run.conditions.mode is Mode.REAL else self.other


LEVEL = Scatter(0.02, 0.15)
SHAPE = Scatter(0.06, 0.15)
RATE = Scatter(0.2, 0.35)
CAUSE_RATE = Scatter(0.1, 0.15)
"""How often one named cause comes, whose bursts within a run are measured: assumed, docs/explanation/wakeup-comparison.md says so."""
STRETCH = Scatter(0.1, 0.3)
"""Of the tail in time, for how often something is late."""
_ADDITIVE = (Statistic.MAXIMUM, Statistic.MINIMUM, Statistic.MISSED)
_LEVELS = (Statistic.MEDIAN, Statistic.AVERAGE, Statistic.MEAN)


def earlier_runs(runs: Iterable[Run], a: Run, b: Run) -> tuple[Run, ...]:
    """Those of `runs` that measured again what `a` did: its platform, campaign, topology, clock, conditions and build.

    A build without a name is no identity, since a candidate's run may have none either: such a base has no earlier runs. Neither of the two
    is one of them, nor is a run that began after `b`, or that did not come to its end.
    """
    if a.platform == UNNAMED or a.build.firmware == UNNAMED_FIRMWARE or a.tick.clock is not Clock.TIME:
        return ()
    others = [
        run for run in runs if run.id not in (a.id, b.id) and isinstance(run.contents, WakeupCounts) and run.status is RunStatus.COMPLETE
    ]
    return tuple(run for run in others if not _other_thing(run, a) and not (b.started_utc and run.started_utc > b.started_utc))


def check_repeats(base: Run, repeats: Sequence[Run]) -> tuple[Run, ...]:
    """Runs that a user names as further ones of the base, whose builds need no name then. Raises NotComparable where one is none."""
    for number, run in enumerate(repeats):
        if any(run.id == other.id or run.contents == other.contents for other in (base, *repeats[:number])):
            raise NotComparable(f"{run.id} has the same wake-ups as another run that it is named with", "measure the base once more")
        if other := _other_thing(run, base):
            raise NotComparable(f"{run.id} is no second run of {base.id}: the {other} differs", "name runs of one thing with +")
    return tuple(repeats)


def ask_for_repeat(base: Run, candidate: Run) -> str:
    """How the scatter between runs becomes known at the least cost."""
    how = "import a second log of it" if base.target == "import" else "`latlab run rt` with its options"
    return f"measure {base.id} once more ({how}), then name both: `latlab gate {base.id}+SECOND {candidate.id}`"


@dataclass(frozen=True, slots=True)
class WithinRunScatter:
    """What two runs show themselves of their scatter: of one statistic the values of equal parts in time of each run, and what its
    logarithms on like CPUs lie apart by, as squares with their degrees of freedom."""

    blocks: tuple[tuple[float, ...], ...] = ()
    cpus: tuple[float, int] = (0.0, 0)


def among_cpus(pairs: Sequence[tuple[float, float]]) -> tuple[float, int]:
    """Of one statistic of each CPU, (base, candidate): its logarithms in each run, and half of what they moved by. A change of some CPUs
    makes the latter larger, and what CPUs differ by makes the former, so the least of the three says it."""
    logs = np.log([pair for pair in pairs if min(pair) > 0] or [(1.0, 1.0)])
    sides = (*logs.T, (logs[:, 1] - logs[:, 0]) / _TWO)
    return min(float(((values - values.mean()) ** 2).sum()) for values in sides), len(logs) - 1


def with_scatter(row: Row, values: Sequence[float], base: Run, within: WithinRunScatter = WithinRunScatter()) -> Row:
    """The row with the p-value and interval that hold for runs, not for wake-ups; `values` are the earlier runs' of its statistic.

    A difference of two runs of one thing has twice their variance. What they scatter by is assumed until earlier runs were measured; what
    these show is weighed with it (Smyth 2004), and where it is no more than was assumed, the assumption stays a bound. Without any, a level
    is weighed with its blocks in time in the same way; a tail is not, whose causes change from run to run. CPUs that differ by more than is
    assumed say that runs do. The wake-ups' own test is the other bound: neither p-value nor interval becomes smaller. Maxima and missed
    periods are tested by events and need three earlier runs to know more.
    """
    if row.statistic in _ADDITIVE:
        return _with_measured(row, values) if len(values) >= FEWEST_EARLIER else row
    if row.before <= 0 or row.after <= 0:
        return row
    prior = _prior(row).on(base)
    beyond = max(abs(row.shift.value) - row.threshold / 4, 0.0)  # of a threshold of two intervals, half of one
    least = min(row.before, row.before + row.shift.value)
    ratio = float(np.log1p(beyond / least)) if least > 0 else np.inf
    p, shift, basis = 2 * normal_upper(ratio / prior / _TWO), row.shift, ASSUMED
    blocks = within.blocks if row.statistic in _LEVELS else ()
    measured, free = _squares([[*values, row.before]] if values else blocks, row.threshold / 2)
    if free:
        measured_p = _p_of(ratio, prior, measured, free)
        p = min(p, measured_p) if measured <= free * prior**2 else measured_p
        basis = _scatter_basis(values) if values else f"with the scatter of {sum(map(len, blocks))} parts in time"
    elif within.cpus[0] > within.cpus[1] * prior**2:
        p, basis = max(p, _p_of(ratio, prior, *within.cpus)), f"with the scatter of {within.cpus[1] + 1} CPUs"
    if len(values) >= FEWEST_EARLIER:
        shift = _wider(shift, t_quantile((1 + CONFIDENCE) / 2, free) * _TWO * (measured / free) ** 0.5 * row.before)
    is_beyond = len(values) >= FEWEST_EARLIER and row.statistic in _LEVELS and _is_beyond(ratio, measured, free) and beyond > row.threshold
    return replace(row, shift=replace(shift, p=max(shift.p, p)), basis=f"{row.basis}, {basis}", is_beyond_runs=is_beyond)


def _is_beyond(ratio: float, measured: float, free: int) -> bool:
    """Whether a level moved by more than the runs alone scatter by, without what is assumed beside them. It may be a rarer difference of
    runs than several of them show, so it is no verdict, and nothing passes with it."""
    return not measured or 2 * t_upper(ratio / (_TWO * (measured / free) ** 0.5), free) < BEYOND_P


def _p_of(ratio: float, prior: float, measured: float, free: int) -> float:
    whole = PRIOR_RUNS + free
    return 2 * t_upper(ratio / (_TWO * ((PRIOR_RUNS * prior**2 + measured) / whole) ** 0.5), whole)


def _squares(groups: Sequence[Sequence[float]], least: float) -> tuple[float, int]:
    """Of logarithms around the mean of their group, and their degrees of freedom."""
    logs = [np.log(np.maximum(values, least)) for values in groups if len(values) > 1]
    return sum(float(((values - values.mean()) ** 2).sum()) for values in logs), sum(len(values) - 1 for values in logs)


def p_of_stretch(stretch: float, base: Run) -> float:
    """How often tails of two runs of one thing lie apart by such a factor in time."""
    return 2 * normal_upper(float(np.log(stretch)) / STRETCH.on(base) / _TWO)


_TWO = float(np.sqrt(2))
ASSUMED = "the scatter between runs assumed"


def _prior(row: Row) -> Scatter:
    if row.statistic is Statistic.LATE:
        return RATE
    if row.statistic is Statistic.CAUSE:
        return CAUSE_RATE
    return LEVEL if row.statistic in _LEVELS else SHAPE


def _with_measured(row: Row, values: Sequence[float]) -> Row:
    """By Student's t on the earlier runs alone."""
    error = float(np.std(values, ddof=1)) * _TWO
    if error == 0.0:
        return replace(row, basis=f"{row.basis}, {_scatter_basis(values)}")
    half = t_quantile((1 + CONFIDENCE) / 2, len(values) - 1) * error
    p = max(row.shift.p, 2 * t_upper(abs(row.shift.value) / error, len(values) - 1))
    return replace(row, shift=replace(_wider(row.shift, half), p=p), basis=f"{row.basis}, {_scatter_basis(values)}")


def _wider(shift: Shift, half: float) -> Shift:
    return replace(shift, low=min(shift.low, shift.value - half), high=max(shift.high, shift.value + half))


def _scatter_basis(values: Sequence[float]) -> str:
    return f"with the scatter of {count(len(values), 'earlier run')}"


def _other_thing(run: Run, base: Run) -> str:
    """What makes the run one of another thing; empty where nothing does."""
    for quantity, ours, theirs in (
        ("kind", base.kind, run.kind),
        ("platform", base.platform, run.platform),
        ("campaign", base.campaign, run.campaign),
        ("topology", base.topology, run.topology),
        ("tick", base.tick, run.tick),
        ("firmware", base.build, run.build),
    ):
        if ours != theirs:
            return quantity
    return next((condition.name for condition in differing_conditions(run, base)), "")
