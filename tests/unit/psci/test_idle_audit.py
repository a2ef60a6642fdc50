# SPDX-License-Identifier: BSD-3-Clause
"""Latencies of idle states against measured spans: planted wrong ones are all found, and nothing else is blamed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import pytest

from latlab.core.errors import DataError, UsageError
from latlab.core.model.enums import Clock, Metric, ProblemKind
from latlab.core.model.run import CoreId, CoreTrace, Problem, Run, Sample, Tick, Topology, TraceRecord
from latlab.core.store import references
from latlab.psci.analysis.idle_audit import IdleFinding, IdleJudgement, audit, deepest_level
from latlab.psci.pages.idle_audit import corrected_nodes
from latlab.psci.readers.idle_states import read_idle_states
from support.idle_trees import idle_tree
from support.runs import changed, run_with

NS = Tick(Clock.TIME, 1.0)
CORE_OFF, CLUSTER_OFF, RETENTION, EXTENDED = 0x10000, 0x1010000, 0x1, 0x40000003
PROPERTIES = {"entry-latency-us": Metric.POWERDOWN, "exit-latency-us": Metric.WAKEUP, "wakeup-latency-us": Metric.WAKEUP}
TESTS = {"cpu-sleep-0": "cpu_susp", "cluster-sleep-0": "susp_deep"}
JUNO = {
    "cpu-sleep-0": {"arm,psci-suspend-param": CORE_OFF, "entry-latency-us": 300, "exit-latency-us": 1200, "min-residency-us": 2000},
    "cluster-sleep-0": {"arm,psci-suspend-param": CLUSTER_OFF, "entry-latency-us": 400, "exit-latency-us": 1200, "min-residency-us": 2500},
}
JUNO_CPUS = (0, 1, 0x100, 0x101, 0x102, 0x103)


def affinity(core: CoreId) -> int:
    return core.cluster << 8 | core.core


def measured(samples: Sequence[Sample], clusters: tuple[int, ...] = (1,), tick: Tick = NS) -> Run:
    return run_with(topology=Topology(clusters), tick=tick, samples=tuple(samples))


def spans(rng: random.Random, cores: Sequence[CoreId]) -> list[Sample]:
    return [
        Sample(f"{tests}_{order}", metric, core, boot, 0, rng.randint(3_000, 2_000_000))
        for tests in TESTS.values()
        for order in ("serial", "parallel")
        for metric in (Metric.POWERDOWN, Metric.WAKEUP)
        for core in cores
        for boot in range(2)
    ]


def of(samples: Sequence[Sample], state: str, metric: Metric) -> list[float]:
    return [one.value_ticks / 1000 for one in samples if one.metric is metric and one.test.startswith(TESTS[state])]


def too_short(found: Sequence[IdleJudgement]) -> set[tuple[str, str]]:
    return {(one.state.name, one.name) for one in found if one.finding is IdleFinding.TOO_SHORT}


@pytest.mark.parametrize("seed", range(200))
def test_planted_latencies_are_all_found_and_right_ones_never_blamed(seed: int) -> None:
    rng = random.Random(seed)
    clusters = tuple(rng.randint(1, 3) for _ in range(rng.randint(1, 2)))
    cores = Topology(clusters).cores
    samples = spans(rng, cores)
    planted: set[tuple[str, str]] = set()
    states: dict[str, dict[str, int]] = {}
    for name, parameter in (("cpu-sleep-0", CORE_OFF), ("cluster-sleep-0", CLUSTER_OFF)):
        states[name] = {"arm,psci-suspend-param": parameter}
        for key, metric in PROPERTIES.items():
            longest = max(of(samples, name, metric))
            is_wrong = rng.random() < 0.3
            states[name][key] = int((longest - 1) * rng.uniform(0, 0.999)) if is_wrong else ceil(longest * rng.uniform(1, 4))
            planted |= {(name, key)} if is_wrong else set()
        shortest = min(of(samples, name, Metric.POWERDOWN))
        is_wrong = rng.random() < 0.3
        states[name]["min-residency-us"] = int((shortest - 1) * rng.uniform(0, 0.999)) if is_wrong else ceil(shortest * rng.uniform(1, 9))
        planted |= {(name, "min-residency-us")} if is_wrong else set()
    states |= {"retained": states["cpu-sleep-0"] | {"arm,psci-suspend-param": RETENTION, "exit-latency-us": 0}}
    states |= {"another": states["cpu-sleep-0"] | {"arm,psci-suspend-param": EXTENDED, "entry-latency-us": 0}}
    cpus = [affinity(core) for core in cores]
    run = measured(samples, clusters)
    found = audit(run, read_idle_states(idle_tree(cpus, states), "a.dtb"), 1, {})
    assert too_short(found) == planted
    assert {one.finding for one in found if one.state.name in ("retained", "another")} == {IdleFinding.CANNOT_TELL}
    assert all(one.n == len(of(samples, one.state.name, Metric.WAKEUP)) and one.boots == 2 for one in found if one.n)
    for one in found:
        if one.correct_us is not None:
            states[one.state.name][one.name] = one.correct_us
            assert f"{one.name} = <{one.correct_us}>; /* was {one.stated_us};" in corrected_nodes(run, found)
    assert too_short(audit(run, read_idle_states(idle_tree(cpus, states), "a.dtb"), 1, {})) == set()


def test_what_is_longer_by_less_than_a_microsecond_is_not_blamed() -> None:
    states = {"cpu-sleep-0": {"arm,psci-suspend-param": CORE_OFF, "exit-latency-us": 20}}
    tree = read_idle_states(idle_tree([0], states), "a.dtb")
    for ns, finding in ((20_999, IdleFinding.HOLDS), (21_000, IdleFinding.HOLDS), (21_001, IdleFinding.TOO_SHORT)):
        (one,) = audit(measured([Sample("cpu_susp_serial", Metric.WAKEUP, CoreId(0, 0), 0, 0, ns)]), tree, 1, {})
        assert one.finding is finding


def test_junos_own_entry_latency_holds_for_a_core_alone_and_not_where_all_go_at_once() -> None:
    """Linux' tree for Juno, by its numbers, and the table that TF-A published of v2.15."""
    run = references.load("published:tf-a/juno/v2.15")
    found = audit(run, read_idle_states(idle_tree(JUNO_CPUS, JUNO), "juno.dtb"), 2, {})
    assert too_short(found) == {("cpu-sleep-0", "entry-latency-us")}
    entry = found[0]
    assert entry.measured_us == pytest.approx(830.9) and (entry.n, entry.test, str(entry.core)) == (12, "cpu_susp_parallel", "0.1")
    assert entry.why == "where all go at once; alone at most 291.2 µs" and entry.correct_us == 831
    assert {one.why for one in found if one.state.name == "cluster-sleep-0"} == {"of level 1; the deep tests go to level 2"}
    chosen = audit(run, read_idle_states(idle_tree(JUNO_CPUS, JUNO), "juno.dtb"), 2, {"cluster-sleep-0": "susp_deep"})
    assert too_short(chosen) == {("cpu-sleep-0", "entry-latency-us"), ("cluster-sleep-0", "entry-latency-us")}


