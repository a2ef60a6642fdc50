# SPDX-License-Identifier: BSD-3-Clause
"""Boards of labgrid, for the campaigns that use one. Heavy imports wait until they are needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from latlab.cli.options import BoardOptions
from latlab.cli.output import err

if TYPE_CHECKING:
    from latlab.campaigns.recording import Recorded
    from latlab.store.store import Store
    from latlab.targets.linux.machine import Machine
    from latlab.targets.process.console import Limits


@contextmanager
def machine_on(board: BoardOptions) -> Iterator[Machine]:
    """The board, brought to where it can be used, until the end of the measurement."""
    from latlab.targets.linux.labgrid_board import LabgridBoard, opened, prepare
    from latlab.targets.linux.machine import REACH_AGAIN_S, wait_until_up

    with opened(board.config, board.target_name) as target:
        prepare(target, board.state, board.power_cycle)
        config = str(board.config.absolute()) if board.config else ""
        machine = LabgridBoard(target, config=config, may_restart=board.power_cycle, state=board.state)
        if board.power_cycle:
            wait_until_up(machine, REACH_AGAIN_S)
        yield machine


def record_console_of(board: BoardOptions, store: Store, limits: Limits) -> Recorded:
    """Follow the board's console from before it is switched on."""
    from latlab.campaigns.psci import run_psci_console
    from latlab.cli.interrupt import Interrupts
    from latlab.report.progress import RunProgress
    from latlab.targets.linux.labgrid_board import opened, prepare
    from latlab.targets.linux.labgrid_console import LabgridConsole

    name = board.target_name
    with (
        opened(board.config, name) as target,
        Interrupts() as interrupts,
        RunProgress(err(), f"the console of labgrid target {name!r}", None) as progress,
    ):
        console = LabgridConsole(target, limits, interrupts.asked)
        console.open()
        prepare(target, board.state, board.power_cycle)
        return run_psci_console(store, console, f"labgrid:{name}", name, progress)
