# SPDX-License-Identifier: BSD-3-Clause
"""The statistics of the judgement against other implementations of them, a thousand random inputs each."""

from __future__ import annotations

import pytest

from support import elsewhere, elsewhere_change_points, elsewhere_moderated


@pytest.mark.parametrize(
    "check", elsewhere.CHECKS + elsewhere_moderated.CHECKS + elsewhere_change_points.CHECKS, ids=lambda check: check.__name__
)
def test_a_statistic_is_what_others_compute(check):
    check(1000)
