# SPDX-License-Identifier: BSD-3-Clause
"""Instruction counts of firmware releases, measured by the probe, to compare with the times that boards published for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from latlab.core.model.enums import InstructionClass, Metric


@dataclass(frozen=True, slots=True)
class SpanCount:
    """Instructions per call of one span, on the core with the median count. `parts`, by function and class, add up to `total`. They are
    empty if only the total was counted."""

    total: float
    parts: Mapping[tuple[str, InstructionClass], float]

    @property
    def functions(self) -> dict[str, float]:
        totals: dict[str, float] = {}
        for (name, _), amount in self.parts.items():
            totals[name] = totals.get(name, 0.0) + amount
        return totals

    @property
    def classes(self) -> dict[InstructionClass, float]:
        totals: dict[InstructionClass, float] = {}
        for (_, name), amount in self.parts.items():
            totals[name] = totals.get(name, 0.0) + amount
        return totals

    def without(self, patterns: tuple[str, ...]) -> SpanCount:
        """A copy without the functions whose names match one of these patterns."""
        remaining = {key: amount for key, amount in self.parts.items() if not any(fnmatchcase(key[0], pattern) for pattern in patterns)}
        return SpanCount(self.total - sum(self.parts.values()) + sum(remaining.values()), remaining)


@dataclass(frozen=True, slots=True)
class CommitOf:
    """A commit after which these functions run more or fewer instructions."""

    id: str
    subject: str
    functions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReleaseCounts:
    """The counts of one release on one processor: `spans` by test and metric. `subject` is what was built and where it ran, `provenance`
    how it was measured. Functions whose names match `own` belong to the emulated platform and are no code of the boards. `commits` are
    the commits of this release that are known to change the count of a function."""

    release: str
    commit: str
    processor: str
    subject: str
    provenance: Mapping[str, str]
    own: tuple[str, ...]
    spans: Mapping[tuple[str, Metric], SpanCount]
    commits: tuple[CommitOf, ...] = ()

    def shared(self, span: tuple[str, Metric]) -> SpanCount:
        return self.spans[span].without(self.own)
