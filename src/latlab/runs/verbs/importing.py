# SPDX-License-Identifier: BSD-3-Clause
"""`latlab import`: a file from elsewhere as a run. Heavy imports wait until they are needed."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from latlab.core.cli.options import Format, StoreOption, TablesFormat
from latlab.core.cli.output import say

OF_THREADS = "Threads of a trace of the kernel"


class ClockName(StrEnum):
    TIME = "time"
    INSTRUCTIONS = "instructions"


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("import")(import_)


def import_(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Console logs, outputs of rt-tests, rtla, Zephyr and others, exports of latlab, FILE.rst#RELEASE.",
        ),
    ],
    tool: Annotated[
        str | None,
        typer.Option("--as", help="The tool that wrote it, or its shape: histogram, samples or console.", show_default="as the file says"),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(help="Unit of its figures: ns, us, ms, s, or 64MHz for cycles of a clock.", show_default="as the file says"),
    ] = None,
    column: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Column of the samples, or of buckets, then of their counts; repeatable.")
    ] = None,
    topology: Annotated[str | None, typer.Option(help="Cores of each cluster, if a console log lacks it.")] = None,
    clock: Annotated[
        ClockName | None, typer.Option(help="Unit of the target's counter, if a console log lacks it.", show_default="time")
    ] = None,
    core_mhz: Annotated[float | None, typer.Option(help="The core's frequency, for a log of tf-m-tools' profiler.")] = None,
    duration: Annotated[str | None, typer.Option(help="Duration of a tool's run, to compute missed wake-ups.")] = None,
    interval: Annotated[int | None, typer.Option(help="Microseconds between two wake-ups, to compute missed ones.")] = None,
    platform: Annotated[str | None, typer.Option(help="Name of the board.")] = None,
    firmware: Annotated[str | None, typer.Option(help="Name of the firmware; runs of one firmware give its scatter.")] = None,
    thread: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME|PID", help="A thread of a trace, by name or number; repeatable.", rich_help_panel=OF_THREADS),
    ] = None,
    all_rt: Annotated[bool, typer.Option("--all-rt", help="Every thread with a real-time priority.", rich_help_panel=OF_THREADS)] = False,
    period: Annotated[
        str | None, typer.Option(help="Period of their cycles, such as 1ms.", show_default="as found", rich_help_panel=OF_THREADS)
    ] = None,
    threshold: Annotated[
        int | None,
        typer.Option(help="Microseconds from which on a wake-up gets a cause.", show_default="100", rich_help_panel=OF_THREADS),
    ] = None,
    bare_metal: Annotated[
        bool, typer.Option("--bare-metal", help="The trace is of a machine without a hypervisor.", rich_help_panel=OF_THREADS)
    ] = False,
    store: StoreOption = None,
    format: TablesFormat = Format.TABLE,
) -> None:
    """Import files from elsewhere as runs.

    Each is the console log of a board, the output of another tool, an export of latlab, or a document with tables. Each release of a
    document is a run. The contents decide which it is. With --thread or
    --all-rt it is a trace of the kernel: trace-cmd's or perf's file or text, or Perfetto's.
    """
    from latlab.core.cli.stores import open_store
    from latlab.core.model.enums import Clock
    from latlab.psci.campaign.virtual_target import topology_of
    from latlab.psci.verbs import run_psci as psci
    from latlab.rt.campaign.thread_selecting import selected
    from latlab.rt.verbs import run_rt as rt
    from latlab.runs.campaign.importing_file import StatedOptions, import_reference

    shape = None if topology is None else topology_of(topology)
    threads = selected(thread or [], all_rt, period, threshold, bare_metal)
    columns = tuple(column) if column else None
    counter = Clock(clock.value) if clock else None
    stated = StatedOptions(tool, unit, columns, shape, counter, core_mhz, duration, interval, platform, firmware, threads)
    opened = open_store(store)
    if threads is not None:
        say(f"reading {', '.join(files)} for its threads; a trace of 100 MB takes minutes on a slow machine")
    runs = [recorded for file in files for recorded in import_reference(opened, file, stated)]
    for recorded in runs:
        if isinstance(recorded, str):
            rt.conclude(opened, recorded, format)
        else:
            psci.conclude(opened, recorded, format)
