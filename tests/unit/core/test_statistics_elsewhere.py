# SPDX-License-Identifier: BSD-3-Clause
"""A few random inputs each; tests/prove has a thousand."""

from __future__ import annotations

import pytest

from support import elsewhere, elsewhere_change_points, elsewhere_moderated


@pytest.mark.parametrize(
    "check", elsewhere.CHECKS + elsewhere_moderated.CHECKS + elsewhere_change_points.CHECKS, ids=lambda check: check.__name__
)
def test_a_statistic_is_what_others_compute(check):
    check(40)
