# SPDX-License-Identifier: BSD-3-Clause
"""Commits of a repository, built and measured: `bisect`, and what `history` needs of them. Heavy imports wait until they are needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.cli.foreign import OnOption, ProbeOption, SubjectOption, SymbolsOption, check_given
from latlab.cli.options import Format, OutputOption, QemuOption, StoreOption, grouped, one_of
from latlab.cli.output import emit, refuse_output, say, show
from latlab.errors import UsageError

if TYPE_CHECKING:
    from latlab.campaigns.commits import Measurer, Recipe, WatchedBuild
    from latlab.model.run import Run
    from latlab.targets.commits import Repository
    from latlab.targets.qemu.subject import Subject

CANNOT_TELL = 3


@dataclass(frozen=True, slots=True)
class CommitOptions:
    """A repository, how a commit of it is built, and how it is measured."""

    repo: Annotated[Path | None, typer.Option(help="Git repository of the firmware; only read.", show_default="none")] = None
    build: Annotated[str, typer.Option(help="Command that builds a commit, in a shell at the root of a tree of its own.")] = ""
    subject: SubjectOption = None
    firmware: Annotated[Path | None, typer.Option(help="The firmware file that the build makes, in the tree; with --on.")] = None
    on: OnOption = None
    sbi: Annotated[Path | None, typer.Option(help="Instead: the firmware of RISC-V that the build makes, for `run sbi`.")] = None
    harts: Annotated[int, typer.Option(help="Harts of the machine of --sbi.")] = 4
    watch: Annotated[str, typer.Option(help="Instead: a command for `watch`; {tree} in it is where the build is.")] = ""
    tags: Annotated[str, typer.Option(help="Of the range, only what has a tag like this, such as 'v*'; for history.")] = ""
    symbols: SymbolsOption = None
    probe: ProbeOption = None
    qemu: QemuOption = None
    iterations: Annotated[int, typer.Option(help="Iterations of each test in one boot.")] = 2
    build_timeout: Annotated[float, typer.Option(help="Seconds until a build is given up.")] = 3600
    timeout: Annotated[float, typer.Option(help="Seconds until the machine is stopped.")] = 300
    silence: Annotated[float, typer.Option(help="Seconds without output until the machine is stopped.")] = 60


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
    """Find the commit that changed a figure of firmware built from a git repository, and the functions that did it.

    Commits are built in a tree of their own; the repository and its checkout are not touched."""
    from latlab.campaigns.commits import bisect as find
    from latlab.report.bisection import bisection_json, page

    if format is Format.TABLE:
        refuse_output(output)
    with measuring(options, commits, store) as (repository, measurer):
        good, bad = repository.ends(commits)
        found = find(repository, measurer, good, bad, figure)
    if format is Format.JSON:
        emit(bisection_json(found, figure, measurer), output)
    else:
        show(page(found, figure, measurer))
    raise typer.Exit(0 if found.step else CANNOT_TELL)


def runs_of(options: CommitOptions, commits: str, store: str | None) -> list[Run]:
    """The runs of a range of commits, the oldest first."""
    from latlab.campaigns.commits import measured_range

    with measuring(options, commits, store) as (repository, measurer):
        runs = measured_range(repository, measurer, *repository.ends(commits), options.tags)
        say(f"{measurer.built} built and measured, {measurer.found} measured before, {measurer.skipped} skipped")
        return runs


@contextmanager
def measuring(options: CommitOptions, commits: str, store: str | None) -> Iterator[tuple[Repository, Measurer]]:
    from latlab.campaigns.commits import Measurer
    from latlab.cli.stores import open_store
    from latlab.targets.commits import Repository, tree_of

    if options.repo is None or not options.build:
        raise UsageError("--repo DIR and --build COMMAND say whose commits and how one is built; give both")
    repository, recipe = Repository(options.repo), _recipe(options)
    repository.ends(commits)
    opened = open_store(store)
    with tree_of(repository) as tree:
        yield repository, Measurer(opened, tree, recipe, say)


def _recipe(options: CommitOptions) -> Recipe:
    from latlab.campaigns.commits import Recipe
    from latlab.campaigns.sbi import QEMU
    from latlab.targets.process.console import Limits
    from latlab.targets.qemu.probe import find_probe
    from latlab.targets.qemu.qemu import find_qemu

    for name in ("timeout", "silence", "build_timeout"):
        if not getattr(options, name) > 0:
            raise UsageError(f"--{name.replace('_', '-')} is a number of seconds; use more than 0")
    check_given(options.subject, options.firmware, options.on, options.iterations)
    limits = Limits(options.timeout, options.silence)
    plugin, subject = find_probe(options.probe), _watched(options) or _subject(options)
    qemu = find_qemu(options.qemu or (Path(QEMU) if options.sbi else None))
    return Recipe(options.build, options.build_timeout, subject, qemu, plugin.absolute(), options.iterations, limits)


def _watched(options: CommitOptions) -> WatchedBuild | None:
    """None where a subject is measured."""
    from latlab.campaigns.commits import WatchedBuild

    given = [bool(options.sbi), bool(options.watch), options.subject is not None or options.firmware is not None]
    if sum(given) > 1:
        raise UsageError("--sbi, --watch and --subject or --firmware each say what is measured; give one of them")
    if not options.sbi and not options.watch:
        return None
    return WatchedBuild(options.sbi, options.harts, options.watch, tuple(options.symbols or ()))


def _subject(options: CommitOptions) -> Subject:
    """Its files are those of the tree that is built, whose root stands for the repository's."""
    from dataclasses import replace

    from latlab.targets.qemu.subject import load_subject, subject_of_file

    if options.subject is not None:
        folder, root = options.subject.absolute().parent, (options.repo or Path()).absolute()
        found = load_subject(options.subject, folder.relative_to(root) if folder.is_relative_to(root) else Path())
    elif options.firmware is None or options.on is None:
        raise UsageError("--subject FILE, or --on MACHINE with --firmware FILE, names what is measured")
    else:
        found = subject_of_file(options.firmware, options.on)
    return replace(found, symbols=(*found.symbols, *(options.symbols or ())))
