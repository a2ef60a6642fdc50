# SPDX-License-Identifier: BSD-3-Clause
"""Commits of a repository built and measured, each once: what the store has of a commit and a command is not made again."""

from __future__ import annotations

import hashlib
import shlex
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from latlab.calls.campaign import sbi, smc
from latlab.calls.campaign.watching import Watch, WatchResult, watch
from latlab.calls.readers.symbols import read_subject_image
from latlab.calls.targets.boards import PSCI_PROGRAM, SMC_PROGRAM
from latlab.calls.targets.subject import Subject, find_program, placed
from latlab.commits.targets import SHORT, Built, Commit, Making, Repository, tree_of
from latlab.core.comparison.wording import said_duration
from latlab.core.errors import DataError, UsageError
from latlab.core.lifecycle.life import NullProgress, finish, on_qemu
from latlab.core.model.conditions import Conditions
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import AUTHORED, BUILT_BY, COMMIT, FAILED, MESSAGE, PATCH, RECIPE, SUBJECT_LINE, Build, Problem, Run
from latlab.core.store.address import StoreAddress
from latlab.core.store.store import Store, open_store
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import Qemu
from latlab.core.targets.scratch import scratch
from latlab.psci.campaign.foreign import run_psci_subject
from latlab.psci.campaign.measure import CAMPAIGN
from latlab.psci.campaign.recording import Recorded

Say = Callable[[str], None]
Options = tuple[tuple[str, str], ...]
TREE = "{tree}"
BUILD_LOG = "build"


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
    """How a commit is built and measured; `is_smc`: a subject by the smc campaign, else by the psci campaign. Relative paths of the subject
    are of the tree that is built."""

    making: Making
    subject: Subject | WatchedBuild
    qemu: Qemu
    probe: Path
    iterations: int
    limits: Limits
    has_classes: bool = False
    is_smc: bool = False

    def digest(self) -> str:
        """The same for the same build command, patches, subject, program, probe, emulator, number of iterations and classes."""
        classes = "classes\n" if self.has_classes else ""
        text = hashlib.sha256(f"{self.making.command}\n{self.subject}\n{self.qemu}\n{self.iterations}\n{classes}".encode())
        for path in (self.probe, *self._programs(), *self.making.patches):
            text.update(path.read_bytes())
        return text.hexdigest()

    @property
    def name(self) -> str:
        """What is measured, apart from the commit."""
        if isinstance(self.subject, Subject):
            return f"{self.subject.name}, {self.processor or self.subject.board.name}"
        return str(self.subject.firmware or shlex.split(self.subject.command)[0])

    @property
    def processor(self) -> str:
        """Empty where the machine's command says it."""
        return (self.subject.cpu or self.subject.board.cpu or "") if isinstance(self.subject, Subject) else ""

    def _programs(self) -> tuple[Path, ...]:
        if isinstance(self.subject, Subject):
            return (find_program(self.subject.board, SMC_PROGRAM if self.is_smc else PSCI_PROGRAM),)
        return (sbi.find_program(),) if self.subject.firmware else ()


@dataclass(frozen=True, slots=True)
class CommitOutcome:
    """The run of a commit; `sentence` says why it has no figures, empty where it has."""

    run_id: str
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class CommitJob:
    """A commit to build once and to measure by each recipe. `host` is the machine that asks for it, whose store is at `place`."""

    repository: Path
    sha: str
    recipes: tuple[Recipe, ...]
    digests: tuple[str, ...]
    place: StoreAddress
    command_line: tuple[str, ...]
    host: str = field(default_factory=socket.gethostname)


Engine = Callable[[Callable[[CommitJob], tuple[CommitOutcome, ...]], Sequence[CommitJob]], Iterator[tuple[CommitOutcome, ...]]]


def measure(job: CommitJob) -> tuple[CommitOutcome, ...]:
    """Build a commit and measure it by each recipe, wherever this runs. Raises UsageError where that is another installation."""
    if job.host != socket.gethostname() and not job.place.is_url:
        raise UsageError(
            f"{job.place} is a file of {job.host}", "give a --store that workers of other machines reach, postgresql+psycopg://..."
        )
    if tuple(recipe.digest() for recipe in job.recipes) != job.digests:
        raise UsageError(f"{socket.gethostname()} has another latlab, probe, program or QEMU than {job.host}", "install the same there")
    store, repository = open_store(job.place), Repository(job.repository)
    store.command_line = job.command_line
    commit = repository.commit(job.sha)
    options = _options(repository, commit, job.recipes[0].making)
    with tree_of(repository) as tree:
        built = tree.build(commit, job.recipes[0].making)
        options += ((PATCH, built.patch),) if built.patch else ()
        measured = [
            _outcome(store, recipe, (*options, (RECIPE, digest)), built, tree.folder)
            for recipe, digest in zip(job.recipes, job.digests, strict=True)
        ]
    store.close()
    return tuple(measured)


