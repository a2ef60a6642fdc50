# SPDX-License-Identifier: BSD-3-Clause
"""The store as the verbs open it: runs whose maker was killed are brought to their end first, each with a line of its own."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from latlab.cli.ids import watch_store
from latlab.cli.output import say
from latlab.cli.verbs import asked
from latlab.errors import LatlabError

if TYPE_CHECKING:
    from latlab.store.store import Store


def open_store(place: str | None = None) -> Store:
    from latlab.store.store import open_store as opened

    store = opened(place)
    store.asked = asked()
    watch_store(store)
    with suppress(LatlabError, OSError):
        _tidy(store)
    return store


def _tidy(store: Store) -> None:
    """The common case costs one query and one look at the folders for temporary files."""
    from latlab.targets.scratch import abandoned

    if not store.lives() and not abandoned():
        return
    from latlab.campaigns.recovering import orphans, sweep

    for recovered in sweep(store):
        say(recovered.sentence)
    for life in orphans(store):
        say(f"run {life.run_id} on {life.left.machine or 'another machine'} has lost its latlab; `latlab recover {life.run_id}` ends it")
