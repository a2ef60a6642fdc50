# SPDX-License-Identifier: BSD-3-Clause
"""Writes the manual pages from the help: latlab.1 and a page for each verb, so that neither can say what the other does not."""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import typer

from latlab.core.cli.app import app
from latlab.core.cli.help import EXIT_CODES, examples_of, records_by_group

NAME = "latlab"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("build/man/man1"))
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages():
        (folder / f"{name}.1").write_text(text, "utf-8")


def pages(release: str = version(NAME)) -> Iterator[tuple[str, str]]:
    """(name, roff) of each page; verbs within verbs have names joined by dashes."""
    root: Any = typer.main.get_command(app)
    yield from _pages(root, root.context_class(root, info_name=NAME, obj=release, max_content_width=1000))


def _pages(command: Any, context: Any) -> Iterator[tuple[str, str]]:
    verbs = [command.get_command(context, name) for name in command.list_commands(context)] if hasattr(command, "list_commands") else []
    yield context.command_path.replace(" ", "-"), "\n".join(_lines(command, context, verbs)) + "\n"
    for verb in verbs:
        if not verb.hidden:
            yield from _pages(verb, verb.context_class(verb, info_name=verb.name, parent=context, max_content_width=1000))


def _lines(command: Any, context: Any, verbs: list[Any]) -> Iterator[str]:
    path = context.command_path
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(command.help or ""))
    yield f'.TH "{path.replace(" ", "-").upper()}" 1 "" "latlab {context.obj}" "latlab"'
    yield from (".SH NAME", f"{_roff(path.replace(' ', '-'))} \\- {_roff(paragraphs[0].rstrip('.'))}")
    yield from (".SH SYNOPSIS", f".B {_roff(path)}", _roff(" ".join(command.collect_usage_pieces(context))))
    yield from (".SH DESCRIPTION", *(line for paragraph in paragraphs for line in (".PP", _roff(" ".join(paragraph.split())))))
    yield from _examples(examples_of(context))
    for title, records in records_by_group(command, context).items():
        yield from _list(title.upper(), records)
    yield from _list("VERBS", [(f"{path} {verb.name}", f"{verb.get_short_help_str(1000)}") for verb in verbs])
    yield from _list("EXIT STATUS", EXIT_CODES)
    yield from (".SH SEE ALSO", _see_also(context, verbs))


def _list(title: str, entries: Any) -> Iterator[str]:
    if entries:
        yield f".SH {title}"
    for name, said in entries:
        yield from (".TP", f".B {_roff(name)}", _roff(said) or "\\&")


def _examples(examples: tuple[str, ...]) -> Iterator[str]:
    if examples:
        yield from (".SH EXAMPLES", ".EX", *map(_roff, examples), ".EE")


def _see_also(context: Any, verbs: list[Any]) -> str:
    names = [f"{context.command_path} {verb.name}" for verb in verbs] or [context.parent.command_path]
    return ", ".join(f"\\fB{_roff(name.replace(' ', '-'))}\\fR(1)" for name in names)


def _roff(text: str) -> str:
    """Nothing of the text is a request of roff."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped


if __name__ == "__main__":
    main()
