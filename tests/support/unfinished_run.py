# SPDX-License-Identifier: BSD-3-Clause
"""A run as it is when it begins: described, with no samples yet."""

from latlab.model.enums import Clock, RunStatus
from latlab.model.run import Build, CoreId, Run, Tick, Topology

RUN = Run(
    campaign="psci",
    target="qemu",
    platform="qemu_virt",
    topology=Topology((1, 2)),
    tick=Tick(Clock.INSTRUCTIONS, 1.0),
    build=Build("fw 1.0", "0123456789abcdef", (("trace", "1"),)),
    lead=CoreId(1, 0),
    status=RunStatus.PARTIAL,
    samples=(),
    capture_cost_ticks=7.125,
    started_utc="2026-01-01T00:00:00Z",
    emulator="QEMU 10.0.2",
    command=("qemu", "-M", "virt"),
    facts=(("mode", "deterministic"), ("el", "1")),
)
