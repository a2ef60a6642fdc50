# SPDX-License-Identifier: BSD-3-Clause
"""What two deterministic runs have in common on any host: every step of every call, from its entry to sleep and from there to its end.

The moment at which a call begins or a core wakes up is not: QEMU's main loop serves timers when the host lets it. Neither is how long
cores that run at once wait for each other, so parallel tests are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from latlab.core.model.run import CoreTrace, Sample
from latlab.core.readers.dump.dump import collect_dump
from latlab.core.readers.event_table import event_table

Steps = tuple[str, int, str, tuple[tuple[str, int, int], ...]]
WAKES = "EXIT_HW_LOW_PWR"


def steps(traces: Iterable[CoreTrace]) -> list[Steps]:
    """Each call's events: name, ticks since the call or the wake-up before it, argument."""
    return [(trace.test, trace.iteration, str(trace.core), tuple(_since_start(trace))) for trace in traces if not _is_parallel(trace)]


def one_by_one(samples: Iterable[Sample]) -> list[Sample]:
    """Those of tests in which one core runs at a time."""
    return [sample for sample in samples if not _is_parallel(sample)]


def _is_parallel(one: CoreTrace | Sample) -> bool:
    return one.test.endswith("_parallel")


def _since_start(trace: CoreTrace) -> Iterator[tuple[str, int, int]]:
    start = trace.records[0].time_ticks
    for record in trace.records:
        if record.event == WAKES:
            start = record.time_ticks
        yield record.event, record.time_ticks - start, record.arg


def printed_steps(console: str) -> list[Steps]:
    dump = collect_dump(console.splitlines(), event_table())
    assert not dump.problems
    return [step for iteration in dump.iterations for step in steps(iteration.traces)]
