# SPDX-License-Identifier: BSD-3-Clause
"""Quantities of a benchmark judged together, and repetitions too few for a test that do not pass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.comparison import Comparison
from latlab.core.comparison.decision import ClaimLevel, Reason, decide
from latlab.core.comparison.verdicts import CHANGED, Verdict
from latlab.core.model.amounts import Amount, Amounts
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.run import Build, Run, Tick, Topology

QUANTITIES, REPETITIONS = 12, 10


def run_of(name: str, amounts: Sequence[Amount]) -> Run:
    return Run(
        "bench", "import", "board", Topology((2,)), Tick(Clock.TIME, 1.0), Build("unknown"), None, RunStatus.COMPLETE,
        Amounts(tuple(amounts)), id=name,
    )  # fmt: skip


def drawn(seed: int, factor: float = 1.0, deviation: float = 0.05, metric: Metric = Metric.DURATION) -> Run:
    """Twelve quantities of two tests, ten repetitions each."""
    rng = np.random.default_rng([seed, 3])
    amounts = [
        Amount(f"t{k % 2}", metric, f"q{k}", None, tuple(map(float, 1000 * (k + 1) * factor * rng.normal(1, deviation, REPETITIONS))))
        for k in range(QUANTITIES)
    ]
    return run_of(f"run{seed}", amounts)


def one(metric: Metric, values: Sequence[float], name: str) -> Run:
    return run_of(name, (Amount("t", metric, "q", None, tuple(map(float, values))),))


def parts(comparison: Comparison) -> list[tuple[ClaimLevel, str, str]]:
    return [(claim.level, claim.test, claim.name) for claim in comparison.claims]


def test_the_claims_are_those_of_the_base_with_itself():
    base = drawn(1)
    own = parts(compare(base, base))
    assert own == [
        (ClaimLevel.METRIC, "", "of 12 quantities"), (ClaimLevel.TEST, "t0", "of 6 quantities"), (ClaimLevel.TEST, "t1", "of 6 quantities"),
    ]  # fmt: skip
    assert parts(compare(base, drawn(2, 3.0))) == own


@pytest.mark.parametrize("metric", [Metric.DURATION, Metric.THROUGHPUT])
def test_what_all_quantities_share_does_not_pass_though_no_row_is_significant(metric: Metric):
    """5 % more each, with a scatter of 5 %: one row alone shows it in one of eight pairs."""
    for seed in range(8):
        comparison = compare(drawn(seed, metric=metric), drawn(100 + seed, 1.05, metric=metric))
        (whole,) = (claim for claim in comparison.claims if claim.level is ClaimLevel.METRIC)
        assert decide(comparison).exit_code != 0 or decide(comparison).verdict is Verdict.IMPROVED, seed
        assert whole.verdict is not Verdict.SAME and whole.shift.value / whole.before == pytest.approx(0.05, abs=0.03)


def test_untouched_quantities_are_never_called_changed_and_no_part_of_them_stops():
    for seed in range(40):
        comparison = compare(drawn(seed), drawn(500 + seed))
        assert not [claim for claim in comparison.claims if claim.verdict in CHANGED or claim.is_frontier], seed
        assert not comparison.stops, seed


@pytest.mark.parametrize(("metric", "odd"), [(Metric.DURATION, 1000.0), (Metric.THROUGHPUT, 10.0)])
def test_one_repetition_that_is_ten_times_as_bad_does_not_pass(metric: Metric, odd: float):
    base = [100.0 + k % 3 for k in range(10)]
    bad = [*base[:9], odd]
    decision = decide(compare(one(metric, base, "a"), one(metric, bad, "b")))
    assert (decision.exit_code, decision.reason) == (3, Reason.LARGE)
    assert not compare(one(metric, bad, "a"), one(metric, base, "b")).stops, "it is gone"


def test_two_modes_that_change_places_do_not_pass():
    rng = np.random.default_rng(5)
    first, second = (
        [float((150 if k * 7 % 10 < share else 100) * rng.normal(1, 0.02)) for k in range(20)] for share in (3, 7)
    )  # fmt: skip
    assert decide(compare(one(Metric.DURATION, first, "a"), one(Metric.DURATION, second, "b"))).exit_code == 3
    assert decide(compare(one(Metric.DURATION, first, "a"), one(Metric.DURATION, first[::-1], "b"))).reason is not Reason.LARGE
