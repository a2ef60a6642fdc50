# SPDX-License-Identifier: BSD-3-Clause
"""SARIF 2.1.0: the functions that what fails the gate is made of, where their source is known by file and line."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from latlab.core.comparison.by_kind import explain_pair
from latlab.core.comparison.comparison import Comparison
from latlab.core.comparison.findings import FunctionMoved, FunctionsMoved
from latlab.core.comparison.gate import GateReport
from latlab.core.comparison.verdicts import Verdict
from latlab.core.comparison.wording import signed
from latlab.core.errors import LatlabError
from latlab.core.shown import significant

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
RULE = {
    "id": "latency",
    "name": "FunctionOfAFailingFigure",
    "shortDescription": {"text": "A function of a figure that fails the gate runs more instructions"},
    "fullDescription": {
        "text": "The figure fails `latlab gate`. Of what it is made of, this function changed the way that the figure did, counted in QEMU."
    },
    "defaultConfiguration": {"level": "error"},
}


def render(comparison: Comparison, report: GateReport) -> str:
    """A result for each function and figure; none where nothing fails, or no image says lines. Files are named from where they part from
    the folder in which the compiler ran. What is missing or inconclusive has no place in a file: it is in notifications, the reason of an
    inconclusive gate first."""
    stops = (finding.sentence(comparison.unit_of(finding.metric)) for finding in comparison.stops)
    warnings = (suspicion.sentence(comparison.unit) for suspicion in comparison.suspicions)
    reason = (report.verdict,) if report.exit_code == 3 else ()
    sentences = (*reason, *warnings, *(absence.sentence(comparison.unit) for absence in comparison.missing), *comparison.gaps, *stops)
    return _document(results=list(_results(comparison, report)), **_invocations(dict.fromkeys(sentences), report.exit_code != 3))


def refused(error: LatlabError) -> str:
    """No result, since the runs cannot be compared: the tool did not succeed, and says why, with the error's fields as properties."""
    invocations = _invocations([str(error)], is_told=False)
    invocations["invocations"][0]["toolExecutionNotifications"][0]["properties"] = error.fields
    return _document(results=[], **invocations)


def nothing() -> str:
    """No result, since there is nothing yet to compare with."""
    return _document(results=[])


def _invocations(sentences: Iterable[str], is_told: bool) -> dict[str, list[dict[str, Any]]]:
    """None where there is nothing to say."""
    notifications = [{"level": "error", "message": {"text": sentence}} for sentence in sentences]
    return {"invocations": [{"executionSuccessful": is_told, "toolExecutionNotifications": notifications}]} if notifications else {}


def _document(**content: list[dict[str, Any]]) -> str:
    driver = {"name": "latlab", "semanticVersion": version("latlab"), "rules": [RULE]}
    run: dict[str, Any] = {"tool": {"driver": driver}, "columnKind": "utf16CodeUnits", **content}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _results(comparison: Comparison, report: GateReport) -> Iterator[dict[str, Any]]:
    failing = {(row.test, row.metric): row for row in report.failing}
    for explained in explain_pair(comparison):
        finding = explained.finding
        if not isinstance(finding, FunctionsMoved):
            continue
        tests = [test for test in finding.tests if (test, finding.metric) in failing]
        if not tests:
            continue
        fell = failing[tests[0], finding.metric].verdict is Verdict.IMPROVED
        for move in finding.functions:
            if move.place and move.after != move.before and (move.after < move.before) == fell:
                yield _result(move, finding, tests, comparison)


def _result(move: FunctionMoved, finding: FunctionsMoved, tests: list[str], comparison: Comparison) -> dict[str, Any]:
    file, _, line = move.place.rpartition(":")
    text = f"{move.name} runs {signed(move.after - move.before, comparison.unit)} per call in {finding.metric} of {', '.join(tests)}"
    same = hashlib.sha256(f"{move.name} {finding.metric} {' '.join(finding.tests)}".encode()).hexdigest()[:16]
    region = {"startLine": max(1, int(line))}
    return {
        "ruleId": RULE["id"],
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": f"{text} ({significant(move.before)} to {significant(move.after)}); {comparison.a.id} to {comparison.b.id}"},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": quote(file), "uriBaseId": "%SRCROOT%"}, "region": region}}],
        "partialFingerprints": {"functionOfFigure/v1": same},
    }
