# SPDX-License-Identifier: BSD-3-Clause
"""The named charts of a page as files beside a document: SVG for a browser, PNG for a printed page."""

from __future__ import annotations

from pathlib import Path

import vl_convert

from latlab.core.report.page import Page, charts_of

PNG_SCALE = 2.0


def write_pictures(page: Page, folder: Path) -> list[Path]:
    """Writes an SVG and a PNG file for each named chart and returns their paths. Raises OSError with the name of a file that cannot be
    written."""
    written = []
    for chart in filter(lambda candidate: candidate.name, charts_of(page)):
        svg, png = folder / f"{chart.name}.svg", folder / f"{chart.name}.png"
        folder.mkdir(parents=True, exist_ok=True)
        svg.write_text(vl_convert.vegalite_to_svg(chart.spec), "utf-8")
        png.write_bytes(vl_convert.vegalite_to_png(chart.spec, scale=PNG_SCALE))
        written += [svg, png]
    return written
