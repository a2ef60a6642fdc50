# SPDX-License-Identifier: BSD-3-Clause
"""Commits of a repository built and measured; which of them changed a figure; what was measured before is not built again."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from latlab.analysis.base.wording import amount
from latlab.analysis.crossings.span_functions import Move, moves_of
from latlab.analysis.figures import figure_value, no_figure
from latlab.campaigns import sbi
from latlab.campaigns.foreign import run_psci_subject
from latlab.campaigns.life import Silent
from latlab.campaigns.recording import Recorded
from latlab.campaigns.watching import Watch, Watched, watch
from latlab.errors import DataError, LatlabError, UsageError
from latlab.formats.symbols import read_subject_image
from latlab.model.enums import Metric, RunStatus
from latlab.model.run import COMMIT, RECIPE, SUBJECT_LINE, Run
from latlab.store.store import Store
from latlab.targets.commits import SHORT, Commit, Repository, Tree
from latlab.targets.process.console import Limits
from latlab.targets.qemu.qemu import Qemu
from latlab.targets.qemu.subject import Subject, find_program, placed

Say = Callable[[str], None]
TREE = "{tree}"


@dataclass(frozen=True, slots=True)
class WatchedBuild:
    """What is watched of a build: the sbi campaign's calls of `firmware` on `harts`, or the machine of `command`, in which {tree} stands
    for the tree that is built. Relative paths are of that tree."""

    firmware: Path | None = None
    harts: int = 4
    command: str = ""
    symbols: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a commit is built and measured. Relative paths of the subject are of the tree that is built."""

    build: str
    build_timeout_s: float
    subject: Subject | WatchedBuild
    qemu: Qemu
    probe: Path
    iterations: int
    limits: Limits

    def digest(self) -> str:
        """The same for the same build command, subject, program, probe, emulator and number of iterations."""
        text = hashlib.sha256(f"{self.build}\n{self.subject}\n{self.qemu}\n{self.iterations}\n".encode())
        for path in (self.probe, *self._programs()):
            text.update(path.read_bytes())
        return text.hexdigest()

    def _programs(self) -> tuple[Path, ...]:
        if isinstance(self.subject, Subject):
            return (find_program(self.subject.board),)
        return (sbi.find_program(),) if self.subject.firmware else ()


@dataclass(slots=True)
class Measurer:
    """Gives the run of a commit, None where it does not build or says nothing of what is asked."""

    store: Store
    tree: Tree
    recipe: Recipe
    say: Say
    built: int = 0
    found: int = 0
    skipped: int = 0
    _known: dict[str, Run | None] = field(default_factory=dict)

    def run_of(self, commit: Commit) -> Run | None:
        if commit.sha not in self._known:
            self._known[commit.sha] = self._kept(commit) or self._measured(commit)
        return self._known[commit.sha]

    def _kept(self, commit: Commit) -> Run | None:
        wanted = {(COMMIT, commit.sha), (RECIPE, self.recipe.digest())}
        for run in reversed(self.store.runs()):
            if wanted <= set(run.build.options) and run.status is RunStatus.COMPLETE:
                self.found += 1
                self.say(f"{commit}: measured before, {run.id}")
                return self.store.load(run.id)
        return None

    def _measured(self, commit: Commit) -> Run | None:
        recipe = self.recipe
        self.say(f"{commit}: building")
        failure = self.tree.build(commit, recipe.build, recipe.build_timeout_s).sentence
        if failure:
            self._skip(commit, failure)
            return None
        self.built += 1
        options = ((COMMIT, commit.sha), (SUBJECT_LINE, commit.subject), (RECIPE, recipe.digest()))
        try:
            done = self._run(commit, options)
        except (DataError, UsageError) as error:
            self._skip(commit, str(error))
            return None
        if done.status is not RunStatus.COMPLETE:
            self._skip(commit, f"{done.run_id} is partial: {done.problems[0].message}")
            return None
        self.say(f"{commit}: measured, {done.run_id}")
        return self.store.load(done.run_id)

    def _run(self, commit: Commit, options: tuple[tuple[str, str], ...]) -> Recorded | Watched:
        recipe = self.recipe
        if isinstance(recipe.subject, WatchedBuild):
            wanted = _watch_of(recipe, recipe.subject, self.tree.folder)
            name = f"{wanted.firmware} at {commit.sha[:SHORT]}"
            return watch(self.store, replace(wanted, firmware=name, provenance=options), lambda data: None, lambda seen, elapsed: None)
        subject = placed(recipe.subject, self.tree.folder)
        subject = replace(subject, name=f"{subject.name} at {commit.sha[:SHORT]}", provenance=options)
        images = tuple(read_subject_image(path, with_places=True) for path in subject.symbols)
        return run_psci_subject(self.store, recipe.qemu, subject, images, recipe.iterations, recipe.probe, recipe.limits, Silent())

    def _skip(self, commit: Commit, why: str) -> None:
        self.skipped += 1
        self.say(f"{commit}: skipped, {why}")


