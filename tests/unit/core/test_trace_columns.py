# SPDX-License-Identifier: BSD-3-Clause
"""Traces as columns come back as they arrived, and a column that nobody wrote is damage."""

import zlib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.model.enums import RunStatus
from latlab.core.model.run import CoreId, CoreTrace, TraceRecord
from latlab.core.store.store import Store, open_store
from latlab.core.store.trace_columns import trace_rows, traces_of
from support.runs import unfinished_run

COUNTS = st.integers(0, 1 << 40)
TEXTS = st.sampled_from(["susp_deep_serial", "ENTER_PSCI", "EXIT_PSCI", ""])
RECORDS = st.builds(TraceRecord, COUNTS, st.integers(-(1 << 62), 1 << 62), TEXTS, st.integers(0, (1 << 64) - 1))
CORES = st.builds(CoreId, st.integers(0, 9), st.integers(0, 300))
TRACES = st.builds(CoreTrace, TEXTS, st.integers(0, 99), COUNTS, CORES, st.lists(RECORDS, max_size=5).map(tuple), COUNTS)
WHOLE = [["t", "e"], [0, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0], [1, 0], [0], [5], [1], [7]]
"""Two traces, one of which has a record."""


@given(st.lists(st.lists(TRACES, max_size=6), max_size=4))
def test_traces_come_back_in_the_order_in_which_they_arrived(parts: list[list[CoreTrace]]) -> None:
    rows = [row for part in parts for row in trace_rows(part)]
    assert list(traces_of(rows)) == [trace for part in parts for trace in part]


def packed(columns: object) -> dict[str, bytes]:
    return {"columns": zlib.compress(msgspec.json.encode(columns))}


def test_a_whole_column_is_read() -> None:
    assert len(list(traces_of([packed(WHOLE)]))) == 2


@pytest.mark.parametrize("place", range(len(WHOLE)))
@pytest.mark.parametrize("value", [[], [0, 0, 0], ["1", "2"], [1.5], [-1, 2], [9, 9]])
def test_columns_that_are_none_are_damage(place: int, value: list[object]) -> None:
    columns = [*WHOLE[:place], value, *WHOLE[place + 1 :]]
    is_another = place in (2, 3, 4, 5, 6) and len(value) == 2 and all(isinstance(number, int) for number in value)
    is_another |= place == 0 and value == ["1", "2"]
    if is_another:
        assert len(list(traces_of([packed(columns)]))) == 2
        return
    with pytest.raises(ValueError):
        list(traces_of([packed(columns)]))


def rows_of(store: Store) -> int:
    with store.transaction() as connection:
        return int(connection.exec_driver_sql("SELECT count(*) FROM trace_columns").scalar_one())


def test_a_finished_run_has_one_row_and_the_same_traces(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    run_id = store.begin(unfinished_run())
    traces = tuple(CoreTrace("t", 0, at, CoreId(0, at % 2), (TraceRecord(at, 100 * at, "ENTER_PSCI", at),), at) for at in range(9))
    for start in range(0, len(traces), 4):
        store.add(run_id, traces=traces[start : start + 4])
    assert (rows_of(store), store.load(run_id).traces) == (3, traces)
    store.finish(run_id, RunStatus.COMPLETE)
    assert (rows_of(store), store.load(run_id).traces) == (1, traces)


def test_a_damaged_part_is_no_hindrance_to_the_end_of_its_run(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    run_id = store.begin(unfinished_run())
    for at in range(2):
        store.add(run_id, traces=[CoreTrace("t", 0, at, CoreId(0, 0), ())])
    with store.transaction() as connection:
        connection.exec_driver_sql("UPDATE trace_columns SET columns = x'00' WHERE number = 1")
    store.finish(run_id, RunStatus.PARTIAL)
    assert rows_of(store) == 2 and store.runs()[0].status is RunStatus.PARTIAL
