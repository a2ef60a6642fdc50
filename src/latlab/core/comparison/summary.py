# SPDX-License-Identifier: BSD-3-Clause
"""Samples as one row for each (test, metric, core): n, minimum, median, maximum."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import CoreId, Run, Sample

ALONE = "psci_version_parallel"


class Mark(StrEnum):
    """Why the figures of a test do not mean what they seem to, in few words."""

    TURNS = "cores took turns"
    NOISE = "not a latency"


SENTENCES = {
    Mark.TURNS: "Cores take turns under the instruction clock, so parallel tests show no contention. Measure contention on a board or in "
    "virtual time. Spans of the firmware's own trace include the turns of other cores; spans of the probe include a core's waiting loops.",
    Mark.NOISE: "The cores ran as threads of the emulator. These figures show that the firmware works, and are no latencies. Do not "
    "publish them.",
}


@dataclass(frozen=True, slots=True)
class CoreSummary:
    """Values in ticks of the run's clock; `mark` is the reason why the figures do not mean what they seem to."""

    test: str
    metric: Metric
    core: CoreId
    n: int
    minimum: int
    median: float
    maximum: int
    mark: Mark | None = None


def summarise(run: Run) -> tuple[CoreSummary, ...]:
    """Rows in the order of the samples' first appearance of a test, then metric, then core."""
    groups: dict[tuple[str, Metric, CoreId], list[int]] = {}
    for sample in run.samples:
        groups.setdefault((sample.test, sample.metric, sample.core), []).append(sample.value_ticks)
    tests = ordered_tests(run.samples)
    metrics = list(Metric)
    keys = sorted(groups, key=lambda key: (tests.index(key[0]), metrics.index(key[1]), key[2]))
    return tuple(_row(run, key, groups[key]) for key in keys)


def ordered_tests(samples: Iterable[Sample]) -> list[str]:
    """The tests in the order in which they ran."""
    return list(dict.fromkeys(sample.test for sample in samples))


def mark_of(run: Run, test: str) -> Mark | None:
    if is_noise(run):
        return Mark.NOISE
    return Mark.TURNS if takes_turns(run, test) else None


def lacks_waits(run: Run, test: str, metric: Metric) -> bool:
    """Whether the model has the waits of these spans on other cores than a board. A core that wakes in the deep parallel test waits for
    those that go down, and no table says when each was woken."""
    return run.tick.clock is Clock.VIRTUAL and metric is Metric.WAKEUP and test == "susp_deep_parallel"


def takes_turns(run: Run, test: str) -> bool:
    """Whether the test's spans contain the turns of other cores. The probe, the only source of functions, counts each core's own
    instructions, and a call of this kind waits for nobody. In other parallel tests a core may spin for a lock that another core holds
    during its turn."""
    if run.tick.clock is not Clock.INSTRUCTIONS or not test.endswith("_parallel") or len(run.topology.cores) == 1:
        return False
    if run.target == "trace":  # of a machine whose cores may run at once
        return False
    return not (run.functions and test == ALONE)


def follows_order(run: Run, metric: Metric) -> bool:
    """Whether spans of this metric may depend on the order in which the emulator runs the cores, which differs between runs: its loop
    may serve a due timer between the turns of two cores. Calls are counted while all cores run; other spans have the lead's order."""
    return run.tick.clock is Clock.INSTRUCTIONS and metric is Metric.CALL and len(run.topology.cores) > 1


def is_noise(run: Run) -> bool:
    """Whether the figures are noise: multi-threaded emulation counts the host's time, not the target's."""
    return run.conditions.mode is Mode.MULTI_THREAD


def _row(run: Run, key: tuple[str, Metric, CoreId], values: list[int]) -> CoreSummary:
    test, metric, core = key
    return CoreSummary(test, metric, core, len(values), min(values), median(values), max(values), mark_of(run, test))
