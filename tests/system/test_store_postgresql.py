# SPDX-License-Identifier: BSD-3-Clause
"""The store on a real PostgreSQL server that the test starts itself."""

import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from latlab.core.errors import DataError, LatlabError, UsageError
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Problem
from latlab.core.store.database_errors import ConnectionLost
from latlab.core.store.listing import remove, set_label
from latlab.core.store.owner import this_process, whoami
from latlab.core.store.schema import SCHEMA_VERSION
from latlab.core.store.store import Store, open_store
from support.command import latlab
from support.ladder_model import Truth, make_run
from support.places import ROOT, TESTS
from support.postgres import Server
from support.postgres import server as postgres_server
from support.store_writers import PARTS, readings_of_a_run_that_is_written

pytestmark = pytest.mark.postgres

WRITERS = 4
PASSES = 5

WRITER = """
import sys
sys.path[:0] = sys.argv[2].split(":")
from support.ladder_model import Truth, make_run
from latlab.core.model.enums import RunStatus
from latlab.core.store.store import open_store

store = open_store(sys.argv[1])
for seed in range(int(sys.argv[3])):
    run = make_run(Truth(tests=("cpu_susp_serial",)), seed)
    run_id = store.begin(run)
    for sample in run.samples:
        store.add(run_id, [sample])
    store.finish(run_id, RunStatus.COMPLETE)
"""


@pytest.fixture(name="pg", scope="module")
def fixture_pg() -> Iterator[Server]:
    with postgres_server() as started:
        yield started


@pytest.fixture(name="server")
def fixture_server(pg: Server) -> str:
    return pg.url


def test_a_run_comes_back_as_it_went_in(server):
    store = open_store(server)
    run = make_run(Truth(), 1, boots=2)
    run_id = store.begin(run)
    store.add(run_id, run.samples, logs={"console": b"\x00\xffraw"})
    store.finish(run_id, RunStatus.COMPLETE)
    loaded = store.load(run_id)
    assert loaded.samples == run.samples and loaded.topology == run.topology and loaded.status is RunStatus.COMPLETE
    assert store.logs(run_id) == {"console": b"\x00\xffraw"}


