# SPDX-License-Identifier: BSD-3-Clause
"""The psci campaign of a trace, and its program for a machine elsewhere. Heavy imports wait until they are needed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.calls.verbs.subject_options import DEFAULT_MACHINE, SubjectOptions
from latlab.core.errors import UsageError
from latlab.core.store.address import Place

if TYPE_CHECKING:
    from latlab.core.store.store import Store
    from latlab.psci.campaign.recording import Recorded


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """The same calls, traced elsewhere."""

    trace: Annotated[
        list[Path] | None,
        typer.Option(help="Traces of a machine elsewhere that runs the program of --program-out: Tarmac files, or snapshots of CoreSight."),
    ] = None
    console: Annotated[Path | None, typer.Option(help="With --trace: what the program printed, with the cores and the tests left out.")] = (
        None
    )
    platform: Annotated[str | None, typer.Option(help="With --trace: name of the model or the board.")] = None
    firmware_name: Annotated[str | None, typer.Option(help="With --trace: name of the firmware.")] = None
    program_out: Annotated[
        Path | None, typer.Option(help="Write the program that makes the calls, an ELF file for --machine, and measure nothing.")
    ] = None


def write_program(options: TraceOptions, foreign: SubjectOptions) -> Path:
    from shutil import copyfile

    from latlab.calls.targets.boards import board_of
    from latlab.calls.targets.subject import find_program

    assert options.program_out is not None
    program = find_program(board_of(foreign.machine or DEFAULT_MACHINE))
    try:
        copyfile(program, options.program_out)
    except OSError as error:
        raise UsageError(f"{options.program_out} cannot be written: {error.strerror}", "name a file of a folder that exists") from error
    return options.program_out


def run(options: TraceOptions, foreign: SubjectOptions, store: Place | None) -> tuple[Store, Recorded, str]:
    from latlab.calls.campaign.traces import TraceRequest
    from latlab.calls.readers.symbols import read_subject_image
    from latlab.calls.targets.traces import reader_for
    from latlab.calls.verbs.import_trace import ReadingProgress, files_of
    from latlab.core.cli.interrupt import Interrupts
    from latlab.core.cli.stores import open_store
    from latlab.core.model.run import UNNAMED
    from latlab.psci.campaign.from_trace import run_psci_trace
    from latlab.psci.readers.calls_log import CallsLog, read_calls_log

    traces = options.trace or []
    images = tuple(read_subject_image(text, with_places=True) for text in foreign.symbols or ())
    platform, firmware = options.platform or UNNAMED, options.firmware_name or "unknown"
    request = TraceRequest(files_of(traces), reader_for(traces), images, platform=platform, firmware=firmware)
    log = read_calls_log(_text_of(options.console).splitlines()) if options.console else CallsLog()
    opened = open_store(store)
    with Interrupts() as interrupts:
        recorded, clock_run = run_psci_trace(opened, request, log, ReadingProgress(), interrupts.asked)
    return opened, recorded, clock_run


def _text_of(console: Path) -> str:
    try:
        return console.read_text("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"{console} cannot be read: {error.strerror}", "name the file with what the program printed") from error
