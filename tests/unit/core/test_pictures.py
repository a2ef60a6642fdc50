# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of a page: they show what the library drew, in few bytes, and name their marks."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import altair as alt
import numpy as np
import pytest
import vl_convert
from PIL import Image

from latlab.core.report.chart import FONT, Chart, finished, with_tips
from latlab.core.report.page import charts_of
from latlab.core.report.renderers import html
from latlab.core.report.renderers.inline_svg import inline_svg
from latlab.core.report.renderers.svg_minifier import minify_svg
from support.report_pages import every_page

MOST_PAGE_BYTES = 300_000
MOST_DIFFERENT = 0.002
"""Of the pixels by more than a third of the range: edges that moved by a twentieth of one."""


@pytest.fixture(name="found", scope="module")
def fixture_found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, list[Chart]]]:
    pages = every_page(tmp_path_factory.mktemp("pages"))
    return {name: (html.document(page), list(charts_of(page))) for name, page in pages}


def test_every_chart_is_one_that_vega_lite_knows(found: dict[str, tuple[str, list[Chart]]]) -> None:
    charts = [chart for _, each in found.values() for chart in each]
    assert len(charts) > 20
    for chart in charts:
        alt.Chart.from_dict(json.loads(json.dumps(chart.spec)))


def test_a_chart_that_vega_lite_does_not_know_is_noticed() -> None:
    wrong = alt.Chart(alt.InlineData(values=[{"a": 1}])).mark_bar().encode(x=alt.X("a:Q", axis={"labelLimit": "many"}))
    with pytest.raises(Exception, match="'many'"):
        alt.Chart.from_dict(finished(wrong))


def pixels(svg: str) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(vl_convert.svg_to_png(svg))), dtype=float) / 255


def standalone(element: str) -> str:
    return element.replace("<svg", f'<svg xmlns="http://www.w3.org/2000/svg" font-family="{FONT}"', 1)


def different(drawn: str, leaner: str) -> float:
    return float((np.abs(pixels(drawn) - pixels(standalone(leaner))).max(axis=-1) > 1 / 3).mean())


def test_a_leaner_picture_shows_the_same(found: dict[str, tuple[str, list[Chart]]]) -> None:
    kinds = {re.sub(r"\d+", "", f"{name} {chart.title}"): chart for name, (_, charts) in found.items() for chart in charts}
    assert len(kinds) > 20
    for kind, chart in kinds.items():
        drawn = vl_convert.vegalite_to_svg(chart.spec)
        leaner = minify_svg(drawn)
        assert different(drawn, leaner) < MOST_DIFFERENT, kind
        assert len(leaner) < 0.6 * len(drawn), kind


def test_a_picture_that_lost_one_of_its_marks_would_be_noticed() -> None:
    drawn = vl_convert.vegalite_to_svg(bars().spec)
    leaner = minify_svg(drawn)
    mark = re.search(r'<path d="M[^"]*" />(?=</g></g>)', leaner[leaner.index("#4c78a8") :])
    assert mark is not None
    assert different(drawn, leaner.replace(mark.group(), "")) > MOST_DIFFERENT


def bars() -> Chart:
    rows = [{"call": f"call <{at}>", "n": 1000 * (at + 1)} for at in range(3)]
    chart = alt.Chart(alt.InlineData(values=rows), width=300, height=100).mark_bar()
    return Chart("Bars", "", finished(chart.encode(x="n:Q", y="call:N", tooltip=["call:N", alt.Tooltip("n:Q", title="calls")])), "bars-0")


def titles(text: str) -> Iterator[str]:
    return (node.text or "" for node in ElementTree.fromstring(f"<div>{text}</div>").iter("title"))


def test_a_mark_says_its_own_figures_and_nothing_else_does() -> None:
    wanted = [f"call <{at}>, {at + 1},000 calls" for at in range(3)]
    assert sorted(titles(str(inline_svg(bars())))) == wanted


