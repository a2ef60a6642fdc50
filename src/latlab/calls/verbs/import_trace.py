# SPDX-License-Identifier: BSD-3-Clause
"""`latlab import-trace`. Heavy imports wait until they are needed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.calls.verbs.watch import WatchFormat
from latlab.core.cli.options import StoreOption
from latlab.core.errors import UsageError

if TYPE_CHECKING:
    from latlab.calls.campaign.traces import TraceRead
    from latlab.core.model.symbols import Image

IDENTIFIED_BYTES = 256 << 20


def register(app: typer.Typer) -> None:
    app.command("import-trace")(import_trace)


def import_trace(
    traces: Annotated[
        list[Path],
        typer.Argument(help="Tarmac files, a folder of them (one for each core), - for a pipe, or snapshot folders of CoreSight."),
    ],
    symbols: Annotated[
        list[Path] | None, typer.Option("--symbols", help="ELF file of a firmware, located by its code that ran, or by FILE@OFFSET.")
    ] = None,
    all_worlds: Annotated[bool, typer.Option("--all-worlds", help="Also keep the code of the normal world, by function.")] = False,
    platform: Annotated[str | None, typer.Option(help="Name of the model or the design.")] = None,
    firmware: Annotated[str | None, typer.Option(help="Name of the firmware; runs of one firmware give its scatter.")] = None,
    store: StoreOption = None,
    format: Annotated[WatchFormat, typer.Option(help="How the result is printed.")] = WatchFormat.TABLE,
) -> None:
    """Import a trace of FVP, gem5, RTL or a board.

    It counts the calls into the firmware as `latlab watch` does, and adds the trace's own clock as a second run.

    Files that gzip, zstd or xz compressed are read as they are."""
    from latlab.calls.campaign.traces import TraceRequest, import_trace
    from latlab.calls.readers.symbols import read_subject_image
    from latlab.calls.targets.traces import reader_for
    from latlab.core.cli.interrupt import Interrupts
    from latlab.core.cli.stores import open_store
    from latlab.core.model.run import UNNAMED

    images = tuple(read_subject_image(text, with_places=True) for text in symbols or ())
    request = TraceRequest(
        files_of(traces), reader_for(traces), images, all_worlds, platform=platform or UNNAMED, firmware=firmware or "unknown"
    )
    with Interrupts() as interrupts:
        read = import_trace(open_store(store), request, ReadingProgress(), interrupts.asked)
    conclude(read, format)


def files_of(traces: list[Path]) -> tuple[Path, ...]:
    """The files and snapshots that are named, and those of folders in the order of their names. Raises UsageError for what is not there."""
    from latlab.calls.targets.traces import is_snapshot

    files: list[Path] = []
    for trace in traces:
        if is_snapshot(trace):
            files.append(trace)
        elif trace.is_dir():
            files += _traces_of(trace)
        elif str(trace) == "-" or trace.exists():
            files.append(trace)
        else:
            raise UsageError("no such file", "name a trace", place=trace)
    return tuple(files)


def _traces_of(folder: Path) -> list[Path]:
    """Raises UsageError for a folder with other files: what belongs to one machine is not guessed."""
    from latlab.calls.campaign.identifying import is_trace

    inside = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    others = [path.name for path in inside if not is_trace(path)]
    if not inside:
        raise UsageError(f"{folder} has no files", "name a trace, a folder of traces or a snapshot folder (with snapshot.ini)")
    if len(others) == len(inside):
        raise UsageError(f"{folder} has no trace among its {len(inside)} files, such as {others[0]}", "name a trace or a folder of traces")
    if others:
        raise UsageError(
            f"{folder} also has files that are no trace, such as {others[0]}", f"name the traces alone, such as {folder}/*.tarmac"
        )
    return inside


def show_trace(
    traces: list[Path], images: tuple[Image, ...] = (), limit_bytes: int | None = None, format: WatchFormat = WatchFormat.TABLE
) -> None:
    """What a trace has, or its first part; nothing is kept."""
    from latlab.calls.campaign.traces import TraceRequest, read_trace
    from latlab.calls.targets.traces import reader_for
    from latlab.core.cli.interrupt import Interrupts

    request = TraceRequest(files_of(traces), reader_for(traces), images, limit_bytes=limit_bytes)
    with Interrupts() as interrupts:
        _print(read_trace(request, ReadingProgress(), interrupts.asked), format)


def conclude(read: TraceRead, format: WatchFormat) -> None:
    from latlab.core.errors import LatlabError

    _print(read, format)
    if read.problems:
        raise LatlabError(f"{read.run_id} is partial: {read.problems[0].message}")


def _print(read: TraceRead, format: WatchFormat) -> None:
    from rich.console import Console

    from latlab.calls.pages.traces import print_trace, trace_json
    from latlab.core.report.renderers.terminal import PIPE_WIDTH

    if format is WatchFormat.JSON:
        sys.stdout.write(trace_json(read))
    else:
        print_trace(Console(width=None if sys.stdout.isatty() else PIPE_WIDTH), read)


class ReadingProgress:
    """Now and then a line of what was read so far."""

    def __init__(self) -> None:
        from latlab.calls.verbs.watch import LINE_EVERY_ON_TERMINAL_S, LINE_EVERY_S

        self._every = LINE_EVERY_ON_TERMINAL_S if sys.stderr.isatty() else LINE_EVERY_S
        self._next = self._every

    def __call__(self, state: object, elapsed_s: float) -> None:
        if elapsed_s < self._next:
            return
        self._next = elapsed_s + self._every
        typer.echo(f"latlab: {elapsed_s:.0f} s, {state.crossings.total()} world switches", err=True)  # type: ignore[attr-defined]
