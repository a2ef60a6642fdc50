# SPDX-License-Identifier: BSD-3-Clause
"""Figures that are not what they are said to be are suspected, named, and not judged; real changes and published tables are not."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from latlab.core.comparison.by_kind import explain_pair, explain_run
from latlab.core.comparison.gate import report_gate
from latlab.core.comparison.suspect_pair import _Side, _source
from latlab.core.comparison.suspect_run import suspicions_of
from latlab.core.comparison.suspicion import Doubt, Ground
from latlab.core.comparison.verdicts import Verdict
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import UNNAMED, CoreId, CoreTrace, Sample, Tick, TraceRecord
from latlab.core.report.comparison.data import comparison_json
from latlab.core.report.comparison.sentences import summary
from latlab.core.report.exports.junit import comparison_junit
from latlab.core.statistics.sample_matrix import columns_of
from latlab.core.store.references import load
from latlab.psci.analysis.overlap import overlap_suspicions
from support.known_boards import JUNO, N1SDP, N1SDP_NOISE, Noise, like_juno, measured
from support.pairs_of_kind import compare_spans as compare
from support.runs import changed, run_with

FAIL_ON = frozenset({"regressed"})
DOWN, UP, FLUSH, CALL = Metric.POWERDOWN, Metric.WAKEUP, Metric.CACHE_FLUSH, Metric.PSCI_CALL
OFF, DEEP, LEVEL_0 = "cpu_off_serial", "susp_deep_serial", "cpu_susp_serial"
WRAP_NS, WRAP_TICKS = 2**32, 2**32 * 20
BOARDS = [(JUNO, Noise()), (N1SDP, N1SDP_NOISE), (like_juno((2, 2)), Noise(heavy=True))]
EVERYTHING = "every figure"


def each(run, change):
    return changed(run, samples=[change(sample) for sample in run.samples])


def times(factor, chosen=lambda s: True):
    return lambda run: each(run, lambda s: replace(s, value_ticks=round(s.value_ticks * factor)) if chosen(s) else s)


def turned(test, metrics):
    return lambda run: each(run, lambda s: replace(s, metric=metrics.get(s.metric, s.metric)) if s.test == test else s)


def longer_once(more_ns):
    """The last wake-up of the serial level-0 test."""

    def plant(run):
        at = max(i for i, s in enumerate(run.samples) if (s.test, s.metric) == (LEVEL_0, UP))
        return changed(
            run,
            samples=[replace(s, value_ticks=s.value_ticks + round(more_ns / 20)) if i == at else s for i, s in enumerate(run.samples)],
        )

    return plant


def pasted(run):
    boots = 1 + max(sample.boot for sample in run.samples)
    return changed(run, samples=[replace(s, boot=boot) for boot in range(boots) for s in run.samples if s.boot == 0])


PLANTED = {
    "ticks for ns": (times(1 / 20), Doubt.TICKS, EVERYTHING),
    "half clock": (times(1 / 2), Doubt.HALF_CLOCK, EVERYTHING),
    "ns as us": (times(1000), Doubt.UNIT, EVERYTHING),
    "half clock in one test": (times(1 / 2, lambda s: s.test == OFF), Doubt.HALF_CLOCK, "cpu_off_serial powerdown, wakeup and cache_flush"),
    "half clock in a parallel test": (times(1 / 2, lambda s: s.test == "cpu_susp_parallel"), Doubt.HALF_CLOCK, "cpu_susp_parallel"),
    "one test in another unit": (times(1000, lambda s: s.test == LEVEL_0), Doubt.UNIT, "cpu_susp_serial powerdown"),
    "wakeup and flush exchanged after CPU_OFF": (turned(OFF, {UP: FLUSH, FLUSH: UP}), Doubt.EXCHANGED, "cpu_off_serial wakeup"),
    "wakeup and flush exchanged at level 0": (turned(LEVEL_0, {UP: FLUSH, FLUSH: UP}), Doubt.EXCHANGED, "wakeup and cache_flush"),
    "labels rotated": (turned(DEEP, {DOWN: UP, UP: FLUSH, FLUSH: DOWN}), Doubt.EXCHANGED, "powerdown, wakeup and cache_flush"),
    "wakeup and flush exchanged in parallel": (turned("susp_deep_parallel", {UP: FLUSH, FLUSH: UP}), Doubt.EXCHANGED, "parallel wakeup"),
    "labels rotated in parallel": (turned("cpu_susp_parallel", {DOWN: UP, UP: FLUSH, FLUSH: DOWN}), Doubt.EXCHANGED, "cpu_susp_parallel"),
    "seven times everything": (times(7), Doubt.SCALED, "1/7"),
    "2^32 ns more": (longer_once(WRAP_NS), Doubt.WRAPPED, "2^32 ns less"),
    "2^32 ticks more": (longer_once(WRAP_TICKS), Doubt.WRAPPED, "2^32 ticks less"),
    "85 s": (longer_once(85e9), Doubt.WRAPPED, "85 s"),
    "a column of zeros": (times(0, lambda s: (s.test, s.metric) == ("susp_deep_parallel", DOWN)), Doubt.ZERO, "susp_deep_parallel"),
    "one cell of zero": (times(0, lambda s: (s.test, s.metric, s.core) == (OFF, DOWN, CoreId(0, 1))), Doubt.ZERO, "of core 0.1 is 0"),
    "nothing measured at all": (times(0), Doubt.ZERO, "is 0"),
    "one log as four boots": (pasted, Doubt.SAME_BOOTS, "4 of 4 boots"),
}  # fmt: skip


@pytest.mark.parametrize("boots", [1, 4])
@pytest.mark.parametrize(("board", "noise"), BOARDS, ids=lambda one: getattr(one, "platform", ""))
@pytest.mark.parametrize("name", PLANTED)
def test_what_no_firmware_does_is_suspected_and_not_judged(name, board, noise, boots):
    plant, doubt, said = PLANTED[name]
    boots = 4 if doubt is Doubt.SAME_BOOTS else boots
    before, after = measured(board, noise, 2, boots, "a"), plant(measured(board, noise, 3, boots, "b"))
    comparison = compare(before, after)
    found = [one for one in comparison.suspicions if one.doubt is doubt]
    assert found and {one.run for one in comparison.suspicions} == {"a" if doubt is Doubt.SCALED else "b"}
    covered = {span for one in found for span in one.spans}
    assert {row.verdict for row in comparison.rows if (row.test, row.metric) in covered} <= {Verdict.CANNOT_TELL}
    assert comparison.verdict is Verdict.CANNOT_TELL and not any(change.is_worse for change in comparison.rule_changes)
    decision = report_gate(comparison, FAIL_ON)
    first = (decision.lines[1], summary(comparison), explain_pair(comparison)[0].sentence)
    assert decision.exit_code == 3 and all(line.startswith("data-quality warning for ") and said in line for line in first)


REAL = {
    "nothing": times(1),
    **{f"{one} x{factor}": times(factor, lambda s, m=one: s.metric is m) for one in (DOWN, UP, FLUSH, CALL) for factor in (0.5, 2)},
    "two metrics halved": times(0.5, lambda s: s.metric in (DOWN, UP)),
    "a twentieth of one metric": times(1 / 20, lambda s: s.metric is UP),
    "one test ten times as long": times(10, lambda s: s.test == LEVEL_0),
    "one metric of a test halved": times(0.5, lambda s: (s.test, s.metric) == (OFF, UP)),
    "one span fifty times as long": times(50, lambda s: (s.test, s.metric, s.core, s.boot) == (OFF, UP, CoreId(1, 0), 0)),
}  # fmt: skip


@pytest.mark.parametrize("boots", [1, 4])
@pytest.mark.parametrize(("board", "noise"), BOARDS, ids=lambda one: getattr(one, "platform", ""))
@pytest.mark.parametrize("name", REAL)
def test_what_a_firmware_may_do_is_never_suspected(name, board, noise, boots):
    comparison = compare(measured(board, noise, 2, boots, "a"), REAL[name](measured(board, noise, 3, boots, "b")))
    assert comparison.suspicions == ()


def test_no_published_table_is_suspected_beside_any_other_of_its_board():
    releases = [f"v2.{number}" for number in range(9, 16)]
    for board, names in (("juno", ["2017", *releases]), ("n1sdp", releases)):
        runs = [load(f"published:tf-a/{board}/{name}") for name in names]
        assert [pair for pair in permutations(runs, 2) if compare(*pair, None).suspicions] == []


@pytest.mark.parametrize("boots", [1, 3])
@pytest.mark.parametrize("test", [OFF, DEEP, LEVEL_0])
def test_half_a_clock_in_one_test_is_seen_where_cells_scatter_by_as_much_as_a_tenth(test, boots):
    halved = times(1 / 2, lambda s: s.test == test)
    for seed in range(20):
        before, after = (measured(N1SDP, N1SDP_NOISE, 100 + 2 * seed + side, boots, name) for side, name in enumerate("ab"))
        found = compare(before, halved(after)).suspicions
        assert [(one.doubt, one.run, {span[0] for span in one.spans}) for one in found] == [(Doubt.HALF_CLOCK, "b", {test})], seed


def of_no_board(run):
    return changed(run, platform=UNNAMED, tick=Tick(Clock.TIME, 1.0))


@pytest.mark.parametrize("factor", [1 / 20, 20])
def test_one_factor_in_everything_is_seen_through_what_truly_changed_and_where_no_counter_is_known(factor):
    """Between the two releases the wake-up became a fifth longer."""
    before, after = (load(f"published:tf-a/juno/{name}") for name in ("v2.10", "v2.11"))
    comparison = compare(of_no_board(times(20)(before)), of_no_board(times(20 * factor)(after)))
    (found,) = comparison.suspicions
    assert (found.doubt, found.is_whole) == (Doubt.SCALED, True) and found.size == pytest.approx(20, rel=0.1)
    decision = report_gate(comparison, FAIL_ON)
    assert decision.exit_code == 3 and "every figure is about 1/2" in decision.lines[1] and "check the unit" in decision.lines[1]


def test_the_rest_of_a_run_is_judged_as_if_the_suspect_figures_were_not_there():
    before, after = measured(JUNO, Noise(), 2, 4, "a"), measured(JUNO, Noise(), 3, 4, "b")
    suspect = compare(before, turned(OFF, {UP: FLUSH, FLUSH: UP})(after))
    assert {row.test for row in suspect.rows if row.metric is DOWN and row.verdict is not Verdict.CANNOT_TELL} >= {DEEP, LEVEL_0}
    assert not any(row.verdict in (Verdict.REGRESSED, Verdict.IMPROVED) for row in suspect.rows)


def test_boots_that_are_one_count_once():
    before, after = measured(JUNO, Noise(), 2, 4, "a"), pasted(measured(JUNO, Noise(), 3, 4, "b"))
    comparison = compare(before, after)
    assert comparison.boots == (4, 1)
    assert any("boots of b with the same figures as another boot count once" in note for note in comparison.notes)


def test_boots_of_a_board_without_scatter_count_once_and_are_not_suspected():
    """A core alone that takes the same time in every iteration takes it in every boot."""
    samples = [Sample(LEVEL_0, metric, CoreId(0, 0), boot, 0, 500) for boot in range(4) for metric in (DOWN, UP)]
    run = run_with(platform="bench", tick=Tick(Clock.TIME, 20.0), samples=samples, id="a")
    comparison = compare(run, replace(times(1.5)(run), id="b"))
    assert comparison.suspicions == () and comparison.boots == (1, 1)


@pytest.mark.parametrize("plant", [pasted, times(0, lambda s: s.metric is UP), times(0.5)], ids=["boots", "zeros", "halves"])
def test_under_a_clock_that_counts_exactly_equal_boots_zeros_and_halves_are_normal(plant):
    exact = Tick(Clock.INSTRUCTIONS, 1.0)
    before, after = (replace(run, tick=exact) for run in (measured(JUNO, Noise(), 2, 2, "a"), plant(measured(JUNO, Noise(), 2, 2, "b"))))
    assert compare(before, after).suspicions == ()


def test_ticks_said_to_be_ns_are_seen_in_the_run_itself_where_the_counter_is_known():
    run = replace(measured(JUNO, Noise(), 2, 1, "a"), tick=Tick(Clock.TIME, 1.0))
    (one,) = suspicions_of(run, columns_of(run))
    assert (one.doubt, one.ground, one.usual, one.is_whole) == (Doubt.TICKS, Ground.TICK, 20.0, True)
    unknown = replace(run, platform="bench")
    assert suspicions_of(unknown, columns_of(unknown)) == ()


def test_a_flush_that_the_print_rounds_to_nothing_is_not_suspected():
    """Published in whole microseconds a flush of a third of one is 0."""
    run = measured(N1SDP, N1SDP_NOISE, 2, 1, "a")
    coarse = changed(
        run,
        samples=[replace(s, value_ticks=round(s.value_ticks / 50) * 50) for s in run.samples],
        resolutions=((FLUSH, 1000.0), (CALL, 1000.0)),
    )
    assert any(s.value_ticks == 0 for s in coarse.samples) and suspicions_of(coarse, columns_of(coarse)) == ()


def traced(test, starts, clock=Clock.TIME):
    """A core for each start, which goes down for 100 ticks."""
    events = ("ENTER_PSCI", 0), ("ENTER_HW_LOW_PWR", 100), ("EXIT_HW_LOW_PWR", 5000), ("EXIT_PSCI", 5100)
    traces = [
        CoreTrace(test, 0, 0, CoreId(0, i), tuple(TraceRecord(n, at + more, event, 0x84000001) for n, (event, more) in enumerate(events)))
        for i, at in enumerate(starts)
    ]
    return run_with(tick=Tick(clock, 20.0), traces=traces, id="a")


@pytest.mark.parametrize(
    ("test", "starts", "doubt"),
    [
        ("cpu_susp_parallel", (0, 50, 90), None),
        ("cpu_susp_parallel", (0, 200, 400), Doubt.APART),
        ("cpu_susp_parallel", (0, 50, 400), None),
        ("cpu_susp_serial", (0, 200, 400), None),
        ("cpu_susp_serial", (0, 200, 250), Doubt.AT_ONCE),
    ],
)
def test_the_time_stamps_say_whether_cores_went_down_at_once(test, starts, doubt):
    run = traced(test, starts)
    assert [one.doubt for one in overlap_suspicions(run)] == ([doubt] if doubt else [])


def test_cores_that_take_turns_under_the_instruction_clock_are_apart_and_not_suspected():
    assert overlap_suspicions(traced("cpu_susp_parallel", (0, 200, 400), Clock.INSTRUCTIONS)) == ()
    assert overlap_suspicions(traced("cpu_susp_serial", (0, 50, 400), Clock.INSTRUCTIONS))[0].doubt is Doubt.AT_ONCE


def test_a_suspicion_is_the_first_thing_that_explain_says_of_a_run():
    run = longer_once(WRAP_NS)(measured(JUNO, Noise(), 2, 5, "a"))
    assert "2^32 ns less: a wrapped counter, or a hang" in explain_run(run)[0].sentence


def test_suspicions_are_written_as_data_and_as_errors():
    comparison = compare(measured(JUNO, Noise(), 2, 1, "a"), times(1 / 2)(measured(JUNO, Noise(), 3, 1, "b")))
    assert '"doubt": "half clock"' in comparison_json(comparison)
    xml = comparison_junit(comparison, report_gate(comparison, FAIL_ON))
    assert 'classname="suspect"' in xml and '<error message="data-quality warning for b: every figure is half' in xml


def test_a_column_that_holds_another_is_known_though_its_cells_scatter():
    down, flush = ("cpu_off_serial", Metric.POWERDOWN), ("cpu_off_serial", Metric.CACHE_FLUSH)
    was = _Side(down, np.array([2_790.0, 2_790.0, 2_750.0, 2_750.0]), np.full(4, 30_000.0), 0.05)
    taken = _Side(flush, np.full(4, 360.0), np.array([2_400.0, 2_400.0, 1_800.0, 1_800.0]), 0.05)
    assert _source(taken, {down: was, flush: taken}) == down
    even = replace(taken, after=np.full(4, 2_090.0))
    assert _source(even, {down: was, flush: even}) is None, "as far off on average, by no scatter"
