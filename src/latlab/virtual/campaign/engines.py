# SPDX-License-Identifier: BSD-3-Clause
"""What runs a sweep: the processes of this machine, or Dask."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from latlab.core.targets.process.many import in_processes, through_dask
from latlab.virtual.campaign.whatif import Engine, SimulationJob, SweepPoint, simulate

_writing = threading.Lock()


def on_this_machine(program: Path, jobs: Sequence[SimulationJob]) -> list[SweepPoint]:
    """One process per core: most of a job's time is spent in Python, whose lock threads would share."""
    return list(in_processes(partial(simulate, program), jobs, os.cpu_count() or 1))


def on_dask(address: str) -> Engine:
    """Workers need the same latlab, but neither shared files nor the program, which is sent to them."""
    return lambda program, jobs: list(through_dask(address, simulate_sent, jobs, program.read_bytes()))


def simulate_sent(binary: bytes, job: SimulationJob) -> SweepPoint:
    """On a worker: the program goes to the worker's own folder, which Dask removes with the worker."""
    from distributed import get_worker

    program = Path(get_worker().local_directory) / f"latlab_virtual-{hashlib.sha256(binary).hexdigest()[:16]}"
    with _writing:
        if not program.is_file():
            draft = program.with_suffix(".part")
            draft.write_bytes(binary)
            draft.chmod(0o700)
            draft.rename(program)
    return simulate(program, job)
