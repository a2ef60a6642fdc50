# SPDX-License-Identifier: BSD-3-Clause
"""Who leads a serial test, seen from its figures; and what may be compared where that is another core, or nobody knows."""

from dataclasses import replace
from itertools import pairwise

import pytest

from latlab.core.comparison.by_kind import explain_pair
from latlab.core.comparison.gate import report_gate
from latlab.core.comparison.verdicts import Verdict
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.core.readers.platform_facts import facts_of
from latlab.core.statistics.sample_matrix import columns_of
from latlab.core.store.references import load
from latlab.psci.analysis.groups import LAST_MAN, PLAIN
from latlab.psci.analysis.roles import inferred_lead, roles_of
from support.known_boards import JUNO, N1SDP, N1SDP_NOISE, Noise, like_juno, measured
from support.pairs_of_kind import compare_spans as compare
from support.runs import changed

RELEASES = tuple(f"v2.{number}" for number in range(9, 16))
PAIRS = [(board, *pair) for board, all_of in (("juno", ("2017", *RELEASES)), ("n1sdp", RELEASES)) for pair in pairwise(all_of)]
CHANGED = (Verdict.REGRESSED, Verdict.IMPROVED)
NOISE = Noise()
FAIL_ON = frozenset({"regressed"})
ELSEWHERE = [
    (JUNO, NOISE, CoreId(0, 0)),
    (JUNO, NOISE, CoreId(1, 2)),
    (N1SDP, N1SDP_NOISE, CoreId(1, 0)),
    (like_juno((1, 1)), NOISE, CoreId(1, 0)),
]


def untold(run):
    return replace(run, lead=None)


def seen_lead(run):
    columns = columns_of(run)
    return inferred_lead(run, columns, roles_of(columns, facts_of(run.platform).managed_by))


def scaled(run, test, metric, core, factor):
    hit = (test, metric, core)
    return changed(
        run,
        samples=[replace(s, value_ticks=round(s.value_ticks * factor)) if (s.test, s.metric, s.core) == hit else s for s in run.samples],
    )


@pytest.mark.parametrize(("board", "before", "after"), PAIRS)
def test_published_tables_compare_alike_whether_or_not_their_source_names_the_lead(board, before, after):
    a, b = (load(f"published:tf-a/{board}/{name}") for name in (before, after))
    told, inferred = compare(a, b), compare(untold(a), untold(b))
    assert inferred.leads == told.leads and inferred.verdict is told.verdict and inferred.gaps == told.gaps
    assert repr(inferred.rows) == repr(told.rows), "== finds nan different, since Python 3.13 in dataclasses too"
    assert [one.sentence for one in explain_pair(inferred)] == [one.sentence for one in explain_pair(told)]


def test_a_powerdown_that_only_the_lead_s_siblings_gained_stays_in_their_row_of_the_base():
    comparison = compare(untold(load("published:tf-a/juno/v2.14")), untold(load("published:tf-a/juno/v2.15")))
    (row,) = [row for row in comparison.rows if (row.test, row.metric, row.cluster) == ("susp_deep_serial", Metric.POWERDOWN, 1)]
    assert [cell.label for cell in row.cells] == ["1.0", "1.1", "1.2", "1.3"]
    lead, *siblings = (cell.difference / cell.before for cell in row.cells)
    assert abs(lead) < 0.05 and max(siblings) < -0.4
    assert comparison.stops and report_gate(comparison, FAIL_ON).exit_code == 3


@pytest.mark.parametrize("known", [True, False], ids=["told", "not told"])
@pytest.mark.parametrize(("board", "noise", "lead"), ELSEWHERE)
def test_a_lead_that_moved_and_nothing_else_is_no_change(board, noise, lead, known):
    a, b = measured(board, noise, 2, 4, "a"), measured(replace(board, lead=lead), noise, 5, 4, "b")
    comparison = compare(a, b) if known else compare(untold(a), untold(b))
    assert comparison.leads == (board.lead, lead)
    assert [row.name for row in comparison.rows if row.verdict in CHANGED] == []
    assert any(f"the lead moved from {board.lead} to {lead}" in gap for gap in comparison.gaps)
    assert report_gate(comparison, FAIL_ON).exit_code == 3


def test_where_the_lead_moved_what_does_not_depend_on_it_is_still_judged():
    slow = replace(JUNO, lead=CoreId(1, 1), wake_core=tuple(1.2 * cost for cost in JUNO.wake_core))
    comparison = compare(measured(JUNO, NOISE, 2, 4, "a"), measured(slow, NOISE, 3, 4, "b"))
    (row,) = [r for r in comparison.rows if (r.test, r.metric, r.cluster) == ("cpu_susp_serial", Metric.WAKEUP, 1)]
    assert row.verdict is Verdict.REGRESSED and [cell.label for cell in row.cells] == ["1.2", "1.3"]


