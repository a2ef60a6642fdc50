# SPDX-License-Identifier: BSD-3-Clause
"""Pictures and the heading of a comparison: what moved, by how much, where, and between what."""

from __future__ import annotations

from dataclasses import replace

import pytest

from latlab.core.comparison.by_kind import compare, explain_pair
from latlab.core.comparison.counted_findings import Agreement, CountedBeside
from latlab.core.comparison.verdicts import Verdict
from latlab.core.model.distributions import distributions_of
from latlab.core.report.comparison import comparison_tables, web
from latlab.core.report.comparison.answer import answer, inferred_cause, sides
from latlab.core.report.comparison.web import MOST_ROWS, function_charts, shift_charts, wakeup_charts
from latlab.core.report.text import plain
from latlab.core.store.references import load
from support.function_runs import SLOWER, TREE, run_of
from support.ladder_model import Truth, make_run
from support.wakeup_runs import distribution, wakeup_run
from support.wakeup_runs import drawn as wakeups

JUNO = ("published:tf-a/juno/v2.9", "published:tf-a/juno/v2.10")


@pytest.fixture(name="release", scope="module")
def fixture_release():
    return compare(load(JUNO[0]), load(JUNO[1]))


def rows_of(chart):
    """The rows of every panel, in the order in which they are drawn."""
    return [row for row in values_of(chart.spec) if "share" in row and "row" in row]


def values_of(spec):
    """All rows of the data of a specification."""
    return [row for rows in spec["datasets"].values() for row in rows]


def test_where_no_figure_moved_no_chart_of_shifts_is_drawn():
    same = compare(run_of(TREE), run_of(TREE, 2))
    assert list(shift_charts(same)) == []
    assert "What changed" not in [plain(section.title) for section in web.page(same).sections]


def test_the_plot_has_each_changed_row_once_the_largest_on_top(release):
    (chart,) = shift_charts(release)
    changed = [row for row in release.rows if row.verdict in (Verdict.REGRESSED, Verdict.IMPROVED)]
    drawn = rows_of(chart)
    assert len(drawn) == len(changed) == len({row["row"] for row in drawn})
    shares = [row["share"] for row in drawn]
    assert shares == sorted(shares, reverse=True)
    assert all(row["low"] <= row["share"] <= row["high"] for row in drawn)
    assert all(row["from"] < 0 < row["to"] for row in drawn) and "grey band" in chart.note


def test_a_plot_of_many_rows_says_how_many_it_leaves_out(release):
    row = next(row for row in release.rows if row.verdict is Verdict.REGRESSED)
    many = replace(release, rows=tuple(replace(row, name=f"core {number}") for number in range(MOST_ROWS + 5)))
    (chart,) = shift_charts(many)
    assert len(rows_of(chart)) == MOST_ROWS and f"The {MOST_ROWS} largest of {MOST_ROWS + 5} rows are drawn." in chart.note


def test_where_nothing_changed_the_largest_shifts_are_drawn_within_their_band():
    timed = compare(make_run(Truth(), 1, boots=4), make_run(Truth(), 2, boots=4))
    (chart,) = shift_charts(timed)
    assert chart.title == "The largest shifts" and "regressed" not in {row["verdict"] for row in rows_of(chart)}


def test_functions_are_drawn_by_how_much_they_moved():
    counted = compare(run_of(TREE), run_of(SLOWER))
    (chart,) = function_charts(explain_pair(counted))
    moved = {row["function"]: row["moved"] for row in values_of(chart.spec)}
    assert moved == {"dcsw_op_all": 50, "new_check": 15, "memcpy<unsigned>": -6, "el3_exit": -10}


def test_wake_ups_of_both_runs_share_one_axis():
    before, after = (wakeup_run(distribution(wakeups(seed, 4_000)), name=name) for seed, name in ((1, "a"), (2, "b")))
    pair = compare(before, after)
    (chart,) = wakeup_charts(pair)
    drawn = values_of(chart.spec)
    for run, name in ((pair.a, "before (a)"), (pair.b, "after (b)")):
        counted = sum(row["n"] for row in drawn if row["run"] == name)
        assert counted == pytest.approx(sum(n for one in distributions_of(run) for _, _, n in one.counts))


