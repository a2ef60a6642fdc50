# SPDX-License-Identifier: BSD-3-Clause
"""A history as its reader meets it: a verdict, one picture with named change points, one table of them."""

from __future__ import annotations

import re

import pytest

from latlab.core.comparison.history import Series, history
from latlab.core.comparison.wording import amount, bare, percent
from latlab.core.report.history import pages as history_pages
from latlab.core.report.history.charts import MOST_TOGETHER, history_drawing
from latlab.core.report.history.words import answer, cause_of, change_table
from latlab.core.report.page import drawings_of, tables_of
from latlab.core.report.table import text_of
from latlab.core.store.references import load

N1SDP = [f"published:tf-a/n1sdp/v2.{number}" for number in range(9, 16)]


@pytest.fixture(name="wakeup", scope="module")
def fixture_wakeup() -> tuple[Series, ...]:
    return history([load(one) for one in N1SDP], "wakeup")


def test_the_heading_names_the_largest_changes_and_where_it_is_now(wakeup: tuple[Series, ...]) -> None:
    said, (series,) = answer(wakeup), wakeup
    assert re.match(r"wakeup: [\d.]+ µs to [\d.]+ µs \(\+129\.0 %\) at v2\.10", said) and re.search(r"\(-5\d\.\d %\) at v2\.13", said)
    for change in series.changes[:1]:
        assert f"{amount(change.before, series.unit)} to {amount(change.after, series.unit)} (" in said
    assert f"{percent(series.points[-1].value / series.points[0].value - 1)} against v2.9" in said
    assert history_pages.page(wakeup).answer == said == history_pages.screen(wakeup).answer


def test_the_table_has_each_change_point_with_its_function_and_commit(wakeup: tuple[Series, ...]) -> None:
    table, (series,) = change_table(wakeup), wakeup
    assert table is not None
    rows = [tuple(map(text_of, row)) for row in table.rows]
    assert len(rows) == len(series.changes)
    first = series.changes[0]
    assert rows[0][:3] == ("v2.10", bare(first.before, series.unit), bare(first.after, series.unit))
    assert rows[0][5] == "neoverse_n1_reset_func" and rows[0][6].startswith("f86098a62")


def test_the_picture_names_every_change_point(wakeup: tuple[Series, ...]) -> None:
    (drawing,) = drawings_of(history_pages.page(wakeup))
    wide, _ = drawing.svg.split("</svg>", 1)
    for change in wakeup[0].changes:
        assert percent(change.after / change.before - 1) in wide
    assert "v2.10: +129.0 %" in wide and "neoverse_n1_reset_func" in wide
    assert len(re.findall(r'class="(?:rise|fall) rule"', wide)) == len(wakeup[0].changes)


def test_a_step_as_large_as_a_change_is_named_also_without_a_verdict() -> None:
    (series,) = history([load(f"published:tf-a/juno/v2.{n}") for n in range(9, 16)], "susp_deep_parallel/cache_flush")
    assert series.inconclusive == (6,) and len(series.changes) == 2
    assert answer((series,)).endswith("The difference of -82.30 µs (-92.5 %) at v2.15 is inconclusive.")
    table = next(tables_of(history_pages.screen((series,))))
    assert [text_of(row[-1]) for row in table.rows][-1] == "inconclusive"


def test_many_figures_are_small_panels() -> None:
    runs = [load(one) for one in N1SDP[:4]]
    found = history(runs, "*/wakeup/*")
    assert len(found) > MOST_TOGETHER
    drawing = history_drawing(found)
    assert drawing is not None and drawing.svg.count("<polyline") == 2 * len([one for one in found if one.points])


def test_a_history_without_a_change_says_so_and_has_no_table() -> None:
    found = history([load(N1SDP[0])] * 2, "wakeup")
    assert answer(found) == "No change of wakeup from v2.9 to v2.9." and change_table(found) is None


def test_a_panel_has_its_own_scale_and_labels_do_not_overlap() -> None:
    """One figure that grew fifteenfold made flat lines of all others."""
    runs = [load(f"published:tf-a/juno/v2.{n}") for n in range(9, 16)]
    drawing = history_drawing(history(runs, "*/cache_flush/*"))
    assert drawing is not None
    wide = drawing.svg.split("</svg>", 1)[0]
    lines = re.findall(r'<polyline class="s1" points="([^"]+)"', wide)
    heights = [[float(point.split(",")[1]) for point in line.split()] for line in lines]
    assert len(lines) > MOST_TOGETHER and all(max(ys) - min(ys) > 60 for ys in heights if len(set(ys)) > 1)


def test_names_of_change_points_have_room(wakeup: tuple[Series, ...]) -> None:
    (drawing,) = drawings_of(history_pages.page(wakeup))
    wide = drawing.svg.split("</svg>", 1)[0]
    labels = re.findall(r'<text class="(?:rise|fall)" x="([\d.]+)" y="(\d+)" text-anchor="(\w+)">([^<]+)<', wide)
    assert labels
    ends: dict[str, float] = {}
    for x, y, anchor, words in labels:
        width = 6 * len(words)
        left = float(x) - (width if anchor == "end" else width / 2)
        assert left >= ends.get(y, 0.0)
        ends[y] = left + width


def test_a_function_is_named_for_the_cores_that_run_it_alone() -> None:
    """Of a Cortex-A53's wake-up the picture named the reset function of the Cortex-A57."""
    runs = [load(f"published:tf-a/juno/v2.{n}") for n in (9, 10, 11)]
    named = {
        path: [cause_of(change)[0] for change in series.changes]
        for path in ("susp_deep_serial/wakeup/core-0.0", "susp_deep_serial/wakeup/core-1.1", "susp_deep_serial/wakeup")
        for series in history(runs, path)
    }
    assert named["susp_deep_serial/wakeup/core-0.0"] == ["cortex_a57_reset_func"]
    assert named["susp_deep_serial/wakeup/core-1.1"] == ["cortex_a53_reset_func"]
    assert named["susp_deep_serial/wakeup"] == ["cortex_a57_reset_func, cortex_a53_reset_func"]


def test_no_name_of_a_panel_is_cut_on_a_phone() -> None:
    """Twelve panels were all named `cache_flush..`."""
    drawing = history_drawing(history([load(one) for one in N1SDP[:4]], "*/wakeup/*"))
    assert drawing is not None
    narrow = drawing.svg.split("</svg>", 1)[1]
    names = re.findall(r'<text class="soft" x="[\d.]+" y="[\d.]+">([^<]*core[^<]*)<', narrow)
    assert names and not any(name.endswith("..") for name in names)
