# SPDX-License-Identifier: BSD-3-Clause
"""History and the comparison of neighbours over everything that is published: they name the same places the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from latlab.core.comparison.by_kind import compare, figures_of
from latlab.core.comparison.history import ChangePoint, Judged, _contradicts, history
from latlab.core.comparison.verdicts import CHANGED, Verdict
from latlab.core.errors import UsageError
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run, Spans
from latlab.core.report.history.words import answer
from latlab.core.statistics.change_points import ChangeKind as Course
from latlab.core.store.references import load, published_references

JUNO = [f"published:tf-a/juno/v2.{minor}" for minor in range(9, 16)]


def released() -> dict[str, list[str]]:
    """Releases by platform; an experiment on one is no release of it."""
    by_platform: dict[str, list[str]] = {}
    for reference in published_references():
        if load(reference).kind != "design":
            by_platform.setdefault(reference.rpartition("/")[0], []).append(reference)
    return {platform: names for platform, names in by_platform.items() if len(names) > 1}


@pytest.fixture(scope="module", params=sorted(released()))
def runs(request: pytest.FixtureRequest) -> list[Run]:
    return [load(name) for name in released()[request.param]]


def told(change: ChangePoint) -> set[Verdict]:
    """Both ways where rows went both ways; what only the series shows goes one way."""
    by_rows = {verdict for verdict, rows in zip(CHANGED, (change.judged.regressed, change.judged.improved), strict=True) if rows}
    return by_rows or {change.verdict}


def test_where_neighbours_are_told_apart_the_history_of_the_metric_says_the_same(runs: list[Run]) -> None:
    by_metric = {series.path: {change.index: told(change) for change in series.changes} for series in history(runs, "*")}
    for index, (before, after) in enumerate(pairwise(runs), 1):
        rows = compare(before, after).rows
        for metric in {row.metric.value for row in rows}:
            changed = {row.verdict for row in rows if row.metric.value == metric} & set(CHANGED)
            named = by_metric[metric].get(index, set())
            assert named == changed or (not changed and named), f"{metric} at {after.id}: {named} and {changed}"


def test_no_figure_changed_by_itself_against_what_its_neighbours_show(runs: list[Run]) -> None:
    compared = [compare(before, after).rows for before, after in pairwise(runs)]
    for series in history(runs, "*/*/*"):
        test, metric, _ = series.path.split("/", 2)
        place = {run.id: index for index, run in enumerate(runs)}
        for change in series.changes:
            left, index = (place[series.points[i].run.id] for i in (change.left, change.index))
            if change.kind is Course.DRIFT or index != left + 1:
                continue
            if change.judged.regressed or change.judged.improved:
                before, after = (series.points[i].value for i in (change.left, change.index))
                assert abs(after - before) > 0.03 * before and (after > before) == (change.verdict is Verdict.REGRESSED), series.path
            rows = [row.verdict for row in compared[left] if (row.test, row.metric.value) == (test, metric)]
            changed = set(rows) & set(CHANGED)
            assert not changed or change.verdict in changed, f"{series.path} at {series.points[change.index].run.id}"


def wakeup_of_juno(text: str = "wakeup", names: Sequence[str] = JUNO) -> tuple[ChangePoint, ...]:
    (series,) = history([load(name) for name in names], text)
    return series.changes


def test_a_change_that_all_cells_make_together_is_one_change_told_with_how_many() -> None:
    first = wakeup_of_juno()[0]
    assert (first.index, first.verdict, len(first.judged.regressed), first.judged.rows) == (1, Verdict.REGRESSED, 12, 12)
    assert len(first.moved.rose) >= 25 and not first.moved.fell and first.moved.figures == 30


def test_junos_wake_up_regressed_improved_regressed_improved() -> None:
    told = {change.index: change.verdict for change in wakeup_of_juno()}
    assert [told.get(index) for index in (1, 4, 5, 6)] == [Verdict.REGRESSED, Verdict.IMPROVED] * 2


def test_a_few_cells_that_wait_by_chance_do_not_make_the_level_of_a_metric() -> None:
    """The queue on the way up makes two waits of v2.11 ten times as long; most cells moved by less than a tenth."""
    (series,) = history([load(name) for name in JUNO[1:3]], "wakeup")
    before, after = (point.value for point in series.points)
    assert abs(after / before - 1) < 0.03


@pytest.mark.parametrize("figure", ["wakeup", "susp_deep_serial/wakeup", "susp_deep_parallel/cache_flush", "cpu_off_serial/powerdown"])
def test_a_release_has_one_value_whatever_else_is_in_the_series(figure: str) -> None:
    """It is the median of its own figures, as the table says."""
    runs = [load(name) for name in JUNO]
    values: dict[str, set[float]] = {}
    for chosen in (runs, runs[:3], runs[2:], runs[::2]):
        (series,) = history(chosen, figure)
        for point in series.points:
            own = {of.path: of.value for of in figures_of(point.run)}
            assert point.value == np.median([own[path] for path in series.figures])
            if len(series.figures) == len(history(runs, figure)[0].figures):
                values.setdefault(point.run.id, set()).add(point.value)
    assert len(values) == len(JUNO) and all(len(of_run) == 1 for of_run in values.values())


def test_the_size_of_a_change_has_the_way_of_its_verdict_or_it_is_marked(runs: list[Run]) -> None:
    """The published times of v2.13 are improved in their rows, and two cores wait by chance."""
    for series in (*history(runs, "*"), *history(runs, "*/*")):
        for change in series.changes:
            ways = {way for way, rows in ((1, change.judged.regressed), (-1, change.judged.improved)) if rows}
            has_one_way = len(ways) == 1 and (change.after - change.before) * min(ways) <= 0
            assert change.is_against_median == has_one_way, f"{series.path} at {change.index}"
            assert ("against the median" in answer([replace(series, changes=(change,))])) == has_one_way


def test_a_metric_of_one_test_is_followed_by_the_rows_of_that_test() -> None:
    (change, *_) = wakeup_of_juno("cpu_off_serial/wakeup")
    assert change.index == 1 and all(row.startswith("cpu_off_serial ") for row in change.judged.regressed)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [("wakup", "wakeup"), ("cpu_off_seral/wakeup", "cpu_off_serial/wakeup"), ("cpu_off_serial", "cpu_off_serial/powerdown")],
)
def test_a_name_that_no_figure_has_is_answered_with_the_nearest(text: str, nearest: str) -> None:
    with pytest.raises(UsageError, match="a figure is named METRIC, TEST/METRIC or TEST/METRIC/NAME") as refused:
        wakeup_of_juno(text)
    assert nearest in str(refused.value)


def test_a_core_may_be_named_without_the_word() -> None:
    assert wakeup_of_juno("cpu_off_serial/wakeup/0.1") == wakeup_of_juno("cpu_off_serial/wakeup/core-0.1")


def test_a_change_that_only_the_series_shows_is_dropped_where_neighbours_say_the_opposite() -> None:
    rows = [row for row in compare(load(JUNO[0]), load(JUNO[1])).rows if row.metric.value == "wakeup"]
    (first, *_) = wakeup_of_juno()
    found = replace(first, judged=Judged(), verdict=Verdict.IMPROVED)
    assert _contradicts(found, rows)
    assert not _contradicts(replace(found, verdict=Verdict.REGRESSED), rows)
    assert not _contradicts(replace(found, kind=Course.DRIFT), rows) and not _contradicts(first, rows)


def test_figures_that_are_suspect_have_no_change_and_the_suspicion_stands_with_the_series() -> None:
    runs = [load(name) for name in JUNO]
    runs[2] = replace(runs[2], contents=Spans(tuple(replace(one, value_ticks=one.value_ticks // 20) for one in runs[2].samples)))
    (one,) = history(runs, "cpu_off_serial/wakeup/core-0.1")
    assert one.suspicions and not {change.index for change in one.changes} & {2, 3} and 4 in {change.index for change in one.changes}
    (whole,) = history(runs, "wakeup")
    assert whole.suspicions and not whole.figures and not whole.changes
    assert whole.note == "every figure has a data-quality warning; name one of them"


@pytest.mark.parametrize(("every_run", "note"), [(False, "no figure is in every run"), (True, "no figure is above 0 in every run")])
def test_a_series_without_points_says_why_it_has_none(every_run: bool, note: str) -> None:
    def kept(run: Run, number: int) -> Run:
        core = run.topology.cores[number]
        if every_run:
            return replace(run, contents=Spans(tuple(replace(one, value_ticks=0) for one in run.samples if one.metric is Metric.WAKEUP)))
        return replace(run, contents=Spans(tuple(one for one in run.samples if one.metric is not Metric.WAKEUP or one.core == core)))

    (series,) = history([kept(load(name), number) for number, name in enumerate(JUNO[:3])], "wakeup")
    assert not series.points and not series.suspicions and series.note == f"{note}; name one of them"
