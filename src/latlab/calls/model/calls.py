# SPDX-License-Identifier: BSD-3-Clause
"""Calls into the firmware and functions of the kernel, as spans of one CPU."""

from __future__ import annotations

from dataclasses import dataclass

WHOLE_TRACE = "all of the trace"
"""The name of a span that is a trace without a world switch."""
TRACED_PART = "what was traced"
"""Of a trace without a world switch in which something is missing: it has functions, and no figure."""
TRACE_CAMPAIGN = "trace"


@dataclass(frozen=True, slots=True)
class Call:
    """An SMC on a CPU, on the system counter. `function` is its id."""

    cpu: int
    function: int
    in_ticks: int
    out_ticks: int


@dataclass(frozen=True, slots=True)
class KernelSpan:
    """A kernel function on a CPU, on CLOCK_MONOTONIC; `callers` from the inside out, where a stack was taken."""

    cpu: int
    name: str
    task: str
    in_ns: int
    out_ns: int
    callers: tuple[str, ...] = ()
