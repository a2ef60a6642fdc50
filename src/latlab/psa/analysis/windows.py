# SPDX-License-Identifier: BSD-3-Clause
"""The psa campaign: what a call costs, and for how long it keeps a non-secure interrupt waiting, window by window."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from latlab.core.model.run import CoreTrace, Run, TraceRecord
from latlab.core.model.symbols import Symbols
from latlab.psci.analysis.psa_samples import NS_INTERRUPT, latency_ticks

ADDRESS_MASK = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a call in which an interrupt has to wait: where it begins, how long the wait is there, and where it ended."""

    test: str
    from_ticks: int
    latency_ticks: int
    function: str


def windows(run: Run, symbols: Symbols) -> tuple[Window, ...]:
    """Every blocked window of every sweep: it begins where the wait grows."""
    found_windows = []
    for test, records in _sweeps(run.traces):
        previous = 0
        for record in records:
            latency = latency_ticks(record)
            if latency > previous:
                found_windows.append(Window(test, record.time_ticks, latency, symbols.name(record.arg & ADDRESS_MASK)))
            previous = latency
    return tuple(found_windows)


def sweep_points(run: Run) -> tuple[tuple[str, int, int], ...]:
    """The sweeps as (test, due, latency), in ticks, ready to be drawn."""
    return tuple((test, record.time_ticks, latency_ticks(record)) for test, records in _sweeps(run.traces) for record in records)


def _sweeps(traces: Iterable[CoreTrace]) -> Iterable[tuple[str, Sequence[TraceRecord]]]:
    by_test: dict[str, list[TraceRecord]] = {}
    for trace in traces:
        records = [record for record in trace.records if record.event == NS_INTERRUPT]
        if records:
            by_test.setdefault(trace.test, []).extend(records)
    return by_test.items()
