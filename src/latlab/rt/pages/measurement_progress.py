# SPDX-License-Identifier: BSD-3-Clause
"""What the user sees on stderr while wake-ups are measured: on a terminal a line that moves and each late wake-up as it comes, elsewhere a
line a minute."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text

from latlab.core.model.work_progress import progress_to
from latlab.core.report.work_line import WorkLine, duration
from latlab.rt.model.wakeups import LiveSnapshot

LINE_EVERY_S = 60
MOST_LATE_SHOWN = 20


class MeasurementProgress:
    """`stop` is asked whether the measurement is to end."""

    def __init__(self, console: Console, stop: Callable[[], bool] = lambda: False, clock: Callable[[], float] = time.monotonic) -> None:
        self._console, self._stop, self._clock = console, stop, clock
        self._phase = "starting"
        self._expected_s: float | None = None
        self._glance: LiveSnapshot | None = None
        self._first_glance: tuple[float, float] | None = None
        self._glanced = 0.0
        self._began = self._phase_began = self._said = clock()
        self._late_shown: set[tuple[int, int]] = set()
        self._work = ""
        self._stack = ExitStack()
        self._live = Live(console=console, refresh_per_second=1, transient=True, get_renderable=self._line)

    def __enter__(self) -> MeasurementProgress:
        if self._console.is_terminal:
            self._live.start()
        self._stack.enter_context(progress_to(WorkLine(self._draw_work if self._console.is_terminal else None, self._print, self._clock)))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stack.close()
        if self._console.is_terminal:
            self._live.stop()

    def start(self, run_id: str) -> None:
        self._print(f"run {run_id}")

    def phase(self, name: str, expected_s: float | None) -> None:
        self._phase, self._expected_s, self._glance, self._phase_began = name, expected_s, None, self._clock()
        self._first_glance = None
        self._late_shown.clear()
        if not self._console.is_terminal:
            self._print(f"{name}{f', {duration(expected_s)}' if expected_s else ''}")
            self._said = self._clock()

    def glance(self, glance: LiveSnapshot) -> None:
        self._glance, self._glanced = glance, self._clock()
        self._first_glance = self._first_glance or (self._glanced, glance.measured_s)
        if self._console.is_terminal:
            self._show_late(glance)

    def tick(self) -> None:
        if not self._console.is_terminal and self._clock() - self._said >= LINE_EVERY_S:
            self._said = self._clock()
            self._print(self.sentence())

    def stop(self) -> bool:
        return self._stop()

    def interrupted(self) -> None:
        self._phase, self._expected_s, self._glance = "collecting", None, None
        self._print("interrupted; collecting what was measured")

    def sentence(self) -> str:
        """The phase, how long it has all taken, how long the phase will still take, and what was seen."""
        parts = [f"{self._phase}: {duration(self._clock() - self._began)} elapsed"]
        left_s = self._left_s()
        if left_s is not None:
            parts.append(f"{duration(left_s)} left")
        if self._glance:
            parts += _snapshot_parts(self._glance)
        return ", ".join(parts)

    def _left_s(self) -> float | None:
        """The time left by the last known state of the measurement, less the time since then."""
        if self._expected_s is None:
            return None
        if self._glance is None or self._first_glance is None or self._glance.measured_s <= 0:
            return max(self._expected_s - (self._clock() - self._phase_began), 0)
        left_s = (self._expected_s - self._glance.measured_s) * self._seconds_a_second(self._glance, *self._first_glance)
        return max(left_s - (self._clock() - self._glanced), 0)

    def _seconds_a_second(self, glance: LiveSnapshot, first_at: float, first_s: float) -> float:
        """Seconds of this machine for one of the measured machine: an emulator's are longer or shorter."""
        if glance.measured_s > first_s:
            return (self._glanced - first_at) / (glance.measured_s - first_s)
        return max(1.0, (self._glanced - self._phase_began) / glance.measured_s)

    def _show_late(self, glance: LiveSnapshot) -> None:
        new = [late for late in glance.late if late[:2] not in self._late_shown]
        room = max(MOST_LATE_SHOWN - len(self._late_shown), 0)
        for wake_ns, cpu, late_ns in new[:room]:
            self._print(f"late: CPU {cpu}, {late_ns / 1000:.1f} µs, at {_at(glance, wake_ns)}")
        if room and len(new) > room:
            self._print("more late wake-ups are counted, not shown")
        self._late_shown |= {late[:2] for late in new}

    def _draw_work(self, line: str) -> None:
        self._work = line

    def _line(self) -> Text:
        return Text(self._work or self.sentence(), overflow="ellipsis", no_wrap=True)

    def _print(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)


def _snapshot_parts(glance: LiveSnapshot) -> list[str]:
    """The maximum first: a terminal cuts the end of the line."""
    maximum = max(((high, cpu) for cpu, _, high in glance.cpus), default=None)
    total = sum(got for _, got, _ in glance.cpus)
    late = f"{len(glance.late)} late" if glance.late else "none late"
    return [*([f"max {maximum[0] / 1000:.1f} µs on CPU {maximum[1]}"] if maximum else []), f"{total:,} wake-ups", late]


def _at(glance: LiveSnapshot, wake_ns: int) -> str:
    first = min((late[0] for late in glance.late), default=wake_ns)
    return duration((wake_ns - first) / 1e9) + " after the first" if wake_ns > first else "the first"
