# SPDX-License-Identifier: BSD-3-Clause
"""What runs many jobs: processes of this machine, or Dask. Both give the same results in the same order, each as soon as it is there."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from latlab.core.errors import DataError, LatlabError, UsageError, needs_packages
from latlab.core.targets.process.children import die_with

J = TypeVar("J")
R = TypeVar("R")
S = TypeVar("S")
LOCAL = "local"
CONNECT_S = 10


def in_processes(work: Callable[[J], R], jobs: Sequence[J], processes: int) -> Iterator[R]:
    """On so many processes of this machine, which end with this one, however that comes."""
    context = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(min(len(jobs), processes), context, _begin, (os.getpid(),)) as pool:
            futures = [pool.submit(work, job) for job in jobs]
            try:
                yield from (future.result() for future in futures)
            except BaseException:
                for process in multiprocessing.active_children():
                    process.terminate()
                pool.shutdown(cancel_futures=True)  # here and not at Python's end, where a second Ctrl-C would leave a traceback
                raise
    except BrokenProcessPool as error:
        raise DataError(f"a worker process died ({error})", "find out what killed it, such as a lack of memory") from error


def through_dask(address: str, work: Callable[[S, J], R], jobs: Sequence[J], shared: S) -> Iterator[R]:
    """`local` starts a cluster of this machine's cores, any other address is that of a scheduler. `shared` is sent once to each worker."""
    with _client(address) as client:
        try:
            sent = client.scatter(shared, broadcast=True)
            yield from (future.result() for future in client.map(work, [sent] * len(jobs), jobs, pure=False))
        except LatlabError:
            raise
        except Exception as error:  # any class: a lost cluster, or one of other versions
            reason = str(error).partition("\n")[0].split(". ")[0].rstrip(".")
            raise DataError(
                f"the Dask cluster did not finish the work ({type(error).__name__}: {reason})",
                "look at its logs, and install the same latlab for its scheduler and workers",
            ) from error


@contextmanager
def _client(address: str) -> Iterator[Any]:
    try:
        import distributed
    except ModuleNotFoundError:
        raise needs_packages("--dask", "distributed") from None
    for chatty in ("distributed.client", "asyncio"):  # they log tracebacks where a sentence will do
        logging.getLogger(chatty).setLevel(logging.CRITICAL)
    if address == LOCAL:
        with _local_cluster() as cluster, distributed.Client(cluster, set_as_default=False) as client:
            yield client
        return
    try:
        client = distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"--dask {address}: no scheduler answers ({error})", "start `dask scheduler` there, or use --dask local", value=address
        ) from error
    with client:
        if not client.scheduler_info()["workers"]:
            raise UsageError(f"--dask {address}: the scheduler has no workers", f"start `dask worker {address}`", value=address)
        yield client


def _local_cluster() -> Any:
    """Its workers start with Ctrl-C ignored, which they inherit: the parent stops them."""
    import distributed

    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return distributed.LocalCluster(
            n_workers=os.cpu_count(), threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
        )
    finally:
        signal.signal(signal.SIGINT, handler)


def _begin(parent: int) -> None:
    """Ctrl-C reaches every process of the terminal; only the parent reports it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with(parent)