def test_writers_at_the_same_time_lose_nothing_and_mix_nothing(server):
    paths = ":".join([str(TESTS), *sys.path])
    before = {run.id for run in open_store(server).runs()}
    command = [sys.executable, "-c", WRITER, server, paths, str(PASSES)]
    writers = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(WRITERS)]
    errors = [writer.communicate(timeout=120)[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * WRITERS, errors
    store = open_store(server)
    written = [run.id for run in store.runs() if run.id not in before]
    assert len(written) == len(set(written)) == WRITERS * PASSES
    expected = {make_run(Truth(tests=("cpu_susp_serial",)), seed).samples for seed in range(PASSES)}
    assert {store.load(run_id).samples for run_id in written} <= expected


def test_a_run_that_is_written_is_read_as_it_was_at_one_moment(server: str, caplog: pytest.LogCaptureFixture) -> None:
    runs = readings_of_a_run_that_is_written(server)
    assert all(len(run.samples) == len(run.problems) for run in runs) and not caplog.messages
    assert len(runs[-1].samples) == PARTS and runs[-1].label == f"label {PARTS - 1}"


def test_a_connection_that_is_cut_between_two_parts_costs_the_run_nothing(pg: Server, server: str) -> None:
    store, run = open_store(server), make_run(Truth(tests=("cpu_susp_serial",)), 1)
    run_id = store.begin(run)
    store.add(run_id, run.samples[:5])
    pg.cut()
    store.add(run_id, run.samples[5:])
    store.finish(run_id, RunStatus.COMPLETE)
    assert open_store(server).load(run_id).samples == run.samples


def test_a_server_that_is_restarted_between_two_parts_is_waited_for(pg: Server, server: str) -> None:
    store, run = open_store(server), make_run(Truth(tests=("cpu_susp_serial",)), 1)
    run_id = store.begin(run)
    store.add(run_id, run.samples[:5])
    pg.stop()
    later = threading.Thread(target=pg.start)
    later.start()
    try:
        store.add(run_id, run.samples[5:])
    finally:
        later.join()
    assert open_store(server).load(run_id).samples == run.samples


@pytest.mark.parametrize("restarts", [Server.cut, Server.restart])
def test_a_connection_that_is_cut_inside_a_part_costs_the_run_nothing(
    pg: Server, server: str, monkeypatch: pytest.MonkeyPatch, restarts: Callable[[Server], None]
) -> None:
    """Inside each kind of transaction that a run is made of, once."""
    run = make_run(Truth(tests=("cpu_susp_serial",)), 1)
    store = open_store(server)
    run_id, number = store.begin(run, is_planned=True), Store._number
    pending: list[bool] = []

    def cut_then(connection: sa.Connection, of_run: str) -> int:
        found = number(connection, of_run)
        if pending:
            pending.clear()
            restarts(pg)
        return found

    def one_cut(done: Callable[[], object]) -> None:
        pending.append(True)
        done()
        assert not pending

    monkeypatch.setattr(Store, "_number", staticmethod(cut_then))
    one_cut(lambda: store.claim(run_id, None))
    one_cut(lambda: store.update_metadata(run_id, run))
    one_cut(lambda: store.add(run_id, run.samples[:5], logs={"console": b"a"}))
    one_cut(lambda: store.add(run_id, run.samples[5:], problems=[Problem(1, "a CRC")], logs={"console": b"b"}))
    one_cut(lambda: store.checkpoint(run_id, {"record": b"r"}, "measuring"))
    one_cut(lambda: store.finish(run_id, RunStatus.COMPLETE))
    one_cut(lambda: store.logs(run_id))
    loaded = open_store(server).load(run_id)
    assert loaded.samples == run.samples and len(loaded.problems) == 1 and loaded.status is RunStatus.COMPLETE
    assert store.logs(run_id) == {"console": b"ab", "record": b"r"}


def test_what_was_committed_before_the_connection_was_lost_is_there_once(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(Truth(tests=("cpu_susp_serial",)), 1)
    store, whole = open_store(server), Store.transaction
    before = store.count()
    lost = [True]

    @contextmanager
    def lose_the_answer(self: Store) -> Iterator[sa.Connection]:
        with whole(self) as connection:
            yield connection
        if lost and lost.pop():
            raise ConnectionLost("the server ended behind the commit")

    monkeypatch.setattr(Store, "transaction", lose_the_answer)
    run_id = store.begin(run)
    lost.append(True)
    store.add(run_id, run.samples, logs={"console": b"once"})
    lost.append(True)
    store.add(run_id, logs={"console": b" more"}, problems=[Problem(1, "a CRC")])
    lost.append(True)
    set_label(store, run_id, "main")
    lost.append(True)
    store.finish(run_id, RunStatus.COMPLETE)
    loaded = store.load(run_id)
    assert not lost and store.count() == before + 1
    assert loaded.samples == run.samples and len(loaded.problems) == 1 and loaded.label == "main"
    assert store.logs(run_id) == {"console": b"once more"}


def test_a_part_of_which_nobody_knows_whether_it_was_committed_is_said(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(Truth(tests=("cpu_susp_serial",)), 1)
    store, other, whole = open_store(server), open_store(server), Store.writing
    run_id = store.begin(run)
    lost = [True]

    @contextmanager
    def lose_the_answer(self: Store) -> Iterator[sa.Connection]:
        with whole(self) as connection:
            yield connection
        if lost and lost.pop():
            other.add(run_id, logs={"console": b"another process"})
            raise ConnectionLost("the server ended behind the commit")

    monkeypatch.setattr(Store, "writing", lose_the_answer)
    with pytest.raises(DataError, match="the connection to the database was lost while another process changed the run"):
        store.add(run_id, run.samples)


def test_a_server_that_stays_away_is_said_with_what_was_kept(pg: Server, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store, run = open_store(server), make_run(Truth(tests=("cpu_susp_serial",)), 1)
    run_id = store.begin(run)
    store.add(run_id, run.samples[:5])
    monkeypatch.setattr("latlab.core.store.store.RESTART_S", 0)
    monkeypatch.setattr("latlab.core.store.restarts.RESTART_S", 0)
    pg.stop()
    try:
        with pytest.raises(LatlabError, match=r"the connection to the database was lost \(.*\); committed data are kept") as caught:
            store.add(run_id, run.samples[5:])
    finally:
        pg.start()
    assert caught.value.exit_code == 3
    stored = open_store(server)
    assert stored.load(run_id).samples == run.samples[:5]
    stored.finish(run_id, RunStatus.PARTIAL)


def test_first_writers_of_an_empty_database_make_its_tables_once(pg: Server) -> None:
    """Each waits at the door until all are there."""
    url = pg.new_database("empty")
    paths = ":".join([str(TESTS), *sys.path])
    command = [sys.executable, "-c", f"import sys; sys.stdin.readline()\n{WRITER}", url, paths, "1"]
    writers = [subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(8)]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    errors = [writer.communicate(timeout=120)[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 8, errors
    assert [run.status for run in open_store(url).runs()] == [RunStatus.COMPLETE] * 8


def test_an_older_latlab_is_told_in_a_sentence_that_the_store_is_newer(pg: Server) -> None:
    url = pg.new_database("newer")
    open_store(url)
    pg.execute(f"UPDATE latlab_schema SET version = {SCHEMA_VERSION + 1}", database="newer")
    with pytest.raises(DataError, match=f"has schema {SCHEMA_VERSION + 1}, this latlab knows schema {SCHEMA_VERSION};"):
        open_store(url)


def test_last_is_the_newest_run_of_this_user_on_this_host_and_says_so(
    pg: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    url = pg.new_database("shared")
    store, run = open_store(url), make_run(Truth(tests=("cpu_susp_serial",)), 1)
    mine = store.begin(run)
    for owner in (replace(this_process(), user="somebody"), replace(this_process(), host="elsewhere pid:[1]")):
        monkeypatch.setattr("latlab.core.store.store.this_process", lambda owner=owner: owner)
        theirs = store.begin(run)
    assert open_store(url).resolve("last") == mine
    assert f"last is {mine}, among the runs of {whoami()}" in caplog.text
    assert open_store(url).resolve(theirs) == theirs
    with pytest.raises(UsageError, match=r"last~1: .* has 1 run of .*, and 2 of others"):
        open_store(url).resolve("last~1")


def test_a_reader_reads_a_writer_writes_and_neither_does_more(pg: Server) -> None:
    """With the statements that docs/reference/store.md gives."""
    url = pg.new_database("roles")
    open_store(url)
    (block,) = re.findall(r"```sql\n(.*?)```", (ROOT / "docs" / "reference" / "store.md").read_text("utf-8"), re.DOTALL)
    pg.execute(*filter(None, (one.strip() for one in block.split(";"))), database="roles")
    run = make_run(Truth(tests=("cpu_susp_serial",)), 1)
    writer, reader = (open_store(pg.url_of("roles", f"latlab_{role}")) for role in ("writer", "reader"))
    run_id = writer.begin(run, is_planned=True)
    assert writer.claim(run_id, None)
    writer.add(run_id, run.samples)
    writer.finish(run_id, RunStatus.COMPLETE)
    set_label(writer, run_id, "main")
    assert reader.load("latest:main").samples == run.samples
    for forbidden in (lambda: reader.begin(run), lambda: set_label(reader, run_id, "mine"), lambda: remove(reader, [run_id])):
        with pytest.raises(UsageError, match=r"this account lacks the permission .*permission denied"):
            forbidden()
    remove(writer, [run_id])
    assert not reader.runs()


def test_a_server_that_was_never_there_cannot_be_reached(tmp_path: Path) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed; pip install 'latlab[postgresql]'")
    with pytest.raises(UsageError, match="cannot be reached"):
        open_store(f"postgresql+psycopg://latlab@/postgres?host={tmp_path}")


def test_who_only_reads_makes_no_tables_in_a_database_of_somebody_else(pg: Server) -> None:
    url = pg.new_database("elsewhere")
    for words in (("ls",), ("show", "last"), ("compare", "last~1", "last"), ("publish", "site", "site"), ("runs", "empty"), ("doctor",)):
        done = latlab(*words, store=url)
        assert "there is no store in this database" in done.stdout + done.stderr, (words, done.stderr)
        assert done.returncode == 2 or words == ("doctor",)
    engine = sa.create_engine(url)
    assert sa.inspect(engine).get_table_names() == []
    engine.dispose()
