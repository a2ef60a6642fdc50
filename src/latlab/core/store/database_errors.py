# SPDX-License-Identifier: BSD-3-Clause
"""What a database raises as one sentence with the next step."""

from __future__ import annotations

from sqlalchemy import exc

from latlab.core.errors import DataError, LatlabError, UsageError
from latlab.core.store.address import StoreAddress, hide_password

BUSY_TIMEOUT_S = 120
"""How long a store that others hold is waited for. A load can starve the holder for half a minute: no run should end by that."""
LOCK_NOT_AVAILABLE, INSUFFICIENT_PRIVILEGE = "55P03", "42501"
SERVER_ENDED = ("57P01", "57P02", "57P03")
"""States of PostgreSQL: shut down by its administrator, crashed, cannot connect now."""


class ConnectionLost(LatlabError):
    """A server ended the connection in the middle of a transaction. Whether the transaction was committed is not known."""


def as_sentence(error: exc.DBAPIError, place: StoreAddress, was_reached: bool, lost: type[LatlabError] = ConnectionLost) -> LatlabError:
    """A driver may repeat the password of the address, which is hidden. `was_reached`: the database answered before, so that data may have
    been committed. `lost` is the error of a server that answers no more."""
    detail = hide_password(str(error.orig).strip().splitlines()[0], place)
    state = getattr(error.orig, "sqlstate", None) or ""
    if state == LOCK_NOT_AVAILABLE:
        detail = f"locked: {detail}"
    if state == INSUFFICIENT_PRIVILEGE:
        return UsageError(
            f"this account lacks the permission ({detail})", "use one that may, or grant its role (docs/reference/store.md)", place=place
        )
    if (error.connection_invalidated or state in SERVER_ENDED or "connection" in detail) and was_reached:
        return lost(
            f"the connection to the database was lost ({detail}); committed data are kept, the last part is lost. "
            "When the database is back, `latlab ls` lists the interrupted run as partial",
            place=place,
        )
    if "connection" in detail:
        return UsageError(
            f"the database cannot be reached ({detail})", "check its address and password, or use another --store", place=place
        )
    if "locked" in detail:
        return UsageError(
            f"another process has held the store for {BUSY_TIMEOUT_S} s ({detail})", "wait for it or use another --store", place=place
        )
    if "full" in detail:
        return LatlabError(f"the disk is full ({detail}); what was committed before is kept", "free some space and run again", place=place)
    if "unable to open" in detail or "readonly" in detail:
        return UsageError(
            f"cannot be opened for writing ({detail})", "check its folder's permissions or name another with --store", place=place
        )
    if "not a database" in detail or "malformed" in detail or "no such column" in detail or "disk I/O" in detail:
        return DataError(f"not a store that can be read ({detail})", "restore a copy or use another --store", place=place)
    return LatlabError(f"the store failed ({detail})", "check it or use another --store", place=place)
