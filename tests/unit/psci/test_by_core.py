# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts on one boot of each run, by core: variances by hand, and what a change of some cores or tests may be called."""

from __future__ import annotations

import numpy as np
import pytest

from latlab.core.comparison.comparison import Row
from latlab.core.comparison.decision import ClaimLevel
from latlab.core.comparison.verdicts import Limits, Verdict
from latlab.core.comparison.wording import count
from latlab.psci.analysis.by_core import MOST_DOF, Variance, _pooled, _sum
from latlab.psci.analysis.compare_spans import judge_rows
from unit.psci.test_by_boot import evidence


def test_the_scatter_within_rows_is_pooled_without_cells_that_stand_out():
    rows = [np.array([1.0, 3.0]), np.array([10.0, 11.0, 12.0])]
    assert _pooled(rows) == Variance((2.0 + 2.0) / 3, 3)
    near = [np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])]
    far = [np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 60.0])]
    assert _pooled(near).dof == 6 and _pooled(far) == Variance(float(np.var([0, 1, 2, 3, 4, 5], ddof=1)), 5)
    assert _pooled([np.array([1.0])]) == Variance(0.0, 0.0)


def test_cells_that_are_far_off_but_many_are_a_second_mode_and_not_left_out():
    two_modes = np.array([0.0, 1.0, 2.0, 1.0, 0.0, 2.0, 1.0, 60.0, 61.0])
    found = _pooled([two_modes])
    assert (found.value, found.dof) == pytest.approx((float(two_modes.var(ddof=1)), 8))


def test_two_variances_together_have_the_degrees_of_freedom_of_satterthwaite():
    variance, dof = _sum(Variance(2.0, 3.0), Variance(1.0, 4.0), MOST_DOF)
    assert (variance, dof) == pytest.approx((3.0, 9.0 / (4.0 / 3 + 1.0 / 4)))
    assert _sum(Variance(2.0, 0.0), Variance(1.0, 4.0), MOST_DOF) == (1.0, 4.0)
    assert _sum(Variance(1.0, 100.0), Variance(1.0, 100.0), MOST_DOF) == (2.0, MOST_DOF)


def rows_of(shifts: dict[str, dict[int, float]], seed: int, cores: int = 4) -> list[Row]:
    """Wake-ups of 20 us with a noise of 100 ns in two clusters; each test of `shifts` with its shares by cluster."""
    rng = np.random.default_rng(seed)
    found = []
    for test, share in shifts.items():
        for cluster in (0, 1):
            before, after = (20_000.0 + rng.normal(0.0, 100.0, (1, cores)) for _ in range(2))
            found.append(evidence(test, before, after * (1 + share.get(cluster, 0.0)), cluster))
    return judge_rows(found, (1, 1), Limits()).rows


TESTS = ("a_serial", "b_serial", "c_serial", "d_serial")


def test_a_change_of_one_cluster_in_all_tests_is_found_in_that_cluster_only():
    found = [rows_of({test: {1: 0.1} for test in TESTS}, seed) for seed in range(20)]
    named = {(row.cluster, row.verdict) for rows in found for row in rows if row.verdict in (Verdict.REGRESSED, Verdict.IMPROVED)}
    assert named == {(1, Verdict.REGRESSED)}
    assert sum(row.verdict is Verdict.REGRESSED for rows in found for row in rows) > 0.9 * 20 * len(TESTS)


def test_a_row_that_moved_the_other_way_is_not_called_what_its_group_is():
    shifts = {f"{test}_serial": {0: 0.1, 1: 0.1} for test in "abcdef"} | {"g_serial": {0: -0.04, 1: -0.04}}
    named = [row for seed in range(20) for row in rows_of(shifts, seed) if row.verdict is Verdict.REGRESSED]
    assert len(named) > 200 and not any(row.test == "g_serial" for row in named)


def test_a_change_of_one_test_has_to_be_larger_than_what_the_cores_of_a_test_may_share():
    """Ten thirds of the threshold of 3 % are 10 %."""
    for seed in range(20):
        near, far = ([row for row in rows_of({test: {} for test in TESTS} | {"a_serial": {0: by, 1: by}}, seed)] for by in (0.08, 0.3))
        assert not any(row.verdict is Verdict.REGRESSED for row in near)
        assert {row.test for row in far if row.verdict is Verdict.REGRESSED} <= {"a_serial"}


def test_of_one_truth_nothing_is_called_changed():
    rows = [row for seed in range(100) for row in rows_of({test: {} for test in TESTS}, seed)]
    assert {row.verdict for row in rows} <= {Verdict.SAME, Verdict.CANNOT_TELL, Verdict.MOVED}
    assert sum(row.verdict is Verdict.SAME for row in rows) > 0.9 * len(rows)


def test_single_cores_lend_each_other_no_significance():
    """A row of one core has no scatter of its own."""
    several, single = ([row for seed in range(20) for row in rows_of({test: {1: 0.08} for test in TESTS}, seed, n)] for n in (4, 1))
    assert any("alike" in row.basis for row in several) and not any("alike" in row.basis for row in single)


def test_a_group_names_the_cluster_and_the_tests_that_its_rows_share():
    draws = np.random.default_rng(1).normal(20_000.0, 100.0, (1, 4))
    serial = [evidence(test, draws, draws + i, cluster) for i, test in enumerate(TESTS) for cluster in (0, 1)]
    claims = judge_rows([*serial, evidence("a_parallel", draws, draws, 1)], (1, 1), Limits()).claims
    groups = [(claim.name, claim.rows) for claim in claims if claim.level is ClaimLevel.GROUP]
    n, more = len(TESTS), count(len(TESTS) + 1, "test")
    assert groups == [(f"in {more}", 2 * n + 1), (f"of cluster 0 in {count(n, 'test')}", n), (f"of cluster 1 in {more}", n + 1)]
