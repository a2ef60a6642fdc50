# SPDX-License-Identifier: BSD-3-Clause
"""Samples of a run are changed, and no gate passes: a few mutants of each kind of run. `tests/prove/statistics` has all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support.command import latlab
from support.stored_campaigns import unpack_campaigns
from truth.asked_gate import Answer, Asked, answers, passed
from truth.data_mutants import How, Mutant, drawn, farthest, mutants_of, mutated, sets_of
from truth.exported import Place, figures_of, with_figures
from truth.mutated_kinds import PAIRS, pair_of_kind

MUTANTS = 4
SEED = "sample"


@pytest.mark.parametrize("kind", PAIRS)
def test_no_gate_passes_a_mutant_of_its_data(kind: str, tmp_path: Path):
    pair = pair_of_kind(kind)
    mutants = drawn([*mutants_of(figures_of(pair[0]))], SEED, MUTANTS)
    assert passed(answers(pair, mutants, Asked(tmp_path))) == []


def test_no_gate_passes_other_shares_of_two_modes_in_parallel_counts(tmp_path: Path):
    """The base has both modes, so that each value of the candidate is one that the order of the cores could have made."""
    pair = pair_of_kind("psci, counts")
    modes = [one for one in mutants_of(figures_of(pair[0])) if one.how is How.MODES and one.cores.places[0].test.endswith("_parallel")]
    some = drawn(modes, SEED, 16)
    assert len(some) == 16 and passed(answers(pair, some, Asked(tmp_path))) == []


@pytest.mark.parametrize("kind", ["Juno, 1 boot of 5", "psci, counts"])
def test_no_gate_passes_one_iteration_of_a_queue_that_is_ten_times_as_long_on_all_cores(kind: str, tmp_path: Path):
    pair = pair_of_kind(kind)
    tails = [one for one in mutants_of(figures_of(pair[0])) if one.how is How.TAIL and one.cores.name == "all"]
    queues = [one for one in tails if one.test.endswith("_parallel") and one.cores.places[0].metric == "powerdown"]
    assert queues and passed(answers(pair, queues, Asked(tmp_path))) == []


def test_the_same_modes_in_other_iterations_and_cores_pass(tmp_path: Path):
    """Chance orders the cores of an iteration, and which iteration has which mode."""
    pair = pair_of_kind("psci, counts")
    figures = figures_of(pair[0])
    mutant = next(one for one in mutants_of(figures) if one.how is How.MODES and one.cores.places[0].test.endswith("_parallel"))
    base, _ = mutated(mutant, figures, figures)
    other = {place: np.roll(values, 7) if place.test.endswith("_parallel") else values for place, values in base.items()}
    assert Asked(tmp_path).gate(with_figures(pair[0], base), with_figures(pair[1], other)).returncode == 0


@pytest.mark.parametrize("kind", PAIRS)
def test_what_is_mutated_passes_as_it_was(kind: str, tmp_path: Path):
    """Otherwise a gate that always stops would pass the tests above."""
    assert Asked(tmp_path).gate(*pair_of_kind(kind)).returncode == 0


def test_runs_of_power_transitions_pass_no_gate(tmp_path: Path):
    """They have no latencies: whatever became longer in them, the answer is that nothing can be compared."""
    store = tmp_path / "store.sqlite"
    unpack_campaigns(store)
    assert latlab("gate", "rt-power-0ee2", "rt-power-0ee2", store=store).returncode == 3


@pytest.mark.parametrize("kind", ["psci, counts", "benchmark, drawn", "cyclictest, measured"])
def test_figures_are_read_and_written_unchanged(kind: str):
    document, _ = pair_of_kind(kind)
    figures = figures_of(document)
    again = with_figures(document, figures)
    assert again == document
    assert all((values == figures_of(again)[place]).all() for place, values in figures.items())


def test_every_test_metric_and_set_of_cores_is_mutated():
    places = [Place(test, "wakeup", f"{cluster}.{core}") for test in ("one", "two") for cluster in (0, 1) for core in (0, 1)]
    figures = {place: np.full(20, 100.0) for place in places}
    sets = [(test, cores.name, {place.core for place in cores.places}) for test, cores in sets_of(figures)]
    of_one = [
        ("all", {"0.0", "0.1", "1.0", "1.1"}), ("one cluster", {"0.0", "0.1"}), ("one cluster", {"1.0", "1.1"}),
        ("one core", {"0.0"}), ("one core", {"0.1"}), ("one core", {"1.0"}), ("one core", {"1.1"}), ("half", {"0.0", "1.0"}),
    ]  # fmt: skip
    assert sets == [(test, name, cores) for test in ("one", "two", "every test") for name, cores in of_one]
    assert {mutant.how for mutant in mutants_of(figures)} == set(How)


@pytest.mark.parametrize(
    ("how", "size", "before", "after"),
    [
        (How.TIMES, 1.5, [100] * 10, [150] * 10),
        (How.SHIFT, 0.5, [100] * 10, [150] * 10),
        (How.TAIL, 10.0, [100] * 10, [100] * 4 + [1000] + [100] * 5),
        (How.MODES, 1.5, [150, 100, 100, 150, 100, 100, 150, 100, 100, 100], [150, 100, 150, 150, 100, 150, 150, 100, 150, 150]),
        (How.GONE, 0.0, [100] * 10, [np.nan] * 10),
        (How.HALVED, 0.0, [100] * 10, [100, np.nan] * 5),
    ],
)
def test_a_mutant_changes_what_it_says_and_nothing_else(how: How, size: float, before: list[float], after: list[float]):
    places = [Place("test", "wakeup", "0.0"), Place("other", "powerdown", "0.0")]
    figures = {place: np.full(10, 100.0) for place in places}
    mutant = next(one for one in mutants_of(figures) if one.how is how and one.size == size and one.test == "test")
    changed = mutated(mutant, figures, figures)
    assert [list(one[places[1]]) for one in changed] == [[100.0] * 10] * 2
    for values, expected in zip(changed, (before, after), strict=True):
        assert np.array_equal(values[places[0]], np.array(expected, float), equal_nan=True), values[places[0]]


def test_what_falls_when_it_gets_worse_falls():
    place = Place("test", "throughput/all", "")
    figures = {place: np.full(10, 100.0)}
    for mutant in mutants_of(figures):
        before, after = mutated(mutant, figures, figures)
        if mutant.how in (How.TIMES, How.SHIFT, How.TAIL, How.MODES):
            assert after[place].sum() < before[place].sum(), mutant.name


@pytest.mark.parametrize(
    ("before", "after", "ratio"),
    [([100, 40], [40, 100], 1.0), ([100, 40], [40, 150], 1.5), ([10, 4], [10, 7], 1.0), ([100, 0], [100, 50], np.inf)],
)
def test_parallel_samples_move_by_position(before: list[float], after: list[float], ratio: float):
    places = [Place("some_parallel", "wakeup", core) for core in ("0.0", "0.1")]
    sides = [{place: np.array([value], float) for place, value in zip(places, side, strict=True)} for side in (before, after)]
    assert farthest(*sides) == ratio


def test_a_pass_is_silent_unless_a_single_sample_is_said_to_be_inconclusive():
    mutant = Mutant(How.TIMES, 1.5, next(cores for _, cores in sets_of({Place("one", "wakeup", "0.0"): np.ones(1)})), "one")
    told, untold = "pass: no change; rows: 1 unchanged, 1 inconclusive", "pass: no change; rows: 2 unchanged"
    silent = [Answer(mutant, code, line, ratio).is_silent for code, line, ratio in
              [(0, told, 1.3), (0, told, 1.5), (0, told, np.inf), (0, untold, 1.3), (1, told, 2.0), (3, told, 2.0)]]  # fmt: skip
    assert silent == [False, True, True, True, False, False]


def test_an_amount_that_is_little_of_what_a_core_of_a_parallel_test_takes_is_no_mutant():
    usual = {"0.0": 100.0, "0.1": 100.0, "0.2": 900.0}
    figures = {Place("some_parallel", "wakeup", core): np.full(10, value) for core, value in usual.items()}
    made = {(one.how, one.cores.name, one.cores.places[0].core) for one in mutants_of(figures)}
    assert (How.SHIFT, "one core", "0.0") in made and (How.SHIFT, "one core", "0.2") not in made and (How.TIMES, "one core", "0.2") in made
