# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a run by the numbers of its threads, as another run has them."""

from __future__ import annotations

from dataclasses import replace

from latlab.core.model.distributions import WakeupCounts, distributions_of, load_of
from latlab.core.model.enums import RowKind
from latlab.core.model.run import CoreId, Run, Topology


def by_threads(run: Run, other: Run) -> Run:
    """The run with the numbers of its threads where the other one says its threads alone: nothing else tells which row is which."""
    rows = distributions_of(run)
    if not any(row.rows is RowKind.THREAD for row in distributions_of(other)):
        return run
    if not rows or any(row.rows is not RowKind.CPU or row.thread is None for row in rows):
        return run
    by_thread = tuple(replace(row, core=CoreId(0, row.thread or 0), rows=RowKind.THREAD) for row in rows)
    contents = WakeupCounts(by_thread, load_of(run))
    return replace(run, contents=contents, topology=Topology((1 + max(row.core.core for row in by_thread),)))
