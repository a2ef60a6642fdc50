# SPDX-License-Identifier: BSD-3-Clause
"""The command line: the verbs of each family, registered; and what becomes of a failure."""

from __future__ import annotations

import gc
import os
import signal
import sys
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Annotated, Any

import typer

from latlab.core.cli.help import with_help
from latlab.core.cli.ids import hand_over, hands_over_ids
from latlab.core.cli.pager import paged
from latlab.core.cli.streams import use_safe_streams
from latlab.core.cli.verbs import HELP_OPTIONS, Verbs
from latlab.core.cli.work_shown import work_shown
from latlab.core.errors import InterruptedByUser, LatlabError, NotBuilt, UsageError, one_line
from latlab.core.passwords import hide_words

app = typer.Typer(
    name="latlab",
    cls=Verbs,
    context_settings=HELP_OPTIONS,
    help="A latency laboratory for trusted firmware and real-time Linux.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
run_app = typer.Typer(help="Measure on a target and keep the run.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(run_app, name="run")


@app.callback(invoke_without_command=True)
def latlab(context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    if version:
        from importlib.metadata import version as installed_version

        typer.echo(f"latlab {installed_version('latlab')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        _print_first_steps()


def _print_first_steps() -> None:
    from latlab.core.cli.output import show
    from latlab.core.lifecycle.first_steps import first_steps
    from latlab.core.report.doctor_tables import first_steps_page

    show(first_steps_page(first_steps()))


VERBS = (
    ("psci.verbs.run_psci", (run_app,)),
    ("psa.verbs.run_psa", (run_app,)),
    ("rt.verbs.run_rt", (run_app, app)),
    ("rt.verbs.run_steal", (run_app,)),
    ("rt.verbs.run_power", (run_app,)),
    ("experiments.verbs", (app,)),
    ("runs.verbs.one_run", (app,)),
    ("runs.verbs.importing", (app,)),
    ("calls.verbs.import_trace", (app,)),
    ("runs.verbs.upkeep", (app,)),
    ("runs.verbs.comparing", (app,)),
    ("runs.verbs.gating", (app,)),
    ("commits.verbs", (app,)),
    ("virtual.verbs", (app,)),
    ("runs.verbs.doctor", (app,)),
    ("calls.verbs.run_calls", (run_app,)),
    ("psa.verbs.run_attack", (run_app,)),
    ("calls.verbs.watch", (app,)),
    ("runs.verbs.identify", (app,)),
    ("site.verbs.regressions", (app,)),
    ("site.verbs.publish", (app,)),
    ("site.verbs.serve", (app,)),
)
"""Modules with a `register` that adds verbs to these groups. They are named and not imported: the core knows no product."""
for module, groups in VERBS:
    import_module(f"latlab.{module}").register(*groups)
with_help(app)
hands_over_ids(run_app)
hands_over_ids(app, "watch", "import", "import-trace")


def main() -> None:
    """The entry point: whatever happens, the user sees one sentence and a meaningful exit code."""
    signal.signal(signal.SIGTERM, _interrupt)
    use_safe_streams()
    _begin_fast()
    code = _guarded()
    code = _handed_over() or code
    gc.freeze()  # the modules need no collecting when all of them go
    sys.exit(code)


def _handed_over() -> int:
    """The ids of what was begun, after everything else that is said."""
    try:
        hand_over()
    except OSError as error:
        return _fail(f"--id-file: {error.filename} cannot be written: {error.strerror}; check the path and the free space", 2)
    return 0


def _begin_fast() -> None:
    """Most commands take less time than their libraries take to load: loading makes no garbage, and no matrix here is worth threads."""
    gc.set_threshold(100_000, 50, 50)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _guarded() -> int:
    try:
        _check_words()
        code = _run_verb()
        sys.stdout.flush()
        if code == InterruptedByUser.exit_code:  # what typer makes of Ctrl-C
            raise KeyboardInterrupt
        return code if isinstance(code, int) else 0
    except typer.Exit as stop:
        return stop.exit_code
    except LatlabError as error:
        return _fail(str(error), error.exit_code, error.fields)
    except KeyboardInterrupt:
        return _fail("interrupted", InterruptedByUser.exit_code)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}; check the path, its permissions and the free space", UsageError.exit_code)
    except Exception as error:
        return _other(error)


def _run_verb() -> object:
    """What the verb returns. For each program of latlab's that it lacks and this checkout can build, it is run again."""
    built: set[str] = set()
    while True:
        try:
            with paged(sys.argv[1:]), work_shown():
                return _command()(standalone_mode=False, prog_name="latlab")
        except NotBuilt as missing:
            if missing.target in built:
                raise
            from latlab.core.cli.output import say
            from latlab.core.targets.building import build_missing

            with work_shown():
                build_missing(missing, say)
            built.add(missing.target)


@cache
def _command() -> Any:
    """All verbs and their options take a tenth of a second to build, each time that the program is asked."""
    return typer.main.get_command(app)


def _check_words() -> None:
    """A run is kept with the command that made it, and a store with the name of its file: both are text."""
    for word in sys.argv[1:]:
        if not word.isascii() and word != word.encode("utf-8", "ignore").decode():
            raise UsageError(f"{word!r} is no UTF-8", "give the file or the run a name that is", value=word)


def _other(error: Exception) -> int:
    """Wrong options come from typer as exceptions that say it themselves; anything else is a fault of latlab."""
    message, code = getattr(error, "format_message", None), getattr(error, "exit_code", None)
    if message and isinstance(code, int):
        usage_text = message().replace("Value error, ", "")
        if usage_text.startswith("Usage:"):
            typer.echo(hide_words(usage_text, sys.argv), err=True)
            return code
        context = getattr(error, "ctx", None)
        return _fail(f"{usage_text.rstrip('.')}; see `{context.command_path if context else 'latlab'} --help`", code)
    if os.environ.get("LATLAB_DEBUG"):
        raise error
    return _fail(f"a fault in latlab: {type(error).__name__}: {error}; run it again with LATLAB_DEBUG=1 and report what it prints", 3)


def _fail(sentence: str, code: int, fields: dict[str, str] | None = None) -> int:
    """A program that asked for JSON, or set LATLAB_ERRORS, gets the fields of an error in a line of their own. Whichever word of the
    command line an error repeats, no password of an address comes out."""
    sentence = hide_words(sentence, sys.argv)
    typer.echo(f"latlab: {one_line(sentence)}", err=True)
    if os.environ.get("LATLAB_ERRORS") == "json" or _asks_for_json(sys.argv):
        import json

        shown_fields = {name: hide_words(text, sys.argv) for name, text in (fields or {"sentence": one_line(sentence)}).items()}
        typer.echo(json.dumps({"error": {**shown_fields, "exit_code": code}}, ensure_ascii=False), err=True)
    return code


def _asks_for_json(words: list[str]) -> bool:
    return "--format=json" in words or ("--format", "json") in pairwise(words)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt
