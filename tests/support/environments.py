# SPDX-License-Identifier: BSD-3-Clause
"""Environments of labgrid, and the command on them."""

from __future__ import annotations

import shutil
from pathlib import Path

from latlab.core.cli.app import app
from latlab.core.model.run import Run
from latlab.core.store.store import open_store


def shell_config(folder: Path) -> Path:
    """A board with only a console: a shell of this machine. Its lines end as a pipe's do, not as a serial port's, on which labgrid counts
    where it takes a name from one: rz of some systems refuses a name with the end of a line in it."""
    path, mktemp = folder / "env.yaml", folder / "bin" / "mktemp"
    mktemp.parent.mkdir(exist_ok=True)
    mktemp.write_text(f'#!/bin/sh\nprintf "%s\\r\\n" "$({shutil.which("mktemp")} "$@")"\n')
    mktemp.chmod(0o755)
    path.write_text(
        "targets:\n  main:\n    drivers:\n"
        f"      ExternalConsoleDriver: {{cmd: 'sh -c \"PATH={mktemp.parent}:$PATH PS1=# exec sh -i 2>&1\"'}}\n"
        "      ShellDriver: {prompt: '# ?', login_prompt: 'login:', username: root}\n"
    )
    return path


def run_psci_on(config: Path, *options: str) -> Run:
    """The run that is kept in the store of the environment, whatever the command says of it."""
    app(("run", "psci", "--target", "labgrid", "--config", str(config), *options), standalone_mode=False)
    return open_store().load("last")
