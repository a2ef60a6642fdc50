# SPDX-License-Identifier: BSD-3-Clause
"""Changes that a gate once passed. What is far beyond its noise is called regressed; the rest may be inconclusive, never a pass."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from support.command import latlab
from truth.asked_gate import Asked
from truth.exported import Document
from truth.machines import JUNO, LEVEL_0, PARALLEL, UP, scaled
from truth.mutated_kinds import DocumentPair
from truth.verdict_cases import (
    BOARD,
    LIKE_CORES,
    documents,
    imported_pair,
    one_truth,
    recorded_with,
    sharp_quantiles,
    slower_core_flush,
    two_modes,
    wakeups,
    whole,
    with_overflows,
    with_wakeups_of,
)
from truth.wakeups import Wakeups, histogram_of

STOPS = (1, 3)
CALLS = tuple(f"SiP fast call 0xc200010{number}" for number in range(4))
RT_CPUS = 2
OVERFLOWS = 50
MOST_PASSES_OF_12 = {"wake-ups": 5, "core flush": 2}
MOST_BLAMED_OF_24 = 1


@pytest.fixture(name="asked")
def fixture_asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path)


def codes(asked: Asked, pair: DocumentPair) -> tuple[int, int]:
    """Of `gate` and of `compare`."""
    return asked.gate(*pair).returncode, asked.compare(*pair).returncode


@pytest.mark.parametrize(
    ("test", "metric", "factor", "more"),
    [
        ("cpu_susp_parallel", "wakeup", 10.0, 0.0),
        ("susp_deep_parallel", "wakeup", 1.0, 1000.0),
        ("cpu_susp_parallel", "powerdown", 1.0, 1000.0),
    ],
)
def test_counts_of_a_parallel_test_that_are_all_longer_are_regressed(asked: Asked, test: str, metric: str, factor: float, more: float):
    assert codes(asked, recorded_with("psci-counts", test, metric, factor, more)) == (1, 1)


@pytest.mark.parametrize("cores", [("1.2",), ("0.0", "0.1")], ids=["one core", "one cluster"])
def test_a_queue_in_which_cores_take_ten_times_as_long_is_no_improvement_of_its_model(asked: Asked, cores: tuple[str, ...]):
    """The base is the shorter one. Under an exact clock a term of its queue model then becomes shorter."""
    before, after = recorded_with("psci-virtual", "cpu_susp_parallel", "powerdown", 0.1, cores=cores)
    gate, compare = codes(asked, (after, before))
    assert gate in STOPS and gate == compare


@pytest.mark.parametrize("cores", [(), ("0.1",)], ids=["all cores", "one core"])
@pytest.mark.parametrize("factor", [1.5, 2.0, 10.0])
@pytest.mark.parametrize("call", CALLS)
def test_calls_whose_counts_scatter_do_not_pass_if_one_kind_is_longer(asked: Asked, call: str, factor: float, cores: tuple[str, ...]):
    gate, compare = codes(asked, recorded_with("calls-of-a-trace", call, "call", factor, cores=cores))
    assert gate == compare
    assert gate in STOPS


@pytest.mark.parametrize("boots", [1, 4])
@pytest.mark.parametrize("tests", [PARALLEL, (LEVEL_0,)], ids=["both", "level 0"])
@pytest.mark.parametrize("factor", [1.5, 2.0, 3.0, 10.0])
def test_parallel_wakeups_of_eight_cores_that_all_take_longer_are_regressed(
    asked: Asked, factor: float, tests: tuple[str, ...], boots: int
):
    pair = with_wakeups_of(one_truth(BOARD, (boots, boots), 5, 5), factor, tests)
    assert codes(asked, documents(pair)) == (1, 1)


@pytest.mark.parametrize("boots", [4, 8])
@pytest.mark.parametrize("percent", [5, 8, 10, 12])
def test_one_core_of_four_like_ones_is_regressed_by_itself(asked: Asked, percent: int, boots: int):
    for seed in range(3):
        factor = np.where(np.arange(8) == 4 + seed, 1 + percent / 100, 1.0)
        pair = with_wakeups_of(one_truth(LIKE_CORES, (boots, boots), 5, seed), factor)
        assert codes(asked, documents(pair)) == (1, 1), seed


def test_the_heading_names_the_one_core_that_changed_in_every_test(asked: Asked):
    pair = with_wakeups_of(one_truth(LIKE_CORES, (4, 4), 5, 3), np.where(np.arange(8) == 2, 1.05, 1.0))
    _, heading, *_ = asked.compare(*documents(pair)).stdout.splitlines()
    assert heading.startswith("Wakeup regressed by ") and heading.endswith(" in 5 tests, cluster 0 (0.2).")


@pytest.mark.parametrize("what", ["wake-ups", "core flush"])
def test_a_whole_metric_that_moved_is_found_with_one_boot_though_no_row_can_be_named(asked: Asked, what: str):
    loud = scaled(JUNO, 2.0)
    assert loud.deviation(LEVEL_0, UP) == 1_000.0

    def pair(seed: int) -> DocumentPair:
        if what == "core flush":
            return slower_core_flush(loud, 0.10, 1, 1, seed)
        return documents(with_wakeups_of(one_truth(loud, (1, 1), 1, seed), 1.05))

    gates = [asked.gate(*pair(seed)).returncode for seed in range(12)]
    assert gates.count(0) <= MOST_PASSES_OF_12[what], gates
    untouched = [asked.gate(*documents(one_truth(loud, (1, 1), 1, 100 + seed))).returncode for seed in range(24)]
    assert untouched.count(1) <= MOST_BLAMED_OF_24, untouched


@pytest.mark.parametrize(("shares", "seeds"), [((0.10, 0.20), range(8)), ((0.05, 0.10), range(3))], ids=["10 to 20", "5 to 10"])
def test_a_second_mode_that_takes_twice_the_share_does_not_pass(asked: Asked, shares: tuple[float, float], seeds: range):
    gates = [asked.gate(*two_modes(shares, seed)).returncode for seed in seeds]
    assert 0 not in gates, gates


@pytest.mark.parametrize("seed", range(3))
def test_overflows_that_are_three_times_as_late_do_not_pass_and_the_maximum_is_in_the_text(asked: Asked, seed: int):
    before, after = wakeups(seed), wakeups(seed + 10)
    pair = (with_overflows(before, OVERFLOWS, 100, 114, seed), with_overflows(after, OVERFLOWS, 300, 322, seed))
    done = asked.gate(*imported_pair(*pair, 60))
    assert done.returncode in STOPS, done.stdout
    assert f"{max(int(own.max()) for own in pair[1]) // 1000}" in done.stdout


@pytest.mark.parametrize("seed", range(3))
def test_three_times_as_many_overflows_do_not_pass(asked: Asked, seed: int):
    before, after = wakeups(seed), wakeups(seed + 10)
    pair = (with_overflows(before, OVERFLOWS, 100, 114, seed), with_overflows(after, 185, 100, 114, seed))
    done = asked.gate(*imported_pair(*pair, 60))
    assert done.returncode in STOPS, done.stdout


@pytest.mark.parametrize("seed", range(5))
def test_200_us_more_once_in_10_000_do_not_pass_beside_a_late_maximum(asked: Asked, seed: int):
    count, rng = 300_000, np.random.default_rng([seed, 44])
    before, after = (_with_one_late(wakeups(seed + offset, count), 90_000) for offset in (0, 10))
    hit = [own + np.where(rng.random(count) < 1e-4, 200_000.0, 0.0) for own in after]
    done = asked.gate(*imported_pair(whole(before), whole(hit), 400))
    assert done.returncode in STOPS, done.stdout


def _with_one_late(values: list, late_ns: float) -> list:
    for own in values:
        own[len(own) // 2] = late_ns
    return values


LIMITS = [
    ("wakeup 99.9% <= 20us", 1, ""), ("wakeup 99.9% <= 21us", 3, "21"), ("wakeup 99.9% <= 22us", 0, "22"),
    ("wakeup median <= 7us", 1, ""), ("wakeup median <= 8us", 3, "8"), ("wakeup median <= 9us", 0, "9"),
    ("wakeup average <= 8us", 3, "8"),
]  # fmt: skip


@pytest.mark.parametrize(("limit", "code", "printed"), LIMITS, ids=[limit for limit, _, _ in LIMITS])
def test_a_limit_inside_a_bucket_is_inconclusive_and_one_at_its_upper_edge_holds(
    sharp: Path, tmp_path: Path, limit: str, code: int, printed: str
):
    done = latlab("gate", sharp, "--limit", limit, store=tmp_path / "store.sqlite")
    assert done.returncode == code, done.stdout
    assert printed in done.stdout


@pytest.fixture(name="sharp", scope="module")
def fixture_sharp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("limits") / "sharp.json"
    document: Document = sharp_quantiles()
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@pytest.mark.parametrize("shift_us", [1.0, 1.9])
def test_a_shift_of_all_wakeups_beside_eight_base_runs_does_not_pass(tmp_path: Path, shift_us: float):
    """12 to 22 % of 60,000 wake-ups each: a histogram knows its mean far better than two of its buckets."""
    names = [_kept(tmp_path, whole(wakeups(seed, cpus=RT_CPUS)), f"base{seed}") for seed in range(8)]
    later = [own + shift_us * 1000 for own in wakeups(20, cpus=RT_CPUS)]
    candidate = _kept(tmp_path, whole(later), "candidate")
    done = latlab("gate", "+".join(names), candidate, store=tmp_path / "store.sqlite")
    assert done.returncode in STOPS, done.stdout + done.stderr


def _kept(folder: Path, values: Wakeups, name: str) -> str:
    """The id of the run that is made of them."""
    path = folder / f"{name}.txt"
    path.write_bytes(histogram_of(values))
    done = latlab("import", path, "--platform", "bench", "--firmware", "one", store=folder / "store.sqlite")
    assert done.returncode == 0, done.stderr
    return done.stderr.rpartition("id: ")[2].strip()
