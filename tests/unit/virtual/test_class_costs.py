# SPDX-License-Identifier: BSD-3-Clause
"""What an instruction takes on a board: found where releases tell it, refused where they do not, and held against releases not fitted."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

import pytest

from latlab.core.errors import DataError
from latlab.core.model.counts import SpanCount
from latlab.core.model.enums import InstructionClass as C
from latlab.core.model.enums import Metric
from latlab.core.store.references import load
from latlab.psci.analysis.counted import MOST_INSIDE_NS, MOST_OUTSIDE_NS
from latlab.virtual.analysis.class_costs import GROUPS, Inseparable, Observed, fit_classes, fit_observed, left_out, observed

OUTSIDE_NS, INSIDE_NS = 80.0, 2.0
CELLS = (("cpu_off_serial", Metric.WAKEUP, 0), ("cpu_susp_serial", Metric.WAKEUP, 0))
COUNTS = ((900, 100), (950, 240), (1400, 250), (1500, 90), (1100, 120))


def release(name: str, cached: float, fetched: float, flushed: float = 0.0, noise_ns: float = 0.0) -> list[Observed]:
    parts = {("f", C.CACHED): cached, ("f", C.UNCACHED_FETCH): fetched, ("flush", C.DC_SET_WAY): flushed}
    total = SpanCount(sum(parts.values()), parts)
    own = [9_000.0, 5_000.0]
    return [
        Observed(name, cell, "cortex-x1", base + OUTSIDE_NS * fetched + INSIDE_NS * cached + noise_ns, total)
        for cell, base in zip(CELLS, own, strict=True)
    ]


def spans(counts: Sequence[tuple[float, float]] = COUNTS, noise_ns: Sequence[float] = (0.0,) * 9) -> list[Observed]:
    return [
        one for number, (both, noise) in enumerate(zip(counts, noise_ns, strict=False)) for one in release(f"v{number}", *both, 0.0, noise)
    ]


def test_costs_are_found_under_the_time_of_its_own_that_each_span_has() -> None:
    found = fit_observed(spans())
    assert [cost.group for cost in found.costs] == list(GROUPS)
    assert [cost.value_ns for cost in found.costs] == pytest.approx([OUTSIDE_NS, INSIDE_NS], rel=1e-6)
    (guess, _) = found.predict(release("v9", 700.0, 300.0))
    assert guess.predicted_ns == pytest.approx(guess.measured_ns) and guess.is_inside


def test_the_order_of_the_spans_does_not_matter() -> None:
    ordered = spans(noise_ns=(300.0, -200.0, 100.0, 0.0, -250.0))
    shuffled = random.Random(1).sample(ordered, len(ordered))
    one, other = ([cost.value_ns for cost in fit_observed(each).costs] for each in (ordered, shuffled))
    assert one == pytest.approx(other)


def test_intervals_hold_releases_that_scatter_like_the_fitted_ones_and_not_one_that_jumped() -> None:
    found = fit_observed(spans(noise_ns=(300.0, -200.0, 100.0, 0.0, -250.0)))
    assert all(cost.low_ns <= cost.value_ns <= cost.high_ns and cost.low_ns < cost.high_ns for cost in found.costs)
    assert all(guess.is_inside for guess in found.predict(release("v9", 1000.0, 150.0, noise_ns=200.0)))
    assert not any(guess.is_inside for guess in found.predict(release("v9", 1000.0, 150.0, noise_ns=9_000.0)))


def test_no_cost_is_negative_and_none_above_what_an_instruction_can_take() -> None:
    slower = [replace(one, time_ns=one.time_ns * 2.0) for one in spans()]
    faster = [replace(one, time_ns=20_000.0 - one.time_ns / 100) for one in spans()]
    outside, inside = (cost.value_ns for cost in fit_observed(slower).costs)
    assert outside == pytest.approx(MOST_OUTSIDE_NS, rel=1e-3) and 0 <= inside <= MOST_INSIDE_NS
    assert [cost.value_ns for cost in fit_observed(faster).costs] == pytest.approx([0.0, 0.0], abs=1e-3)


@pytest.mark.parametrize(
    "counts",
    [
        [(1000, 100), (2000, 200), (3000, 300)],
        [(1000, 100), (1000, 200), (1000, 300)],
        [(1000, 100), (1001, 100), (1000, 101)],
        [(100_000, 10_000), (200_000, 20_010), (300_000, 29_990)],
    ],
    ids=["together", "one stands still", "hardly moved", "nearly together"],
)
def test_releases_that_cannot_tell_two_groups_apart_are_refused_by_name(counts: list[tuple[float, float]]) -> None:
    with pytest.raises(Inseparable, match=r"do not determine the cost of instructions .*in the caches on cortex-x1"):
        fit_observed(spans(counts))


def test_a_release_that_alone_tells_a_cost_is_named() -> None:
    found = fit_observed(spans([(1000, 100), (1400, 100), (1500, 100), (1010, 260)]))
    assert found.alone == ("v3",) and "without v3 the others do not determine them" in found.basis


def test_a_span_that_flushes_more_than_any_that_was_fitted_is_not_predicted() -> None:
    found = fit_observed(spans())
    assert found.predict(release("v9", 1000.0, 100.0, flushed=32_768.0)) == ()


def test_a_core_that_takes_its_cluster_along_is_not_held_against_one_that_did_not() -> None:
    cells = {one.cell for one in observed(load("published:tf-a/juno/v2.9"))}
    assert ("cpu_off_serial", Metric.POWERDOWN, 1) in cells and ("cpu_susp_serial", Metric.POWERDOWN, 0) in cells
    assert ("cpu_off_serial", Metric.POWERDOWN, 0) not in cells and ("susp_deep_serial", Metric.POWERDOWN, 0) not in cells


def test_too_few_releases_other_boards_and_releases_that_were_not_counted_are_refused_in_a_sentence() -> None:
    runs = {name: load(f"published:tf-a/{name}") for name in ("n1sdp/v2.9", "n1sdp/v2.10", "juno/v2.9", "juno/2017")}
    with pytest.raises(DataError, match="2 releases are too few for costs"):
        fit_classes([runs["n1sdp/v2.9"], runs["n1sdp/v2.10"], runs["n1sdp/v2.9"]])
    with pytest.raises(DataError, match="of juno and n1sdp; a cost is one board's"):
        fit_classes([runs["n1sdp/v2.9"], runs["n1sdp/v2.10"], runs["juno/v2.9"]])
    with pytest.raises(DataError, match="2017 was not counted on cortex-a53"):
        observed(runs["juno/2017"])
    with pytest.raises(DataError, match="was not counted on neoverse-n1"):
        observed(replace(runs["n1sdp/v2.9"], id="psci-1234"))
    with pytest.raises(DataError, match="too many for so few releases"):
        fit_classes(list(runs.values()), {name.value: (name,) for name in C})


def test_six_groups_are_more_than_four_releases_tell_apart() -> None:
    runs = [load(f"published:tf-a/n1sdp/v2.{number}") for number in range(9, 13)]
    each = (C.UNCACHED_BRANCH, C.UNCACHED_FETCH, C.UNCACHED_LOAD, C.DEVICE, C.MSR, C.CACHED)
    with pytest.raises(Inseparable):
        fit_classes(runs, {one.value: (one,) for one in each})


@pytest.mark.parametrize(("board", "inside", "median_percent", "worst_percent"), [("n1sdp", 18, 3.0, 17.6), ("juno", 9, 7.6, 18.6)])
def test_three_releases_are_predicted_from_the_four_before_as_the_page_says(
    board: str, inside: int, median_percent: float, worst_percent: float
) -> None:
    found = fit_classes([load(f"published:tf-a/{board}/v2.{number}") for number in range(9, 13)])
    guesses = [guess for number in (13, 14, 15) for guess in found.predict(observed(load(f"published:tf-a/{board}/v2.{number}")))]
    wakeups = [guess for guess in guesses if guess.cell[1] is Metric.WAKEUP]
    errors = sorted(abs(guess.error_percent) for guess in wakeups)
    assert len(wakeups) == 18 and sum(bool(guess.is_inside) for guess in wakeups) == inside
    assert (round(median(errors), 1), round(errors[-1], 1)) == (median_percent, worst_percent)


def test_a_release_left_out_stands_beside_the_mean_of_the_others() -> None:
    found = left_out([load(f"published:tf-a/n1sdp/v2.{number}") for number in range(9, 16)])
    assert [one.release.rpartition("/")[2] for one in found] == [f"v2.{number}" for number in range(9, 16)]
    for one in found:
        assert [guess.cell for guess in one.by_counts] == [guess.cell for guess in one.unchanged]
        errors, unchanged = (
            [abs(guess.error_percent) for guess in some if guess.cell[1] is Metric.WAKEUP] for some in (one.by_counts, one.unchanged)
        )
        assert median(errors) < median(unchanged) / 3
