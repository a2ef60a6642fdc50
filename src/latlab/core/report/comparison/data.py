# SPDX-License-Identifier: BSD-3-Clause
"""A comparison for other programs: JSON in a versioned schema (docs/reference/export-schema.md) and CSV."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from latlab.core.comparison.account import Account
from latlab.core.comparison.comparison import Cell, Comparison, Row
from latlab.core.comparison.decision import Claim, ClaimLevel, decide
from latlab.core.comparison.explanation import Explanation
from latlab.core.comparison.verdicts import Verdict
from latlab.core.kinds.registry import pairs_of
from latlab.core.report.comparison.verdict_data import verdict_data
from latlab.core.report.renderers import csv, json
from latlab.core.report.run_data import run_head
from latlab.core.statistics.statistics import Shift

SCHEMA = "latlab-comparison"
VERSION = 5
COLUMNS = (
    "test", "metric", "name", "cell", "before", "after", "shift", "low", "high", "threshold",
    "p_adjusted", "unit", "verdict", "detail", "basis",
)  # fmt: skip


def comparison_json(comparison: Comparison) -> str:
    decision = decide(comparison)
    document = {
        "schema": SCHEMA,
        "version": VERSION,
        "unit": comparison.unit,
        **verdict_data(decision.verdict),
        "exit_code": decision.exit_code,
        "reason": decision.reason.value,
        "caveat": comparison.caveat,
        "before": run_head(comparison.a),
        "after": run_head(comparison.b),
        "limits": {
            "relative": comparison.limits.relative,
            "resolution_steps": comparison.limits.steps,
            "alpha": comparison.limits.alpha,
        },
        "boots": [1, 1],
        "rows": [_row(row, comparison.unit_of(row.metric), row in comparison.large_untold) for row in comparison.leaves],
        "claims": [
            *(_claim(claim, comparison.unit_of(claim.metric)) for claim in comparison.claims),
            *(_claim(_cell_claim(row), comparison.unit_of(row.metric)) for row in comparison.rows if row.is_cell),
        ],
        "account": comparison.account and _account(comparison.account),
        "stops": [finding.sentence(comparison.unit_of(finding.metric)) for finding in comparison.stops],
        "orders": [],
        "printed_deltas": [],
        "rules": [],
        "suspicions": [],
        "notes": list(comparison.notes),
        "gaps": list(comparison.gaps),
    }
    own_json = pairs_of(comparison).json
    return json.document({**document, **own_json(comparison)} if own_json else document)


def comparison_csv(comparison: Comparison) -> str:
    """A line for each row, followed by a line for each of its cells."""
    lines_of_rows = []
    for row in comparison.rows:
        unit = comparison.unit_of(row.metric)
        lines_of_rows.append(_csv_line(row, unit, comparison.caveat, "", row.before, row.after, row.shift, row.p_adjusted, row.verdict))
        for cell in row.cells:
            tested = row.effect is not None
            verdict = cell.verdict if tested else None
            p = cell.p_adjusted if tested else ""
            lines_of_rows.append(_csv_line(row, unit, "", cell.label, cell.before, cell.after, cell.shift, p, verdict))
    return csv.lines(COLUMNS, lines_of_rows)


def _csv_line(
    row: Row, unit: str, caveat: str, cell: str, before: float, after: float, shift: Shift, p: float | str, verdict: Verdict | None
) -> list[Any]:
    finite = ("" if not math.isfinite(x) else x for x in (before, after, shift.value, shift.low, shift.high, row.threshold))
    figures = [round(x, 3) if isinstance(x, float) else x for x in finite]
    basis = "" if cell else "; ".join(filter(None, (row.basis, caveat)))
    return [
        row.test,
        row.metric.value,
        row.name,
        cell,
        *figures,
        p,
        unit,
        *((verdict.word, verdict.detail) if verdict else ("", "")),
        basis,
    ]


def _row(row: Row, unit: str, is_large_untold: bool) -> dict[str, Any]:
    return {
        "test": row.test,
        "metric": row.metric.value,
        "name": row.name,
        "cluster": row.cluster,
        "later_than": row.later_than,
        "unit": unit,
        "before": _finite(row.before),
        "after": _finite(row.after),
        **shift_data(row.shift),
        "shift_of": _finite(row.before if row.of is None else row.of),
        "threshold": row.threshold,
        "p_adjusted": row.p_adjusted,
        "large_untold": is_large_untold,
        "effect": row.effect,
        **verdict_data(row.verdict),
        "basis": row.basis,
        "in_iterations": row.in_iterations and asdict(row.in_iterations),
        "detectable": [asdict(detectable) for detectable in row.detectable],
        "drifts": [drift and asdict(drift) for drift in row.drifts],
        "cells": [_cell(cell, tested=row.effect is not None) for cell in row.cells],
    }


def _account(account: Account) -> dict[str, Any]:
    """Numbers of samples are of the first and of the second run."""
    unjudged = [{"test": u.test, "metric": u.metric.value, "reason": u.reason, "samples": list(u.samples)} for u in account.unjudged]
    return {"samples": list(account.samples), "judged": list(account.judged), "unjudged": unjudged}


def _cell_claim(row: Row) -> Claim:
    """A data point that changed otherwise than its row."""
    place = ClaimLevel.CELL, row.metric, row.test, row.name, row.before, row.after
    return Claim(*place, row.shift, row.threshold, row.p_adjusted, row.verdict, cells=1, is_frontier=True)


def _claim(claim: Claim, unit: str) -> dict[str, Any]:
    return {
        "level": claim.level.value,
        "test": claim.test,
        "metric": claim.metric.value,
        "name": claim.name,
        "unit": unit,
        "before": _finite(claim.before),
        "after": _finite(claim.after),
        **shift_data(claim.shift),
        "threshold": _finite(claim.threshold),
        "p_adjusted": claim.p_adjusted,
        "rows": claim.rows,
        "data_points": claim.cells,
        "is_frontier": claim.is_frontier,
        **verdict_data(claim.verdict),
    }


def _cell(cell: Cell, tested: bool) -> dict[str, Any]:
    out: dict[str, Any] = {"label": cell.label, "before": cell.before, "after": cell.after, **shift_data(cell.shift)}
    return out | {"p_adjusted": cell.p_adjusted if tested else None, **verdict_data(cell.verdict if tested else None)}


def shift_data(shift: Shift) -> dict[str, float | None]:
    """An interval without an end has no number in JSON, nor has a shift of what the second run does not show."""
    return {"shift": _finite(shift.value), "low": _finite(shift.low), "high": _finite(shift.high)}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def explanations_json(explanations: Iterable[Explanation]) -> str:
    """A list of explanations, each with its sentence and what it stands on."""
    return json.document([asdict(explanation) for explanation in explanations])
