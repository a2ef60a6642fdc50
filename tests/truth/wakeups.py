# SPDX-License-Identifier: BSD-3-Clause
"""A pair of runs of wake-ups: how late each came on each CPU, in ns, and what cyclictest and jitterdebugger write of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Wakeups = tuple[NDArray[np.int64], ...]
LATEST_US = 250


class Late(StrEnum):
    """What is planted. A burst is one event that ten wake-ups in a row saw."""

    NOTHING = "nothing"
    LEVEL = "level"
    SPREAD = "spread"
    TAIL_1 = "1 % six times"
    RARE = "one in 100,000 200 us later"
    MAXIMUM = "maximum six times"
    BURST = "burst of ten"


class Tool(StrEnum):
    HISTOGRAM = "cyclictest -h"
    JSON = "cyclictest --json"
    SAMPLES = "samples.raw"


class Between(StrEnum):
    """What runs of one machine differ by: `minutes` has tails that grow and shrink by tenths between two measurements."""

    NOTHING = "nothing"
    MINUTES = "minutes"


@dataclass(frozen=True)
class WakeupPair:
    planted: Late
    cpus: tuple[int, ...]
    size: float
    before: Wakeups
    after: Wakeups


def wakeup_pair(planted: Late, size: float, cpus: int, count: int, between: Between, seed: int) -> WakeupPair:
    """What is planted is on the last CPU only, or on all for a level."""
    rng = np.random.default_rng([seed, 2])
    before = tuple(_drawn(rng, count, between) for _ in range(cpus))
    after = [_drawn(rng, count, between) for _ in range(cpus)]
    where = tuple(range(cpus)) if planted is Late.LEVEL else () if planted is Late.NOTHING else (cpus - 1,)
    for cpu in where:
        after[cpu] = _with(after[cpu], planted, size, rng)
    return WakeupPair(planted, where, size, before, tuple(after))


def _drawn(rng: np.random.Generator, count: int, between: Between) -> NDArray[np.int64]:
    """Most after about 8 us, one in fifty a good deal later; now and then a device takes the CPU for longer."""
    scatters = between is Between.MINUTES
    level, tail = np.exp(rng.standard_normal(2) * ((0.01, 0.3) if scatters else (0.0, 0.0)))
    late = rng.random(count) < 0.02
    body = (6_000 + rng.gamma(4.0, 500.0, count)) * level
    return np.asarray(body + np.where(late, rng.gamma(2.0, 2_000.0 * tail, count), 0.0), np.int64)


def _with(values: NDArray[np.int64], planted: Late, size: float, rng: np.random.Generator) -> NDArray[np.int64]:
    out = values.copy()
    if planted is Late.LEVEL:
        return (out * (1 + size)).astype(np.int64)
    if planted is Late.SPREAD:
        return (np.median(out) + (out - np.median(out)) * 2).clip(1_000).astype(np.int64)
    if planted is Late.TAIL_1:
        out[rng.random(len(out)) < 0.01] *= 6
    if planted is Late.RARE:
        out[rng.random(len(out)) < 1e-5] += 200_000
    if planted is Late.MAXIMUM:
        out[rng.integers(len(out))] = 6 * out.max()
    if planted is Late.BURST:
        first = rng.integers(len(out) - 10)
        out[first : first + 10] = 4 * out.max()
    return out


def printed(tool: Tool, values: Wakeups) -> bytes:
    return {Tool.HISTOGRAM: histogram_of, Tool.JSON: _json, Tool.SAMPLES: _samples}[tool](values)


def histogram_of(values: Wakeups, latest_us: int = LATEST_US) -> bytes:
    """What `cyclictest -h LATEST` prints: whole microseconds, those from the last one on as overflows."""
    us = [one // 1000 for one in values]
    counts = [np.bincount(one[one < latest_us], minlength=latest_us) for one in us]
    lines = ["# /dev/cpu_dma_latency set to 0us", "# Histogram"]
    lines += [f"{i:06d} " + "\t".join(f"{one[i]:06d}" for one in counts) for i in range(latest_us)]
    lines += ["# Total: " + " ".join(f"{int(one.sum()):09d}" for one in counts)]
    for name, of in (("Min", np.min), ("Avg", np.mean), ("Max", np.max)):
        lines.append(f"# {name} Latencies: " + " ".join(f"{int(of(one)):05d}" for one in us))
    lines.append("# Histogram Overflows: " + " ".join(f"{int((one >= latest_us).sum()):05d}" for one in us))
    return ("\n".join(lines) + "\n").encode()


def _json(values: Wakeups) -> bytes:
    threads = {}
    for cpu, one in enumerate(values):
        us, counts = np.unique(one // 1000, return_counts=True)
        threads[str(cpu)] = {
            "histogram": {str(int(low)): int(n) for low, n in zip(us, counts, strict=True)}, "cycles": len(one), "min": int(us[0]),
            "max": int(us[-1]), "avg": round(float((one // 1000).mean()), 2), "cpu": cpu, "node": -1,
        }  # fmt: skip
    head = {"file_version": 1, "cmdline:": "cyclictest -m -Sp80 -i1000", "rt_test_version:": "2.40", "return_code": 0}
    return json.dumps({**head, "num_threads": len(values), "resolution_in_ns": 0, "thread": threads}).encode()


def _samples(values: Wakeups) -> bytes:
    """One wake-up each ms, all CPUs beside each other, packed as a 64-bit machine writes it."""
    count = len(values[0])
    kind = np.dtype([("cpu", "<u4"), ("s", "<i8"), ("ns", "<i8"), ("late", "<u8")])
    out = np.zeros((count, len(values)), kind)
    at = np.arange(count, dtype=np.int64) * 1_000_000
    for cpu, one in enumerate(values):
        out["cpu"][:, cpu], out["late"][:, cpu] = cpu, one // 1000
        out["s"][:, cpu], out["ns"][:, cpu] = 1000 + at // 1_000_000_000, at % 1_000_000_000
    return out.tobytes()
