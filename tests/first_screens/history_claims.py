# SPDX-License-Identifier: BSD-3-Clause
"""What a history says, recomputed from its exported points and changes. Nothing here imports latlab."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import pairwise
from statistics import median

from first_screens.figures import Json
from first_screens.pair_claims import SIGNED, UNIT
from first_screens.printed import NUMBER, agrees, differs
from first_screens.screen import FirstScreen

Wrongs = list[str]
Claim = tuple[re.Pattern[str], Callable[[re.Match[str], Json, FirstScreen], Wrongs]]
CLAIMS: list[Claim] = []
CHANGE = re.compile(rf"({NUMBER})(?: {UNIT})? to ({NUMBER})(?: {UNIT})? \(({SIGNED}) %\) (?:at|over) (.+?)(?: alone)?$")


def claim(pattern: str) -> Callable[[Callable[[re.Match[str], Json, FirstScreen], Wrongs]], Callable[..., Wrongs]]:
    def kept(function: Callable[[re.Match[str], Json, FirstScreen], Wrongs]) -> Callable[..., Wrongs]:
        CLAIMS.append((re.compile(pattern), function))
        return function

    return kept


def _short(run: str) -> str:
    return run.rpartition("/")[2]


def _values(series: Json) -> dict[str, float]:
    """The median of a run's figures, in the unit of a screen, by the names that a screen may use."""
    scale = 1e-3 if series["unit"] == "ns" else 1.0
    return {point["run"]: median(point["values"]) * scale for point in series["points"] if point["values"]}


@claim(
    rf"^(?P<path>\S+?/\S+)[^:]*: (?P<changes>.*?)(?: and (?P<more>\w+) smaller changes?)?; "
    rf"(?P<last>\S+) has (?P<value>{NUMBER})(?: {UNIT})?(?:, (?P<share>{SIGNED}) % against (?P<first>\S+?))?\.$"
)
def answer(match: re.Match[str], document: Json, screen: FirstScreen) -> Wrongs:
    """Each change is one of the series; the largest are named, in order, and the others counted."""
    series = next((one for one in document["series"] if one["path"].split()[0] == match["path"] and one["changes"]), None)
    if series is None:
        return [f"{match['path']} has no change"]
    wrong: Wrongs = []
    named = 0
    scale = 1e-3 if series["unit"] == "ns" else 1.0
    sizes = [abs(100 * (one["after"] / one["before"] - 1)) for one in series["changes"] if one["before"]]
    shown = []
    for text in match["changes"].split(", "):
        change = CHANGE.search(text)
        if change is None:
            wrong.append(f"no size of a change: {text}")
            continue
        named += 1
        place = change[4].rpartition(" to ")[2]
        of_place = next((one for one in series["changes"] if place in (one["run"], _short(one["run"]))), None)
        if of_place is None:
            wrong.append(f"no change at {place}")
            continue
        before, after = (of_place[end] * scale for end in ("before", "after"))
        shown.append(abs(100 * (after / before - 1)))
        wrong += differs(f"before {place}", change[1], before) + differs(f"after {place}", change[2], after)
        wrong += differs(f"change at {place}", change[3], 100 * (after / before - 1))
    wrong += differs("smaller changes", match["more"] or "no", len(series["changes"]) - named)
    hidden = sorted(sizes, reverse=True)[:named]
    if shown and min(shown) + 1e-9 < min(hidden, default=0.0):
        wrong.append(f"a change of {min(hidden):.1f} % is not named")
    values = _values(series)
    runs = list(values)
    wrong += [] if match["last"] in (runs[-1], _short(runs[-1])) else [f"the newest run is {runs[-1]}"]
    wrong += differs("newest value", match["value"], values[runs[-1]])
    if match["share"] and match["first"] in (runs[0], _short(runs[0])):
        wrong += differs("share", match["share"], 100 * (values[runs[-1]] / values[runs[0]] - 1))
    return wrong


@claim(r"^No change of (?P<path>.+) from (?P<first>\S+) to (?P<last>\S+)\.$")
def none(match: re.Match[str], document: Json, screen: FirstScreen) -> Wrongs:
    return [f"{series['path']} changed at {series['changes'][0]['run']}" for series in document["series"] if series["changes"]][:1]


@claim(rf"^(?P<k>{NUMBER}) of (?P<n>{NUMBER}) figures changed\.$")
def counted(match: re.Match[str], document: Json, screen: FirstScreen) -> Wrongs:
    with_points = [series for series in document["series"] if series["points"]]
    changed = [series for series in with_points if series["changes"]]
    return differs("figures", match["n"], len(with_points)) + differs("changed", match["k"], len(changed))


@claim(rf"^The difference of (?P<size>{SIGNED})(?: {UNIT})?(?: \((?P<share>{SIGNED}) %\))? at (?P<run>\S+) is inconclusive\.$")
def one_open(match: re.Match[str], document: Json, screen: FirstScreen) -> Wrongs:
    return _difference(match["size"], match["share"], match["run"], document)


@claim(
    rf"^(?P<n>\w+) further differences are inconclusive, the largest of (?P<size>{SIGNED})(?: {UNIT})?(?: \((?P<share>{SIGNED}) %\))? at "
    rf"(?P<run>\S+)\.$"
)
def several_open(match: re.Match[str], document: Json, screen: FirstScreen) -> Wrongs:
    return _difference(match["size"], match["share"], match["run"], document)


def _difference(size: str, share: str | None, run: str, document: Json) -> Wrongs:
    for series in document["series"]:
        values = list(_values(series).items())
        for (_, before), (name, after) in pairwise(values):
            if run in (name, _short(name)) and agrees(size, after - before) and (not share or agrees(share, 100 * (after / before - 1))):
                return []
    return [f"no difference of {size} at {run}"]


def tables(document: Json, screen: FirstScreen) -> Iterable[tuple[str, Wrongs]]:
    """Runs below each other with their value and the difference from the line above."""
    for table in screen.tables:
        run, value, difference = (table.column(name) for name in ("Run", "Value", "Difference"))
        if run is None or value is None or difference is None:
            continue
        series = next((one for one in document["series"] if table.caption.startswith(one["path"])), None)
        if series is None:
            continue
        yield table.caption, _table(table.rows, run, value, difference, series)


def _table(rows: Iterable[tuple[str, ...]], run: int, value: int, difference: int, series: Json) -> Wrongs:
    values, before = _values(series), None
    wrong: Wrongs = []
    for row in rows:
        if row[run] not in values:
            wrong.append(f"{row[run]} has no figure")
            continue
        now = values[row[run]]
        wrong += differs(f"value of {row[run]}", row[value], now)
        sizes = re.findall(SIGNED, row[difference]) if len(row) > difference else []
        if before is not None and sizes:
            wrong += differs(f"difference at {row[run]}", sizes[0], now - before)
            wrong += differs(f"share at {row[run]}", sizes[1], 100 * (now / before - 1)) if len(sizes) > 1 and before else []
        before = now
    changed = {change["run"] for change in series["changes"] if change["kind"] != "drift"}
    listed = {row[run] for row in rows if len(row) > difference + 1 and number_of_words(row[-1])}
    return wrong + [f"the change at {name} is not marked" for name in sorted(changed - listed) if name in values]


def number_of_words(text: str) -> int:
    """Of a verdict's cell; the empty cell of a run without a change has none."""
    return len(text.split())
