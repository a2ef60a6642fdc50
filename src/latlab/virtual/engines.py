# SPDX-License-Identifier: BSD-3-Clause
"""What runs the jobs of a sweep: processes of this machine, or Dask. Both give the same points in the same order."""

from __future__ import annotations

import hashlib
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latlab.errors import DataError, LatlabError, UsageError
from latlab.virtual.whatif import Engine, Job, Point, simulate

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local"
CONNECT_S = 10
_writing = threading.Lock()


def on_this_machine(program: Path, jobs: Sequence[Job]) -> list[Point]:
    """One process per core: most of a job's time is spent in Python, whose lock threads would share."""
    context = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(min(len(jobs), os.cpu_count() or 1), context, _leave_interrupts) as pool:
            return list(pool.map(partial(simulate, program), jobs))
    except BrokenProcessPool as error:
        raise DataError(f"a process of the sweep died ({error}); look for what killed it, such as a lack of memory") from error


def on_dask(address: str) -> Engine:
    """`local` starts a cluster of this machine's cores, any other address is that of a scheduler.

    Workers need the same latlab, but neither shared files nor the program, which is sent to them.
    """

    def engine(program: Path, jobs: Sequence[Job]) -> list[Point]:
        binary = program.read_bytes()
        with _client(address) as client:
            return _gathered(client, binary, jobs)

    return engine


def simulate_sent(binary: bytes, job: Job) -> Point:
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


def _gathered(client: Client, binary: bytes, jobs: Sequence[Job]) -> list[Point]:
    try:
        sent = client.scatter(binary, broadcast=True)
        points: list[Point] = client.gather(client.map(simulate_sent, [sent] * len(jobs), jobs, pure=False))
    except LatlabError:
        raise
    except Exception as error:  # whatever a cluster of other versions, or one that goes away, raises
        said = str(error).split(". ")[0].rstrip(".")
        raise DataError(
            f"the Dask cluster did not finish the sweep ({type(error).__name__}: {said}); look at its logs, and install the same latlab "
            "for its scheduler and workers"
        ) from error
    return points


@contextmanager
def _client(address: str) -> Iterator[Any]:
    try:
        import distributed
    except ModuleNotFoundError:
        raise UsageError("--dask needs the Python package distributed; install it with `pip install 'latlab[dask]'`") from None
    for chatty in ("distributed.client", "asyncio"):  # they log tracebacks where a sentence will do
        logging.getLogger(chatty).setLevel(logging.CRITICAL)
    if address == LOCAL:
        with _local_cluster() as cluster, distributed.Client(cluster, set_as_default=False) as client:
            yield client
        return
    try:
        client = distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"--dask {address}: no scheduler answers ({error}); start `dask scheduler` there, or use --dask local") from error
    with client:
        if not client.scheduler_info()["workers"]:
            raise UsageError(f"--dask {address}: the scheduler has no workers; start `dask worker {address}`")
        yield client


def _local_cluster() -> Any:
    """Its workers start with Ctrl-C ignored, which they inherit: the parent stops them."""
    import distributed

    kept = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return distributed.LocalCluster(
            n_workers=os.cpu_count(), threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
        )
    finally:
        signal.signal(signal.SIGINT, kept)


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process of the terminal; only the parent reports it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
