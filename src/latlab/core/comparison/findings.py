# SPDX-License-Identifier: BSD-3-Clause
"""Findings of every kind of run: data, and the sentence on it for a reader. No code reads sentences.

Amounts are in the run's unit (ns or insns), which `sentence` takes. Findings of one product are in modules of that product.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from latlab.core.comparison.check import Check
from latlab.core.comparison.iterations import Drift
from latlab.core.comparison.suspicion import Suspicion
from latlab.core.comparison.verdicts import Verdict
from latlab.core.comparison.wording import (
    MORE_IS_BETTER,
    amount,
    bare,
    capital,
    count,
    heading_unit,
    percent,
    row_title,
    signed,
    signed_bare,
)
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.core.shown import significant

MOST_FUNCTIONS = 5


class Finding(Protocol):
    """One statement about a run or about two."""

    def sentence(self, unit: str) -> str:
        """`unit` is that of the finding's amounts, ns or insns."""


class Notable(Finding, Protocol):
    """A finding of the analysis that is named with the verdict. `stops`: it is large and inconclusive, so nothing passes with it."""

    @property
    def metric(self) -> Metric:
        """What it is of, which says the unit of its amounts."""

    @property
    def stops(self) -> bool:
        """Whether nothing passes with it."""


class Alternative(Protocol):
    """A possible cause of a finding if the figures cannot distinguish between several."""

    def sentence(self, core: CoreId | None) -> str:
        """`core` is the core that it names, if any."""


@dataclass(frozen=True, slots=True)
class Suspected:
    """Figures that may not be what they claim to be."""

    suspicion: Suspicion

    def sentence(self, unit: str) -> str:
        return self.suspicion.sentence(unit)


@dataclass(frozen=True, slots=True)
class SamplesMissing:
    """A core, CPU or quantity of which the candidate has `got` samples of `due`, and the base had `before` of `due_before`."""

    test: str
    name: str
    thing: str
    got: int
    due: int
    before: int
    due_before: int

    def sentence(self, unit: str) -> str:
        where = f"{self.name} in {self.test}" if self.name else self.test
        return f"{where}: {self.got:,} of {self.due:,} {self.thing}s due, {self.before:,} of {self.due_before:,} in the base"


@dataclass(frozen=True, slots=True)
class RuleBroken:
    """The figures break a rule that a definition or a specification requires, or that only plausibility suggests."""

    check: Check

    def sentence(self, unit: str) -> str:
        check = self.check
        if check.is_broken:
            return f"this breaks a rule, {check.name} ({check.rule.ground}). {capital(check.sentence)}"
        return f"this is unusual ({check.name}, as {check.rule.ground}). {capital(check.sentence)}"


@dataclass(frozen=True, slots=True)
class RuleChanged:
    """One of two runs keeps a rule, the other breaks it; `check` belongs to the other."""

    check: Check
    is_worse: bool
    before: str
    after: str

    def sentence(self, unit: str) -> str:
        check = self.check
        if self.is_worse:
            how = "breaks a rule that" if check.is_broken else "no longer follows a rule that"
            return f"{self.after} {how} {self.before} follows, {check.name}. {capital(check.sentence)}"
        how = "breaks" if check.is_broken else "does not follow"
        return f"{self.after} follows again a rule that {self.before} {how}, {check.name}. There {check.sentence}"


@dataclass(frozen=True, slots=True)
class LargeUntold:
    """A row, or one cell of it, differs by a large amount that cannot be distinguished from noise. `cores`: the number of data points that
    moved farther than their own noise, which the model of the verdict does not show."""

    metric: Metric
    test: str
    name: str
    before: float
    largest: float
    rows: int
    cores: int = 0

    @property
    def stops(self) -> bool:
        return True

    def sentence(self, unit: str) -> str:
        share = f" ({percent(self.largest / self.before)})" if self.before else ""
        moved = f"{self.metric} in {self.test}, {row_title(self.name)}, differs by {signed(self.largest, unit)}{share}"
        if self.cores:
            possessive = "its" if self.cores == 1 else "their"
            return f"{moved}: {count(self.cores, 'data point')} moved by more than {possessive} noise. Measure four boots or more of both"
        more = f", and {count(self.rows - 1, 'more row')} by that or less" if self.rows > 1 else ""
        return f"{moved}{more}: large but inconclusive with so few boots. Measure more boots of both"


@dataclass(frozen=True, slots=True)
class NotTold:
    """Inconclusive rows, with the largest shift among them as a share of the first run's figure. `by_order`: only the order of the cores
    makes them inconclusive."""

    rows: int
    of: int
    largest: float
    by_order: bool = False

    def sentence(self, unit: str) -> str:
        subject = f"{self.rows} of {count(self.of, 'row')} inconclusive"
        if self.by_order:
            others = "; the others are equal" if self.rows < self.of else ""
            return f"{subject}: the order of the cores alone can cause their differences{others}"
        others = "; the others are within the threshold" if self.rows < self.of else ""
        return f"{subject}, largest shift {percent(self.largest)}{others}"


