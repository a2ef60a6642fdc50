# SPDX-License-Identifier: BSD-3-Clause
"""A store as a laboratory has it after years: runs of all campaigns on several boards, of which some get slower and faster again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import sqlalchemy as sa

from latlab.core.model.enums import RunStatus
from latlab.core.store.checksums import PARTS
from latlab.core.store.sample_columns import column_rows, samples_of
from latlab.core.store.schema import runs_table
from latlab.core.store.store import Store, open_store
from support.every_kind import fill
from support.sealed_rows import insert

BOARDS = ("bench", "rack", "field")
START = datetime(2024, 1, 1, 9)
SPAN = timedelta(days=730)
CHANGES = ((0.4, 1.0), (0.6, 1.25), (0.9, 1.0), (1.1, 1.1))
"""Up to this part of the years, so many times the first level."""
AT_ONCE = 2000
Row = dict[str, Any]


def years(place: Path, count: int, seed: int = 1) -> Store:
    """So many runs, each a copy of a small one of some campaign with other figures; the same store for the same seed."""
    fill(place)
    store = open_store(str(place))
    with store.transaction() as connection:
        heads = [dict(row) for row in connection.execute(sa.select(runs_table)).mappings()]
        models = [head for head in heads if head["status"] in (RunStatus.COMPLETE, RunStatus.PARTIAL) and head["campaign"] != "design"]
        parts = {table: _by_run(connection.execute(sa.select(table)).mappings()) for table in PARTS}
        rows: dict[sa.Table, list[Row]] = {runs_table: [], **{table: [] for table in PARTS}}
        random, first = Random(seed), max(head["number"] for head in heads) + 1
        for at in range(count):
            for table, more in _copy(models[at % len(models)], parts, at, count, first + at, random):
                rows[table] += more
            if len(rows[runs_table]) == AT_ONCE or at == count - 1:
                insert(connection, rows)
                for found in rows.values():
                    found.clear()
    return store


def more(store: Store, number: int) -> None:
    """One run more, a copy of the one with this number a day after the newest."""
    with store.transaction() as connection:
        model = dict(connection.execute(sa.select(runs_table).where(runs_table.c.number == number)).mappings().one())
        last = connection.execute(sa.select(sa.func.max(runs_table.c.number))).scalar_one()
        newest = connection.execute(sa.select(sa.func.max(runs_table.c.started_utc))).scalar_one()
        began = (datetime.fromisoformat(newest[:19]) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
        own = {"number": last + 1, "id": f"{model['campaign']}-more{last:x}", "started_utc": began}
        rows: dict[sa.Table, list[Row]] = {runs_table: [{**model, **own}]}
        for table in PARTS:
            found = _by_run(connection.execute(sa.select(table).where(table.c.run == number)).mappings())
            rows[table] = [_other(row, last + 1, 1.0) for row in found.get(number, ())]
        insert(connection, rows)


def _by_run(rows: sa.MappingResult) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    for row in rows:
        found.setdefault(row["run"], []).append({key: value for key, value in row.items() if key != "number"})
    return found


def _copy(
    model: Row, parts: dict[sa.Table, dict[int, list[Row]]], at: int, count: int, number: int, random: Random
) -> Iterator[tuple[sa.Table, list[Row]]]:
    part = at / max(1, count - 1)
    began = (START + part * SPAN).strftime("%Y-%m-%dT%H:%M:%SZ")
    board = BOARDS[random.randrange(len(BOARDS))]
    own = {"number": number, "id": f"{model['campaign']}-{at:05x}", "started_utc": began, "platform": f"{model['platform']} {board}"}
    yield runs_table, [{**model, **own, "firmware": f"build {at // 40}", "label": ""}]
    times = next(level for end, level in CHANGES if part < end)
    for table, by_run in parts.items():
        yield table, [_other(row, number, times if board == "rack" else 1.0) for row in by_run.get(model["number"], ())]


def _other(row: Row, number: int, times: float) -> Row:
    if "metric" not in row or times == 1.0:
        return {**row, "run": number}
    slower = [replace(sample, value_ticks=round(sample.value_ticks * times)) for sample in samples_of([row])]
    return {**column_rows(slower, 0)[0], "run": number}
