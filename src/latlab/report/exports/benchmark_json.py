"""github-action-benchmark's `customSmallerIsBetter`: a list of name, unit and value."""

from __future__ import annotations

import json

from latlab.analysis.figures import figures_of
from latlab.analysis.wording import count, heading_unit
from latlab.model import Run


def render(run: Run) -> str:
    out = []
    for figure in figures_of(run):
        scale = 1.0 if figure.unit == "insns" else 1000.0
        values = [value / scale for value in figure.values]
        entry = {"name": figure.path, "unit": heading_unit(figure.unit), "value": round(figure.value / scale, 6)}
        if len(values) > 1:
            entry["range"] = f"{min(values):.6g} to {max(values):.6g}"
        entry["extra"] = f"{run.build.firmware} on {run.platform}, {count(len(values), 'boot')}"
        out.append(entry)
    return json.dumps(out, indent=1, ensure_ascii=False) + "\n"
