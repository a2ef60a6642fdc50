# SPDX-License-Identifier: BSD-3-Clause
"""The verbs in the order in which a user needs them, and how the help lists them."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from itertools import chain
from typing import Any

from typer.core import TyperGroup

from latlab.core.cli.old_names import current
from latlab.core.cli.output import say

HELP_OPTIONS = {"help_option_names": ["-h", "--help"]}
GROUPS = {
    "Measure": ("run", "watch", "identify", "design", "guest", "doctor"),
    "Look at what was measured": ("ls", "show", "report", "export", "publish", "serve", "extremes", "check-dt"),
    "What changed, and why": ("compare", "explain", "gate", "history", "bisect"),
    "Without a machine": ("predict", "fit", "whatif", "explore"),
    "Runs from elsewhere, and housekeeping": ("import", "import-trace", "runs"),
}

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
    return tuple(words)


class Verbs(TyperGroup):
    """A group that lists its commands by what they are for. The types are Any since typer has click's under a name of its own, which
    differs between its releases."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        words, notices = current(args, self._options_of)
        if not ctx.resilient_parsing:
            for notice in notices:
                say(notice)
        _asked.set(("latlab", *words))
        return list(super().parse_args(ctx, words))

    def _options_of(self, words: Sequence[str]) -> set[str]:
        verb: Any = self
        for word in words:
            inner = getattr(verb, "commands", {}).get(word)
            if inner is None:
                break
            verb = inner
        return {text for parameter in verb.params for text in parameter.opts}

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for name in chain(*GROUPS.values()) if name in self.commands]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        widest = max(map(len, self.commands))
        for title, names in GROUPS.items():
            shown = [self.commands[name] for name in names if name in self.commands]
            with formatter.section(title):
                formatter.write_dl(
                    [(f"{command.name:{widest}}", command.get_short_help_str(formatter.width - widest - 6)) for command in shown]
                )
