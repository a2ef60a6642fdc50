# SPDX-License-Identifier: BSD-3-Clause
"""The samples of PSA iterations, out of their trace records."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreTrace, Sample, TraceRecord

CHECKPOINT = "CHECKPOINT"
NS_INTERRUPT = "NS_INTERRUPT"
TYPE_BEGIN = 1
TYPE_END = 2


def psa_samples(trace: CoreTrace) -> tuple[Sample, ...]:
    """One sample of a PSA iteration; none where the records are not of that campaign."""
    value = _call_ticks(trace.records)
    if value is not None:
        return (Sample(trace.test, Metric.PSA_CALL, trace.core, trace.boot, trace.iteration, value),)
    latencies = [latency_ticks(record) for record in trace.records if record.event == NS_INTERRUPT]
    if latencies:
        return (Sample(trace.test, Metric.IRQ_LATENCY, trace.core, trace.boot, trace.iteration, max(latencies)),)
    return ()


def latency_ticks(record: TraceRecord) -> int:
    """How long after its due time the interrupt's handler ran."""
    return record.arg >> 32


def _call_ticks(records: Sequence[TraceRecord]) -> int | None:
    begin = next((record for record in records if record.event == CHECKPOINT and record.arg >> 32 == TYPE_BEGIN), None)
    end = next((record for record in records if record.event == CHECKPOINT and record.arg >> 32 == TYPE_END), None)
    return None if begin is None or end is None else end.time_ticks - begin.time_ticks
