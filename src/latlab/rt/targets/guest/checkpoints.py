# SPDX-License-Identifier: BSD-3-Clause
"""The memory that a guest shares with its host, a file here: the recorder keeps its own file in it as well, so that it outlives the guest.

The first page says `LLSHM1\\r\\n` and how many bytes of the file are there; the file begins at the second page.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path

SHARED = "shared-memory"
SHARED_BYTES = 16 << 20
HEAD = struct.Struct("<8sQ")
MAGIC = b"LLSHM1\r\n"
PAGE = 4096


def make_shared(path: Path) -> None:
    """Sparse: it takes the room of what is written."""
    with path.open("wb") as file:
        file.truncate(SHARED_BYTES)


def read_shared(path: Path) -> bytes:
    """The recorder's file as it stands; empty while there is none."""
    try:
        with path.open("rb") as file:
            magic, size = HEAD.unpack(file.read(HEAD.size))
            if magic != MAGIC or size > SHARED_BYTES - PAGE:
                return b""
            file.seek(PAGE)
            return file.read(size)
    except (OSError, struct.error):
        return b""


def sync(path: Path) -> None:
    """What the guest has written until now outlives a power cut of its host."""
    with path.open("rb+") as file:
        os.fdatasync(file.fileno())
