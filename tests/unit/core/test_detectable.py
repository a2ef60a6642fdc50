# SPDX-License-Identifier: BSD-3-Clause
"""What a comparison says that it could have seen, from a standard error and its degrees of freedom."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from latlab.core.statistics.moderated_t import t_shift
from latlab.core.statistics.power_analysis import MOST_MORE, NEXT_PAIR, detectable

errors = st.floats(1.0, 1e4)


@given(errors, st.floats(2, 100), st.integers(1, 20))
def test_a_change_of_the_stated_size_would_be_significant_and_beyond_the_threshold_in_nine_of_ten(error, dof, boots):
    shift = t_shift(0.0, error**2, dof)
    found = detectable("level", shift, 1e5, 300.0, 0.001, boots)
    assert found is not None and found.power == 0.9
    needed = max(300.0, stats.t.ppf(1 - 0.0005, dof) * error * NEXT_PAIR)
    assert stats.norm.sf(needed, found.size, error * NEXT_PAIR) == pytest.approx(0.9)


@given(errors, st.integers(1, 20))
def test_so_many_boots_more_find_the_smaller_change_and_one_less_does_not(error, boots):
    found = detectable("level", t_shift(0.0, error**2, 8), 2e4, 100.0, 0.001, boots)
    assert found is not None
    if found.more_units is None or found.then is None:
        return

    def size(more: int) -> float:
        wider = t_shift(0.0, error**2 * boots / (boots + more), 8 + 2 * more)
        again = detectable("level", wider, 2e4, 100.0, 0.001, boots + more)
        assert again is not None
        return again.size

    assert 1 <= found.more_units <= MOST_MORE and found.then < found.size
    assert size(found.more_units) <= found.then
    if found.more_units > 1:
        assert size(found.more_units - 1) > found.then


def test_what_has_no_scatter_that_is_known_says_nothing():
    assert detectable("level", t_shift(1.0, np.inf, 0), 100.0, 3.0, 0.001, 1) is None
