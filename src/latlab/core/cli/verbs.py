# SPDX-License-Identifier: BSD-3-Clause
"""The verbs in the order in which a user needs them, and how the help lists them."""

from __future__ import annotations

from contextvars import ContextVar
from functools import cache
from itertools import chain
from typing import Any

import typer
from typer.core import TyperGroup

from latlab.core.cli.help import WHOLE
from latlab.core.errors import UsageError
from latlab.core.passwords import shown_words

HELP_OPTIONS = {"help_option_names": ["-h", "--help"]}
GROUPS = {
    "Measure": ("run", "watch", "identify", "design", "guest", "doctor"),
    "Look at what was measured": ("ls", "show", "report", "export", "publish", "serve", "extremes", "check-dt"),
    "What changed, and why": ("compare", "explain", "gate", "history", "regressions", "bisect"),
    "Without a machine": ("predict", "fit", "whatif", "explore"),
    "Runs from elsewhere, and housekeeping": ("import", "import-trace", "runs"),
}

GROUP_OF_PACKAGES = "latlab.verbs"
NO_PART = ("--store", "--id-file")

_asked: ContextVar[tuple[str, ...]] = ContextVar("asked", default=())


def invocation() -> tuple[str, ...]:
    """The words of this command line, less where runs are kept and where their ids go: the first may hold a password, and neither has a
    part in what is measured."""
    words: list[str] = []
    remaining = iter(_asked.get())
    for word in remaining:
        if word in NO_PART:
            next(remaining, None)
        elif not word.startswith(tuple(f"{option}=" for option in NO_PART)):
            words.append(word)
    return shown_words(words)


class Verbs(TyperGroup):
    """A group that lists its commands by what they are for. The types are Any since typer has click's under a name of its own, which
    differs between its releases."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _asked.set(("latlab", *args))
        return list(super().parse_args(ctx, args))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Packages are looked at for a word that is no verb of latlab."""
        return super().get_command(ctx, cmd_name) or (_loaded_verb(cmd_name) if cmd_name in _points_of_packages() else None)

    def list_commands(self, ctx: Any) -> list[str]:
        return [*(name for name in chain(*GROUPS.values()) if name in self.commands), *_points_of_packages()]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        widest = max(map(len, self.commands))
        for title, names in GROUPS.items():
            shown = [self.commands[name] for name in names if name in self.commands]
            with formatter.section(title):
                formatter.write_dl([(f"{command.name:{widest}}", command.get_short_help_str(WHOLE)) for command in shown])
        if points := _points_of_packages():
            with formatter.section("Of installed packages"):
                formatter.write_dl([(f"{name:{widest}}", point.value.partition(":")[0]) for name, point in points.items()])


@cache
def _points_of_packages() -> dict[str, Any]:
    """An installed package adds a verb: a function with typer's annotations, named as an entry point of this group."""
    from importlib.metadata import entry_points

    of_latlab = {*chain(*GROUPS.values()), "help"}
    return {point.name: point for point in entry_points(group=GROUP_OF_PACKAGES) if point.name not in of_latlab}


@cache
def _loaded_verb(name: str) -> Any:
    """Raises UsageError if the package cannot be loaded."""
    point = _points_of_packages()[name]
    try:
        function = point.load()
    except Exception as error:
        raise UsageError(
            f"the verb {name} of {point.value} cannot be loaded ({type(error).__name__}: {error})", "update its package"
        ) from error
    verb = typer.Typer(add_completion=False, context_settings=HELP_OPTIONS, rich_markup_mode=None)
    verb.command(name)(function)
    return typer.main.get_command(verb)
