# SPDX-License-Identifier: BSD-3-Clause
"""OpenMetrics text, which Prometheus and its kin read: one gauge for each unit, labelled with platform, firmware, test, metric and name."""

from __future__ import annotations

from latlab.core.comparison.by_kind import figures_of
from latlab.core.comparison.conditions import caveat_of
from latlab.core.comparison.figure import Figure
from latlab.core.model.run import Run

FAMILIES = {
    "ns": ("latlab_latency_seconds", "seconds", 1e-9),
    "insns": ("latlab_latency_instructions", "instructions", 1.0),
    "cycles": ("latlab_latency_cycles", "cycles", 1.0),
    "ticks": ("latlab_latency_ticks", "ticks", 1.0),
}
OTHER = ("latlab_value", "", 1.0)


def render(run: Run) -> str:
    """Times are in seconds, the base unit; the value is the median of the boots."""
    by_family: dict[tuple[str, str, float], list[Figure]] = {}
    for figure in figures_of(run):
        by_family.setdefault(FAMILIES.get(figure.unit, OTHER), []).append(figure)
    lines: list[str] = []
    for (family, unit, scale), figures in by_family.items():
        lines.append(f"# TYPE {family} gauge")
        if unit:
            lines.append(f"# UNIT {family} {unit}")
        lines.append(f"# HELP {family} Median of the boots of a latlab run.")
        lines += [f"{family}{{{_labels(run, figure)}}} {figure.value * scale:.9g}" for figure in figures]
    return "\n".join([*lines, "# EOF"]) + "\n"


def _labels(run: Run, figure: Figure) -> str:
    labels = {
        "platform": run.platform,
        "firmware": run.build.firmware,
        "test": figure.test,
        "metric": figure.metric.value,
        "name": figure.name,
        "caveat": caveat_of(run),
    }
    if figure.unit not in FAMILIES:
        labels["unit"] = figure.unit
    return ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items() if value)


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
