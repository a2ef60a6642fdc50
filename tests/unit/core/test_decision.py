# SPDX-License-Identifier: BSD-3-Clause
"""The one decision: each reason, their order, and that every reader of it says the same."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.check import Check, RuleChange
from latlab.core.comparison.comparison import Comparison
from latlab.core.comparison.decision import REGRESSED, Claim, ClaimLevel, Reason, decide
from latlab.core.comparison.findings import BeyondOrder
from latlab.core.comparison.gate import report_gate
from latlab.core.comparison.suspicion import Doubt, Ground, Suspicion
from latlab.core.comparison.verdicts import Verdict
from latlab.core.model.enums import Metric
from latlab.core.readers.rules import rules
from latlab.core.report.comparison.comment import render as comment
from latlab.core.report.comparison.comparison_pages import screen
from latlab.core.report.comparison.data import comparison_json
from latlab.core.report.exports import sarif
from latlab.core.report.exports.junit import comparison_junit
from latlab.core.report.text import plain
from latlab.core.statistics.statistics import Shift
from support.ladder_model import Truth, make_run

QUIET = Truth(noise=0.003)
SHIFT = Shift(900.0, 700.0, 1_100.0, 1e-6, 100.0, 10.0)
STOP = BeyondOrder(Metric.WAKEUP, "susp_deep_parallel", "all cores, by place", 1_000.0, 9_000.0, 900.0, 1_200.0, 1)


@pytest.fixture(scope="module")
def same() -> Comparison:
    return compare(make_run(QUIET, 1, boots=4, name="a"), make_run(QUIET, 1, boots=4, name="b"))


def part(verdict: Verdict, is_frontier: bool = True) -> Claim:
    return Claim(
        ClaimLevel.GROUP,
        Metric.WAKEUP,
        "",
        "of cluster 1 in five tests",
        20_000.0,
        20_900.0,
        SHIFT,
        600.0,
        1e-4,
        verdict,
        5,
        20,
        is_frontier,
    )


def broken() -> RuleChange:
    return RuleChange(Check("susp_deep_serial", next(iter(rules().values())), False, "it does not hold"), True)


def warned() -> Suspicion:
    return Suspicion(Doubt.ZERO, "b", Ground.RUN, (("susp_deep_serial", Metric.WAKEUP),))


CASES = {
    Reason.PASSED: ({}, 0, Verdict.SAME),
    Reason.CLAIM: ({"claims": (part(Verdict.REGRESSED),)}, 1, Verdict.REGRESSED),
    Reason.MISSING: ({"gaps": ("core 1.2 is missing",)}, 3, Verdict.CANNOT_TELL),
    Reason.LARGE: ({"notable": (STOP,)}, 3, Verdict.CANNOT_TELL),
    Reason.RULE: ({"rule_changes": (broken(),)}, 1, Verdict.REGRESSED),
    Reason.WARNING: ({"suspicions": (warned(),), "claims": (part(Verdict.REGRESSED),)}, 3, Verdict.CANNOT_TELL),
}


@pytest.mark.parametrize("reason", CASES)
def test_each_reason_has_its_exit_code_and_is_read_everywhere(same: Comparison, reason: Reason):
    fields, code, verdict = CASES[reason]
    comparison = replace(same, **fields)  # type: ignore[arg-type]
    decision, report = decide(comparison), report_gate(comparison, REGRESSED)
    assert (decision.reason, decision.exit_code, decision.verdict) == (reason, code, verdict)
    assert report.exit_code == code and report.verdict.startswith({0: "pass: ", 1: "fail: ", 3: "inconclusive: "}[code])
    document = json.loads(comparison_json(comparison))
    assert (document["verdict"], document["exit_code"], document["reason"]) == (verdict.word, code, reason.value)
    title = {0: "passes", 1: "fails", 3: "is inconclusive"}[code]
    assert comment(comparison, report).startswith(f"# latlab gate {title}")
    assert str(verdict) in plain(screen(comparison).title)
    suite = ET.fromstring(comparison_junit(comparison, report)).find("testsuite")
    assert suite is not None
    assert (int(suite.get("failures", "")) > 0) is (code == 1) and (int(suite.get("errors", "")) > 0) is (code == 3)
    invocations = json.loads(sarif.render(comparison, report))["runs"][0].get("invocations", [{"executionSuccessful": True}])
    assert invocations[0]["executionSuccessful"] is (code != 3)


def test_what_a_part_found_is_dropped_only_where_one_of_its_own_parts_is_reported(same: Comparison):
    held = replace(same, claims=(part(Verdict.REGRESSED, is_frontier=False),))
    assert decide(held).exit_code == 0
    assert decide(replace(same, claims=(part(Verdict.IMPROVED),))).verdict is Verdict.IMPROVED


def test_inconclusive_rows_alone_are_no_pass_and_some_of_them_are_no_stop(same: Comparison):
    unknown = tuple(replace(row, verdict=Verdict.CANNOT_TELL) for row in same.rows)
    assert decide(replace(same, rows=unknown)).reason is Reason.NOTHING
    some = decide(replace(same, rows=(*unknown[:3], *same.rows[3:])))
    assert (some.exit_code, some.verdict) == (0, Verdict.NOT_SHOWN)


def test_a_failing_row_weighs_more_than_what_is_inconclusive(same: Comparison):
    worse = replace(same.rows[0], verdict=Verdict.REGRESSED)
    comparison = replace(same, rows=(worse, *same.rows[1:]), gaps=("core 1.2 is missing",), notable=(STOP,))
    assert (decide(comparison).reason, decide(comparison).rows) == (Reason.ROW, (worse,))


def test_the_first_line_of_the_gate_is_the_reason_for_its_exit_code(same: Comparison):
    assert report_gate(replace(same, rule_changes=(broken(),)), REGRESSED).verdict.startswith("fail: one rule broken; rows: 32 unchanged")
    assert "large difference" in report_gate(replace(same, notable=(STOP,)), REGRESSED).verdict
    assert (
        "wakeup of cluster 1 in five tests regressed as a whole"
        in report_gate(replace(same, claims=(part(Verdict.REGRESSED),)), REGRESSED).verdict
    )


def test_the_first_line_of_the_gate_counts_no_row_twice(same: Comparison):
    worse, better = (replace(row, verdict=verdict) for row, verdict in zip(same.rows, (Verdict.REGRESSED, Verdict.IMPROVED), strict=False))
    verdicts = (
        report_gate(replace(same, rows=(worse, *same.rows[1:])), REGRESSED).verdict,
        report_gate(replace(same, rows=(worse, better, *same.rows[2:])), REGRESSED).verdict,
        report_gate(replace(same, rows=(worse, better, *same.rows[2:])), REGRESSED | {"improved"}).verdict,
        report_gate(replace(same, rows=(worse,)), REGRESSED).verdict,
    )
    assert verdicts == (
        "fail: 1 of 32 rows regressed; others: 31 unchanged",
        "fail: 1 of 32 rows regressed; others: 1 improved, 30 unchanged",
        "fail: 1 regressed, 1 improved of 32 rows; others: 30 unchanged",
        "fail: 1 of 1 row regressed",
    )


def test_a_gate_that_is_inconclusive_because_no_row_has_a_verdict_is_so_in_sarif(same: Comparison):
    """No finding stops then, and the reason is the only sentence."""
    comparison = replace(same, rows=tuple(replace(row, verdict=Verdict.CANNOT_TELL, large=0.0) for row in same.rows))
    report = report_gate(comparison, REGRESSED)
    (invocation,) = json.loads(sarif.render(comparison, report))["runs"][0]["invocations"]
    assert (report.exit_code, report.decision.reason, invocation["executionSuccessful"]) == (3, Reason.NOTHING, False)
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == report.verdict
    assert report.verdict.startswith(f"inconclusive: none of {len(same.rows)} rows has a verdict")
    assert "largest shift" not in report.verdict
    slower = replace(comparison.rows[0], shift=replace(comparison.rows[0].shift, value=-0.3 * comparison.rows[0].before))
    shifted = report_gate(replace(comparison, rows=(*comparison.rows[1:], slower)), REGRESSED).verdict
    assert f" (largest shift -30.0 %, {slower.test} {slower.title}; {slower.basis})" in shifted


def test_beside_a_large_difference_without_a_verdict_all_rows_are_counted_by_their_words(same: Comparison):
    report = report_gate(replace(same, notable=(STOP,)), REGRESSED)
    assert report.verdict == f"inconclusive: one large difference without a verdict; rows: {len(same.rows)} unchanged"


def test_figures_that_no_row_has_are_not_called_equal(same: Comparison) -> None:
    """Queue waits are in claims of all cores and in no row. With equal rows alone the heading called all figures equal."""
    equal = replace(
        same, rows=tuple(replace(row, shift=replace(row.shift, value=0.0), verdict=Verdict.SAME) for row in same.rows), claims=()
    )
    assert "rows have equal figures" in plain(screen(equal).answer)
    moved = plain(screen(replace(equal, claims=(part(Verdict.CANNOT_TELL, is_frontier=False),))).answer)
    assert "equal figures" not in moved and "wakeup, of cluster 1 in five tests, differs by +0.90 µs (+4.5 %), in no row" in moved