def _watch_of(recipe: Recipe, build: WatchedBuild, tree: Path) -> Watch:
    images = tuple(read_subject_image(tree / path, with_places=True) for path in build.symbols)
    limit_s = recipe.limits.timeout_s
    if build.firmware:
        has = bool(images)
        return sbi.planned(tree / build.firmware, build.harts, recipe.iterations, recipe.probe, recipe.qemu.path, has, images, limit_s)
    words = tuple(word.replace(TREE, str(tree)) for word in shlex.split(build.command))
    return Watch(words, recipe.probe, bool(images), images, limit_s, firmware=Path(words[0]).name if words else "")


@dataclass(frozen=True, slots=True)
class CommitStep:
    """A commit whose run has another value than that of the commit before it, and the functions that differ between the two."""

    commit: Commit
    run: Run
    value: float
    before: Commit
    run_before: Run
    value_before: float
    moves: dict[tuple[str, Metric], tuple[Move, ...]]


@dataclass(frozen=True, slots=True)
class Bisection:
    """`step` is None where commits that could not be measured stand between: `suspects` then has all that may be the first."""

    good: tuple[Commit, float]
    bad: tuple[Commit, float]
    unit: str
    commits: int
    suspects: tuple[Commit, ...]
    step: CommitStep | None


def bisect(repository: Repository, measurer: Measurer, good: Commit, bad: Commit, figure: str) -> Bisection:
    """The commit from which on the figure is nearer to the bad commit's than to the good one's. Raises UsageError where the two have the
    same value, LatlabError where one of them cannot be measured."""
    ends = [(commit, _asked(measurer, commit, figure)) for commit in (good, bad)]
    (_, low), (_, high) = ends
    unit = _run(measurer, good).tick.unit
    if low == high:
        raise UsageError(f"{figure} is {amount(low, unit)} at {good} and at {bad}; name commits between which it differs")

    def is_bad(commit: Commit) -> bool | None:
        value = _value(measurer, commit, figure)
        return None if value is None else abs(value - high) < abs(value - low)

    total = len(repository.candidates(bad, [good]))
    suspects = first_bad(repository, good, bad, is_bad)
    step = _step(repository, measurer, suspects[0], figure) if len(suspects) == 1 else None
    return Bisection(ends[0], ends[1], unit, total, suspects, step)


def first_bad(repository: Repository, good: Commit, bad: Commit, is_bad: Callable[[Commit], bool | None]) -> tuple[Commit, ...]:
    """The first bad commit; with it those before it of which nothing can be told (`is_bad` is None), if there are such."""
    goods, skipped = [good], set[str]()
    while True:
        candidates = [sha for sha in repository.candidates(bad, goods) if sha != bad.sha]
        left = [sha for sha in candidates if sha not in skipped]
        if not left:
            return (bad, *map(repository.commit, candidates))
        commit = repository.commit(left[0])
        verdict = is_bad(commit)
        if verdict is None:
            skipped.add(commit.sha)
        elif verdict:
            bad = commit
        else:
            goods.append(commit)


def measured_range(repository: Repository, measurer: Measurer, good: Commit, bad: Commit, tags: str = "") -> list[Run]:
    """The runs of every commit of the range that can be measured, or of those with a tag that matches, the oldest first."""
    commits = repository.tagged(good, bad, tags) if tags else repository.between(good, bad)
    return [run for commit in commits if (run := measurer.run_of(commit)) is not None]


def _step(repository: Repository, measurer: Measurer, commit: Commit, figure: str) -> CommitStep | None:
    before = repository.first_parent(commit)
    after_value, before_value = _value(measurer, commit, figure), _value(measurer, before, figure)
    if after_value is None or before_value is None:
        return None
    run, run_before = _run(measurer, commit), _run(measurer, before)
    return CommitStep(commit, run, after_value, before, run_before, before_value, moves_of(run_before, run))


def _value(measurer: Measurer, commit: Commit, figure: str) -> float | None:
    run = measurer.run_of(commit)
    return None if run is None else figure_value(run, figure)


def _asked(measurer: Measurer, commit: Commit, figure: str) -> float:
    run = _run(measurer, commit)
    value = figure_value(run, figure)
    if value is None:
        raise no_figure(run, figure)
    return value


def _run(measurer: Measurer, commit: Commit) -> Run:
    run = measurer.run_of(commit)
    if run is None:
        raise LatlabError(f"{commit} cannot be measured, and nothing can be told without it")
    return run
