# SPDX-License-Identifier: BSD-3-Clause
"""The named charts of a page as files beside a document: SVG for a browser, PNG for a printed page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import vl_convert

from latlab.report.chart import Chart
from latlab.report.page import Page, Section

PNG_SCALE = 2.0


def charts_of(page: Page) -> list[Chart]:
    """Every chart with a name, in the order of the page."""
    return [chart for section in page.sections for chart in _of_section(section) if chart.name]


def write_pictures(page: Page, folder: Path) -> list[Path]:
    """Raises OSError with the file that cannot be written."""
    written = []
    for chart in charts_of(page):
        svg, png = folder / f"{chart.name}.svg", folder / f"{chart.name}.png"
        folder.mkdir(parents=True, exist_ok=True)
        svg.write_text(vl_convert.vegalite_to_svg(chart.spec), "utf-8")
        png.write_bytes(vl_convert.vegalite_to_png(chart.spec, scale=PNG_SCALE))
        written += [svg, png]
    return written


def _of_section(section: Section) -> Iterator[Chart]:
    yield from (block for block in section.blocks if isinstance(block, Chart))
    for inner in section.sections:
        yield from _of_section(inner)