@pytest.mark.parametrize(("clock", "said"), [(Clock.INSTRUCTIONS, "counts instructions"), (Clock.VIRTUAL, "is a model's")])
def test_a_run_without_time_is_refused(clock: Clock, said: str) -> None:
    run = measured([Sample("cpu_susp_serial", Metric.WAKEUP, CoreId(0, 0), 0, 0, 9)], tick=Tick(clock, 1.0))
    with pytest.raises(DataError, match=f"{said}.*take a run of the board itself"):
        audit(run, read_idle_states(idle_tree([0], JUNO), "a.dtb"), 1, {})


def test_a_tree_of_another_board_is_refused() -> None:
    with pytest.raises(DataError, match=r"the tree's CPUs \(0x0, 0x1\) are not the cores of .* \(1\)"):
        audit(measured([]), read_idle_states(idle_tree([0, 1], JUNO), "a.dtb"), 1, {})


def test_threads_of_one_core_stand_one_level_higher() -> None:
    run = measured([Sample("cpu_susp_serial", Metric.WAKEUP, CoreId(0, 1), 0, 0, 5_000_000)], (2,))
    found = audit(run, read_idle_states(idle_tree([0, 0x100], JUNO), "a.dtb"), 1, {})
    assert too_short(found) == {("cpu-sleep-0", "exit-latency-us")}


