# SPDX-License-Identifier: BSD-3-Clause
"""The idle states of a board's CPUs, as a device tree states them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IdleState:
    """`path` is the path of the node, `parameter` the argument of CPU_SUSPEND, `cpus` the affinities (MPIDR) of the CPUs that may enter
    the state. A property that the node does not have is None."""

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
    """The idle states of a device tree; `cpus` are all CPUs of the tree."""

    cpus: tuple[int, ...]
    states: tuple[IdleState, ...]
