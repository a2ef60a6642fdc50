# SPDX-License-Identifier: BSD-3-Clause
"""Samples as columns come back as they arrived, and a column that nobody wrote is damage."""

import zlib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import CoreId, Sample
from latlab.core.store.sample_columns import column_rows, samples_of
from latlab.core.store.store import Store, open_store
from support.runs import unfinished_run

COUNTS = st.integers(0, 1 << 40)
SAMPLES = st.builds(
    Sample,
    st.sampled_from(["susp_deep_serial", "cpu_off_serial", ""]),
    st.sampled_from(Metric),
    st.builds(CoreId, st.integers(0, 9), st.integers(0, 300)),
    st.integers(0, 99),
    COUNTS,
    st.integers(-(1 << 62), 1 << 62),
)


@given(st.lists(st.lists(SAMPLES, max_size=20), max_size=6))
def test_samples_come_back_in_the_order_in_which_they_arrived(parts: list[list[Sample]]) -> None:
    rows, first = [], 0
    for part in parts:
        rows += column_rows(part, first)
        first += len(part)
    assert list(samples_of(rows)) == [sample for part in parts for sample in part]


@pytest.mark.parametrize(
    "columns",
    [
        [],
        [[1], [0], [0], [0], [0]],
        [[1], [0], [0], [0], [0], [1, 2]],
        [[1], [0], [0], [0], [0], ["1"]],
        [[1], [0], [0], [0], [0], [1.5]],
    ],
)
def test_columns_that_are_none_are_damage(columns: list[object]) -> None:
    row = {"test": "t", "metric": "powerdown", "columns": zlib.compress(msgspec.json.encode(columns))}
    with pytest.raises(ValueError):
        list(samples_of([row]))


def _rows_of(store: Store) -> int:
    with store.transaction() as connection:
        return int(connection.exec_driver_sql("SELECT count(*) FROM sample_columns").scalar_one())


def test_a_finished_run_has_one_row_for_each_figure_and_the_same_samples(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    run_id = store.begin(unfinished_run())
    samples = [Sample("t", metric, CoreId(0, core), 0, at, at) for at in range(5) for core in (0, 1) for metric in list(Metric)[:2]]
    for start in range(0, len(samples), 4):
        store.add(run_id, samples[start : start + 4])
    assert (_rows_of(store), store.load(run_id).samples) == (10, tuple(samples))
    store.finish(run_id, RunStatus.COMPLETE)
    assert (_rows_of(store), store.load(run_id).samples) == (2, tuple(samples))


def test_a_damaged_part_is_no_hindrance_to_the_end_of_its_run(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    run_id = store.begin(unfinished_run())
    for at in range(2):
        store.add(run_id, [Sample("t", Metric.WAKEUP, CoreId(0, 0), 0, at, at)])
    with store.transaction() as connection:
        connection.exec_driver_sql("UPDATE sample_columns SET columns = x'00' WHERE number = 1")
    store.finish(run_id, RunStatus.PARTIAL)
    assert _rows_of(store) == 2 and store.runs()[0].status is RunStatus.PARTIAL
