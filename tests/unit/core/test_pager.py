# SPDX-License-Identifier: BSD-3-Clause
"""What is longer than a terminal goes through a pager there, and nowhere else."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from latlab.core.cli.pager import is_paged, pager_command

LINES = 24


def on_terminal(pager: str, *words: str, lines: int = LINES) -> tuple[str, int]:
    """What a terminal shows, and the exit code."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, 80, 0, 0))
    size = ("LINES", "COLUMNS")  # readline exports them, and they weigh more than the terminal's own
    variables = {name: value for name, value in os.environ.items() if name not in size} | {"PAGER": pager, "TERM": "xterm", "NO_COLOR": "1"}
    command = (sys.executable, "-m", "latlab", *words)
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=variables) as process:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 1 << 16):
                shown += part
        except OSError:  # Linux says so that the other end is closed
            pass
        os.close(ours)
        return shown.decode().replace("\r\n", "\n"), process.wait()


@pytest.fixture(name="pager")
def fixture_pager(tmp_path: Path) -> str:
    """Shows how many lines it got, and nothing else."""
    program = tmp_path / "pager"
    program.write_text('#!/bin/sh\necho "paged $(wc -l) LESS=$LESS"\n')
    program.chmod(0o755)
    return str(program)


def test_a_long_help_goes_through_the_pager_whole(pager: str) -> None:
    plain, _ = on_terminal("cat", "gate", "--help")
    assert plain.count("\n") > LINES and plain.startswith("Usage: latlab gate")
    shown, code = on_terminal(pager, "gate", "--help")
    assert (shown, code) == (f"paged {plain.count(chr(10))} LESS=FRX\n", 0)


def test_a_short_answer_and_an_error_do_not(pager: str, tmp_path: Path) -> None:
    shown, code = on_terminal(pager, "runs", "empty", "--help", lines=60)
    assert code == 0 and shown.startswith("Usage: latlab runs empty")
    shown, code = on_terminal(pager, "show", "no-such-run", "--store", str(tmp_path / "none.sqlite"))
    assert code == 2 and shown.startswith("latlab: ")


def test_an_answer_for_a_terminal_is_as_without_a_pager(pager: str) -> None:
    words = ("compare", "published:tf-a/juno/v2.9", "published:tf-a/juno/v2.10")
    plain, code = on_terminal("cat", *words)
    assert code == 1 and plain.count("\n") > LINES and max(map(len, plain.splitlines())) <= 80
    assert on_terminal("sed p -n", *words)[1] == 1, "the exit code is the verb's, not the pager's"


def test_an_interrupt_is_for_the_pager(tmp_path: Path) -> None:
    program = tmp_path / "pager"
    program.write_text("#!/bin/sh\nsleep 0.2\nkill -INT $PPID\ncat >/dev/null\necho seen\n")
    program.chmod(0o755)
    assert on_terminal(str(program), "gate", "--help") == ("seen\n", 0)


def test_a_pager_that_ends_early_is_no_error() -> None:
    assert on_terminal("true", "gate", "--help") == ("", 0)


@pytest.mark.parametrize(
    ("line", "paged"),
    [
        ("ls", True),
        ("show last", True),
        ("run psci --help", True),
        ("gate -h", True),
        ("run psci", False),
        ("gate a b", False),
        ("watch -- qemu-system-aarch64 --help", False),
        ("", False),
    ],
)
def test_only_answers_for_reading_are_paged(line: str, paged: bool) -> None:
    assert is_paged(line.split()) == paged


def test_which_pager_it_is_and_how_none_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for mine, general, command in (
        ("cat -n", "", ("cat", "-n")),
        ("", "sh", ()),
        (None, "sh -c", ("sh", "-c")),
        (None, "cat", ()),
        (None, "no-such", ()),
    ):
        monkeypatch.delenv("LATLAB_PAGER", raising=False)
        if mine is not None:
            monkeypatch.setenv("LATLAB_PAGER", mine)
        monkeypatch.setenv("PAGER", general)
        assert pager_command() == command
    monkeypatch.setenv("PAGER", "sh")
    monkeypatch.setenv("TERM", "dumb")
    assert pager_command() == ()
