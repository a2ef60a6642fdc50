# SPDX-License-Identifier: BSD-3-Clause
"""What trace-cmd recorded, as the text that it prints of it: its file's format is its own, and no Python library for it is kept."""

from __future__ import annotations

import shutil

from latlab.core.errors import LatlabError, UsageError
from latlab.core.targets.scratch import scratch
from latlab.core.targets.tools import run

PROGRAM = "trace-cmd"


def printed(data: bytes, name: str) -> bytes:
    """The events of a `.dat`, times in ns. Raises UsageError where trace-cmd is not there, LatlabError where it refuses the file."""
    if shutil.which(PROGRAM) is None:
        raise UsageError("a file of trace-cmd, which is not installed", "install it, or give what `trace-cmd report -t` prints", place=name)
    with scratch() as folder:
        path = folder / "trace.dat"
        path.write_bytes(data)
        try:
            return run([PROGRAM, "report", "-t", str(path)]).encode()
        except LatlabError as error:
            raise LatlabError(str(error), place=name) from error
