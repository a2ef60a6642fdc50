# SPDX-License-Identifier: BSD-3-Clause
"""The watchdog of builds: a process that ends a running build and removes its folder if latlab dies without cleaning up, also by
SIGKILL.

It reads lines on standard input, `begun GROUP` and `ended`; the end of the input is the end of latlab. Other children of latlab keep no
copy of that pipe.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path


class Guardian:
    """Watches over a folder and one process group at a time, from here to `close`."""

    def __init__(self, folder: Path) -> None:
        command = (sys.executable, "-m", __name__, str(folder))
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
        assert self._process.stdin is not None
        self._pipe = self._process.stdin.fileno()

    def begin(self) -> None:
        """In the child, before it becomes its program: it leads its own group from now on."""
        os.write(self._pipe, f"begun {os.getpid()}\n".encode())

    def ended(self) -> None:
        os.write(self._pipe, b"ended\n")

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def end_group(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def main() -> None:
    group = 0
    for line in sys.stdin:
        word, _, number = line.strip().partition(" ")
        group = int(number) if word == "begun" else 0
    if group:
        end_group(group)
    shutil.rmtree(sys.argv[1], ignore_errors=True)


if __name__ == "__main__":
    main()
