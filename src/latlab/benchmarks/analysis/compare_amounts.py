# SPDX-License-Identifier: BSD-3-Clause
"""Amounts of two runs compared: each with its counterpart of the same test, name and core, by Welch's test on the repetitions. The amounts
of a metric, and those of each of its tests, are judged together besides.

What has one value on a side has no scatter that is known, so nothing can be told of it, however it differs. Of a value without a known
direction neither regressed nor improved is ever said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf

import numpy as np

from latlab.benchmarks.analysis.amount_claims import amount_claims, in_its_direction
from latlab.benchmarks.analysis.amount_figures import is_level, levels, named
from latlab.core.comparison.comparison import ROW_P, AmountComparison, Row, large_untold
from latlab.core.comparison.findings import LargestGrew, LargeUntold
from latlab.core.comparison.identity import NotComparable, check_same, partial_runs
from latlab.core.comparison.verdicts import CHANGED, Limits, Verdict, decide, decide_exact
from latlab.core.comparison.wording import MORE_IS_BETTER, UNDIRECTED
from latlab.core.model.amounts import Amount, amounts_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run
from latlab.core.statistics.distributions import welch
from latlab.core.statistics.statistics import Shift, family_wise

Key = tuple[str, str, str, CoreId | None]


def compare_amounts(a: Run, b: Run, limits: Limits) -> AmountComparison:
    """Raises NotComparable with one sentence where the two do not belong together."""
    if a.kind != b.kind:
        raise NotComparable(f"{a.id} holds {a.kind} and {b.id} {b.kind}", "compare runs of one kind")
    notes: list[str] = []
    check_same(a, b, notes)
    gaps = partial_runs(a, b)
    joined = list(_joined(a, b, notes, gaps))  # what b lacks, coverage says
    if not joined:
        raise NotComparable(f"{a.id} and {b.id} have no quantity of one name and core in common", "compare runs of one tool and setting")
    rows = _judged([_row(*pair, limits) for pair in joined], limits)
    notes += [f"{run.id} met a problem: {run.problems[0].message}" for run in (a, b) if run.problems]
    notes += _single_note(joined)
    return AmountComparison(
        a=a,
        b=b,
        limits=limits,
        unit=a.tick.unit,
        notable=(*_large(rows), *_extremes(joined, rows, limits)),
        rows=tuple(rows),
        claims=amount_claims(rows, limits),
        notes=tuple(notes),
        gaps=tuple(gaps),
        repetitions=_repetitions(joined),
    )


def _large(rows: list[Row]) -> Iterator[LargeUntold]:
    """Rows that may hold a large change: beyond 20 % if their own test is below 5 %, beyond half of that if it is so in the family of their
    metric."""
    likely = [row for row in rows if row.verdict not in CHANGED and row.p_adjusted < ROW_P and abs(row.shift.value) > row.large / 2 > 0]
    large_rows = [*large_untold(rows), *(row for row in likely if row not in large_untold(rows))]
    for row in large_rows[:1]:
        yield LargeUntold(row.metric, row.test, row.name, row.before, row.largest, len(large_rows))


def _extremes(joined: list[tuple[Amount, Amount]], rows: list[Row], limits: Limits) -> Iterator[LargestGrew]:
    """The worst repetition of a quantity that is several times as bad as the base's: one of ten is too few for a test, and too much to
    pass."""
    for (amount, other), row in zip(joined, rows, strict=True):
        if amount.metric in UNDIRECTED or row.verdict in CHANGED:
            continue
        worst = min if amount.metric in MORE_IS_BETTER else max
        name = f"the worst repetition of {row.name}"
        grew = LargestGrew(row.metric, row.test, name, worst(levels(amount)), worst(levels(other)), False)
        if grew.stops and limits.large_maximum < grew.ratio < inf:
            yield grew


def _joined(a: Run, b: Run, notes: list[str], gaps: list[str]) -> Iterator[tuple[Amount, Amount]]:
    ours, theirs = _by_key(a), _by_key(b)
    for run, amounts, other in ((a, ours, theirs), (b, theirs, ours)):
        lone = [named(amounts[key]) for key in amounts if key not in other]
        if lone:
            more = f" and {len(lone) - 3} more" if len(lone) > 3 else ""
            notes.append(f"{', '.join(lone[:3])}{more}: only in {run.id}")
    for key in (key for key in ours if key in theirs):
        amount, another = ours[key], theirs[key]
        if amount.metric is Metric.THROUGHPUT and amount.over_s != another.over_s:
            gaps.append(f"{named(amount)}: totals of periods of {amount.over_s} and {another.over_s} s cannot be compared")
            continue
        yield amount, another


def _by_key(run: Run) -> dict[Key, Amount]:
    return {(amount.test, amount.metric.value, amount.name, amount.core): amount for amount in amounts_of(run) if is_level(amount)}


def _row(amount: Amount, other: Amount, limits: Limits) -> Row:
    before, after = np.array(levels(amount)), np.array(levels(other))
    base = float(before.mean())
    row = Row(
        amount.test, amount.metric, named(amount), amount.core.cluster if amount.core else None, base, float(after.mean()),
        _shift(before, after),
        limits.threshold(base, 0.0, 0.0), Verdict.CANNOT_TELL, _basis(before, after), core=amount.core,
    )  # fmt: skip
    if amount.metric in UNDIRECTED:
        return replace(row, basis="its unit and its better direction are unknown")
    return replace(row, large=limits.large * abs(base))


def _shift(before: np.ndarray, after: np.ndarray) -> Shift:
    """Of the means. Two rows of equal values differ exactly or not at all."""
    difference = float(after.mean() - before.mean())
    if min(len(before), len(after)) < 2:
        return Shift(difference, -np.inf, np.inf, 1.0)
    if np.ptp(before) == 0 and np.ptp(after) == 0:
        return Shift(difference, difference, difference, 0.0 if difference else 1.0)
    low, high, p = welch(before, after, 0.95)
    return Shift(difference, low, high, p)


def _basis(before: np.ndarray, after: np.ndarray) -> str:
    if min(len(before), len(after)) < 2:
        return "one value for each run: its scatter is unknown"
    if np.ptp(before) == 0 and np.ptp(after) == 0:
        return f"{len(before)} and {len(after)} equal values"
    return f"{len(before)} and {len(after)} values"


def _judged(rows: list[Row], limits: Limits) -> list[Row]:
    """All rows of a metric are one family of tests."""
    out = list(rows)
    for metric in dict.fromkeys(row.metric for row in rows):
        places = [i for i, row in enumerate(rows) if row.metric is metric]
        for i, p in zip(places, family_wise([rows[i].shift.p for i in places]), strict=True):
            out[i] = replace(rows[i], verdict=_verdict(rows[i], p, limits), p_adjusted=p)
    return out


def _verdict(row: Row, p: float, limits: Limits) -> Verdict:
    if row.metric in UNDIRECTED:
        return Verdict.CANNOT_TELL
    if row.shift.low == row.shift.high:
        verdict = decide_exact(row.shift.value, row.threshold)
    else:
        verdict = decide(row.shift, row.threshold, p, limits.alpha)
    return in_its_direction(row.metric, verdict)


def _repetitions(joined: list[tuple[Amount, Amount]]) -> tuple[int, int]:
    return min(len(amount.values) for amount, _ in joined), min(len(other.values) for _, other in joined)


def _single_note(joined: list[tuple[Amount, Amount]]) -> list[str]:
    single = sum(min(len(amount.values), len(other.values)) < 2 for amount, other in joined)
    if not single:
        return []
    return [f"{single} of {len(joined)} quantities have one value for each run; measure more runs of each and join them, as in A1+A2"]
