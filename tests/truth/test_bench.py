# SPDX-License-Identifier: BSD-3-Clause
"""The bench itself: it knows nothing of the product, draws what it says, and notices a judgement that lies."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.comparison import Comparison
from latlab.core.comparison.verdicts import Verdict
from latlab.core.model.run import Run
from truth import held as bench
from truth.draw import SpanCase, WakeupCase, case_of
from truth.held import Wrong, held
from truth.machines import JUNO
from truth.noise import Noise
from truth.planted import Pathology, Planted
from truth.wakeups import Between, Late, Tool
from truth.written import Form

PLANTING = ("machines", "noise", "planted", "spans", "written", "wakeups", "draw", "parts", "exported", "data_mutants")


@pytest.mark.parametrize("name", PLANTING)
def test_what_plants_the_truth_imports_nothing_of_what_judges_it(name: str):
    tree = ast.parse((Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8"))
    imported = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imported += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    assert not [module for module in imported if module.split(".")[0] in ("latlab", "support")]


def test_a_seed_draws_the_same_pair_twice_and_another_seed_another():
    assert [case_of(seed) for seed in range(20)] == [case_of(seed) for seed in range(20)]
    assert len({case_of(seed).name for seed in range(20)}) > 15


def spans(planted: Planted, boots: int = 4, iterations: int = 1) -> SpanCase:
    return SpanCase(JUNO, planted, Noise.GAUSSIAN, boots, iterations, Form.JSON, 1)


NOTHING, DEARER = spans(Planted(Pathology.NOTHING)), spans(Planted(Pathology.LEVEL, "wakeup", 0.20))
LATE = WakeupCase(Late.LEVEL, 0.50, Between.NOTHING, Tool.HISTOGRAM, 2, 1)


@pytest.mark.parametrize(
    ("case", "lie", "wrong"),
    [
        (NOTHING, Verdict.REGRESSED, {Wrong.BLAME}),
        (NOTHING, Verdict.IMPROVED, {Wrong.BLAME}),
        (NOTHING, Verdict.SAME, set()),
        (DEARER, Verdict.REGRESSED, {Wrong.BLAME}),
        (DEARER, Verdict.IMPROVED, {Wrong.BLAME}),
        (DEARER, Verdict.SAME, {Wrong.PEACE}),
        (LATE, Verdict.REGRESSED, set()),
        (LATE, Verdict.IMPROVED, {Wrong.BLAME}),
        (LATE, Verdict.SAME, {Wrong.PEACE}),
    ],
)
def test_a_judgement_that_calls_every_row_alike_is_noticed(
    case: SpanCase | WakeupCase, lie: Verdict, wrong: set[Wrong], monkeypatch: pytest.MonkeyPatch
):
    def lying(before: Run, after: Run) -> Comparison:
        comparison = compare(before, after)
        return replace(comparison, rows=tuple(replace(row, verdict=lie) for row in comparison.rows))

    monkeypatch.setattr(bench, "compare", lying)
    assert {fault.wrong for fault in held(case).faults} == wrong


def test_a_change_of_a_fifth_is_found_and_nobody_else_is_blamed():
    assert held(DEARER).found
    assert not [fault for fault in held(DEARER).faults if fault.wrong is Wrong.BLAME]