def test_every_test_is_not_said_where_some_could_not_be_compared():
    slow = replace(JUNO, lead=CoreId(0, 0), plain=2 * JUNO.plain)
    found = explain_pair(compare(measured(JUNO, NOISE, 2, 4, "a"), measured(slow, NOISE, 3, 4, "b")))
    (said,) = [one.sentence for one in found if one.sentence.startswith("powerdown regressed")]
    assert "in every test" not in said


def test_a_core_is_only_ever_compared_with_itself_in_a_serial_test():
    for board, before, after in PAIRS:
        comparison = compare(load(f"published:tf-a/{board}/{before}"), load(f"published:tf-a/{board}/{after}"))
        serial = [row for row in comparison.rows if row.test.endswith("_serial")]
        assert serial and all("." in cell.label for row in serial for cell in row.cells)


def seen_by_flush_alone(run):
    """Without the serial tests that show the lead in another way."""
    return untold(changed(run, samples=[s for s in run.samples if s.test in ("susp_deep_serial", "cpu_susp_parallel")]))


def test_cores_that_become_last_men_under_an_unknown_lead_are_a_gap_and_the_others_are_judged():
    a = seen_by_flush_alone(measured(JUNO, NOISE, 2, 4, "a"))
    b = a
    for core in (CoreId(1, 1), CoreId(1, 2), CoreId(1, 3)):
        b = scaled(b, "susp_deep_serial", Metric.CACHE_FLUSH, core, 17)
    comparison = compare(a, replace(b, id="b"))
    assert comparison.leads == (CoreId(1, 0), None)
    assert any("1.1, 1.2, 1.3 cannot be compared" in gap and "the lead of b" in gap and "is unknown" in gap for gap in comparison.gaps)
    assert not any("moved" in text for text in (*comparison.notes, *comparison.gaps))
    rows = [row for row in comparison.rows if (row.test, row.metric) == ("susp_deep_serial", Metric.POWERDOWN)]
    labels = [cell.label for row in rows for cell in row.cells]
    assert labels == ["0.0", "0.1", "1.0"]


def test_cores_that_become_last_men_under_one_lead_stay_in_their_row_of_the_base():
    a = measured(JUNO, NOISE, 2, 4, "a")
    b = scaled(a, "susp_deep_serial", Metric.CACHE_FLUSH, CoreId(1, 1), 17)
    comparison = compare(a, replace(b, id="b"))
    names = {row.name for row in comparison.rows if (row.test, row.metric, row.cluster) == ("susp_deep_serial", Metric.CACHE_FLUSH, 1)}
    assert names == {f"cluster 1{', ' if part else ''}{part}" for part in (PLAIN, LAST_MAN)}


def test_serial_tests_that_show_two_leads_show_none():
    run = untold(measured(JUNO, NOISE, 2, 4))
    assert seen_lead(run) == CoreId(1, 0)
    other = scaled(run, "cpu_susp_serial", Metric.POWERDOWN, CoreId(0, 1), 4)
    assert seen_lead(other) is None


def test_one_core_that_got_slow_takes_no_lead_with_it():
    """On a board whose lead CPU_OFF alone shows, a core that stands out elsewhere is a regression."""
    a = untold(measured(N1SDP, N1SDP_NOISE, 2, 8, "a"))
    b = scaled(untold(measured(N1SDP, N1SDP_NOISE, 3, 8, "b")), "cpu_susp_serial", Metric.POWERDOWN, CoreId(1, 1), 4)
    comparison = compare(a, b)
    rows = [row for row in comparison.rows if (row.test, row.metric, row.cluster) == ("cpu_susp_serial", Metric.POWERDOWN, 1)]
    assert not any("lead" in gap for gap in comparison.gaps) and any(
        cell.label == "1.1" and cell.difference > 0 for row in rows for cell in row.cells
    )


@pytest.mark.parametrize(("before_pays", "after_pays", "only"), [(True, False, "first"), (False, True, "second")])
def test_a_last_man_that_pays_in_one_run_only_is_a_gap(before_pays, after_pays, only):
    """On a platform of which nobody knows who keeps the caches, no rule speaks of it."""
    free = replace(like_juno((2, 4)), flush_cluster=(138.0, 5.0))
    boards = [like_juno((2, 4)) if pays else free for pays in (before_pays, after_pays)]
    comparison = compare(measured(boards[0], NOISE, 2, 1, "a"), measured(boards[1], NOISE, 3, 1, "b"))
    told = f"susp_deep_parallel cache_flush: a core of cluster 1 flushes as its last core down in the {only} run only"
    assert told in comparison.gaps and report_gate(comparison, FAIL_ON).exit_code in (1, 3)