def _options(repository: Repository, commit: Commit, making: Making) -> Options:
    brought = repository.brought(commit)
    messages = "\n\n".join(
        f"{brought_commit.sha[:SHORT]} {brought_commit.authored} {brought_commit.subject}\n{brought_commit.message}".strip()
        for brought_commit in brought
    )
    named = ((COMMIT, commit.sha), (SUBJECT_LINE, commit.subject), (AUTHORED, commit.authored), (BUILT_BY, making.command))
    message = messages or commit.message
    return (*named, (MESSAGE, message)) if message else named


def _outcome(store: Store, recipe: Recipe, options: Options, built: Built, tree: Path) -> CommitOutcome:
    return _failed(store, recipe, options, built.sentence, built.log) if built.sentence else _measured(store, recipe, options, tree)


def _measured(store: Store, recipe: Recipe, options: Options, tree: Path) -> CommitOutcome:
    try:
        done = _run(store, recipe, options, tree)
    except (DataError, UsageError) as error:
        return _failed(store, recipe, options, str(error))
    if done.status is RunStatus.COMPLETE:
        return CommitOutcome(done.run_id)
    return _failed(store, recipe, options, f"{done.run_id} is partial: {done.problems[0].message}")


def _run(store: Store, recipe: Recipe, options: Options, tree: Path) -> Recorded | WatchResult:
    if isinstance(recipe.subject, WatchedBuild):
        request = _watch_of(recipe, recipe.subject, tree)
        name = _named(str(request.firmware), options)
        return _watched(store, replace(request, firmware=name, provenance=options, has_classes=recipe.has_classes))
    subject = placed(recipe.subject, tree)
    subject = replace(subject, name=_named(subject.name, options), provenance=options)
    images = tuple(read_subject_image(path, with_places=True) for path in subject.symbols)
    if recipe.is_smc:
        how = Watch((), recipe.probe, True, images, recipe.limits.timeout_s, provenance=options, has_classes=recipe.has_classes)
        with scratch() as folder:
            return _watched(store, smc.planned(subject, recipe.iterations, recipe.qemu, folder, how))
    return run_psci_subject(
        store, recipe.qemu, subject, images, recipe.iterations, recipe.probe, recipe.limits, NullProgress(), has_classes=recipe.has_classes
    )


def _watched(store: Store, request: Watch) -> WatchResult:
    return watch(store, request, lambda data: None, lambda state, elapsed: None)


def _named(name: str, options: Options) -> str:
    return f"{name} at {dict(options)[COMMIT][:SHORT]}"


def _failed(store: Store, recipe: Recipe, options: Options, why: str, log: bytes = b"") -> CommitOutcome:
    """A run without figures that says why, so that the commit is not built in vain once more."""
    build = Build(_named(recipe.name, options), options=(*options, (FAILED, why)))
    run_id = store.begin(on_qemu(CAMPAIGN, recipe.qemu, (), "", build, Conditions()))
    store.add(run_id, logs={BUILD_LOG: log})
    finish(store, run_id, [Problem(0, why)])
    return CommitOutcome(run_id, why)


def _watch_of(recipe: Recipe, build: WatchedBuild, tree: Path) -> Watch:
    images = tuple(read_subject_image(tree / path, with_places=True) for path in build.symbols)
    limit_s = recipe.limits.timeout_s
    if build.firmware:
        has = bool(images)
        return sbi.planned(tree / build.firmware, build.harts, recipe.iterations, recipe.probe, recipe.qemu.path, has, images, limit_s)
    words = tuple(word.replace(TREE, str(tree)) for word in shlex.split(build.command))
    return Watch(words, recipe.probe, bool(images), images, limit_s, firmware=Path(words[0]).name if words else "")


def one_by_one(work: Callable[[CommitJob], tuple[CommitOutcome, ...]], jobs: Sequence[CommitJob]) -> Iterator[tuple[CommitOutcome, ...]]:
    """In this process."""
    return map(work, jobs)


