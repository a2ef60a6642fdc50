# SPDX-License-Identifier: BSD-3-Clause
"""Boards of labgrid, for the campaigns that use one. Heavy imports wait until they are needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from latlab.core.cli.options import BoardOptions

if TYPE_CHECKING:
    from latlab.core.targets.linux.machine import Machine


@contextmanager
def machine_on(board: BoardOptions) -> Iterator[Machine]:
    """The board, brought to where it can be used, until the end of the measurement."""
    from latlab.core.targets.linux.labgrid_board import LabgridBoard, opened, prepare
    from latlab.core.targets.linux.machine import REACH_AGAIN_S, wait_until_up

    with opened(board.config, board.target_name) as target:
        prepare(target, board.state, board.power_cycle)
        config = str(board.config.absolute()) if board.config else ""
        machine = LabgridBoard(target, config=config, may_restart=board.power_cycle, state=board.state)
        if board.power_cycle:
            wait_until_up(machine, REACH_AGAIN_S)
        yield machine
