# SPDX-License-Identifier: BSD-3-Clause
"""A chart as a Vega-Lite specification, and the look that all charts share. Nothing here draws or imports what does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any

TEXT = "#1f2933"
FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"
WIDE_PX = 940
PHONE_PX = 318
LEGEND_LETTERS, AXIS_LETTERS, TITLE_LETTERS, LONG_LABEL_PX, ROW_PX = 26, 22, 24, 250, 36
FIGURE = ",.6~r"
COMMON = ("$schema", "config", "datasets")
PANELS = ("hconcat", "vconcat", "concat", "facet", "repeat", "spec")
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
        return [_with_legends(element) for element in part]
    if not isinstance(part, dict):
        return part
    return {key: value | {"legend": LEGEND} if _lacks_legend(key, value) else _with_legends(value) for key, value in part.items()}


def _lacks_legend(key: str, value: Any) -> bool:
    return key == "color" and isinstance(value, dict) and value.get("legend", LEGEND) is None


def for_a_phone(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """The same chart as wide as a phone, axes and legend within, its panels below each other; nothing where it cannot be fitted."""
    common = {key: value for key, value in spec.items() if key in COMMON}
    panels = list(_panels(spec))
    if any(key in panel for panel in panels for key in PANELS) or not all(isinstance(_width(panel), int | float) for panel in panels):
        return []
    return [common | _fitted(panel) for panel in panels]


def _panels(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    inner = next((part[key] for key in PANELS if isinstance(part.get(key), list)), None)
    if inner is None:
        yield part
        return
    for panel in inner:
        yield from _panels(panel)


def _fitted(panel: dict[str, Any]) -> dict[str, Any]:
    changed = {key: _narrow(value) for key, value in panel.items() if key != "width"}
    layers = [{key: value for key, value in layer.items() if key != "width"} for layer in changed.get("layer", ())]
    fitted: dict[str, Any] = {"width": PHONE_PX, "autosize": {"type": "fit-x", "contains": "padding"}}
    if isinstance(panel.get("height"), dict) and _has_long_names(panel):
        fitted["height"] = {"step": max(panel["height"]["step"], ROW_PX)}
    return changed | fitted | ({"layer": layers} if layers else {})


def _has_long_names(panel: dict[str, Any]) -> bool:
    """Whether the names of rows may take two or three lines."""
    axes = [layer.get("encoding", {}).get("y", {}).get("axis") or {} for layer in (panel, *panel.get("layer", ()))]
    return any(axis.get("labelLimit", 0) > LONG_LABEL_PX for axis in axes)


def with_tips(spec: dict[str, Any]) -> dict[str, Any]:
    """The chart with each mark's tooltip as its description, which a picture keeps. A line has one mark for many points: none."""
    return _tipped(spec) | {"config": spec.get("config", {}) | {"aria": True}}


def _tipped(part: dict[str, Any]) -> dict[str, Any]:
    changed = {
        key: [_tipped(layer) for layer in value] for key, value in part.items() if key in (*PANELS, "layer") and isinstance(value, list)
    }
    if "mark" not in part:
        return part | changed
    tips = part.get("encoding", {}).get("tooltip") if part["mark"]["type"] not in ("line", "area") else None
    description: dict[str, Any] = {"description": {"expr": " + ', ' + ".join(map(_tip_expression, tips))}} if tips else {"aria": False}
    return part | {"mark": part["mark"] | description}


def _tip_expression(tip: dict[str, Any]) -> str:
    """An expression of Vega: a name as it is, a figure with what it counts."""
    field = f"datum[{json.dumps(tip['field'])}]"
    if tip["type"] != "quantitative":
        return field
    return f"format({field}, {json.dumps(tip.get('format', FIGURE))}) + {json.dumps(' ' + tip.get('title', tip['field']))}"


def _width(spec: dict[str, Any]) -> Any:
    return spec.get("width") or next((layer["width"] for layer in spec.get("layer", ()) if "width" in layer), None)


def _narrow(part: Any) -> Any:
    """Legends below each other, and words of axes that leave room for the figures."""
    if isinstance(part, list):
        return [_narrow(element) for element in part]
    if not isinstance(part, dict):
        return part
    narrow = {key: _narrow_of.get(key, _narrow)(value) if isinstance(value, dict) else _narrow(value) for key, value in part.items()}
    return (
        narrow | {"title": wrap(part["title"], TITLE_LETTERS)}
        if "field" in part and len(part.get("title") or "") > TITLE_LETTERS
        else narrow
    )


def _narrow_axis(axis: dict[str, Any]) -> dict[str, Any]:
    """Words that stand aslant would begin left of the picture."""
    if axis.get("labelAngle"):
        return axis | {"labelAngle": -90, "labelAlign": "right", "labelBaseline": "middle"}
    return axis | {"labelExpr": _broken(AXIS_LETTERS), "labelFontSize": 11} if axis.get("labelLimit", 0) > LONG_LABEL_PX else axis


def _broken(letters: int) -> str:
    """A word goes to the next line only where it does not fit on this one."""
    return f"split(replace(replace(datum.label, /(.{{1,{letters}}})( |$)/g, '$1\\n'), /\\n$/, ''), '\\n')"


def _narrow_legend(legend: dict[str, Any]) -> dict[str, Any]:
    return legend | {
        "orient": "bottom",
        "direction": "vertical",
        "columns": 1,
        "labelLimit": PHONE_PX - 20,
        "labelExpr": _broken(LEGEND_LETTERS),
    }


_narrow_of: dict[str, Callable[[Any], Any]] = {"legend": _narrow_legend, "axis": _narrow_axis}


def finished(chart: Any) -> dict[str, Any]:
    """The specification of an altair chart, in the common look."""
    styled = chart.configure_view(stroke=None).configure(font=FONT, background="transparent")
    styled = styled.configure_axis(
        labelColor=TEXT,
        titleColor=TEXT,
        labelFontSize=12,
        titleFontSize=12,
        titleFontWeight="normal",
        gridColor="#e4e7eb",
        labelSeparation=4,
    )
    styled = styled.configure_title(color=TEXT, fontSize=13, anchor="start", fontWeight=600)
    styled = styled.configure_legend(labelColor=TEXT, titleColor=TEXT, labelFontSize=12)
    spec: dict[str, Any] = styled.to_dict(validate=False)  # tests validate every chart; here it takes longer than the drawing
    spec["config"]["aria"] = False  # the page names the chart as a whole, and its tables say the figures
    return spec
