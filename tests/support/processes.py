# SPDX-License-Identifier: BSD-3-Clause
"""Processes that a test looks at and did not start itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

LIMIT_S = 3600


def is_running(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def wait_until(condition: Callable[[], bool]) -> None:
    """However loaded the machine is."""
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def of_job(folder: Path | str) -> list[str]:
    """Ids of the processes of a job, whatever became of their parents."""
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"LATLAB_JOB={folder}".encode() in environ.read_bytes().split(b"\0"):
                found.append(environ.parent.name)
        except OSError:
            continue
    return found
