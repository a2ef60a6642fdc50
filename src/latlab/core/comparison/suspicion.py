# SPDX-License-Identifier: BSD-3-Clause
"""Data-quality warnings: the suspected fault, its spans, its evidence, and the sentence on them.

A warning is no finding about the firmware. Data under a warning gets no verdict, and no gate passes with one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from latlab.core.comparison.wording import amount
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.core.shown import significant

Span = tuple[str, Metric]
"""A test and a metric."""
COUNTER = 2.0**32


class Doubt(StrEnum):
    """What a figure may be instead."""

    WRAPPED = "wrapped counter"
    ZERO = "nothing measured"
    UNIT = "another unit"
    TICKS = "ticks for ns"
    HALF_CLOCK = "half clock"
    SCALED = "one factor in everything"
    EXCHANGED = "exchanged columns"
    SAME_BOOTS = "one boot several times"
    APART = "parallel spans that do not overlap"
    AT_ONCE = "serial spans that overlap"


class Ground(StrEnum):
    """The evidence for a warning."""

    RUN = "the run itself"
    OTHER_RUN = "the other run"
    TICK = "the tick of the platform's counter"
    TRACE = "the time stamps of the trace"


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A warning for `spans` of `run`, on `cores`, or on all cores if none is named. `is_whole`: these are all spans of the run.

    `size` is the figure in ns, the factor to the other run, or a number of boots or iterations; `usual` is the expected value. `modulus`
    is the range of a counter in ns, if that is the excess of the figure.
    """

    doubt: Doubt
    run: str
    ground: Ground
    spans: tuple[Span, ...]
    cores: tuple[CoreId, ...] = ()
    size: float = 0.0
    usual: float = 0.0
    modulus: float | None = None
    is_whole: bool = False

    def sentence(self, unit: str) -> str:
        """The figure, the evidence, and what to check. `unit` is that of the figures, ns or insns."""
        return f"data-quality warning for {self.run}: {_reason(self, unit)}; check it before any verdict"


def _reason(suspicion: Suspicion, unit: str) -> str:
    subject = _subject(suspicion) if suspicion.spans else ""
    are = "are" if len(suspicion.spans) > 1 and not suspicion.is_whole else "is"
    of_iterations = f"in {suspicion.size:.0f} of {suspicion.usual:.0f} iterations"
    match suspicion.doubt:
        case Doubt.WRAPPED:
            full = "" if suspicion.modulus is None else f", 2^32 {'ns' if suspicion.modulus == COUNTER else 'ticks'} less"
            usual = f"similar figures are {amount(suspicion.usual, unit)}{full}"
            return f"{subject} is {significant(suspicion.size / 1e9, 4)} s, and {usual}: a wrapped counter, or a hang"
        case Doubt.ZERO:
            like = f", and similar figures are {amount(suspicion.usual, unit)}" if suspicion.usual else ""
            return f"{subject} is 0{like}: it was not measured"
        case Doubt.UNIT:
            return f"{subject} {are} {suspicion.size:.0f} times the other run's: another unit (ns labelled as us?)"
        case Doubt.TICKS if suspicion.ground is Ground.TICK:
            ticks = f"whole number of the counter's ticks of {significant(suspicion.usual)} ns"
            return f"{suspicion.size:.0f} figures are no {ticks}: ticks labelled as ns, or means"
        case Doubt.TICKS:
            ratio = significant(suspicion.size)
            return f"{subject} {are} 1/{ratio} of the other run's, and a tick is {ratio} ns: ticks labelled as ns"
        case Doubt.HALF_CLOCK:
            return f"{subject} {are} half of the other run's, in each metric: a clock that counts half as fast"
        case Doubt.SCALED:
            factor = f"{suspicion.size:.0f}" if suspicion.size >= 10 else f"{significant(suspicion.size, 2)}"
            return f"{subject} is about 1/{factor} of the other run's, in each metric: check the unit and the clock"
        case Doubt.EXCHANGED:
            return f"{subject} are exchanged relative to the other run: exchanged columns"
        case Doubt.SAME_BOOTS:
            boots = f"{suspicion.size:.0f} of {suspicion.usual:.0f} boots"
            return f"{boots} have the same figures as another one: a repeated boot, which counts once"
        case Doubt.APART:
            return f"no two cores' spans of {subject} overlap {of_iterations}: the cores did not power down together"
        case Doubt.AT_ONCE:
            return f"spans of {subject} overlap {of_iterations}: the cores did not power down one by one"


def _subject(suspicion: Suspicion) -> str:
    if suspicion.is_whole:
        return "every figure"
    tests = dict.fromkeys(test for test, _ in suspicion.spans)
    metrics = dict.fromkeys(metric for _, metric in suspicion.spans)
    cores = f" of core {', '.join(map(str, suspicion.cores))}" if suspicion.cores else ""
    return f"{', '.join(tests)} {_listed([str(metric) for metric in metrics])}{cores}"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
