# SPDX-License-Identifier: BSD-3-Clause
"""Exact findings on spans of a trace, each with its sentence. Amounts are in the run's unit, which `sentence` takes."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.core.comparison.wording import amount
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId


@dataclass(frozen=True, slots=True)
class LongestSpan:
    core: CoreId
    metric: Metric
    total: float
    parts: tuple[tuple[str, float], ...]

    def sentence(self, unit: str) -> str:
        listing = ", ".join(f"{name} {amount(value, unit)}" for name, value in self.parts)
        return f"core {self.core} has the longest {self.metric}, {amount(self.total, unit)}: {listing}"


@dataclass(frozen=True, slots=True)
class SpentIn:
    """The innermost function that, with its callees, has more than half of a core's span. `caller` calls it `times` times in one span."""

    core: CoreId
    metric: Metric
    function: str
    caller: str
    times: float
    spent: float
    share: float

    def sentence(self, unit: str) -> str:
        times = f" {self.times:g} times" if self.times != 1 else ""
        by = f", called{times} by {self.caller}" if self.caller else ""
        part = f"{100 * self.share:.0f} % of that {self.metric} of core {self.core}"
        return f"{part} is {self.function} and its callees, {amount(self.spent, unit)}{by}"


@dataclass(frozen=True, slots=True)
class WaitedFor:
    """A wait in the trace: the lock holders and how long each held it, or the event that ended the wait."""

    core: CoreId
    waited: float
    part: str
    holders: tuple[tuple[CoreId, float], ...]
    ended_by: tuple[CoreId, str] | None

    def sentence(self, unit: str) -> str:
        why = "".join(f", {amount(value, unit)} of it behind {holder}" for holder, value in self.holders)
        why += f"; it continued right after {self.ended_by[1]} of {self.ended_by[0]}" if self.ended_by else ""
        return f"core {self.core} waited {amount(self.waited, unit)} ({self.part}){why}"
