# SPDX-License-Identifier: BSD-3-Clause
"""Trace records to spans, in whole ticks. Which two events make a metric is said here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreTrace, Sample, TraceRecord
from latlab.psci.analysis.psa_samples import psa_samples

METRIC_EVENTS = {
    Metric.POWERDOWN: ("ENTER_PSCI", "ENTER_HW_LOW_PWR"),
    Metric.WAKEUP: ("EXIT_HW_LOW_PWR", "EXIT_PSCI"),
    Metric.CACHE_FLUSH: ("ENTER_CFLUSH", "EXIT_CFLUSH"),
    Metric.PSCI_CALL: ("ENTER_PSCI", "EXIT_PSCI"),
}
LONGEST_TICKS = 2**62
POWER_METRICS = (Metric.POWERDOWN, Metric.WAKEUP, Metric.CACHE_FLUSH)

PSCI_VERSION = frozenset({0x84000000})
CPU_SUSPEND = frozenset({0x84000001, 0xC4000001})
CPU_OFF = frozenset({0x84000002})
TESTED_CALLS: Mapping[str, frozenset[int]] = {
    "susp_deep_parallel": CPU_SUSPEND,
    "susp_deep_serial": CPU_SUSPEND,
    "cpu_susp_parallel": CPU_SUSPEND,
    "cpu_susp_serial": CPU_SUSPEND,
    "cpu_off_serial": CPU_OFF | CPU_SUSPEND,
    "psci_version_parallel": PSCI_VERSION,
}


class SpanError(Exception):
    """One sentence on why a core's records do not make the spans of the test."""


def measured_call(trace: CoreTrace) -> tuple[TraceRecord, ...]:
    """The records of the last complete call that the test is about, from its ENTER_PSCI to its EXIT_PSCI.

    Other calls of the iteration (the lead's CPU_ON, a query) are passed over. Raises SpanError where there is none, or where
    the records are not in the order that a call has.
    """
    _check_order(trace)
    tested_calls = TESTED_CALLS.get(trace.test)
    calls = [call for call in _complete_calls(trace.records) if tested_calls is None or call[0].arg in tested_calls]
    if not calls:
        raise SpanError(f"core {trace.core} has no complete call of {trace.test} in its {len(trace.records)} records")
    _check_call(trace, calls[-1])
    return calls[-1]


def core_samples(trace: CoreTrace) -> tuple[Sample, ...]:
    """The samples of one core in one iteration: the three power metrics, or the call where nothing powered down, or what PSA gives."""
    psa = psa_samples(trace)
    if psa:
        _check_order(trace)
        return psa
    call = measured_call(trace)
    metrics = POWER_METRICS if any(record.event == "ENTER_HW_LOW_PWR" for record in call) else (Metric.PSCI_CALL,)
    if metrics == (Metric.PSCI_CALL,) and trace.test in TESTED_CALLS and not TESTED_CALLS[trace.test] & PSCI_VERSION:
        raise SpanError(f"core {trace.core} returned from its call of {trace.test} without powering down")
    return tuple(Sample(trace.test, m, trace.core, trace.boot, trace.iteration, span_ticks(call, m)) for m in metrics if _has(call, m))


def samples_of(traces: Iterable[CoreTrace]) -> tuple[Sample, ...]:
    """The samples of all cores of an iteration. Raises SpanError for the first core that has none."""
    return tuple(sample for trace in traces for sample in core_samples(trace))


def span_records(call: tuple[TraceRecord, ...], metric: Metric) -> tuple[TraceRecord, ...]:
    """The records of the metric, both ends included; of two cache flushes in one call the last, as the PMF view has it."""
    first_event, last_event = METRIC_EVENTS[metric]
    last = max(index for index, record in enumerate(call) if record.event == last_event)
    first = max(index for index, record in enumerate(call[:last]) if record.event == first_event)
    return call[first : last + 1]


def span_ticks(call: tuple[TraceRecord, ...], metric: Metric) -> int:
    records = span_records(call, metric)
    return records[-1].time_ticks - records[0].time_ticks


def _has(call: tuple[TraceRecord, ...], metric: Metric) -> bool:
    events = {record.event for record in call}
    return events.issuperset(METRIC_EVENTS[metric])


def _complete_calls(records: tuple[TraceRecord, ...]) -> list[tuple[TraceRecord, ...]]:
    """From each ENTER_PSCI to the next EXIT_PSCI, unless another ENTER_PSCI comes first."""
    calls = []
    start: int | None = None
    for index, record in enumerate(records):
        if record.event == "ENTER_PSCI":
            start = index
        elif record.event == "EXIT_PSCI" and start is not None:
            calls.append(records[start : index + 1])
            start = None
    return calls


def _check_order(trace: CoreTrace) -> None:
    for before, after in zip(trace.records, trace.records[1:], strict=False):
        if after.sequence != before.sequence + 1:
            raise SpanError(f"core {trace.core}: record {before.sequence} is followed by {after.sequence}")
        if after.time_ticks < before.time_ticks:
            raise SpanError(
                f"core {trace.core}: time runs backwards from {before.event} at {before.time_ticks} to {after.event} at {after.time_ticks}"
            )
    if trace.records and trace.records[-1].time_ticks - trace.records[0].time_ticks > LONGEST_TICKS:
        raise SpanError(f"core {trace.core}: its records span more than {LONGEST_TICKS} ticks, which no counter does")


def _check_call(trace: CoreTrace, call: tuple[TraceRecord, ...]) -> None:
    """Low power is entered once and then left; every flush that begins ends."""
    events = [record.event for record in call]
    low_power = [event for event in events if event in ("ENTER_HW_LOW_PWR", "EXIT_HW_LOW_PWR")]
    if low_power not in ([], ["ENTER_HW_LOW_PWR", "EXIT_HW_LOW_PWR"]):
        raise SpanError(f"core {trace.core}: a call has {' '.join(low_power)} instead of ENTER_HW_LOW_PWR EXIT_HW_LOW_PWR")
    flushes = [event for event in events if event in ("ENTER_CFLUSH", "EXIT_CFLUSH")]
    if flushes != ["ENTER_CFLUSH", "EXIT_CFLUSH"] * (len(flushes) // 2):
        raise SpanError(f"core {trace.core}: a call has {' '.join(flushes)}, which are not pairs")
