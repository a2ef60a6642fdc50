# SPDX-License-Identifier: BSD-3-Clause
"""The claims above single quantities of a benchmark: those of one metric in a test, and those of a metric in all tests.

A claim is on the mean of the relative shifts. Quantities of one run may scatter together. A change counts as one if it is beyond what they
scatter by then. If it is beyond what they scatter by one by one only, it is inconclusive, and nothing passes with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from latlab.core.comparison.comparison import Row
from latlab.core.comparison.decision import Claim, ClaimLevel
from latlab.core.comparison.verdicts import CHANGED, Limits, Verdict, decide
from latlab.core.comparison.wording import MORE_IS_BETTER, UNDIRECTED
from latlab.core.model.enums import Metric
from latlab.core.statistics.distributions import normal_quantile, normal_upper
from latlab.core.statistics.statistics import Shift, family_wise

HALF_OF_95 = normal_quantile(0.975)
_OPPOSITE = {Verdict.REGRESSED: Verdict.IMPROVED, Verdict.IMPROVED: Verdict.REGRESSED}

Part = tuple[ClaimLevel, Metric, str, tuple[Row, ...]]


def in_its_direction(metric: Metric, verdict: Verdict) -> Verdict:
    """The verdict on a shift that was judged as if more were worse."""
    return _OPPOSITE.get(verdict, verdict) if metric in MORE_IS_BETTER else verdict


def amount_claims(rows: Sequence[Row], limits: Limits) -> tuple[Claim, ...]:
    """The claims above the judged rows. A claim is on the frontier if none of its rows and no smaller part of it changed by itself."""
    parts = list(_parts(rows))
    claims, apart = ([_mean(part, are_independent) for part in parts] for are_independent in (False, True))
    adjusted, of_apart = (family_wise([claim.shift.p for claim in of_one]) for of_one in (claims, apart))
    judged = [_judged(claim, p, limits) for claim, p in zip(claims, adjusted, strict=True)]
    return tuple(_on_frontier(parts, judged, [p < limits.alpha for p in of_apart]))


def _parts(rows: Sequence[Row]) -> Iterator[Part]:
    """The parts with several quantities. Each quantity has a value in the base, so the base alone decides what is judged."""
    judged = [row for row in rows if row.metric not in UNDIRECTED and row.before]
    for metric in dict.fromkeys(row.metric for row in judged):
        of_metric = tuple(row for row in judged if row.metric is metric)
        tests = dict.fromkeys(row.test for row in of_metric)
        if len(of_metric) > 1:
            yield ClaimLevel.METRIC, metric, "", of_metric
        for test in tests if len(tests) > 1 else ():
            of_test = tuple(row for row in of_metric if row.test == test)
            if len(of_test) > 1:
                yield ClaimLevel.TEST, metric, test, of_test


def _mean(part: Part, are_independent: bool) -> Claim:
    """The mean relative shift, in the unit of the mean value before. Without repetitions of one of them there is no test."""
    level, metric, test, rows = part
    before = float(np.mean([abs(row.before) for row in rows]))
    relative = float(np.mean([row.shift.value / abs(row.before) for row in rows]))
    halves = [(row.shift.high - row.shift.low) / 2 / abs(row.before) for row in rows]
    half = float(np.linalg.norm(halves)) / len(rows) if are_independent else float(np.mean(halves))
    p = 2 * normal_upper(abs(relative) / (half / HALF_OF_95)) if half > 0 else float(relative == 0)
    low, high = (before * (relative + end) for end in (-half, half))
    shift = Shift(before * relative, low, high, p)
    threshold = float(np.mean([row.threshold / abs(row.before) for row in rows])) * before
    name = f"of {len(rows)} quantities"
    return Claim(level, metric, test, name, before, before + shift.value, shift, threshold, 1.0, Verdict.CANNOT_TELL, len(rows), len(rows))


def _judged(claim: Claim, p: float, limits: Limits) -> Claim:
    verdict = in_its_direction(claim.metric, decide(claim.shift, claim.threshold, p, limits.alpha))
    return replace(claim, p_adjusted=p, verdict=verdict)


def _on_frontier(parts: Sequence[Part], claims: Sequence[Claim], weak: Sequence[bool]) -> Iterator[Claim]:
    changed_tests = {(claim.metric, claim.test) for claim in claims if claim.level is ClaimLevel.TEST and claim.verdict in CHANGED}
    for (level, metric, _, rows), claim, is_weak in zip(parts, claims, weak, strict=True):
        is_held = any(row.verdict in CHANGED for row in rows) or (
            level is ClaimLevel.METRIC and any((metric, row.test) in changed_tests for row in rows)
        )
        is_open = is_weak and abs(claim.shift.value) > claim.threshold and claim.verdict not in CHANGED
        verdict = Verdict.CANNOT_TELL if is_open else claim.verdict
        yield replace(claim, verdict=verdict, is_frontier=(claim.verdict in CHANGED or is_open) and not is_held)
