# SPDX-License-Identifier: BSD-3-Clause
"""JUnit XML: the rules of a run, or the rows of a comparison, as test cases."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from latlab.core.comparison.by_kind import check_invariants, explain_pair
from latlab.core.comparison.comparison import Comparison, Row
from latlab.core.comparison.decision import FAILED
from latlab.core.comparison.findings import RuleChanged, Suspected
from latlab.core.comparison.gate import GateReport, causes_of, claim_line
from latlab.core.comparison.verdicts import Verdict
from latlab.core.comparison.wording import amount, percent, signed
from latlab.core.errors import LatlabError
from latlab.core.model.run import Run
from latlab.core.report.titles import platform_title
from latlab.core.shown import LINES, shown

_NOT_QUITE_SAME = (Verdict.SAME_LEVEL, Verdict.MOVED)


def render(run: Run) -> str:
    """Each rule is a test case, skipped where it is not about the run."""
    suite = ET.Element("testsuite", name=f"latlab {run.campaign} {platform_title(run)}")
    for check in check_invariants(run):
        case = ET.SubElement(suite, "testcase", classname=check.test, name=check.name)
        if not check.applicable:
            _add_outcome(case, "skipped", check.sentence)
        elif not check.holds:
            _add_outcome(case, "failure", f"{check.rule.breaks}: {check.sentence}")
    for problem in run.problems:
        case = ET.SubElement(suite, "testcase", classname="reading", name=f"line {problem.line}")
        _add_outcome(case, "error", problem.message)
    return _document(suite)


def comparison_junit(comparison: Comparison, report: GateReport) -> str:
    """Each row is a test case: it fails where the gate does, is skipped where it cannot be told, speaks where not quite the same. There is
    no failure where the gate does not fail: what stops it then is an error."""
    suite = ET.Element("testsuite", name=f"latlab {comparison.a.id} to {comparison.b.id}")
    explained = explain_pair(comparison)
    outcome = "failure" if report.decision.exit_code == FAILED else "error"
    if comparison.caveat:
        properties = ET.SubElement(suite, "properties")
        ET.SubElement(properties, "property", name="caveat", value=(comparison.caveat))
    for row in comparison.rows:
        case = ET.SubElement(suite, "testcase", classname=row.test, name=f"{row.metric} {row.name}")
        if row in report.failing:
            _add_outcome(case, "failure", _sentence(row, comparison), causes_of(comparison, explained, (row,)))
        elif row.verdict is Verdict.CANNOT_TELL:
            _add_outcome(case, "skipped", _sentence(row, comparison))
        elif row.verdict in _NOT_QUITE_SAME:
            ET.SubElement(case, "system-out").text = _sentence(row, comparison)
    for claim in report.decision.claims:
        case = ET.SubElement(suite, "testcase", classname=claim.test or "all tests", name=f"{claim.metric} {claim.name}")
        _add_outcome(case, outcome, claim_line(claim, comparison.unit_of(claim.metric)))
    findings = [explanation.finding for explanation in explained]
    for change in (finding for finding in findings if isinstance(finding, RuleChanged)):
        case = ET.SubElement(suite, "testcase", classname=change.check.test, name=change.check.name)
        if change.is_worse:
            _add_outcome(case, outcome, change.check.sentence)
    for number, suspected in enumerate((finding for finding in findings if isinstance(finding, Suspected)), 1):
        case = ET.SubElement(suite, "testcase", classname="suspect", name=f"data-quality warning {number}")
        _add_outcome(case, "error", suspected.suspicion.sentence(comparison.unit))
    for number, finding in enumerate(comparison.stops, 1):
        case = ET.SubElement(suite, "testcase", classname="not judged", name=f"large difference {number}")
        _add_outcome(case, "error", finding.sentence(comparison.unit_of(finding.metric)))
    for number, gap in enumerate(comparison.gaps, 1):
        case = ET.SubElement(suite, "testcase", classname="not judged", name=f"missing data {number}")
        _add_outcome(case, "error", gap)
    return _document(suite)


def refused_junit(base: str, candidate: str, error: LatlabError) -> str:
    """One test case in error, where the two cannot be compared; its properties are the error's fields."""
    suite = ET.Element("testsuite", name=f"latlab {base} to {candidate}")
    case = ET.SubElement(suite, "testcase", classname="not judged", name="comparison")
    properties = ET.SubElement(case, "properties")
    for name, value in error.fields.items():
        ET.SubElement(properties, "property", name=name, value=value)
    _add_outcome(case, "error", str(error))
    return _document(suite)


def _sentence(row: Row, comparison: Comparison) -> str:
    unit = comparison.unit_of(row.metric)
    change = f"{amount(row.before, unit)} to {amount(row.after, unit)}, {signed(row.shift.value, unit)} ({percent(row.relative)})"
    return f"{row.verdict}: {change}; threshold {amount(row.threshold, unit)}; {row.basis}" + (
        f"; {comparison.caveat}" if comparison.caveat else ""
    )


def _add_outcome(case: ET.Element, kind: str, message: str, below: Sequence[str] = ()) -> None:
    ET.SubElement(case, kind, message=(message)).text = "\n".join(below) or None


def _document(suite: ET.Element) -> str:
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    for kind, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        suite.set(name, str(sum(case.find(kind) is not None for case in cases)))
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return shown(ET.tostring(root, encoding="unicode", xml_declaration=True), LINES) + "\n"
