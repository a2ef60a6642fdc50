# SPDX-License-Identifier: BSD-3-Clause
"""One damaged row costs one run, by name, and no other."""

import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from latlab.core.errors import DataError
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import CoreId, CoreTrace, Problem, Sample
from latlab.core.store.checksums import PARTS
from latlab.core.store.listing import figure_samples, heads, remove
from latlab.core.store.schema import lives_table, runs_table
from latlab.core.store.store import Store, open_store
from support.runs import unfinished_run

TRACE = CoreTrace("t", 0, 0, CoreId(0, 0), ())
PLACES = [
    (table.name, column.name)
    for table in (runs_table, lives_table, *PARTS)
    for column in table.columns
    if column.name not in ("number", "run", "id")
]
VALUES = st.one_of(
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.floats(allow_nan=False),
    st.text(max_size=6),
    st.binary(max_size=6),
    st.sampled_from(["", "{}", "[]", "[1]", "null", '{"a":1}', "x,y", "1,,2", "0.x", "spans", "running", "-1", "1e400"]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(PLACES), VALUES)
@example(("logs", "checksum"), "1E400")
def test_a_damaged_row_is_named_and_left_out_and_the_other_runs_are_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, place: tuple[str, str], value: object
) -> None:
    path = tmp_path / "store.sqlite"
    path.unlink(missing_ok=True)
    store = open_store(str(path))
    bad, good = store.begin(unfinished_run()), store.begin(unfinished_run())
    store.add(bad, [Sample("t", Metric.POWERDOWN, CoreId(0, 0), 0, 0, 5)], [TRACE], [Problem(1, "a CRC")], {"console": b"x"})
    written, listed = store.load(bad), heads(store)
    table, column = place
    owner = "number" if table == "runs" else "run"
    with sqlite3.connect(path) as connection:
        connection.execute(f"update {table} set {column} = ? where {owner} = (select number from runs where id = ?)", (value, bad))
    connection.close()

    caplog.clear()
    with caplog.at_level(logging.WARNING):
        read = [run.id for run in store.runs()]
        lives = [life.run_id for life in store.unfinished_runs()]
    assert good in read and good in lives
    for line in caplog.messages:
        assert f"run {bad} in" in line and f"latlab runs rm {bad}" in line
    assert bad in read or caplog.messages
    try:
        assert store.load(bad) == written
        assert store.logs(bad) == {"console": b"x"}
    except DataError as error:
        assert f"run {bad} in" in str(error) and "\n" not in str(error)
    else:
        assert bad in read
    assert len(heads(store)) == 2
    assert heads(store) == listed or caplog.messages
    assert not any(isinstance(value, bytes) for head in heads(store) for value in head)
    remove(store, [bad])
    assert [head.id for head in heads(store)] == [good]
    store.close()


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("sample_columns", "columns", "x,y"),
        ("sample_columns", "test", b"t"),
        ("trace_columns", "columns", "x,y"),
        ("problems", "line", "x"),
        ("logs", "name", b"x"),
        ("logs", "data", "nan"),
        ("runs", "kind", "wakeups"),
        ("runs", "kind", "none"),
        ("runs", "tick_value", float("inf")),
        ("lives", "phase", b"x"),
    ],
)
@pytest.mark.parametrize("read", [Store.runs, Store.unfinished_runs, Store.load, Store.logs, lambda store, run: store.log(run, "console")])
def test_what_is_damaged_keeps_nobody_from_writing(
    tmp_path: Path, table: str, column: str, value: object, read: Callable[..., object]
) -> None:
    """Not even while what was raised is looked at, which keeps all that was being read: a row of it stays behind the damaged one."""
    store = open_store(str(tmp_path / "store.sqlite"))
    bad = store.begin(unfinished_run())
    for place in range(3):
        logs = {name: b"x" for name in (f"console{place}", "console")}
        store.add(bad, [Sample("t", Metric.POWERDOWN, CoreId(0, 0), place, 0, 5)], [TRACE], [Problem(1, "a CRC")], logs)
    other = sqlite3.connect(store.place.opened, timeout=0)
    other.execute(f"update {table} set {column} = ? where rowid = 1", (value,))
    other.commit()
    try:
        read(store) if read in (Store.runs, Store.unfinished_runs) else read(store, bad)
    except DataError as error:
        kept = error
        assert kept.__cause__ is not None
    finally:
        other.execute("update runs set label = 'mended'")
        other.commit()
    other.close()
    store.close()


@pytest.mark.parametrize("value", ["x'00ff'", "x''", "''", "cast(x'ff41' as text)", "'a' || char(10) || 'b'"])
def test_a_run_whose_id_no_one_can_write_gets_one_and_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture, value: str) -> None:
    path = tmp_path / "store.sqlite"
    store = open_store(str(path))
    store.begin(unfinished_run())
    good = store.begin(unfinished_run())
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"update runs set id = {value} where number = 1")
    connection.close()

    with caplog.at_level(logging.WARNING):
        store = open_store(str(path))
    named = store.resolve("damaged-")
    assert [line for line in caplog.messages if "run number 1 in" in line and named in line] == caplog.messages != []
    assert [run.id for run in store.runs()] == [good]
    with pytest.raises(DataError, match=f"run {named} in .* is damaged"):
        store.load(named)
    remove(store, [named])
    assert [head.id for head in heads(store)] == [good]
    store.close()


def test_text_that_is_no_utf_8_costs_its_run_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "store.sqlite"
    store = open_store(str(path))
    bad, good = store.begin(unfinished_run()), store.begin(unfinished_run())
    with sqlite3.connect(path) as connection:
        connection.execute("update runs set firmware = cast(x'ff' as text) where id = ?", (bad,))
    connection.close()
    assert [run.id for run in store.runs()] == [good]
    assert [f"run {bad} in" in line for line in caplog.messages] == [True]
    assert len(heads(store)) == 2
    store.close()


@pytest.mark.parametrize("damaged", ["UPDATE runs SET firmware = 'another'", "UPDATE sample_columns SET columns = x'00'"])
def test_a_figure_over_runs_names_a_damaged_one_and_leaves_it_out(tmp_path: Path, caplog: pytest.LogCaptureFixture, damaged: str) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    sample = Sample("t", Metric.POWERDOWN, CoreId(0, 0), 0, 0, 5)
    ids = [store.begin(unfinished_run()) for _ in range(3)]
    for run_id in ids:
        store.add(run_id, [sample])
        store.finish(run_id, RunStatus.COMPLETE)
    with sqlite3.connect(store.place.opened) as connection:
        connection.execute(f"{damaged} WHERE number = 2")
    connection.close()
    assert [head.id for head, _ in figure_samples(store, "t", Metric.POWERDOWN)] == [ids[0], ids[2]]
    assert [f"run {ids[1]} in" in line for line in caplog.messages] == [True]
    store.close()
