# SPDX-License-Identifier: BSD-3-Clause
"""The place of a store: what --store and LATLAB_STORE name, whether it is there, and whether it can be made."""

from __future__ import annotations

import os
from pathlib import Path

from latlab.core.errors import UsageError
from latlab.core.store.address import Place, StoreAddress, address_of


def default_path() -> Path:
    """The store where neither --store nor LATLAB_STORE names one."""
    from platformdirs import user_data_path

    return user_data_path("latlab", appauthor=False) / "latlab.sqlite"


def store_location(place: Place | None = None) -> StoreAddress:
    """The address that --store or LATLAB_STORE names, else the default."""
    return address_of(place or os.environ.get("LATLAB_STORE") or str(default_path()))


def is_named(place: Place | None) -> bool:
    """Whether --store or LATLAB_STORE names a store."""
    return bool(place or os.environ.get("LATLAB_STORE"))


def check_exists(place: Place | None) -> None:
    """Raises UsageError for a file that --store or LATLAB_STORE names and that is not there, or is empty: who only reads makes no new
    store. The default place may be new."""
    named = place or os.environ.get("LATLAB_STORE")
    address = address_of(named or "")
    file = address.file if named else None
    option = f"--store {address}" if place else f"LATLAB_STORE={address}"
    if file is not None and not file.exists():
        raise UsageError(f"{option}: there is no such store", "see to its name; `latlab run` makes one", value=address)
    if file is not None and file.is_file() and not file.stat().st_size:
        raise UsageError(f"{option}: the file is empty and no store", "name another, or delete it", value=address)


def is_made(place: Place | None) -> bool:
    """Whether there is a store to read: opening one makes a file that is missing."""
    location = store_location(place)
    return location.file is None or location.file.exists()


def check_can_be_made(place: Place | None) -> None:
    """Raises UsageError where no file can be made of a name that is not there; makes nothing."""
    location = store_location(place)
    check_is_no_mistyped_url(location)
    folder = next(parent for parent in Path(location.opened).absolute().parents if parent.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError("no store can be made there", "name another path with --store", place=folder)


def check_is_no_mistyped_url(location: StoreAddress) -> None:
    """Raises UsageError for a path that looks like an address with a password."""
    shown = str(location)
    if not location.is_url and shown != location.opened:
        raise UsageError(
            f"--store {shown!r} has a password and is no database URL",
            "write postgresql+psycopg://..., or ./ before a path with these signs",
            value=shown,
        )
