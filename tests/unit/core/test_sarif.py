# SPDX-License-Identifier: BSD-3-Clause
"""What fails a gate as SARIF: the functions that grew, where their source is."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.gate import report_gate
from latlab.core.model.run import Frame, Run, Spans
from latlab.core.report.exports.sarif import render
from support.function_runs import SLOWER, TREE, run_of

REGRESSED = frozenset({"regressed"})


def told(before: Run, after: Run, fail_on: frozenset[str] = REGRESSED) -> dict[str, Any]:
    comparison = compare(before, after)
    found: dict[str, Any] = json.loads(render(comparison, report_gate(comparison, fail_on)))
    return found


def results(before: Run, after: Run, fail_on: frozenset[str] = REGRESSED) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = told(before, after, fail_on)["runs"][0]["results"]
    return found


def placed(frames: tuple[Frame, ...], place: str) -> Run:
    run = run_of(frames)
    functions = tuple(
        replace(one, functions=tuple(replace(share, place=place.format(share.name)) for share in one.functions)) for one in run.functions
    )
    return replace(run, contents=Spans(run.samples, run.traces, functions))


def test_each_function_that_grew_is_a_result_at_its_line_and_one_that_shrank_is_none() -> None:
    found = results(placed(TREE, "lib/{}.c:12"), placed(SLOWER, "lib/{}.c:12"))
    places = [one["locations"][0]["physicalLocation"] for one in found]
    assert [one["artifactLocation"]["uri"] for one in places] == ["lib/dcsw_op_all.c", "lib/new_check.c"]
    assert {one["region"]["startLine"] for one in places} == {12}
    assert re.match(
        r"dcsw_op_all runs \+50 instructions per call in powerdown of cpu_off_serial \(2000 to 2050\)", found[0]["message"]["text"]
    )


def test_a_function_whose_source_nobody_knows_is_no_result_and_a_file_with_a_blank_is_a_uri() -> None:
    assert results(placed(TREE, ""), placed(SLOWER, "")) == []
    found = results(placed(TREE, "my lib/a.c:0"), placed(SLOWER, "my lib/a.c:0"))
    place = found[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "my%20lib/a.c" and place["region"]["startLine"] == 1


def test_what_passes_has_a_document_without_results() -> None:
    document = told(placed(TREE, "lib/{}.c:12"), placed(TREE, "lib/{}.c:12"))
    assert document["version"] == "2.1.0" and document["runs"][0]["results"] == []
    assert results(placed(SLOWER, "lib/{}.c:12"), placed(TREE, "lib/{}.c:12")) == []


def test_where_a_gate_fails_what_improved_the_functions_that_shrank_are_told() -> None:
    found = results(placed(SLOWER, "lib/{}.c:12"), placed(TREE, "lib/{}.c:12"), frozenset({"improved"}))
    assert [one["message"]["text"].partition(" ")[0] for one in found] == ["dcsw_op_all", "new_check"]


def test_a_result_has_the_same_fingerprint_in_the_next_run_and_another_function_has_another() -> None:
    first, second = (results(placed(TREE, "lib/{}.c:12"), placed(SLOWER, f"lib/{{}}.c:{line}")) for line in (12, 14))
    prints = [[one["partialFingerprints"]["functionOfFigure/v1"] for one in found] for found in (first, second)]
    assert prints[0] == prints[1] and len(set(prints[0])) == 2
