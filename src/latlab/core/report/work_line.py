# SPDX-License-Identifier: BSD-3-Clause
"""Long work of this process as a line: how much is done, and the time left."""

from __future__ import annotations

import time
from collections.abc import Callable

from latlab.core.model.work_progress import WorkState, WorkUnit

PATIENCE_S = 1.0
"""Work that has ended by then has no line."""
REDRAW_S = 0.2
LINE_EVERY_S = 60
LEFT_AFTER_S = 2.0
"""The rate of a shorter time says little of the time left."""


class WorkLine:
    """`draw` shows a line in place of the one before, on a terminal; an empty one clears it. Elsewhere `say` has a line a minute."""

    def __init__(self, draw: Callable[[str], None] | None, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._draw, self._say, self._clock = draw, say, clock
        self._work = ""
        self._began = self._next = 0.0
        self._is_drawn = False

    def __call__(self, state: WorkState) -> None:
        now = self._clock()
        if state.work != self._work:
            self._work, self._began = state.work, now
            self._next = now + (LINE_EVERY_S if self._draw is None else PATIENCE_S)
        if state.done == state.total:
            self.clear()
            self._work = ""
        elif now >= self._next:
            self._show(sentence(state, now - self._began), now)

    def clear(self) -> None:
        if self._is_drawn and self._draw is not None:
            self._draw("")
        self._is_drawn = False

    def _show(self, line: str, now: float) -> None:
        self._next = now + (LINE_EVERY_S if self._draw is None else REDRAW_S)
        if self._draw is None:
            self._say(line)
            return
        self._draw(line)
        self._is_drawn = True


def sentence(state: WorkState, elapsed_s: float) -> str:
    """`reading trace.txt: 34 of 100 MB, 41 s left`."""
    parts = [f"{state.work}: {_amount(state)}"]
    if state.total and state.done and elapsed_s >= LEFT_AFTER_S:
        parts.append(f"{duration(elapsed_s / state.done * (state.total - state.done))} left")
    else:
        parts.append(f"{duration(elapsed_s)} elapsed")
    return ", ".join(parts)


def duration(seconds: float) -> str:
    """`45 s`, `12 min 5 s`, `5 h 59 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _amount(state: WorkState) -> str:
    done, total = state.done, state.total
    if state.unit is WorkUnit.BYTES:
        return f"{_megabytes(done)} MB" if total is None else f"{_megabytes(done)} of {_megabytes(total)} MB"
    return f"{done:,} of {total:,} {state.unit}" if total is not None else f"{done:,} {state.unit}"


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.0f}" if count >= 10_000_000 else f"{count / 1e6:.1f}"