def test_marks_in_one_place_are_drawn_once_and_tell_what_all_of_them_are() -> None:
    mark = '<path role="graphics-symbol" aria-label="{0}" d="{1}" fill="{2}" stroke="{2}"/>'
    places = (("a", "M1,0h0v9h0Z", "#111111"), ("b", "M1,0h0v9h0Z", "#222222"), ("c", "M2,0h5v9h-5Z", "#333333"))
    drawn = f"<svg><g>{''.join(mark.format(*one) for one in places)}</g></svg>"
    leaner = minify_svg(drawn)
    assert list(titles(leaner)) == ["a\nb", "c"]
    assert re.findall(r'stroke="(#\d+)"', leaner) == ["#222222", "#333333"]


def test_a_bar_of_no_width_is_left_out_unless_a_line_is_drawn_around_it() -> None:
    bars_of = '<svg><g><path d="M1,0h0v9h0Z" fill="#111111"/><path d="M2,0h0v9h0Z" fill="#222222" stroke="#000000"/></g></svg>'
    assert "#111111" not in minify_svg(bars_of) and "#222222" in minify_svg(bars_of)


def test_a_line_through_many_points_says_none_of_them() -> None:
    rows = [{"x": at, "n": at} for at in range(9)]
    encoded = alt.Chart(alt.InlineData(values=rows), width=300).mark_line().encode(x="x:Q", y="n:Q", tooltip=["n:Q"])
    assert list(titles(str(inline_svg(Chart("", "", finished(encoded), "line-0"))))) == []
    assert with_tips(encoded.to_dict())["mark"] == {"type": "line", "aria": False}


def test_no_page_is_heavier_than_a_phone_likes(found: dict[str, tuple[str, list[Chart]]]) -> None:
    assert {name: len(text.encode()) for name, (text, _) in found.items() if len(text.encode()) > MOST_PAGE_BYTES} == {}


def test_a_script_opens_what_is_folded_for_the_printer_and_some_pages_have_more(
    found: dict[str, tuple[str, list[Chart]]], tmp_path: Path
) -> None:
    scripts = {name: "".join(re.findall(r"<script>.*?</script>", text, flags=re.DOTALL)) for name, (text, _) in found.items()}
    assert all("beforeprint" in script for script in scripts.values())
    assert {name for name, script in scripts.items() if len(script) > 300} == {"functions", "functions-compared", "watch", "search", "runs"}
    assert all(len(script) < 6000 and "http" not in script.replace("http://www.w3.org/2000/svg", "") for script in scripts.values())


def test_bars_beside_each_other_are_lines_and_one_too_thin_to_point_at_keeps_its_place_without_words() -> None:
    bar = '<path role="graphics-symbol" aria-label="{0}" d="M{1},4h{2}v10h-{2}Z" fill="{3}"/>'
    drawn = [bar.format("a", 0, 9, "#111111"), bar.format("b", 9, 0.2, "#111111"), bar.format("c", 9.2, 9, "#222222")]
    leaner = minify_svg(f"<svg><g>{''.join(drawn)}</g></svg>")
    assert list(titles(leaner)) == ["a", "c"]
    assert re.findall(r'<path d="([^"]*)"', leaner) == ["M0,9h9", "M9,9h0.2", "M9.2,9h9"]
    assert re.findall(r'stroke="(#\d+)"', leaner) == ["#111111", "#222222"] and 'stroke-width="10"' in leaner


def test_bars_that_hide_each_other_stay_in_their_order() -> None:
    leaner = minify_svg('<svg><g><path d="M0,0h9v9h-9Z" fill="#111111"/><path d="M5,0h9v9h-9Z" fill="#222222"/></g></svg>')
    assert re.findall(r'd="([^"]*)" fill="(#\d+)"', leaner) == [("M0,0h9v9h-9Z", "#111111"), ("M5,0h9v9h-9Z", "#222222")]


def test_the_words_of_a_chart_are_measured_wider_than_they_are_shown() -> None:
    told = re.findall(r'font-size="([\d.]+)px"', str(inline_svg(bars())))
    assert told and {float(one) for one in told} <= {10, 11, 12, 13}
    names = re.findall(r"translate\(([\d.]+)", str(inline_svg(bars())))
    assert float(names[0]) > 7.2 * len("call <0>")
