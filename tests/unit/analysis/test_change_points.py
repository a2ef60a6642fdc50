# SPDX-License-Identifier: BSD-3-Clause
"""Change points of series whose truth is known; tests/prove has the shares on many more series."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from latlab.analysis.base.change_null import SHARES, Lasting, critical, strongest
from latlab.analysis.base.change_points import Kind, changes_of, visible


def points(values, boots=1, scatter=0.0, seed=0):
    rng = np.random.default_rng(seed)
    return [value + scatter * rng.standard_normal(boots) for value in values]


def found(values, beyond=lambda a, b: True, **more):
    return [(c.kind, c.start, c.end) for c in changes_of(points(values, **more), beyond)]


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
@pytest.mark.parametrize(("at", "to", "size"), [(6, 12, 10), (4, 8, 20), (11, 12, 20)])
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
    assert found(values) == found(values) == [(Kind.STEP, 10, 20)]


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0], [1.0] * 5, [0.1] * 40, [3.0] * 300])
def test_short_and_constant_series_have_none(values):
    assert found(values) == []


def test_up_and_back_is_two_steps_and_one_release_that_came_back_is_alone():
    quiet = np.random.default_rng(4).normal(100, 0.5, 15)
    assert found(quiet + np.r_[np.zeros(5), np.full(4, 20.0), np.zeros(6)]) == [(Kind.STEP, 5, 9), (Kind.STEP, 9, 15)]
    assert found(quiet + np.r_[np.zeros(5), [40.0], np.zeros(9)]) == [(Kind.ALONE, 5, 6)]
    assert found(quiet + np.r_[np.zeros(14), [40.0]]) == [(Kind.NEWEST, 14, 15)]
    assert found(quiet + np.r_[[40.0], np.zeros(14)]) == [(Kind.STEP, 1, 15)]


def test_what_stands_beside_a_single_release_is_searched_without_it():
    values = np.random.default_rng(4).normal(100, 0.5, 20) + np.r_[np.zeros(10), np.full(10, 10.0)]
    values[4] += 60
    assert found(values) == [(Kind.ALONE, 4, 5), (Kind.STEP, 10, 20)]


def test_the_levels_are_medians_of_what_lies_on_both_sides():
    values = np.array([10.0, 11.0, 9.0, 10.0, 11.0, 30.0, 31.0, 29.0, 30.0, 29.0])
    (change,) = changes_of(points(values), lambda a, b: True, resolution=1.0)
    assert (change.left, change.start, change.end, change.before, change.after) == (4, 5, 10, 10.0, 30.0)


def test_a_line_that_fits_better_than_a_step_is_drift_and_a_step_is_not():
    noise = np.random.default_rng(8).normal(0, 1, 14)
    (drift,) = changes_of(points(100 + 3 * np.arange(14) + noise), lambda a, b: True)
    assert (drift.kind, drift.left, drift.end) == (Kind.DRIFT, 0, 14)
    fit = stats.linregress(np.arange(14), 100 + 3 * np.arange(14) + noise)
    assert drift.before == pytest.approx(fit.intercept) and drift.after == pytest.approx(fit.intercept + 13 * fit.slope)
    assert changes_of(points(100 + 3 * np.arange(14) + noise), lambda a, b: abs(b - a) > 1000) == ()


def test_a_change_that_is_too_small_to_count_does_not_hide_one_inside_it():
    values = np.random.default_rng(2).normal(100, 0.1, 24) + np.r_[np.zeros(12), np.full(12, 1.0)]
    values[18:21] += 4
    counted = changes_of(points(values), lambda a, b: abs(b - a) > 2)
    assert [(c.start, c.end) for c in counted] == [(18, 21), (21, 24)]


def test_several_changes_do_not_hide_each_other():
    quiet = np.random.default_rng(4).normal(100, 2.5, 20)
    assert [start for _, start, _ in found(quiet + 20 * (np.arange(20) // 5 % 2))] == [5, 10, 15]


def test_boots_show_what_their_medians_alone_cannot():
    assert found([100.0, 100.6, 104.0]) == []
    assert found([100.0, 100.6, 104.0], scatter=0.5, boots=8) == [(Kind.NEWEST, 2, 3)]
    assert found([100.0, 104.0], scatter=0.5, boots=8) == [(Kind.NEWEST, 1, 2)]


def test_boots_that_differ_less_than_the_releases_do_not_make_every_release_a_change():
    rng = np.random.default_rng(6)
    runs = [rng.normal(100, 3, 12) for _ in range(40)]
    assert sum(bool(found(values, boots=6, scatter=0.1, seed=i)) for i, values in enumerate(runs)) <= 6


def test_six_releases_are_the_fewest_that_show_what_releases_scatter_by():
    """With fewer the boots are all there is, as the documents say."""

    def named(releases):
        levels = [np.random.default_rng(seed).normal(100, 1, releases) for seed in range(20)]
        return sum(bool(found(values, boots=4, scatter=0.01, seed=i)) for i, values in enumerate(levels))

    assert named(6) <= 4 and named(5) >= 12


@pytest.mark.parametrize("has_newest", [False, True])
def test_every_way_to_set_neighbours_apart_is_of_one_kind(has_newest):
    """The strongest of each kind is the strongest of all intervals that are of it by definition."""
    n = 9
    values = np.random.default_rng(8).normal(0, 1, n)

    def kind_of(start, end):
        if start == n - 1 and has_newest:
            return Lasting.NEWEST
        if end - start == 1 or (start, end) == (1, n):
            return Lasting.ALONE
        return Lasting.STAYS if end == n else Lasting.RETURNS

    left: dict[Lasting, list[tuple[float, int, int]]] = {}
    for start in range(1, n):
        for end in range(start + 1, n + 1):
            inside, outside = values[start:end], np.r_[values[:start], values[end:]]
            squares = ((inside - inside.mean()) ** 2).sum() + ((outside - outside.mean()) ** 2).sum()
            left.setdefault(kind_of(start, end), []).append((squares, start, end))
    found_best = {best.lasting: best for best in strongest(values, np.ones(n), 0.0, 0.0, has_newest)}
    assert set(found_best) == set(left)
    for kind, all_of_kind in left.items():
        squares, start, end = min(all_of_kind)
        assert (found_best[kind].start, found_best[kind].end) == (start, end)
        assert found_best[kind].squares == pytest.approx(squares)


def test_what_would_be_seen_is_in_the_unit_of_the_values():
    values = np.random.default_rng(4).normal(100, 2.5, 12)
    large, small = visible(points(values)), visible(points(values / 1000))
    assert large.newest and large.step and small.newest and small.step
    assert (large.newest, large.step) == pytest.approx((1000 * small.newest, 1000 * small.step))
    assert large.step < large.newest


def test_a_perfect_step_leaves_nothing():
    (best,) = [one for one in strongest(np.repeat([1.0, 2.0], 4), np.ones(8), 0.0, 0.0, True) if one.lasting is Lasting.STAYS]
    assert (best.start, best.squares) == (4, 0.0)


def test_the_errors_of_a_series_are_shared_in_whole():
    assert sum(SHARES.values()) == pytest.approx(1.0)


def test_values_that_differ_by_a_tick_show_nothing():
    values = [100.0, 100.0, 100.0, 100.0, 101.0, 101.0, 101.0, 101.0]
    assert [c.start for c in changes_of(points(values), lambda a, b: True)] == [4]
    assert changes_of(points(values), lambda a, b: True, resolution=4.0) == ()


def test_the_newest_release_is_judged_by_the_classical_prediction_interval():
    values = level(9, 3)
    newest = next(b for b in strongest(values, np.ones(9), 0.0, 0.0, True) if b.lasting is Lasting.NEWEST)
    rest = values[:-1]
    t = (values[-1] - rest.mean()) / (rest.std(ddof=1) * np.sqrt(1 + 1 / 8))
    assert newest.statistic == pytest.approx(t**2)


def test_the_strongest_step_is_the_strongest_of_all_two_sample_t_tests():
    values = level(11, 5)
    best = next(b for b in strongest(values, np.ones(11), 0.0, 0.0, True) if b.lasting is Lasting.STAYS)
    squares = {k: stats.ttest_ind(values[:k], values[k:]).statistic ** 2 for k in range(2, 10)}
    assert best.start == max(squares, key=lambda k: squares[k]) and best.statistic == pytest.approx(squares[best.start])


def test_the_null_of_the_newest_release_holds_students_t_where_it_is_the_only_kind():
    """Two points of four boots each: the medians' t is near Student's, whose 95 % point with six degrees of freedom is 2.45."""
    share = 0.05 / SHARES[Lasting.NEWEST]
    assert np.sqrt(critical((4, 4), True, Lasting.NEWEST, share * SHARES[Lasting.NEWEST])) == pytest.approx(2.7, abs=0.35)


def test_what_would_be_seen_is_what_is_seen():
    values = level(12, 2)
    least = visible(points(values))
    assert least.newest is not None and least.step is not None
    quiet = values.copy()
    quiet[-1] = values[:-1].mean() + 1.4 * least.newest
    assert found(values) == [] and [kind for kind, _, _ in found(quiet)] == [Kind.NEWEST]
    assert least.step < least.newest and visible(points([1.0, 2.0])).newest is None and visible(points([1.0, 2.0, 3.0])).step is None


def test_a_long_series_is_judged_with_the_null_of_two_hundred_and_tried_more_often():
    rng = np.random.default_rng(9)
    values = rng.normal(100, 1, 400)
    assert found(values) == []
    values[150:260] += 4
    starts = [start for _, start, _ in found(values)]
    assert len(starts) == 2 and abs(starts[0] - 150) <= 1 and abs(starts[1] - 260) <= 1
