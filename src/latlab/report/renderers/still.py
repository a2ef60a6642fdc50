# SPDX-License-Identifier: BSD-3-Clause
"""A chart as a still picture inside a page, for readers whose browser runs no scripts."""

from __future__ import annotations

import re

from markupsafe import Markup

from latlab.report.chart import Chart

_NAMED = re.compile(r'\bid="((?:clip|gradient)[^"]*)"')
_NEEDLESS = re.compile(r' (?:role|aria-[a-z]+|xmlns|xmlns:xlink|version)="[^"]*"')


def still(chart: Chart) -> Markup:
    """One SVG element. What holds it says what it shows, and names inside are the chart's own, the same in every page that has it."""
    import vl_convert

    drawn = vl_convert.vegalite_to_svg(chart.spec)
    text = _NEEDLESS.sub("", drawn[drawn.index("<svg") :])
    for number, name in enumerate(_NAMED.findall(text)):
        own = f"{chart.name}-clip{number}"
        text = text.replace(f'"{name}"', f'"{own}"').replace(f"#{name})", f"#{own})")
    return Markup(text)
