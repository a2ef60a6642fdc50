# SPDX-License-Identifier: BSD-3-Clause
"""Changes whose cause is known, planted in the virtual-time board: each is found where it is, called by its name, and nothing else is."""

import subprocess

import pytest

from latlab.core.comparison.by_kind import check_invariants, compare, explain_pair, explain_run
from latlab.core.comparison.verdicts import Verdict
from latlab.core.model.enums import Clock, Metric
from latlab.core.store.store import open_store
from latlab.psci.targets.board import board_text, load_board
from latlab.runs.campaign.importing_log import import_log

pytestmark = pytest.mark.firmware


@pytest.fixture(scope="module")
def measure(program, tmp_path_factory):
    store = open_store(str(tmp_path_factory.mktemp("runs") / "store.sqlite"))

    def run(extra="", **costs):
        board = load_board("juno")
        text = board_text(board.with_costs({name: board.costs[name] + more for name, more in costs.items()})) + extra
        done = subprocess.run([program, "-", "2", "all", "dump"], input=text.encode(), capture_output=True, check=True, timeout=120)
        recorded = import_log(store, done.stdout, "virtual.log", clock=Clock.VIRTUAL, platform="juno")
        return store.load(recorded.run_id)

    return run


@pytest.fixture(scope="module")
def base(measure):
    return measure()


def changed(comparison):
    return {(row.metric, row.name) for row in comparison.rows if row.verdict in (Verdict.REGRESSED, Verdict.IMPROVED)}


def test_an_unchanged_board_is_the_same(base, measure):
    comparison = compare(base, measure())
    assert comparison.verdict is Verdict.SAME


def test_a_slower_wakeup_is_found_on_every_core_and_in_the_part_that_grew(base, measure):
    comparison = compare(base, measure(**{"cortex-a57.exit_ns": 4000, "cortex-a53.exit_ns": 4000}))
    assert {metric for metric, _ in changed(comparison)} == {Metric.WAKEUP}
    told = [e for e in explain_pair(comparison) if e.test == "cpu_susp_serial"]
    assert [(e.sentence, e.basis) for e in told] == [("of the wakeup, median over cores, these parts changed: finish +4.00 µs", "exact")]


def test_a_busier_channel_is_a_longer_step_by_exactly_that_much(base, measure):
    comparison = compare(base, measure(busy_core_ns=30_000))
    steps = [row for row in comparison.rows if row.name == "step"]
    assert len(steps) == 2 and {row.verdict for row in steps} == {Verdict.REGRESSED}
    assert all(row.shift.value == pytest.approx(30_000, rel=0.01) for row in steps)
    assert {row.verdict for row in comparison.rows if row.name == "base"} == {Verdict.SAME}
    assert any("power message +" in e.sentence and e.basis == "exact" for e in explain_pair(comparison))


def test_a_slower_cluster_flush_is_found_for_the_last_men_of_that_cluster_alone(base, measure):
    comparison = compare(base, measure(**{"cortex-a57.flush_cluster_ns": 30_000}))
    flushes = {row.name for row in comparison.rows if row.metric is Metric.CACHE_FLUSH and row.verdict is Verdict.REGRESSED}
    assert flushes == {"cluster 0, last man"}


def test_every_core_flushing_as_last_man_breaks_a_rule_and_is_a_regression(base, measure):
    faulty = measure(extra="flush_always_cluster 1\n")
    assert all(check.holds for check in check_invariants(base))
    assert not all(check.holds for check in check_invariants(faulty))
    assert any(e.sentence.startswith("this breaks a rule, ") for e in explain_run(faulty))
    assert compare(base, faulty).verdict is Verdict.REGRESSED


def test_the_wait_in_a_queue_is_divided_among_the_cores_that_held_the_lock(base):
    told = [e.sentence for e in explain_run(base) if e.test == "susp_deep_parallel" and " waited " in e.sentence]
    assert len(told) == 1 and all(f"of it behind {core}" in told[0] for core in ("1.0", "1.1", "1.2"))
