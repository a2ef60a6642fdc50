# SPDX-License-Identifier: BSD-3-Clause
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import event, exc

from latlab.core.errors import DataError, LatlabError, UsageError
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import CallsOfKind, CoreId, FunctionShare, Problem, Sample, SpanFunctions, Topology
from latlab.core.store import function_files as functions
from latlab.core.store.address import StoreAddress
from latlab.core.store.database_errors import BUSY_TIMEOUT_S, ConnectionLost, as_sentence
from latlab.core.store.listing import heads
from latlab.core.store.store import Store, open_store
from latlab.psci.analysis.spans import samples_of
from support.command import latlab
from support.places import TESTS
from support.runs import unfinished_run
from support.store_writers import PARTS, readings_of_a_run_that_is_written
from support.synthetic import Model

RUN = unfinished_run()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store.sqlite"))


@pytest.mark.parametrize("place", [":memory:", "sqlite://", "sqlite:///", "sqlite:///:memory:"])
def test_a_store_that_would_be_lost_is_refused(place: str) -> None:
    with pytest.raises(UsageError, match="is in memory only"):
        open_store(place)


@pytest.mark.parametrize("damage", ["update sample_columns set columns='abc'", "update runs set tick_value=0"])
def test_a_store_whose_figures_are_none_is_called_damaged(tmp_path: Path, damage: str) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    run_id = store.begin(RUN)
    store.add(run_id, samples=[Sample("t", Metric.POWERDOWN, CoreId(0, 0), 0, 0, 5)])
    with sqlite3.connect(tmp_path / "store.sqlite") as connection:
        connection.execute(damage)
    with pytest.raises(DataError, match="damaged"):
        store.load(run_id)


def test_the_functions_of_spans_are_kept_beside_the_run_and_damage_there_is_named(store: Store) -> None:
    found = (SpanFunctions("t", Metric.POWERDOWN, CoreId(0, 1), 2, (FunctionShare("f", "f.c:3", 40),)),)
    run_id, other = store.begin(RUN), store.begin(RUN)
    store.add(run_id, logs={functions.FUNCTIONS_LOG: functions.render_functions(found), "console": b"x"})
    assert (store.load(run_id).functions, store.load(other).functions) == (found, ())
    store.add(other, logs={functions.FUNCTIONS_LOG: b'[{"test": 5}]'})
    with pytest.raises(DataError, match="damaged"):
        store.load(other)


def test_a_call_of_which_each_one_failed_is_known_of_a_stored_run_and_damage_there_is_named(store: Store) -> None:
    """One that failed inside another call, or from one of its callers alone, was not refused."""

    def kind(name: str, errors: dict[str, int], caller: str = "S", is_inner: bool = False) -> CallsOfKind:
        return CallsOfKind(caller, "call", name, is_inner, ((200, 2), (210, 1)), 0, (), (), errors=tuple(errors.items()))

    kinds = (
        kind("fwft.get", {"NOT_SUPPORTED": 3}),
        kind("fwft.get", {"INVALID_PARAM": 1, "NOT_SUPPORTED": 2}, "U"),
        kind("hsm.hart_start", {"INVALID_PARAM": 2}),
        kind("base.get_impl_id", {}),
        kind("sta.steal_time_set_shmem", {"NOT_SUPPORTED": 3}),
        kind("sta.steal_time_set_shmem", {}, "U"),
        kind("TRNG_RND", {"NO_ENTROPY": 3}, is_inner=True),
    )
    run_id, other = store.begin(RUN), store.begin(RUN)
    store.add(run_id, logs={functions.KINDS_LOG: functions.render_functions(kinds)})
    assert (store.load(run_id).refused, store.load(other).refused) == ((("fwft.get", "INVALID_PARAM, NOT_SUPPORTED"),), ())
    store.add(other, logs={functions.KINDS_LOG: b'[{"name": 5}]'})
    with pytest.raises(DataError, match="damaged"):
        store.load(other)


def test_what_goes_into_the_store_comes_out(store: Store) -> None:
    iterations = list(Model(Topology((1, 2)), 2).iterations())
    run_id = store.begin(RUN)
    problems = (Problem(3, "a CRC"), Problem(0, "it ended"))
    for iteration in iterations:
        store.add(run_id, samples_of(iteration.traces), iteration.traces)
    store.add(run_id, problems=problems)
    store.finish(run_id, RunStatus.COMPLETE)
    kept = store.load(run_id)
    assert kept.samples == tuple(sample for iteration in iterations for sample in samples_of(iteration.traces))
    assert kept.traces == tuple(trace for iteration in iterations for trace in iteration.traces)
    assert kept.problems == problems
    assert kept.status is RunStatus.COMPLETE
    facts = (
        "campaign",
        "target",
        "platform",
        "topology",
        "tick",
        "build",
        "lead",
        "capture_cost_ticks",
        "started_utc",
        "emulator",
        "command",
    )
    assert all(getattr(kept, name) == getattr(RUN, name) for name in (*facts, "facts"))


