# SPDX-License-Identifier: BSD-3-Clause
"""The README's two commands in a minimal root of a Debian suite, and the oldest suite's wheel in a root without a compiler.

What a root printed is kept in build/systems. A machine that can make no root skips with its reason.
"""

from __future__ import annotations

import platform
import subprocess

import pytest

from support.places import ROOT

COMMANDS = ("make demo", "make test")
OLDEST = "bookworm"
NO_ROOT = 77
LAST_LINES = 20
MAKE_WHEEL = f"rm -f /mnt/*.whl && make package && cp dist/latlab-*_{platform.machine()}.whl /mnt"
USE_WHEEL = (
    "wheel=$(ls /mnt/*.whl) && LATLAB_WHEEL=$wheel scripts/setup.sh && PATH=$PWD/.venv/bin:$PATH && cd /root && ! command -v gcc"
    " && latlab doctor && latlab run psci && latlab runs label last main && latlab run psci && latlab gate latest:main last"
    " && latlab report last -o psci.html && latlab run psa --build ipc_l2"
)


def passes_in_root(suite: str, command: str, log_name: str) -> None:
    """Skips where no root can be made; fails with the last lines of a command that ended with another code than 0."""
    log = ROOT / "build" / "systems" / f"{log_name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as file:
        code = subprocess.run((ROOT / "scripts" / "root_of.sh", suite, command), stdout=file, stderr=file, check=False).returncode
    last = log.read_text("utf-8", "replace").splitlines()[-LAST_LINES:]
    if code == NO_ROOT:
        pytest.skip(last[-1])
    assert code == 0, "\n".join([f"{command} ended with {code} in {suite}, see {log}", *last])


def wheel_works_in_root(suite: str) -> None:
    """The wheel is made in the oldest suite's root, into the folder that all roots share."""
    passes_in_root(OLDEST, MAKE_WHEEL, f"package-for-{suite}")
    passes_in_root(f"{suite}/wheel", USE_WHEEL, f"{suite}-wheel")
