# SPDX-License-Identifier: BSD-3-Clause
"""The verbs in the order in which a user needs them, and how the help lists them."""

from __future__ import annotations

from contextvars import ContextVar
from itertools import chain
from typing import Any

from typer.core import TyperGroup

HELP_OPTIONS = {"help_option_names": ["-h", "--help"]}
GROUPS = {
    "Measure": ("run", "watch", "look", "design", "guest", "doctor"),
    "Look at what was measured": ("ls", "show", "report", "export", "publish", "serve", "mcp", "tail", "idle-states"),
    "What changed, and why": ("compare", "explain", "gate", "history", "bisect"),
    "Without a machine": ("predict", "fit", "whatif", "explore"),
    "Runs from elsewhere, and housekeeping": ("import", "label", "recover", "rm", "prune"),
}

NO_PART = ("--store", "--id-file")

_asked: ContextVar[tuple[str, ...]] = ContextVar("asked", default=())


def asked() -> tuple[str, ...]:
    """The words of this command line, less where runs are kept and where their ids go: the first may hold a password, and neither has a
    part in what is measured."""
    words: list[str] = []
    rest = iter(_asked.get())
    for word in rest:
        if word in NO_PART:
            next(rest, None)
        elif not word.startswith(tuple(f"{option}=" for option in NO_PART)):
            words.append(word)
    return tuple(words)


class Verbs(TyperGroup):
    """A group that lists its commands by what they are for. The types are Any since typer has click's under a name of its own, which
    differs between its releases."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _asked.set(("latlab", *args))
        return list(super().parse_args(ctx, args))

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for name in chain(*GROUPS.values()) if name in self.commands]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        widest = max(map(len, self.commands))
        for title, names in GROUPS.items():
            shown = [self.commands[name] for name in names if name in self.commands]
            with formatter.section(title):
                formatter.write_dl([(f"{one.name:{widest}}", one.get_short_help_str(formatter.width - widest - 6)) for one in shown])
