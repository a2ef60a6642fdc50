# SPDX-License-Identifier: BSD-3-Clause
"""Runs whose truth is known: a queue with base, step and last-man extras, flushes by role, wake-ups by cluster."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import CoreId, CoreTrace, Run, Sample, Tick, Topology, TraceRecord
from support.runs import JUNO, changed, run_with


@dataclass(frozen=True)
class Truth:
    """In ns; `noise` is the standard deviation of each span, relative."""

    base: float = 100_000.0
    step: float = 140_000.0
    after_last: float = 146_000.0
    system_last: float = 36_000.0
    plain_flush: float = 5_000.0
    last_flush: float = 100_000.0
    wakeup: tuple[float, ...] = (23_000.0, 19_000.0, 19_000.0, 19_000.0)
    powerdown: float = 100_000.0
    noise: float = 0.0
    tests: tuple[str, ...] = ("susp_deep_parallel", "cpu_susp_parallel", "susp_deep_serial", "cpu_susp_serial")
    lead: CoreId = field(default=CoreId(1, 0))


def make_run(truth: Truth, seed: int, boots: int = 1, iterations: int = 1, topology: Topology = JUNO, name: str = "run") -> Run:
    """A queue order, drawn anew for each iteration, decides who waits; nothing else depends on it."""
    rng = np.random.default_rng(seed)
    samples: list[Sample] = []
    for boot in range(boots):
        drift = 1 + truth.noise * rng.standard_normal()
        for iteration in range(iterations):
            for test in truth.tests:
                samples += _iteration(truth, topology, test, boot, iteration, drift, rng)
    return run_with(platform="juno", topology=topology, tick=Tick(Clock.TIME, 20.0), lead=truth.lead, samples=tuple(samples), id=name)


def relabelled(run: Run, change) -> Run:
    return changed(run, samples=map(change, run.samples))


def call(core, start, wait):
    """A suspend in which the core asks for a lock at `start` and gets it `wait` ticks later."""
    lock = 1 << 16
    times = [
        ("ENTER_PSCI", start - 10, 0xC4000001),
        ("LOCK_REQUEST", start, lock),
        ("LOCK_ACQUIRE", start + wait, lock),
        ("LOCK_RELEASE", start + wait + 100, lock),
        ("ENTER_CFLUSH", start + wait + 110, 0),
        ("EXIT_CFLUSH", start + wait + 160, 0),
        ("ENTER_HW_LOW_PWR", start + wait + 170, 0),
        ("EXIT_HW_LOW_PWR", start + wait + 5000, 0),
        ("EXIT_PSCI", start + wait + 5050, 0),
    ]
    return CoreTrace("susp_deep_parallel", 0, 0, core, tuple(TraceRecord(i, t, e, a) for i, (e, t, a) in enumerate(times)))


def _iteration(truth: Truth, topology: Topology, test: str, boot: int, iteration: int, drift: float, rng) -> list[Sample]:
    cores = list(topology.cores)
    deep = "deep" in test
    spans: dict[CoreId, float] = {}
    last: set[CoreId] = set()
    if test.endswith("parallel"):
        order = [cores[i] for i in rng.permutation(len(cores))]
        last = {[c for c in order if c.cluster == k][-1] for k in range(len(topology.clusters))} if deep else set()
        span = truth.base
        for place, core in enumerate(order):
            spans[core] = span + (truth.system_last if deep and place == len(order) - 1 else 0.0)
            span += truth.step + (truth.after_last if core in last else 0.0)
    else:
        last = {c for c in cores if c.cluster != truth.lead.cluster or c == truth.lead} if deep else set()
        spans = {core: truth.powerdown + (truth.last_flush if core in last else 0.0) for core in cores}
    out = []
    for core in cores:
        figures = {
            Metric.POWERDOWN: spans[core],
            Metric.WAKEUP: truth.wakeup[core.cluster],
            Metric.CACHE_FLUSH: truth.last_flush if core in last else truth.plain_flush,
        }
        for metric, value in figures.items():
            noisy = value * drift * (1 + truth.noise * rng.standard_normal())
            out.append(Sample(test, metric, core, boot, iteration, round(noisy / 20)))
    return out
