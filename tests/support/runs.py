# SPDX-License-Identifier: BSD-3-Clause
"""The one builder of runs: every test that needs a run made of data says what matters to it and takes the rest from here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.distributions import Distribution, WakeupCounts
from latlab.core.model.enums import Clock, RunStatus
from latlab.core.model.run import Build, CoreId, CoreTrace, Run, Sample, Spans, Tick, Topology

JUNO = Topology((2, 4))
ONE_CORE = Topology((1,))
INSTRUCTIONS = Tick(Clock.INSTRUCTIONS, 1.0)
NANOSECONDS = Tick(Clock.TIME, 1.0)

_RUN = Run(
    campaign="psci",
    target="synthetic",
    platform="model",
    topology=JUNO,
    tick=NANOSECONDS,
    build=Build("model"),
    lead=None,
    status=RunStatus.COMPLETE,
    contents=Spans(),
)


def run_with(**changes: Any) -> Run:
    """A complete run of six cores in ns that holds nothing, with these fields of its own."""
    return changed(_RUN, **changes)


def changed(
    run: Run,
    *,
    samples: Iterable[Sample] | None = None,
    traces: Iterable[CoreTrace] | None = None,
    distributions: Iterable[Distribution] | None = None,
    **more: Any,
) -> Run:
    """The run with other contents, and with these fields of its own."""
    if distributions is not None:
        return replace(run, contents=WakeupCounts(tuple(distributions)), **more)
    if samples is None and traces is None:
        return replace(run, **more)
    spans = Spans(run.samples if samples is None else tuple(samples), run.traces if traces is None else tuple(traces))
    return replace(run, contents=spans, **more)


def unfinished_run() -> Run:
    """A run as it is when it begins: described in every field, with no samples yet."""
    return run_with(
        target="qemu",
        platform="qemu_virt",
        topology=Topology((1, 2)),
        tick=INSTRUCTIONS,
        build=Build("fw 1.0", "0123456789abcdef", (("trace", "1"),)),
        lead=CoreId(1, 0),
        status=RunStatus.PARTIAL,
        capture_cost_ticks=7.125,
        started_utc="2026-01-01T00:00:00Z",
        emulator="QEMU 10.0.2",
        command=("qemu", "-M", "virt"),
        conditions=Conditions(mode=Mode.DETERMINISTIC),
        facts=(("el", "1"),),
    )
