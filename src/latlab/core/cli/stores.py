# SPDX-License-Identifier: BSD-3-Clause
"""The store as the verbs open it: runs whose maker was killed are brought to their end first, each with a line of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from latlab.core.cli.ids import watch_store
from latlab.core.cli.output import say
from latlab.core.cli.verbs import invocation
from latlab.core.errors import LatlabError, UsageError
from latlab.core.store.address import Place

if TYPE_CHECKING:
    from latlab.core.store.store import Store


def open_store(place: Place | None = None) -> Store:
    from latlab.core.store.store import open_store as opened

    return _watched(opened(place))


def open_existing(place: Place | None = None) -> Store:
    """The store of a verb that reads: a name with a typing error makes no new one."""
    from latlab.core.store.store import open_to_read

    return _watched(open_to_read(place))


def _watched(store: Store) -> Store:
    store.command_line = invocation()
    watch_store(store)
    with suppress(LatlabError, OSError):
        _tidy(store)
    return store


PUBLISHED = "published:"


@contextmanager
def store_with(run: str, place: Place | None) -> Iterator[Store]:
    """The store that has the run. A published table, and a file that `latlab compare` reads, are in one of their own for as long as they
    are looked at."""
    if not run.startswith(PUBLISHED) and not Path(run.partition("#")[0]).is_file():
        yield open_existing(place)
        return
    from latlab.core.lifecycle.exported import import_export, is_export
    from latlab.core.store import run_json
    from latlab.core.store.reading import read_file
    from latlab.core.store.references import load
    from latlab.core.store.store import open_store as opened
    from latlab.core.targets.scratch import scratch

    if Path(run).suffix == ".json":
        data = read_file(Path(run))
        if not is_export(data):
            raise UsageError(f"{run} is no export of latlab", f"keep output of another tool with `latlab import {run}` and name the run")
    else:
        data = run_json.render(load(run)).encode()
    with scratch() as folder:
        store = opened(str(folder / "export.db"))
        import_export(store, data, run, run_id=run)
        yield store


def _tidy(store: Store) -> None:
    """The common case costs one query and one look at the folders for temporary files."""
    from latlab.core.targets.scratch import abandoned

    if not store.unfinished_runs() and not abandoned():
        return
    from latlab.runs.campaign.recovering import orphans, sweep

    for recovered in sweep(store):
        say(recovered.sentence)
    for life in orphans(store):
        place = life.left.machine or "another machine"
        say(f"run {life.run_id} on {place}: its latlab process has died; `latlab runs recover {life.run_id}` ends the run")
