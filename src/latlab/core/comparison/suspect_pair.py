# SPDX-License-Identifier: BSD-3-Clause
"""Data-quality warnings from the comparison of two runs: another unit, another clock, exchanged columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from latlab.core.comparison.suspect_run import counter_tick_ns, suspicions_of, zeros
from latlab.core.comparison.suspicion import Doubt, Ground, Span, Suspicion
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import Run
from latlab.core.statistics.sample_matrix import Columns, Floats, resolution

UNIT_RATIO = 300.0
WITHIN = 0.10
WITHIN_ONE_TEST = 0.06
MIDDLE_WITHIN = 0.03
UNMOVED = 0.30
SURER = 3.0
MUCH_SURER = 8.0
LEAST_FACTOR = 1.1
LEAST_NAMED = 1.5
"""Below it a common factor is near no ratio of two clocks or units."""
OF_SIZE, MIDDLE_OF_SIZE = 3.0, 4.0
"""A small factor has to be that much nearer to all figures, and to the middle one, than their old values are."""
LARGE_FACTOR = 3.0
ROUNDING_STEPS = 1.5
FEWEST_METRICS = 3
HALF = 2.0


def suspicions_between(a: Run, b: Run, columns_a: Columns, columns_b: Columns, common: Sequence[Span]) -> tuple[Suspicion, ...]:
    """The warnings of each run, and those from the spans that both runs have."""
    suspicions = [*suspicions_of(a, columns_a), *suspicions_of(b, columns_b)]
    sides = [_Side(span, *_middles(a, b, columns_a, columns_b, span)) for span in common]
    suspicions += _units(a, b, sides, {span for suspicion in suspicions for span in suspicion.spans})
    if a.tick.clock is not Clock.TIME:
        return tuple(suspicions)
    suspicions += [
        *(suspicion for suspicion in zeros(a, columns_a, columns_b) if not _covers(suspicions, suspicion)),
        *(suspicion for suspicion in zeros(b, columns_b, columns_a) if not _covers(suspicions, suspicion)),
    ]
    unexplained = [side for side in sides if not any(side.span in suspicion.spans for suspicion in suspicions)]
    clock = list(_other_clock(a, b, unexplained))
    return (*suspicions, *clock, *(() if clock and clock[0].is_whole else _exchanged(b, unexplained)))


@dataclass(frozen=True)
class _Side:
    """The cores' medians of one span in both runs, sorted if the order of the cores is chance. `slack` is the effect of rounding on
    their ratio."""

    span: Span
    before: Floats
    after: Floats
    slack: float

    @property
    def ratio(self) -> float:
        return float(np.median(self.after / self.before))

    @property
    def scatter(self) -> float:
        """Two standard errors of the logarithm of the ratio, from the scatter of the cores' own ratios."""
        count = len(self.before)
        return float(2 * np.std(np.log(self.after / self.before), ddof=1) / count**0.5) if count > 1 else 0.0

    @property
    def is_positive(self) -> bool:
        return bool(len(self.before) and min(self.before.min(), self.after.min()) > 0)

    @property
    def is_steady(self) -> bool:
        """Whether no queue, whose order is chance, is part of the span."""
        test, metric = self.span
        return not test.endswith("_parallel") or metric is Metric.PSCI_CALL


def _middles(a: Run, b: Run, columns_a: Columns, columns_b: Columns, span: Span) -> tuple[Floats, Floats, float]:
    ours, theirs = columns_a.matrices[span], columns_b.matrices[span]
    in_order = np.sort if span[0].endswith("_parallel") else np.asarray
    before, after = (np.median(in_order(matrix.values), axis=0) for matrix in (ours, theirs))
    step = max(resolution(a, span[1]), resolution(b, span[1]))
    least = float(min(np.median(before), np.median(after)))
    return before, after, ROUNDING_STEPS * step / least if least else np.inf


def _covers(suspicions: Sequence[Suspicion], other: Suspicion) -> bool:
    return any(set(other.spans) <= set(suspicion.spans) for suspicion in suspicions)


def _units(a: Run, b: Run, sides: Sequence[_Side], suspect_spans: set[Span]) -> Iterator[Suspicion]:
    """Warnings for a factor of hundreds between the runs: in all spans or, under a clock that has a unit, in one span."""
    for run, values in ((a, [side.before for side in sides]), (b, [side.after for side in sides])):
        if (
            a.tick.clock is not Clock.TIME
            and not any(column.any() for column in values)
            and any(side.before.any() or side.after.any() for side in sides)
        ):
            yield Suspicion(Doubt.ZERO, run.id, Ground.OTHER_RUN, tuple(side.span for side in sides), is_whole=True)
    ratios = {side.span: side.ratio for side in sides if side.is_positive and side.span not in suspect_spans}
    if not ratios:
        return
    middle = float(np.median(list(ratios.values())))
    if _is_far(middle):
        yield _in_unit(a, b, tuple(ratios), middle, is_whole=True)
        return
    if a.tick.clock is Clock.TIME:
        yield from (_in_unit(a, b, (span,), ratio) for span, ratio in ratios.items() if _is_far(ratio))


def _is_far(ratio: float) -> bool:
    return not 1 / UNIT_RATIO <= ratio <= UNIT_RATIO


