# SPDX-License-Identifier: BSD-3-Clause
"""A machine over an `ssh` that is a script on this machine."""

from __future__ import annotations

from pathlib import Path

from latlab.core.targets.linux.machine import OverSsh


def over_script(folder: Path, body: str = 'exec sh -c "$*"') -> OverSsh:
    """An ssh that runs the command here. $1 is the host, $COUNT how often it has been called."""
    program = folder / "ssh"
    count = folder / "count"
    program.write_text(f"#!/bin/sh\nshift\necho >>{count}\nCOUNT=$(wc -l <{count})\n{body}\n")
    program.chmod(0o755)
    return OverSsh("board", (str(program),))
