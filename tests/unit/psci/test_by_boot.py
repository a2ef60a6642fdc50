# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts by boot: each step against scipy or by hand, and that neither the unit nor an order of boots or rows decides."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from latlab.core.comparison.decision import ClaimLevel
from latlab.core.comparison.verdicts import Limits, Verdict
from latlab.core.model.enums import Metric
from latlab.core.statistics.moderated_t import fit_prior
from latlab.core.statistics.sample_matrix import Cells
from latlab.psci.analysis.by_boot import INDEPENDENCE, BootMeans, PooledPart, moderated_shifts, pooled_shift, row_shifts
from latlab.psci.analysis.compare_spans import judge_rows
from latlab.psci.analysis.groups import PLAIN, Group
from latlab.psci.analysis.variance_estimate import Evidence, group_evidence
from support.examples import examples
from support.ladder_model import Truth, make_run
from support.pairs_of_kind import compare_spans as compare
from support.runs import changed

Values = NDArray[np.float64]
KIND = (Metric.WAKEUP, PLAIN, False)
SPACING: Any = SimpleNamespace(threshold=lambda metric, level: 0.03 * level, large=lambda metric, level: 0.2 * level)


def evidence(test: str, before: Values, after: Values, cluster: int | None = 0, role: str = PLAIN) -> Evidence:
    labels = tuple(f"{cluster}.{i}" for i in range(before.shape[1]))
    a, b = (Cells(np.arange(len(values)), values) for values in (before, after))
    return group_evidence(Group(test, Metric.WAKEUP, cluster, role, labels, a, b), SPACING)


def drawn(seed: int, moved: dict[int, float], boots: int = 4, noise: float = 200.0) -> list[Evidence]:
    """Wake-ups of two cores of each of two clusters, alone in three tests and at once in two; those of a cluster in `moved` grow alone."""
    rng = np.random.default_rng(seed)
    out = []
    for test in ("a_serial", "b_serial", "c_serial", "a_parallel", "b_parallel"):
        for cluster in (0, 1):
            before, after = (20_000.0 + rng.normal(0.0, noise, (boots, 2)) for _ in range(2))
            more = moved.get(cluster, 0.0) if test.endswith("serial") else 0.0
            out.append(evidence(test, before, after * (1 + more), cluster))
    return out


def test_a_kind_of_one_row_is_compared_by_the_t_test_of_scipy():
    a, b = np.array([10.0, 12.0, 11.0]), np.array([15.0, 14.0, 16.0, 15.0])
    (shift,) = moderated_shifts([BootMeans(KIND, a, b)])
    assert shift.p == pytest.approx(float(stats.ttest_ind(b, a).pvalue))
    ends = stats.ttest_ind(b, a).confidence_interval(0.90)
    assert (shift.low, shift.high) == pytest.approx((ends.low, ends.high))


def test_the_variance_of_a_row_is_the_mean_of_its_own_and_the_priors_weighted_by_their_freedom():
    """By hand: 3 and 4 boots have 5 degrees of freedom; each value is the mean of 4 cells, so its variance is a fourth of a cell's."""
    a, b = np.array([10.0, 12.0, 11.0]), np.array([15.0, 14.0, 16.0, 15.0])
    samples = [BootMeans(KIND, scale * a, scale * b, 4.0) for scale in (1.0, 1.5, 4.0)]
    own = (((a - 11.0) ** 2).sum() + ((b - 15.0) ** 2).sum()) / 5
    assert own == pytest.approx(0.8)
    prior = fit_prior(np.array([0.8 * 4, 0.8 * 4 * 1.5**2, 0.8 * 4 * 4.0**2]), 5)
    dof = min(prior.dof + 5, 15)
    error = ((prior.dof * prior.variance + 5 * 0.8 * 4) / (prior.dof + 5) / 4 * (1 / 3 + 1 / 4)) ** 0.5
    shift = moderated_shifts(samples)[0]
    assert 0 < prior.dof < 100 and shift.value == pytest.approx(4.0)
    assert shift.p == pytest.approx(2 * stats.t.sf(4.0 / error, dof))
    assert (shift.low, shift.high) == pytest.approx(stats.t.interval(0.90, dof, loc=4.0, scale=error))


