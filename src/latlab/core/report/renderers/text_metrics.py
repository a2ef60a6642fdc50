# SPDX-License-Identifier: BSD-3-Clause
"""The width of the words of a chart: the same on every machine, and sufficient for the widest font of a browser.

The renderer contains Liberation Sans. It reads any other font from its file for every word, which takes longer than drawing the chart.
"""

from __future__ import annotations

from typing import Any

FONT = "Liberation Sans"
ROOM = 1.17
"""Words in DejaVu Sans are up to so much wider: they are measured larger by this than they are shown."""
_LIMIT = 1.1
"""A word is cut where it is too long, not where its measure is."""
_SIZE, _CUT = "ontSize", "abelLimit"
_SHOWN = {"text": {"fontSize": 11}, "header": {"labelFontSize": 10, "titleFontSize": 11}}
"""What Vega takes where a chart says nothing."""


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
