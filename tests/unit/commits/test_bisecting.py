# SPDX-License-Identifier: BSD-3-Clause
"""From which commit on a figure is another: what is measured of each commit is made up, the repository is real."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from latlab.commits.campaign.bisecting import Bisection, bisect
from latlab.commits.pages.bisection import bisection_json, page
from latlab.commits.targets import Commit, Repository
from latlab.core.errors import LatlabError, UsageError
from latlab.core.model.enums import InstructionClass, Metric
from latlab.core.model.run import AUTHORED, COMMIT, MESSAGE, Build, ClassShare, CoreId, FunctionShare, Run, Sample, SpanFunctions, Spans
from latlab.core.report.renderers import markdown
from latlab.virtual.campaign.board_times import costs_of
from support.repositories import commit, new_repository
from support.runs import INSTRUCTIONS, run_with

FIGURE = "off/powerdown"


class Made:
    """In place of builds: the figure by the number of the commit, None where it cannot be measured."""

    def __init__(self, values: dict[int, int | None]) -> None:
        self.values = values

    def run_of(self, one: Commit) -> Run | None:
        value = self.values[int(one.subject.removeprefix("change "))]
        samples = [Sample("off", Metric.POWERDOWN, CoreId(0, 0), 0, 0, value or 0)]
        build = Build("fw", options=((COMMIT, one.sha), (AUTHORED, "2025-01-22"), (MESSAGE, f"twice as fast as {one.subject}^")))
        return None if value is None else run_with(samples=samples, tick=INSTRUCTIONS, id=one.subject, build=build)


@pytest.fixture(name="repository", scope="module")
def fixture_repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder: Path = new_repository(tmp_path_factory.mktemp("bisecting") / "theirs")
    for number in range(1, 6):
        commit(folder, f"change {number}", {"number": f"{number}\n"})
    return Repository(folder)


def found(repository: Repository, values: dict[int, int | None], figure: str = FIGURE) -> Bisection:
    measurer: Any = Made(values)
    return bisect(repository, measurer, *repository.ends("HEAD~4..HEAD"), figure)


@pytest.mark.parametrize("values", [(20, 20, 20, 30, 30), (30, 31, 29, 20, 21)])
def test_the_commit_is_named_from_which_on_the_figure_is_nearer_to_the_bad_one_s(repository: Repository, values: tuple[int, ...]) -> None:
    result = found(repository, dict(enumerate(values, 1)))
    assert (result.good[0].subject, result.good[1], result.bad[0].subject, result.bad[1]) == ("change 1", values[0], "change 5", values[4])
    assert result.commits == 4 and result.unit == "insns" and [one.subject for one in result.suspects] == ["change 4"]
    assert result.step is not None
    assert (result.step.commit.subject, result.step.value) == ("change 4", values[3])
    assert (result.step.before.subject, result.step.value_before) == ("change 3", values[2])


def test_a_commit_in_the_middle_between_both_is_not_called_bad(repository: Repository) -> None:
    result = found(repository, {1: 20, 2: 25, 3: 25, 4: 25, 5: 30})
    assert result.step is not None and result.step.commit.subject == "change 5"
    assert (result.step.before.subject, result.step.value_before) == ("change 4", 25)


def test_where_what_stands_between_cannot_be_measured_all_of_it_is_suspected(repository: Repository) -> None:
    result = found(repository, {1: 20, 2: 20, 3: None, 4: 30, 5: 30})
    assert result.step is None and {one.subject for one in result.suspects} == {"change 3", "change 4"}


def test_ends_that_do_not_differ_or_cannot_be_measured_are_refused(repository: Repository) -> None:
    with pytest.raises(UsageError, match=r"off/powerdown is 20 instructions at .* and at .*; name commits between which it differs"):
        found(repository, {1: 20, 2: 20, 3: 20, 4: 20, 5: 20})
    with pytest.raises(LatlabError, match='"change 5" cannot be measured'):
        found(repository, {1: 20, 2: 20, 3: 20, 4: 20, 5: None})
    with pytest.raises(UsageError, match="no/powerdown"):
        found(repository, {1: 20, 2: 20, 3: 20, 4: 20, 5: 30}, "no/powerdown")


def test_a_step_that_is_not_the_whole_rise_says_where_the_rest_is_and_a_whole_one_says_nothing_of_it(repository: Repository) -> None:
    measurer: Any = SimpleNamespace(built=3, reused=2, skipped={})
    said = markdown.document(page(found(repository, {1: 100, 2: 140, 3: 160, 4: 160, 5: 200}), FIGURE, measurer))
    parts = [repository.ends(ends) for ends in ("HEAD~4..HEAD~3", "HEAD~2..HEAD")]
    ranges = [f"{good.sha[:12]}..{bad.sha[:12]} (+40 instructions)" for good, bad in parts]
    assert f"+20 instructions of +100 instructions in the range; the rest came from other commits: bisect {' and '.join(ranges)}" in said
    whole = markdown.document(page(found(repository, {1: 20, 2: 20, 3: 20, 4: 30, 5: 30}), FIGURE, measurer))
    assert "in the range" not in whole


def test_what_the_commit_says_of_itself_stands_beside_what_was_measured(repository: Repository) -> None:
    measurer: Any = SimpleNamespace(built=3, reused=2, skipped={})
    result = found(repository, {1: 20, 2: 20, 3: 20, 4: 30, 5: 30})
    said = markdown.document(page(result, FIGURE, measurer))
    assert "what it says of itself, 2025-01-22:" in said and "> twice as fast as change 4^" in said and "change 3^" not in said
    first = json.loads(bisection_json(result, FIGURE, measurer))["first"]
    assert (first["said"], first["value"]) == ("twice as fast as change 4^", 30)


def test_what_the_commit_takes_on_a_board_stands_beside_its_functions_with_an_interval(repository: Repository) -> None:
    class Counted(Made):
        def run_of(self, one: Commit) -> Run | None:
            run = super().run_of(one)
            if run is None:
                return None
            core, value = CoreId(0, 0), run.samples[0].value_ticks
            classes = (ClassShare(InstructionClass.UNCACHED_LOAD, (value,), ()),)
            functions = (SpanFunctions("off", Metric.POWERDOWN, core, 1, (FunctionShare("f", "", value),), classes=classes),)
            contents = Spans(run.samples, functions=functions)
            return replace(run, contents=contents, conditions=replace(run.conditions, processor="neoverse-n1"))

    made: Any = Counted({1: 20, 2: 20, 3: 20, 4: 120, 5: 120})
    measurer: Any = SimpleNamespace(built=3, reused=2, skipped={})
    result = bisect(repository, made, *repository.ends("HEAD~4..HEAD"), FIGURE, costs_of("n1sdp"))
    said = markdown.document(page(result, FIGURE, measurer))
    first = json.loads(bisection_json(result, FIGURE, measurer))["first"]
    (time,) = first["times"]
    assert 8_000 < time["low_ns"] <= time["time_ns"] <= time["high_ns"] < 13_000, "100 loads outside of the caches, at some 95 ns each"
    assert f"off powerdown on n1sdp {time['time_ns'] / 1000:+.2f}".rstrip("0") in said and "predicted from the counts: costs by " in said
    assert first["board"] == "n1sdp" and first["basis"] in said
    plain = found(repository, {1: 20, 2: 20, 3: 20, 4: 120, 5: 120})
    assert "n1sdp" not in markdown.document(page(plain, FIGURE, measurer))
