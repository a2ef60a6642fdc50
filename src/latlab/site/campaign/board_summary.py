# SPDX-License-Identifier: BSD-3-Clause
"""What a site says of a published board on its first page and in its search: computed once, and kept with the site, because the history of
a board costs as much as all else of a publish that adds one run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from latlab.core.comparison.by_kind import figures_of
from latlab.core.comparison.counted_findings import CountedBeside
from latlab.core.comparison.history import ChangePoint, Series
from latlab.core.comparison.verdicts import Verdict
from latlab.core.comparison.wording import bare, percent, scale_of, signed, signed_bare
from latlab.core.readers.platform_facts import facts_of
from latlab.core.report.history.release_chart import Band, Lines, release_svg
from latlab.core.shown import significant
from latlab.site.campaign.measured import FIGURE, PublishedBoard

TITLE = "Latency of power states and secure calls, and what changed it"


class ReleaseStep(msgspec.Struct, frozen=True):
    """A release against the one before, whose reference is `before`; `verdict` is empty where no change is shown."""

    before: str
    after: str
    value: str
    difference: str
    verdict: str
    counted_beside: str


class BoardSummary(msgspec.Struct, frozen=True):
    """`times` is the highest level of the figure as a multiple of the first, `first_value` the first release's figure in `unit`."""

    title: str
    headline: str
    place_to_look: str
    times: float
    unit: str
    first_value: str
    steps: tuple[ReleaseStep, ...]
    svg: str


def summary_of_board(board: PublishedBoard) -> BoardSummary:
    series = board.figure
    return BoardSummary(
        title=board_title(board),
        headline=headline(board),
        place_to_look=_place_to_look(board),
        times=_worst(series)[1],
        unit=series.heading,
        first_value=bare(series.points[0].value, series.unit),
        steps=tuple(_steps(board)),
        svg=_svg(board),
    )


def board_title(board: PublishedBoard) -> str:
    platform = board.name.rpartition("/")[2]
    return facts_of(platform).title or platform


def release(reference: str) -> str:
    return reference.rpartition("/")[2]


def _steps(board: PublishedBoard) -> Iterator[ReleaseStep]:
    series = board.figure
    changes = {change.index: change for change in series.changes}
    for at, (before, after) in enumerate(board.steps, 1):
        difference = series.points[at].value / series.points[at - 1].value - 1
        value, change = bare(series.points[at].value, series.unit), changes.get(at)
        yield ReleaseStep(before, after, value, percent(difference), change.verdict.word if change else "", _beside(change))


def _beside(change: ChangePoint | None) -> str:
    explanations = change.explanations if change else ()
    counted = (
        _counted(explanation.finding, explanation.unit) for explanation in explanations if isinstance(explanation.finding, CountedBeside)
    )
    return "; ".join(filter(None, counted))


def _svg(board: PublishedBoard) -> str:
    """Each core with itself over the releases."""
    series, scale = board.figure, scale_of(board.figure.unit)
    paths = set(series.figures)
    values: dict[str, list[float]] = {}
    for run in board.releases:
        for figure in figures_of(run):
            if figure.path in paths:
                values.setdefault(figure.path.rpartition("core-")[2], []).append(figure.value / scale)
    whole = {core: by_release for core, by_release in sorted(values.items()) if len(by_release) == len(board.references)}
    unit = f"{series.heading}, one core at a time"
    return str(release_svg(Lines(tuple(map(release, board.references)), whole, unit, tuple(_bands(board)))))


def headline(board: PublishedBoard) -> str:
    """Of a rise only where a comparison calls it one."""
    series, names = board.figure, [release(reference) for reference in board.references]
    at, times = _worst(series)
    if not _is_rise(series, at):
        return TITLE
    first, last = _as_high(series, at)
    when = f"At {names[at]}" if first == last else f"From {names[first]} to {names[last]}"
    most = "" if first == last else "up to "
    sentence = f"{when} a core of {_short(board)} took {most}{times:.1f} times as long to wake up as at {names[0]}."
    if last == len(names) - 1:
        return sentence
    now = f"as long as at {names[0]}" if _is_as_before(series) else f"{_now(series):.1f} times as long"
    return f"{sentence} At {names[-1]} it takes {now}."


