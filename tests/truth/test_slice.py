# SPDX-License-Identifier: BSD-3-Clause
"""Drawn pairs, a short slice of them: nothing is blamed that is not planted, and nothing that is planted is called the same.

`tests/prove/statistics/test_truth.py` holds five thousand. Verdicts are statistics: a few pairs in a hundred get a false one.
"""

from __future__ import annotations

from truth.draw import case_of
from truth.held import Wrong, held

PAIRS = 100
MOST_WRONG = {Wrong.BLAME: 0.01, Wrong.PEACE: 0.005}


def test_of_drawn_pairs_hardly_one_is_told_what_is_not_so():
    found = [held(case_of(seed)) for seed in range(PAIRS)]
    for wrong, most in MOST_WRONG.items():
        said = [(one.case.seed, one.case.name, fault.said) for one in found for fault in one.faults if fault.wrong is wrong]
        assert len({seed for seed, _, _ in said}) <= most * PAIRS, said
    assert not [fault.said for one in found for fault in one.faults if fault.wrong is Wrong.UNKNOWN]
