# SPDX-License-Identifier: BSD-3-Clause
"""A gate's decision as a comment under a change."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.comparison import Row
from latlab.core.comparison.gate import GateReport, report_gate
from latlab.core.model.provenance import Provenance
from latlab.core.model.run import Run
from latlab.core.report.comparison.comment import MOST_ROWS, Handed, render
from latlab.core.report.comparison.comparison_tables import row_tables
from latlab.core.store.references import load

REGRESSED = frozenset({"regressed"})


def comment(before: Run, after: Run, link: str = "") -> str:
    comparison = compare(before, after)
    return render(comparison, report_gate(comparison, REGRESSED), Handed(link))


@pytest.fixture(name="pair", scope="module")
def fixture_pair() -> tuple[Run, Run]:
    return load("published:tf-a/n1sdp/v2.9"), load("published:tf-a/n1sdp/v2.10")


def test_a_comment_on_a_regression_begins_with_the_verdict_and_has_the_worst_first(pair: tuple[Run, Run]) -> None:
    lines = comment(*pair).splitlines()
    assert lines[0] == "# latlab gate fails: n1sdp, TF-A v2.10-rc0" and lines[2].startswith("fail: ")
    changes = [
        float(found[1].replace(",", "")) for line in lines if line.startswith("| ") and (found := re.search(r"\(\\?\+([\d.,]+) %\)", line))
    ]
    failing = report_gate(compare(*pair), REGRESSED).failing
    assert len(changes) == min(MOST_ROWS, len(failing)) > 1 and changes == sorted(changes, reverse=True) and changes[0] > 100


def _failing(report: GateReport, *rows: Row) -> GateReport:
    return replace(report, decision=replace(report.decision, rows=rows))


def test_a_change_that_the_medians_do_not_show_says_what_they_are(pair: tuple[Run, Run]) -> None:
    """One core of many that wakes up much later leaves the median as it was."""
    note = "Before and after are medians over the cores"
    comparison = compare(*pair)
    decision = report_gate(comparison, REGRESSED)
    row = decision.failing[0]
    as_shown = replace(row, after=row.before + row.shift.value)
    hidden = replace(row, after=row.before)
    assert note not in render(comparison, _failing(decision, as_shown))
    assert note in render(comparison, _failing(decision, as_shown, hidden))
    for moved, notes in ((as_shown, 0), (hidden, 1)):
        ((_, table),) = row_tables(replace(comparison, rows=(moved,)))
        assert [text.startswith(note) for text in table.notes] == [True] * notes


def test_no_comment_is_longer_than_thirty_lines_however_much_there_is_to_say(pair: tuple[Run, Run]) -> None:
    before, after = pair[0], replace(pair[1], provenance=Provenance(latlab_command=("latlab", "run", "psci")))
    comparison = compare(before, after)
    decision = report_gate(comparison, REGRESSED)
    much = replace(_failing(decision, *decision.failing * 9), causes=tuple(f"cause {number}" for number in range(40)))
    found = render(comparison, much, Handed("https://example.org/a_b", "It is the newest.", "runs.sqlite", "gh run download 1"))
    assert len(found.splitlines()) <= 30 and "more, which the commands below print" in found
    assert f"The largest {MOST_ROWS} of {9 * len(decision.failing)}." in found
    assert (
        "latlab run psci\ngh run download 1\nlatlab explain " in found
        and " --store runs.sqlite\n" in found
        and found.endswith("\n[The whole report](<https://example.org/a_b>)\n")
    )


def test_two_equal_runs_pass_in_a_few_lines_without_a_table(pair: tuple[Run, Run]) -> None:
    found = comment(pair[0], pair[0])
    assert found.startswith("# latlab gate passes") and "|" not in found.split("```")[0].replace("\\|", "")
