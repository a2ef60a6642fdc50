# SPDX-License-Identifier: BSD-3-Clause
from dataclasses import replace

import pytest

from latlab.core.comparison.by_kind import check_invariants, compare, explain_pair, figures_of
from latlab.core.comparison.gate import report_gate
from latlab.core.comparison.history import history
from latlab.core.comparison.identity import NotComparable
from latlab.core.comparison.joining import join_boots
from latlab.core.comparison.verdicts import Limits, Verdict
from latlab.core.model.amounts import Amount, Amounts, amounts_of
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.run import Build, CoreId, Run, Tick, Topology

FAIL_ON = frozenset({"regressed"})


def _run(name: str, *amounts: Amount, **changes: object) -> Run:
    run = Run(
        "bench", "import", "board", Topology((2,)), Tick(Clock.TIME, 1.0), Build("unknown"), None, RunStatus.COMPLETE, Amounts(amounts),
        id=name,
    )  # fmt: skip
    return replace(run, **changes)  # type: ignore[arg-type]


def _one(metric: Metric, *values: float, name: str = "q", over_s: float | None = None, core: CoreId | None = None) -> Amount:
    return Amount("t", metric, name, core, tuple(map(float, values)), over_s)


def _verdict(metric: Metric, before: tuple[float, ...], after: tuple[float, ...]) -> Verdict:
    (row,) = compare(_run("a", _one(metric, *before)), _run("b", _one(metric, *after))).rows
    return row.verdict


LOW, HIGH = (100.0, 101.0, 99.0, 100.5), (120.0, 121.0, 119.0, 120.5)


@pytest.mark.parametrize(
    ("metric", "up"),
    [
        (Metric.DURATION, Verdict.REGRESSED),
        (Metric.EVENTS, Verdict.REGRESSED),
        (Metric.THROUGHPUT, Verdict.IMPROVED),
        (Metric.AVAILABLE, Verdict.IMPROVED),
    ],
)
def test_more_is_worse_of_what_disturbs_and_better_of_what_is_achieved(metric, up):
    down = {Verdict.REGRESSED: Verdict.IMPROVED, Verdict.IMPROVED: Verdict.REGRESSED}[up]
    assert _verdict(metric, LOW, HIGH) is up
    assert _verdict(metric, HIGH, LOW) is down
    assert _verdict(metric, LOW, tuple(value + 0.1 for value in LOW)) is Verdict.SAME


def test_of_a_value_without_a_direction_nothing_is_ever_said():
    assert _verdict(Metric.VALUE, LOW, HIGH) is Verdict.CANNOT_TELL
    comparison = compare(_run("a", _one(Metric.VALUE, *LOW)), _run("b", _one(Metric.VALUE, *HIGH)))
    assert comparison.large_untold == () and "direction" in comparison.rows[0].basis


def test_one_value_on_a_side_tells_nothing_but_a_large_shift_does_not_pass():
    assert _verdict(Metric.DURATION, (100.0,), (101.0,)) is Verdict.CANNOT_TELL
    pair = _run("a", _one(Metric.DURATION, 100)), _run("b", _one(Metric.DURATION, 200))
    comparison = compare(*pair)
    assert comparison.verdict is Verdict.CANNOT_TELL and len(comparison.large_untold) == 1
    decision = report_gate(comparison, FAIL_ON)
    assert decision.exit_code == 3 and any("differs by" in line for line in decision.lines)


def test_equal_repetitions_differ_exactly_or_not_at_all():
    assert _verdict(Metric.DURATION, (100.0, 100.0), (100.0, 100.0)) is Verdict.SAME
    assert _verdict(Metric.DURATION, (100.0, 100.0), (110.0, 110.0)) is Verdict.REGRESSED
    assert _verdict(Metric.THROUGHPUT, (100.0, 100.0), (110.0, 110.0)) is Verdict.IMPROVED


def test_a_shift_within_the_threshold_is_no_change_however_certain_but_a_move():
    assert _verdict(Metric.DURATION, (100.0, 100.0), (102.0, 102.0)) is Verdict.MOVED


def test_a_longer_measurement_of_the_same_events_is_no_regression():
    before = _run("a", *(_one(Metric.EVENTS, 1000, 1010, over_s=10.0),))
    after = _run("b", _one(Metric.EVENTS, 6000, 6060, over_s=60.0))
    comparison = compare(before, after)
    assert [row.verdict for row in comparison.rows] != [Verdict.REGRESSED]
    assert comparison.rows[0].before == pytest.approx(100.5) and comparison.rows[0].after == pytest.approx(100.5)
    (figure,) = figures_of(before)
    assert figure.unit == "per second" and figure.value == pytest.approx(100.5)


