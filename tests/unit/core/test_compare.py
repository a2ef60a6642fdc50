# SPDX-License-Identifier: BSD-3-Clause
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.identity import NotComparable
from latlab.core.comparison.printed_deltas import judge_printed_deltas
from latlab.core.comparison.queue_model import BASE, STEP, SYSTEM_TERM, after_term
from latlab.core.comparison.verdicts import SAME_LEVELS, Verdict
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import UNNAMED, CoreId, Sample, SpanFunctions, Spans, Tick, Topology
from latlab.core.statistics.sample_matrix import columns_of
from latlab.core.store import references
from latlab.psci.analysis.queue_fit import fit_ladders
from latlab.psci.analysis.roles import inferred_lead, roles_of
from latlab.psci.analysis.variance_estimate import HIDDEN
from support.examples import examples
from support.ladder_model import Truth, make_run, relabelled
from support.runs import changed, run_with

SEEDS = st.integers(min_value=0, max_value=2**32 - 1)


@pytest.fixture(scope="module")
def juno():
    return {name: references.load(f"published:tf-a/juno/{name}") for name in ("2017", "v2.9", "v2.10")}


@pytest.fixture(scope="module")
def release(juno):
    return compare(juno["v2.9"], juno["v2.10"])


def rows(comparison, **wanted):
    return [row for row in comparison.rows if all(getattr(row, key) == value for key, value in wanted.items())]


def test_none_of_the_seven_printed_deltas_is_a_regression(release):
    judged = judge_printed_deltas(release)
    assert len(judged) == 7
    assert [j.verdict for j in judged if j.metric is Metric.POWERDOWN] == [Verdict.SAME] * 6
    assert [j.verdict for j in judged if j.metric is Metric.PSCI_CALL] == [Verdict.CANNOT_TELL]


def test_base_and_step_of_both_parallel_tests_are_the_same(release):
    for test in ("susp_deep_parallel", "cpu_susp_parallel"):
        for name in (BASE, STEP):
            (row,) = rows(release, test=test, name=name)
            assert row.verdict is Verdict.SAME_LEVEL, row


def test_the_unmarked_wakeup_regression_is_found_in_every_test_and_core_class(release):
    found = rows(release, metric=Metric.WAKEUP)
    assert len({row.test for row in found}) == 5
    assert {row.verdict for row in found} == {Verdict.REGRESSED}
    assert all(2900 <= row.shift.value <= 4900 for row in found if row.cluster is not None)
    assert release.verdict is Verdict.REGRESSED


def test_nothing_but_wakeup_is_called_regressed(release):
    assert {row.metric for row in rows(release, verdict=Verdict.REGRESSED)} == {Metric.WAKEUP}


def test_with_one_sample_a_cell_no_cell_has_a_verdict(release):
    assert {cell.verdict for row in release.rows for cell in row.cells} == {Verdict.CANNOT_TELL}


def test_the_step_from_2017_to_v2_9_is_found(juno):
    for row in rows(compare(juno["2017"], juno["v2.9"]), name=STEP):
        assert row.verdict is Verdict.REGRESSED
        assert 86_000 < row.before < 88_000 and 139_000 < row.after < 140_000


def test_the_same_run_twice_is_the_same(juno):
    for run in juno.values():
        comparison = compare(run, replace(run, id="again"))
        assert comparison.verdict is Verdict.SAME


def test_the_lead_is_seen_from_the_serial_deep_test(juno):
    for name, lead in (("2017", CoreId(0, 0)), ("v2.9", CoreId(1, 0)), ("v2.10", CoreId(1, 0))):
        run = replace(juno[name], lead=None)
        columns = columns_of(run)
        assert inferred_lead(run, columns, roles_of(columns)) == lead


@given(SEEDS)
@examples(40)
def test_a_fitted_ladder_has_the_terms_that_made_it(seed):
    truth = Truth()
    columns = columns_of(make_run(truth, seed))
    ladder = fit_ladders(columns, roles_of(columns), "susp_deep_parallel")
    assert ladder is not None
    wanted = {BASE: truth.base, STEP: truth.step, SYSTEM_TERM: truth.system_last}
    wanted |= {after_term(c): truth.after_last for c in (0, 1)}
    fitted = {name: values[0] for name, values in ladder.terms.items() if name in wanted and not np.isnan(values[0])}
    assert {BASE, STEP} <= set(fitted)
    for name, value in fitted.items():
        assert value == pytest.approx(wanted[name], abs=60), name
    assert ladder.share[0] > 0.9999


