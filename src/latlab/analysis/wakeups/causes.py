# SPDX-License-Identifier: BSD-3-Clause
"""Outliers by what stole their time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from latlab.analysis.wakeups.attribution import Attributed

UNEXPLAINED = "unexplained"
UNTRACED = "unknown: the firmware's ring had been overwritten"


@dataclass(frozen=True, slots=True)
class CauseGroup:
    """The outliers of one cause; `stolen_ns` is the most that its calls took of one of them, None where there is no cause."""

    name: str
    entries: tuple[Attributed, ...]

    @property
    def cpus(self) -> tuple[int, ...]:
        return tuple(sorted({entry.outlier.cpu for entry in self.entries}))

    @property
    def latest_ns(self) -> int:
        return max(entry.outlier.late_ns for entry in self.entries)

    @property
    def stolen_ns(self) -> int | None:
        return max((entry.cause.stolen_ns for entry in self.entries if entry.cause), default=None)


def cause_name(entry: Attributed) -> str:
    """The cause and who called it, or that there is none."""
    if entry.cause is None:
        return UNEXPLAINED if entry.traced else UNTRACED
    return entry.cause.name + (f", called by {entry.cause.caller}" if entry.cause.caller else "")


def by_cause(attributed: Iterable[Attributed]) -> tuple[CauseGroup, ...]:
    """The most frequent first, those without a cause last."""
    groups: dict[str, list[Attributed]] = {}
    for entry in attributed:
        groups.setdefault(cause_name(entry), []).append(entry)
    ordered = sorted(groups.items(), key=lambda pair: (pair[1][0].cause is None, -len(pair[1])))
    return tuple(CauseGroup(name, tuple(entries)) for name, entries in ordered)
