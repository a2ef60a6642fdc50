# SPDX-License-Identifier: BSD-3-Clause
"""A chart as a still picture inside a page, for readers whose browser runs no scripts."""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup

from latlab.report.chart import Chart, for_a_phone

_NAMED = re.compile(r'\bid="((?:clip|gradient)[^"]*)"')
_NEEDLESS = re.compile(r' (?:role|aria-[a-z]+|xmlns|xmlns:xlink|version)="[^"]*"')


def still(chart: Chart) -> Markup:
    """One SVG element, and a second one for a phone where the chart can be made to fit. What holds them says what it shows, and names
    inside are the chart's own, the same in every page that has it."""
    phone = for_a_phone(chart.spec)
    if phone is None:
        return Markup(_drawn(chart.spec, chart.name, "full"))
    return Markup(_drawn(chart.spec, chart.name, "full fits") + _drawn(phone, f"{chart.name}-phone", "phone"))


def _drawn(spec: dict[str, Any], name_of_chart: str, look: str) -> str:
    import vl_convert

    drawn = vl_convert.vegalite_to_svg(spec)
    text = _NEEDLESS.sub("", drawn[drawn.index("<svg") :]).replace("<svg", f'<svg data-fit="{look}"', 1)
    for number, name in enumerate(_NAMED.findall(text)):
        own = f"{name_of_chart}-clip{number}"
        text = text.replace(f'"{name}"', f'"{own}"').replace(f"#{name})", f"#{own})")
    return text
