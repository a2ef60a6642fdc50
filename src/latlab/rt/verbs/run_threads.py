# SPDX-License-Identifier: BSD-3-Clause
"""The options of `latlab run rt` that follow the user's own threads. Heavy imports wait until they are needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.core.cli.options import BoardOptions, LinuxOptions, is_given, names_of, refuse_given
from latlab.core.cli.output import err, say
from latlab.core.errors import UsageError

if TYPE_CHECKING:
    from latlab.core.store.store import Store
    from latlab.core.targets.linux.machine import Machine
    from latlab.rt.campaign.run_threads import ThreadPlan

COMMAND = "command"
APPLY = ("duration", "load", "threshold")
"""The options of a workload that a run of threads has too."""
BUFFERS_MIB = 1, 1024
CommandArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[-- COMMAND]", help="Start this program and follow all its threads.", show_default=False),
]


@dataclass(frozen=True, slots=True)
class ThreadOptions:
    """Threads of your own, on Linux."""

    threads_of: Annotated[
        list[str] | None,
        typer.Option(metavar="PID|NAME|UNIT", help="Follow the threads of this process, name or systemd unit; repeatable."),
    ] = None
    period: Annotated[str | None, typer.Option(help="The period of their cycles, such as 1ms.", show_default="found in the trace")] = None
    trace_buffer: Annotated[
        int | None, typer.Option(help="MiB of the kernel's trace buffer for each CPU.", show_default="by the memory")
    ] = None


def is_asked(options: ThreadOptions, command: list[str] | None) -> bool:
    """Whether the run follows threads, not latlab's own. Raises UsageError for options that contradict each other."""
    if options.threads_of and command:
        raise UsageError("--threads-of names running threads and a command starts new ones", "give one of the two")
    if options.threads_of or command:
        return True
    for name, value in (("--period", options.period), ("--trace-buffer", options.trace_buffer)):
        if value is not None:
            raise UsageError(f"{name} is for your own threads", "name them with --threads-of, or give a command behind --", value=value)
    return False


def plan_of(
    context: typer.Context, options: ThreadOptions, command: list[str] | None, duration: str, load: str, threshold_us: int
) -> ThreadPlan:
    """Raises UsageError for a value out of its bounds. Without `--load` there is none."""
    from latlab.rt.campaign.run_threads import ThreadPlan
    from latlab.rt.campaign.thread_selecting import selected
    from latlab.rt.campaign.workloads import seconds_of
    from latlab.rt.targets.rt_job import command_of

    low, high = BUFFERS_MIB
    if options.trace_buffer is not None and not low <= options.trace_buffer <= high:
        raise UsageError(f"--trace-buffer {options.trace_buffer} is outside {low} to {high} MiB", value=options.trace_buffer)
    selection = selected((), True, options.period, threshold_us, False)
    assert selection is not None
    return ThreadPlan(
        tuple(options.threads_of or ()),
        tuple(command or ()),
        seconds_of(duration),
        selection.threshold_ns,
        selection.period_ns,
        command_of(load) if is_given(context, "load") else "",
        options.trace_buffer,
    )


def refuse_others(context: typer.Context, of_workload: type, of_guest: type, more: tuple[str, ...]) -> None:
    """Raises UsageError for an option of the measuring programs, which do not run then."""
    of_tools = tuple(name for name in names_of(of_workload) if name not in APPLY)
    refuse_given(context, (*of_tools, *more), "is for latlab's own measuring threads and has no effect on yours; leave it out")
    refuse_given(context, names_of(of_guest), "is for the guest in QEMU; your threads run on Linux, leave it out")


def follow_threads(store: Store, machine: Machine, plan: ThreadPlan, options: LinuxOptions, board: BoardOptions) -> str:
    from latlab.rt.campaign.run_threads import run_threads_linux
    from latlab.rt.pages.measurement_progress import MeasurementProgress

    with MeasurementProgress(err()) as watcher:
        return run_threads_linux(store, machine, plan, say, options.platform, watcher)
