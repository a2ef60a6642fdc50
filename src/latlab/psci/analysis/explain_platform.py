# SPDX-License-Identifier: BSD-3-Clause
"""Facts of the platform in a board's figures: a larger cache, the path of a core that is switched on, a faster core.

Inferred from durations. A finding is reported if the fact is known and no figure contradicts it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from latlab.core.comparison.explanation import Basis, Explanation
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.platforms import Coherency, Fact, PlatformFacts, Shared
from latlab.core.model.run import CoreId, Run
from latlab.core.shown import significant
from latlab.core.statistics.sample_matrix import Columns, resolution
from latlab.psci.analysis import platform_findings as p
from latlab.psci.analysis.groups import FIRST_RATIO
from latlab.psci.analysis.roles import Roles, serial_last_men

DEEP = "susp_deep_serial"
LEVEL_ZERO = "cpu_susp_serial"
OFF = "cpu_off_serial"
CALL = "psci_version_parallel"
LEAST_SHARE = 0.05
LEAST_STEPS = 2
_SPEED = ((LEVEL_ZERO, Metric.POWERDOWN), (LEVEL_ZERO, Metric.WAKEUP), (CALL, Metric.PSCI_CALL))

Medians = dict[CoreId, float]


def explain_platform(run: Run, columns: Columns, roles: Roles, lead: CoreId | None, facts: PlatformFacts) -> dict[str, list[Explanation]]:
    """The findings by test. Empty under an emulator's clock, which models no caches, and in virtual time, whose board is made from these
    facts."""
    if run.tick.clock is not Clock.TIME or not facts.is_known:
        return {}
    explanations: dict[str, list[Explanation]] = {}
    for test, finding in _PlatformFindings(run, columns, roles, lead, facts).all():
        explanations.setdefault(test, []).append(Explanation(test, finding, Basis.INFERRED, run.tick.unit))
    return explanations


@dataclass(frozen=True)
class _PlatformFindings:
    run: Run
    columns: Columns
    roles: Roles
    lead: CoreId | None
    facts: PlatformFacts

    def all(self) -> Iterator[tuple[str, p.PlatformFinding]]:
        for test, finding in (
            (self._flush_test, self._larger_cache()),
            (LEVEL_ZERO, self._cluster_stayed_on()),
            (OFF, self._switched_on()),
            (CALL, self._warm_caches()),
            *((CALL, first_caller) for first_caller in self._first_callers()),
            (LEVEL_ZERO, self._faster_cores()),
        ):
            if finding is not None:
                yield test, finding

    def medians(self, test: str, metric: Metric) -> Medians:
        """The median of each core over its iterations, without cells of 0, which were not measured."""
        matrix = self.columns.matrix(test, metric)
        if matrix is None or not len(matrix.values):
            return {}
        medians = zip(matrix.cores, np.median(matrix.values, axis=0), strict=True)
        return {core: float(value) for core, value in medians if value > 0}

    def last_men(self, test: str) -> frozenset[CoreId]:
        return serial_last_men(self.columns, self.roles, test)

    def is_more(self, metric: Metric, value: float, than: float) -> bool:
        return value - than > max(LEAST_SHARE * than, LEAST_STEPS * resolution(self.run, metric))

    def stated(self, fact: Fact[str]) -> p.StatedFact:
        return p.StatedFact(fact.value, self.facts.cited(fact))

    @property
    def _flush_test(self) -> str:
        return DEEP if DEEP in self.columns.tests else OFF

    def _larger_cache(self) -> p.LargerCache | None:
        """The finding, if every test with the flush of both clusters agrees."""
        caches = {number: cluster.cluster_cache for number, cluster in enumerate(self.facts.clusters)}
        if self.facts.managed_by is not Coherency.SOFTWARE or len(caches) != 2 or None in caches.values():
            return None
        first_cache, other = (cache for cache in caches.values() if cache is not None)
        large, small = (0, 1) if first_cache.kib > other.kib else (1, 0)
        most, least = max(first_cache.kib, other.kib), min(first_cache.kib, other.kib)
        seen_costs = [costs for test in self.columns.tests if len(costs := self._flush_costs(test)) == 2]
        if most == least or not seen_costs or not all(self.is_more(Metric.CACHE_FLUSH, costs[large], costs[small]) for costs in seen_costs):
            return None
        costs = self._flush_costs(self._flush_test)
        if len(costs) < 2:
            return None
        statement = f"{first_cache.name} is {most} KiB in cluster {large} and {least} KiB in cluster {small}"
        fact = p.StatedFact(statement, _once(self.facts.cited(cache) for cache in (first_cache, other)))
        return p.LargerCache((large, small), (costs[large], costs[small]), (most, least), fact)

    def _flush_costs(self, test: str) -> dict[int, float]:
        """The cost of the last core down of each cluster, in ns, beyond the flush of one core; by cluster, for a test that has such a
        core."""
        flush = self.columns.matrix(test, Metric.CACHE_FLUSH)
        if flush is None or not len(flush.values):
            return {}
        paid = self.roles.last_man(flush, flush)
        by_cluster: dict[int, list[float]] = {}
        for column, core in enumerate(flush.cores):
            by_cluster.setdefault(core.cluster, []).extend(flush.values[paid[:, column], column])
        return {cluster: float(np.median(values)) - self.roles.plain_flush[cluster] for cluster, values in by_cluster.items() if values}

    def _switched_on(self) -> p.SwitchedOn | None:
        """The finding for cores with the same role in both tests. The lead, which nobody switched on, is the control."""
        on, resumed = self.medians(OFF, Metric.WAKEUP), self.medians(DEEP, Metric.WAKEUP)
        if self.facts.switched_on is None or self.lead not in on or self.lead not in resumed:
            return None
        changed = self.last_men(OFF) ^ self.last_men(DEEP)
        cores = tuple(core for core in sorted(on.keys() & resumed.keys()) if core != self.lead and core not in changed)
        longer = [on[core] - resumed[core] for core in cores]
        beside = on[self.lead] - resumed[self.lead]
        if not cores or not all(self.is_more(Metric.WAKEUP, on[core], resumed[core]) for core in cores) or 2 * abs(beside) > min(longer):
            return None
        return p.SwitchedOn(cores, min(longer), max(longer), beside, DEEP, self.stated(self.facts.switched_on))

    def _cluster_stayed_on(self) -> p.ClusterStayedOn | None:
        """The finding for cores of clusters without the lead, which go off with their core. Cores beside the lead, whose cluster is on,
        are the control."""
        shallow, deep = self.medians(LEVEL_ZERO, Metric.WAKEUP), self.medians(DEEP, Metric.WAKEUP)
        if self.facts.cluster_on is None or self.lead is None:
            return None
        last = self.last_men(DEEP)
        in_both = sorted(shallow.keys() & deep.keys() - {self.lead})
        off = [core for core in in_both if core.cluster != self.lead.cluster]
        beside = [deep[core] - shallow[core] for core in in_both if core.cluster == self.lead.cluster and core not in last]
        if not off or not last.issuperset(off) or not all(self.is_more(Metric.WAKEUP, deep[core], shallow[core]) for core in off):
            return None
        sooner = {
            cluster: [deep[core] - shallow[core] for core in off if core.cluster == cluster]
            for cluster in dict.fromkeys(c.cluster for c in off)
        }
        if beside and max(beside) >= min(value for values in sooner.values() for value in values):
            return None
        by_cluster = tuple((cluster, float(np.median(values))) for cluster, values in sorted(sooner.items()))
        control = float(np.median(beside)) if beside else None
        return p.ClusterStayedOn(by_cluster, control, DEEP, self.stated(self.facts.cluster_on))

    def _warm_caches(self) -> p.WarmCaches | None:
        calls = self.medians(CALL, Metric.PSCI_CALL)
        if self.lead is None or self.lead not in calls:
            return None
        fact = self._caches(self.lead.cluster, Shared.CORE)
        others = [value for core, value in calls.items() if core.cluster == self.lead.cluster and core != self.lead]
        if fact is None or not others or not self._stands_out(min(others), calls[self.lead]):
            return None
        return p.WarmCaches(self.lead, calls[self.lead], (min(others), max(others)), self._samples(CALL), fact)

    def _first_callers(self) -> Iterator[p.FirstCaller]:
        calls = {core: value for core, value in self.medians(CALL, Metric.PSCI_CALL).items() if core != self.lead}
        for cluster in sorted({core.cluster for core in calls}):
            *others, (longest, core) = sorted((value, core) for core, value in calls.items() if core.cluster == cluster)
            fact = self._caches(cluster, Shared.CLUSTER)
            if fact is not None and others and self._stands_out(longest, others[-1][0]):
                yield p.FirstCaller(core, longest, others[-1][0], self._samples(CALL), fact)

    def _stands_out(self, value: float, than: float) -> bool:
        return value > FIRST_RATIO * than and self.is_more(Metric.PSCI_CALL, value, than)

    def _samples(self, test: str) -> int:
        matrix = self.columns.matrix(test, Metric.PSCI_CALL)
        return 0 if matrix is None else len(matrix.values)

    def _caches(self, cluster: int, shared: Shared) -> p.StatedFact | None:
        cluster_facts = self.facts.cluster(cluster)
        caches = [cache for cache in cluster_facts.caches if cache.shared is shared] if cluster_facts else []
        if not caches:
            return None
        sizes = " and ".join(f"{cache.name} of {cache.kib} KiB" for cache in caches)
        cold = "a core that has been off begins with its own empty"
        if shared is Shared.CLUSTER:
            cold = "the first caller fills what the cluster shares"
        return p.StatedFact(f"{cold}, {sizes}", _once(self.facts.cited(cache) for cache in caches))

    def _faster_cores(self) -> p.FasterCores | None:
        """The finding, if no span contradicts it."""
        clocks = [cluster.clock_mhz for cluster in self.facts.clusters]
        if len(clocks) != 2 or clocks[0] is None or clocks[1] is None or clocks[0].value == clocks[1].value:
            return None
        fast = 0 if clocks[0].value > clocks[1].value else 1
        spans = []
        for test, metric in _SPEED:
            quick, slow = (self._of_cluster(test, metric, cluster) for cluster in (fast, 1 - fast))
            if not quick or not slow:
                continue
            if self.is_more(metric, max(quick), min(slow)):
                return None
            if self.is_more(metric, min(slow), max(quick)):
                spans.append((metric, max(quick), min(slow)))
        if not spans:
            return None
        return p.FasterCores((fast, 1 - fast), tuple(spans), self._speeds(fast))

    def _of_cluster(self, test: str, metric: Metric, cluster: int) -> list[float]:
        """The medians of a cluster's cores, in ns, without the lead core: its spans have other causes."""
        return [value for core, value in self.medians(test, metric).items() if core.cluster == cluster and core != self.lead]

    def _speeds(self, fast: int) -> p.StatedFact:
        words, sources = [], []
        for cluster in (self.facts.clusters[number] for number in (fast, 1 - fast)):
            assert cluster.clock_mhz is not None, "clusters without a clock are not compared"
            words.append(f"{cluster.core.value} at {significant(cluster.clock_mhz.value)} MHz")
            sources += [self.facts.cited(cluster.core), self.facts.cited(cluster.clock_mhz)]
        return p.StatedFact(" against ".join(words), _once(sources))


def _once(sources: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(sources))
