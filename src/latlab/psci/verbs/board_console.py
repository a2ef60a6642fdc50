# SPDX-License-Identifier: BSD-3-Clause
"""The console of a board of labgrid as the target of the psci campaign. Heavy imports wait until they are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from latlab.core.cli.options import BoardOptions
from latlab.core.cli.output import err

if TYPE_CHECKING:
    from latlab.core.store.store import Store
    from latlab.core.targets.process.console import Limits
    from latlab.psci.campaign.recording import Recorded


def record_console_of(board: BoardOptions, store: Store, limits: Limits) -> Recorded:
    """Follow the board's console from before it is switched on."""
    from latlab.core.cli.interrupt import Interrupts
    from latlab.core.report.progress import RunProgress
    from latlab.core.targets.linux.labgrid_board import opened, prepare
    from latlab.psci.campaign.measure import run_psci_console
    from latlab.psci.targets.labgrid_console import LabgridConsole

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
