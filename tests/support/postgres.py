# SPDX-License-Identifier: BSD-3-Clause
"""A PostgreSQL server of the tests' own, as a user other than root, on a socket in a folder of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import sqlalchemy as sa

DURABLE = ()
FAST = ("-c", "fsync=off")
GONE_S = 3600


@dataclass(frozen=True)
class Server:
    folder: Path
    root: Path
    user: str | None
    options: tuple[str, ...]

    @property
    def url(self) -> str:
        return self.url_of("postgres")

    def url_of(self, database: str, role: str = "latlab") -> str:
        return f"postgresql+psycopg://{role}@/{database}?host={self.root / 'socket'}"

    def new_database(self, name: str) -> str:
        self.execute(f"CREATE DATABASE {name}")
        return self.url_of(name)

    def execute(self, *statements: str, database: str = "postgres") -> None:
        engine = sa.create_engine(self.url_of(database), isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        with engine.connect() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)

    def cut(self) -> None:
        """End the connections of everybody else, as a network or an administrator does."""
        self.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL")

    def start(self) -> None:
        self._do("start", "-o", " ".join(("-c listen_addresses='' -c max_connections=200", *self.options, f"-k {self.root / 'socket'}")))

    def stop(self, how: str = "immediate") -> None:
        self._do("stop", "-m", how)

    def restart(self) -> None:
        """As an update of its package does: statements under way are ended."""
        self.stop("fast")
        self.start()

    def kill(self) -> None:
        """SIGKILL of the server and of each process that serves a client."""
        main = int((self.root / "data" / "postmaster.pid").read_text("utf-8").split()[0])
        os.kill(main, signal.SIGSTOP)  # else it would begin another one meanwhile
        children = [int(pid) for pid in Path(f"/proc/{main}/task/{main}/children").read_text("utf-8").split()]
        for pid in (main, *children):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        until = time.monotonic() + GONE_S
        while any(_is_alive(pid) for pid in (main, *children)):
            assert time.monotonic() < until, "a process of the killed server stays"
            time.sleep(0.01)
        for lock in (self.root / "data" / "postmaster.pid", *(self.root / "socket").glob(".*.lock")):
            lock.unlink(missing_ok=True)  # nobody may reap the dead, whose number then seems to live

    def _do(self, verb: str, *more: str) -> None:
        _run(self.user, self.folder / "pg_ctl", verb, "-D", self.root / "data", "-w", "-l", self.root / "log", *more)


@contextmanager
def server(options: tuple[str, ...] = FAST) -> Iterator[Server]:
    """Its folder stands outside pytest's own, which is closed to every other user."""
    pytest.importorskip("psycopg", reason="psycopg is not installed; pip install 'latlab[postgresql]'")
    folder = _programs()
    if folder is None:
        pytest.skip("no PostgreSQL server is installed; install the package postgresql")
    root, user = Path(tempfile.mkdtemp(prefix="latlab-pg-")), _user()
    started = Server(folder, root, user, options)
    try:
        (root / "socket").mkdir()
        if user:
            shutil.chown(root, user)
            shutil.chown(root / "socket", user)
        _run(user, folder / "initdb", "-D", root / "data", "-U", "latlab", "-A", "trust", "-E", "UTF8", "--no-sync")
        started.start()
        yield started
    finally:
        if (root / "data" / "postmaster.pid").exists():
            started.stop()
        shutil.rmtree(root)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def _programs() -> Path | None:
    """The folder of the newest server installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


def _user() -> str | None:
    """The server refuses root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def _run(user: str | None, *command: object) -> None:
    done = subprocess.run(
        [str(part) for part in command],
        user=user,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        cwd="/",
        timeout=120,
    )
    assert done.returncode == 0, done.stdout
