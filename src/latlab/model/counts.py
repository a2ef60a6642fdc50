# SPDX-License-Identifier: BSD-3-Clause
"""What the probe counted of releases of a firmware, kept beside what boards published of the same releases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from latlab.model.enums import InstructionClass, Metric


@dataclass(frozen=True, slots=True)
class SpanCount:
    """Instructions of one span per call, of the core with the median count: `parts`, by function and class, sum up to the whole. They are
    empty where the whole alone was counted."""

    total: float
    parts: Mapping[tuple[str, InstructionClass], float]

    @property
    def functions(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for (name, _), amount in self.parts.items():
            found[name] = found.get(name, 0.0) + amount
        return found

    @property
    def classes(self) -> dict[InstructionClass, float]:
        found: dict[InstructionClass, float] = {}
        for (_, name), amount in self.parts.items():
            found[name] = found.get(name, 0.0) + amount
        return found

    def without(self, patterns: tuple[str, ...]) -> SpanCount:
        """The same without the functions of these names."""
        left = {key: amount for key, amount in self.parts.items() if not any(fnmatchcase(key[0], pattern) for pattern in patterns)}
        return SpanCount(self.total - sum(self.parts.values()) + sum(left.values()), left)


@dataclass(frozen=True, slots=True)
class CommitOf:
    """A commit after which these functions run more or fewer instructions."""

    id: str
    subject: str
    functions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReleaseCounts:
    """One release on one processor: `spans` by test and metric, `subject` what was built and where it ran, `provenance` by what and how.
    Functions of the names in `own` are of the emulated platform, no code of the boards. `commits` are those of this release that are
    known to have moved functions."""

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
