# SPDX-License-Identifier: BSD-3-Clause
"""The pages of the kernel's ring buffer as `per_cpu/cpuN/trace_pipe_raw` gives them, in the layout that `events/header_page` states
(Documentation/trace/ring-buffer-design.rst).

A page has the time of its first event, the number of its bytes and its events. Each event has the time since the one before it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from latlab.core.errors import DataError

HEADER_FIELD = re.compile(r"^\tfield: [\w ]{1,60} (\w{1,30});\toffset:(\d{1,7});\tsize:(\d{1,7});", re.MULTILINE | re.ASCII)
WORD = struct.Struct("<I")
TIME = struct.Struct("<Q")
LENGTH_BITS, DELTA_BITS = 5, 27
LENGTH_MASK = (1 << LENGTH_BITS) - 1
IN_WORDS_MOST, PADDING, EXTENDED, STAMP = 28, 29, 30, 31
"""The kinds of an event's head: up to the first it is the length in words of 4 bytes."""
LOST, BYTES = 1 << 31, (1 << 27) - 1
"""In the number of a page's bytes: events before this page were overwritten."""
STAMP_MASK = (1 << 59) - 1
MOST_PAGE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class PageLayout:
    """Of the machine that recorded. `page_bytes` is the size of a page with its head."""

    count_at: int
    data_at: int
    page_bytes: int


@dataclass(frozen=True, slots=True)
class RawEvent:
    """An event at its time, with the bytes of the tracepoint's record."""

    ns: int
    record: bytes


@dataclass(frozen=True, slots=True)
class LostEvents:
    """From the last event before to the first event after, both of one CPU."""

    begin_ns: int
    end_ns: int


def read_layout(text: str, place: str) -> PageLayout:
    """Raises DataError if it is no description of a page."""
    fields = {name: (int(offset), int(size)) for name, offset, size in HEADER_FIELD.findall(text)}
    if not {"timestamp", "commit", "data"} <= fields.keys() or not 0 < sum(fields["data"]) <= MOST_PAGE_BYTES:
        raise DataError("the layout of the ring buffer's pages is missing or damaged", "record again", place=place)
    return PageLayout(fields["commit"][0], fields["data"][0], sum(fields["data"]))


def read_pages(data: bytes, layout: PageLayout) -> Iterator[RawEvent | LostEvents]:
    """The events of one CPU in order, without a page that is not whole. Lost events stand where they are missing."""
    last_ns = 0
    for at in range(0, len(data) - layout.page_bytes + 1, layout.page_bytes):
        page = data[at : at + layout.page_bytes]
        begin_ns = TIME.unpack_from(page)[0]
        count = WORD.unpack_from(page, layout.count_at)[0]
        if count & LOST:
            yield LostEvents(last_ns or begin_ns, begin_ns)
        for event in _events(page, layout.data_at, min(layout.data_at + (count & BYTES), layout.page_bytes), begin_ns):
            last_ns = event.ns
            yield event


def _events(page: bytes, at: int, end: int, ns: int) -> Iterator[RawEvent]:
    while at + WORD.size <= end:
        head = WORD.unpack_from(page, at)[0]
        kind, delta = head & LENGTH_MASK, head >> LENGTH_BITS
        at += WORD.size
        if 0 < kind <= IN_WORDS_MOST:
            ns += delta
            yield RawEvent(ns, page[at : at + 4 * kind])
            at += 4 * kind
            continue
        if at + WORD.size > end or (kind == PADDING and delta == 0):
            return
        word = WORD.unpack_from(page, at)[0]
        if kind == EXTENDED:
            ns += delta + (word << DELTA_BITS)
            at += WORD.size
        elif kind == STAMP:
            ns = (ns & ~STAMP_MASK) | (delta + (word << DELTA_BITS))
            at += WORD.size
        else:
            ns += delta
            if kind == 0:
                yield RawEvent(ns, page[at + WORD.size : at + word])
            at += max(word, WORD.size)
