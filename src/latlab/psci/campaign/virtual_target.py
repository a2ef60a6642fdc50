# SPDX-License-Identifier: BSD-3-Clause
"""What `--target virtual:PLATFORM` asks for, checked before anything starts."""

from __future__ import annotations

from latlab.core.errors import UsageError
from latlab.core.model.run import Topology
from latlab.core.readers.dump.frames import parse_topology
from latlab.psci.targets.board import load_board
from latlab.psci.targets.virtual_program import Virtual, find_program


def topology_of(text: str) -> Topology:
    """`2,4`: cores of each cluster."""
    try:
        return parse_topology(text)
    except ValueError as error:
        raise UsageError(f"--topology: {error}") from error


def virtual_of(target: str, topology: str | None, iterations: int) -> Virtual:
    """The program on the platform that the target names. `topology` is None where the platform's own is meant."""
    kind, _, name = target.partition(":")
    if kind != "virtual" or not name:
        raise UsageError(f"--target {target}: it is qemu, labgrid, or virtual:PLATFORM such as virtual:juno", value=target)
    if iterations < 1:
        raise UsageError(f"--iterations {iterations}: a test has at least one", value=iterations)
    board = load_board(name)
    if topology not in (None, str(board.topology)):
        clusters = str(topology_of(topology or "")).replace(",", "+")
        raise UsageError(
            f"--topology {topology}: platform {board.name} has {board.topology}",
            f"add clusters={clusters} to --target instead",
            value=topology,
        )
    return Virtual(find_program(), board, iterations)
