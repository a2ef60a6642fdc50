# SPDX-License-Identifier: BSD-3-Clause
"""A chart as a Vega-Lite specification, and the look that all charts share. Nothing here draws or imports what does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

TEXT = "#1f2933"
FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"
WIDE_PX = 940
LEGEND = {"orient": "bottom", "columns": 2, "title": None, "labelLimit": 160}


@dataclass(frozen=True, slots=True)
class Chart:
    """A specification and what it shows, in words. `name` is its own on a page."""

    title: str
    note: str
    spec: dict[str, Any]
    name: str = ""


def named(charts: Iterable[Chart], prefix: str) -> tuple[Chart, ...]:
    """The charts as `prefix-0`, `prefix-1`, ..."""
    return tuple(replace(chart, name=f"{prefix}-{index}") for index, chart in enumerate(charts))


def with_legends(chart: Chart) -> Chart:
    """The chart for a page that does not say once what its colours are: each panel names those that it uses."""
    return replace(chart, spec=_with_legends(chart.spec))


def _with_legends(part: Any) -> Any:
    if isinstance(part, list):
        return [_with_legends(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {key: value | {"legend": LEGEND} if _lacks_legend(key, value) else _with_legends(value) for key, value in part.items()}


def _lacks_legend(key: str, value: Any) -> bool:
    return key == "color" and isinstance(value, dict) and value.get("legend", LEGEND) is None


def finished(chart: Any) -> dict[str, Any]:
    """The specification of an altair chart, in the common look."""
    styled = chart.configure_view(stroke=None).configure(font=FONT, background="transparent")
    styled = styled.configure_axis(
        labelColor=TEXT, titleColor=TEXT, labelFontSize=12, titleFontSize=12, titleFontWeight="normal", gridColor="#e4e7eb"
    )
    styled = styled.configure_title(color=TEXT, fontSize=13, anchor="start", fontWeight=600)
    styled = styled.configure_legend(labelColor=TEXT, titleColor=TEXT, labelFontSize=12)
    spec: dict[str, Any] = styled.to_dict(validate=False)  # tests validate every chart; here it takes longer than the drawing
    spec["config"]["aria"] = False  # the page names the chart as a whole, and its tables say the figures
    return spec
