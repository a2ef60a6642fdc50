# SPDX-License-Identifier: BSD-3-Clause
"""Which rules speak of which board, and that each one is broken by what it forbids: on tables of known truth, by the rules' ids."""

from __future__ import annotations

from dataclasses import replace

import pytest

from latlab.core.comparison.by_kind import check_invariants
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run
from support.known_boards import JUNO, N1SDP, N1SDP_NOISE, Noise, like_juno, measured
from support.runs import changed

DEEP, LEVEL_0 = "susp_deep_parallel", "cpu_susp_parallel"
DEEP_SERIAL, SERIAL_0, OFF = "susp_deep_serial", "cpu_susp_serial", "cpu_off_serial"
QUIET = Noise(span=0.1, wakeup=0.1, flush=0.05, version=0.01)
OF_CACHES = {
    *((test, rule) for test in (DEEP, DEEP_SERIAL, OFF) for rule in ("last_man_flushes", "only_last_man_flushes")),
    *((test, "flush_at_level_0") for test in (LEVEL_0, SERIAL_0)),
}
OF_ALL = {
    *((test, "flush_fits") for test in (DEEP, LEVEL_0, DEEP_SERIAL, SERIAL_0, OFF)),
    *((test, "like_cores") for test in (DEEP_SERIAL, SERIAL_0, OFF)),
}


def not_kept(run: Run) -> set[tuple[str, str]]:
    return {(check.test, check.rule.id) for check in check_invariants(run) if not check.holds}


def flush_times(factor: float, test: str, *cores: CoreId) -> Run:
    """A quiet Juno in which the flush of these cores in one test is another one."""
    run = measured(JUNO, QUIET, 3)
    hit = [one.test == test and one.metric is Metric.CACHE_FLUSH and one.core in cores for one in run.samples]
    return changed(
        run,
        samples=[replace(one, value_ticks=round(one.value_ticks * factor)) if h else one for h, one in zip(hit, run.samples, strict=True)],
    )


@pytest.mark.parametrize("seed", range(5))
def test_a_board_whose_software_keeps_its_caches_coherent_is_asked_for_everything_and_keeps_it(seed):
    checks = check_invariants(measured(JUNO, Noise(), seed))
    assert {(check.test, check.rule.id) for check in checks if check.applicable} == OF_CACHES | OF_ALL
    assert all(check.holds and not check.is_broken for check in checks)


@pytest.mark.parametrize(("board", "noise", "why"), [(N1SDP, N1SDP_NOISE, "clean their own caches"), (like_juno((2, 2)), Noise(), "bench")])
def test_rules_of_caches_are_not_about_a_board_that_is_unknown_or_coherent_and_say_why(board, noise, why):
    checks = check_invariants(measured(board, noise, 1))
    assert {(check.test, check.rule.id) for check in checks if not check.applicable} == OF_CACHES
    assert {(check.test, check.rule.id) for check in checks if check.applicable} == OF_ALL
    for check in checks:
        assert check.applicable or (check.sentence.startswith("not applicable, because") and why in check.sentence), check
    assert not any(check.is_broken for check in checks)


def test_a_core_that_pays_its_clusters_flush_at_level_0_breaks_the_rule_of_that_test_only():
    assert not_kept(flush_times(12, SERIAL_0, CoreId(1, 2))) == {(SERIAL_0, "flush_at_level_0")}


@pytest.mark.parametrize(("often", "kept"), [(1, True), (4, False)])
def test_one_flush_in_hundreds_as_long_as_a_last_mans_is_a_tail_and_one_in_fifty_breaks_the_rule(often, kept):
    run = measured(JUNO, QUIET, 3, 200)
    hit = [(one.test, one.metric, one.core) == (SERIAL_0, Metric.CACHE_FLUSH, CoreId(1, 2)) and one.boot < often for one in run.samples]
    late = [replace(one, value_ticks=one.value_ticks * 12) if h else one for h, one in zip(hit, run.samples, strict=True)]
    assert not_kept(changed(run, samples=late)) == (set() if kept else {(SERIAL_0, "flush_at_level_0")})


def test_a_core_that_pays_its_clusters_flush_while_the_lead_is_on_is_named_for_that():
    run = flush_times(16, OFF, CoreId(1, 2))
    assert not_kept(run) == {(OFF, "only_last_man_flushes")}
    assert any("1.2" in check.sentence for check in check_invariants(run) if not check.holds)


def test_a_cluster_whose_last_core_does_not_pay_is_broken():
    found = not_kept(flush_times(0.04, DEEP_SERIAL, CoreId(0, 0), CoreId(0, 1)))
    assert (DEEP_SERIAL, "last_man_flushes") in found
    assert found <= {(DEEP_SERIAL, "last_man_flushes"), (DEEP_SERIAL, "like_cores")}


def test_a_flush_longer_than_its_powerdown_is_broken_whatever_the_board():
    run = measured(N1SDP, QUIET, 4)
    longer = [
        replace(one, value_ticks=400) if one.metric is Metric.CACHE_FLUSH and one.core == CoreId(1, 1) else one for one in run.samples
    ]
    broken = {(check.test, check.rule.id) for check in check_invariants(changed(run, samples=longer)) if check.is_broken}
    assert broken == {(test, "flush_fits") for test in (DEEP, LEVEL_0, DEEP_SERIAL, SERIAL_0)}
