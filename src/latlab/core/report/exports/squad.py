# SPDX-License-Identifier: BSD-3-Clause
"""SQUAD metrics: a name with its suite and a number, or one number for each boot. Units have no field and stand in the name, as does
that it is simulated or a virtual machine's figure."""

from __future__ import annotations

from latlab.core.comparison.by_kind import figures_of
from latlab.core.comparison.conditions import label_of
from latlab.core.model.run import Run
from latlab.core.report.renderers import json


def render(run: Run) -> str:
    out: dict[str, float | list[float]] = {}
    suite = "-".join(filter(None, ("latlab", label_of(run))))
    for figure in figures_of(run):
        values = [round(value, 6) for value in figure.values]
        out[f"{suite}/{figure.path}-{figure.unit.replace(' ', '-')}"] = values[0] if len(values) == 1 else values
    return json.document(out)
