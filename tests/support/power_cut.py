# SPDX-License-Identifier: BSD-3-Clause
"""What a power cut leaves: the store as it was committed, and a recorder's file as it was last synced, with what was just being written."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from latlab.core.store.owner import this_process
from support import recorder_files as files
from support.sealed_rows import reseal

SIX_HOURS_S = 6 * 3600
SECOND_NS = 1_000_000_000
TALLY = files.tally([50_000] * 3)
PAGE_BYTES = 4096


class PowerCut(BaseException):
    """Nothing more is done."""


def slot(number: int) -> bytes:
    """The checkpoint of that second."""
    return files.slot(number, [TALLY], False, now_ns=files.START_NS + number * SECOND_NS)


def record(sequence: int, torn: bytes = b"") -> bytes:
    """The file with its last two checkpoints. `torn` is the beginning of the one that comes next, over the older one of the two."""
    held = {number % 2: slot(number) if number > 0 else b"" for number in (sequence - 1, sequence)}
    size = len(slot(1))
    older = held[(sequence + 1) % 2].ljust(size, b"\0")
    held[(sequence + 1) % 2] = torn + older[len(torn) :]
    return files.header(1, SIX_HOURS_S * SECOND_NS) + held[0].ljust(size, b"\0") + held[1].ljust(size, b"\0")


def thaw_store(kept: Path, place: Path) -> None:
    """The machine has been started again: the run's process is one of another boot."""
    shutil.copy(kept, place)
    with sqlite3.connect(place) as changed:
        changed.execute("UPDATE lives SET owner = replace(owner, ?, 'before the cut')", (this_process().boot_id,))
    reseal(place)
