# SPDX-License-Identifier: BSD-3-Clause
"""Which runs of a store are wanted, as conditions of a query. Each column that is asked for has an index."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches

import sqlalchemy as sa

from latlab.core.errors import UsageError
from latlab.core.model.conditions import Conditions
from latlab.core.store.schema import runs_table

DATE = re.compile(r"\d{4}-\d\d(-\d\d(T\d\d:\d\d(:\d\dZ?)?)?)?")
AGO = re.compile(r"(\d{1,5})([smhdw])", re.ASCII)
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
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
    ids: tuple[str, ...] = ()

    def clauses(self) -> Iterator[sa.ColumnElement[bool]]:
        """All but `conditions` and `limit`, which no query knows."""
        runs = runs_table.c
        removed = sa.func.coalesce(runs.removed_utc, "").like(A_TIME)
        yield removed if self.is_removed else sa.not_(removed)
        for column in (runs.campaign, runs.platform, runs.label, runs.status, runs.firmware, runs.kind):
            if value := getattr(self, column.name):
                yield column == value
        if self.ids:
            yield runs.id.in_(self.ids)
        if self.since_utc:
            yield runs.started_utc >= self.since_utc
        if self.before_utc:
            yield runs.started_utc < self.before_utc


ALL = Filter()


def conditions_of(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """`NAME=VALUE`, each a condition of a run. Raises UsageError for a name that is none."""
    names = {field.name for field in fields(Conditions)}
    pairs = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or name not in names:
            near = get_close_matches(name, names) or sorted(names)
            raise UsageError(
                f"--condition {text!r} is no condition with its value",
                f"write NAME=VALUE with a name such as {', '.join(near)}",
                value=text,
            )
        pairs.append((name, value))
    return tuple(pairs)


def moment(option: str, text: str) -> str:
    """`2026-11-01`, or `7d`: so long ago, as runs note their start. Raises UsageError in the name of the option."""
    if not text or DATE.fullmatch(text):
        return text
    ago = AGO.fullmatch(text)
    if ago is None:
        raise UsageError(f"--{option} {text!r} is no date and no duration", "write it as 2026-11-01 or 7d")
    return (datetime.now(UTC) - timedelta(**{UNITS[ago[2]]: int(ago[1])})).strftime("%Y-%m-%dT%H:%M:%SZ")