def test_boots_whose_cells_scatter_and_agree_on_average_are_no_surer_than_the_cells():
    """By hand: cells of 100 and 300, exchanged from boot to boot, leave squares of 160,000 with 6 degrees of freedom."""
    swapped = np.array([[100.0, 300.0], [300.0, 100.0]] * 2)
    (shift,) = row_shifts([evidence("a_serial", swapped, swapped + 80.0)], 8)
    left = (4 * 2 * 100.0**2) * 2 / 6
    error = (left / 2 * (1 / 4 + 1 / 4)) ** 0.5
    assert (shift.error, shift.dof) == pytest.approx((error, 6 + 6 / 2))
    assert shift.p == pytest.approx(2 * stats.t.sf(80.0 / error, 9))


def test_a_row_of_some_boots_only_needs_six_of_them():
    few = evidence("a_serial", np.array([[1.0], [2.0], [3.0]]), np.array([[101.0], [102.0]]))
    enough = evidence("b_serial", np.array([[1.0], [2.0], [3.0]]), np.array([[101.0], [102.0], [103.0]]))
    unknown, known = row_shifts([few, enough], 8)
    assert unknown.p == 1.0 and known.p < 0.01


def test_the_statistic_of_a_group_is_the_t_of_standardised_sums_by_boot():
    """O'Brien's, from the sums; what they scatter by is joined with what independent rows would, as four degrees of freedom."""
    found = [one for one in drawn(3, {}) if one.row.test.endswith("serial")]
    shifts = row_shifts(found, 8)
    a, b = (np.sum([one.by_boot[side] / shift.error for one, shift in zip(found, shifts, strict=True)], axis=0) for side in (0, 1))
    squared = (a.var(ddof=1) + b.var(ddof=1)) / 2 * (1 / 4 + 1 / 4)
    joined = max((6 * squared + INDEPENDENCE * len(found)) / (6 + INDEPENDENCE), len(found))
    expected = 2 * stats.t.sf(abs(b.mean() - a.mean()) / joined**0.5, 6 + INDEPENDENCE)
    parts = [PooledPart(*one.by_boot, shift.error, one.row.before, one.row.threshold) for one, shift in zip(found, shifts, strict=True)]
    assert pooled_shift(parts).shift.p == pytest.approx(expected)


def test_a_change_of_one_cluster_names_no_row_of_the_other_and_none_of_the_tests_that_it_does_not_reach():
    names = []
    for seed in range(30):
        rows = judge_rows(drawn(seed, {1: 0.10}), (4, 4), Limits()).rows
        names += [(row.test.partition("_")[2], row.cluster, row.verdict) for row in rows if row.verdict is Verdict.REGRESSED]
    assert set(names) == {("serial", 1, Verdict.REGRESSED)}
    assert len(names) > 80


def test_rows_that_none_can_tell_alone_are_told_together():
    """Noise of 700 ns: the mean of two cells in four boots has a standard error of 350, and the change is 1,200."""
    alone, together = 0, 0
    for seed in range(20):
        rows = judge_rows(drawn(seed, {0: 0.06, 1: 0.06}, noise=700.0), (4, 4), Limits()).rows
        changed = [row for row in rows if row.verdict is Verdict.REGRESSED]
        alone += sum("alike" not in row.basis for row in changed)
        together += sum("alike" in row.basis for row in changed)
    assert together > 2 * alone > 0


def test_what_is_apart_is_in_the_tree_and_says_nothing_of_its_groups():
    found = drawn(1, {0: 0.10, 1: 0.10})
    trees = [judge_rows(found, (4, 4), Limits(), apart).claims for apart in ((), (0, 1), range(9), range(10))]
    of_groups = [[claim for claim in claims if claim.level is ClaimLevel.GROUP] for claims in trees]
    assert [[claim.rows for claim in groups] for groups in of_groups] == [[10, 5, 5]] * 4
    assert [len({claim.verdict for claim in groups}) == 1 for groups in of_groups] == [True] * 4
    assert [groups[0].verdict for groups in of_groups] == [Verdict.REGRESSED] * 2 + [Verdict.CANNOT_TELL] * 2
    assert of_groups[0][0].shift != of_groups[1][0].shift


