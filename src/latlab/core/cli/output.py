# SPDX-License-Identifier: BSD-3-Clause
"""Where results go: standard output or a file; and the consoles. Heavy imports wait until they are needed."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from latlab.core.cli.options import Format
from latlab.core.errors import UsageError
from latlab.core.shown import LINES, shown

if TYPE_CHECKING:
    from rich.console import Console

    from latlab.core.report.page import Page
    from latlab.core.report.table import Table


def show(page: Page, verbose: bool = True) -> None:
    """A page on standard output, as it is read on a terminal; `verbose`: with the facts behind its figures."""
    from latlab.core.report.renderers.terminal import print_page

    print_page(out(), page, verbose)


def say_lines(lines: Iterable[str]) -> None:
    """Sentences on standard output, broken between words on a terminal."""
    from latlab.core.report.renderers.terminal import say as say_on

    for line in lines:
        say_on(out(), line)


def emit(text: str, output: Path | None = None) -> None:
    """Text as it is, to standard output or into a file."""
    if output is None:
        sys.stdout.write(text)
        return
    write_file(text, output)
    say(f"{output}: written")


def emit_tables(tables: Iterable[Table], format: Format) -> None:
    """Tables in any of the four forms that tables have."""
    from latlab.core.report.renderers import csv, json, rst, terminal

    if format is Format.TABLE:
        terminal.print_tables(out(), tables)
        return
    emit({Format.JSON: json, Format.CSV: csv, Format.RST: rst}[format].tables(tables))


def write_file(text: str, output: Path) -> None:
    _replace(text.encode(), output)


def write_bytes(data: bytes, output: Path) -> None:
    """Into a file, and says so."""
    _replace(data, output)
    say(f"{output}: written")


def check_output(output: Path | None) -> None:
    """Raises what writing would, before the work for it is done."""
    if output is None or (output.exists() and not output.is_file() and not output.is_dir()):
        return
    if output.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(output))
    place = output if output.exists() else output.parent
    if not place.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(output))
    if not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(output))


def _replace(data: bytes, output: Path) -> None:
    """Whole or not at all: a disk that is full leaves the file that was there. What is no file,
    such as a pipe, or is in a folder that takes no other, is written to as it is."""
    whole = output.resolve()
    beside = whole.with_name(f".{whole.name}.{os.getpid()}.part")
    try:
        if whole.exists() and not (whole.is_file() and os.access(whole.parent, os.W_OK)):
            output.write_bytes(data)
            return
        try:
            beside.write_bytes(data)
            if whole.exists():
                shutil.copymode(whole, beside)
            beside.replace(whole)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(output)) from error  # a failed write does not say its file


def refuse_output(output: Path | None) -> None:
    """A table goes to the terminal."""
    if output is not None:
        raise UsageError(f"-o {output}: a table is for the terminal", "name another --format to have it in a file")


def say(text: str) -> None:
    """A line of progress or of a problem, to standard error."""
    typer.echo(shown(text, LINES), err=True)


def out() -> Console:
    """Standard output; as wide as a pipe can take where it is no terminal."""
    from rich.console import Console

    from latlab.core.report.renderers.terminal import PIPE_WIDTH

    return Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, color_system=_colours())


def err() -> Console:
    from rich.console import Console

    return Console(stderr=True, color_system=_colours())


def _colours() -> Literal["auto"] | None:
    """With NO_COLOR there is neither colour nor weight, only text."""
    return None if os.environ.get("NO_COLOR") else "auto"
