# SPDX-License-Identifier: BSD-3-Clause
"""The command in this process with programs that would start named instead of started, and what every answer of it has to be."""

from __future__ import annotations

import io
import logging
import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import typer
from mcp.server import MCPServer

from latlab.core.cli import app
from latlab.core.errors import LatlabError
from latlab.core.shown import shown
from latlab.rt.targets.guest.guest_image import GuestImage

VERSION = "QEMU emulator version 10.0.2\n"
MARK = "a program was started"
# What is missing, what may stand there, or what to do.
NEXT_STEP = re.compile(r"[;`]|\S: |outside|must be|needs? |goes with|such as|together|is for |printed as|at most")
FIELDS = '{"error": {'
"""Before the fields of an error, which a program that asks for JSON gets below the sentence."""
CODES = (0, 1, 2, 3)
HELP_AT = 4  # lines from which an answer is the help of a verb that was given nothing


class Started(LatlabError):
    """In place of a program that runs."""


@dataclass(frozen=True, slots=True)
class Answer:
    code: int
    out: str
    err: str
    started: tuple[str, ...]
    trace: str = ""

    @property
    def sentences(self) -> list[str]:
        return [line for line in self.err.split("\n") if line.startswith("latlab: ")]

    @property
    def starts_qemu(self) -> bool:
        return any("qemu-system-" in each for each in self.started)


@contextmanager
def nothing_starts(folder: Path) -> Iterator[list[str]]:
    """Every way of the product to start a program, or to reach another machine, ends here; temporary folders are in `folder`. Yields what
    would have been started."""
    started: list[str] = []

    def start(command: Sequence[object], *_: object, **__: object) -> Any:
        words = [command] if isinstance(command, str) else list(map(str, command))
        if words[1:] == ["--version"]:
            return SimpleNamespace(stdout=VERSION, stderr="", returncode=0)
        started.append(words[0])
        raise Started(f"{MARK}: {words[0]!r}; this is a test")

    def elsewhere(*_: object, **__: object) -> Any:
        started.append("elsewhere")
        raise Started(f"{MARK}: elsewhere; this is a test")

    image = GuestImage(folder, "6.1.0-rt", False)
    image.initrd.touch()
    with (
        patch.object(subprocess, "run", start),
        patch.object(subprocess, "Popen", start),
        patch("latlab.core.targets.provenance._git", lambda *_: None),
        patch("latlab.site.pages.live.server", elsewhere),
        patch.object(MCPServer, "run", elsewhere),  # loaded before: its types name a Popen
        patch("latlab.virtual.campaign.engines.on_this_machine", elsewhere),
        patch("latlab.virtual.campaign.engines.on_dask", lambda address: elsewhere),
        patch("latlab.commits.campaign.commits_at_once.in_processes", elsewhere),
        patch("latlab.commits.campaign.commits_at_once.through_dask", elsewhere),
        patch(
            "latlab.rt.targets.guest.guest_image.guest_image", lambda rebuild=False, say=None, arch=None: elsewhere() if rebuild else image
        ),
        patch.object(tempfile, "tempdir", str(folder)),
        patch("latlab.core.targets.scratch.PERSISTENT", folder),
        patch("gc.freeze", lambda: None),
        patch("typer.main.get_command", cache(typer.main.get_command)),
    ):
        yield started


def answer(arguments: Sequence[str], store: Path, started: list[str]) -> Answer:
    """Of the entry point, byte for byte as a user sees it."""
    started.clear()
    out, err = _stream(), _stream()
    handler, traces = logging.StreamHandler(err), []
    logger = logging.getLogger("latlab")

    def told(error: Exception) -> int:
        traces.append("".join(traceback.format_exception(error)))
        return _other(error)

    _other = app._other
    logger.addHandler(handler)
    try:
        with (
            patch.object(sys, "argv", ["latlab", *arguments]),
            patch.dict(os.environ, {"LATLAB_STORE": str(store), "NO_COLOR": "1"}),
            patch.object(app, "_other", told),
            patch.object(logger, "propagate", False),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            code = _code()
    except BaseException:
        traces.append(traceback.format_exc())
        code = -1
    finally:
        logger.removeHandler(handler)
    return Answer(code, _text(out), _text(err), tuple(started), "".join(traces))


def fault_of(found: Answer) -> str:
    """What no answer may be, whatever was asked; empty for one that is as it has to be."""
    sentences = found.sentences
    if found.code == -1 or "Traceback" in found.err or "a fault in latlab" in found.err:
        return f"a fault of latlab: {found.err}{found.trace}"
    if found.code not in CODES:
        return f"exit code {found.code}"
    if found.code < 2 and not found.started:
        return f"{len(sentences)} sentences for the exit code {found.code}" if len(sentences) > found.code else ""
    if found.err.startswith("Usage:"):
        return ""
    if len(sentences) > 1 or (not sentences and found.code == 2):
        return f"{len(sentences)} sentences"
    lines = [line for line in found.err.rstrip("\n").split("\n") if not line.startswith("id: ")]
    if sentences and lines[-1].startswith(FIELDS):
        lines.pop()
    if sentences and lines[-1] != sentences[0]:
        return f"more than one line: {lines[-1]!r}"
    strange = [one for one in "".join(sentences) if shown(one) != one]
    if strange:
        return f"a sentence with {strange[0]!r}"
    return "" if found.started or not sentences or NEXT_STEP.search(sentences[0].removeprefix("latlab: ")) else "no next step"


def _code() -> int:
    try:
        app.main()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else -1
    return -1


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8", "replace")
