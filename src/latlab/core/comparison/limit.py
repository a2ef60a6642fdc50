# SPDX-License-Identifier: BSD-3-Clause
"""A limit on figures, and what it is of one figure."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from math import ceil

from latlab.core.comparison.wording import amount
from latlab.core.errors import UsageError
from latlab.core.model.run import CoreId, Run
from latlab.core.shown import significant


class LimitOutcome(StrEnum):
    KEPT = "pass"
    EXCEEDED = "fail"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Limit:
    """`share` is that of a quantile, None for another `statistic`, which is empty where the figure itself is meant. `unit` is ns, insns, or
    empty for a plain number. `cpus` and `cores` choose places; with neither all are meant. A number means that core of every cluster."""

    text: str
    name: str
    statistic: str
    share: float | None
    operator: str
    value: float
    unit: str
    cpus: tuple[int, ...] = ()
    cores: tuple[CoreId, ...] = ()

    @property
    def is_of_places(self) -> bool:
        return bool(self.cpus or self.cores)

    def takes(self, core: CoreId) -> bool:
        return not self.is_of_places or core.core in self.cpus or core in self.cores

    @property
    def is_of_samples(self) -> bool:
        """Whether it is on a statistic of samples, and not on a figure itself."""
        return self.share is not None or bool(self.statistic)

    def holds(self, value: float) -> bool:
        if self.operator == "==":
            return value == self.value
        return value < self.value if self.operator == "<" else value <= self.value


@dataclass(frozen=True, slots=True)
class Held:
    """What one limit is of one figure; `value` is how far that went."""

    limit: Limit
    outcome: LimitOutcome
    sentence: str
    value: float = 0.0


def unmeasured_places(run: Run, limit: Limit, measured: Collection[CoreId]) -> Iterator[Held]:
    numbers = {core.core for core in measured}
    missing = [
        *(f"CPU {cpu}" for cpu in limit.cpus if cpu not in numbers),
        *(f"core {core}" for core in limit.cores if core not in measured),
    ]
    for place in missing:
        yield Held(limit, LimitOutcome.INCONCLUSIVE, f"inconclusive: {limit.text}: {run.id} has nothing of {place}")


@dataclass(frozen=True, slots=True)
class Edges:
    """The least and the most that a figure can be, by the bucket or the printed step that it was read from; None where it is open."""

    low: float | None
    high: float | None

    def shown(self, unit: str, limit: Limit) -> str:
        if self.low is None:
            return f"beyond {amount(limit.value, unit)}"
        low = amount(self.low, unit)
        if self.high is None:
            return f"{low} or more"
        high = amount(self.high, unit)
        return low if low == high else f"{low} to {high}"


def held_share(limit: Limit, subject: str, total: int, at: Edges, unit: str) -> Held:
    """The quantile keeps the limit if its upper edge does, and if there are enough samples for one to be due there."""
    assert limit.share is not None
    share_above = 1 - limit.share
    name, needed = f"{significant(limit.share * 100, 10)} %", ceil(round(1 / share_above, 6))
    if total < needed:
        reason = f"{name} needs {needed:,} samples, {total:,} were measured: inconclusive"
        return Held(limit, LimitOutcome.INCONCLUSIVE, f"inconclusive: {limit.text}: {subject}: {reason}")
    return held_edges(limit, f"{subject} {name}", at, total, unit)


def held_edges(limit: Limit, subject: str, at: Edges, samples: int, unit: str) -> Held:
    """The edge that does not flatter decides; a limit between the two is inconclusive."""
    outcome = LimitOutcome.INCONCLUSIVE
    if at.high is not None and limit.holds(at.high) and (limit.operator != "==" or at.low == at.high):
        outcome = LimitOutcome.KEPT
    elif at.low is None or not limit.holds(at.low):
        outcome = LimitOutcome.EXCEEDED
    why = ": the figure is not known more finely than the limit" if outcome is LimitOutcome.INCONCLUSIVE else ""
    sentence = f"{outcome}: {limit.text}: {subject} is {at.shown(unit, limit)}, n = {samples:,}{why}"
    return Held(limit, outcome, sentence, at.high or at.low or 0.0)


def check_unit(limit: Limit, unit: str) -> None:
    if limit.unit != unit and not (limit.value == 0 and not limit.unit):
        counts = {
            "ns": "time, such as 50us",
            "insns": "instructions, such as `300 instructions`",
            "cycles": "cycles, such as `300 cycles`",
            "ticks": "ticks of a simulator, such as `300 ticks`",
            "": "a plain number, such as `missed == 0`",
        }
        raise UsageError(f"--limit {limit.text!r}: the figure is {counts[unit]}", "write the value so", value=limit.text)
