# SPDX-License-Identifier: BSD-3-Clause
"""Findings on quantities and on steal times, each with its sentence."""

from __future__ import annotations

from dataclasses import dataclass

from latlab.core.comparison.verdicts import Verdict
from latlab.core.comparison.wording import amount, count, percent, unit_of
from latlab.core.model.enums import Metric


@dataclass(frozen=True, slots=True)
class CallOfSize:
    """A kind of call of which `times` together take as long as the steal time. `seen`: how many calls of that size the probe saw.
    `function` is the function with most of its instructions, empty if functions were not counted."""

    name: str
    seen: int
    times: int
    function: str

    @property
    def phrase(self) -> str:
        times = "" if self.times == 1 else f"{count(self.times, 'call')} of "
        where = f", mostly in {self.function}" if self.function else ""
        return f"{times}{self.name}{where} (count {self.seen})"


@dataclass(frozen=True, slots=True)
class StolenBy:
    """Steal times of one size, and every kind of call of the same firmware that fits; empty if none fits."""

    thefts: int
    instructions: int
    calls: tuple[CallOfSize, ...]

    def sentence(self, unit: str) -> str:
        text = f"{count(self.thefts, 'window')} with {self.instructions:,} instructions in firmware"
        if not self.calls:
            return f"{text}: no call in the probe's data has that size, nor have several calls of one kind"
        alone = ", the only call that fits" if len(self.calls) == 1 else ""
        return f"{text}: {' or '.join(call.phrase for call in self.calls)}{alone}"


@dataclass(frozen=True, slots=True)
class AmountMoved:
    """One quantity that changed, in the unit of its metric."""

    name: str
    metric: Metric
    verdict: Verdict
    before: float
    after: float
    relative: float

    def sentence(self, unit: str) -> str:
        metric_unit = unit_of(self.metric, unit)
        moved = f"{amount(self.before, metric_unit)} to {amount(self.after, metric_unit)}"
        return f"{self.name} {self.verdict}: {moved} ({percent(self.relative)})"


@dataclass(frozen=True, slots=True)
class AmountsNotTold:
    """Inconclusive quantities, with the largest shift among them as a share of the first run's figure."""

    quantities: int
    of: int
    largest: float

    def sentence(self, unit: str) -> str:
        return f"{self.quantities} of {self.of} quantities inconclusive, largest shift {percent(self.largest)}"
