# SPDX-License-Identifier: BSD-3-Clause
"""Programs of this machine that a target needs, run to their end."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from latlab.errors import LatlabError, UsageError

TIMEOUT_S = 900


def run(command: Sequence[str], cwd: Path | None = None) -> str:
    """Run a tool to its end; a failure is one sentence with the last line that it said."""
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False)
    except FileNotFoundError as error:
        raise UsageError(f"{command[0]} is not there; install it (Debian: `make setup` does)") from error
    except subprocess.TimeoutExpired as error:
        raise LatlabError(f"{command[0]} has not ended in {TIMEOUT_S} s; check the network and run it again") from error
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise LatlabError(f"{command[0]} ended with status {done.returncode}: {said[-1] if said else 'it said nothing'}")
    return done.stdout
