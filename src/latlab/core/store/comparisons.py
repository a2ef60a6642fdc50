# SPDX-License-Identifier: BSD-3-Clause
"""What comparisons of stored runs came to, kept beside the later run, so that a fleet is not compared again each time it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa

from latlab.core.store.checksums import is_damaged, sealed
from latlab.core.store.choice import ALL
from latlab.core.store.schema import comparisons_table, runs_table
from latlab.core.store.store import Store


class StoredComparison(NamedTuple):
    """`verdict` is empty where the two runs are not comparable; `sentence` says why then. `cause` is empty where none is known."""

    base: str
    run: str
    verdict: str
    sentence: str
    cause: str


def stored_comparisons(store: Store, made_by: str) -> dict[tuple[str, str], StoredComparison]:
    """Read the comparisons by base and run. Damaged ones and those of another version of latlab are left out, and are made again."""
    columns = comparisons_table.c
    query = (
        sa.select(comparisons_table, runs_table.c.id)
        .join(runs_table, columns.run == runs_table.c.number)
        .where(columns.made_by == made_by, *ALL.clauses())
    )
    with store.transaction() as connection:
        rows = [row for row in connection.execute(query).mappings() if not is_damaged(comparisons_table, row)]
    return {
        (row["base"], row["id"]): StoredComparison(row["base"], row["id"], row["verdict"], row["sentence"], row["cause"]) for row in rows
    }


def store_comparisons(store: Store, made_by: str, comparisons: Sequence[StoredComparison]) -> None:
    """A run that is gone by now keeps nothing."""
    with store.transaction() as connection:
        for comparison in comparisons:
            number = connection.execute(sa.select(runs_table.c.number).where(runs_table.c.id == comparison.run)).scalar()
            if number is not None:
                row = {**comparison._asdict(), "run": number, "made_by": made_by}
                connection.execute(comparisons_table.insert(), sealed(comparisons_table, row))


def runs_with_verdict(store: Store, verdicts: Sequence[str]) -> frozenset[str]:
    """The runs that a comparison gave one of the verdicts, and the runs they were compared with."""
    query = (
        sa.select(comparisons_table.c.base, runs_table.c.id)
        .join(runs_table, comparisons_table.c.run == runs_table.c.number)
        .where(comparisons_table.c.verdict.in_(verdicts))
    )
    with store.transaction() as connection:
        return frozenset(run for pair in connection.execute(query) for run in pair)
