# SPDX-License-Identifier: BSD-3-Clause
"""Which commit of a range changed a figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from latlab.calls.analysis.span_functions import CoreMoves, moves_of
from latlab.commits.campaign.commits import Measurer
from latlab.commits.targets import Commit, Repository
from latlab.core.comparison.by_kind import figure_value, no_figure
from latlab.core.comparison.wording import amount
from latlab.core.errors import LatlabError, UsageError
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run

if TYPE_CHECKING:
    from latlab.virtual.campaign.board_times import BoardCosts, BoardTime


@dataclass(frozen=True, slots=True)
class CommitStep:
    """A commit whose run has another value than that of the commit before it, and the functions that differ between the two.
    `times` are of the `board` that was asked for, `basis` what they rest on."""

    commit: Commit
    run: Run
    value: float
    before: Commit
    run_before: Run
    value_before: float
    moves: dict[tuple[str, Metric], CoreMoves]
    board: str = ""
    times: tuple[BoardTime, ...] = ()
    basis: str = ""


@dataclass(frozen=True, slots=True)
class Bisection:
    """`step` is None where commits that could not be measured stand between: `suspects` then has all that may be the first."""

    good: tuple[Commit, float]
    bad: tuple[Commit, float]
    unit: str
    commits: int
    suspects: tuple[Commit, ...]
    step: CommitStep | None


def bisect(
    repository: Repository, measurer: Measurer, good: Commit, bad: Commit, figure: str, costs: BoardCosts | None = None
) -> Bisection:
    """The commit from which on the figure is nearer to the bad commit's than to the good one's. Raises UsageError where the two have the
    same value, LatlabError where one of them cannot be measured."""
    ends = [(commit, _figure_of(measurer, commit, figure)) for commit in (good, bad)]
    (_, low), (_, high) = ends
    unit = _run(measurer, good).tick.unit
    if low == high:
        raise UsageError(f"{figure} is {amount(low, unit)} at {good} and at {bad}", "name commits between which it differs")

    def is_bad(commit: Commit) -> bool | None:
        value = _value(measurer, commit, figure)
        return None if value is None else abs(value - high) < abs(value - low)

    total = len(repository.candidates(bad, [good]))
    suspects = first_bad(repository, good, bad, is_bad)
    step = _step(repository, measurer, suspects[0], figure, costs) if len(suspects) == 1 else None
    return Bisection(ends[0], ends[1], unit, total, suspects, step)


def first_bad(repository: Repository, good: Commit, bad: Commit, is_bad: Callable[[Commit], bool | None]) -> tuple[Commit, ...]:
    """The first bad commit; with it those before it of which nothing can be told (`is_bad` is None), if there are such."""
    goods, skipped = [good], set[str]()
    while True:
        candidates = [sha for sha in repository.candidates(bad, goods) if sha != bad.sha]
        untried = [sha for sha in candidates if sha not in skipped]
        if not untried:
            return (bad, *map(repository.commit, candidates))
        commit = repository.commit(untried[0])
        verdict = is_bad(commit)
        if verdict is None:
            skipped.add(commit.sha)
        elif verdict:
            bad = commit
        else:
            goods.append(commit)


def _step(repository: Repository, measurer: Measurer, commit: Commit, figure: str, costs: BoardCosts | None) -> CommitStep | None:
    before = repository.first_parent(commit)
    after_value, before_value = _value(measurer, commit, figure), _value(measurer, before, figure)
    if after_value is None or before_value is None:
        return None
    run, run_before = _run(measurer, commit), _run(measurer, before)
    step = CommitStep(commit, run, after_value, before, run_before, before_value, moves_of(run_before, run))
    if costs is None:
        return step
    return replace(step, board=costs.board, times=costs.between(run_before, run), basis=costs.basis(run_before, run))


def _value(measurer: Measurer, commit: Commit, figure: str) -> float | None:
    run = measurer.run_of(commit)
    return None if run is None else figure_value(run, figure)


def _figure_of(measurer: Measurer, commit: Commit, figure: str) -> float:
    run = _run(measurer, commit)
    value = figure_value(run, figure)
    if value is None:
        raise no_figure(run, figure)
    return value


def _run(measurer: Measurer, commit: Commit) -> Run:
    run = measurer.run_of(commit)
    if run is None:
        raise LatlabError(f"{commit} cannot be measured, and the bisection needs it")
    return run
