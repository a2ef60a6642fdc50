# SPDX-License-Identifier: BSD-3-Clause
"""What the user sees on stderr while a campaign runs."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class RunProgress:
    """A bar on a terminal; elsewhere one line at each test."""

    def __init__(self, console: Console, subject: str, iterations: int | None) -> None:
        self._console = console
        self._what = subject
        self._test = ""
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._task = self._bar.add_task("starting", total=iterations)

    def __enter__(self) -> RunProgress:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._bar.stop()

    def start(self, run_id: str) -> None:
        self._console.print(f"run {run_id} on {self._what}", highlight=False, markup=False)

    def iteration(self, test: str, number: int) -> None:
        if test != self._test and not self._console.is_terminal:
            self._console.print(f"test {test}", highlight=False, markup=False)
        self._test = test
        self._bar.update(self._task, advance=1, description=test)