@given(SEEDS, SEEDS)
@examples(60)
def test_a_permuted_queue_is_the_same_with_one_sample_a_cell(seed_a, seed_b):
    comparison = compare(make_run(Truth(), seed_a, name="a"), make_run(Truth(), seed_b, name="b"))
    assert {row.verdict for row in comparison.rows if row.basis != HIDDEN} <= SAME_LEVELS
    assert {row.verdict for row in comparison.rows if row.basis == HIDDEN} <= {Verdict.CANNOT_TELL}


@given(SEEDS, SEEDS)
@examples(15)
def test_a_permuted_queue_is_the_same_over_many_boots(seed_a, seed_b):
    """An order of last men that came up in fewer than four boots has terms that noise alone can leave untold, never changed."""
    truth = Truth(noise=0.001)
    a, b = (make_run(truth, seed, boots=12, iterations=3, name=str(i)) for i, seed in enumerate((seed_a, seed_b)))
    comparison = compare(a, b)
    assert {row.verdict for row in comparison.rows if row.basis == "12 and 12 boots"} <= {*SAME_LEVELS, Verdict.MOVED}
    assert {row.verdict for row in comparison.rows} <= {*SAME_LEVELS, Verdict.MOVED, Verdict.CANNOT_TELL}


@pytest.mark.parametrize(
    ("change", "metric", "name"),
    [
        ({"step": 150_000.0}, Metric.POWERDOWN, STEP),
        ({"base": 110_000.0}, Metric.POWERDOWN, BASE),
        ({"wakeup": (25_000.0, 21_000.0)}, Metric.WAKEUP, None),
        ({"plain_flush": 5_500.0}, Metric.CACHE_FLUSH, None),
    ],
)
def test_a_planted_shift_of_twice_the_threshold_is_found_in_nine_of_ten_campaigns(change, metric, name):
    """Ten boots a side, 1 % noise: the power is at least 0.9, over fixed seeds."""
    truth, campaigns, found = Truth(noise=0.01, tests=("cpu_susp_parallel",)), 30, 0
    for seed in range(campaigns):
        before = make_run(truth, 2 * seed, boots=10, name="before")
        after = make_run(replace(truth, **change), 2 * seed + 1, boots=10, name="after")
        planted = [row for row in compare(before, after).rows if row.metric is metric and name in (None, row.name)]
        found += all(row.verdict is Verdict.REGRESSED for row in planted)
    assert found >= 0.9 * campaigns


def test_without_a_shift_hardly_any_campaign_is_called_changed():
    truth, campaigns, wrong = Truth(noise=0.02, tests=("cpu_susp_parallel", "cpu_susp_serial")), 40, 0
    for seed in range(campaigns):
        comparison = compare(make_run(truth, 2 * seed, boots=8, name="a"), make_run(truth, 2 * seed + 1, boots=8, name="b"))
        wrong += any(row.verdict in (Verdict.REGRESSED, Verdict.IMPROVED) for row in comparison.rows)
    assert wrong <= 0.1 * campaigns


@pytest.mark.parametrize("boots", [2, 3, 4, 8])
def test_what_some_boots_find_more_boots_find_too(boots):
    truth = Truth(noise=0.01)
    longer = replace(truth, wakeup=(30_000.0, 25_000.0))
    comparison = compare(make_run(truth, 1, boots=boots, name="a"), make_run(longer, 2, boots=boots, name="b"))
    for row in rows(comparison, metric=Metric.WAKEUP):
        assert row.verdict is Verdict.REGRESSED
        assert {cell.verdict for cell in row.cells} == {Verdict.REGRESSED}


@given(SEEDS)
@examples(20)
def test_the_order_of_rows_does_not_matter(seed):
    a, b = make_run(Truth(), 1, name="a"), make_run(Truth(wakeup=(25_000.0, 21_000.0)), 2, name="b")
    shuffled = list(b.samples)
    random.Random(seed).shuffle(shuffled)
    assert compare(a, changed(b, samples=tuple(shuffled))).rows == compare(a, b).rows