def test_of_one_truth_nothing_is_called_changed_and_what_is_the_same_within_the_margin_is_called_so():
    verdicts = [row.verdict for seed in range(100) for row in judge_rows(drawn(seed, {}), (4, 4), Limits()).rows]
    assert set(verdicts) <= {Verdict.SAME, Verdict.CANNOT_TELL, Verdict.MOVED}
    assert verdicts.count(Verdict.SAME) > 0.9 * len(verdicts)


def judged(found: list[Evidence]) -> list[tuple[str, int | None, Verdict, float, float]]:
    rows = judge_rows(found, (4, 4), Limits()).rows
    return [(row.test, row.cluster, row.verdict, row.p_adjusted, row.shift.value / row.before) for row in rows]


def again(one: Evidence, before: Values, after: Values) -> Evidence:
    return evidence(one.row.test, before, after, one.row.cluster)


@examples(40)
@given(seed=st.integers(0, 10_000), size=st.sampled_from([0.0, 0.05, 0.2]), factor=st.floats(1e-3, 1e3))
def test_the_unit_decides_nothing(seed: int, size: float, factor: float):
    found = drawn(seed, {1: size})
    scaled = judged([again(one, one.a * factor, one.b * factor) for one in found])
    for one, other in zip(judged(found), scaled, strict=True):
        assert one[:3] == other[:3] and one[3:] == pytest.approx(other[3:], rel=1e-6)


@examples(40)
@given(seed=st.integers(0, 10_000), size=st.sampled_from([0.0, 0.05, 0.2]), order=st.randoms(use_true_random=False))
def test_neither_the_order_of_boots_nor_that_of_rows_decides_anything(seed: int, size: float, order: Any):
    found = drawn(seed, {1: size})
    before, after = order.sample(range(4), 4), order.sample(range(4), 4)
    shuffled = [again(one, one.a[before], one.b[after]) for one in found]
    order.shuffle(shuffled)
    places = {(one.row.test, one.row.cluster): i for i, one in enumerate(shuffled)}
    told = judged(shuffled)
    for one in judged(found):
        other = told[places[one[:2]]]
        assert one[:3] == other[:3] and one[3:] == pytest.approx(other[3:], rel=1e-6)


def test_one_data_point_of_a_row_whose_mean_stays_is_judged_by_itself():
    """Of four like cores one takes 8 % longer: 2 % of the row."""
    rng = np.random.default_rng(4)
    before, after = (20_000.0 + rng.normal(0.0, 100.0, (4, 4)) for _ in range(2))
    after[:, 2] *= 1.08
    others = [evidence(f"{i}_serial", *(20_000.0 + rng.normal(0.0, 100.0, (2, 4, 4)))) for i in range(4)]
    found = judge_rows([evidence("a_serial", before, after), *others], (4, 4), Limits())
    assert [(row.test, row.name, row.verdict) for row in found.cells] == [("a_serial", "cluster 0 (0.2)", Verdict.REGRESSED)]
    assert found.rows[0].verdict in (Verdict.MOVED, Verdict.CANNOT_TELL)


def test_a_group_without_a_row_that_can_be_named_is_a_claim_of_its_own():
    def everywhere(seed: int) -> list[Evidence]:
        rng = np.random.default_rng(seed)
        sides = [[20_000.0 + rng.normal(0.0, 1_000.0, (4, 2)) for _ in range(2)] for _ in range(12)]
        return [evidence(f"{i}_serial", before, after * 1.04, i % 2) for i, (before, after) in enumerate(sides)]

    found = [judge_rows(everywhere(seed), (4, 4), Limits()) for seed in range(40)]
    alone = [one for one in found if not any(row.verdict is Verdict.REGRESSED for row in one.rows)]
    named = [claim for one in alone for claim in one.claims if claim.is_frontier]
    assert named and {claim.verdict for claim in named} == {Verdict.REGRESSED}


def test_a_boot_that_is_off_in_both_runs_is_left_out_with_a_note():
    runs = [make_run(Truth(noise=0.003), seed, boots=4, name=name) for seed, name in ((1, "a"), (2, "b"))]
    slow = [
        changed(run, samples=[replace(one, value_ticks=round(one.value_ticks * (1.3 if one.boot == 0 else 1.0))) for one in run.samples])
        for run in runs
    ]
    comparison = compare(*slow)
    assert any("boot 1 of both runs is off in the same way" in note for note in comparison.notes)
    assert comparison.boots == (3, 3) and not comparison.stops
