# SPDX-License-Identifier: BSD-3-Clause
"""What a device tree says of the idle states of a board's CPUs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IdleState:
    """`path` is its node's, `parameter` what CPU_SUSPEND gets for it, `cpus` are the affinities (MPIDR) of those that may enter it.
    What the node does not say is None."""

    path: str
    parameter: int | None
    cpus: tuple[int, ...]
    entry_us: int | None = None
    exit_us: int | None = None
    min_residency_us: int | None = None
    wakeup_us: int | None = None

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class IdleStates:
    """`cpus` are all of the tree."""

    cpus: tuple[int, ...]
    states: tuple[IdleState, ...]
