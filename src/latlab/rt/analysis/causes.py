# SPDX-License-Identifier: BSD-3-Clause
"""Outliers by what stole their time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from latlab.core.comparison.wording import said_blame
from latlab.core.model.blame import UNTRACED, Blame, BlameKind
from latlab.rt.analysis.attribution import Attributed
from latlab.rt.analysis.lateness_parts import LatenessPart
from latlab.rt.analysis.result import RtResult

CPU_AWAY = Blame(BlameKind.AWAY)
MOST_RUNNING = 3
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


def pooled(result: RtResult) -> RtResult:
    """The result with one blame for all times in which a CPU was not available: the task that seemed to run then is no cause."""
    if result.attributed is None:
        return result
    return replace(result, attributed=tuple(_pooled(entry) for entry in result.attributed))


def _pooled(entry: Attributed) -> Attributed:
    parts: Counter[Blame] = Counter()
    for part in entry.parts:
        parts[without_name(part.blame)] += part.ns
    largest_first = tuple(LatenessPart(blame, ns) for blame, ns in parts.most_common())
    return replace(entry, blame=without_name(entry.blame), parts=largest_first)


def without_name(blame: Blame) -> Blame:
    """One blame for all times in which a CPU was not available."""
    return CPU_AWAY if blame.kind is BlameKind.AWAY else blame


def running_while_away(blames: Iterable[Blame]) -> str:
    """Who seemed to run on CPUs that were not available, the most frequent first: `python, sh, dd and 4 more`. Empty if none was away."""
    names = [name for name, _ in Counter(blame.name for blame in blames if blame.kind is BlameKind.AWAY).most_common()]
    others = len(names) - MOST_RUNNING
    return ", ".join(names[:MOST_RUNNING]) + (f" and {others} more" if others > 0 else "")
