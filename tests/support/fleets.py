# SPDX-License-Identifier: BSD-3-Clause
"""A fleet as a laboratory has it: boards of a few models that are measured every night, drift, fail and are replaced, under firmware and
kernels that change. Some boards regress on a night that is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

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

START = datetime(2024, 1, 1, 2)
MODELS = ("juno", "n1sdp", "rk3588", "imx93")
POOL = 24
"""Measured nights of a model, of which each board's nights are drawn."""
AT_ONCE = 400
DRIFT_A_YEAR, BETWEEN_BOARDS = 0.002, 0.01
FAILS, REPLACED = 0.01, 0.001
SLOWER = 1.3
REGRESSING_TEST = "susp_deep_serial"


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
    for number, (run, samples) in enumerate(_nights(fleet), 1):
        whole = run_row(run) | {"number": number, "id": run.id, "sample_count": len(samples), "label": run.label}
        batch[runs_table].append(whole)
        batch[lives_table].append(life_row(None, Left(), None) | {"run": number})
        batch[samples_table] += [row | {"run": number} for row in column_rows(samples, 0)]
        if len(batch[runs_table]) >= AT_ONCE:
            _flush(store, batch)
    _flush(store, batch)
    return store


def _flush(store: Store, batch: dict[sa.Table, list[dict[str, object]]]) -> None:
    with store.transaction() as connection:
        for table, rows in batch.items():
            if rows:
                connection.execute(table.insert(), rows)
                rows.clear()


def _nights(fleet: Fleet) -> Iterator[tuple[Run, tuple[Sample, ...]]]:
    rng = np.random.default_rng(fleet.seed)
    truth = Truth(noise=0.004)
    pool = [make_run(truth, fleet.seed * POOL + at, fleet.boots, fleet.iterations) for at in range(POOL)]
    factors = 1 + BETWEEN_BOARDS * rng.standard_normal(fleet.boards)
    for night in range(fleet.nights):
        day = START + timedelta(days=night)
        for board in range(fleet.boards):
            if rng.random() < REPLACED:
                factors[board] = 1 + BETWEEN_BOARDS * rng.standard_normal()
            factor = factors[board] * (1 + DRIFT_A_YEAR * night / 365)
            slower = SLOWER if board in fleet.regressed and day == fleet.last else 1.0
            failed = rng.random() < FAILS and day != fleet.last
            run = pool[rng.integers(POOL)]
            samples = tuple(_scaled(sample, factor, slower) for sample in (run.samples[: len(run.samples) // 2] if failed else run.samples))
            status = RunStatus.PARTIAL if failed else RunStatus.COMPLETE
            started = (day + timedelta(seconds=40 * board)).strftime("%Y-%m-%dT%H:%M:%SZ")
            build = Build(f"v2.{8 + night // 180}", None, run.build.options, None)
            platform = f"{MODELS[board % len(MODELS)]} {board:03}"
            of_night = replace(run, id=f"psci-{night:04x}-{board:03x}", status=status, started_utc=started, build=build, platform=platform)
            yield of_night, samples


def _scaled(sample: Sample, factor: float, slower: float) -> Sample:
    return replace(sample, value_ticks=round(sample.value_ticks * factor * (slower if sample.test == REGRESSING_TEST else 1.0)))


def main(boards: int, nights: int, place: Path | str) -> None:
    write(Fleet(boards, nights, frozenset(range(0, boards, 100))), str(place))
