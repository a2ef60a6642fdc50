# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from dataclasses import replace

import pytest

from latlab.core.report.density import density
from support.wakeup_runs import distribution

WIDENING = ((10_000, 10_128, 64), (10_128, 10_256, 32), (500_000, 504_096, 4))


def of(counts, beyond=0, most=600_000):
    return replace(distribution([10_000]), counts=tuple(counts), beyond=beyond, maximum_ticks=most)


def test_a_wider_interval_with_as_many_samples_is_lower_and_leaves_no_gap_beside_it():
    steps = density([of(WIDENING)])
    assert [(step.low, step.high) for step in steps] == [(10_000, 10_128), (10_128, 10_256), (10_256, 500_000), (500_000, 504_096)]
    assert [step.per_tick for step in steps] == [0.5, 0.25, 0.0, pytest.approx(4 / 4096)]


def test_rows_add_up_where_their_intervals_lie_over_each_other():
    steps = density([of([(0, 100, 50)]), of([(50, 150, 100)])])
    assert [(step.low, step.high) for step in steps] == [(0, 50), (50, 100), (100, 150)]
    assert [step.per_tick for step in steps] == pytest.approx([0.5, 1.5, 1.0])


def test_what_is_beyond_the_histogram_reaches_to_the_maximum():
    *_, last = density([of([(0, 100, 50)], beyond=2, most=500)])
    assert (last.low, last.high) == (100, 500) and last.per_tick == pytest.approx(2 / 400)


def test_no_sample_is_lost():
    rows = [of(WIDENING, beyond=3), of([(9_000, 20_000, 7)])]
    assert sum(step.per_tick * (step.high - step.low) for step in density(rows)) == pytest.approx(64 + 32 + 4 + 3 + 7)
