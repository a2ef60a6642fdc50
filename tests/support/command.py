# SPDX-License-Identifier: BSD-3-Clause
"""The command in the test's own process, as the entry point runs it."""

import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from unittest.mock import patch

import pytest

from latlab.core.cli import ids
from latlab.core.cli.app import main


@dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str


def latlab(*arguments, store="/dev/null/store"):
    """The command in this process, as the entry point runs it; unless one is named, with a store that nobody can make."""
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.object(sys, "argv", ["latlab", *map(str, arguments)]),
        patch.dict(os.environ, {"LATLAB_STORE": str(store), "NO_COLOR": "1"}),
        patch.object(ids, "_handing", ids._Handing()),  # a verb that a test called by itself handed nothing over
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as stop,
    ):
        main()
    assert isinstance(stop.value.code, int)
    return Done(stop.value.code, out.getvalue(), err.getvalue())