@dataclass(frozen=True, slots=True)
class BootApart:
    """One boot of a run lies far from its other boots: it makes the run a poor base, or a poor candidate."""

    metric: Metric
    test: str
    name: str
    run: str
    boot: int
    boots: int
    value: float
    others: float

    @property
    def stops(self) -> bool:
        return True

    def sentence(self, unit: str) -> str:
        share = percent(self.value / self.others - 1) if self.others else "from about 0"
        size = f"{amount(self.value, unit)}, {share} against the median of the others, {amount(self.others, unit)}"
        where = f"{self.metric} in {self.test}, {row_title(self.name)}: boot {self.boot} of {self.boots} of {self.run}"
        return f"{where} has {size}. Measure {self.run} again without that boot"


@dataclass(frozen=True, slots=True)
class BeyondOrder:
    """Spans that depend on the order of the cores moved by more than the order moves them. `places` counts the positions that moved so.
    `low` and `high` are the base's range at this position, without its rarest tenth at either end. A new value within it came in other
    shares of the iterations."""

    metric: Metric
    test: str
    name: str
    before: float
    after: float
    low: float
    high: float
    places: int

    @property
    def stops(self) -> bool:
        return True

    def sentence(self, unit: str) -> str:
        share = f" ({percent(self.after / self.before - 1)})" if self.before else ""
        moved = f"{self.metric} in {self.test}, {row_title(self.name)}, differs by {signed(self.after - self.before, unit)}{share}"
        more = f", and {count(self.places - 1, 'other rank')} too" if self.places > 1 else ""
        ends = " to ".join(dict.fromkeys(bare(value, unit) for value in (self.low, self.high)))
        is_inside = self.low <= self.after <= self.high
        why = "its values come in other shares of the iterations" if is_inside else "more than the order of the cores explains"
        return f"{moved}{more}: {why}. The base has {ends} {heading_unit(unit)} there"


@dataclass(frozen=True, slots=True)
class SpreadMoved:
    """The iterations of so many cores lie `ratio` times as far from their median as in the base."""

    metric: Metric
    test: str
    ratio: float
    cores: int

    @property
    def stops(self) -> bool:
        return True

    def sentence(self, unit: str) -> str:
        size = f"{self.ratio:.1f} times as wide" if self.ratio > 1 else f"{1 / self.ratio:.1f} times narrower"
        scatter = f"the scatter of iterations is {size} over {count(self.cores, 'core')}"
        return f"{self.metric} in {self.test}: {scatter}; measure more iterations of both"


@dataclass(frozen=True, slots=True)
class LargestGrew:
    """The largest value of one run, or the smallest if more is better, is many times that of the other. If it is not `is_told`, too few
    values are as far out to distinguish it from chance."""

    metric: Metric
    test: str
    name: str
    before: float
    after: float
    is_told: bool

    @property
    def ratio(self) -> float:
        """The larger value over the smaller one; infinite if the smaller one is 0."""
        low, high = sorted((self.before, self.after))
        return high / low if low > 0 else float("inf")

    @property
    def stops(self) -> bool:
        is_worse = self.after < self.before if self.metric in MORE_IS_BETTER else self.after > self.before
        return is_worse and not self.is_told

    def sentence(self, unit: str) -> str:
        way = "as large" if self.after > self.before else "smaller"
        size = "grew from nothing" if self.ratio == float("inf") else f"is {self.ratio:.1f} times {way}"
        caveat = "" if self.is_told else ": inconclusive, because too few samples are as far out; measure both for longer"
        return f"{self.metric} in {self.test}, {self.name}, {size}, {amount(self.before, unit)} to {amount(self.after, unit)}{caveat}"


@dataclass(frozen=True, slots=True)
class TailNotTold:
    """Rows with an equivalent median whose iterations are too few or too scattered for a result on the tail. `is_rest`: other rows
    changed or are inconclusive."""

    rows: int
    of: int
    is_rest: bool

    def sentence(self, unit: str) -> str:
        level = "" if self.is_rest else "no median changed beyond its threshold; "
        rows = f"{self.rows} of {count(self.of, 'row')}"
        return f"{level}the tail of {rows} is inconclusive: too few iterations, or too much scatter"


@dataclass(frozen=True, slots=True)
class CouldHaveSeen:
    """The median minimum detectable effect of `rows`: a change of `figure` by this share of the level is detected with `power`. With
    `more` boots of each run, a change of the share `then` is detected."""

    figure: str
    rows: int
    share: float
    power: float
    more: int | None
    then: float | None

    def sentence(self, unit: str) -> str:
        figure = "" if self.figure == "level" else f" for {self.figure}"
        median = f"median minimum detectable effect of {self.rows} rows" if self.rows > 1 else "minimum detectable effect"
        text = f"{median}{figure}: {significant(self.share * 100, 3)} % ({self.power * 100:.0f} % power)"
        return text + (
            f"; {significant(self.then * 100, 3)} % with {count(self.more, 'more boot')} of each run" if self.more and self.then else ""
        )


