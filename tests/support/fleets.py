# SPDX-License-Identifier: BSD-3-Clause
"""A fleet as a laboratory has it: boards of a few models that are measured every night, drift, fail and are replaced, under firmware and
kernels that change. Some boards regress on a night that is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa

from latlab.core.model.enums import RunStatus
from latlab.core.model.life import Left
from latlab.core.model.run import Build, Run, Sample
from latlab.core.store.rows import life_row, run_row
from latlab.core.store.sample_columns import column_rows
from latlab.core.store.schema import lives_table, logs_table, runs_table, samples_table
from latlab.core.store.store import Store, open_store
from support.ladder_model import Truth, make_run
from support.sealed_rows import insert

START = datetime(2024, 1, 1, 2)
MODELS = ("juno", "n1sdp", "rk3588", "imx93")
POOL = 24
"""Measured nights of a model, of which each board's nights are drawn."""
AT_ONCE = 400
DRIFT_A_YEAR, BETWEEN_BOARDS = 0.002, 0.01
FAILS, REPLACED = 0.01, 0.001
SLOWER = 1.3
REGRESSING_TEST = "susp_deep_serial"
MODEL = make_run(Truth(), 1)


@dataclass(frozen=True, slots=True)
class Fleet:
    """`boots` and `iterations` set the samples of a run. `regressed` are the boards that are slower in one test on the last night."""

    boards: int
    nights: int
    regressed: frozenset[int] = frozenset()
    boots: int = 3
    iterations: int = 2
    seed: int = 1

    @property
    def last(self) -> datetime:
        return START + timedelta(days=self.nights - 1)


def write(fleet: Fleet, place: str) -> Store:
    """The same rows for the same fleet, of whatever database."""
    store = open_store(place)
    batch: dict[sa.Table, list[dict[str, object]]] = {table: [] for table in (runs_table, lives_table, samples_table, logs_table)}
    drawn = _Drawn(fleet)
    for number, (run, key) in enumerate(_nights(fleet), 1):
        count, rows = drawn.columns(key)
        batch[runs_table].append(run_row(run) | {"number": number, "id": run.id, "sample_count": count, "label": run.label})
        batch[lives_table].append(life_row(None, Left(), None) | {"run": number})
        batch[samples_table] += [row | {"run": number} for row in rows]
        if len(batch[runs_table]) >= AT_ONCE:
            _flush(store, batch)
    _flush(store, batch)
    return store


def _flush(store: Store, batch: dict[sa.Table, list[dict[str, object]]]) -> None:
    with store.writing() as connection:
        insert(connection, batch)
    for rows in batch.values():
        rows.clear()


class _Key(NamedTuple):
    """Which of the pool's nights it is, in thousandths how slow the board is and its one test, and whether the night failed."""

    night: int
    level: int
    slower: int
    failed: bool


class _Drawn:
    """The columns of each key, made once: a fleet has few thousand of them."""

    def __init__(self, fleet: Fleet) -> None:
        truth = Truth(noise=0.004)
        self._pool = [make_run(truth, fleet.seed * POOL + at, fleet.boots, fleet.iterations).samples for at in range(POOL)]
        self._columns: dict[_Key, tuple[int, list[dict[str, Any]]]] = {}

    def columns(self, key: _Key) -> tuple[int, list[dict[str, Any]]]:
        if key not in self._columns:
            samples = self._pool[key.night]
            night = samples[: len(samples) // 2] if key.failed else samples
            scaled = [_scaled(sample, key.level / 1000, key.slower / 1000) for sample in night]
            self._columns[key] = len(scaled), column_rows(scaled, 0)
        return self._columns[key]


def _nights(fleet: Fleet) -> Iterator[tuple[Run, _Key]]:
    rng = np.random.default_rng(fleet.seed)
    factors = 1 + BETWEEN_BOARDS * rng.standard_normal(fleet.boards)
    for night in range(fleet.nights):
        day = START + timedelta(days=night)
        for board in range(fleet.boards):
            if rng.random() < REPLACED:
                factors[board] = 1 + BETWEEN_BOARDS * rng.standard_normal()
            factor = factors[board] * (1 + DRIFT_A_YEAR * night / 365)
            slower = SLOWER if board in fleet.regressed and day == fleet.last else 1.0
            failed = rng.random() < FAILS and day != fleet.last
            key = _Key(int(rng.integers(POOL)), round(1000 * factor), round(1000 * slower), failed)
            status = RunStatus.PARTIAL if failed else RunStatus.COMPLETE
            started = (day + timedelta(seconds=40 * board)).strftime("%Y-%m-%dT%H:%M:%SZ")
            build = Build(f"v2.{8 + night // 180}", None, (), None)
            platform = f"{MODELS[board % len(MODELS)]} {board:03}"
            of_night = replace(
                MODEL, id=f"psci-{night:04x}-{board:03x}", status=status, started_utc=started, build=build, platform=platform
            )
            yield of_night, key


def _scaled(sample: Sample, factor: float, slower: float) -> Sample:
    return replace(sample, value_ticks=round(sample.value_ticks * factor * (slower if sample.test == REGRESSING_TEST else 1.0)))
