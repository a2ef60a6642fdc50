# SPDX-License-Identifier: BSD-3-Clause
"""A file that a user names, read up to a limit: one that never ends, or that is no log, costs a sentence and not all of the memory."""

from __future__ import annotations

from pathlib import Path

from latlab.core.errors import DataError, UsageError

MOST_BYTES = 512 << 20
LONGEST_LINE = 64 << 20
CHUNK = 1 << 20


def read_file(path: Path, most: int = MOST_BYTES, longest_line: int = LONGEST_LINE) -> bytes:
    """Its bytes. Raises UsageError where it cannot be read or is too large, DataError where a line is longer than any log's."""
    content = bytearray()
    line = size = 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                content += chunk
                size = size + len(chunk) if b"\n" not in chunk else len(chunk) - chunk.rfind(b"\n") - 1
                line += chunk.count(b"\n")
                if size > longest_line:
                    raise DataError(
                        f"more than {longest_line >> 20} MiB without the end of a line; this is no log", place=f"{path}:{line + 1}"
                    )
                if len(content) > most:
                    raise UsageError(
                        f"{path} has more than {most >> 20} MiB, which is more than a log of latlab's", "cut out what is needed"
                    )
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", "check the path and its permissions") from None
    return bytes(content)
