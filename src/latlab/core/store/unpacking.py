# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a run as a store has them compressed, unpacked up to a limit: a store that somebody else made takes no more memory than that."""

from __future__ import annotations

import zlib

MOST_BYTES = 512 << 20


def unpacked(data: bytes, most: int = MOST_BYTES) -> bytes:
    """Raises zlib.error for damaged data, ValueError for more than `most` bytes."""
    unpacking = zlib.decompressobj()
    content = unpacking.decompress(data, most)
    if unpacking.unconsumed_tail or (not unpacking.eof and len(content) >= most):
        raise ValueError(f"a part of more than {most >> 20} MiB")
    if not unpacking.eof:
        raise zlib.error("a part that ends too early")
    return content