@dataclass(slots=True)
class Measurer:
    """Gives the runs of commits, one for each recipe: those that are kept, else it builds the commit and measures it. `location` is the
    store's as it is opened; with `is_again`, what failed is tried once more."""

    store: Store
    location: StoreAddress
    repository: Repository
    recipes: tuple[Recipe, ...]
    say: Say
    engine: Engine = one_by_one
    is_again: bool = False
    built: int = 0
    reused: int = 0
    skipped: dict[Commit, tuple[str, ...]] = field(default_factory=dict)
    _digests: tuple[str, ...] = ()
    _outcomes: dict[tuple[str, str], CommitOutcome] = field(default_factory=dict)
    _runs: dict[str, Run] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._digests = tuple(recipe.digest() for recipe in self.recipes)
        for run in self.store.runs():
            key, failure = (run.build.get_option(COMMIT), run.build.get_option(RECIPE)), run.build.get_option(FAILED)
            if failure and not self.is_again:
                self._outcomes.setdefault(key, CommitOutcome(run.id, failure))
            elif run.status is RunStatus.COMPLETE:
                self._outcomes[key] = CommitOutcome(run.id)

    def run_of(self, commit: Commit) -> Run | None:
        """By the first recipe; None where it does not build or says nothing of what is asked."""
        self.measure([commit])
        return self.run_by(commit, 0)

    def run_by(self, commit: Commit, recipe: int) -> Run | None:
        """Of a commit that was measured."""
        outcome = self._outcomes[commit.sha, self._digests[recipe]]
        if outcome.sentence:
            return None
        if outcome.run_id not in self._runs:
            self._runs[outcome.run_id] = self.store.load(outcome.run_id)
        return self._runs[outcome.run_id]

    def measure(self, commits: Sequence[Commit]) -> None:
        """All of them, of which those that are kept are only told."""
        unreported = [candidate for candidate in dict.fromkeys(commits) if candidate.sha not in self._told]
        recorded = [candidate for candidate in unreported if not self._lacks(candidate)]
        for commit in recorded:
            self._tell(commit, "measured before", "skipped as before")
        self.reused += sum(commit not in self.skipped for commit in recorded)
        missing = [candidate for candidate in unreported if self._lacks(candidate)]
        if missing:
            self._make(missing)

    def _make(self, commits: Sequence[Commit]) -> None:
        jobs, began = [self._job(commit) for commit in commits], time.monotonic()
        self.say(f"{commits[0]}: building{f', the first of {len(jobs)}' if len(jobs) > 1 else ''}")
        for number, (commit, job, outcomes) in enumerate(zip(commits, jobs, self.engine(measure, jobs), strict=True), 1):
            self._outcomes |= {(commit.sha, digest): outcome for digest, outcome in zip(job.digests, outcomes, strict=True)}
            left_s = (time.monotonic() - began) / number * (len(jobs) - number)
            remaining = f" ({number} of {len(jobs)}, {said_duration(left_s)} left)" if number < len(jobs) else ""
            self._tell(commit, f"measured{remaining}", f"skipped{remaining}")
            self.built += commit not in self.skipped

    def _job(self, commit: Commit) -> CommitJob:
        lacking = [
            (recipe, digest)
            for recipe, digest in zip(self.recipes, self._digests, strict=True)
            if (commit.sha, digest) not in self._outcomes
        ]
        recipes, digests = zip(*lacking, strict=True)
        return CommitJob(self.repository.folder.absolute(), commit.sha, recipes, digests, self.location, self.store.command_line)

    def _lacks(self, commit: Commit) -> bool:
        return any((commit.sha, digest) not in self._outcomes for digest in self._digests)

    def _tell(self, commit: Commit, measured: str, skipped: str) -> None:
        self._told.add(commit.sha)
        outcomes = [self._outcomes[commit.sha, digest] for digest in self._digests]
        if ids := [outcome.run_id for outcome in outcomes if not outcome.sentence]:
            self.say(f"{commit}: {measured}, {' '.join(ids)}")
        if why := tuple(dict.fromkeys(outcome.sentence for outcome in outcomes if outcome.sentence)):
            self.skipped[commit] = why
            ids = [outcome.run_id for outcome in outcomes if outcome.sentence]
            self.say(f"{commit}: {skipped}, {' '.join(ids)}: {'; '.join(why)}")
