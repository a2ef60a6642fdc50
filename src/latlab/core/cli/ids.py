# SPDX-License-Identifier: BSD-3-Clause
"""The ids of the runs that a command begins, handed over: into a file for a script, and as the last line of standard error."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from latlab.core.cli.output import check_output, say, write_file

if TYPE_CHECKING:
    from latlab.core.store.store import Store

IdFileOption = Annotated[Path | None, typer.Option("--id-file", help="Write the run's id to this file, a line for each run that is begun.")]


@dataclass
class _Handing:
    """What this process hands over at its end."""

    is_wanted: bool = False
    file: Path | None = None
    stores: list[Store] = field(default_factory=list)


_handing = _Handing()


def watch_store(store: Store) -> None:
    """Runs that are begun in it are handed over, each at once: a process that is killed has an id of its partial run."""
    _handing.stores.append(store)
    store.on_begin = _write_ids


def hands_over_ids(app: typer.Typer, *names: str) -> None:
    """Give these verbs, or all of the group, the option `--id-file`."""
    for command in app.registered_commands:
        verb = command.callback
        if verb is not None and (not names or (command.name or verb.__name__) in names):
            command.callback = _with_id_file(verb)


def hand_over() -> None:
    """At the very end, also of a command that failed: a partial run has an id too."""
    ids, is_wanted = _ids(), _handing.is_wanted
    try:
        _write_ids()
    finally:
        _handing.is_wanted, _handing.file, _handing.stores = False, None, []
    if is_wanted and ids:
        say(f"id: {' '.join(ids)}")


def _ids() -> list[str]:
    return [run_id for store in _handing.stores for run_id in store.begun]


def _write_ids() -> None:
    if _handing.file is not None:
        write_file("".join(f"{run_id}\n" for run_id in _ids()), _handing.file)


def _with_id_file(verb: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(verb)
    def command(id_file: Path | None = None, **arguments: Any) -> Any:
        check_output(id_file)
        if id_file is not None and id_file.is_file():
            id_file.unlink()  # one of an earlier run would name that one, should this process be killed
        _handing.is_wanted, _handing.file = True, id_file
        return verb(**arguments)

    types = get_type_hints(verb, include_extras=True)
    parameters = [parameter.replace(annotation=types[parameter.name]) for parameter in inspect.signature(verb).parameters.values()]
    more = inspect.Parameter("id_file", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=IdFileOption)
    command.__signature__ = inspect.Signature([*parameters, more])  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in (*parameters, more)}
    return command
