# SPDX-License-Identifier: BSD-3-Clause
"""Prints how many power-downs a second the virtual-time platform does on one core, by the processor time of the program."""

from __future__ import annotations

import resource
import subprocess
from pathlib import Path

from rich.console import Console
from rich.table import Table

from latlab.calls.analysis.marked import TESTS
from latlab.psci.targets.board import board_text, load_board
from latlab.psci.targets.virtual_program import find_program
from latlab.virtual.campaign.whatif import Design, board_of

DESIGN = Design("ticket", "coordination", "per-core")
POWERDOWNS = 400_000
POWERDOWNS_A_CORE = 2  # of one iteration: the suspend under test, and the CPU_OFF after it
CLUSTER = 4
GOAL_A_SECOND = 500_000
GOAL_GROWTH = 2.0


def seconds(program: Path, cores: int) -> tuple[int, float]:
    """Power-downs and the user time they took."""
    text = board_text(board_of(load_board("juno"), DESIGN, cores, CLUSTER))
    iterations = max(1, POWERDOWNS // (POWERDOWNS_A_CORE * cores))
    command = [str(program), "-", str(iterations), str(TESTS.index("susp_deep_parallel")), "nothing"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return int(done.stdout.split()[0]), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main() -> None:
    program = find_program()
    table = Table(title=f"Virtual time, {DESIGN}, deep parallel test", title_justify="left")
    for column in ("cores", "power-downs a second", "relative cost of one", "goal"):
        table.add_column(column, justify="right")
    small = None
    for cores in (8, 64, 1024):
        count, took = seconds(program, cores)
        small = small or took / count
        growth = took / count / small
        met = count / took >= GOAL_A_SECOND if cores == 8 else growth <= GOAL_GROWTH
        goal = f"≥ {GOAL_A_SECOND:,}" if cores == 8 else f"≤ {GOAL_GROWTH}"
        table.add_row(str(cores), f"{count / took:,.0f}", f"{growth:.2f}", f"{goal}: {'met' if met else 'missed'}")
    Console(width=100).print(table)


main()
