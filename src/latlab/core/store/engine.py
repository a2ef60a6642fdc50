# SPDX-License-Identifier: BSD-3-Clause
"""The connection to a database that holds a store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc

from latlab.core.errors import UsageError
from latlab.core.store.address import StoreAddress, hide_password
from latlab.core.store.database_errors import BUSY_TIMEOUT_S

ALIVE = {"connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3, "tcp_user_timeout": 60_000}
"""What libpq is asked for, so that a connection that was cut without a word is noticed within a minute."""


def engine_of(location: StoreAddress) -> sa.Engine:
    """Makes a SQLite file that is missing. Raises UsageError for an address of no kind of database that latlab uses."""
    shown = str(location)
    try:
        url = sa.make_url(location.opened) if location.is_url else sa.URL.create("sqlite", database=location.opened)
        if url.get_backend_name() not in ("sqlite", "postgresql"):
            raise UsageError(
                f"--store {shown!r} is neither a path nor a database URL of a kind that latlab uses",
                "write a path or postgresql+psycopg://...",
                value=shown,
            )
        is_sqlite = url.get_backend_name() == "sqlite"
        engine = sa.create_engine(url, connect_args=_connect_args(url), pool_pre_ping=not is_sqlite)
    except (exc.ArgumentError, exc.NoSuchModuleError, ValueError) as error:
        raise UsageError(
            f"--store {shown!r} is neither a path nor a database URL ({hide_password(str(error), location)})",
            "write a path or postgresql+psycopg://...",
            value=shown,
        ) from None
    except ModuleNotFoundError as error:
        raise UsageError(f"--store {shown!r} needs the Python package {error.name}", "install it", value=shown) from None
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise UsageError(f"--store {shown!r} is in memory only, so the results would be lost", "name a file", value=shown)
    if is_sqlite:
        if location.file is not None:
            _make(location.file)
        sa.event.listen(engine, "connect", _read_what_is_no_text)
    return engine


def _connect_args(url: sa.URL) -> dict[str, int]:
    """What the URL says itself counts."""
    if url.get_backend_name() == "sqlite":
        return {"timeout": BUSY_TIMEOUT_S}
    is_libpq = url.get_driver_name().startswith("psycopg")
    return {name: value for name, value in ALIVE.items() if name not in url.query} if is_libpq else {}


def _read_what_is_no_text(connection: Any, _: object) -> None:
    """Text that is no UTF-8 comes as bytes: its row alone is damaged, not every list that it is in."""

    def text(data: bytes) -> str | bytes:
        try:
            return data.decode()
        except UnicodeDecodeError:
            return data

    connection.text_factory = text


def _make(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.touch(mode=0o600)  # a run has names of machines and command lines; SQLite's own files beside it have the same mode
    except OSError as error:
        raise UsageError(f"cannot hold the store ({error.strerror})", "name another path with --store", place=path.parent) from error
