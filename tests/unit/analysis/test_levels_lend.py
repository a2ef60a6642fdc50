# SPDX-License-Identifier: BSD-3-Clause
"""Whom a level of one boot lends certainty, what boots and cells leave of each other, and a drift in noise that carries over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from latlab.analysis.base.columns import Cells
from latlab.analysis.base.comparison import Level
from latlab.analysis.base.statistics import Shift
from latlab.analysis.ladder.drift import drift_of
from latlab.analysis.ladder.evidence import Evidence, _left_of_cells, group_evidence
from latlab.analysis.ladder.groups import Group
from latlab.analysis.ladder.judge import ROWS_SHARE, _Lending
from latlab.analysis.ladder.one_boot import OneBoot
from latlab.model.enums import Metric
from truth.held import Wrong, held
from truth.parts import part_case_of

ALPHA = 0.0025
SPACING: Any = SimpleNamespace(threshold=lambda metric, level: 0.03 * level, large=lambda metric, level: 0.2 * level)
ROWS: Any = [SimpleNamespace(row=SimpleNamespace(test=f"test{i}", threshold=500.0)) for i in range(4)]

UNLIKE = [Shift(one, 0.0, 0.0, 1.0, 50.0) for one in (5_000.0, 5_000.0, 600.0, 600.0)]


def _level(rows: int, p: float) -> Level:
    return Level(Metric.WAKEUP, None, "", None, rows, Shift(900.0, 800.0, 1_000.0, p), p)


def _evidence(test: str, before: NDArray[np.float64], after: NDArray[np.float64]) -> Evidence:
    labels = tuple(f"0.{i}" for i in range(before.shape[1]))
    boots = np.zeros(len(before), np.int64)
    return group_evidence(Group(test, Metric.WAKEUP, 0, "", labels, Cells(boots, before), Cells(boots, after)), SPACING)


Lent = list[tuple[dict[int, int], float]]


def _lending(tested: Any, shifts: Sequence[Shift] = UNLIKE, apart: frozenset[int] = frozenset()) -> _Lending:
    judge: Any = SimpleNamespace(own_p=lambda one: ROWS.index(one) / 100, **tested)
    return _Lending(judge, ROWS, shifts, apart, ALPHA)


def _shown(p_of_rest: float, standing: set[int], shifts: Sequence[Shift] = UNLIKE) -> Lent:
    """Of a level of the first two rows and one of all four, both shown; `p_of_rest` is what any rows left over have together. Each row with
    how many ask what theirs does."""
    tested = {"level_shift": lambda found: Shift(900.0, 0.0, 0.0, p_of_rest)}
    levels = [(_level(4, 1e-6), [0, 1, 2, 3]), (_level(2, 1e-6), [0, 1])]
    return [(own, level.p_adjusted) for level, own in _lending(tested, shifts).shown(levels, standing)]


def test_rows_that_a_narrower_level_accounts_for_lend_the_others_of_a_wider_one_nothing():
    assert _shown(0.5, set()) == [({0: 1, 1: 2}, 1e-6)]


def test_what_the_other_rows_show_together_they_still_lend_each_other():
    assert _shown(1e-5, set()) == [({0: 1, 1: 2}, 1e-6), ({2: 1, 3: 2}, pytest.approx(1e-5 * 2 / (1 - ROWS_SHARE)))]


def test_rows_that_stand_by_themselves_lend_nothing_and_a_single_row_is_no_level():
    assert _shown(0.5, {0, 1}) == []
    assert _shown(1e-9, {0, 1, 2}, [*UNLIKE[:3], Shift(-600.0, 0.0, 0.0, 1.0, 50.0)]) == []


def test_a_level_within_its_rows_thresholds_lends_nothing_and_still_accounts_for_them():
    tested = {"level_shift": lambda found: Shift(900.0, 0.0, 0.0, 0.5)}
    within = replace(_level(2, 1e-6), shift=Shift(-400.0, -500.0, -300.0, 1e-6))
    levels = [(_level(4, 1e-6), [0, 1, 2, 3]), (within, [0, 1])]
    assert list(_lending(tested).shown(levels, set())) == []


def test_a_row_that_moved_as_those_did_that_are_told_has_their_certainty_for_all_rows_of_the_level():
    """Together the two that are left show nothing, each with those that moved alike does."""
    alike = [Shift(900.0, 0.0, 0.0, 1.0, 50.0)] * 3 + [Shift(-900.0, 0.0, 0.0, 1.0, 50.0)]
    tested = {"level_shift": lambda found: Shift(900.0, 0.0, 0.0, 1e-5 if len(found) == 4 else 0.5)}
    levels = [(_level(4, 1e-6), [0, 1, 2, 3]), (_level(2, 1e-6), [0, 1])]
    assert [own for _, own in _lending(tested, alike).shown(levels, set())] == [{0: 1, 1: 2}, {2: 4}]
    assert [own for _, own in _lending(tested, alike, frozenset({0, 1})).shown(levels, set())] == []


def test_a_single_core_of_a_kind_that_shows_no_scatter_borrows_nothing() -> None:
    """Parallel wake-ups of one core a cluster: what serial ones scatter by is not theirs."""
    serial = np.array([[100.0, 101.0, 99.0, 100.5]])
    found = [_evidence(f"t{i}_serial", serial + i, serial + 8.0 + i / 10 * serial / 100) for i in range(4)]
    single = _evidence("t_parallel", serial[:, :1], serial[:, :1] + 4.0)
    one_boot = OneBoot([*found, single])
    assert one_boot.own_p(single) == 1.0 and all(one_boot.own_p(one) < 0.01 for one in found)
    alike = _evidence("t_parallel", serial, serial + np.array([[4.0, 4.1, 3.9, 4.05]]))
    assert OneBoot([*found, alike]).own_p(alike) < 0.05


def test_what_boots_and_cells_leave_of_each_other_is_that_of_a_two_way_layout():
    values = np.array([[1.0, 2.0, 6.0], [2.0, 5.0, 5.0]])
    left = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    for one in (values, values + np.array([[0.0], [100.0]]) + np.array([5.0, 0.0, 9.0])):
        squares, free = _left_of_cells(one)
        assert (squares, free) == pytest.approx((float((left**2).sum()), 2))
    assert _left_of_cells(values[:, :1]) == (0.0, 0)


def test_a_cell_that_is_missing_in_a_boot_takes_one_degree_of_freedom():
    values = np.array([[1.0, 2.0, np.nan], [2.0, 5.0, 5.0], [1.0, 3.0, 6.0]])
    assert _left_of_cells(values)[1] == 3
    assert _left_of_cells(np.vstack([values, np.full((1, 3), np.nan)]))[1] == 3


def _carried(seed: int, drift: float) -> Cells:
    """Four boots of twenty iterations and two cells, noise of 500 that carries six tenths over to the next iteration."""
    steps: NDArray[np.float64] = np.random.default_rng(seed).standard_normal((4, 20, 2)) * 500
    for i in range(1, 20):
        steps[:, i] = 0.6 * steps[:, i - 1] + 0.8 * steps[:, i]
    values = 23_000 + steps + drift * np.linspace(0.0, 1.0, 20)[None, :, None]
    return Cells(np.repeat(np.arange(4), 20), values.reshape(80, 2))


def test_a_drift_of_all_boots_and_cells_is_told_though_iterations_carry_over():
    found = [drift_of(_carried(seed, 4_600.0), 700.0) for seed in range(20)]
    assert all(one is not None and 3_000 < one.size < 6_000 for one in found)


def test_noise_that_carries_over_is_no_drift():
    assert [drift_of(_carried(seed, 0.0), 200.0) for seed in range(100)] == [None] * 100


@pytest.mark.parametrize("seed", [50263, 50395, 50521, 50657, 60458, 60532, 60992, 61002, 61140, 62331, 62584])
def test_parallel_tests_are_not_blamed_for_what_changed_in_serial_ones(seed: int) -> None:
    """Drawn pairs of which cores moved in serial tests only."""
    assert not [fault.said for fault in held(part_case_of(seed)).faults if fault.wrong is Wrong.BLAME]
