# SPDX-License-Identifier: BSD-3-Clause
"""The psci core in virtual time as a target: finding the program, running it, and reading the spans it prints."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from latlab.calls.analysis.marked import TESTS
from latlab.core.errors import DataError, UsageError
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.core.readers.dump.rt_instr import read_figures
from latlab.core.targets.process.children import dies_with_parent
from latlab.core.targets.qemu.images import search_folders
from latlab.core.targets.tools import how_to_make, not_built, refuse_stale
from latlab.psci.targets.board import Board, board_text

PROGRAM = "latlab_virtual"
TIMEOUT_S = 600

Orders = Mapping[str, Sequence[CoreId]]
SpanKey = tuple[str, Metric, CoreId]


@dataclass(frozen=True, slots=True)
class Virtual:
    """A program and the board that it simulates."""

    program: Path
    board: Board
    iterations: int = 20

    @property
    def command(self) -> tuple[str, ...]:
        return (str(self.program), "-", str(self.iterations), "all", "dump")


def find_program(path: Path | None = None) -> Path:
    """The program that the user names, of a checkout's build folder, or of the package."""
    candidates = (path,) if path else tuple(base / sub / PROGRAM for base in search_folders() for sub in ("virtual", "host", "."))
    for candidate in candidates:
        if candidate.is_file():
            refuse_stale(candidate, "virtual")
            return candidate
    missing = f"{PROGRAM} does not exist (searched {', '.join(map(str, candidates))})"
    raise UsageError(missing, how_to_make("virtual")) if path else not_built(missing, "virtual")


def facts(board: Board) -> tuple[tuple[str, str], ...]:
    """What a report must say about a board: its choices and every cost."""
    choices = (("lock", board.lock), ("lock_scope", board.lock_scope), ("channel", board.channel))
    return (*choices, *((name, str(value)) for name, value in board.costs.items()))


def run_program(program: Path, board: Board, arguments: Sequence[str], orders: Orders | None = None) -> bytes:
    """What the program prints. Raises DataError with the program's own sentence if a rule of the machine was broken."""
    text = board_text(board, {TESTS.index(test): order for test, order in (orders or {}).items()})
    try:
        done = subprocess.run(
            [str(program), "-", *arguments],
            input=text.encode(),
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
            preexec_fn=dies_with_parent(),
        )
    except subprocess.TimeoutExpired as error:
        raise DataError(f"{program.name} still runs after {TIMEOUT_S} s", "ask for fewer iterations or cores") from error
    except OSError as error:
        raise UsageError(f"{program} does not start ({error})", "build it again") from error
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
        raise DataError(f"{program.name} stopped on platform {board.name}: {reason}")
    return done.stdout


def spans_of(program: Path, board: Board, orders: Orders | None = None, test: str | None = None) -> dict[SpanKey, float]:
    """The spans of one iteration of one test, or of all tests, in nanoseconds."""
    printed = run_program(program, board, ("1", "all" if test is None else str(TESTS.index(test)), "spans"), orders)
    placed_figures, problems = read_figures(printed.decode().splitlines(), board.topology)
    if problems or not placed_figures:
        raise DataError(f"{program.name} printed no figures: {problems[0].message if problems else 'nothing'}")
    return {
        (placed.figures.test, metric, placed.figures.core): float(value)
        for placed in placed_figures
        for metric, value in placed.figures.values_ns
    }
