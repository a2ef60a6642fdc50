# SPDX-License-Identifier: BSD-3-Clause
"""A limit on figures, and what it is of one figure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from math import ceil

from latlab.core.comparison.wording import amount
from latlab.core.errors import UsageError
from latlab.core.model.run import Run


class LimitOutcome(StrEnum):
    KEPT = "pass"
    EXCEEDED = "fail"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Limit:
    """`share` is that of a quantile, None for another `statistic`, which is empty where the figure itself is meant. `unit` is ns, insns, or
    empty for a plain number; `cpus` are empty for all."""

    text: str
    name: str
    statistic: str
    share: float | None
    operator: str
    value: float
    unit: str
    cpus: tuple[int, ...]

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


def unmeasured_cpus(run: Run, limit: Limit, measured: set[int]) -> Iterator[Held]:
    for cpu in (cpu for cpu in limit.cpus if cpu not in measured):
        yield Held(limit, LimitOutcome.INCONCLUSIVE, f"inconclusive: {limit.text}: {run.id} has nothing of CPU {cpu}")


def held_share(limit: Limit, subject: str, total: int, above: int, at: float | None, unit: str) -> Held:
    """The quantile keeps the limit if no more than its part of the samples lies above, and if there are enough for one to be due there."""
    assert limit.share is not None
    share_above = 1 - limit.share
    name, needed = f"{limit.share * 100:.10g} %", ceil(round(1 / share_above, 6))
    if total < needed:
        reason = f"{name} needs {needed:,} samples, {total:,} were measured: inconclusive"
        return Held(limit, LimitOutcome.INCONCLUSIVE, f"inconclusive: {limit.text}: {subject}: {reason}")
    shown = f"beyond {amount(limit.value, unit)}" if at is None else amount(at, unit)
    is_kept = above <= total * share_above + 1e-6 if limit.operator == "<=" else at is not None and limit.holds(at)
    return _held_by(limit, is_kept, f"{subject} {name}", shown, total, at or 0.0)


def held_value(limit: Limit, subject: str, value: float, shown: str, samples: int) -> Held:
    return _held_by(limit, limit.holds(value), subject, shown, samples, value)


def _held_by(limit: Limit, is_kept: bool, subject: str, shown: str, samples: int, value: float) -> Held:
    outcome = LimitOutcome.KEPT if is_kept else LimitOutcome.EXCEEDED
    return Held(limit, outcome, f"{outcome}: {limit.text}: {subject} is {shown}, n = {samples:,}", value)


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