def test_only_the_cpus_that_name_a_state_speak_for_it() -> None:
    slow = Sample("cpu_susp_serial", Metric.WAKEUP, CoreId(0, 1), 0, 0, 5_000_000)
    run = measured([slow, replace(slow, core=CoreId(0, 0), value_ticks=10)], (2,))
    tree = read_idle_states(idle_tree([0, 1], JUNO, {0: ["cpu-sleep-0"], 1: []}), "a.dtb")
    assert too_short(audit(run, tree, 1, {})) == set()


def test_of_two_states_of_one_level_nothing_says_which_was_entered() -> None:
    run = measured([Sample("cpu_susp_serial", Metric.WAKEUP, CoreId(0, 0), 0, 0, 5_000_000)])
    states = {"light": JUNO["cpu-sleep-0"], "deep": JUNO["cpu-sleep-0"] | {"arm,psci-suspend-param": CORE_OFF | 2}}
    tree = read_idle_states(idle_tree([0], states), "a.dtb")
    found = audit(run, tree, 1, {})
    assert {one.why for one in found if one.state.name == "light"} == {
        "not the only state of level 0; name the tests that enter it, as --state light=cpu_susp"
    }
    assert too_short(audit(run, tree, 1, {"deep": "cpu_susp"})) == {("deep", "exit-latency-us")}


def test_clusters_with_a_state_of_their_own_do_not_stand_in_each_others_way() -> None:
    slow = Sample("cpu_susp_serial", Metric.WAKEUP, CoreId(0, 0), 0, 0, 5_000_000)
    states = {"big": JUNO["cpu-sleep-0"], "little": JUNO["cpu-sleep-0"] | {"arm,psci-suspend-param": CORE_OFF | 2}}
    tree = read_idle_states(idle_tree([0, 0x100], states, {0: ["big"], 0x100: ["little"]}), "a.dtb")
    run = measured([slow, replace(slow, core=CoreId(1, 0))], (1, 1))
    assert too_short(audit(run, tree, 1, {})) == {("big", "exit-latency-us"), ("little", "exit-latency-us")}


def test_a_retention_state_is_not_judged_by_tests_that_power_down() -> None:
    run = measured([Sample("cpu_susp_serial", Metric.WAKEUP, CoreId(0, 0), 0, 0, 5_000_000)])
    tree = read_idle_states(idle_tree([0], {"retained": JUNO["cpu-sleep-0"] | {"arm,psci-suspend-param": RETENTION}}), "a.dtb")
    assert {one.why for one in audit(run, tree, 1, {})} == {"a retention state; the tests power down"}


def test_nothing_is_blamed_where_the_unit_is_in_doubt_or_nothing_was_measured() -> None:
    run = measured([Sample("cpu_susp_serial", Metric.WAKEUP, CoreId(0, 0), 0, 0, 5_000_000)])
    tree = read_idle_states(idle_tree([0], {"cpu-sleep-0": JUNO["cpu-sleep-0"]}), "a.dtb")
    assert too_short(audit(run, tree, 1, {})) == {("cpu-sleep-0", "exit-latency-us")}
    doubted = changed(run, problems=(Problem(0, "a unit", ProblemKind.UNIT_SUSPECT),))
    assert {one.finding for one in audit(doubted, tree, 1, {})} == {IdleFinding.CANNOT_TELL}
    assert {one.why for one in audit(measured([]), tree, 1, {})} == {"no span of cpu_susp_* was measured on its CPUs"}


@pytest.mark.parametrize("chosen", [{"cpu-sleep-1": "cpu_susp"}, {"cpu-sleep-0": "cpu_off"}])
def test_a_choice_of_what_is_not_there_says_what_is(chosen: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=r"the tree has cpu-sleep-0, cluster-sleep-0; the tests are cpu_susp and susp_deep"):
        audit(measured([]), read_idle_states(idle_tree([0], JUNO), "a.dtb"), 1, chosen)


def test_the_deepest_level_is_that_of_the_highest_lock() -> None:
    records = (TraceRecord(0, 1, "LOCK_REQUEST", 1 << 16), TraceRecord(1, 2, "LOCK_REQUEST", 2 << 16 | 5))
    traced = changed(measured([]), traces=(CoreTrace("susp_deep_serial", 0, 0, CoreId(0, 0), records),))
    assert (deepest_level(traced), deepest_level(measured([]))) == (2, None)
