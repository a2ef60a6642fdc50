# SPDX-License-Identifier: BSD-3-Clause
"""What unpacks to more than its limit is refused before it fills the memory."""

from __future__ import annotations

import base64
import gzip
import tracemalloc
import zlib

import pytest

from latlab.core.store.unpacking import unpacked
from latlab.rt.readers.guest_frames import read_frames

MIB = 1 << 20


def test_a_part_of_a_store_is_unpacked_up_to_its_limit() -> None:
    data = zlib.compress(bytes(8 * MIB))
    assert unpacked(data, 8 * MIB + 1) == bytes(8 * MIB)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="more than 1 MiB"):
            unpacked(data, MIB)
        assert tracemalloc.get_traced_memory()[1] < 4 * MIB
    finally:
        tracemalloc.stop()
    with pytest.raises(zlib.error):
        unpacked(data[:-9])
    assert unpacked(zlib.compress(b"")) == b""


def test_a_file_of_a_guest_is_unpacked_to_the_size_that_it_states_and_no_further() -> None:
    data = base64.b64encode(gzip.compress(bytes(64 * MIB))).decode()
    lines = [f"<LLG1:FILE name=a.txt bytes=1000 sha256={'0' * 64}>", f"<LLG1:DATA {data}>", "<LLG1:END name=a.txt>"]
    tracemalloc.start()
    try:
        output = read_frames([line.encode() for line in lines])
        assert tracemalloc.get_traced_memory()[1] < 8 * MIB
    finally:
        tracemalloc.stop()
    assert not output.files and "the file a.txt is damaged" in output.problems[0].message
