# SPDX-License-Identifier: BSD-3-Clause
"""Findings that rest on a fact of the platform, each with its sentence. Amounts are in the run's unit, which `sentence` takes.

Each has the fact that it rests on, in the words of the catalogue.
"""

from __future__ import annotations

from dataclasses import dataclass

from latlab.core.comparison.wording import amount, capital, count, signed
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.core.shown import significant


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact of the platform in words, and the source that states it."""

    what: str
    source: str

    def basis_of(self, observation: str) -> str:
        """The observation, and the fact behind it as a sentence of its own."""
        return f"{observation}. {capital(self.what)} ({self.source})"


@dataclass(frozen=True, slots=True)
class LargerCache:
    """The last core down of one cluster flushes longer than that of another, beyond the flush of a core: its cache is larger."""

    clusters: tuple[int, int]
    flushes: tuple[float, float]
    kib: tuple[int, int]
    fact: StatedFact

    def sentence(self, unit: str) -> str:
        (large, small), (longer, shorter) = self.clusters, self.flushes
        cost = f"the cluster flush adds {amount(longer, unit)} in cluster {large} and {amount(shorter, unit)} in cluster {small}"
        ratio = f"that is {longer / shorter:.2f} times as much for {significant(self.kib[0] / self.kib[1])} times the cache"
        return self.fact.basis_of(f"{cost}, {ratio}")


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

    def sentence(self, unit: str) -> str:
        took = f"{amount(self.least, unit)} to {amount(self.most, unit)}" if len(self.cores) > 1 else amount(self.most, unit)
        beside = f"The lead, which was only suspended, took {signed(self.lead, unit)}"
        cores = ", ".join(map(str, self.cores))
        return self.fact.basis_of(f"{cores} took {took} longer to wake up than in {self.suspended_in}. {beside}")


@dataclass(frozen=True, slots=True)
class ClusterStayedOn:
    """Cores wake up sooner than in the test in which their cluster was off. `beside`: the same for cores whose cluster was on in both
    tests."""

    by_cluster: tuple[tuple[int, float], ...]
    beside: float | None
    off_in: str
    fact: StatedFact

    def sentence(self, unit: str) -> str:
        sooner = " and ".join(f"{amount(value, unit)} sooner in cluster {cluster}" for cluster, value in self.by_cluster)
        same = "" if self.beside is None else f". In clusters that had stayed on there too it was {amount(self.beside, unit)} sooner"
        return self.fact.basis_of(f"cores came back {sooner} than in {self.off_in}, where the cluster had been off{same}")


@dataclass(frozen=True, slots=True)
class WarmCaches:
    """The lead, which was running, has shorter calls than the rest of its cluster, which was switched on. Medians of `samples`."""

    lead: CoreId
    call: float
    others: tuple[float, float]
    samples: int
    fact: StatedFact

    def sentence(self, unit: str) -> str:
        low, high = self.others
        others = amount(low, unit) if low == high else f"{amount(low, unit)} to {amount(high, unit)}"
        took = f"{self.lead}, the lead, took {amount(self.call, unit)}, the rest of its cluster {others}"
        return self.fact.basis_of(f"{took} ({count(self.samples, 'sample')} of each core), consistent with cold caches")


@dataclass(frozen=True, slots=True)
class FirstCaller:
    """One core's call takes much longer than that of every other of its cluster. Medians of `samples`."""

    core: CoreId
    call: float
    others: float
    samples: int
    fact: StatedFact

    def sentence(self, unit: str) -> str:
        ratio = f"{self.call / self.others:.2f} times the longest of the rest of its cluster"
        took = f"{self.core} took {amount(self.call, unit)}, {ratio} ({count(self.samples, 'sample')} of each core)"
        return self.fact.basis_of(f"{took}, consistent with a first caller and cold caches")


@dataclass(frozen=True, slots=True)
class FasterCores:
    """Every core of the cluster with the higher clock is faster: its longest time and the shortest of the other cluster, by metric."""

    clusters: tuple[int, int]
    spans: tuple[tuple[Metric, float, float], ...]
    fact: StatedFact

    def sentence(self, unit: str) -> str:
        fast, slow = self.clusters
        spans = (f"{metric} at most {amount(most, unit)} against at least {amount(least, unit)}" for metric, most, least in self.spans)
        return self.fact.basis_of(f"cores of cluster {fast} were faster than those of cluster {slow}, {', '.join(spans)}")


PlatformFinding = LargerCache | SwitchedOn | ClusterStayedOn | WarmCaches | FirstCaller | FasterCores
