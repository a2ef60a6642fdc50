# SPDX-License-Identifier: BSD-3-Clause
"""Bencher's metric format: for each benchmark a measure with its value and, where there are several boots, the range of them."""

from __future__ import annotations

from latlab.core.comparison.by_kind import figures_of
from latlab.core.comparison.conditions import label_of
from latlab.core.model.run import Run
from latlab.core.report.renderers import json

MEASURES = {"ns": "latency", "insns": "instructions"}


def render(run: Run) -> str:
    """Bencher knows `latency` in nanoseconds; any other unit is the name of its measure."""
    label = label_of(run)
    prefix = f"{label}/" if label else ""
    out: dict[str, dict[str, dict[str, float]]] = {}
    for figure in figures_of(run):
        metric = {"value": round(figure.value, 6)}
        if len(figure.values) > 1:
            metric |= {"lower_value": round(min(figure.values), 6), "upper_value": round(max(figure.values), 6)}
        out[prefix + figure.path] = {MEASURES.get(figure.unit, figure.unit.replace(" ", "-")): metric}
    return json.document(out)
