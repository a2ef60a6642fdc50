# SPDX-License-Identifier: BSD-3-Clause
"""The command in the test's own process, as the entry point runs it."""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

import pytest

from latlab.cli.app import main


@dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str


def latlab(*arguments, store="/nonexistent/store"):
    """The command in this process, as the entry point runs it."""
    out, err, argv = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["latlab", *arguments, *(() if arguments[0] in ("report", "explore") else ("--store", str(store)))]
    try:
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as stop:
            main()
    finally:
        sys.argv = argv
    assert isinstance(stop.value.code, int)
    return Done(stop.value.code, out.getvalue(), err.getvalue())
