# SPDX-License-Identifier: BSD-3-Clause
"""The plain, immutable data that every part of latlab speaks of.

A value is a whole number of ticks; `Tick` says what one tick is worth. Nothing here reads, writes or computes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from latlab.model.enums import Clock, Metric, RunStatus

UNNAMED = "unnamed"


@dataclass(frozen=True, slots=True, order=True)
class CoreId:
    """Core identity: the pair (cluster, core), never a row number. Prints as `cluster.core`."""

    cluster: int
    core: int

    def __str__(self) -> str:
        return f"{self.cluster}.{self.core}"


@dataclass(frozen=True, slots=True)
class Topology:
    """Cores of each cluster: `(2, 4)` is Juno's shape. Prints as `2,4`."""

    clusters: tuple[int, ...]

    def __str__(self) -> str:
        return ",".join(map(str, self.clusters))

    @property
    def cores(self) -> tuple[CoreId, ...]:
        return tuple(CoreId(i, j) for i, n in enumerate(self.clusters) for j in range(n))


@dataclass(frozen=True, slots=True)
class Tick:
    """What one tick is: `value` of `unit` (`ns` or `insns`), on `clock`."""

    clock: Clock
    value: float

    @property
    def unit(self) -> str:
        return "insns" if self.clock is Clock.INSTRUCTIONS else "ns"


@dataclass(frozen=True, slots=True)
class Build:
    """The firmware under test: what it calls itself and the hash of its event table (None: not ours)."""

    firmware: str
    events_hash: str | None = None
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TraceRecord:
    """One trace point of one core. `sequence` counts from 0 at cold boot; `event` is a name of the event table."""

    sequence: int
    time_ticks: int
    event: str
    arg: int


@dataclass(frozen=True, slots=True)
class Sample:
    """One span of one core in one iteration, in ticks of the run's clock."""

    test: str
    metric: Metric
    core: CoreId
    boot: int
    iteration: int
    value_ticks: int


@dataclass(frozen=True, slots=True)
class LateWakeup:
    """A wake-up beyond the recorder's threshold, and the periods that passed before the task ran. `cause` is what stole the time: empty
    where nothing that was traced did, None where nothing was traced."""

    wake_ns: int
    late_ticks: int
    missed: int = 0
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class Distribution:
    """The spans of one core, counted: (low, high, n) is n spans of low to below high, rising, and `beyond` those above the last.

    `counts` is empty where only minimum, average and maximum are known. `expected` is how many were due and `missed` how many of these
    passed unmeasured, None where the tool does not say. Two distributions with the same `digest` hold the same spans in the same order.
    """

    test: str
    metric: Metric
    core: CoreId
    counts: tuple[tuple[int, int, int], ...]
    beyond: int
    got: int
    expected: int | None
    missed: int | None
    minimum_ticks: int
    maximum_ticks: int
    average_ticks: float
    resolution_ticks: int = 1
    digest: str = ""
    late: tuple[LateWakeup, ...] = ()
    late_dropped: int = 0


@dataclass(frozen=True, slots=True)
class CoreTrace:
    """The records of one core in one iteration; `lost` counts those that were overwritten before they were read."""

    test: str
    boot: int
    iteration: int
    core: CoreId
    records: tuple[TraceRecord, ...]
    lost: int = 0


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the input that is not as it should be: one sentence and where it stood (`line` from 1, 0 if nowhere)."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Run:
    """One campaign on one target, with everything needed to say what its figures mean.

    `platform` is `UNNAMED` where the source of the figures does not say it.
    """

    campaign: str
    target: str
    platform: str
    topology: Topology
    tick: Tick
    build: Build
    lead: CoreId | None
    status: RunStatus
    samples: tuple[Sample, ...]
    traces: tuple[CoreTrace, ...] = ()
    problems: tuple[Problem, ...] = ()
    capture_cost_ticks: float | None = None
    started_utc: str = ""
    emulator: str = ""
    command: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = field(default=())
    id: str = ""
    distributions: tuple[Distribution, ...] = ()

    @property
    def is_rt(self) -> bool:
        """A run of an rt campaign is kept as raw files; its figures are made of them whenever they are asked for."""
        return self.campaign.startswith("rt")
