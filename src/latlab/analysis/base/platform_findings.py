# SPDX-License-Identifier: BSD-3-Clause
"""Findings that rest on a fact of the platform: one type for each kind of statement, amounts in the run's unit.

Each has the fact that it rests on, in the words of the catalogue.
"""

from __future__ import annotations

from dataclasses import dataclass

from latlab.model.enums import Metric
from latlab.model.run import CoreId


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact of the platform in words, and the source that states it."""

    what: str
    source: str


@dataclass(frozen=True, slots=True)
class LargerCache:
    """The last core down of one cluster flushes longer than that of another, beyond the flush of a core: its cache is larger."""

    clusters: tuple[int, int]
    flushes: tuple[float, float]
    kib: tuple[int, int]
    fact: StatedFact


@dataclass(frozen=True, slots=True)
class SwitchedOn:
    """Cores that CPU_ON started take longer to wake up than after a suspend; `lead` is the difference of the core that was only
    suspended."""

    cores: tuple[CoreId, ...]
    least: float
    most: float
    lead: float
    suspended_in: str
    fact: StatedFact


@dataclass(frozen=True, slots=True)
class ClusterStayedOn:
    """Cores wake up sooner than in the test in which their cluster was off. `beside`: the same for cores whose cluster was on in both
    tests."""

    by_cluster: tuple[tuple[int, float], ...]
    beside: float | None
    off_in: str
    fact: StatedFact


@dataclass(frozen=True, slots=True)
class WarmCaches:
    """The lead, which was running, has shorter calls than the rest of its cluster, which was switched on. Medians of `samples`."""

    lead: CoreId
    call: float
    others: tuple[float, float]
    samples: int
    fact: StatedFact


@dataclass(frozen=True, slots=True)
class FirstCaller:
    """One core's call takes much longer than that of every other of its cluster. Medians of `samples`."""

    core: CoreId
    call: float
    others: float
    samples: int
    fact: StatedFact


@dataclass(frozen=True, slots=True)
class FasterCores:
    """Every core of the cluster with the higher clock is faster: its longest time and the shortest of the other cluster, by metric."""

    clusters: tuple[int, int]
    spans: tuple[tuple[Metric, float, float], ...]
    fact: StatedFact


PlatformFinding = LargerCache | SwitchedOn | ClusterStayedOn | WarmCaches | FirstCaller | FasterCores
