# SPDX-License-Identifier: BSD-3-Clause
"""A chart as an SVG picture in a page: no script draws it, and a browser shows the title of the mark under the pointer.

The width of its words is the same on every machine, and sufficient for the widest font of a browser. The renderer contains Liberation
Sans. It reads any other font from its file for every word, which takes longer than drawing the chart.
"""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup

from latlab.core.report.chart import Chart, for_a_phone, with_tips
from latlab.core.report.renderers.svg_minifier import minify_svg

_NAMED = re.compile(r'\bid="((?:clip|gradient)[^"]*)"')

FONT = "Liberation Sans"
ROOM = 1.17
"""Words in DejaVu Sans are up to so much wider: they are measured larger by this than they are shown."""
_LIMIT = 1.1
"""A word is cut where it is too long, not where its measure is."""
_SIZE, _CUT = "ontSize", "abelLimit"
_SHOWN = {"text": {"fontSize": 11}, "header": {"labelFontSize": 10, "titleFontSize": 11}}
"""What Vega takes where a chart says nothing."""


def inline_svg(chart: Chart) -> Markup:
    """An SVG element for the page, and others for a phone if the chart fits one. The surrounding element has the description. Ids inside
    are prefixed with the name of the chart, so that they are the same on every page."""
    narrow = for_a_phone(chart.spec)  # a finger rests on no mark
    for_phones = (_chart_svg(phone_spec, f"{chart.name}-phone{at or ''}", "phone") for at, phone_spec in enumerate(narrow))
    return Markup(_chart_svg(with_tips(chart.spec), chart.name, "full fits" if narrow else "full") + "".join(for_phones))


def _chart_svg(spec: dict[str, Any], name_of_chart: str, look: str) -> str:
    import vl_convert

    text = minify_svg(vl_convert.vegalite_to_svg(in_own_font(spec)), ROOM).replace("<svg", f'<svg data-fit="{look}"', 1)
    for number, name in enumerate(_NAMED.findall(text)):
        own_name = f"{name_of_chart}-clip{number}"
        text = text.replace(f'"{name}"', f'"{own_name}"').replace(f"#{name})", f"#{own_name})")
    return text


def in_own_font(spec: dict[str, Any]) -> dict[str, Any]:
    """The specification with larger words, so that the space measured for them is sufficient for the font that a browser uses."""
    config = _SHOWN | spec.get("config", {}) | {"font": FONT}
    larger: dict[str, Any] = _larger(spec | {"config": config})
    return larger


def _larger(part: Any) -> Any:
    if isinstance(part, list):
        return [_larger(element) for element in part]
    if not isinstance(part, dict):
        return part
    return {key: _size(key, value) for key, value in part.items()}


def _size(key: str, value: Any) -> Any:
    if key in ("values", "datasets"):
        return value
    if not isinstance(value, int | float):
        return _larger(value)
    return value * ROOM if key.endswith(_SIZE) else value * _LIMIT if key.endswith(_CUT) else value