def test_another_tick_of_the_same_clock_is_converted_and_named():
    a, b = make_run(Truth(), 1, name="a"), make_run(Truth(), 1, name="b")
    finer = replace(relabelled(b, lambda s: replace(s, value_ticks=s.value_ticks * 2)), tick=Tick(Clock.TIME, 10.0))
    comparison = compare(a, finer)
    assert all(row.shift.value == pytest.approx(0, abs=1e-6) for row in comparison.rows)
    assert comparison.caveat == "differs: tick 20 ns to 10 ns"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tick": Tick(Clock.INSTRUCTIONS, 1.0)}, "the clock differs, time in a and instructions in b"),
        ({"tick": Tick(Clock.VIRTUAL, 20.0)}, "compare runs of one clock; `latlab predict a` compares the board with its model"),
        ({"platform": "other"}, "the platform differs"),
        ({"topology": Topology((4, 4))}, "the topology differs"),
        ({"contents": Spans()}, "has no samples"),
        ({"conditions": Conditions(mode=Mode.MULTI_THREAD)}, "no latencies"),
    ],
)
def test_runs_that_do_not_belong_together_are_refused(change, said):
    a, b = make_run(Truth(), 1, name="a"), make_run(Truth(), 2, name="b")
    with pytest.raises(NotComparable, match=said):
        compare(a, replace(b, **change))


def test_a_span_recorded_twice_is_refused():
    run = make_run(Truth(), 1, name="a")
    with pytest.raises(NotComparable, match="is recorded twice"):
        compare(changed(run, samples=(*run.samples, run.samples[0])), run)


def test_a_core_that_the_topology_does_not_have_is_refused():
    run = make_run(Truth(), 1, name="a")
    with pytest.raises(NotComparable, match=r"core 9\.0, which topology 2,4 does not have"):
        compare(changed(run, samples=(*run.samples, replace(run.samples[0], core=CoreId(9, 0)))), run)


def test_a_test_that_lacks_a_core_is_left_out_and_noted():
    a, b = make_run(Truth(), 1, name="a"), make_run(Truth(), 2, name="b")
    fewer = tuple(s for s in b.samples if not (s.test == "cpu_susp_serial" and s.core == CoreId(1, 3)))
    comparison = compare(a, changed(b, samples=fewer))
    assert not rows(comparison, test="cpu_susp_serial")
    assert any("core 1.3 is missing" in note for note in comparison.notes)


def test_under_the_instruction_clock_one_instruction_is_a_regression():
    tick = Tick(Clock.INSTRUCTIONS, 1.0)
    a = replace(make_run(Truth(tests=("cpu_susp_serial",)), 1, name="a"), tick=tick)
    one_more = relabelled(a, lambda s: replace(s, value_ticks=s.value_ticks + (s.metric is Metric.WAKEUP)))
    comparison = compare(a, replace(one_more, id="b"))
    assert {row.verdict for row in rows(comparison, metric=Metric.WAKEUP)} == {Verdict.REGRESSED}
    assert {row.verdict for row in rows(comparison, metric=Metric.POWERDOWN)} == {Verdict.SAME}
    assert {row.basis for row in comparison.rows} == {"exact", "exact, in the same order"}


def test_under_the_instruction_clock_turns_of_cores_are_no_verdict():
    tick = Tick(Clock.INSTRUCTIONS, 1.0)
    a, b = (replace(make_run(Truth(tests=("cpu_susp_parallel",)), seed, name=str(seed)), tick=tick) for seed in (1, 2))
    changed = relabelled(b, lambda s: replace(s, value_ticks=s.value_ticks + 7))
    verdicts = {row.name: row.verdict for row in compare(a, changed).rows}
    assert verdicts.pop("step") is Verdict.SAME, "all came later by as much"
    assert set(verdicts.values()) == {Verdict.CANNOT_TELL}


