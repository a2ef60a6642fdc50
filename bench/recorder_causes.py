# SPDX-License-Identifier: BSD-3-Clause
"""What `--causes` costs the wake-ups that it explains, on this machine.

The recorder takes turns of a second with and without it under the load that is there, the order of each pair exchanged, so that a machine
whose mood changes changes it for both. Printed is the median of each turn's percentile, and of the differences within a pair.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from latlab.errors import LatlabError
from latlab.formats.wakeups.kernel_events import read_kernel_events
from latlab.formats.wakeups.recorder import read_record
from latlab.targets.linux.linux import check_survey, survey
from latlab.targets.linux.machine import Here
from latlab.targets.linux.recorder_binary import recorder_for
from latlab.targets.linux.rt_job import Workload

PERCENTILES = (1.0, 50.0, 99.0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=20, help="turns of each")
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
        turns = np.array([_pair(program, workload, Path(folder), number % 2 == 1) for number in range(pairs)])
    print(f"{pairs} turns of a second each; ns on this machine's clock")
    for column, percent in enumerate(PERCENTILES):
        without, with_causes = turns[:, 0, column], turns[:, 1, column]
        low, middle, high = np.percentile(with_causes - without, (25, 50, 75))
        medians = f"{np.median(without):.0f} without, {np.median(with_causes):.0f} with"
        print(f"{percent:g} %: {medians}; difference {middle:+.0f}, quartiles {low:+.0f} and {high:+.0f}")
    return 0


def _pair(program: Path, workload: Workload, folder: Path, exchanged: bool) -> list[list[int]]:
    """Percentiles without and with, of all CPUs together."""
    order = (True, False) if exchanged else (False, True)
    found = {causes: _turn(program, workload, folder, causes) for causes in order}
    return [found[False], found[True]]


def _turn(program: Path, workload: Workload, folder: Path, causes: bool) -> list[int]:
    record, events = folder / "turn.rec", folder / "turn.events"
    options = ("-D", "1", "-i", str(workload.interval_us), "-p", str(workload.priority), "-t", str(workload.outlier_us))
    more = ("-k", str(events)) if causes else ()
    subprocess.run((str(program), "-o", str(record), *options, *more), check=True)
    if causes and (closed := read_kernel_events(events.read_bytes(), events.name).closed):
        raise LatlabError(f"the kernel's events cannot be opened on CPU {closed[0][0]}, errno {closed[0][1]}; nothing is compared")
    cpus = [cpu.histogram for cpu in read_record(record.read_bytes(), record.name).cpus if cpu.histogram]
    low = np.concatenate([one.low_ns for one in cpus])
    counts = np.concatenate([one.counts for one in cpus])
    rising = np.argsort(low, kind="stable")
    shares = np.cumsum(counts[rising]) / counts.sum()
    return [int(low[rising][np.searchsorted(shares, percent / 100)]) for percent in PERCENTILES]


if __name__ == "__main__":
    raise SystemExit(main())