def test_a_log_that_comes_in_parts_is_whole(store: Store) -> None:
    run_id = store.begin(RUN)
    for part in (b"one\r\n", b"\x00\xfftwo", b""):
        store.add(run_id, logs={"console": part})
    assert store.logs(run_id) == {"console": b"one\r\n\x00\xfftwo"}


def test_a_run_that_is_not_finished_is_running_and_keeps_what_arrived(tmp_path: Path) -> None:
    place = str(tmp_path / "store.sqlite")
    writer = open_store(place)
    run_id = writer.begin(RUN)
    iteration = next(Model(Topology((1, 2))).iterations())
    writer.add(run_id, samples_of(iteration.traces))
    reader = open_store(place)
    assert reader.load("last").status is RunStatus.RUNNING
    assert [(head.id, head.samples) for head in heads(reader)] == [(run_id, 9)]


def test_a_run_is_found_by_last_by_id_and_by_a_unique_beginning(store: Store) -> None:
    first, second = store.begin(RUN), store.begin(RUN)
    assert store.resolve("last") == second
    assert store.resolve(first) == first
    length = next(n for n in range(1, 20) if not second.startswith(first[:n]))
    assert store.resolve(first[:length]) == first
    with pytest.raises(UsageError, match="is the beginning of"):
        store.resolve("psci-")
    with pytest.raises(UsageError, match="no run 'rt-'"):
        store.resolve("rt-")


def test_an_empty_store_says_how_to_make_a_run(store: Store) -> None:
    with pytest.raises(UsageError, match="latlab run psci"):
        store.resolve("last")


WRITER = """
import sys
sys.path.insert(0, sys.argv[2])
from support.synthetic import Model
from support.runs import unfinished_run
from latlab.psci.analysis.spans import samples_of
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Topology
from latlab.core.store.store import open_store
store = open_store(sys.argv[1])
run_id = store.begin(unfinished_run())
for iteration in Model(Topology((1, 2)), 5).iterations():
    store.add(run_id, samples_of(iteration.traces), iteration.traces, logs={"console": b"x" * 1000})
store.finish(run_id, RunStatus.COMPLETE)
"""


def test_several_processes_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    place = str(tmp_path / "store.sqlite")
    command = [sys.executable, "-c", WRITER, place, str(TESTS)]
    writers = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(4)]
    for writer in writers:
        _, errors = writer.communicate(timeout=120)
        assert writer.returncode == 0, errors.decode()
    store = open_store(place)
    assert len(store.runs()) == 4
    assert {head.samples for head in heads(store)} == {5 * 3 * (5 * 3 + 1)}
    assert all(len(store.logs(run.id)["console"]) == 30 * 1000 for run in store.runs())


