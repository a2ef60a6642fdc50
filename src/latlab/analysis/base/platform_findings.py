# SPDX-License-Identifier: BSD-3-Clause
"""What a run's figures show of a fact of its platform: one type for each kind of statement, its amounts in the run's unit.

Each carries the fact that it rests on, in the words of the catalogue.
"""

from __future__ import annotations

from dataclasses import dataclass

from latlab.model.enums import Metric
from latlab.model.run import CoreId


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact of the platform in words, and the source that states it."""

    what: str
    source: str


@dataclass(frozen=True, slots=True)
class LargerCache:
    """The last man of one cluster flushes for longer than that of another, beyond a core's flush: their cache is larger."""

    clusters: tuple[int, int]
    flushes: tuple[float, float]
    kib: tuple[int, int]
    fact: Stated


@dataclass(frozen=True, slots=True)
class SwitchedOn:
    """Cores that CPU_ON started wake up for longer than after a suspend; `lead` is how much the core that was only suspended differs."""

    cores: tuple[CoreId, ...]
    least: float
    most: float
    lead: float
    suspended_in: str
    fact: Stated


@dataclass(frozen=True, slots=True)
class ClusterStayedOn:
    """Cores come back sooner than in the test where their cluster was off. `beside`: the same of cores whose cluster was on in both."""

    by_cluster: tuple[tuple[int, float], ...]
    beside: float | None
    off_in: str
    fact: Stated


@dataclass(frozen=True, slots=True)
class WarmCaches:
    """The lead, which had been running, calls in less time than the rest of its cluster, which was switched on. Medians of `samples`."""

    lead: CoreId
    call: float
    others: tuple[float, float]
    samples: int
    fact: Stated


@dataclass(frozen=True, slots=True)
class FirstCaller:
    """One core's call takes much longer than that of every other of its cluster. Medians of `samples`."""

    core: CoreId
    call: float
    others: float
    samples: int
    fact: Stated


@dataclass(frozen=True, slots=True)
class FasterCores:
    """Every core of the cluster with the higher clock takes less time: the most of it and the least of the other, by metric."""

    clusters: tuple[int, int]
    spans: tuple[tuple[Metric, float, float], ...]
    fact: Stated


PlatformFinding = LargerCache | SwitchedOn | ClusterStayedOn | WarmCaches | FirstCaller | FasterCores
