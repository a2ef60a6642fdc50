# SPDX-License-Identifier: BSD-3-Clause
"""Whatever a user may name as a run, as a run: a published reference, a file, a stored run with its figures."""

from __future__ import annotations

from latlab.campaigns.rt_samples import load_run
from latlab.errors import UsageError
from latlab.model.run import Run
from latlab.store.references import load
from latlab.store.store import open_store

UNITS = ("ns", "us", "ms", "s")


def load_reference(reference: str, unit: str = "", store: str | None = None) -> Run:
    """`unit` stands in where a table has none; `store` is where runs are kept, None for the user's own."""
    if unit and unit not in UNITS:
        raise UsageError(f"--unit {unit!r} is not a unit; use ns, us, ms or s")
    return load(reference, unit, lambda name: load_run(open_store(store), name))
