# SPDX-License-Identifier: BSD-3-Clause
"""How often each cause comes, who took each CPU, and the worst part by part."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from latlab.core.report.chart import PHONE_PX, Chart, for_a_phone
from latlab.rt.analysis.cause_rates import rates_of
from latlab.rt.analysis.result import RtResult
from latlab.rt.pages import cause_details
from latlab.rt.pages.charts import charts
from latlab.rt.pages.wakeup_tables import tables
from support.late_parts import NETWORK, STOLEN, THIEF, late_result


def test_each_cause_is_counted_by_event_with_its_interval_and_the_length_that_it_takes() -> None:
    (table,) = cause_details.rates(late_result(45), is_exact=False)
    assert [row[0] for row in table.rows] == sorted((cause_details.cause_of(one) for one in (THIEF, NETWORK, STOLEN)), key=_position)
    assert [row[1:3] for row in table.rows] == [("15", "15")] * 3
    assert all(" to " in str(row[5]) and row[6] != "-" for row in table.rows)


def _position(name: str) -> int:
    return [cause_details.cause_of(one.blame) for one in rates_of(late_result(45))].index(name)


def test_on_the_instruction_clock_a_rate_has_no_interval() -> None:
    (table,) = cause_details.rates(late_result(), is_exact=True)
    assert len(table.columns) == 5


def test_who_took_a_core_sums_the_parts_of_all_late_wake_ups() -> None:
    result = late_result(45)
    (table,) = cause_details.took(result)
    together = sum(float(str(row[-1]).replace(",", "")) for row in table.rows)
    assert together == pytest.approx(sum(outlier.late_ns for outlier in result.wakeups[0].outliers) / 1000, abs=0.5)
    assert [column.name for column in table.columns] == ["Cause", "CPU 0", "CPU 1", "Total"]
    assert table.rows[0][0] == cause_details.cause_of(THIEF)


def test_the_worst_ten_stand_with_their_parts_the_latest_first() -> None:
    (table,) = cause_details.worst(late_result(45))
    late = [float(str(row[2])) for row in table.rows]
    assert len(late) == 10 and late == sorted(late, reverse=True)
    assert str(table.rows[0][3]).startswith(f"{cause_details.cause_of(THIEF)} 404.2, ")


def test_without_parts_there_is_neither_table_nor_chart_of_them() -> None:
    result = late_result()
    bare = replace(result, attributed=tuple(replace(entry, parts=()) for entry in result.attributed or ()))
    assert cause_details.took(bare) == cause_details.worst(bare) == [] and cause_details.charts(bare) == []
    assert any(table.caption == "Outliers" for table in tables("", bare))


def test_wake_ups_that_were_dropped_leave_no_rate() -> None:
    result = late_result()
    (recorder,) = result.wakeups
    dropped = replace(recorder, cpus=tuple(replace(cpu, late_dropped=1) for cpu in recorder.cpus))
    assert rates_of(replace(result, wakeups=(dropped,))) == ()


def test_the_survival_curve_begins_where_there_is_something_to_see() -> None:
    survival = next(chart for chart in charts(late_result()) if chart.title == "CCDF")
    (rows,) = survival.spec["datasets"].values()
    assert min(row["us"] for row in rows) == 8.0 and sum(row["share"] == 1.0 for row in rows) == 2


def test_what_a_histogram_clipped_is_marked_where_its_survival_ends() -> None:
    (recorder,) = late_result().wakeups
    clipped = tuple(replace(cpu, beyond=7) for cpu in recorder.cpus)
    result = RtResult((replace(recorder, tool="cyclictest", cpus=clipped),), None, (), None, ())
    survival = next(chart for chart in charts(result) if chart.title == "CCDF")
    assert "7 of CPU 0, 7 of CPU 1 are later than that" in survival.note
    marks = [row for rows in survival.spec["datasets"].values() for row in rows if "n" in row]
    assert [row["n"] for row in marks] == [7, 7] and all(0 < row["share"] < 0.01 for row in marks)


def test_a_chart_for_a_phone_is_as_wide_as_one() -> None:
    for chart in charts(late_result()):
        (phone,) = for_a_phone(chart.spec)
        assert phone["width"] == PHONE_PX and chart.spec != phone


def test_panels_stand_below_each_other_on_a_phone_whatever_stood_beside_what() -> None:
    panels = [{"mark": {"type": "bar"}, "width": 300 + at, "title": str(at)} for at in range(4)]
    spec = {"config": {"font": "x"}, "vconcat": [{"hconcat": panels[:2]}, {"hconcat": panels[2:]}]}
    found = for_a_phone(spec)
    assert [one["title"] for one in found] == ["0", "1", "2", "3"]
    assert all(one["width"] == PHONE_PX and one["config"] == {"font": "x"} for one in found)
    assert for_a_phone({"vconcat": [*panels, {"facet": {}, "spec": {}}]}) == []


@pytest.mark.parametrize(("limit", "step"), [(300, 36), (200, 22)])
def test_rows_with_long_names_have_room_for_two_lines_on_a_phone(limit: int, step: int) -> None:
    rows = {"mark": {"type": "point"}, "encoding": {"y": {"field": "row", "type": "nominal", "axis": {"labelLimit": limit}}}}
    for spec in ({**rows, "width": 300, "height": {"step": 22}}, {"layer": [rows], "width": 300, "height": {"step": 22}}):
        (phone,) = for_a_phone(spec)
        assert phone["height"] == {"step": step}


def test_words_of_a_legend_that_fit_a_phone_stay_in_one_line() -> None:
    """As the picture's library draws them: a line of its own is an element of its own."""
    import vl_convert

    survival = next(chart for chart in charts(late_result()) if chart.title == "CCDF")
    drawn, took = (vl_convert.vegalite_to_svg(for_a_phone(chart.spec)[0]) for chart in (survival, cause_details.charts(late_result())[0]))
    assert ">CPU 0<" in drawn and ">CPU 1<" in drawn
    assert ">firmware or secure world,<" in took


