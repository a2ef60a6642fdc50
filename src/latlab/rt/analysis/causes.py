# SPDX-License-Identifier: BSD-3-Clause
"""Outliers by what stole their time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from latlab.core.comparison.wording import said_blame
from latlab.core.model.blame import UNTRACED, Blame
from latlab.rt.analysis.attribution import Attributed

RING_OVERWRITTEN = "unknown: the firmware's trace buffer had wrapped"


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
        return max((entry.stolen_ns for entry in self.entries if entry.explained), default=None)


def cause_name(entry: Attributed) -> str:
    """The cause and who called it, or that there is none."""
    return RING_OVERWRITTEN if entry.blame == UNTRACED else said_blame(entry.blame)


def by_cause(attributed: Iterable[Attributed]) -> tuple[CauseGroup, ...]:
    """The most frequent first, those without a cause last."""
    groups: dict[Blame, list[Attributed]] = {}
    for entry in attributed:
        groups.setdefault(entry.blame, []).append(entry)
    ordered = sorted(groups.values(), key=lambda entries: (not entries[0].explained, -len(entries)))
    return tuple(CauseGroup(cause_name(entries[0]), tuple(entries)) for entries in ordered)
