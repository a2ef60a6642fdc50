# SPDX-License-Identifier: BSD-3-Clause
"""A chart as an SVG picture in a page: no script draws it, and a browser shows the title of the mark under the pointer."""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup

from latlab.core.report.chart import Chart, for_a_phone, with_tips
from latlab.core.report.renderers.svg_minifier import minify_svg
from latlab.core.report.renderers.text_metrics import ROOM, in_own_font

_NAMED = re.compile(r'\bid="((?:clip|gradient)[^"]*)"')


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
