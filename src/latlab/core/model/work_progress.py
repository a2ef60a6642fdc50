# SPDX-License-Identifier: BSD-3-Clause
"""The progress of long work in this process. Readers and analyses report it; who started them may show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

T = TypeVar("T")
EVERY = 1024
"""Items between two reports: a report costs about as much as an item."""


class WorkUnit(StrEnum):
    BYTES = "bytes"
    EVENTS = "events"
    CYCLES = "cycles"
    PACKETS = "packets"
    RUNS = "runs"
    STEPS = "steps"


@dataclass(frozen=True, slots=True)
class WorkState:
    """`done` of `total` in `unit`. `total` is None if it is unknown, for work of another program."""

    work: str
    done: int = 0
    total: int | None = None
    unit: WorkUnit = WorkUnit.BYTES


Show = Callable[[WorkState], None]
_show: ContextVar[Show | None] = ContextVar("show", default=None)


@contextmanager
def progress_to(show: Show) -> Iterator[None]:
    """Each report goes to `show` until the end of the block."""
    token = _show.set(show)
    try:
        yield
    finally:
        _show.reset(token)


@contextmanager
def part_of(done: int, total: int) -> Iterator[None]:
    """Reports of the block are of a part of longer work: `done` of `total` came before it."""
    show = _show.get()
    if show is None:
        yield
        return
    with progress_to(lambda state: show(replace(state, done=done + state.done, total=total))):
        yield


def report(state: WorkState) -> None:
    show = _show.get()
    if show is not None:
        show(state)


def numbered_lines(text: str, work: str) -> Iterator[tuple[int, str]]:
    """The lines of a text from 1 on, as `split` makes them. The report is in characters, which in a trace are bytes."""
    done, total = 0, len(text)
    for number, line in enumerate(text.split("\n"), 1):
        if number % EVERY == 1:
            report(WorkState(work, done, total))
        done += len(line) + 1
        yield number, line
    report(WorkState(work, total, total))


def each(items: Sequence[T], work: str, unit: WorkUnit, every: int = EVERY) -> Iterator[T]:
    """The items, with a report of how many are done."""
    for at, item in enumerate(items):
        if at % every == 0:
            report(WorkState(work, at, len(items), unit))
        yield item
    report(WorkState(work, len(items), len(items), unit))
