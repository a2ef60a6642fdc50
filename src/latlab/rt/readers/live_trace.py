# SPDX-License-Identifier: BSD-3-Clause
"""What a job that follows threads leaves: the pages of the kernel's buffers by CPU, the formats of the events, and its notes, a line each.

The followed threads are those that the job noted at its begin, and those that they started (`task_newtask`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from latlab.rt.model.thread_trace import LIVE, ThreadTrace, TraceEvent
from latlab.rt.readers.kernel_events import TracepointFormat, read_format
from latlab.rt.readers.raw_events import CURRENT, RawEvents
from latlab.rt.readers.trace_lines import check_events
from latlab.rt.readers.trace_pages import LostEvents, PageLayout, RawEvent, read_layout, read_pages

NOTES, FORMATS = "trace-notes.txt", "trace-formats.txt"
MACHINE, OWN = "machine", "own"
PAGES = re.compile(rf"(?P<part>{MACHINE}|{OWN})-cpu(?P<cpu>\d{{1,5}})\.raw", re.ASCII)
NEW_TASK = "task_newtask"
CLONE_THREAD = 0x10000
CALLS = "syscalls"
LOST_STATS = ("overrun", "commit overrun", "dropped events")


@dataclass(slots=True)
class TraceNotes:
    """`stats` has the kernel's counts by part, CPU and name. `root` is the command that the job started, None if it followed others.
    `counts` and `groups` are what `throttled_threads` takes."""

    events: list[str] = field(default_factory=list)
    calls: dict[int, str] = field(default_factory=dict)
    threads: set[int] = field(default_factory=set)
    stats: dict[tuple[str, str, str], int] = field(default_factory=dict)
    root: int | None = None
    buffer_kib: int = 0
    command_status: int | None = None
    counts: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    others: dict[str, str] = field(default_factory=dict)
    """The job's other words: `quotas` if `counts` are whole, `failed`, `full`, `most`, `ended`, `stopped`, `removed`, `command_ended`,
    `unstarted`; `any` if processes that the threads start are followed as well."""

    @property
    def recorded(self) -> int:
        """The number of events in the files."""
        return sum(count for (_, _, name), count in self.stats.items() if name == "read events")

    @property
    def lost(self) -> dict[str, int]:
        """The number of lost events by CPU, of those that lost some."""
        lost: dict[str, int] = {}
        for (_, cpu, name), count in self.stats.items():
            if name in LOST_STATS and count:
                lost[cpu] = lost.get(cpu, 0) + count
        return lost


@dataclass(frozen=True, slots=True)
class LiveTrace:
    """`pids` are the followed threads."""

    trace: ThreadTrace
    pids: frozenset[int]
    notes: TraceNotes


def read_notes(text: str) -> TraceNotes:
    """Lines that are not whole are left out."""
    notes = TraceNotes()
    for line in text.splitlines():
        word, _, value = line.partition(" ")
        words = value.split()
        if word == "event":
            notes.events.append(value)
        elif word == "call" and len(words) == 2 and words[0].isdecimal():
            notes.calls[int(words[0])] = words[1]
        elif word == "thread" and value.isdecimal():
            notes.threads.add(int(value))
        elif word in ("throttled", "group"):
            (notes.counts if word == "throttled" else notes.groups).append(value)
        elif word == "stats":
            _take_stats(notes, value)
        elif word in ("root", "buffer_kib", "command_status") and value.isdecimal():
            setattr(notes, word, int(value))
        elif word:
            notes.others[word] = f"{notes.others[word]}, {value}" if word in notes.others else value
    return notes


def _take_stats(notes: TraceNotes, line: str) -> None:
    """Such as `machine cpu0 read events: 5`."""
    words, _, count = line.partition(": ")
    part, _, cpu_and_name = words.partition(" ")
    cpu, _, name = cpu_and_name.partition(" ")
    if count.strip().isdecimal():
        notes.stats[part, cpu, name] = int(count)


def is_live(files: Iterable[str]) -> bool:
    """Whether a job that follows threads left these files."""
    return NOTES in files


def read_live_trace(files: Mapping[str, bytes]) -> LiveTrace:
    """Raises DataError if the files have no events of the scheduler."""
    notes = read_notes(files[NOTES].decode("utf-8", "replace"))
    described = files.get(FORMATS, b"").decode("utf-8", "replace")
    layout = read_layout(described, FORMATS)
    points = [point for text in re.split(r"^(?=name: )", described, flags=re.MULTILINE) if (point := read_format(text)) is not None]
    formats = {point.id: point for point in points}
    new_task = next((point for point in points if point.name == NEW_TASK), None)
    reader = _Reader(layout, RawEvents(formats, notes.calls), new_task)
    for name in sorted(files):
        if match := PAGES.fullmatch(name):
            reader.read(int(match["cpu"]), files[name])
    recorded = frozenset((*(point.name for point in points), *(notes.calls.values() if CALLS in notes.events else ())))
    check_events(recorded, NOTES)
    roots = notes.threads if notes.root is None else {notes.root}
    pids = _with_started(roots, sorted(reader.started), is_any=notes.root is not None or "any" in notes.others)
    return LiveTrace(ThreadTrace(tuple(_stretches(reader.events, reader.lost)), recorded, LIVE), frozenset(pids), notes)


class _Reader:
    """`started` has the time, the starting thread, the new one, and whether both are of one process."""

    def __init__(self, layout: PageLayout, raw: RawEvents, new_task: TracepointFormat | None) -> None:
        self._layout, self._raw, self._new_task = layout, raw, new_task
        self.events: list[TraceEvent] = []
        self.lost: list[LostEvents] = []
        self.started: list[tuple[int, int, int, bool]] = []

    def read(self, cpu: int, data: bytes) -> None:
        for item in read_pages(data, self._layout):
            if isinstance(item, LostEvents):
                self.lost.append(item)
            elif (event := self._raw.event(cpu, item.ns, item.record)) is not None:
                self.events.append(event)
            else:
                self._start(item)

    def _start(self, item: RawEvent) -> None:
        point = self._new_task
        if point is None or int.from_bytes(item.record[:2], "little") != point.id:
            return
        is_thread = bool(point.number(item.record, "clone_flags") & CLONE_THREAD)
        self.started.append((item.ns, point.number(item.record, CURRENT), point.number(item.record, "pid"), is_thread))


def _with_started(roots: Iterable[int], started: Iterable[tuple[int, int, int, bool]], is_any: bool) -> set[int]:
    """`is_any`: other processes that they start count as well, not only threads."""
    pids = set(roots)
    for _, parent, pid, is_thread in started:
        if parent in pids and (is_any or is_thread):
            pids.add(pid)
    return pids


def _stretches(events: list[TraceEvent], lost: list[LostEvents]) -> Iterator[tuple[TraceEvent, ...]]:
    """The events in order, cut where a CPU lost some: what the others did meanwhile has no place in either part."""
    in_order = sorted(events, key=lambda event: event.step.ns)
    at = 0
    for gap in sorted(lost, key=lambda gap: gap.begin_ns):
        stretch = []
        while at < len(in_order) and in_order[at].step.ns <= gap.begin_ns:
            stretch.append(in_order[at])
            at += 1
        if stretch:
            yield tuple(stretch)
        while at < len(in_order) and in_order[at].step.ns < gap.end_ns:
            at += 1
    if at < len(in_order):
        yield tuple(in_order[at:])