def _worst(series: Series) -> tuple[int, float]:
    """The release with the highest level, and how many times the first one's that is."""
    at = max(range(len(series.points)), key=lambda k: series.points[k].value)
    return at, series.points[at].value / series.points[0].value


def _is_as_before(series: Series) -> bool:
    """A factor that is printed as 1 is no factor."""
    return f"{_now(series):.1f}" == "1.0"


def _now(series: Series) -> float:
    return series.points[-1].value / series.points[0].value


def _is_rise(series: Series, at: int) -> bool:
    return any(change.index <= at < change.end and change.verdict is Verdict.REGRESSED for change in series.changes)


def _short(board: PublishedBoard) -> str:
    """As its users call it: N1SDP, Juno."""
    name = board.name.rpartition("/")[2]
    return name.upper() if any(letter.isdigit() for letter in name) else name.title()


def _place_to_look(board: PublishedBoard) -> str:
    """The function that was counted beside the headline's rise and fall; empty where none was."""
    up, down = _around(board)
    if not up:
        return ""
    names = [release(reference) for reference in board.references]
    sentence = f"In QEMU, on the same processor, {up.name} ran {significant(abs(up.moved))} instructions more from {names[up.at]} on"
    if down and down.name == up.name:
        sentence += f" and {significant(abs(down.moved))} fewer from {names[down.at]} on"
    return f"{sentence}: inferred to be one cause among others."


class _Function(NamedTuple):
    at: int
    name: str
    moved: float


def _around(board: PublishedBoard) -> tuple[_Function | None, _Function | None]:
    """What moved most the way of the time where the highest level begins, and where it ends."""
    series = board.figure
    at, _ = _worst(series)
    if not _is_rise(series, at):
        return None, None
    first, last = _as_high(series, at)
    changes = {change.index: change for change in series.changes}
    return _moved(changes.get(first)), _moved(changes.get(last + 1))


def _moved(change: ChangePoint | None) -> _Function | None:
    beside = (
        [explanation.finding for explanation in change.explanations if isinstance(explanation.finding, CountedBeside)] if change else []
    )
    functions = (function for finding in beside if _is_of_figure(finding) and (function := _most(finding)))
    name, moved = next(functions, ("", 0.0))
    return _Function(change.index, name, moved) if change and name else None


def _as_high(series: Series, at: int) -> tuple[int, int]:
    """The releases around the highest one that are nearer to it than to the first."""
    middle = (series.points[0].value + series.points[at].value) / 2
    low = [k for k, point in enumerate(series.points) if point.value < middle]
    return max((k for k in low if k < at), default=-1) + 1, min((k for k in low if k > at), default=len(series.points)) - 1


def _counted(finding: CountedBeside, unit: str) -> str:
    """The span that the front page follows, and the function that moved most the way of the time."""
    if not _is_of_figure(finding):
        return ""
    name, moved = _most(finding) or ("", 0.0)
    function = f", {signed_bare(moved, unit)} in {name}" if name else ""
    return f"{signed(finding.difference, unit)} on {' and '.join(finding.processors)}{function}"


def _is_of_figure(finding: CountedBeside) -> bool:
    test, _, metric = FIGURE.partition("/")
    return finding.metric == metric and test in finding.tests


def _most(finding: CountedBeside) -> tuple[str, float] | None:
    rose = finding.verdict is Verdict.REGRESSED
    return next((function_move for function_move in finding.functions if (function_move[1] > 0) == rose), None)


def _bands(board: PublishedBoard) -> Iterator[Band]:
    series = board.figure
    at, times = _worst(series)
    if not _is_rise(series, at):
        return
    first, last = _as_high(series, at)
    up, down = _around(board)
    yield Band(first, last, f"{times:.1f} times as long", f"{times:.1f} times", _in_function(up))
    if last + 1 < len(series.points):
        now = _now(series)
        factor = f"as {release(board.references[0])}" if _is_as_before(series) else f"{now:.1f} times"
        yield Band(last + 1, len(series.points) - 1, factor, factor, _in_function(down), is_rise=False)


def _in_function(function: _Function | None) -> str:
    return f"{significant(function.moved, sign=True)} in {function.name}".replace("-", "\N{MINUS SIGN}") if function else ""
