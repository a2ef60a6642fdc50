# SPDX-License-Identifier: BSD-3-Clause
"""Tables whose truth is known, drawn as a board would give them: what each operation costs, who comes first, what the clock adds.

Made of what the published tables look like and of nothing else here: neither the virtual boards nor the judgement had a part in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import CoreId, Run, Sample, Tick, Topology
from support.runs import run_with

PARALLEL = ("susp_deep_parallel", "cpu_susp_parallel")
SERIAL = ("susp_deep_serial", "cpu_susp_serial", "cpu_off_serial")
VERSION = "psci_version_parallel"
# A flush passes while its core waits, but not faster than that.
LEAST_BESIDE_FLUSH_US = 15.0
PER_CLUSTER = tuple[float, ...]


@dataclass(frozen=True)
class Noise:
    """Standard deviations in us. `shared` moves all wake-ups of a test in a boot together; `heavy` draws from Student's t, 3 degrees."""

    span: float = 0.5
    wakeup: float = 0.5
    flush: float = 0.2
    version: float = 0.05
    parallel_span: float = 1.0
    parallel_wakeup: float = 1.0
    shared: float = 0.0
    heavy: bool = False


@dataclass(frozen=True)
class Board:
    """What each operation costs, in us. Costs of clusters have one entry each.

    `queued` boards serve one core after another, as one with a slow power controller does; `coherent` ones flush no more for a cluster
    than for a core. A core that goes down with others waits `base` and `step` for each before it, and for the flush of a last man.
    """

    platform: str
    clusters: tuple[int, ...]
    lead: CoreId
    flush_core: PER_CLUSTER
    flush_cluster: PER_CLUSTER
    wake_deep: PER_CLUSTER
    wake_core: PER_CLUSTER
    wake_off: PER_CLUSTER
    plain: float
    base: float
    step: float
    after_last: float = 8.0
    system_last: float = 36.0
    crowd_flush: float = 0.0
    lead_suspend: float = 0.0
    off_others: float = 0.0
    wake_wait: float = 0.0
    wake_wait_each: float = 25.0
    version: float = 0.95
    version_cold: float = 0.5
    queued: bool = True
    coherent: bool = False
    tick_ns: float = 20.0

    @property
    def topology(self) -> Topology:
        return Topology(self.clusters)


JUNO = Board(
    "juno", (2, 4), CoreId(1, 0), (5.24, 4.5), (138.0, 77.4), (23.0, 18.8), (15.6, 16.0), (25.6, 22.7), 95.0, 104.6, 139.8,
    crowd_flush=2.9, lead_suspend=107.0, wake_wait=197.0,
)  # fmt: skip
N1SDP = Board(
    "n1sdp", (2, 2), CoreId(0, 0), (0.34, 0.36), (0.34, 0.36), (23.8, 23.6), (23.4, 23.8), (31.0, 31.0), 1.9, 3.2, 0.0,
    after_last=0.0, system_last=0.0, off_others=11.8, version=0.26, version_cold=0.14, queued=False, coherent=True,
)  # fmt: skip
N1SDP_NOISE = Noise(span=0.15, wakeup=0.25, flush=0.02, version=0.02, parallel_span=3.0, parallel_wakeup=10.0)


def like_juno(clusters: tuple[int, ...]) -> Board:
    """A board of no known name that works as Juno does, with other clusters."""
    turn = [i % 2 for i in range(len(clusters))]

    def spread(costs: PER_CLUSTER) -> PER_CLUSTER:
        return tuple(costs[i] for i in turn)

    return replace(
        JUNO, platform="bench", clusters=clusters, lead=CoreId(0, 0), flush_core=spread(JUNO.flush_core),
        flush_cluster=spread(JUNO.flush_cluster), wake_deep=spread(JUNO.wake_deep), wake_core=spread(JUNO.wake_core),
        wake_off=spread(JUNO.wake_off),
    )  # fmt: skip


