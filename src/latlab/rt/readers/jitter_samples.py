# SPDX-License-Identifier: BSD-3-Clause
"""jitterdebugger's samples.raw: each wake-up with its thread, its time and how late it was.

A sample is packed into 28 bytes as a 64-bit little-endian machine writes it: 32 bits of the thread's number, which is that of the CPU
where all CPUs are measured; seconds and nanoseconds of CLOCK_MONOTONIC, and the lateness, 64 bits each. The file has no header. Its unit
is the us, or the ns where the tool was told so; nothing in the file says which.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from latlab.core.errors import DataError
from latlab.core.model.distributions import Distribution
from latlab.rt.model.wakeups import Wakeups, counted_values, cpu_row, in_blocks

SAMPLE = np.dtype([("cpu", "<u4"), ("s", "<i8"), ("ns", "<i8"), ("late", "<u8")])
MOST_CPUS = 4096
LATEST = 10**12
NS_PER_S = 1_000_000_000


def looks_like_samples(data: bytes) -> bool:
    """Whether the first sample of the file is one; no text begins like this."""
    return len(data) >= SAMPLE.itemsize and _plausible(np.frombuffer(data, SAMPLE, 1)) == 1


def read_samples(data: bytes, place: str, nanoseconds: bool = False) -> Wakeups:
    """All samples, counted by thread and lateness."""
    whole = len(data) // SAMPLE.itemsize
    samples = np.frombuffer(data, SAMPLE, whole)
    good = _plausible(samples)
    if good == 0:
        raise DataError("does not begin with a sample of jitterdebugger", "name the samples.raw of a 64-bit machine", place=place)
    problems = []
    if good < whole:
        problems.append(f"{place}: byte {good * SAMPLE.itemsize}: no sample any more; the {good} before it are kept")
    elif len(data) % SAMPLE.itemsize:
        problems.append(f"{place}: {len(data) % SAMPLE.itemsize} bytes after the last sample; the tool was killed while it wrote")
    samples = samples[:good]
    unit_ns = 1 if nanoseconds else 1000
    cpus = tuple(_cpu(int(cpu), samples["late"][samples["cpu"] == cpu].astype(np.int64), unit_ns) for cpu in np.unique(samples["cpu"]))
    return Wakeups("jitterdebugger", None, unit_ns, cpus, complete=not problems, problems=tuple(problems))


def _plausible(samples: NDArray[np.void]) -> int:
    """How many samples from the first on can be samples."""
    fits = (samples["cpu"] < MOST_CPUS) & (samples["s"] >= 0) & (samples["s"] < 10**11) & (samples["late"] < LATEST)
    fits &= (samples["ns"] >= 0) & (samples["ns"] < NS_PER_S)
    return int(fits.argmin()) if not fits.all() else len(samples)


def _cpu(cpu: int, late: NDArray[np.int64], unit_ns: int) -> Distribution:
    counts = counted_values(late, unit_ns)
    ends = counts[0][0], counts[-1][0]
    mean = float(late.mean()) * unit_ns
    return cpu_row(cpu, counts, len(late), *ends, mean, blocks=in_blocks(late, unit_ns))
