# SPDX-License-Identifier: BSD-3-Clause
"""Runs with call trees made by hand: two builds of a firmware, and a watch."""

from __future__ import annotations

from latlab.core.model.enums import CodePart, Metric
from latlab.core.model.run import CallsOfKind, CoreId, Frame, FunctionShare, Run, Sample, SpanFunctions, Spans, Topology
from support.runs import INSTRUCTIONS, run_with

CORES = (CoreId(0, 0), CoreId(0, 1))
TREE = (
    Frame(0, "smc_entry", 2, 40),
    Frame(1, "psci_smc_handler_with_a_name_that_is_far_too_long_for_any_box", 2, 60),
    Frame(2, "plat_my_core_pos", 4, 8),
    Frame(2, "dcsw_op_all", 2, 4000),
    Frame(2, "memcpy<unsigned>", 2, 12),
    Frame(0, "el3_exit", 2, 80),
)
SLOWER = (*TREE[:3], Frame(2, "dcsw_op_all", 2, 4100), Frame(2, "new_check", 2, 30), Frame(0, "el3_exit", 2, 60))


def run_of(frames: tuple[Frame, ...], calls: int = 2) -> Run:
    """Power-downs of two cores, each made of these frames in so many calls."""
    total = sum(frame.instructions for frame in frames)
    shares = tuple(FunctionShare(frame.name, f"{frame.name}.c:1", frame.instructions) for frame in frames)
    flush = next(frame.instructions for frame in frames if frame.name == "dcsw_op_all")
    parts = ((CodePart.CACHE_FLUSH, flush), (CodePart.OTHER, total - flush))
    kept = tuple(
        SpanFunctions("cpu_off_serial", Metric.POWERDOWN, core, calls, shares, parts, (("dc cisw", flush // 4),), frames) for core in CORES
    )
    samples = tuple(Sample("cpu_off_serial", Metric.POWERDOWN, core, 0, i, total // calls) for core in CORES for i in range(calls))
    return run_with(tick=INSTRUCTIONS, topology=Topology((2,)), contents=Spans(samples, (), kept), id=f"psci-{total:04x}")


KINDS = (
    CallsOfKind(
        "EL1", "call", "CPU_SUSPEND (64)", False, ((2100, 3), (2140, 1)), 4, (("EL3", 2100.0),), (("0.0", 1), ("0.1", 3)), (), TREE
    ),
    CallsOfKind("EL1", "call", "PSCI_VERSION", False, ((96, 98), (205, 2)), 0, (("EL3", 96.0),), (("0.0", 100),)),
    CallsOfKind("S-EL1", "call", "TRNG_RND", True, ((231, 1),), 0, (("EL3", 231.0),), (("0.1", 1),)),
)
