# SPDX-License-Identifier: BSD-3-Clause
"""Several commits built and measured at once, by what runs the jobs of a sweep too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from latlab.commits.campaign.commits import CommitJob, CommitOutcome, Engine, measure
from latlab.core.targets.process.many import in_processes, through_dask


def on_processes(number: int) -> Engine:
    return lambda work, jobs: in_processes(work, jobs, number)


def on_dask(address: str) -> Engine:
    """Its workers need the same latlab, QEMU and compilers, the repository at the same place, and a store that they reach."""

    def engine(work: object, jobs: Sequence[CommitJob]) -> Iterator[tuple[CommitOutcome, ...]]:
        return through_dask(address, _on_worker, jobs, None)

    return engine


def _on_worker(shared: None, job: CommitJob) -> tuple[CommitOutcome, ...]:
    return measure(job)