def _in_unit(a: Run, b: Run, spans: tuple[Span, ...], ratio: float, is_whole: bool = False) -> Suspicion:
    larger, factor = (b, ratio) if ratio > 1 else (a, 1 / ratio)
    return Suspicion(Doubt.UNIT, larger.id, Ground.OTHER_RUN, spans, size=factor, is_whole=is_whole)


def _other_clock(a: Run, b: Run, sides: Sequence[_Side]) -> Iterator[Suspicion]:
    """Warnings for one factor in all spans, or in all spans of one test: no firmware makes all of its paths shorter by the same factor."""
    shown = [side for side in sides if side.is_positive and side.is_steady]
    factor = _one_factor(shown)
    if factor:
        smaller, size = (b, 1 / factor) if factor < 1 else (a, factor)
        doubts = {HALF: Doubt.HALF_CLOCK} | dict.fromkeys((counter_tick_ns(a), a.tick.value, b.tick.value), Doubt.TICKS)
        matching = next((ratio for ratio in doubts if ratio > LEAST_NAMED and abs(np.log(size / ratio)) <= WITHIN), None)
        doubt = Doubt.SCALED if matching is None else doubts[matching]
        yield Suspicion(doubt, smaller.id, Ground.OTHER_RUN, tuple(side.span for side in sides), size=matching or size, is_whole=True)
        return
    for test in dict.fromkeys(side.span[0] for side in sides):
        of_test = [side for side in sides if side.span[0] == test and side.is_positive]
        steady = [side for side in of_test if side.is_steady or side.span[1] is not Metric.WAKEUP]
        others = [side for side in shown if side.span[0] != test]
        is_serial = not test.endswith("_parallel")
        for clock_factor, smaller in ((1 / HALF, b), (HALF, a)):
            if (
                len(steady) > 1
                and others
                and _is_halved(steady, clock_factor, WITHIN_ONE_TEST if is_serial else WITHIN)
                and _stayed(others)
            ):
                yield Suspicion(Doubt.HALF_CLOCK, smaller.id, Ground.OTHER_RUN, tuple(side.span for side in of_test), size=HALF)


def _one_factor(sides: Sequence[_Side]) -> float | None:
    """The common factor, if most figures agree in it and none is nearer to its old value. A change of the firmware beside a large factor
    does not hide it."""
    if len({side.span[1] for side in sides}) < FEWEST_METRICS:
        return None
    middle = float(np.median([side.ratio for side in sides]))
    size = abs(float(np.log(middle)))
    if size < np.log(LEAST_FACTOR):
        return None
    if size < np.log(LARGE_FACTOR):
        near = min(WITHIN, size / OF_SIZE), min(MIDDLE_WITHIN, size / MIDDLE_OF_SIZE)
        return middle if _is_scaled(sides, middle, *near) else None
    return middle if _is_scaled(sides, middle, size / 2, WITHIN) else None


def _is_scaled(sides: Sequence[_Side], factor: float, within: float, middle_within: float = MIDDLE_WITHIN) -> bool:
    off = [abs(np.log(side.ratio / factor)) for side in sides]
    slack = [side.slack for side in sides]
    close = all(deviation <= within + more for deviation, more in zip(off, slack, strict=True))
    return bool(sides) and close and float(np.median(off)) <= middle_within + float(np.median(slack))


def _is_halved(sides: Sequence[_Side], factor: float, within: float) -> bool:
    """Whether the spans have this factor. The spans of one test are few, so the scatter of their cores is added to the tolerance."""
    return _is_scaled([replace(side, slack=side.slack + side.scatter) for side in sides], factor, within)


def _stayed(sides: Sequence[_Side]) -> bool:
    return abs(float(np.median([np.log(side.ratio) for side in sides]))) < UNMOVED


def _exchanged(b: Run, sides: Sequence[_Side]) -> Iterator[Suspicion]:
    """Warnings for columns of one test that changed and, core by core, equal other columns of the first run."""
    for test in dict.fromkeys(side.span[0] for side in sides):
        moved = {side.span: side for side in sides if side.span[0] == test and side.is_positive and _apart(side, side) > UNMOVED}
        sources = {span: source for span, side in moved.items() if (source := _source(side, moved)) is not None}
        while sources and set(sources) != set(sources.values()):
            sources = {span: source for span, source in sources.items() if source in sources and span in sources.values()}
        if sources:
            yield Suspicion(Doubt.EXCHANGED, b.id, Ground.OTHER_RUN, tuple(sources))


def _source(side: _Side, moved: dict[Span, _Side]) -> Span | None:
    """The span of the first run whose values this span has now."""
    change = _apart(side, side)
    others = {span: _apart(other, side) for span, other in moved.items() if span != side.span}
    span = min(others, key=lambda other: others[other], default=None)
    if span is None:
        return None
    scatter = replace(side, before=moved[span].before).scatter
    near = max(min(WITHIN + side.slack + scatter, change / SURER), change / MUCH_SURER)
    return span if others[span] <= near else None


def _apart(before: _Side, after: _Side) -> float:
    """The mean over the cores of the absolute logarithm of the ratio."""
    return float(np.mean(np.abs(np.log(after.after / before.before)))) if len(before.before) == len(after.after) else np.inf
