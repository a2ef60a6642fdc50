# SPDX-License-Identifier: BSD-3-Clause
"""The options that name a board of labgrid, and the campaigns that use one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from latlab.campaigns.recording import Recorded
    from latlab.model.run import Run
    from latlab.targets.linux.machine import Machine

ConfigOption = Annotated[Path | None, typer.Option(envvar="LG_ENV", help="For labgrid: the environment's configuration.")]
TargetNameOption = Annotated[str, typer.Option(help="For labgrid: the target in the environment.")]
StateOption = Annotated[str | None, typer.Option(help="For labgrid: the strategy's state to go to first, such as shell.")]
PowerCycleOption = Annotated[bool, typer.Option("--power-cycle", help="For labgrid: switch the board off and on first.")]


@contextmanager
def labgrid_machine(config: Path | None, name: str, state: str | None, power_cycle: bool) -> Iterator[Machine]:
    """The board, brought to where it can be used, until the end of the measurement."""
    from latlab.targets.linux.labgrid_board import LabgridBoard, opened, prepare

    with opened(config, name) as target:
        prepare(target, state, power_cycle)
        yield LabgridBoard(target)


def run_console(
    store: str | None, shown: Console, config: Path | None, name: str, state: str | None, power_cycle: bool, timeout: float, silence: float
) -> tuple[Recorded, Run]:
    """Follow the board's console from before it is switched on; the run, stored."""
    from latlab.campaigns.psci import run_psci_console
    from latlab.cli.interrupt import Interrupts
    from latlab.report.progress import RunProgress
    from latlab.store.store import open_store
    from latlab.targets.linux.labgrid_board import opened, prepare
    from latlab.targets.linux.labgrid_console import LabgridConsole
    from latlab.targets.qemu.console import Limits

    kept = open_store(store)
    with (
        opened(config, name) as target,
        Interrupts() as interrupts,
        RunProgress(shown, f"the console of labgrid target {name!r}", None) as progress,
    ):
        console = LabgridConsole(target, Limits(timeout, silence), interrupts.asked)
        console.open()
        prepare(target, state, power_cycle)
        recorded = run_psci_console(kept, console, f"labgrid:{name}", name, progress)
    return recorded, kept.load(recorded.run_id)