def test_a_run_that_is_written_is_read_as_it_was_at_one_moment(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    runs = readings_of_a_run_that_is_written(str(tmp_path / "store.sqlite"))
    assert all(len(run.samples) == len(run.problems) for run in runs) and not caplog.messages
    assert len(runs[-1].samples) == PARTS and runs[-1].label == f"label {PARTS - 1}"


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    place.write_bytes(b"this is not a database" * 100)
    with pytest.raises(DataError, match="not a store that can be read"):
        open_store(str(place))


def test_a_store_of_another_schema_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    open_store(str(place)).close()
    with sqlite3.connect(place) as connection:
        connection.execute("update latlab_schema set version = 99")
    with pytest.raises(DataError, match="has schema 99"):
        open_store(str(place))


def test_a_damaged_row_is_named_and_not_a_fault(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    store = open_store(str(place))
    run_id = store.begin(RUN)
    store.add(run_id, traces=next(Model(Topology((1, 2))).iterations()).traces)
    with sqlite3.connect(place) as connection:
        connection.execute("update trace_columns set columns = x'00'")
    with pytest.raises(DataError, match="damaged"):
        store.load(run_id)


def test_a_full_disk_is_named_and_what_came_before_is_kept(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    store = open_store(str(place))
    run_id = store.begin(RUN)
    with store._engine.connect() as connection:
        pages = connection.exec_driver_sql("pragma page_count").scalar_one()

    @event.listens_for(store._engine, "connect")
    @event.listens_for(store._engine, "checkout")
    def limit(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute(f"pragma max_page_count = {pages + 1}")

    with pytest.raises(Exception, match="the disk is full") as caught:
        store.add(run_id, logs={"console": random.Random(1).randbytes(1 << 20)})
    assert getattr(caught.value, "exit_code", 0) == 3
    assert open_store(str(place)).resolve("last") == run_id


def test_an_address_that_is_no_database_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="neither a path nor a database URL"):
        open_store("nonsense://here")


def test_a_folder_that_cannot_be_made_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot hold the store"):
        open_store(str(tmp_path / "file" / "store.sqlite"))


@pytest.mark.parametrize(
    ("said", "kind", "sentence"),
    [
        ("connection to server failed", UsageError, "the database cannot be reached (connection to server failed)"),
        ("database is locked", UsageError, f"another process has held the store for {BUSY_TIMEOUT_S} s"),
        ("database or disk is full", LatlabError, "the disk is full"),
        ("unable to open database file", UsageError, "cannot be opened for writing"),
        ("attempt to write a readonly database", UsageError, "cannot be opened for writing"),
        ("file is not a database", DataError, "not a store that can be read"),
        ("database disk image is malformed", DataError, "not a store that can be read"),
        ("no such column: kind", DataError, "not a store that can be read"),
        ("disk I/O error", DataError, "not a store that can be read"),
        ("anything else\nand where", LatlabError, "the store failed (anything else); check it"),
    ],
)
def test_whatever_a_database_raises_is_a_sentence_with_what_to_do(said: str, kind: type[LatlabError], sentence: str) -> None:
    error = exc.DBAPIError("select", {}, sqlite3.OperationalError(said))
    explained = as_sentence(error, StoreAddress("here.sqlite"), was_reached=False)
    assert type(explained) is kind and str(explained).startswith("here.sqlite: ") and sentence in str(explained)


def test_a_database_that_goes_away_later_has_kept_what_was_committed() -> None:
    error = exc.DBAPIError("select", {}, sqlite3.OperationalError("connection reset"))
    explained = as_sentence(error, StoreAddress("postgresql://there"), was_reached=True)
    assert type(explained) is ConnectionLost and "the connection to the database was lost (connection reset)" in str(explained)


def test_a_checkpoint_stands_in_place_of_the_one_before_it(store: Store) -> None:
    run_id, other = store.begin(RUN), store.begin(RUN)
    store.checkpoint(other, {"console": b"another's"})
    store.checkpoint(run_id, {"console": b"one", "record": b"kept"}, "settling")
    store.checkpoint(run_id, {"console": b"one and two"})
    assert store.logs(run_id) == {"console": b"one and two", "record": b"kept"}
    assert store.logs(other) == {"console": b"another's"} and store.log(run_id, "nothing") == b""
    assert [life.phase for life in store.unfinished_runs()] == ["settling", ""]


READING = (
    *(("ls",), ("show", "last"), ("explain", "last"), ("extremes", "last"), ("report", "last"), ("export", "last"), ("fit", "last")),
    *(("compare", "last~1", "last"), ("gate", "last~1", "last"), ("history", "a/wakeup"), ("regressions",), ("design", "show", "last")),
    *(("publish", "site", "site"), ("serve",), ("serve", "--mcp"), ("doctor",), ("runs", "rm", "a"), ("runs", "restore")),
    *(("runs", "empty"), ("runs", "prune", "--keep", "1"), ("runs", "label", "a", "b"), ("runs", "recover")),
)


@pytest.mark.parametrize("verb", READING)
@pytest.mark.parametrize("content", [None, b""])
@pytest.mark.parametrize("form", ["{}", "sqlite:///{}", "sqlite+pysqlite:///file:{}?uri=true"])
def test_who_only_reads_makes_no_store_of_a_name_with_a_typing_error(tmp_path, verb, content, form, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "typo.sqlite"
    if content is not None:
        place.write_bytes(content)
    for done in (latlab(*verb, "--store", form.format(place)), latlab(*verb, store=form.format(place))):
        is_told = ("there is no such store" if content is None else "the file is empty") in done.stderr
        assert (done.returncode == 2 and is_told) or verb == ("doctor",), (done.returncode, done.stderr)
    assert list(tmp_path.iterdir()) == ([place] if content is not None else []) and (content is None or not place.stat().st_size)


def test_who_only_reads_makes_no_tables_in_a_database_of_another_program(tmp_path):
    place = tmp_path / "theirs.sqlite"
    with closing(sqlite3.connect(place)) as theirs:
        theirs.execute("CREATE TABLE theirs (name TEXT)")
    before = place.read_bytes()
    done = latlab("ls", "--store", str(place))
    assert done.returncode == 2 and "there is no store in this database" in done.stderr and place.read_bytes() == before


@pytest.mark.parametrize("form", ["{}", "sqlite:///{}", "sqlite+pysqlite:///file:{}?uri=true"])
def test_a_new_store_is_its_owners_alone(tmp_path, form):
    place = tmp_path / "new" / "store.sqlite"
    store = open_store(form.format(place))
    store.begin(unfinished_run())
    assert {file.stat().st_mode & 0o777 for file in place.parent.iterdir()} == {0o600}
    place.chmod(0o644)
    open_store(str(place))
    assert place.stat().st_mode & 0o777 == 0o644, "what its owner has opened to others stays so"
