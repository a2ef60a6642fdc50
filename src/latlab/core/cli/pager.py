# SPDX-License-Identifier: BSD-3-Clause
"""A pager for what is longer than the terminal, as git has one: LATLAB_PAGER or PAGER, else `less`; `cat` or an empty value for none."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

READING = frozenset({"ls", "show", "extremes", "compare", "explain", "history", "regressions", "doctor"})
"""Verbs that print results and measure nothing, so that nothing is late because it is held back."""
HELP = frozenset({"-h", "--help"})
LESS = "FRX"
"""The options of `less` that git sets: end if all fits one screen, keep colours, leave the text on the screen."""


class HeldText(io.StringIO):
    """What a terminal would have got."""

    def isatty(self) -> bool:
        return True


def is_paged(words: Sequence[str]) -> bool:
    """Whether the answer to this command line is for reading. Words behind `--` are of another program."""
    of_latlab = words[: words.index("--")] if "--" in words else words
    return not HELP.isdisjoint(of_latlab) or (bool(of_latlab) and of_latlab[0] in READING)


def pager_command() -> tuple[str, ...]:
    """Empty where there is none, or none is wanted."""
    named = next((os.environ[name] for name in ("LATLAB_PAGER", "PAGER") if name in os.environ), "less")
    command = tuple(shlex.split(named))
    if command in ((), ("cat",)) or os.environ.get("TERM") == "dumb" or shutil.which(command[0]) is None:
        return ()
    return command


@contextmanager
def paged(words: Sequence[str]) -> Iterator[None]:
    """Standard output through the pager, if it is a terminal and the answer is for reading and longer than it."""
    command = pager_command() if sys.stdout.isatty() and is_paged(words) else ()
    if not command:
        yield
        return
    terminal, held = sys.stdout, HeldText()
    sys.stdout = held
    try:
        yield
    finally:
        sys.stdout = terminal
        _print(held.getvalue(), command)


def _print(text: str, command: Sequence[str]) -> None:
    if text.count("\n") < shutil.get_terminal_size().lines:
        sys.stdout.write(text)
        return
    with subprocess.Popen(command, stdin=subprocess.PIPE, env={"LESS": LESS, **os.environ}) as pager:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the pager, which ends a search by it
        try:
            pager.communicate(text.encode(errors="backslashreplace"))
        finally:
            signal.signal(signal.SIGINT, before)
