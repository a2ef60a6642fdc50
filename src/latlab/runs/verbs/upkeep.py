# SPDX-License-Identifier: BSD-3-Clause
"""The verbs for the store as a whole: ls, and those under `runs`. Heavy imports wait until they are needed."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.core.cli.options import Format, ListFormat, StoreOption, grouped
from latlab.core.cli.output import emit, say, show
from latlab.core.errors import LatlabError, UsageError

if TYPE_CHECKING:
    from latlab.core.model.life import Address, Head
    from latlab.core.store.choice import Filter
    from latlab.core.targets.linux.machine import Machine

PAGE_MARGIN = 2

runs_app = typer.Typer(help="Label, delete and recover runs.", no_args_is_help=True, rich_markup_mode=None)


@dataclass(frozen=True, slots=True)
class RunFilterOptions:
    """Which runs, beside the firmware, which is another option where commits are built."""

    campaign: Annotated[str, typer.Option(help="Only of this campaign, such as psci or rt.")] = ""
    platform: Annotated[str, typer.Option(help="Only on this platform.")] = ""
    label: Annotated[str, typer.Option(help="Only with this label.")] = ""
    condition: Annotated[
        list[str] | None, typer.Option(help="Only under this condition, such as load= or kernel_version=6.1.0-37-rt-arm64; repeatable.")
    ] = None
    status: Annotated[str, typer.Option(help="Only complete, partial, running or planned ones.")] = ""
    since: Annotated[str, typer.Option(help="Only started since then: 2026-11-01, or 7d for a week ago.")] = ""

    def chosen(self, firmware: str, limit: int | None = None, before: str = "", is_removed: bool = False) -> Filter:
        from latlab.core.store.choice import Filter, conditions_of, moment

        return Filter(
            **{name: getattr(self, name) for name in ("campaign", "platform", "label", "status")},
            firmware=firmware,
            since_utc=moment("since", self.since),
            before_utc=moment("before", before),
            conditions=conditions_of(self.condition or ()),
            limit=limit,
            is_removed=is_removed,
        )


@dataclass(frozen=True, slots=True)
class FilterOptions(RunFilterOptions):
    """Which runs."""

    firmware: Annotated[str, typer.Option(help="Only of this firmware.")] = ""

    def filter(self, limit: int | None = None, before: str = "", is_removed: bool = False) -> Filter:
        return self.chosen(self.firmware, limit, before, is_removed)


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.command()(grouped(ls))
    app.add_typer(runs_app, name="runs")
    for verb in (label, rm, grouped(prune), restore, empty, recover):
        runs_app.command()(verb)


def ls(
    which: FilterOptions,
    newest: Annotated[int | None, typer.Option(min=1, max=1 << 31, help="Only so many, the newest.")] = None,
    removed: Annotated[bool, typer.Option("--removed", help="The runs that `runs rm` and `runs prune` removed.")] = False,
    published: Annotated[bool, typer.Option("--published", help="The published tables that every verb takes instead of a run.")] = False,
    store: StoreOption = None,
    format: ListFormat = Format.TABLE,
) -> None:
    """List the runs, the newest last."""
    if published:
        _print_published(format)
        return
    from latlab.core.cli.stores import open_existing
    from latlab.core.store.listing import heads
    from latlab.runs.pages.listing import list_csv

    opened = open_existing(store)
    chosen = which.filter(newest, is_removed=removed)
    listed = heads(opened, chosen)
    if format is Format.CSV:
        emit(list_csv(listed))
    elif format is Format.JSON:
        from latlab.core.report.run_data import runs_json

        sample_counts = {head.id: head.samples for head in listed}
        stored = opened.runs(chosen) if newest else opened.each_run(chosen)
        for part in runs_json((run for run in stored if run.id in sample_counts), sample_counts):
            emit(part)
    elif listed:
        _print_list(listed)
    elif which == FilterOptions():
        say(f"{opened.place} has no runs; make one with `latlab run psci`")
    else:
        say(f"{opened.place} has no such run; `latlab ls` lists all")


def _print_published(format: Format) -> None:
    from latlab.core.report.page import Page, Section
    from latlab.core.report.renderers import csv, json
    from latlab.core.report.table import Table, words
    from latlab.core.store.references import published_tables

    tables, names = published_tables(), ("reference", "platform", "firmware")
    if format is Format.CSV:
        emit(csv.lines(names, tables))
    elif format is Format.JSON:
        emit(json.document([dict(zip(names, table, strict=True)) for table in tables]))
    else:
        table = Table("", words("Reference", "Platform", "Firmware"), tuple(tables))
        show(Page("", sections=(Section("", (table,)),)))


def label(
    run: Annotated[str, typer.Argument(help="A run's id, the unique beginning of one, its label, latest:LABEL, or `last`.")],
    text: Annotated[str, typer.Argument(help="The label; an empty one deletes it.")],
    measured_from: Annotated[
        str | None, typer.Option(help="Only if it was measured from this commit, as a baseline has to be; else exit 3.")
    ] = None,
    store: StoreOption = None,
) -> None:
    """Give a run a label.

    `ls` and references find the run by its label. `runs prune` keeps a run that has one.
    """
    from latlab.core.cli.stores import open_existing
    from latlab.core.store.listing import set_label
    from latlab.runs.campaign.housekeeping import check_measured_from

    if not text.isprintable():
        raise UsageError(f"{text!r}: a label is one line of printable characters", value=text)
    opened = open_existing(store)
    run_id = opened.resolve(run)
    if measured_from is not None:
        check_measured_from(opened, run_id, measured_from)
    set_label(opened, run_id, text)
    say(f"{run_id}: labelled {text!r}" if text else f"{run_id}: without a label")


def rm(
    runs: Annotated[list[str], typer.Argument(help="Ids, or unique beginnings of ids.")],
    store: StoreOption = None,
) -> None:
    """Remove runs.

    `runs restore` undoes it until `runs empty` deletes them.
    """
    from latlab.core.cli.stores import open_existing
    from latlab.core.store.listing import set_removed
    from latlab.runs.campaign.housekeeping import check_ended

    opened = open_existing(store)
    ids = list(dict.fromkeys(opened.resolve(run) for run in runs))
    check_ended(opened, ids)
    set_removed(opened, ids, True)
    say(f"removed {', '.join(ids)}; `latlab runs restore` brings them back until `latlab runs empty` deletes them")


def prune(
    which: FilterOptions,
    before: Annotated[str, typer.Option(help="Only started before then: 2026-11-01, or 30d.")] = "",
    keep: Annotated[int, typer.Option(min=0, help="Keep so many of the newest of them.")] = 0,
    keep_daily: Annotated[int, typer.Option(min=0, help="Of each series, keep the newest run of so many days.")] = 0,
    keep_weekly: Annotated[int, typer.Option(min=0, help="Of each series, keep the newest run of so many weeks.")] = 0,
    keep_monthly: Annotated[int, typer.Option(min=0, help="Of each series, keep the newest run of so many months.")] = 0,
    yes: Annotated[bool, typer.Option("--yes", help="Remove them; without it they are only listed.")] = False,
    store: StoreOption = None,
) -> None:
    """Remove the runs that the options select.

    Runs with a label, runs in progress and both runs of a regression are kept. `runs restore` undoes it until `runs empty`.
    """
    from latlab.core.cli.stores import open_existing
    from latlab.core.store.listing import set_removed
    from latlab.runs.campaign.housekeeping import Retention, prunable

    retention = Retention(keep, keep_daily, keep_weekly, keep_monthly)
    if which == FilterOptions() and not before and retention == Retention():
        raise UsageError(
            "runs prune without an option would remove every run", "select some, such as --before 30d, --status partial or --keep 100"
        )
    opened = open_existing(store)
    doomed = prunable(opened, which.filter(before=before), retention)
    if not doomed:
        say("no run to remove")
        return
    if not yes:
        _print_list(doomed)
        say(f"{len(doomed)} runs would be removed; add --yes to do it")
        return
    set_removed(opened, [head.id for head in doomed], True)
    say(f"removed {len(doomed)} runs; `latlab runs restore` brings them back until `latlab runs empty` deletes them")


def restore(
    runs: Annotated[list[str] | None, typer.Argument(help="Ids of removed runs.", show_default="all")] = None,
    store: StoreOption = None,
) -> None:
    """Bring back removed runs."""
    from latlab.core.cli.stores import open_existing
    from latlab.core.store.listing import set_removed
    from latlab.runs.campaign.housekeeping import removed_ids

    opened = open_existing(store)
    ids = removed_ids(opened, runs)
    set_removed(opened, ids, False)
    say(f"restored {len(ids)} runs" if ids else "there is no removed run")


def empty(
    yes: Annotated[bool, typer.Option("--yes", help="Delete them; without it they are only counted.")] = False,
    store: StoreOption = None,
) -> None:
    """Delete removed runs for good."""
    from latlab.core.cli.stores import open_existing
    from latlab.core.store.listing import remove
    from latlab.runs.campaign.housekeeping import removed_ids

    opened = open_existing(store)
    ids = removed_ids(opened, None)
    if not ids:
        say("there is no removed run")
    elif not yes:
        say(f"{len(ids)} removed runs would be deleted; add --yes to do it")
    else:
        remove(opened, ids)
        say(f"deleted {len(ids)} runs")


def recover(
    run: Annotated[str | None, typer.Argument(help="A run's id.", show_default="all whose latlab process has died")] = None,
    config: Annotated[Path | None, typer.Option(envvar="LG_ENV", help="For labgrid: the environment, where it has moved.")] = None,
    store: StoreOption = None,
) -> None:
    """End runs whose latlab process was killed.

    It stops their processes, also on boards, and keeps what they had measured.
    """
    from latlab.core.cli.stores import open_existing
    from latlab.runs.campaign.recovering import orphans
    from latlab.runs.campaign.recovering import recover as end

    opened = open_existing(store)
    run_id = opened.resolve(run) if run else None
    lives = [life for life in orphans(opened) if run_id in (None, life.run_id)]
    if not lives:
        status = opened.load(run_id).status if run_id else None
        say(f"{run_id} is {status}; there is nothing to recover" if run_id else "there is nothing to recover")
        return
    failed: list[LatlabError] = []
    for life in lives:
        try:
            recovered = end(opened, life, lambda address: _reached(address, config))
        except LatlabError as error:
            failed.append(error)
            say(f"run {life.run_id}: {error}")
            continue
        if recovered:
            say(recovered.sentence)
    if failed:
        raise failed[0]


def _print_list(listed: tuple[Head, ...] | list[Head]) -> None:
    """In a pager where it is longer than the terminal."""
    from latlab.runs.pages.listing import list_lines

    is_terminal = sys.stdout.isatty()
    size = shutil.get_terminal_size()
    lines, left_out = list_lines(listed, size.columns if is_terminal else None)
    text = "".join(f"{line}\n" for line in lines)
    if is_terminal and len(lines) + PAGE_MARGIN > size.lines:
        import pydoc

        pydoc.pager(text)
    else:
        emit(text)
    if left_out:
        say(f"left out to fit {size.columns} columns: {', '.join(left_out)}")


@contextmanager
def _reached(address: Address, config: Path | None) -> Iterator[Machine]:
    from latlab.core.targets.linux.machine import OverSsh

    if address.kind == "ssh":
        yield OverSsh(address.host)
        return
    from latlab.core.cli.boards import machine_on
    from latlab.core.cli.options import BoardOptions

    with machine_on(BoardOptions(config or Path(address.config), address.name)) as machine:
        yield machine
