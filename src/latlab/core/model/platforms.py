# SPDX-License-Identifier: BSD-3-Clause
"""What is known about a platform, independent of its firmware: each fact with the source that states it.

A fact without a source is None. A platform that is not in the catalogue has no facts, and `is_known` is false.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

T = TypeVar("T")


class Coherency(StrEnum):
    """What keeps the cache of a cluster coherent while its cores power down. It decides whether the last core down must flush the cache."""

    HARDWARE = "hardware"
    """The cluster cleans its own cache: no core flushes it, so no last man stands out."""
    SOFTWARE = "software"
    """The last core of a cluster flushes the cache that the cluster shares."""
    UNKNOWN = "unknown"
    """Not stated, or the firmware's choice: nothing follows from a flush, nor from its absence."""


class Shared(StrEnum):
    """Which cores share a cache."""

    CORE = "core"
    CLUSTER = "cluster"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Fact(Generic[T]):
    """`source` is a key of the platform's sources; `note` says what the value alone does not."""

    value: T
    source: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Cache:
    name: str
    kib: int
    shared: Shared
    source: str


@dataclass(frozen=True, slots=True)
class ClusterFacts:
    """One cluster, in the order of the platform's numbers; `core` is the type of its cores, such as cortex-a57."""

    cores: int
    core: Fact[str]
    clock_mhz: Fact[float] | None = None
    caches: tuple[Cache, ...] = ()

    @property
    def cluster_cache(self) -> Cache | None:
        """The cache that the last core down of this cluster flushes, if software keeps it coherent."""
        return next((cache for cache in self.caches if cache.shared is Shared.CLUSTER), None)


@dataclass(frozen=True, slots=True)
class PlatformFacts:
    """`levels` says what is switched off at power level 0, 1, 2. `same_as` are other names under which runs of this platform are stored.

    `switched_on`: what the firmware does for a core that CPU_ON starts, and not for a core that resumes. `cluster_on`: what it does for
    the first core up in a cluster, and not for the next.
    """

    name: str
    title: str
    sources: dict[str, str] = field(default_factory=dict)
    same_as: tuple[str, ...] = ()
    clusters: tuple[ClusterFacts, ...] = ()
    coherency: Fact[Coherency] | None = None
    levels: Fact[tuple[str, ...]] | None = None
    power_controller: Fact[str] | None = None
    interconnect: Fact[str] | None = None
    counter_hz: Fact[int] | None = None
    switched_on: Fact[str] | None = None
    cluster_on: Fact[str] | None = None

    @property
    def is_known(self) -> bool:
        return bool(self.sources)

    @property
    def managed_by(self) -> Coherency:
        """The coherency, without its source."""
        return self.coherency.value if self.coherency else Coherency.UNKNOWN

    def cluster(self, number: int) -> ClusterFacts | None:
        return self.clusters[number] if 0 <= number < len(self.clusters) else None

    def cited(self, fact: Fact[T] | Cache) -> str:
        """The source of a fact, in words."""
        return self.sources[fact.source]


def unknown_platform(name: str) -> PlatformFacts:
    """A platform of which nothing is known."""
    return PlatformFacts(name, name)