def test_a_call_that_waits_for_nobody_is_judged_where_the_probe_counted_each_core_alone():
    made = make_run(Truth(tests=("cpu_susp_parallel",)), 1, name="a")
    waits = [sample for sample in made.samples if sample.metric is Metric.POWERDOWN]
    functions = (SpanFunctions("psci_version_parallel", Metric.PSCI_CALL, CoreId(0, 0), 1, ()),)

    def counted(name: str, more: int, by_probe: bool):
        own = [replace(s, value_ticks=s.value_ticks + more) for s in waits]
        calls = [replace(s, test="psci_version_parallel", metric=Metric.PSCI_CALL, value_ticks=96 + more) for s in waits]
        contents = Spans((*own, *calls), functions=functions if by_probe else ())
        return replace(made, id=name, tick=Tick(Clock.INSTRUCTIONS, 1.0), contents=contents)

    for of_b, verdict in ((True, Verdict.REGRESSED), (False, Verdict.CANNOT_TELL)):
        comparison = compare(counted("a", 0, True), counted("b", 7, of_b))
        assert {row.verdict for row in rows(comparison, metric=Metric.PSCI_CALL)} == {verdict}
        verdicts = {row.name: row.verdict for row in rows(comparison, metric=Metric.POWERDOWN)}
        assert verdicts.pop("step") is Verdict.SAME, "all came later by as much"
        assert set(verdicts.values()) == {Verdict.CANNOT_TELL}


def test_a_fault_that_makes_every_core_flush_its_cluster_is_a_regression():
    truth = Truth(tests=("susp_deep_serial", "cpu_susp_serial"))
    good = make_run(truth, 1, name="good")
    faulty = relabelled(good, lambda s: replace(s, value_ticks=5000) if s.metric is Metric.CACHE_FLUSH and "deep" in s.test else s)
    comparison = compare(good, replace(faulty, id="faulty"))
    (row,) = [r for r in rows(comparison, metric=Metric.CACHE_FLUSH, test="susp_deep_serial", cluster=1) if r.name == "cluster 1"]
    assert row.after > 10 * row.before and row.verdict is not Verdict.SAME


def test_a_document_that_names_no_platform_is_compared_and_that_is_noted():
    a, b = make_run(Truth(), 1, name="a"), make_run(Truth(), 2, name="b")
    comparison = compare(a, replace(b, platform=UNNAMED))
    assert "b does not name its platform; latlab assumes juno" in comparison.notes


def test_a_number_beyond_64_bits_is_refused():
    run = make_run(Truth(), 1, name="a")
    huge = replace(run.samples[0], iteration=2**80)
    with pytest.raises(NotComparable, match="beyond 64 bits"):
        compare(run, changed(run, samples=(huge, *run.samples[1:])))


def call_run(run_id, cost, refused=()):
    contents = Spans(
        tuple(Sample(call, Metric.CALL, CoreId(0, 0), 0, i, cost) for call in ("fwft.get", "base.get_impl_id") for i in range(3)),
        refused=refused,
    )
    return run_with(id=run_id, campaign="sbi", topology=Topology((1,)), tick=Tick(Clock.INSTRUCTIONS, 1.0), contents=contents)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ((), (("fwft.get", "NOT_SUPPORTED"),), "in b (NOT_SUPPORTED), not in a"),
        ((("fwft.get", "NOT_SUPPORTED"),), (), "in a (NOT_SUPPORTED), not in b"),
        ((("fwft.get", "DENIED"),), (("fwft.get", "NOT_SUPPORTED"),), "in a (DENIED), in b (NOT_SUPPORTED)"),
    ],
)
def test_a_call_that_one_of_two_firmwares_refuses_is_neither_dearer_nor_cheaper(before, after, said):
    found = compare(call_run("a", 371, before), call_run("b", 208, after))
    assert {row.test for row in found.rows} == {"base.get_impl_id"}
    (note,) = [each for each in found.notes if "left out" in each]
    assert note == f"fwft.get call is left out: each one failed {said}"
    assert (note in found.gaps) == bool(after)


def test_a_call_that_both_refuse_alike_is_judged():
    refused = (("fwft.get", "NOT_SUPPORTED"),)
    assert {row.test for row in compare(call_run("a", 371, refused), call_run("b", 208, refused)).rows} == {"fwft.get", "base.get_impl_id"}
