# SPDX-License-Identifier: BSD-3-Clause
"""Under a deterministic clock a cell is the same where both runs have the same figures, each as often, and nowhere else."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from latlab.core.comparison.by_kind import compare, explain_pair
from latlab.core.comparison.comparison import Comparison, Row
from latlab.core.comparison.gate import report_gate
from latlab.core.comparison.history import history
from latlab.core.comparison.iterations import InIterations
from latlab.core.comparison.verdicts import Verdict, limits_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, FunctionShare, Run, Sample, SpanFunctions, Spans, Topology
from latlab.core.report.comparison.data import comparison_json
from latlab.core.report.comparison.sentences import headline, summary
from latlab.psci.analysis.deterministic_rows import NO_COUNTERPART, ORDER
from support.runs import INSTRUCTIONS, ONE_CORE, changed, run_with

TEST = "cpu_susp_serial"
figures = st.lists(st.integers(1, 50), min_size=2, max_size=12)


def _run(name: str, values: Sequence[int], boots: int = 1) -> Run:
    each = len(values) // boots
    samples = [Sample(TEST, Metric.WAKEUP, CoreId(0, 0), i // each, i % each, value) for i, value in enumerate(values)]
    return run_with(id=name, topology=ONE_CORE, tick=INSTRUCTIONS, samples=samples)


def _compared(a: Sequence[int], b: Sequence[int], tolerance: float | None = None, boots: int = 1) -> tuple[Comparison, Row]:
    comparison = compare(_run("a", a, boots), _run("b", b, boots), limits_of(tolerance))
    return comparison, comparison.rows[0]


@given(figures, st.randoms(use_true_random=False))
def test_the_same_figures_in_any_order_are_the_same_and_the_order_is_said(values, random):
    other = random.sample(values, len(values))
    _, row = _compared(values, other)
    assert row.verdict is Verdict.SAME
    assert row.basis == ("exact, in the same order" if other == values else "exact, in another order")


@given(figures, figures)
def test_other_figures_are_never_the_same(values, others):
    assume(len(values) == len(others) and Counter(values) != Counter(others))
    assert _compared(values, others)[1].verdict in (Verdict.REGRESSED, Verdict.IMPROVED)


def test_a_regression_in_fewer_than_half_of_the_iterations_fails_the_gate_and_says_in_how_many():
    comparison, row = _compared([100] * 20, [100] * 11 + [1000] * 9, boots=2)
    assert row.in_iterations == InIterations(9, 20, 9.0, True)
    assert (row.verdict, row.basis) == (Verdict.REGRESSED, "exact, 9 of 20 iterations, +900.0 %, median unchanged")
    decision = report_gate(comparison, frozenset({"regressed"}))
    assert decision.exit_code == 1 and "9 of 20 iterations, +900.0 %, median unchanged" in decision.lines[1]
    assert any("9 of 20 iterations" in one.sentence for one in explain_pair(comparison))
    assert summary(comparison).endswith("cluster 0, differs in 9 of 20 iterations, +900.0 %, median unchanged")
    (told,) = json.loads(comparison_json(comparison))["rows"]
    assert told["in_iterations"] == {"changed": 9, "of": 20, "share": 9.0, "same_median": True, "shorter": 0}


def test_one_iteration_that_got_worse_is_not_outweighed_by_one_that_got_better():
    _, row = _compared([100, 100, 100, 100], [100, 100, 103, 50])
    assert (row.verdict, row.shift.value, row.shift.low) == (Verdict.REGRESSED, 3.0, -50.0)


def test_a_cell_has_the_shift_of_its_iteration_that_moved_most():
    _, row = _compared([100, 100, 100, 100], [100, 99, 100, 108])
    (cell,) = row.cells
    assert (cell.verdict, cell.shift.value, cell.shift.low, cell.shift.high, cell.shift.p) == (Verdict.REGRESSED, 8.0, -1.0, 8.0, 0.0)


def test_a_difference_within_a_given_tolerance_is_a_move_and_not_the_same():
    assert _compared([100, 100], [100, 102], tolerance=3)[1].verdict is Verdict.MOVED
    assert _compared([100, 100], [100, 104], tolerance=3)[1].verdict is Verdict.REGRESSED


def test_more_iterations_on_one_side_are_the_same_only_where_they_hold_nothing_new():
    assert _compared([5, 7, 5], [5, 7, 5, 6, 5])[1].verdict is Verdict.SAME
    comparison, row = _compared([5, 7, 5], [5, 7, 5, 90])
    assert row.verdict is Verdict.CANNOT_TELL and "more iterations" in row.basis
    assert report_gate(comparison, frozenset({"regressed"})).exit_code == 3
    assert _compared([5, 7, 5], [5, 8, 5, 5])[1].verdict is Verdict.REGRESSED


def _run_of_two(name: str, more: Sequence[int], test: str = TEST) -> Run:
    """Ten iterations of both cores, and further ones of the first alone."""
    samples = [Sample(test, Metric.WAKEUP, CoreId(0, core), 0, i, 500) for core in (0, 1) for i in range(10)]
    samples += [Sample(test, Metric.WAKEUP, CoreId(0, 0), 0, 10 + i, value) for i, value in enumerate(more)]
    return run_with(id=name, topology=Topology((2,)), tick=INSTRUCTIONS, samples=samples)


def test_what_a_core_did_more_often_than_another_is_compared_too():
    slow = compare(_run_of_two("a", [500] * 10), _run_of_two("b", [5000] * 10))
    assert slow.verdict is Verdict.REGRESSED and slow.rows[0].basis == "exact, 10 of 20 iterations, +900.0 %"
    alike = compare(_run_of_two("a", [500] * 10), _run_of_two("b", [500] * 10))
    assert (alike.verdict, alike.gaps) == (Verdict.SAME, ())


def test_a_figure_that_one_run_alone_has_passes_no_gate_whatever_else_is_the_same():
    dear, other = _run_of_two("b", [500, 900]), _run_of_two("c", [500] * 2, "another")
    comparison = compare(_with(_run_of_two("a", [500]), other), _with(dear, other))
    assert {row.verdict for row in comparison.rows} == {Verdict.SAME, Verdict.CANNOT_TELL}
    assert comparison.gaps == (f"{TEST} wakeup, cluster 0: {NO_COUNTERPART}",)
    assert report_gate(comparison, frozenset({"regressed"})).exit_code == 3


def _with(run: Run, other: Run) -> Run:
    return run_with(id=run.id, topology=run.topology, tick=run.tick, samples=[*run.samples, *other.samples])


def test_iterations_of_cores_that_run_at_once_are_compared_whole_and_missing_ones_leave_no_peace():
    comparison = compare(_run_of_two("a", [500], "cpu_susp_parallel"), _run_of_two("b", [5000], "cpu_susp_parallel"))
    assert comparison.verdict is Verdict.CANNOT_TELL
    assert comparison.gaps == ("cpu_susp_parallel wakeup: 2 iterations lack a core and are left out",)


def test_iterations_that_went_both_ways_are_told_as_that_and_with_no_median():
    comparison, row = _compared([100, 100, 100, 100], [150, 50, 150, 50])
    assert row.verdict is Verdict.REGRESSED and row.in_iterations == InIterations(4, 4, 0.0, True, shorter=2)
    said = "4 of 4 iterations, 2 longer and 2 shorter, median unchanged"
    assert report_gate(comparison, frozenset({"regressed"})).lines[1].endswith(said) and said in summary(comparison)
    sentences = [one.sentence for one in explain_pair(comparison)]
    assert "over 1 data point, each by the iteration that changed most" in sentences[0] and any(said in one for one in sentences)


def test_iterations_that_all_went_one_way_need_no_count():
    assert _compared([100, 100], [150, 151])[1].in_iterations is None
    assert _compared([100, 100], [50, 51])[1].in_iterations is None


def test_cores_that_did_not_move_are_not_among_those_that_did():
    before, after = (_run_of_two(name, []) for name in "ab")
    slower = [replace(s, value_ticks=900) if (s.core.core, s.iteration) == (1, 3) else s for s in after.samples]
    told = explain_pair(compare(before, changed(after, samples=slower)))[0].sentence
    assert "+400 instructions over 1 data point, each by the iteration that changed most" in told


def _calls(name: str, values: Sequence[int], metric: Metric = Metric.CALL, cores: int = 4) -> Run:
    samples = [Sample("rfence", metric, CoreId(0, 0), 0, i, value) for i, value in enumerate(values)]
    return run_with(id=name, topology=Topology((cores,)), tick=INSTRUCTIONS, samples=samples)


def _of_calls(a: Sequence[int], b: Sequence[int], **kind) -> Comparison:
    return compare(_calls("a", a, **kind), _calls("b", b, **kind), limits_of(None))


DISTURBED = [6172, 6238, 6304, 6304, 6634], [6172, 6172, 6238, 6304, 1_524_901]


def test_a_call_that_the_order_of_the_cores_may_have_moved_is_not_blamed_and_not_called_the_same():
    comparison = _of_calls(*DISTURBED)
    assert (comparison.verdict, comparison.rows[0].basis) == (Verdict.CANNOT_TELL, ORDER)
    assert any(ORDER in note for note in comparison.notes)
    assert report_gate(comparison, frozenset({"regressed"})).exit_code != 1
    assert any("order of the cores" in line for line in headline(comparison))


def test_the_same_figures_on_one_core_or_of_spans_that_have_the_leads_order_are_exact():
    for kind in ({"cores": 1}, {"metric": Metric.PSCI_CALL}):
        comparison = _of_calls(*DISTURBED, **kind)
        assert comparison.verdict is Verdict.REGRESSED
        assert "any difference is exact" in headline(comparison)[1]


@given(st.integers(1, 10_000), st.integers(-50, 50), st.integers(2, 12))
def test_calls_that_are_equal_throughout_each_run_differ_exactly_on_any_number_of_cores(value, shift, n):
    assume(value + shift > 0)
    verdict = Verdict.SAME if not shift else Verdict.REGRESSED if shift > 0 else Verdict.IMPROVED
    assert _of_calls([value] * n, [value + shift] * n).verdict is verdict


def test_of_a_single_call_nobody_knows_what_the_order_does():
    assert _of_calls([100], [101]).verdict is Verdict.CANNOT_TELL
    assert _of_calls([100], [100]).verdict is Verdict.SAME


def test_a_call_that_grew_beyond_its_scatter_is_told_on_several_cores():
    before = [6172 + 66 * (i % 8) for i in range(20)]
    assert _of_calls(before, [2 * value for value in before]).verdict is Verdict.REGRESSED
    assert _of_calls([2 * value for value in before], before).verdict is Verdict.IMPROVED
    little = [*[value + 10 for value in before[:-1]], 6000]
    assert _of_calls(before, little).verdict in (Verdict.CANNOT_TELL, Verdict.MOVED)


def test_two_draws_of_one_scatter_are_never_told_apart():
    random = Random(7)
    draws = [[random.choice(range(6172, 6700, 66)) for _ in range(20)] for _ in range(600)]
    verdicts = Counter(_of_calls(a, b).verdict for a, b in zip(draws[::2], draws[1::2], strict=True))
    assert verdicts[Verdict.REGRESSED] + verdicts[Verdict.IMPROVED] <= 3


def test_a_history_of_calls_on_several_cores_names_only_what_went_beyond_the_scatter():
    before = [6172 + 66 * (i % 8) for i in range(20)]
    disturbed = [*before[:-1], 1_524_901]
    runs = [_calls("a", before), _calls("b", disturbed), _calls("c", [2 * value for value in before])]
    for disturbance in history(runs, "rfence/call/*"):
        assert {change.index for change in disturbance.changes} == {2}
        assert "their order may differ" in disturbance.note


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([2536] + [2716] * 19, [2547] * 4 + [3492] * 4 + [3627] * 12),
        ([2197] + [2467] * 19, [2118] + [2388] * 19),
        ([3137] * 20, [3238] * 3 + [3508] * 17),
        ([3380] * 19 + [4010], [3571] * 4 + [3751] * 15 + [3841]),
    ],
)
def test_fences_that_settled_in_another_rhythm_in_a_build_that_costs_eleven_more_are_not_blamed(before, after):
    for pair in ((before, after), (after, before)):
        assert _of_calls(*pair).rows[0].basis == ORDER


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([343] * 480 + [1249] * 20, [349] * 480 + [1265] * 20),
        ([749, 754, 754, 759] * 5, [760, 765, 765, 770] * 5),
        ([1950] * 18 + [2220, 900_000], [5321] * 12 + [5681] * 7 + [1_200_000]),
    ],
)
def test_what_moved_as_a_whole_or_by_more_than_it_scatters_is_told_on_several_cores(before, after):
    assert _of_calls(before, after).verdict is Verdict.REGRESSED
    assert _of_calls(after, before).verdict is Verdict.IMPROVED


@pytest.mark.parametrize(("after", "named"), [(DISTURBED[1], False), ([2 * value for value in DISTURBED[0]] * 4, True)])
def test_functions_are_named_where_a_verdict_is_and_not_where_the_order_may_be_all(after, named):
    def run(name: str, values: Sequence[int], count: int) -> Run:
        plain = _calls(name, values)
        own = SpanFunctions("rfence", Metric.CALL, CoreId(0, 0), len(values), (FunctionShare("spin", "tlb.c:1", count * len(values)),))
        return replace(plain, contents=Spans(plain.samples, functions=(own,)))

    before = DISTURBED[0] * (len(after) // len(DISTURBED[0]))
    explained = explain_pair(compare(run("a", before, 300), run("b", after, 700), limits_of(None)))
    assert any("spin" in one.sentence for one in explained) == named
