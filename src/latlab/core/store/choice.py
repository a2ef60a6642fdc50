# SPDX-License-Identifier: BSD-3-Clause
"""Which runs of a store are wanted, as conditions of a query. Each column that is asked for has an index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa

from latlab.core.store.schema import runs_table

A_TIME = "20__-__-__T%"
"""A removed run says when it was. Anything else there is damage, which hides no run."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which runs are wanted; an empty field takes all. `since_utc` and `before_utc` are times as `started_utc` has them, or their
    beginnings; `conditions` are names of `Conditions` with the value in text; `limit` takes the newest. Removed runs are wanted alone."""

    campaign: str = ""
    platform: str = ""
    label: str = ""
    status: str = ""
    since_utc: str = ""
    before_utc: str = ""
    limit: int | None = None
    firmware: str = ""
    kind: str = ""
    conditions: tuple[tuple[str, str], ...] = ()
    is_removed: bool = False

    def clauses(self) -> Iterator[sa.ColumnElement[bool]]:
        """All but `conditions` and `limit`, which no query knows."""
        runs = runs_table.c
        removed = sa.func.coalesce(runs.removed_utc, "").like(A_TIME)
        yield removed if self.is_removed else sa.not_(removed)
        for column in (runs.campaign, runs.platform, runs.label, runs.status, runs.firmware, runs.kind):
            if value := getattr(self, column.name):
                yield column == value
        if self.since_utc:
            yield runs.started_utc >= self.since_utc
        if self.before_utc:
            yield runs.started_utc < self.before_utc


ALL = Filter()
