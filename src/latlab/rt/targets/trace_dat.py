# SPDX-License-Identifier: BSD-3-Clause
"""What trace-cmd or perf recorded, as the text that the same program prints of it: the form of their files is their own, and no Python
library for it is kept."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from latlab.core.errors import LatlabError, UsageError
from latlab.core.targets.scratch import scratch
from latlab.core.targets.tools import run_into


@dataclass(frozen=True, slots=True)
class TraceFile:
    """A form of file by its first bytes, the command that prints its events with times in ns, and the package of Debian that has it."""

    magic: bytes
    command: tuple[str, ...]
    printed_by: str
    package: str

    @property
    def program(self) -> str:
        return self.command[0]


TRACE_FILES = (
    TraceFile(b"\x17\x08\x44tracing", ("trace-cmd", "report", "-t"), "trace-cmd report -t", "trace-cmd"),
    TraceFile(
        b"PERFILE2",
        ("perf", "script", "--force", "--ns", "--show-lost-events", "-F", "comm,tid,cpu,time,event,trace", "-i"),
        "perf script --ns",
        "linux-perf",
    ),
)


def trace_file_of(data: bytes) -> TraceFile | None:
    """None if the file is of neither program."""
    return next((trace_file for trace_file in TRACE_FILES if data.startswith(trace_file.magic)), None)


def printed(data: bytes, name: str, trace_file: TraceFile) -> bytes:
    """The events of the file. Raises UsageError if the program is not installed, LatlabError if it refuses the file."""
    if shutil.which(trace_file.program) is None:
        raise UsageError(
            f"a file of {trace_file.program}, which is not installed",
            f"install it (Debian: {trace_file.package}), or give what `{trace_file.printed_by}` prints",
            place=name,
        )
    with scratch() as folder:
        path = folder / "trace.dat"
        path.write_bytes(data)
        try:
            run_into(folder / "trace.txt", [*trace_file.command, str(path)], f"{trace_file.program} prints {name}")
        except LatlabError as error:
            raise LatlabError(str(error), place=name) from error
        return (folder / "trace.txt").read_bytes()
