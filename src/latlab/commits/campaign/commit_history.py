# SPDX-License-Identifier: BSD-3-Clause
"""The history of a firmware: which commits are asked for, each measured once, and what each of them changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from latlab.commits.analysis import FigureStep, Span, means_of, steps_of
from latlab.commits.campaign.commits import Measurer
from latlab.commits.targets import Commit, Repository
from latlab.core.comparison.conditions import differences
from latlab.core.comparison.identity import NotComparable
from latlab.core.errors import DataError, UsageError
from latlab.core.model.run import MESSAGE, PATCH, Run

if TYPE_CHECKING:
    from latlab.virtual.campaign.board_times import BoardCosts, BoardTime


@dataclass(frozen=True, slots=True)
class ChosenCommits:
    """The commits to measure, the oldest first. `pairs` are, of a list of single commits, each with its first parent, to be compared;
    else each is compared with the one before. `paths` and `tags` are what they were chosen by."""

    commits: tuple[Commit, ...]
    pairs: tuple[tuple[Commit, Commit], ...] = ()
    paths: tuple[str, ...] = ()
    tags: str = ""

    @property
    def is_list(self) -> bool:
        return bool(self.pairs)


@dataclass(frozen=True, slots=True)
class MeasuredCommit:
    """`said` is its message, of a merge those of what it brought; `patch` the one that it was built with. `means` by test and metric."""

    commit: Commit
    run_id: str
    said: str
    patch: str
    means: Mapping[Span, float]


@dataclass(frozen=True, slots=True)
class ChangedAt:
    """`differs` are conditions that may be the cause as well; `untold` says why the two cannot be compared. `times` are of a board,
    `basis` what they rest on."""

    before: MeasuredCommit
    after: MeasuredCommit
    figures: tuple[FigureStep, ...]
    differs: str = ""
    untold: str = ""
    times: tuple[BoardTime, ...] = ()
    basis: str = ""


@dataclass(frozen=True, slots=True)
class CommitHistory:
    """Of one subject on one processor. `name` is what was measured, in `unit`; changes are of more than `tolerance` of a figure;
    `costs` are of the board whose times they tell, if they do."""

    name: str
    unit: str
    commits: tuple[MeasuredCommit, ...]
    changes: tuple[ChangedAt, ...]
    iterations: int
    tolerance: float
    costs: BoardCosts | None = None


@dataclass(frozen=True, slots=True)
class NotMeasured:
    commit: Commit
    why: str


def not_measured(measurer: Measurer) -> tuple[NotMeasured, ...]:
    return tuple(NotMeasured(commit, "; ".join(why)) for commit, why in measurer.skipped.items())


def chosen(repository: Repository, words: Sequence[str], tags: str, paths: Sequence[str]) -> ChosenCommits:
    """GOOD..BAD, or single commits, or what has a tag. Raises UsageError where that is no choice."""
    ranges = [word for word in words if ".." in word]
    if ranges and len(words) > 1:
        raise UsageError(f"{ranges[0]} is a range and {len(words)} further names are given", "name one range GOOD..BAD, or single commits")
    if tags and paths:
        raise UsageError("--tags takes releases and --paths what changed files", "choose one of them")
    if not words and not tags:
        raise UsageError("no commits are named", "give GOOD..BAD, single commits, or --tags 'v*'")
    if not ranges and words and (tags or paths):
        raise UsageError(f"--{'tags' if tags else 'paths'} selects from a range", f"name one, GOOD..BAD, instead of {words[0]}")
    if ranges and not tags:
        return ChosenCommits(tuple(repository.between(*repository.ends(ranges[0]), paths)), paths=tuple(paths))
    if tags:
        return ChosenCommits(tuple(repository.tagged(tags, repository.ends(ranges[0]) if ranges else None)), tags=tags)
    return _listed(repository, words)


def _listed(repository: Repository, words: Sequence[str]) -> ChosenCommits:
    pairs = [(repository.first_parent(commit), commit) for commit in map(repository.commit, words)]
    return ChosenCommits(tuple(repository.by_date(commit for pair in pairs for commit in pair)), tuple(pairs))


def runs_by_recipe(measurer: Measurer, chosen_commits: ChosenCommits) -> dict[str, list[Run]]:
    """The runs of every commit that can be measured, by what was measured."""
    measurer.measure(chosen_commits.commits)
    by_recipe = {
        recipe.name: [measurer.run_by(commit, number) for commit in chosen_commits.commits]
        for number, recipe in enumerate(measurer.recipes)
    }
    return {name: [run for run in runs if run is not None] for name, runs in by_recipe.items()}


def histories(
    measurer: Measurer, chosen_commits: ChosenCommits, tolerance: float, across: frozenset[str], costs: BoardCosts | None = None
) -> list[CommitHistory]:
    """One for each recipe of which a commit was measured, with the board's times where it ran on its processor. Raises DataError where
    none was."""
    measurer.measure(chosen_commits.commits)
    all_histories = [_history(measurer, chosen_commits, number, tolerance, across, costs) for number in range(len(measurer.recipes))]
    measured_histories = [history for history in all_histories if history.commits]
    if not measured_histories:
        first, why = next(iter(measurer.skipped.items()))
        raise DataError(
            f"none of {len(chosen_commits.commits)} commits can be measured; {first}: {'; '.join(why)}; --retry-failed measures them again"
        )
    return measured_histories


def _history(
    measurer: Measurer, chosen_commits: ChosenCommits, number: int, tolerance: float, across: frozenset[str], board_costs: BoardCosts | None
) -> CommitHistory:
    """A commit that was not measured is bridged where commits follow each other: what it changed counts with the next."""
    recipe = measurer.recipes[number]
    costs = board_costs if board_costs and recipe.processor in board_costs.processors else None
    measured: dict[Commit, MeasuredCommit] = {}
    runs: dict[Commit, Run] = {}
    changes: list[ChangedAt] = []
    unit, last = "", None
    for commit in chosen_commits.commits:
        run = measurer.run_by(commit, number)
        if run is None:
            continue
        unit = run.tick.unit
        measured[commit] = MeasuredCommit(commit, run.id, run.build.get_option(MESSAGE), run.build.get_option(PATCH), means_of(run))
        runs[commit] = run
        if chosen_commits.is_list:
            continue
        if last is not None:
            changes.append(_changed(measured, runs, last, commit, tolerance, across, costs))
            del runs[last]
        last = commit
    if chosen_commits.is_list:
        pairs = [pair for pair in chosen_commits.pairs if all(commit in measured for commit in pair)]
        changes = [_changed(measured, runs, *pair, tolerance, across, costs) for pair in pairs]
    return CommitHistory(recipe.name, unit, tuple(measured.values()), tuple(changes), recipe.iterations, tolerance, costs)


def _changed(
    measured: Mapping[Commit, MeasuredCommit],
    runs: Mapping[Commit, Run],
    before: Commit,
    after: Commit,
    tolerance: float,
    across: frozenset[str],
    costs: BoardCosts | None,
) -> ChangedAt:
    a, b = runs[before], runs[after]
    try:
        differs = differences(a, b, across).title
    except NotComparable as error:
        return ChangedAt(measured[before], measured[after], (), untold=str(error))
    times, basis = (costs.between(a, b), costs.basis(a, b)) if costs else ((), "")
    return ChangedAt(measured[before], measured[after], steps_of(a, b, tolerance), differs, times=times, basis=basis)
