# SPDX-License-Identifier: BSD-3-Clause
"""The shape of spans beside their level: what is planted in the tail is found, and what cannot be told is not called the same."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from latlab.core.comparison.by_kind import compare, explain_pair
from latlab.core.comparison.comparison import Comparison, Statistic
from latlab.core.comparison.findings import CouldHaveSeen, DriftInside, LargestGrew, NothingMoved, TailNotTold
from latlab.core.comparison.gate import GateReport, report_gate
from latlab.core.comparison.span_findings import ShapeMoved
from latlab.core.comparison.verdicts import Verdict
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run, Sample
from latlab.core.report.comparison.data import comparison_json
from latlab.core.statistics.sample_matrix import Floats
from support.runs import JUNO, run_with

TEST = "cpu_susp_serial"
LEVEL, SPREAD = 20_000.0, 500.0


def _values(seed: int, boots: int = 8, iterations: int = 100) -> Floats:
    rng = np.random.default_rng(seed)
    own = rng.standard_normal((boots, 1, 6)) * SPREAD / 4
    return np.asarray(LEVEL + own + SPREAD * rng.standard_normal((boots, iterations, 6)))


def _run(values: Floats, name: str) -> Run:
    samples = [
        Sample(TEST, Metric.WAKEUP, core, boot, iteration, round(float(values[boot, iteration, column])))
        for boot in range(values.shape[0])
        for iteration in range(values.shape[1])
        for column, core in enumerate(JUNO.cores)
    ]
    return run_with(samples=samples, id=name, lead=CoreId(1, 0))


def _compared(before: Floats, after: Floats) -> tuple[Comparison, GateReport]:
    comparison = compare(_run(before, "a"), _run(after, "b"))
    return comparison, report_gate(comparison, frozenset({"regressed"}))


def _figures(comparison: Comparison) -> set[tuple[Statistic | None, Verdict]]:
    return {(row.statistic, row.verdict) for row in comparison.rows if row.statistic is not None}


@pytest.mark.parametrize("seed", range(4))
def test_level_and_shape_of_one_truth_are_the_same_where_the_tail_is_reached(seed):
    comparison, decision = _compared(_values(seed), _values(seed + 50))
    assert {row.verdict for row in comparison.rows} <= {Verdict.SAME, Verdict.SAME_LEVEL, Verdict.CANNOT_TELL, Verdict.MOVED}
    assert Verdict.SAME in {row.verdict for row in comparison.rows} and decision.exit_code == 0


def test_one_percent_six_times_as_late_fails_the_gate_though_the_level_is_the_same():
    after = _values(2)
    late = np.random.default_rng(3).random(after.shape) < 0.01
    comparison, decision = _compared(_values(1), np.where(late, 6 * after, after))
    assert decision.exit_code == 1 and (Statistic.MAXIMUM, Verdict.REGRESSED) in _figures(comparison)
    assert {row.verdict for row in comparison.rows if row.statistic is None} <= {Verdict.SAME_LEVEL, Verdict.CANNOT_TELL}
    assert any(isinstance(one.finding, ShapeMoved) for one in explain_pair(comparison))


def test_twice_the_spread_is_a_regression_and_half_of_it_the_opposite():
    wide = _values(2)
    wide = LEVEL + 4 * (wide - LEVEL)
    for before, after, verdict in ((_values(1), wide, Verdict.REGRESSED), (wide, _values(1), Verdict.IMPROVED)):
        figures = _figures(_compared(before, after)[0])
        assert (Statistic.SPREAD, verdict) in figures and {found for _, found in figures} <= {verdict, Verdict.MOVED}


def test_one_span_six_times_as_late_stands_first_and_stops_the_gate_whatever_its_p():
    after = _values(2)
    after[3, 17, 4] *= 6
    comparison, decision = _compared(_values(1), after)
    assert decision.exit_code == 3 and "times as large" in decision.lines[1]
    (grew,) = (one.finding for one in explain_pair(comparison) if isinstance(one.finding, LargestGrew))
    assert not grew.is_told and grew.ratio > 5


def test_a_burst_of_late_iterations_is_one_event_and_so_is_not_told():
    after = _values(2)
    after[3, 20:45] *= 6
    figures = _figures(_compared(_values(1), after)[0])
    assert (Statistic.MAXIMUM, Verdict.REGRESSED) not in figures


def test_a_level_that_moved_is_no_change_of_shape():
    comparison, _ = _compared(_values(1), _values(2) + 4_000.0)
    assert not _figures(comparison) & {(one, Verdict.REGRESSED) for one in Statistic}
    assert Verdict.REGRESSED in {row.verdict for row in comparison.rows}


def test_boots_that_differ_in_their_tails_are_no_change_between_runs():
    """In both runs two boots of eight have a tail: forty late spans and none come from the same law."""
    before, after = _values(1), _values(2)
    for boot in (1, 6):
        after[boot, ::5] += 6 * SPREAD
    figures = _figures(_compared(before, after)[0])
    assert not {verdict for _, verdict in figures} & {Verdict.REGRESSED}


def test_late_spans_that_boots_share_as_unevenly_as_chance_does_are_told():
    after = _values(2)
    for boot, count in enumerate((0, 6, 2, 1, 3, 2, 6, 2)):
        after[boot, 7 : 7 + 4 * count : 4, 3] = 6 * LEVEL
    comparison, decision = _compared(_values(1), after)
    assert (Statistic.MAXIMUM, Verdict.REGRESSED) in _figures(comparison) and decision.exit_code == 1


def test_few_iterations_tell_no_tail_and_it_is_said_with_what_could_have_been_seen():
    comparison, decision = _compared(_values(1, iterations=1), _values(2, iterations=1))
    assert Verdict.SAME not in {row.verdict for row in comparison.rows}
    found = [one.finding for one in explain_pair(comparison)]
    assert any(isinstance(one, TailNotTold) for one in found) and not any(isinstance(one, NothingMoved) for one in found)
    assert any(isinstance(one, CouldHaveSeen) and one.figure == "level" for one in found)
    told = [row["detectable"] for row in json.loads(comparison_json(comparison))["rows"]]
    assert any(one and one[0]["figure"] == "level" and one[0]["power"] == 0.9 and one[0]["size"] > 0 for one in told)
    assert any("(90 % power)" in line for line in decision.lines) and decision.exit_code == 0


@pytest.mark.parametrize("how", ["line", "switch"])
def test_what_a_run_does_over_its_iterations_is_named_as_that_and_no_change_between_runs(how):
    before, after = (_values(seed, boots=4, iterations=20) for seed in (1, 2))
    course = np.linspace(0.0, 0.2, 20) if how == "line" else np.where(np.arange(20) < 12, 0.0, 0.2)
    comparison, decision = _compared(before, after * (1 + course)[None, :, None])
    assert decision.exit_code == 3 and Verdict.REGRESSED not in {row.verdict for row in comparison.rows}
    drifts = [one.finding for one in explain_pair(comparison) if isinstance(one.finding, DriftInside)]
    assert drifts and {one.run for one in drifts} == {"b"}
    for one in drifts:
        assert 0.15 < one.drift.size / LEVEL < 0.25
        assert one.drift.after == (None if how == "line" else 12)
    row = next(row for row in json.loads(comparison_json(comparison))["rows"] if row["drifts"][1])
    assert row["drifts"][0] is None and row["drifts"][1]["after"] == (None if how == "line" else 12)


def _ragged(seed: int, course: Floats) -> Floats:
    """A course over the iterations, which cluster 1 hides by what it carries from one iteration to the next."""
    values = _values(seed, boots=4, iterations=20) * (1 + course)[None, :, None]
    walk = np.cumsum(np.random.default_rng(seed + 100).standard_normal((4, 20, 1)) * 900, axis=1)
    values[:, :, 2:] += walk - walk.mean(axis=1, keepdims=True)
    return np.asarray(values)


FLAT, RISING = np.zeros(20), np.linspace(0.0, 0.2, 20)


def test_a_change_beside_a_drift_that_is_as_large_may_be_the_same_drift():
    for seed in range(1, 9):
        comparison, decision = _compared(_ragged(seed, FLAT), _ragged(seed + 10, RISING))
        assert any(row.drifts[1] for row in comparison.rows) and decision.exit_code == 3
        assert Verdict.REGRESSED not in {row.verdict for row in comparison.rows}


def test_a_change_beside_a_drift_that_is_far_larger_is_told():
    after = _ragged(2, RISING)
    after[:, :, 2:] += 3 * LEVEL
    comparison, decision = _compared(_ragged(1, FLAT), after)
    assert decision.exit_code == 1
    assert {row.cluster for row in comparison.rows if row.verdict is Verdict.REGRESSED and row.statistic is None} == {1}


@pytest.mark.parametrize("late", [(slice(None), 97), (3, 97), (0, slice(90, 93))], ids=["each boot's", "one", "three of one boot"])
def test_a_few_late_iterations_are_neither_a_drift_nor_a_switch(late):
    after = _values(2)
    after[*late, 4] *= 11
    comparison, _ = _compared(_values(1), after)
    assert not any(isinstance(one.finding, DriftInside) for one in explain_pair(comparison))


@pytest.mark.parametrize("where", [slice(0, 3), slice(97, 100)], ids=["first", "last"])
def test_three_iterations_at_an_end_are_no_regime_of_their_own(where):
    after = _values(2)
    after[:, where] *= 3
    drifts = [one.finding.drift for one in explain_pair(_compared(_values(1), after)[0]) if isinstance(one.finding, DriftInside)]
    assert not [drift for drift in drifts if drift.after is not None and not 5 <= drift.after <= 95]


def test_a_drift_that_both_runs_have_hides_no_change_between_them():
    course = np.linspace(0.0, 0.2, 20)[None, :, None]
    before, after = (_values(seed, boots=8, iterations=20) * (1 + course) for seed in (1, 2))
    _, decision = _compared(before, 1.5 * after)
    assert decision.exit_code == 1


def test_a_second_mode_that_comes_twice_as_often_is_regressed_over_all_rows_together():
    """5 to 10 % of the spans of four tests, 4 boots of 25: no quantile of a row moves by more than its threshold."""

    def run(seed: int, share: float, name: str) -> Run:
        rng = np.random.default_rng(seed)
        samples = []
        for test in range(4):
            values = _values(10 * seed + test, boots=4, iterations=25)
            values += np.where(rng.random(values.shape) < share, 8_000.0, 0.0)
            of_test = _run(values, name).samples
            samples += [replace(sample, test=f"test_{test}_serial") for sample in of_test]
        return run_with(samples=samples, id=name, lead=CoreId(1, 0))

    for seed in range(3):
        found = compare(run(seed, 0.05, "a"), run(50 + seed, 0.10, "b"))
        (slowest,) = (claim for claim in found.claims if claim.name.startswith(str(Statistic.SLOWEST)))
        assert slowest.verdict is Verdict.REGRESSED and report_gate(found, frozenset({"regressed"})).exit_code == 1
        equal = compare(run(seed, 0.05, "a"), run(100 + seed, 0.05, "b"))
        assert not [claim for claim in equal.claims if claim.is_frontier]
