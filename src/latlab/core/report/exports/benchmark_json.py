# SPDX-License-Identifier: BSD-3-Clause
"""github-action-benchmark's `customSmallerIsBetter`: a list of name, unit and value."""

from __future__ import annotations

from latlab.core.comparison.by_kind import figures_of
from latlab.core.comparison.conditions import caveat_of
from latlab.core.comparison.wording import count, scale_of
from latlab.core.model.run import Run
from latlab.core.report.renderers import json
from latlab.core.report.titles import platform_title


def render(run: Run) -> str:
    out = []
    for figure in figures_of(run):
        scale = scale_of(figure.unit)
        values = [value / scale for value in figure.values]
        entry = {"name": figure.path, "unit": "µs" if figure.unit == "ns" else figure.unit, "value": round(figure.value / scale, 6)}
        if len(values) > 1:
            entry["range"] = f"{min(values):.6g} to {max(values):.6g}"
        entry["extra"] = "; ".join(
            filter(None, (f"{run.build.firmware} on {platform_title(run)}, {count(len(values), 'boot')}", caveat_of(run)))
        )
        out.append(entry)
    return json.document(out)
