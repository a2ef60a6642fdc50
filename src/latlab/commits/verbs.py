# SPDX-License-Identifier: BSD-3-Clause
"""Commits of a repository, built and measured: `bisect`, and what `history` needs of them. Heavy imports wait until they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.calls.verbs.subject_options import ClassesOption, MachineOption, ProbeOption, SymbolsOption, check_given
from latlab.core.cli.options import BoardOption, Format, OutputOption, QemuOption, StoreOption, grouped, one_of
from latlab.core.cli.output import emit, refuse_output, say, show
from latlab.core.errors import UsageError
from latlab.core.store.address import Place

if TYPE_CHECKING:
    from latlab.calls.targets.subject import Subject
    from latlab.commits.campaign.commits import Engine, Measurer, Recipe, WatchedBuild
    from latlab.commits.targets import Repository
    from latlab.core.model.run import Run
    from latlab.virtual.campaign.board_times import BoardCosts

CANNOT_TELL = 3
HARTS = 4
ITERATIONS = 2


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """A repository, and how a commit of it is built."""

    repo: Annotated[Path | None, typer.Option(help="Git repository of the firmware; only read.", show_default="none")] = None
    build: Annotated[str, typer.Option(help="Command that builds a commit, in a shell at the root of a tree of its own.")] = ""
    patch: Annotated[
        list[Path] | None, typer.Option(help="Of these the first that applies to a commit is applied before it is built; repeatable.")
    ] = None
    build_timeout: Annotated[float, typer.Option(help="Seconds until a build is stopped.")] = 3600
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Retry commits that did not build or run.")] = False


@dataclass(frozen=True, slots=True)
class MeasuredOptions(BuildOptions):
    """The firmware that a build makes, and the calls of it that are measured."""

    subject: Annotated[list[Path] | None, typer.Option(help="TOML file of foreign firmware: images, machine, symbols; repeatable.")] = None
    firmware: Annotated[Path | None, typer.Option(help="The firmware file that the build makes, in the tree; with --machine.")] = None
    machine: MachineOption = None
    smc: Annotated[bool, typer.Option("--smc", help="The calls of `run calls` of --subject or --firmware, not of `run psci`.")] = False
    sbi: Annotated[Path | None, typer.Option(help="Instead: the firmware of RISC-V that the build makes, for `run calls`.")] = None
    harts: Annotated[int | None, typer.Option(help="Harts of the machine of --sbi.", show_default=str(HARTS))] = None
    watch: Annotated[str, typer.Option(help="Instead: a command for `watch`; {tree} in it is where the build is.")] = ""
    symbols: SymbolsOption = None


@dataclass(frozen=True, slots=True)
class CommitOptions(MeasuredOptions):
    """How it is measured."""

    cpu: Annotated[list[str] | None, typer.Option(help="Measure on this processor of QEMU; repeatable.", show_default="the subject's")] = (
        None
    )
    iterations: Annotated[int | None, typer.Option(help="Iterations of each test in one boot.", show_default=str(ITERATIONS))] = None
    qemu: QemuOption = None
    probe: ProbeOption = None
    classes: ClassesOption = False
    board: BoardOption = None
    timeout: Annotated[float, typer.Option(help="Seconds until the machine is stopped.")] = 300
    silence: Annotated[float, typer.Option(help="Seconds without output until the machine is stopped.")] = 60


@dataclass(frozen=True, slots=True)
class ChoiceOptions:
    """Which commits, and what works on them."""

    tags: Annotated[str, typer.Option(help="Only what has a tag like this, such as 'v*', of the range or of all before HEAD.")] = ""
    paths: Annotated[
        list[str] | None, typer.Option(help="Of the range, only what changes one of these; pathspecs of git, repeatable or in one word.")
    ] = None
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Build and measure so many commits at once, each in a process.", show_default="1")
    ] = None
    dask: Annotated[str | None, typer.Option(help="Spread them with Dask: `local`, or a scheduler such as tcp://host:8786.")] = None


def register(app: typer.Typer) -> None:
    app.command()(grouped(bisect))


def bisect(
    commits: Annotated[str, typer.Argument(help="GOOD..BAD, two commits of the repository.")],
    figure: Annotated[str, typer.Option(help="TEST/METRIC that changed, such as cpu_off_serial/powerdown.")],
    options: CommitOptions,
    format: Annotated[Format, one_of(Format.TABLE, Format.JSON)] = Format.TABLE,
    output: OutputOption = None,
    store: StoreOption = None,
) -> None:
    """Find the commit that changed a figure.

    It builds the firmware from a git repository, and names the functions that changed.

    Commits are built in a tree of their own; the repository and its checkout are not touched."""
    from latlab.commits.campaign.bisecting import bisect as find
    from latlab.commits.pages.bisection import bisection_json, page

    if format is Format.TABLE:
        refuse_output(output)
    if len(options.subject or ()) > 1 or len(options.cpu or ()) > 1:
        raise UsageError("bisect searches one figure", "give one --subject and one --cpu")
    repository, measurer = _measuring(options, store)
    costs = _costs(options, measurer.recipes)
    good, bad = repository.ends(commits)
    bisection = find(repository, measurer, good, bad, figure, costs)
    if format is Format.JSON:
        emit(bisection_json(bisection, figure, measurer), output)
    else:
        show(page(bisection, figure, measurer))
    raise typer.Exit(0 if bisection.step else CANNOT_TELL)


def is_figure(word: str | None) -> bool:
    """Whether it names figures and no commits: these have a slash or are a metric."""
    from latlab.core.model.enums import Metric

    return word is not None and ".." not in word and ("/" in word or "*" in word or word in list(Metric))


def runs_of(options: CommitOptions, choice: ChoiceOptions, words: Sequence[str], store: Place | None) -> dict[str, list[Run]]:
    """The runs of the commits by subject and processor, the oldest first."""
    from latlab.commits.campaign.commit_history import chosen, runs_by_recipe

    if options.board:
        raise UsageError("--board is for all figures over commits, and for bisect", "leave out the figure")
    repository, measurer = _measuring(options, store, choice)
    by_recipe = runs_by_recipe(measurer, chosen(repository, words, choice.tags, _paths(choice)))
    say(_done(measurer))
    return by_recipe


def print_commits(
    options: CommitOptions,
    choice: ChoiceOptions,
    words: Sequence[str],
    tolerance: float,
    allow_different: frozenset[str],
    format: Format,
    output: Path | None,
    store: Place | None,
) -> None:
    """All figures over commits."""
    from latlab.commits.campaign.commit_history import chosen, histories, not_measured
    from latlab.commits.pages.commit_history import commits_json, page

    if format is Format.TABLE:
        refuse_output(output)
    repository, measurer = _measuring(options, store, choice)
    costs = _costs(options, measurer.recipes)
    chosen_commits = chosen(repository, words, choice.tags, _paths(choice))
    all_histories = histories(measurer, chosen_commits, tolerance, allow_different, costs)
    say(_done(measurer))
    if format is Format.TABLE:
        show(page(all_histories, chosen_commits, not_measured(measurer)))
    elif format is Format.JSON:
        emit(commits_json(all_histories, chosen_commits, not_measured(measurer)), output)
    else:
        from latlab.core.report.renderers import html, markdown

        emit(
            (html if format is Format.HTML else markdown).document(
                page(all_histories, chosen_commits, not_measured(measurer), is_wide=True)
            ),
            output,
        )


def _costs(options: CommitOptions, recipes: Sequence[Recipe]) -> BoardCosts | None:
    """Of the board that is named, if one is. Raises UsageError where none of what would be measured can have times of it."""
    if not options.board:
        return None
    from latlab.virtual.campaign.board_times import costs_of

    if not options.classes:
        raise UsageError("--board needs instructions by class", "measure them with --classes")
    costs, processors = costs_of(options.board), [recipe.processor for recipe in recipes]
    if not set(processors) & set(costs.processors):
        raise costs.no_other("what is named would be counted", processors)
    return costs


def _done(measurer: Measurer) -> str:
    return f"{measurer.built} built and measured, {measurer.reused} measured before, {len(measurer.skipped)} skipped"


def _paths(choice: ChoiceOptions) -> list[str]:
    return [path for word in choice.paths or () for path in word.split()]


def _measuring(options: CommitOptions, store: Place | None, choice: ChoiceOptions | None = None) -> tuple[Repository, Measurer]:
    from latlab.commits.campaign.commits import Measurer
    from latlab.commits.targets import Repository
    from latlab.core.cli.stores import open_store
    from latlab.core.store.location import store_location

    if options.repo is None or not options.build:
        raise UsageError("--repo DIR and --build COMMAND name the repository and the build", "give both")
    repository, recipes = Repository(options.repo), _recipes(options)
    location = store_location(store)
    engine = _engine(choice or ChoiceOptions())
    return repository, Measurer(open_store(store), location.absolute, repository, recipes, say, engine, options.retry_failed)


def _engine(choice: ChoiceOptions) -> Engine:
    from latlab.commits.campaign.commits import one_by_one
    from latlab.commits.campaign.commits_at_once import on_dask, on_processes

    if choice.dask and choice.jobs is not None:
        raise UsageError("--jobs are processes of this machine and --dask has workers of its own", "give one of them")
    if choice.dask:
        return on_dask(choice.dask)
    return on_processes(choice.jobs) if choice.jobs is not None and choice.jobs > 1 else one_by_one


def _recipes(options: CommitOptions) -> tuple[Recipe, ...]:
    from latlab.calls.campaign.sbi import QEMU
    from latlab.commits.campaign.commits import Recipe
    from latlab.commits.targets import Making
    from latlab.core.cli.plugins import probe_for
    from latlab.core.targets.process.console import Limits
    from latlab.core.targets.qemu.qemu import find_qemu

    for name in ("timeout", "silence", "build_timeout"):
        if not getattr(options, name) > 0:
            raise UsageError(f"--{name.replace('_', '-')} is a number of seconds", "use more than 0")
    iterations = ITERATIONS if options.iterations is None else options.iterations
    for path in options.patch or ():
        if not path.is_file():
            raise UsageError(f"--patch {path}: no such file", value=path)
    check_given(options.subject[0] if options.subject else None, options.firmware, options.machine, iterations)
    limits = Limits(options.timeout, options.silence)
    subjects = _watched(options) or _subjects(options)
    qemu = find_qemu(options.qemu or (Path(QEMU) if options.sbi else None))
    plugin = probe_for(qemu.path, options.probe)
    making = Making(options.build, options.build_timeout, tuple(path.absolute() for path in options.patch or ()))
    return tuple(
        Recipe(making, watched_build, qemu, plugin.absolute(), iterations, limits, options.classes, options.smc)
        for watched_build in subjects
    )


def _watched(options: CommitOptions) -> Sequence[WatchedBuild]:
    """Empty where a subject is measured."""
    from latlab.commits.campaign.commits import WatchedBuild

    sources = [bool(options.sbi), bool(options.watch), bool(options.subject) or options.firmware is not None]
    if sum(sources) > 1:
        raise UsageError("--sbi, --watch and --subject or --firmware exclude each other", "give one of them")
    if options.harts is not None and not options.sbi:
        raise UsageError(f"--harts {options.harts} is of the machine of --sbi", "leave it out", value=options.harts)
    if not options.sbi and not options.watch:
        return ()
    for name, value in (("cpu", options.cpu), ("smc", options.smc), ("machine", options.machine)):
        if value:
            raise UsageError(f"--{name} is of a --subject or a --firmware", "leave it out")
    if options.watch and options.iterations is not None:
        raise UsageError(
            f"--iterations {options.iterations}: the command of --watch sets the calls", "leave it out", value=options.iterations
        )
    return (WatchedBuild(options.sbi, HARTS if options.harts is None else options.harts, options.watch, tuple(options.symbols or ())),)


def _subjects(options: CommitOptions) -> Sequence[Subject]:
    """Each on each processor. Their files are those of the tree that is built, whose root stands for the repository's."""
    from dataclasses import replace

    from latlab.calls.targets.subject import load_subject, subject_of_file

    subjects: list[Subject] = []
    for path in options.subject or ():
        folder, root = path.absolute().parent, (options.repo or Path()).absolute()
        subjects.append(load_subject(path, folder.relative_to(root) if folder.is_relative_to(root) else Path()))
    if not subjects:
        if options.firmware is None or options.machine is None:
            raise UsageError("--subject FILE, or --machine MACHINE with --firmware FILE, names what is measured")
        subjects.append(subject_of_file(options.firmware, options.machine))
    symbols = tuple(options.symbols or ())
    with_symbols = [replace(subject, symbols=(*subject.symbols, *symbols)) for subject in subjects]
    return [replace(subject, cpu=cpu or subject.cpu) for subject in with_symbols for cpu in dict.fromkeys(options.cpu or [""])]
