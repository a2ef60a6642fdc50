# SPDX-License-Identifier: BSD-3-Clause
"""A server that is restarted in the middle of a transaction costs a run nothing: what was done is done again once the server is back."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from latlab.core.store.database_errors import ConnectionLost

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")

RESTART_S = 30
"""How long a server that was reached once is waited for."""
RESTART_POLL_S = 0.2


def through_a_restart(done: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """The function, called again for as long as a server may take to restart. Its first call may have been committed, so that a second one
    has to leave the store as one would. Raises ConnectionLost where the server stays away."""

    @wraps(done)
    def again(store: S, /, *arguments: P.args, **named: P.kwargs) -> T:
        until = 0.0
        while True:
            try:
                return done(store, *arguments, **named)
            except ConnectionLost:
                until = until or time.monotonic() + RESTART_S
                if time.monotonic() > until:
                    raise
                time.sleep(RESTART_POLL_S)

    return again