def measured(board: Board, noise: Noise, seed: int, boots: int = 1, name: str = "run") -> Run:
    """One iteration of every test in each of `boots` boots, in whole ticks."""
    rng = np.random.default_rng(seed)
    samples = [sample for boot in range(boots) for sample in _Boot(board, noise, rng, boot).samples()]
    tick = Tick(Clock.TIME, board.tick_ns)
    return run_with(platform=board.platform, target="board", topology=board.topology, tick=tick, lead=board.lead, samples=samples, id=name)


class _Boot:
    def __init__(self, board: Board, noise: Noise, rng: np.random.Generator, boot: int) -> None:
        self.board, self.noise, self.rng, self.boot = board, noise, rng, boot

    def samples(self) -> list[Sample]:
        out: list[Sample] = []
        for test in PARALLEL:
            out += self._parallel(test)
        for test in SERIAL:
            out += self._serial(test)
        order = self._order()
        for core in self.board.topology.cores:
            cost = self.board.version + (self.board.version_cold if core == order[0] else 0.0)
            out.append(self._sample(VERSION, Metric.PSCI_CALL, core, cost, self.noise.version))
        return out

    def _order(self) -> list[CoreId]:
        cores = self.board.topology.cores
        return [cores[i] for i in self.rng.permutation(len(cores))]

    def _parallel(self, test: str) -> list[Sample]:
        board, deep, order = self.board, "deep" in test, self._order()
        last = {[core for core in order if core.cluster == k][-1] for k in range(len(board.clusters))} if deep else set()
        scale = self.noise.parallel_span
        waits = self._waits(deep)
        shared = self._drawn(self.noise.shared)
        due, out = board.base, []
        for place, core in enumerate(order):
            flush = self._flush(core, core in last) + (0.0 if deep else board.crowd_flush)
            span = due + (board.system_last if deep and place == len(order) - 1 else 0.0)
            span = max(span, flush + LEAST_BESIDE_FLUSH_US) if board.queued else span + flush
            wake = (board.wake_deep if deep else board.wake_core)[core.cluster] + shared + waits.get(core, 0.0)
            out += self._three(test, core, span, wake, flush, self.noise.span * scale, self.noise.wakeup * self.noise.parallel_wakeup)
            due += board.step + (board.after_last + board.flush_cluster[core.cluster] if core in last and board.queued else 0.0)
        return out

    def _waits(self, deep: bool) -> dict[CoreId, float]:
        """On the way up half of the cores find the queue taken."""
        order = self._order()
        if not (deep and self.board.wake_wait):
            return {}
        return {core: self.board.wake_wait + self.board.wake_wait_each * i for i, core in enumerate(order[: len(order) // 2])}

    def _serial(self, test: str) -> list[Sample]:
        board, shared, out = self.board, self._drawn(self.noise.shared), []
        wakes = {"susp_deep_serial": board.wake_deep, "cpu_susp_serial": board.wake_core, "cpu_off_serial": board.wake_off}[test]
        for core in board.topology.cores:
            is_lead = core == board.lead
            flush = self._flush(core, "cpu_susp" not in test and (is_lead or core.cluster != board.lead.cluster))
            span = board.plain + flush
            if "off" in test:
                span += 0.0 if is_lead else board.off_others
            elif is_lead:
                span += board.lead_suspend
            out += self._three(test, core, span, wakes[core.cluster] + shared, flush, self.noise.span, self.noise.wakeup)
        return out

    def _flush(self, core: CoreId, whole_cluster: bool) -> float:
        return (self.board.flush_cluster if whole_cluster else self.board.flush_core)[core.cluster]

    def _three(self, test: str, core: CoreId, span: float, wake: float, flush: float, span_sd: float, wake_sd: float) -> list[Sample]:
        """The flush is a part of its powerdown: a draw in which it is not is drawn again."""
        down = self._sample(test, Metric.POWERDOWN, core, span, span_sd)
        up = self._sample(test, Metric.WAKEUP, core, wake, wake_sd)
        paid = self._sample(test, Metric.CACHE_FLUSH, core, flush, self.noise.flush)
        while down.value_ticks < paid.value_ticks:
            down = self._sample(test, Metric.POWERDOWN, core, span, span_sd)
        return [down, up, paid]

    def _drawn(self, deviation: float) -> float:
        if not self.noise.heavy:
            return deviation * float(self.rng.standard_normal())
        return deviation * float(self.rng.standard_t(3)) / 3**0.5

    def _sample(self, test: str, metric: Metric, core: CoreId, cost_us: float, deviation: float) -> Sample:
        value = cost_us + self._drawn(deviation)
        while value <= 0.0:
            value = cost_us + self._drawn(deviation)
        return Sample(test, metric, core, self.boot, 0, round(value * 1000 / self.board.tick_ns))


@dataclass(frozen=True)
class Change:
    """Something that a release made slower by a share of itself, where it may show, and the words that an explanation of it holds.

    `metric` is what changed, `entails` what grows with it, both in `tests` and, where it is of one, in `cluster`. Of a ladder's terms
    only one whose name holds `term` may show it.
    """

    name: str
    apply: Callable[[Board, float], Board]
    metric: Metric
    words: tuple[str, ...]
    cluster: int | None = None
    tests: tuple[str, ...] = (*PARALLEL, *SERIAL, VERSION)
    entails: tuple[Metric, ...] = ()
    term: str | None = None


def _times(costs: PER_CLUSTER, factor: float, cluster: int | None = None) -> PER_CLUSTER:
    return tuple(cost * (factor if cluster in (None, i) else 1.0) for i, cost in enumerate(costs))


def wakeup(cluster: int | None = None) -> Change:
    def apply(board: Board, size: float) -> Board:
        deep, core, off = (_times(costs, 1 + size, cluster) for costs in (board.wake_deep, board.wake_core, board.wake_off))
        return replace(board, wake_deep=deep, wake_core=core, wake_off=off)

    where = "everywhere" if cluster is None else f"of cluster {cluster}"
    return Change(f"wakeup {where}", apply, Metric.WAKEUP, ("wakeup",), cluster)


def base() -> Change:
    def apply(board: Board, size: float) -> Board:
        return replace(board, base=board.base * (1 + size))

    return Change("base", apply, Metric.POWERDOWN, ("first-core latency",), tests=PARALLEL, term="base")


def step() -> Change:
    def apply(board: Board, size: float) -> Board:
        return replace(board, step=board.step * (1 + size))

    return Change("step", apply, Metric.POWERDOWN, ("delay per position",), tests=PARALLEL, term="step")


def core_flush() -> Change:
    return Change(
        "core flush", lambda b, s: replace(b, flush_core=_times(b.flush_core, 1 + s)), Metric.CACHE_FLUSH, ("flush",),
        entails=(Metric.POWERDOWN,), tests=(*PARALLEL, *SERIAL),
    )  # fmt: skip


def cluster_flush(cluster: int) -> Change:
    """What it entails: the powerdown that holds it, and the rise behind a last man."""
    return Change(
        f"cluster flush of cluster {cluster}", lambda b, s: replace(b, flush_cluster=_times(b.flush_cluster, 1 + s, cluster)),
        Metric.CACHE_FLUSH, ("flush",), cluster, ("susp_deep_parallel", "susp_deep_serial", "cpu_off_serial"),
        (Metric.POWERDOWN,), f"cluster {cluster}",
    )  # fmt: skip


def powerdown() -> Change:
    """On boards that do not queue."""
    return Change("powerdown", lambda b, s: replace(b, plain=b.plain * (1 + s), base=b.base * (1 + s)), Metric.POWERDOWN, ("powerdown",))


def version() -> Change:
    return Change("PSCI_VERSION", lambda b, s: replace(b, version=b.version * (1 + s)), Metric.PSCI_CALL, ("psci call",), tests=(VERSION,))


JUNO_CHANGES = (wakeup(), wakeup(0), wakeup(1), base(), step(), core_flush(), cluster_flush(0), cluster_flush(1), version())
COHERENT_CHANGES = (wakeup(), wakeup(1), powerdown(), version())
