# SPDX-License-Identifier: BSD-3-Clause
"""The standard streams of a command: whether anybody reads them changes neither what the command does nor its exit code."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, TextIO, cast

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

STANDARD_OUTPUT, STANDARD_ERROR = 1, 2


class _UntilUnread(io.FileIO):
    """A file whose writes fail at most once. What is written after its reader went away, or its disk was full, is dropped."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            if not isinstance(error, BrokenPipeError):
                raise
            return memoryview(data).nbytes


def use_safe_streams() -> None:
    """Standard output and standard error may be closed, have no reader, or be in an encoding without µ. A verdict must not depend on it."""
    sys.stdout = _safe(sys.stdout, STANDARD_OUTPUT)
    sys.stderr = _safe(sys.stderr, STANDARD_ERROR)


def _safe(stream: TextIO | None, number: int) -> TextIO:
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")
    if not isinstance(stream, io.TextIOWrapper) or _descriptor(stream) != number:
        return stream
    stream.flush()
    file = _UntilUnread(number, "w", closefd=False)
    is_line_buffered = stream.line_buffering or number == STANDARD_ERROR
    buffer = file if stream.write_through else io.BufferedWriter(file)  # with PYTHONUNBUFFERED nothing is held back
    return io.TextIOWrapper(
        cast(io.BufferedWriter, buffer),
        stream.encoding,
        "backslashreplace",
        line_buffering=is_line_buffered,
        write_through=stream.write_through,
    )


def _descriptor(stream: TextIO) -> int:
    """The number of the file; -1 for a stream in memory, which a caller put there."""
    try:
        return stream.fileno()
    except OSError:
        return -1
