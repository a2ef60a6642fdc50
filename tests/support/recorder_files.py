# SPDX-License-Identifier: BSD-3-Clause
"""Recorder files made by hand, for tests of their reader."""

import struct
import zlib

import numpy as np

from latlab.rt.readers.recorder import HEADER, MAGIC, OUTLIER, SLOT, TALLY

BUCKETS = 59 * 64
MAX_CPUS = 64
START_NS = 5_000_000_000
HZ = 62_500_000


def tally(samples: list[int], missed: int = 0, dropped: int = 0, left: tuple[int, int] = (0, 0)) -> bytes:
    shifts = np.maximum(np.frexp(np.asarray(samples, dtype=float))[1] - 7, 0)  # the exponent is the number of bits
    buckets = shifts * 64 + (np.asarray(samples, dtype=np.int64) >> shifts)
    counts = np.bincount(buckets, minlength=BUCKETS).tolist()
    head = struct.pack(
        "<10Q", len(samples), missed, min(samples, default=(1 << 64) - 1), max(samples, default=0), sum(samples), 0xABC, 0, dropped, *left
    )
    return head + struct.pack(f"<{BUCKETS}Q", *counts) + bytes(8 * BUCKETS)


def bucket(value: int) -> int:
    if value < 128:
        return value
    shift = value.bit_length() - 7
    return shift * 64 + (value >> shift)


def header(cpus: int, duration_ns: int = 0, interval_ns: int = 200_000, sub_bits: int = 6) -> bytes:
    slot_bytes = SLOT.size + cpus * (TALLY.size + 16 * BUCKETS)
    numbers = list(range(cpus)) + [0] * (MAX_CPUS - cpus)
    fields = [MAGIC, HEADER.size, slot_bytes, cpus, BUCKETS, sub_bits, 80]
    fields += [interval_ns, 100_000, duration_ns, 0, START_NS, HZ, 236_000, 0, *numbers]
    packed = HEADER.pack(*fields, 0)[:-4]
    return packed + struct.pack("<I", zlib.crc32(packed))


def slot(
    sequence: int,
    tallies: list[bytes],
    final: bool,
    now_ns: int = START_NS + 1_000_000_000,
    outliers: int = 0,
    continued_ns: int = 0,
    stopped_by: int = 0,
    write_error: int = 0,
) -> bytes:
    times = now_ns, now_ns * HZ // 1_000_000_000
    head = struct.pack("<6Q3I", sequence, *times, outliers, continued_ns, continued_ns > 0, stopped_by, write_error, final)
    body = b"".join(tallies)
    return head + struct.pack("<I", zlib.crc32(body, zlib.crc32(head))) + body


def batch(outliers: list[tuple[int, int, int, int, int]]) -> bytes:
    body = b"".join(OUTLIER.pack(*outlier) for outlier in outliers)
    return struct.pack("<II", len(outliers), zlib.crc32(body)) + body


def whole(samples: list[list[int]], outliers: list[tuple[int, int, int, int, int]] | None = None, final: bool = True) -> bytes:
    tallies = [tally(values) for values in samples]
    older = slot(2, [tally([]) for _ in samples], False)
    data = header(len(samples)) + older + slot(3, tallies, final)
    return data + (batch(outliers) if outliers else b"")
