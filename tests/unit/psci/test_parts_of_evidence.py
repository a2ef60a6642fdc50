# SPDX-License-Identifier: BSD-3-Clause
"""A core that is alone of its kind, what boots and cells leave of each other, and a drift in noise that carries over."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from latlab.core.model.enums import Metric
from latlab.core.statistics.sample_matrix import Cells
from latlab.psci.analysis.by_core import ByCore
from latlab.psci.analysis.drift import drift_of
from latlab.psci.analysis.groups import Group
from latlab.psci.analysis.variance_estimate import Evidence, _left_of_cells, group_evidence
from truth.held import Wrong, held
from truth.parts import part_case_of

SPACING: Any = SimpleNamespace(threshold=lambda metric, level: 0.03 * level, large=lambda metric, level: 0.2 * level)


def _evidence(test: str, before: NDArray[np.float64], after: NDArray[np.float64]) -> Evidence:
    labels = tuple(f"0.{i}" for i in range(before.shape[1]))
    boots = np.zeros(len(before), np.int64)
    return group_evidence(Group(test, Metric.WAKEUP, 0, "", labels, Cells(boots, before), Cells(boots, after)), SPACING)


def test_a_single_core_of_a_kind_that_shows_no_scatter_borrows_nothing() -> None:
    """Parallel wake-ups of one core a cluster: what serial ones scatter by is not theirs."""
    serial = np.array([[100.0, 101.0, 99.0, 100.5]])
    found = [_evidence(f"t{i}_serial", serial + i, serial + 8.0 + i / 10 * serial / 100) for i in range(4)]
    single = _evidence("t_parallel", serial[:, :1], serial[:, :1] + 4.0)
    tests = ByCore([*found, single])
    assert tests.own_p(4) == 1.0 and all(tests.own_p(i) < 0.01 for i in range(4))
    alike = _evidence("t_parallel", serial, serial + np.array([[4.0, 4.1, 3.9, 4.05]]))
    assert ByCore([*found, alike]).own_p(4) < 0.05


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