@dataclass(frozen=True, slots=True)
class DriftInside:
    """Spans that drift or switch during one run and not during the other. This is no change between the runs."""

    metric: Metric
    test: str
    name: str
    run: str
    level: float
    drift: Drift

    @property
    def stops(self) -> bool:
        return True

    def sentence(self, unit: str) -> str:
        drift = self.drift
        how = f"drifts over {drift.iterations} iterations" if drift.after is None else f"switches after iteration {drift.after}"
        size = f"{signed(drift.size, unit)} ({percent(drift.size / self.level)})"
        where = f"{self.metric} in {self.test}, {row_title(self.name)}"
        return f"{where}, {how} of {self.run}, by {size}: a trend inside the run, no change between the runs"


@dataclass(frozen=True, slots=True)
class FunctionMoved:
    """Instructions of one function per call, mean over the finding's cores; `place` is `file:line` of its source, empty where no image
    says it."""

    name: str
    place: str
    before: float
    after: float

    def phrase(self, unit: str) -> str:
        """`foo (foo.c:12) +4 (from 3 to 7)`."""
        where = f" ({self.place})" if self.place else ""
        change = f"from {bare(self.before, unit)} to {bare(self.after, unit)}"
        if not self.before:
            change = "new"
        elif not self.after:
            change = "gone"
        return f"{self.name}{where} {signed_bare(self.after - self.before, unit)} ({change})"


@dataclass(frozen=True, slots=True)
class FunctionsMoved:
    """All functions that differ in one metric of these tests, in which they changed alike; the largest first. Means over `cores` of
    `of_cores`."""

    metric: Metric
    tests: tuple[str, ...]
    functions: tuple[FunctionMoved, ...]
    cores: int
    of_cores: int

    def sentence(self, unit: str) -> str:
        shown, others = self.functions[:MOST_FUNCTIONS], self.functions[MOST_FUNCTIONS:]
        text = ", ".join(move.phrase(unit) for move in shown)
        if others:
            text += f", {count(len(others), 'other')} {signed_bare(sum(move.after - move.before for move in others), unit)} together"
        return f"by function, {self.metric} of {', '.join(self.tests)}, {self._where()}, in {heading_unit(unit)}: {text}"

    def _where(self) -> str:
        if self.of_cores == 1:
            return "on one core"
        of_all = f" of {self.of_cores}" if self.cores < self.of_cores else ""
        return f"{'on' if self.cores == 1 else 'mean over'} {self.cores}{of_all} cores"


@dataclass(frozen=True, slots=True)
class PartChanged:
    """Rows or data points that changed together, of which no single one can be named. `what_shows_more` is the advice of the comparison."""

    metric: Metric
    test: str
    name: str
    verdict: Verdict
    before: float
    moved: float
    what_shows_more: str

    def sentence(self, unit: str) -> str:
        share = f" ({percent(self.moved / self.before)})" if self.before else ""
        subject = " ".join(filter(None, (str(self.metric), self.test and f"in {self.test},", row_title(self.name))))
        size = f"{signed(self.moved, unit)}{share} as a whole"
        if self.verdict is Verdict.CANNOT_TELL:
            return f"{subject} differs by {size}: inconclusive. {capital(self.what_shows_more)}"
        return f"{subject} {self.verdict} by {size}; no single row can be named"


@dataclass(frozen=True, slots=True)
class NothingMoved:
    """No structure changed beyond its threshold. `of_levels`: no level changed, and some tails are inconclusive."""

    of_levels: bool = False

    def sentence(self, unit: str) -> str:
        return f"no {'median' if self.of_levels else 'structure'} changed beyond its threshold"


@dataclass(frozen=True, slots=True)
class Scatter:
    """The relative standard deviations of a metric: the median and the largest of all spans. None if they cannot be separated.

    `counts`: the fewest and the most boots, the fewest and the most iterations in one boot, and the number of spans of cores or
    positions.
    """

    metric: Metric
    between: tuple[float, float] | None
    within: tuple[float, float] | None
    counts: tuple[int, int, int, int, int]

    def sentence(self, unit: str) -> str:
        fewest, most, least, longest, spans = self.counts
        boots = f"{count(fewest, 'boot')} of " if fewest == most else f"{fewest} to {most} boots of "
        sizes = boots + (count(least, "iteration") if least == longest else f"{least} to {longest} iterations")
        spreads = [(where, shares) for where, shares in (("between boots", self.between), ("within one boot", self.within)) if shares]
        if not any(largest for _, (_, largest) in spreads):
            return f"{self.metric}: every boot and iteration of {count(spans, 'span')} is identical; {sizes}"
        shares = " and ".join(
            f"{significant(middle * 100, 2)} % {where} (at most {significant(largest * 100, 2)} %)" for where, (middle, largest) in spreads
        )
        return f"{self.metric} scatters by {shares}: medians of {count(spans, 'span')}; {sizes}"