def test_a_cause_has_one_colour_in_every_chart_of_the_page() -> None:
    scales = [scale for chart in charts(late_result(45)) for scale in _scales(chart.spec, "cause")]
    assert len(scales) == 3
    colours: dict[str, set[str]] = {}
    for scale in scales:
        for cause, colour in zip(scale["domain"], scale["range"], strict=True):
            colours.setdefault(cause, set()).add(colour)
    assert all(len(found) == 1 for found in colours.values()) and len({*map(min, colours.values())}) == len(colours)


def _scales(spec: Any, field: str) -> list[dict[str, Any]]:
    """The colour scales of a chart's marks by this field."""
    if isinstance(spec, list):
        return [scale for one in spec for scale in _scales(one, field)]
    if not isinstance(spec, dict):
        return []
    colour = spec.get("encoding", {}).get("color", {}) if isinstance(spec.get("encoding"), dict) else {}
    own = [colour["scale"]] if colour.get("field") == field and "scale" in colour else []
    return own + [scale for name, value in spec.items() if name != "encoding" for scale in _scales(value, field)]


def test_a_picture_of_many_late_wake_ups_has_the_latest_of_each_cause_and_says_how_many_there_are() -> None:
    (few,) = (chart for chart in charts(late_result(45)) if chart.title == "Outliers and their causes")
    (many,) = (chart for chart in charts(late_result(3000)) if chart.title == "Outliers and their causes")
    assert len(_points(few)) == 45
    points = _points(many)
    assert 100 < len(points) <= 500 and "Of 3,000 wake-ups" in many.note and "83 equal parts" in many.note
    assert max(point["us"] for point in points) == max(one.late_ns for one in late_result(3000).wakeups[0].outliers) / 1000


def _points(chart: Chart) -> list[dict[str, Any]]:
    (found,) = chart.spec["datasets"].values() if "datasets" in chart.spec else [chart.spec["data"]["values"]]
    return list(found)
