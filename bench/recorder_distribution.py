# SPDX-License-Identifier: BSD-3-Clause
"""Whether the recorder and cyclictest see the same distribution on this machine.

They take turns of a second under the load that is there, so that a machine whose mood changes changes it for both. The distance between
the two pooled distributions (Kolmogorov-Smirnov) is set against what it becomes when the names in each pair are exchanged at random.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from latlab.core.errors import LatlabError
from latlab.core.statistics.histogram import Histogram
from latlab.core.targets.linux.machine import Here
from latlab.rt.analysis.wakeup import same_distribution_ks
from latlab.rt.model.wakeups import Wakeups, counted_us, cpu_row
from latlab.rt.readers.cyclictest import read_cyclictest
from latlab.rt.readers.recorder import read_record
from latlab.rt.targets.linux import check_survey, survey
from latlab.rt.targets.recorder_binary import recorder_for
from latlab.rt.targets.rt_job import HISTOGRAM_US, Workload

RESOLUTION_NS = 1000
EXCHANGES = 1000
REJECTED_BELOW = 0.01
PERCENTILES = (1, 25, 50, 75, 99)

Counts = NDArray[np.int64]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=20, help="turns of each tool")
    pairs = parser.parse_args().pairs
    here, workload = Here(), Workload(1, load="idle")
    found = survey(here, workload.priority)
    try:
        check_survey(here, found, workload)
    except LatlabError as error:
        print(f"skipped: {error}")
        return 0
    program = recorder_for(found.machine)
    with tempfile.TemporaryDirectory() as folder:
        turns = [(_cyclictest(workload), _recorder(workload, program, Path(folder) / "turn.rec")) for _ in range(pairs)]
    theirs, ours = (np.sum([turn[side] for turn in turns], axis=0) for side in (0, 1))
    distance = _distance(theirs, ours)
    exchanged = _exchanged(turns)
    chance = float(np.mean(exchanged >= distance))
    _print(theirs, ours, pairs)
    print(f"distance {distance:.3f}; with the names in each pair exchanged at random its median is {np.median(exchanged):.3f}")
    verdict = "no difference shown" if chance >= REJECTED_BELOW else "they differ"
    print(f"{chance:.0%} of {EXCHANGES} exchanges are at least as far apart: {verdict}")
    return 0 if chance >= REJECTED_BELOW else 1


def _cyclictest(workload: Workload) -> Counts:
    done = subprocess.run(workload.cyclictest.split(), capture_output=True, text=True, check=True)
    return _counts(read_cyclictest(done.stdout, "cyclictest"))


def _recorder(workload: Workload, program: Path, path: Path) -> Counts:
    options = f"-D {workload.duration_s} -i {workload.interval_us} -p {workload.priority} -t {workload.outlier_us}"
    subprocess.run((program, "-o", path, *options.split()), capture_output=True, check=True)
    return _counts(read_record(path.read_bytes(), "recorder"))


def _counts(wakeups: Wakeups) -> Counts:
    """Samples in each microsecond, all CPUs together; what lies beyond cyclictest's histogram is in the last."""
    counts = np.zeros(HISTOGRAM_US + 1, np.int64)
    for cpu in wakeups.cpus:
        for low, _, n in cpu.counts:
            counts[min(low // RESOLUTION_NS, HISTOGRAM_US)] += n
        counts[HISTOGRAM_US] += cpu.beyond
    return counts


def _exchanged(turns: list[tuple[Counts, Counts]]) -> NDArray[np.float64]:
    random = np.random.default_rng(1)
    both = np.array(turns)
    rows = np.arange(len(turns))
    found = []
    for _ in range(EXCHANGES):
        side = random.integers(0, 2, len(turns))
        found.append(_distance(both[rows, side].sum(axis=0), both[rows, 1 - side].sum(axis=0)))
    return np.array(found)


def _distance(a: Counts, b: Counts) -> float:
    return same_distribution_ks(_histogram(a), _histogram(b), RESOLUTION_NS)


def _histogram(counts: Counts) -> Histogram:
    rows = counted_us(np.arange(len(counts)), counts)
    return Histogram(cpu_row(0, rows, int(counts.sum()), rows[0][0], rows[-1][0], 0.0))


def _print(theirs: Counts, ours: Counts, pairs: int) -> None:
    table = Table(title=f"µs of time; {pairs} turns of a second each", title_justify="left")
    for column in ("tool", "samples", *(f"{p} %" for p in PERCENTILES)):
        table.add_column(column, justify="left" if column == "tool" else "right")
    for name, counts in (("cyclictest", theirs), ("recorder", ours)):
        places = np.searchsorted(np.cumsum(counts), [counts.sum() * p / 100 for p in PERCENTILES])
        table.add_row(name, f"{counts.sum():,}", *map(str, places))
    Console(width=100).print(table)


if __name__ == "__main__":
    raise SystemExit(main())
