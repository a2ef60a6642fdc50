# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/reference/commands.md: the help of every verb as a terminal of 80 columns shows it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from latlab.core.cli.app import app
from latlab.core.cli.verbs import HELP_OPTIONS

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "commands.md"
COLUMNS = 80
INTRO = """# Commands

`latlab VERB --help` prints the same. [Using latlab](using.md) lists the page of each verb and the exit codes.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path, nargs="?", default=PAGE)
    parser.parse_args().page.write_text(page(), "utf-8")


def page() -> str:
    root: Any = typer.main.get_command(app)
    context = root.context_class(root, info_name="latlab", terminal_width=COLUMNS, **HELP_OPTIONS)
    return "\n".join((INTRO, *_sections(root, context)))


def _sections(command: Any, context: Any) -> Iterator[str]:
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    for name in command.list_commands(context) if hasattr(command, "list_commands") else ():
        inner = command.get_command(context, name)
        if not inner.hidden:
            yield from _sections(inner, inner.context_class(inner, info_name=name, parent=context, terminal_width=COLUMNS))


if __name__ == "__main__":
    main()
