# SPDX-License-Identifier: BSD-3-Clause
"""Boards of which everything is known: what each operation costs each core, and so every span that a test of it has.

Written from the published tables alone: it imports nothing of the product, so that both cannot be wrong in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Core = tuple[int, int]
Span = tuple[str, str]

DEEP, LEVEL_0 = "susp_deep_parallel", "cpu_susp_parallel"
DEEP_SERIAL, SERIAL_0, OFF = "susp_deep_serial", "cpu_susp_serial", "cpu_off_serial"
VERSION = "psci_version_parallel"
PARALLEL, SERIAL = (DEEP, LEVEL_0), (DEEP_SERIAL, SERIAL_0, OFF)
TESTS = (*PARALLEL, *SERIAL, VERSION)
DOWN, UP, FLUSH, CALL = "powerdown", "wakeup", "cache_flush", "psci_call"
LAST, FIRST, WAITS = "last man", "first caller", "waits"
# A span holds its flush and cannot be shorter than it and the little around it.
AROUND_FLUSH_NS = 15_000.0


@dataclass(frozen=True)
class Machine:
    """Costs in ns; those of clusters have one entry each. `waits` boards hand out one message channel, so that cores that go down together
    queue: a core waits `step` for each before it, and for the flush of a last man. `exact` ones count instructions and never scatter."""

    name: str
    clusters: tuple[int, ...]
    lead: Core
    flush_core: tuple[float, ...]
    flush_cluster: tuple[float, ...]
    wake: dict[str, tuple[float, ...]]
    alone: float
    base: float
    step: float
    after_last: float = 0.0
    end_of_system: float = 0.0
    lead_more: float = 0.0
    wake_wait: float = 0.0
    call: float = 950.0
    call_cold: float = 500.0
    tick_ns: float = 20.0
    exact: bool = False
    is_queued: bool = True
    everybody_last: bool = False
    scatter: dict[str, float] = field(default_factory=dict)
    at_once: dict[str, float] = field(default_factory=dict)

    @cached_property
    def cores(self) -> tuple[Core, ...]:
        return tuple((cluster, core) for cluster, size in enumerate(self.clusters) for core in range(size))

    def deviation(self, test: str, metric: str) -> float:
        """Standard deviation of one span, in ns."""
        return 0.0 if self.exact else self.scatter[metric] * (self.at_once.get(metric, 1.0) if test in PARALLEL else 1.0)


JUNO = Machine(
    "juno", (2, 4), (1, 0), (5_300.0, 4_500.0), (138_200.0, 77_300.0),
    {DEEP: (22_800.0, 19_200.0), DEEP_SERIAL: (23_200.0, 19_000.0), LEVEL_0: (15_400.0, 15_800.0), SERIAL_0: (15_900.0, 16_100.0),
     OFF: (25_900.0, 22_800.0)},
    alone=95_800.0, base=104_700.0, step=139_500.0, after_last=8_100.0, end_of_system=36_000.0, lead_more=107_500.0, wake_wait=197_000.0,
    scatter={DOWN: 500.0, UP: 500.0, FLUSH: 180.0, CALL: 50.0},
)  # fmt: skip
N1SDP = Machine(
    "n1sdp", (2, 2), (0, 0), (350.0, 360.0), (350.0, 360.0),
    {DEEP: (23_700.0, 23_500.0), DEEP_SERIAL: (23_700.0, 23_600.0), LEVEL_0: (23_300.0, 23_600.0), SERIAL_0: (23_400.0, 23_800.0),
     OFF: (30_900.0, 31_100.0)},
    alone=1_900.0, base=3_300.0, step=0.0, call=260.0, call_cold=140.0, is_queued=False,
    scatter={DOWN: 150.0, UP: 250.0, FLUSH: 20.0, CALL: 20.0}, at_once={DOWN: 3.0, UP: 4.0},
)  # fmt: skip
EXACT = Machine(
    "qemu_virt", (1, 2), (0, 0), (260.0, 260.0), (610.0, 820.0),
    {DEEP: (540.0, 560.0), DEEP_SERIAL: (540.0, 560.0), LEVEL_0: (410.0, 420.0), SERIAL_0: (410.0, 420.0), OFF: (730.0, 760.0)},
    alone=900.0, base=1_000.0, step=0.0, call=57.0, call_cold=0.0, tick_ns=1.0, exact=True, is_queued=False,
)  # fmt: skip


@dataclass(frozen=True)
class Spans:
    """What one operation of every core takes in every test, without noise: (boots, iterations, cores) in ns or instructions. `parts` says
    which cells play a part of their own: last men of their cluster, the first caller, cores that wait on their way up."""

    values: dict[Span, Floats]
    parts: dict[tuple[Span, str], Bools]


def spans_of(machine: Machine, boots: int, iterations: int, order_seed: int) -> Spans:
    """Two machines with one `order_seed` have their cores queue alike, so that their spans differ by what they cost only."""
    rng = np.random.default_rng(order_seed)
    found = Spans({}, {})
    for test in TESTS:
        order = _orders(machine, rng, boots, iterations)
        if test == VERSION:
            _version(machine, order, found)
        elif test in PARALLEL:
            _at_once(machine, test, order, _orders(machine, rng, boots, iterations), found)
        else:
            _one_by_one(machine, test, (boots, iterations), found)
    return found


def _orders(machine: Machine, rng: np.random.Generator, boots: int, iterations: int) -> NDArray[np.int64]:
    """The cores in the order in which they come; always the same where nothing scatters."""
    count = len(machine.cores)
    plain = np.broadcast_to(np.arange(count), (boots, iterations, count))
    drawn = rng.permuted(plain, axis=2)
    return plain.copy() if machine.exact else drawn


def _cells(machine: Machine, costs: tuple[float, ...]) -> Floats:
    return np.array([costs[cluster] for cluster, _ in machine.cores])


def _one_by_one(machine: Machine, test: str, size: tuple[int, int], found: Spans) -> None:
    """The lead stays on while the others go, so these are last in their cluster only where the lead is not."""
    is_lead = np.array([core == machine.lead for core in machine.cores])
    away = np.array([cluster != machine.lead[0] for cluster, _ in machine.cores])
    last = (is_lead | away | machine.everybody_last) & (test != SERIAL_0)
    flush = np.where(last, _cells(machine, machine.flush_cluster), _cells(machine, machine.flush_core))
    down = machine.alone + flush + np.where(is_lead & (test != OFF), machine.lead_more, 0.0)
    up = _cells(machine, machine.wake[test])
    for metric, values in ((DOWN, down), (UP, up), (FLUSH, flush)):
        found.values[test, metric] = np.tile(values, (*size, 1))
        if metric != UP:
            found.parts[(test, metric), LAST] = np.tile(last, (*size, 1))


def _at_once(machine: Machine, test: str, order: NDArray[np.int64], up_order: NDArray[np.int64], found: Spans) -> None:
    core_flush, cluster_flush = _cells(machine, machine.flush_core), _cells(machine, machine.flush_cluster)
    cluster_of = np.array([cluster for cluster, _ in machine.cores])
    down, flush, last = np.zeros(order.shape), np.zeros(order.shape), np.zeros(order.shape, bool)
    due = np.full(order.shape[:2], machine.base)
    for place in range(order.shape[2]):
        core = order[:, :, place]
        later = cluster_of[order[:, :, place + 1 :]] == cluster_of[core][:, :, None]
        is_last = (~later.any(axis=2) | machine.everybody_last) & (test == DEEP)
        own = np.where(is_last, cluster_flush[core], core_flush[core])
        at_end = machine.end_of_system if test == DEEP and place == order.shape[2] - 1 else 0.0
        span = np.maximum(due + at_end, own + AROUND_FLUSH_NS) if machine.is_queued else due + own
        for into, value in ((down, span), (flush, own), (last, is_last)):
            np.put_along_axis(into, core[:, :, None], value[:, :, None], axis=2)
        due = due + machine.step + np.where(is_last & machine.is_queued, machine.after_last + cluster_flush[core], 0.0)
    up = np.tile(_cells(machine, machine.wake[test]), (*order.shape[:2], 1))
    waits = np.zeros(order.shape, bool)
    if test == DEEP and machine.wake_wait:
        for place in range(order.shape[2] // 2):
            who = up_order[:, :, place][:, :, None]
            np.put_along_axis(waits, who, True, axis=2)
            np.put_along_axis(up, who, np.take_along_axis(up, who, 2) + machine.wake_wait + 25_000.0 * place, axis=2)
    found.values.update({(test, DOWN): down, (test, UP): up, (test, FLUSH): flush})
    found.parts.update({((test, FLUSH), LAST): last, ((test, UP), WAITS): waits})


def _version(machine: Machine, order: NDArray[np.int64], found: Spans) -> None:
    first = np.zeros(order.shape, bool)
    np.put_along_axis(first, order[:, :, :1], True, axis=2)
    found.values[VERSION, CALL] = machine.call + np.where(first, machine.call_cold, 0.0)
    found.parts[(VERSION, CALL), FIRST] = first


def scaled(machine: Machine, factor: float) -> Machine:
    """The same machine with as many times the noise."""
    return replace(machine, scatter={metric: factor * deviation for metric, deviation in machine.scatter.items()})
