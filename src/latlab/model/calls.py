# SPDX-License-Identifier: BSD-3-Clause
"""Calls into the firmware and functions of the kernel, as spans of one CPU."""

from __future__ import annotations

from dataclasses import dataclass

NAMES = {
    0x84000050: "TRNG_VERSION",
    0x84000051: "TRNG_FEATURES",
    0x84000053: "TRNG_RND",
    0xC4000053: "TRNG_RND",
    0x84000001: "CPU_SUSPEND",
    0xC4000001: "CPU_SUSPEND",
    0x84000002: "CPU_OFF",
    0xC4000003: "CPU_ON",
    0xC4000004: "AFFINITY_INFO",
    0xC400000E: "SYSTEM_SUSPEND",
}


@dataclass(frozen=True, slots=True)
class Call:
    """An SMC on a CPU, on the system counter. `function` is its id."""

    cpu: int
    function: int
    in_ticks: int
    out_ticks: int

    @property
    def name(self) -> str:
        return NAMES.get(self.function, f"SMC {self.function:#010x}")


@dataclass(frozen=True, slots=True)
class KernelSpan:
    """A kernel function on a CPU, on CLOCK_MONOTONIC; `callers` from the inside out, where a stack was taken."""

    cpu: int
    name: str
    task: str
    in_ns: int
    out_ns: int
    callers: tuple[str, ...] = ()
