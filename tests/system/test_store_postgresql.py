# SPDX-License-Identifier: BSD-3-Clause
"""The store on a real PostgreSQL server that the test starts itself, as a user other than root, on a socket of its own."""

import gzip
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import sqlalchemy as sa

from latlab.errors import LatlabError, UsageError
from latlab.model.enums import RunStatus
from latlab.store.store import open_store
from support.ladder_model import Truth, make_run
from support.places import TESTS

pytestmark = pytest.mark.postgres

WRITERS = 4
PASSES = 5

WRITER = """
import sys
sys.path[:0] = sys.argv[2].split(":")
from support.ladder_model import Truth, make_run
from latlab.model.enums import RunStatus
from latlab.store.store import open_store

store = open_store(sys.argv[1])
for seed in range(int(sys.argv[3])):
    run = make_run(Truth(tests=("cpu_susp_serial",)), seed)
    run_id = store.begin(run)
    for sample in run.samples:
        store.add(run_id, [sample])
    store.finish(run_id, RunStatus.COMPLETE)
"""


def programs() -> Path | None:
    """The folder of the newest server installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


VERSION1 = TESTS / "data" / "version1"


@pytest.fixture(scope="module")
def server():
    """Its folder stands outside pytest's own, which is closed to every other user."""
    pytest.importorskip("psycopg", reason="psycopg is not installed; pip install 'latlab[postgresql]'")
    folder = programs()
    if folder is None:
        pytest.skip("no PostgreSQL server is installed; install the package postgresql")
    root, user = Path(tempfile.mkdtemp(prefix="latlab-pg-")), _user()
    data, socket = root / "data", root / "socket"
    socket.mkdir()
    if user:
        shutil.chown(root, user)
        shutil.chown(socket, user)
    _run(user, [folder / "initdb", "-D", data, "-U", "latlab", "-A", "trust", "-E", "UTF8", "--no-sync"])
    options = f"-c listen_addresses='' -c unix_socket_directories='{socket}' -c fsync=off"
    _run(user, [folder / "pg_ctl", "-D", data, "-o", options, "-w", "-l", root / "data" / "log", "start"])
    try:
        yield f"postgresql+psycopg://latlab@/postgres?host={socket}"
    finally:
        _run(user, [folder / "pg_ctl", "-D", data, "-m", "immediate", "stop"])
        shutil.rmtree(root)


def _user() -> str | None:
    """The server refuses root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def _run(user: str | None, command: list[object]) -> None:
    done = subprocess.run([str(part) for part in command], user=user, capture_output=True, text=True, check=False, cwd="/", timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


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


def test_a_store_of_version_1_is_brought_up_to_date(server, tmp_path):
    """The store that version 1 made in SQLite, copied into a database of its own as version 1 would have made it there."""
    file = tmp_path / "store.sqlite"
    file.write_bytes(gzip.decompress((VERSION1 / "store.sqlite.gz").read_bytes()))
    url = server.replace("/postgres?", "/version1?")
    with sa.create_engine(server, isolation_level="AUTOCOMMIT").connect() as connection:
        connection.exec_driver_sql("CREATE DATABASE version1")
    _copy(sa.create_engine(f"sqlite:///{file}"), sa.create_engine(url))
    store = open_store(url)
    assert {run.id: run.conditions for run in store.runs()} == {run.id: run.conditions for run in open_store(str(file)).runs()}
    assert store.load("psci-0660").samples == open_store(str(file)).load("psci-0660").samples


def _copy(source: sa.Engine, target: sa.Engine) -> None:
    tables = sa.MetaData()
    tables.reflect(source)
    for table in tables.tables.values():
        for column in table.columns:
            column.type = column.type.as_generic()
    tables.create_all(target)
    with source.connect() as old, target.begin() as new:
        for table in tables.sorted_tables:
            new.execute(table.insert(), [dict(row) for row in old.execute(sa.select(table)).mappings()])


def test_a_server_that_dies_in_the_middle_is_said_with_what_was_kept(server: str) -> None:
    store, run = open_store(server), make_run(Truth(tests=("cpu_susp_serial",)), 1)
    run_id = store.begin(run)
    store.add(run_id, run.samples[:5])
    with sa.create_engine(server).begin() as other:
        other.execute(
            sa.text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = 'latlab'")
        )
    with pytest.raises(LatlabError, match=r"the database went away \(.*\); what was committed before is kept") as caught:
        store.add(run_id, run.samples[5:])
    assert caught.value.exit_code == 3
    kept = open_store(server)
    assert kept.load(run_id).samples == run.samples[:5]
    kept.finish(run_id, RunStatus.PARTIAL)


def test_a_server_that_was_never_there_cannot_be_reached(tmp_path: Path) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed; pip install 'latlab[postgresql]'")
    with pytest.raises(UsageError, match="cannot be reached"):
        open_store(f"postgresql+psycopg://latlab@/postgres?host={tmp_path}")
