# SPDX-License-Identifier: BSD-3-Clause
"""`latlab watch`. Heavy imports wait until they are needed."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.calls.verbs.subject_options import ClassesOption, ProbeOption
from latlab.core.cli.options import StoreOption
from latlab.core.errors import UsageError
from latlab.core.shown import significant
from latlab.core.store.address import Place

if TYPE_CHECKING:
    from latlab.calls.campaign.watching import StreamAccumulator, Watch

MaskedOption = Annotated[
    bool, typer.Option("--masked", help="Also find every stretch in which interrupts were masked, by function, longest first.")
]

LINE_EVERY_S = 60.0
LINE_EVERY_ON_TERMINAL_S = 5.0


class WatchFormat(StrEnum):
    TABLE = "table"
    JSON = "json"


def register(app: typer.Typer) -> None:
    app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(watch)


def watch(
    command: Annotated[
        list[str] | None, typer.Argument(help="The command, after `--`: qemu-system-... with any options.", show_default=False)
    ] = None,
    trace: Annotated[
        list[Path] | None, typer.Option("--trace", help="A Tarmac trace instead of a machine; nothing is kept (see import-trace).")
    ] = None,
    symbols: Annotated[
        list[Path] | None, typer.Option("--symbols", help="ELF file of a firmware, located by its code that ran, or by FILE@OFFSET.")
    ] = None,
    functions: Annotated[bool, typer.Option("--functions", help="Also count which code ran inside the calls.")] = False,
    prove: Annotated[
        bool, typer.Option("--prove", help="Also count each instruction separately, and compare at every world switch. Slow.")
    ] = False,
    masked: MaskedOption = False,
    classes: ClassesOption = False,
    timeout: Annotated[float | None, typer.Option(help="Seconds until the machine is stopped.", show_default="none")] = None,
    stream_bytes: Annotated[int | None, typer.Option(min=1, help="Size that the probe's stream may have.", show_default="4 GiB")] = None,
    probe: ProbeOption = None,
    store: StoreOption = None,
    format: Annotated[WatchFormat, typer.Option(help="How the result is printed.")] = WatchFormat.TABLE,
) -> None:
    """Count calls into any firmware that QEMU runs.

    Give QEMU's own command after two dashes: `latlab watch -- qemu-system-aarch64 ...`.

    The machine's console goes to standard error, the table to standard output."""
    from latlab.calls.campaign.watching import Watch, check_command
    from latlab.calls.readers.symbols import read_subject_image
    from latlab.core.cli.plugins import probe_for

    if timeout is not None and not timeout > 0:
        raise UsageError(f"--timeout {significant(timeout)} is a number of seconds", "use more than 0", value=timeout)
    images = tuple(read_subject_image(text, with_places=True) for text in symbols or ())
    if trace:
        from latlab.calls.verbs.import_trace import show_trace

        if command:
            raise UsageError("--trace reads a file instead of a machine", "leave out the command")
        show_trace(trace, images, format=format)
        return
    command = command or []
    has_functions = functions or classes or bool(images)
    check_command(command)
    plugin = probe_for(Path(command[0]), probe)
    request = Watch(
        tuple(command), plugin, has_functions, images, timeout, stream_bytes, proves=prove, has_masked=masked, has_classes=classes
    )
    conclude(request, store, format)


def conclude(request: Watch, store: Place | None, format: WatchFormat) -> None:
    """Run it, print what was seen, then raise what is wrong with it."""
    from rich.console import Console

    from latlab.calls.campaign.watching import verdict
    from latlab.calls.campaign.watching import watch as run_watch
    from latlab.calls.pages.terminal import print_watched, watched_json
    from latlab.core.cli.interrupt import Interrupts
    from latlab.core.cli.stores import open_store
    from latlab.core.report.renderers.terminal import PIPE_WIDTH

    with Interrupts() as interrupts:
        watched = run_watch(open_store(store), request, _show, _Lines(), interrupts.asked)
    if format is WatchFormat.JSON:
        sys.stdout.write(watched_json(watched))
    else:
        print_watched(Console(width=None if sys.stdout.isatty() else PIPE_WIDTH), watched)
    verdict(watched)


def _show(data: bytes) -> None:
    sys.stderr.buffer.write(data)
    sys.stderr.flush()


class _Lines:
    """Now and then a line of what was seen so far."""

    def __init__(self) -> None:
        self._every = LINE_EVERY_ON_TERMINAL_S if sys.stderr.isatty() else LINE_EVERY_S
        self._next = self._every

    def __call__(self, state: StreamAccumulator, elapsed_s: float) -> None:
        if elapsed_s < self._next:
            return
        self._next = elapsed_s + self._every
        most = ", ".join(f"{row.count} {row.key.name}" for row in state.tally.rows()[:3])
        typer.echo(f"latlab: {elapsed_s:.0f} s, {state.crossings.total()} world switches{f'; {most}' if most else ''}", err=True)