def test_intervals_that_widen_with_the_latency_draw_no_comb():
    """The recorder's do: as many samples in an interval of 32 times the width are a line 32 times lower, not a peak between zeros."""
    counts = tuple((low, low + width, width) for low, width in ((1_000, 128), (1_128, 128), (1_256, 4_096), (5_352, 4_096)))
    even = replace(distribution([1_000, 9_000]), counts=counts, maximum_ticks=9_448)
    (chart,) = wakeup_charts(compare(wakeup_run(even, name="a"), wakeup_run(even, name="b")))
    lines = [row for row in values_of(chart.spec) if row["n"]]
    assert len({row["density"] for row in lines}) == 1 and max(row["at"] for row in values_of(chart.spec)) == pytest.approx(9.448)


def test_the_heading_says_what_moved_by_how_much_where_and_of_which_function(release):
    said = answer(release, explain_pair(release))
    rows = [row for row in release.rows if row.verdict is Verdict.REGRESSED]
    assert said == "Wakeup regressed by +2.97 µs to +4.84 µs (+15.2 % to +28.1 %) in 5 tests."
    assert f"{100 * max(row.relative for row in rows):+.1f} %" in said
    functions = "cortex_a57_reset_func on cortex-a57 and cortex_a53_reset_func on cortex-a53"
    assert inferred_cause(release, explain_pair(release)) == f"Inferred causes: {functions}, counted in 3 of 5 tests."


def test_a_cause_that_the_counts_contradict_for_a_part_of_the_rows_is_no_cause(release):
    explained = explain_pair(release)
    counted = next(one.finding for one in explained if isinstance(one.finding, CountedBeside))
    contradicted = replace(counted, agreement=Agreement.CONTRADICTED)
    changed = [replace(one, finding=contradicted) if one.finding is counted else one for one in explained]
    assert inferred_cause(release, changed) == ""


@pytest.mark.parametrize(("board", "after"), [(board, number) for board in ("juno", "n1sdp") for number in range(10, 16)])
def test_a_named_cause_changed_in_the_direction_of_the_time(board: str, after: int) -> None:
    pair = compare(load(f"published:tf-a/{board}/v2.{after - 1}"), load(f"published:tf-a/{board}/v2.{after}"))
    explained = explain_pair(pair)
    moves: dict[str, set[bool]] = {}
    for one in explained:
        if isinstance(one.finding, CountedBeside):
            for name, moved in one.finding.functions:
                moves.setdefault(name, set()).add((moved > 0) == (one.finding.verdict is Verdict.REGRESSED))
    causes = inferred_cause(pair, explained)
    named = [name for name in moves if f"{name} on " in causes]
    for chart in function_charts(explained) if causes else ():
        sentences = chart.note.removesuffix(".").split(". ")
        assert "The direction is judged by uncached accesses and cache maintenance" in sentences
        assert not any(sentence[0].islower() for sentence in sentences), chart.note
    assert bool(named) == bool(causes) and all(moves[name] == {True} for name in named)


def test_the_two_runs_are_named_by_what_differs(release):
    assert sides(release) == "TF-A v2.9-rc0 to TF-A v2.10"
    same = compare(run_of(TREE), run_of(SLOWER))
    assert sides(same) == f"run {same.a.id} to run {same.b.id}"


def test_a_change_is_said_once_where_both_ends_are_equal():
    counted = compare(run_of(TREE), run_of(SLOWER))
    (table,) = comparison_tables.change_tables(counted)
    assert plain(table.caption) == "powerdown regressed: 2 of 2 data points rose"
    assert "by +49 instructions (+2.3 %) in cpu_off_serial" in answer(counted, explain_pair(counted))


def test_a_small_share_is_never_printed_as_nothing(release):
    row = next(row for row in release.rows if row.verdict is Verdict.REGRESSED)
    small = replace(row, before=10_000_000.0, shift=replace(row.shift, value=20_000.0))
    (table,) = comparison_tables.change_tables(replace(release, rows=(small,)))
    assert table.rows[0][1] == "+20.00 (+0.2 %)"
