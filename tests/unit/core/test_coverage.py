# SPDX-License-Identifier: BSD-3-Clause
"""What the base measured and the candidate did not: no gate passes it, whatever the figures say."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.coverage import Counted, SampleKey, _shortfalls
from latlab.core.comparison.gate import GateReport, report_gate
from latlab.core.comparison.history import history
from latlab.core.comparison.verdicts import Limits, Verdict
from latlab.core.model.conditions import NO_CONDITIONS, Conditions
from latlab.core.model.distributions import distributions_of
from latlab.core.model.enums import Metric, ProblemKind, RowKind, RunStatus
from latlab.core.model.run import CoreId, Problem, Run, Sample
from latlab.core.report.comparison.comment import render as comment
from latlab.core.report.exports.junit import comparison_junit
from latlab.rt.campaign.results import CAMPAIGN, IMPORT_LOG, new_run, problems_of
from latlab.rt.campaign.samples import with_distributions
from support.runs import INSTRUCTIONS, changed, run_with
from support.wakeup_runs import distribution, wakeup_run
from truth.removal import KINDS, Taken, exit_of

DATA = Path(__file__).parents[2] / "data" / "coverage"
MINUTE = replace(NO_CONDITIONS, duration_s=60, interval_ns=1_000_000)


def _imported(name: str, conditions: Conditions = NO_CONDITIONS) -> Run:
    run = new_run(CAMPAIGN, "import", "board", 4, conditions, source=name)
    files = {IMPORT_LOG: (DATA / name).read_bytes()}
    status = RunStatus.PARTIAL if problems_of(run, files) else RunStatus.COMPLETE
    return replace(with_distributions(run, files), id=name.partition(".")[0], status=status)


def _gate(before: Run, after: Run) -> GateReport:
    return report_gate(compare(before, after), frozenset({"regressed"}))


@pytest.mark.parametrize(
    ("before", "after", "conditions", "code"),
    [
        ("histogram-base.txt", "histogram-good.txt", NO_CONDITIONS, 0),
        ("histogram-base.txt", "histogram-input.txt", NO_CONDITIONS, 3),
        ("rtla-base.txt", "rtla-input.txt", NO_CONDITIONS, 3),
        ("scheduled-base.txt", "scheduled-input.txt", MINUTE, 1),
        ("scheduled-base.txt", "scheduled-input.txt", NO_CONDITIONS, 1),
        ("scheduled-base.txt", "scheduled-never.txt", MINUTE, 3),
    ],
)
def test_a_cpu_that_never_woke_or_lost_wake_ups_does_not_pass(before: str, after: str, conditions: Conditions, code: int) -> None:
    assert _gate(_imported(before, conditions), _imported(after, conditions)).exit_code == code


@pytest.mark.parametrize(("counts", "code"), [((1_000, 667), 3), ((1_000, 667, 500), 3), ((1_000, 200, 1_000), 1)])
def test_threads_whose_counts_fall_with_their_number_may_have_longer_intervals(counts: tuple[int, ...], code: int) -> None:
    """cyclictest gives each thread 500 us more than the one before, if -d and -S do not say otherwise."""
    draws = np.random.default_rng(3).integers(9_000, 12_000, 1_000).tolist()
    before, after = (
        wakeup_run(*(replace(distribution(draws[:n], cpu=i), rows=RowKind.THREAD, expected=None) for i, n in enumerate(side)), name=name)
        for side, name in (((1_000,) * len(counts), "one"), (counts, "two"))
    )
    assert _gate(before, after).exit_code == code


def test_the_start_values_of_a_tool_are_no_figures() -> None:
    run = _imported("histogram-input.txt")
    assert [one.core.core for one in distributions_of(run)] == [0, 2, 3] and run.status is RunStatus.PARTIAL


def test_lost_wake_ups_stand_in_the_gate_the_comment_and_junit_with_their_numbers() -> None:
    comparison = compare(_imported("scheduled-base.txt", MINUTE), _imported("scheduled-input.txt", MINUTE))
    decision = report_gate(comparison, frozenset({"regressed"}))
    for text in (decision.lines[1], comment(comparison, decision), comparison_junit(comparison, decision)):
        assert "12,000 of 60,000" in text
    assert comparison.verdict is Verdict.REGRESSED


def test_history_names_the_run_that_lost_wake_ups_and_the_one_that_lost_a_cpu() -> None:
    runs = [_imported(f"scheduled-{name}.txt", MINUTE) for name in ("base", "input", "never")]
    (series,) = history(runs, "cyclictest/task_wakeup/*median")[1:2]
    assert any("scheduled-input" in one and "12,000 of 60,000" in one for one in series.missing)
    assert any("scheduled-never" in one for one in series.missing)


def test_a_run_of_another_length_is_no_loss_of_samples() -> None:
    long, short = (wakeup_run(*(distribution([100, 200] * n, cpu) for cpu in range(3))) for n in (3000, 1000))
    assert not compare(long, short).missing and not compare(short, long).missing


@pytest.mark.parametrize(
    ("before", "after", "short"),
    [
        ([60, 60, 60, 60], [60, 60, 12, 12], {2, 3}),
        ([60, 60, 12, 12], [60, 60, 60, 60], set()),
        ([60, 40, 30], [120, 80, 12], {2}),
        ([60, 40, 30], [48, 40, 30], {0}),
        ([60, 12], [60, 60], set()),
        ([60, 60], [60, 48], {1}),
        ([60, 60, 60], [12, 12, 60], {0, 1}),
    ],
)
def test_the_other_places_of_both_runs_say_how_many_samples_were_due(before: list[int], after: list[int], short: set[int]) -> None:
    ours, theirs = (
        {SampleKey("t", Metric.TASK_WAKEUP, CoreId(0, cpu)): Counted(1000 * n) for cpu, n in enumerate(run)} for run in (before, after)
    )
    found = list(_shortfalls(ours, theirs, Limits(), 10))
    assert {one.place.core.core for one in found if one.place.core} == short and all(one.is_significant for one in found)


def test_one_lost_sample_of_four_is_missing_data_and_no_regression() -> None:
    ours, theirs = ({SampleKey("t", Metric.WAKEUP, CoreId(0, core)): Counted(n)} for core, n in ((0, 4), (0, 3)))
    more = {SampleKey("t", Metric.WAKEUP, CoreId(0, 1)): Counted(4)}
    (found,) = _shortfalls(ours | more, theirs | more, Limits(), 1)
    assert not found.is_significant and (found.got, found.due) == ((4, 3), (4, 4))


def test_no_pair_of_which_something_was_taken_out_passes_and_untouched_ones_do() -> None:
    taken = [one for seed in range(80) if (one := exit_of(seed)) is not None]
    assert {kind for kind, *_ in taken} == set(KINDS) and {what for _, what, *_ in taken} == set(Taken) - {Taken.NOTHING}
    assert not [one for one in taken if one[2] == 0]
    untouched = [exit_of(seed, is_untouched=True) for seed in range(40)]
    assert sum(one is not None and one[2] != 0 for one in untouched) <= 1


@pytest.mark.parametrize(
    ("test", "left", "code"), [("interrupt 3", 43, 0), ("interrupt 3", 0, 3), ("ipi.send_ipi", 43, 1), ("ipi.send_ipi", 0, 3)]
)
def test_fewer_interrupts_are_no_lost_samples_and_fewer_calls_are(test: str, left: int, code: int) -> None:
    def run(name: str, count: int) -> Run:
        calls = [("time.set_timer", 200), ("base.get_spec_version", 100), (test, count)]
        samples = (Sample(called, Metric.CALL, CoreId(0, 1), 0, at, 300) for called, times in calls for at in range(times))
        return run_with(id=name, campaign="sbi", tick=INSTRUCTIONS, samples=samples)

    assert _gate(run("sbi-1111", 60), run("sbi-2222", left)).exit_code == code


_PLACES = [(boot, test, core) for boot in range(3) for test in ("susp", "off", "version") for core in range(3)]
_SAMPLES = [Sample(test, Metric.WAKEUP, CoreId(1, core), boot, at, 300) for boot, test, core in _PLACES for at in range(20)]


@pytest.mark.parametrize("cut", range(61, len(_SAMPLES), 17))
def test_a_run_that_ended_early_is_neither_regressed_nor_passes(cut: int) -> None:
    whole = run_with(id="psci-1111", tick=INSTRUCTIONS, samples=_SAMPLES)
    ended = replace(whole, id="psci-2222", status=RunStatus.PARTIAL, problems=(Problem(7, "the log ends", ProblemKind.UNFINISHED),))
    short = changed(ended, samples=_SAMPLES[:cut])
    assert (_gate(whole, short).exit_code, _gate(short, whole).exit_code) == (3, 3)


@pytest.mark.parametrize("cut", range(61, len(_SAMPLES), 61))
def test_a_run_that_goes_on_is_neither_regressed_nor_passes(cut: int) -> None:
    whole = run_with(id="psci-1111", tick=INSTRUCTIONS, samples=_SAMPLES)
    running = changed(whole, id="psci-2222", status=RunStatus.RUNNING, samples=_SAMPLES[:cut])
    assert (_gate(whole, running).exit_code, _gate(running, whole).exit_code) == (3, 3)


def test_a_core_that_lost_samples_in_each_boot_of_a_run_that_came_to_its_end_is_regressed() -> None:
    whole = run_with(id="psci-1111", tick=INSTRUCTIONS, samples=_SAMPLES)
    lossy = changed(whole, id="psci-2222", samples=[sample for sample in _SAMPLES if sample.core.core or sample.iteration < 12])
    assert _gate(whole, lossy).exit_code == 1
