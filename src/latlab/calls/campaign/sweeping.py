# SPDX-License-Identifier: BSD-3-Clause
"""What is kept of a boot in which an interrupt comes into every instruction of some calls."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.calls.analysis.waits import Shots, Waits
from latlab.calls.model.crossings import Fragment, Header, Record
from latlab.calls.readers.call_names import call_names
from latlab.core.model.run import Problem


class SweepSeen:
    """The records as they come."""

    def __init__(self, handler: int | None = None) -> None:
        self._handler = handler
        self.shots: Shots | None = None
        self.waits = Waits()
        self.fragments: dict[int, Fragment] = {}
        self.problems: list[Problem] = []

    @property
    def instructions(self) -> dict[str, int]:
        """Of each call without an interrupt."""
        return self.shots.instructions if self.shots else {}

    def take(self, items: Iterator[Header | Record | Problem]) -> None:
        for item in items:
            match item:
                case Header():
                    self.shots = Shots(item.arch, call_names(), self._handler)
                case Problem():
                    self.problems.append(item)
                case _ if self.shots:
                    if isinstance(item, Fragment):
                        self.fragments[item.number] = item
                    for name, shot in self.shots.feed((item,)):
                        self.waits.add(name, shot)