def test_a_sum_over_the_run_is_no_figure_of_it():
    noise = _one(Metric.DURATION, 5e9, 6e9, name="noise", over_s=60.0)
    share = _one(Metric.AVAILABLE, 99.0, 98.5, core=CoreId(0, 1))
    assert [(figure.path, figure.unit) for figure in figures_of(_run("a", noise, share))] == [("t/available/CPU-1-q", "%")]


def test_what_stands_in_one_run_only_is_a_gap_where_the_base_has_it():
    both, lone = _one(Metric.DURATION, *LOW), _one(Metric.DURATION, *LOW, name="lone")
    comparison = compare(_run("a", both, lone), _run("b", both))
    assert comparison.gaps == ("lone in t: 0 of 4 samples due, 4 of 4 in the base",) and comparison.verdict is Verdict.CANNOT_TELL
    assert compare(_run("a", both), _run("b", both, lone)).gaps == ()


def test_totals_of_other_periods_are_not_compared():
    before, after = _one(Metric.THROUGHPUT, *LOW, over_s=30.0), _one(Metric.THROUGHPUT, *LOW, over_s=60.0)
    other = _one(Metric.DURATION, *LOW, name="other")
    comparison = compare(_run("a", before, other), _run("b", after, other))
    assert comparison.gaps == ("q: totals of periods of 30.0 and 60.0 s cannot be compared",)
    with pytest.raises(NotComparable, match="the periods differ in length"):
        join_boots((_run("a", before), _run("b", after)))


@pytest.mark.parametrize(
    "other",
    [
        _run("b", _one(Metric.DURATION, 1, name="another")),
        _run("b", _one(Metric.DURATION, *LOW), platform="another"),
        _run("b", _one(Metric.DURATION, *LOW), campaign="rt"),
    ],
)
def test_runs_that_do_not_belong_together_are_refused(other):
    with pytest.raises(NotComparable):
        compare(_run("a", _one(Metric.DURATION, *LOW)), other)


def test_joined_runs_are_repetitions_of_each_other():
    runs = [_run(f"{v:g}", _one(Metric.DURATION, v), _one(Metric.EVENTS, 100 * v, name="e", over_s=v)) for v in (1.0, 2.0, 3.0)]
    joined = join_boots(runs)
    assert [(one.values, one.over_s) for one in amounts_of(joined)] == [((1.0, 2.0, 3.0), None), ((100.0, 100.0, 100.0), 1.0)]
    assert joined.id == "1+2+3"
    with pytest.raises(NotComparable, match="would count twice"):
        join_boots((runs[0], replace(runs[0], id="copy")))


def test_all_quantities_of_a_metric_are_one_family_of_tests():
    """Twenty quantities that only scatter: none is called changed, and a planted one among them is."""
    import numpy as np

    random = np.random.default_rng(7)
    scattered = [(100 + random.normal(0, 1, 6), 100 + random.normal(0, 1, 6)) for _ in range(20)]
    before = [_one(Metric.DURATION, *a, name=f"q{i}") for i, (a, _) in enumerate(scattered)]
    after = [_one(Metric.DURATION, *b, name=f"q{i}") for i, (_, b) in enumerate(scattered)]
    after[3] = _one(Metric.DURATION, *(value + 10 for value in after[3].values), name="q3")
    rows = compare(_run("a", *before), _run("b", *after)).rows
    assert [row.name for row in rows if row.verdict is Verdict.REGRESSED] == ["q3"]
    assert not any(row.verdict is Verdict.IMPROVED for row in rows)
    assert all(row.p_adjusted >= row.shift.p for row in rows)


def test_what_changed_and_what_cannot_be_told_is_said():
    before = _run("a", _one(Metric.THROUGHPUT, *HIGH), _one(Metric.DURATION, 100, name="single"))
    after = _run("b", _one(Metric.THROUGHPUT, *LOW), _one(Metric.DURATION, 103, name="single"))
    said = [one.sentence for one in explain_pair(compare(before, after))]
    assert said == [
        "q regressed: 120.1 per period to 100.1 per period (-16.6 %)",
        "1 of 2 quantities inconclusive, largest shift +3.0 %",
    ]
    same = _run("c", _one(Metric.THROUGHPUT, *HIGH))
    assert [one.sentence for one in explain_pair(compare(same, replace(same, id="d")))] == ["no structure changed beyond its threshold"]


def test_a_history_follows_a_quantity_and_no_rule_is_broken():
    runs = [_run(f"r{i}", _one(Metric.DURATION, *(value * 10 ** (i >= 4) for value in LOW))) for i in range(8)]
    (series,) = history(runs, "t/duration/q", Limits())
    assert [change.index for change in series.changes] == [4]
    assert check_invariants(runs[0]) == ()
