# SPDX-License-Identifier: BSD-3-Clause
"""Scatter out of one boot of each run, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from latlab.analysis.ladder.one_boot import MOST_DOF, _joined, _pooled, _Scatter, _with_sums


def test_sums_of_like_cells_say_as_much_again_but_never_that_the_scatter_is_less():
    assert _with_sums(_Scatter(4.0, 3.0), _Scatter(6.0, 2.0)) == _Scatter((3 * 4.0 + 2 * 6.0) / 5, 5.0)
    assert _with_sums(_Scatter(4.0, 3.0), _Scatter(1.0, 2.0)) == _Scatter(4.0, 5.0)


@pytest.mark.parametrize(
    ("differences", "sums"),
    [
        (_Scatter(4.0, 3.0), _Scatter(4.0 * float(stats.f.isf(0.05, 2, 3)) * 1.01, 2.0)),
        (_Scatter(4.0, MOST_DOF), _Scatter(4.0, 2.0)),
        (_Scatter(0.0, 3.0), _Scatter(4.0, 2.0)),
        (_Scatter(4.0, 0.0), _Scatter(4.0, 2.0)),
        (_Scatter(4.0, 3.0), _Scatter(4.0, 0.0)),
    ],
)
def test_sums_of_cells_that_are_not_alike_or_not_needed_say_nothing(differences, sums):
    assert _with_sums(differences, sums) == differences


def test_the_scatter_within_rows_is_pooled_without_cells_that_stand_out():
    rows = [np.array([1.0, 3.0]), np.array([10.0, 11.0, 12.0])]
    assert _pooled(rows) == _Scatter((2.0 + 2.0) / 3, 3)
    near = [np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])]
    far = [np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 60.0])]
    assert _pooled(near).dof == 6 and _pooled(far) == _Scatter(float(np.var([0, 1, 2, 3, 4, 5], ddof=1)), 5)
    assert _pooled([np.array([1.0])]) == _Scatter(0.0, 0.0)


def test_cells_that_are_far_off_but_many_are_a_second_mode_and_not_left_out():
    two_modes = np.array([0.0, 1.0, 2.0, 1.0, 0.0, 2.0, 1.0, 60.0, 61.0])
    found = _pooled([two_modes])
    assert (found.variance, found.dof) == pytest.approx((float(two_modes.var(ddof=1)), 8))


def test_two_variances_together_have_the_degrees_of_freedom_of_satterthwaite():
    variance, dof = _joined(_Scatter(2.0, 3.0), _Scatter(1.0, 4.0), MOST_DOF)
    assert (variance, dof) == pytest.approx((3.0, 9.0 / (4.0 / 3 + 1.0 / 4)))
    assert _joined(_Scatter(2.0, 0.0), _Scatter(1.0, 4.0), MOST_DOF) == (1.0, 4.0)
    assert _joined(_Scatter(1.0, 100.0), _Scatter(1.0, 100.0), MOST_DOF) == (2.0, MOST_DOF)
