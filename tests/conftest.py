# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Latlab = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def latlab(tmp_path: Path) -> Latlab:
    """Run the command as a user does, with a store of its own."""

    def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        variables = {**os.environ, "LATLAB_STORE": str(tmp_path / "store.sqlite"), "NO_COLOR": "1", **environment}
        command = [sys.executable, "-m", "latlab", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=120, check=False)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run
