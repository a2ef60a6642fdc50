# SPDX-License-Identifier: BSD-3-Clause
"""Change points of series whose truth is known; tests/prove has the shares on many more series."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from latlab.core.statistics.change_null import SHARES, NullShape, strongest
from latlab.core.statistics.change_points import ChangeKind, changes_of, visible


def always(before, after):
    return True


def found(values, beyond=always, **more):
    return [(c.kind, c.start, c.end) for c in changes_of(list(values), beyond, **more)]


def level(n, seed, heavy=False):
    rng = np.random.default_rng(seed)
    return 100 + 2.5 * (rng.standard_t(3, n) / np.sqrt(3) if heavy else rng.standard_normal(n))


def test_two_shifts_are_found_where_they_are():
    rng = np.random.default_rng(3)
    values = np.r_[rng.normal(10, 1, 25), rng.normal(14, 1, 25), rng.normal(8, 1, 25)]
    (first, _, _), (second, _, _) = [(c[1], *c[1:]) for c in found(values)]
    assert abs(first - 25) <= 1 and abs(second - 50) <= 1


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("n", [8, 20])
def test_a_level_series_hardly_ever_has_a_change_point(n, heavy):
    assert sum(bool(found(level(n, seed, heavy))) for seed in range(100)) <= 11


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize(("at", "to", "size"), [(6, 12, 15), (4, 8, 20), (11, 12, 20)])
def test_a_change_of_twelve_releases_is_nearly_always_found_within_one_release(at, to, size, heavy):
    hits = 0
    for seed in range(50):
        values = level(12, seed, heavy)
        values[at:to] += size
        starts = [start for _, start, _ in found(values)]
        hits += all(any(abs(start - edge) <= 1 for start in starts) for edge in {at, to} - {12})
    assert hits >= 45


def test_the_same_values_have_the_same_change_points():
    values = level(20, 1) + np.r_[np.zeros(10), np.full(10, 15.0)]
    assert found(values) == found(values) == [(ChangeKind.STEP, 10, 20)]


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0], [1.0] * 5, [0.1] * 40, [3.0] * 300])
def test_short_and_constant_series_have_none(values):
    assert found(values) == []


def test_up_and_back_is_two_steps_and_one_release_that_came_back_is_alone():
    quiet = np.random.default_rng(4).normal(100, 0.5, 15)
    assert found(quiet + np.r_[np.zeros(5), np.full(4, 20.0), np.zeros(6)]) == [(ChangeKind.STEP, 5, 9), (ChangeKind.STEP, 9, 15)]
    assert found(quiet + np.r_[np.zeros(5), [40.0], np.zeros(9)]) == [(ChangeKind.ALONE, 5, 6)]
    assert found(quiet + np.r_[np.zeros(14), [40.0]]) == [(ChangeKind.NEWEST, 14, 15)]
    assert found(quiet + np.r_[[40.0], np.zeros(14)]) == [(ChangeKind.STEP, 1, 15)]


def test_what_stands_beside_a_single_release_is_searched_without_it():
    values = np.random.default_rng(4).normal(100, 0.5, 20) + np.r_[np.zeros(10), np.full(10, 10.0)]
    values[4] += 60
    assert found(values) == [(ChangeKind.ALONE, 4, 5), (ChangeKind.STEP, 10, 20)]


def test_the_levels_are_medians_of_what_lies_on_both_sides():
    values = np.array([10.0, 11.0, 9.0, 10.0, 11.0, 30.0, 31.0, 29.0, 30.0, 29.0])
    (change,) = changes_of(list(values), always, resolution=1.0)
    assert (change.left, change.start, change.end, change.before, change.after) == (4, 5, 10, 10.0, 30.0)


def test_a_line_that_fits_better_than_a_step_is_drift_and_a_step_is_not():
    noise = np.random.default_rng(8).normal(0, 1, 14)
    (drift,) = changes_of(list(100 + 3 * np.arange(14) + noise), always)
    assert (drift.kind, drift.left, drift.end) == (ChangeKind.DRIFT, 0, 14)
    fit = stats.linregress(np.arange(14), 100 + 3 * np.arange(14) + noise)
    assert drift.before == pytest.approx(fit.intercept) and drift.after == pytest.approx(fit.intercept + 13 * fit.slope)
    assert changes_of(list(100 + 3 * np.arange(14) + noise), lambda a, b: abs(b - a) > 1000) == ()


def test_a_change_that_is_too_small_to_count_does_not_hide_one_inside_it():
    values = np.random.default_rng(2).normal(100, 0.1, 24) + np.r_[np.zeros(12), np.full(12, 1.0)]
    values[18:21] += 4
    counted = changes_of(list(values), lambda a, b: abs(b - a) > 2)
    assert [(c.start, c.end) for c in counted] == [(18, 21), (21, 24)]


def test_several_changes_do_not_hide_each_other():
    quiet = np.random.default_rng(4).normal(100, 2.5, 20)
    assert [start for _, start, _ in found(quiet + 20 * (np.arange(20) // 5 % 2))] == [5, 10, 15]


def dependent(n, seed, correlation, noise=2.5):
    errors = np.random.default_rng(seed).standard_normal(n)
    for i in range(1, n):
        errors[i] = correlation * errors[i - 1] + (1 - correlation**2) ** 0.5 * errors[i]
    return 100 + noise * errors


@pytest.mark.parametrize("correlation", [0.5, 0.8])
@pytest.mark.parametrize("n", [8, 12, 20])
def test_releases_that_depend_on_the_one_before_hardly_ever_make_a_change(n, correlation):
    assert sum(bool(found(dependent(n, seed, correlation))) for seed in range(100)) <= 9


@pytest.mark.parametrize("correlation", [0.5, 0.8])
def test_a_step_is_found_among_releases_that_depend_on_the_one_before(correlation):
    step = 12 * (np.arange(20) >= 10)
    named = [found(dependent(20, seed, correlation) + step) for seed in range(50)]
    assert sum(any(abs(start - 10) <= 1 for _, start, _ in one) for one in named) >= 40


def test_two_steps_the_same_way_are_two_steps_and_no_drift():
    named = [found(level(12, seed) + 20 * (np.arange(12) >= 4) + 20 * (np.arange(12) >= 8)) for seed in range(30)]
    assert sum([kind for kind, _, _ in one] == [ChangeKind.STEP, ChangeKind.STEP] for one in named) >= 24
    assert sum(any(kind is ChangeKind.DRIFT for kind, _, _ in one) for one in named) <= 3


def test_what_is_known_to_change_is_a_border_and_what_lies_between_is_searched():
    values = np.random.default_rng(4).normal(100, 0.5, 20) + 0.2 * (np.arange(20) >= 12) + 10 * (np.arange(20) >= 6)
    changes = changes_of(list(values), lambda a, b: abs(b - a) > 3, known_starts=[12])
    assert [(c.kind, c.start, c.p is None) for c in changes] == [(ChangeKind.STEP, 6, False), (ChangeKind.STEP, 12, True)]


def test_one_point_between_two_known_borders_is_alone_where_it_came_back_and_they_are_joined():
    beyond = lambda a, b: abs(b - a) > 3  # noqa: E731
    back, on = [100.0, 100.0, 120.0, 101.0, 100.0], [100.0, 100.0, 120.0, 140.0, 140.0]
    assert found(back, beyond, known_starts=[2, 3]) == [(ChangeKind.ALONE, 2, 3)]
    assert found(back, beyond, known_starts=[2, 3], joins=False) == [(ChangeKind.STEP, 2, 3), (ChangeKind.STEP, 3, 5)]
    assert found(on, beyond, known_starts=[2, 3]) == [(ChangeKind.STEP, 2, 3), (ChangeKind.STEP, 3, 5)]


def test_the_smallest_visible_change_is_seen_and_nine_tenths_of_it_are_not():
    values = list(level(12, 3))
    smallest = visible(values)

    def shown(size, start):
        return found(np.array(values) + size * (np.arange(12) >= start))

    assert smallest.newest and smallest.step
    for size, start in ((smallest.newest, 11), (smallest.step, 6)):
        assert shown(size, start) and not shown(0.9 * size, start)
    assert visible([1.0, 2.0]).newest is None and visible([1.0, 2.0, 1.5]).step is None


@pytest.mark.parametrize("alone", [0, 2, 4, 6])
@pytest.mark.parametrize("has_newest", [False, True])
@pytest.mark.parametrize("correlation", [0.0, 0.8])
def test_the_strongest_of_each_shape_is_the_best_of_all_fits_of_it(alone, has_newest, correlation):
    """By generalised least squares, one fit after the other, with the inverse of the errors' correlation matrix."""
    n = 9
    values = np.random.default_rng(8).normal(0, 1, n) + 3.0 * (np.arange(n) == alone)
    precision = np.linalg.inv(correlation ** np.abs(np.subtract.outer(np.arange(n), np.arange(n)))) if correlation else np.eye(n)

    def left(*columns):
        design = np.array([np.ones(n), *columns]).T
        beta = np.linalg.solve(design.T @ precision @ design, design.T @ precision @ values)
        rest = values - design @ beta
        return rest @ precision @ rest

    at = np.arange(n)
    steps = {k: 1.0 * (at >= k) for k in range(1, n)}
    ends = {n - 1} if has_newest else set()
    pairs = [(a, b) for a in range(2, n) for b in range(a + 2, n - 1)]
    fits = {
        NullShape.NEWEST: [left(steps[n - 1])] if has_newest else [],
        NullShape.ALONE: [left(steps[k]) for k in {1, n - 1} - ends] + [left(1.0 * (at == k)) for k in range(1, n - 1)],
        NullShape.STEP: [left(steps[k]) for k in range(2, n - 1)],
        NullShape.RETURNS: [left(steps[a] - steps[b]) for a, b in pairs],
        NullShape.STAIRS: [left(steps[a], steps[b]) for a, b in pairs],
        NullShape.LINE: [left(1.0 * at)],
    }
    best = {one.shape: one.statistic for one in strongest(values, 0.0, has_newest, correlations=(correlation,))}
    assert best == pytest.approx({shape: n / 2 * np.log(left() / min(squares)) for shape, squares in fits.items() if squares})


def test_the_shares_of_the_errors_are_one():
    assert sum(SHARES.values()) == pytest.approx(1.0)


def test_values_that_differ_by_a_tick_show_nothing():
    values = [100.0] * 6 + [101.0] * 6
    assert [start for _, start, _ in found(values)] == [6]
    assert found(values, resolution=4.0) == []
