# SPDX-License-Identifier: BSD-3-Clause
"""What the first screen of a comparison says, recomputed from its exported rows and from the samples of both runs. Nothing here imports
latlab.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

from first_screens.figures import Comparison, Row, Run, spoken
from first_screens.printed import NUMBER, SIGN, UNSIGNED, agrees, differs, number, unequal, within
from first_screens.screen import FirstScreen, Table

CATALOG = Path(__file__).parents[2] / "src" / "latlab" / "catalog"
CHANGED = ("regressed", "improved")
MORE_IS_BETTER = ("rate",)
SIGNED = rf"(?:{SIGN}{UNSIGNED}|(?<![\d.])0(?:\.0+)?(?![\d.]))"
UNIT = r"(?:[^\W\d]\S*)"
SIZE = rf"({SIGNED})(?: {UNIT})?(?: to ({SIGNED})(?: {UNIT})?)?"
SHARE = rf"(?: \(({SIGNED}) %(?: to ({SIGNED}) %)?\))?"
AS_A_WHOLE = re.compile(
    rf"(?P<name>.+?) (?P<verdict>regressed|improved) by (?P<size>{SIGNED}) {UNIT} \((?P<share>{SIGNED}) %\) as a whole; "
    r"no single row can be named(?: \(inferred\))?"
)
Wrongs = list[str]


@dataclass(frozen=True)
class Pair:
    """A comparison and its two runs, each as exported; `text` is the answer to which a sentence belongs."""

    comparison: Comparison
    runs: tuple[Run, Run]


Claim = tuple[re.Pattern[str], Callable[[re.Match[str], Pair, FirstScreen], Wrongs]]
CLAIMS: list[Claim] = []


def claim(pattern: str) -> Callable[[Callable[[re.Match[str], Pair, FirstScreen], Wrongs]], Callable[..., Wrongs]]:
    def kept(function: Callable[[re.Match[str], Pair, FirstScreen], Wrongs]) -> Callable[..., Wrongs]:
        CLAIMS.append((re.compile(pattern), function))
        return function

    return kept


@claim(r"^(?P<a>\S+) to (?P<b>\S+): (?P<verdict>regressed|improved|unchanged|inconclusive)(?:[ ,(].*)?$")
def heading(match: re.Match[str], pair: Pair, screen: FirstScreen) -> Wrongs:
    return unequal("verdict", match["verdict"], pair.comparison.document["verdict"])


@claim(rf"^(?:\w[\w -]*?) (?:regressed|improved) by {SIZE}.*$")
def moved(match: re.Match[str], pair: Pair, screen: FirstScreen) -> Wrongs:
    """Each clause: the ends, the shares and the tests of the rows of its metric that changed its way; the metrics that have no clause."""
    text = match[0].rstrip(".")
    if whole := AS_A_WHOLE.fullmatch(text):
        return _of_whole(whole, pair)
    clauses = text.split("; ")
    more = re.fullmatch(rf"({NUMBER}|\w+) more changes?: (.+)", clauses[-1])
    wrong: Wrongs = []
    named = []
    for clause in clauses[:-1] if more else clauses:
        inner = re.match(
            rf"^(?P<metric>\w[\w -]*?) (?P<verdict>regressed|improved) by {SIZE}(?P<shares> \([^)]*\))? in (?P<where>.*?)"
            rf"(?P<cause>, {SIGNED} {UNIT} in \S+)?$",
            clause,
        )
        if inner is None:
            wrong.append(f"not a clause of a change: {clause}")
            continue
        named.append((inner["metric"].lower(), inner["verdict"]))
        wrong += _clause(inner, pair)
    changed = {(spoken(row.metric), row.verdict) for row in pair.comparison.rows if row.verdict in CHANGED}
    also = {tuple(spoken(change.lower()).rsplit(" ", 1)) for change in more[2].split(", ")} if more else set()
    wrong += differs("more changes", more[1] if more else "no", len(changed) - len(named))
    wrong += [f"{' '.join(change)} is not named" for change in sorted(changed - also - {(spoken(of), way) for of, way in named})]
    worse = {metric for metric, verdict in changed if verdict == "regressed"}
    if worse and not any(verdict == "regressed" for _, verdict in named):
        wrong.append(f"{sorted(worse)[0]} regressed and is not named")
    return wrong


def _of_whole(whole: re.Match[str], pair: Pair) -> Wrongs:
    """The part of the tree that changed, none of whose parts did by itself."""
    parts = [part for part in pair.comparison.document["claims"] if f"{spoken(part['metric'])} {part['name']}" == whole["name"].lower()]
    if not parts:
        return [f"no part is called {whole['name']}"]
    part = parts[0]
    scale = 1e-3 if part["unit"] == "ns" else 1.0
    wrong = unequal("verdict", whole["verdict"], part["verdict"]) + unequal("named by no part of it", True, part["is_frontier"])
    return (
        wrong
        + differs("shift", whole["size"], part["shift"] * scale)
        + differs("share", whole["share"], part["shift"] / part["before"] * 100)
    )


def _clause(inner: re.Match[str], pair: Pair) -> Wrongs:
    metric, verdict, first, last = inner["metric"].lower(), inner["verdict"], inner[3], inner[4]
    rows = [row for row in pair.comparison.rows if _is_named(row.metric, metric) and row.verdict == verdict]
    rows = [row for row in rows if not row.is_term] or rows
    if not rows:
        return [f"no row of {metric} {verdict}"]
    shifts, shares = sorted(row.shift for row in rows), sorted(row.share for row in rows)
    wrong = differs(f"least {metric}", first, shifts[0]) + differs(f"most {metric}", last or first, shifts[-1])
    printed = re.findall(rf"({SIGNED}) %", inner["shares"] or "")
    if printed and all(map(isfinite, shares)):
        wrong += differs(f"least share of {metric}", printed[0], shares[0]) + differs(f"most share of {metric}", printed[-1], shares[-1])
    tests = list(dict.fromkeys(row.test for row in rows))
    test, _, title = inner["where"].partition(", ")
    counted = re.fullmatch(rf"({NUMBER}|\w+) tests", test)
    if counted:
        wrong += differs("tests", counted[1], len(tests))
    elif test not in tests or len(tests) > 1:
        wrong.append(f"the rows that {verdict} are of {', '.join(tests)}")
    if title:
        wrong += [f"{row.title} {verdict} too, and is not of {title}" for row in rows if not row.title.startswith(title)]
    elif len({row.title for row in rows}) == 1 and len(rows) > 1:
        wrong.append(f"all rows that {verdict} are of {rows[0].title}, and the heading does not say it")
    return wrong


def _is_named(metric: str, name: str) -> bool:
    return name in (spoken(metric), metric) or name.startswith(spoken(metric)) or spoken(metric) in name


@claim(r"^Inferred causes?: (?P<causes>.*?)(?:, counted in (?P<n>\w+) of (?P<m>\w+) tests)?\.$")
def cause(match: re.Match[str], pair: Pair, screen: FirstScreen) -> Wrongs:
    """A function is named for the processors that run it, and that have a row that changed; it moved most of all there."""
    changed = [row for row in pair.comparison.rows if row.verdict in CHANGED and not row.is_term]
    tests = {row.test for row in changed}
    wrong = differs("tests", match["m"], len(tests)) if match["m"] else []
    processors = _processors(pair)
    counted_tests: set[str] = set()
    named: set[str] = set()
    for function, processor in _named_causes(match["causes"]):
        named.add(processor)
        clusters = {cluster for cluster, name in processors.items() if name == processor}
        rows = [row for row in changed if row.values["cluster"] in clusters or row.values["cluster"] is None]
        if not rows:
            wrong.append(f"nothing changed on {processor}")
        own = re.match(r"(?:cortex|neoverse)_[a-z]\d+", function)
        if own and own[0].replace("_", "-") != processor:
            wrong.append(f"{function} does not run on {processor}")
        moves, of_tests = _counted_moves(pair, processor, rows)
        counted_tests |= of_tests
        way = 1 if sum(row.shift for row in rows) > 0 else -1
        if function in moves and way * moves[function] < 0.999 * max(way * move for move in moves.values()):
            wrong.append(f"{max(moves, key=lambda name: way * moves[name])} moved more on {processor} than {function}")
        if of_tests and function not in {line["function"] for line in _counts(processor)}:
            wrong.append(f"{function} was not counted on {processor}")
    uncovered = {processors[row.values["cluster"]] for row in changed if row.values["cluster"] in processors} - named
    wrong += [f"rows of {processor} changed, and no cause is named for them" for processor in sorted(uncovered)]
    return wrong + (differs("counted tests", match["n"], len(counted_tests & tests)) if match["n"] and counted_tests else [])


def _named_causes(text: str) -> Iterator[tuple[str, str]]:
    """`F on P and Q and G on R`: a function may have several processors."""
    function = ""
    for part in text.split(" and "):
        before, _, processor = part.rpartition(" on ")
        function = before or function
        yield function, processor


@cache
def _board(platform: str) -> dict[str, Any]:
    import tomllib

    path = CATALOG / "platforms" / "facts" / f"{platform}.toml"
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}


def _processors(pair: Pair) -> dict[int, str]:
    """The processor of each cluster, as the board's facts have it."""
    clusters = _board(str(pair.runs[0].document["platform"])).get("clusters", [])
    return {number: cluster["core"]["value"] for number, cluster in enumerate(clusters)}


@cache
def _counts(processor: str) -> tuple[dict[str, str], ...]:
    path = CATALOG / "counts" / "tf-a" / f"{processor}.csv"
    return tuple(csv.DictReader(path.open(encoding="utf-8"))) if path.exists() else ()


def _counted_moves(pair: Pair, processor: str, rows: Iterable[Row]) -> tuple[dict[str, float], set[str]]:
    """Instructions of each function in the newer release less the older one, the most of any test, and the tests that were counted. A
    function that one release has not may be inlined there: it has no move."""
    releases = [run.id.rpartition("/")[2] for run in pair.runs]
    wanted = {(row.test, row.metric) for row in rows}
    table = [line for line in _counts(processor) if (line["test"], line["metric"]) in wanted and line["function"]]
    if not table or not all(release in table[0] for release in releases):
        return {}, set()
    by_test: dict[str, dict[str, float]] = {}
    for line in table:
        moves = by_test.setdefault(line["test"], {})
        if not all(line[release] for release in releases):
            continue
        before, after = (float(line[release]) for release in releases)
        moves[line["function"]] = moves.get(line["function"], 0.0) + after - before
    together: dict[str, float] = {}
    for moves in by_test.values():
        for name, size in moves.items():
            together[name] = max(together.get(name, 0.0), size, key=abs)
    return together, set(by_test)


@claim(rf"^(?:(?P<verdict>Unchanged|Inconclusive|unchanged|inconclusive): )?all (?P<n>{NUMBER}|\w+) rows? have equal figures\.?$")
def all_equal(match: re.Match[str], pair: Pair, screen: FirstScreen) -> Wrongs:
    rows = pair.comparison.rows
    return differs("rows", match["n"], len(rows)) + [f"{row.test} {row.metric} {row.title} moved" for row in rows if row.shift][:1]


@claim(
    rf"^(?P<verdict>Unchanged|Inconclusive): no row of (?P<n>{NUMBER}|\w+) changed beyond its threshold; the largest shift is "
    rf"(?P<size>{SIGNED})(?: {UNIT})? \((?P<share>{SIGNED}) %\) in (?P<where>.*)\.$"
)
def none_changed(match: re.Match[str], pair: Pair, screen: FirstScreen) -> Wrongs:
    rows = pair.comparison.rows
    wrong = differs("rows", match["n"], len(rows))
    wrong += [f"{row.test} {row.metric} {row.verdict}" for row in rows if row.verdict in CHANGED][:1]
    return wrong + _largest(match["size"], match["share"], match["where"], [row for row in rows if isfinite(row.share)])


def _largest(size: str, share: str, where: str, rows: list[Row]) -> Wrongs:
    """The row of `where` has this shift, and no other has a larger share."""
    test, _, title = where.partition(", ")
    mine = [row for row in rows if (row.test, row.title) == (test, title)]
    fitting = [row for row in mine if agrees(size, row.shift) and agrees(share, row.share)]
    if not fitting:
        return [f"{where} has no shift of {size} ({share} %)"]
    most = max(rows, key=lambda row: abs(row.share) if isfinite(row.share) else 0.0)
    if isfinite(most.share) and abs(most.share) > max(abs(row.share) for row in fitting) + 1e-9:
        return [f"{most.test}, {most.title} has the largest shift, {most.share:+.2f} %"]
    return []


@claim(
    rf"^(?:Unchanged|Inconclusive): no row changed beyond its threshold; (?P<k>{NUMBER}|\w+) of (?P<n>{NUMBER}|\w+) rows? inconclusive\.$"
)
def some_open(match: re.Match[str], pair: Pair, screen: FirstScreen) -> Wrongs:
    rows = pair.comparison.rows
    wrong = differs("rows", match["n"], len(rows)) + differs("inconclusive", match["k"], _count(rows, "inconclusive"))
    return wrong + [f"{row.test} {row.metric} {row.verdict}" for row in rows if row.verdict in CHANGED][:1]


@claim(rf"^(?:Unchanged|Inconclusive): none of (?P<n>{NUMBER}|\w+) rows? has a verdict\.$")
def none_judged(match: re.Match[str], pair: Pair, screen: FirstScreen) -> Wrongs:
    rows = pair.comparison.rows
    return differs("rows", match["n"], len(rows)) + differs("inconclusive", match["n"], _count(rows, "inconclusive"))


def _count(rows: Iterable[Row], verdict: str) -> int:
    return sum(row.verdict == verdict for row in rows)


@claim(rf"^(?P<n>{NUMBER}) rows? (?P<verdict>unchanged|inconclusive|regressed|improved)\.?$")
def counted(match: re.Match[str], pair: Pair, screen: FirstScreen) -> Wrongs:
    return differs("rows", match["n"], _count(pair.comparison.rows, match["verdict"]))


@claim(rf"^(?P<metric>\w+) (?P<verdict>regressed|improved): (?P<k>{NUMBER}) of (?P<n>{NUMBER}) data points? (?P<way>rose|fell)(?:, .*)?$")
def group(match: re.Match[str], pair: Pair, screen: FirstScreen) -> Wrongs:
    rows = [row for row in pair.comparison.spans() if row.metric == match["metric"] and row.verdict == match["verdict"]]
    shifts = [shift for row in rows for shift in row.cells]
    if not shifts:
        return [f"no row of {match['metric']} {match['verdict']}"]
    up = sum((shift > 0) == (match["way"] == "rose") for shift in shifts)
    return differs("data points", match["n"], len(shifts)) + differs(f"data points {match['way']}", match["k"], up)


@claim(
    rf"^(?P<verdict>unchanged|inconclusive) (?P<metric>\w+): (?P<k>{NUMBER}) of (?P<n>{NUMBER}) rows, (?:all with equal figures|max shift "
    rf"(?P<size>{SIGNED})(?: {UNIT})? \((?P<share>{SIGNED}) %\)(?:, less than [^,]+,)? in (?P<where>[^;]*)(?:; .*)?)$"
)
def quiet(match: re.Match[str], pair: Pair, screen: FirstScreen) -> Wrongs:
    of_metric = [row for row in pair.comparison.spans() if row.metric == match["metric"]]
    rows = [row for row in of_metric if row.verdict == match["verdict"]]
    wrong = differs("rows", match["n"], len(of_metric)) + differs(match["verdict"], match["k"], len(rows))
    if match["size"] is None:
        return wrong + [f"{row.test} {row.title} moved" for row in rows if row.shift][:1]
    return wrong + _largest(match["size"], match["share"], match["where"], rows)


@claim(rf"^(?P<n>{NUMBER}) percentages printed beside the second run's figures, (?P<k>{NUMBER}|none) of them regressed$")
def printed(match: re.Match[str], pair: Pair, screen: FirstScreen) -> Wrongs:
    deltas = pair.comparison.document["printed_deltas"]
    regressed = sum(delta["verdict"] == "regressed" for delta in deltas)
    return (differs("printed deltas", match["n"], len(deltas)) if len(deltas) < number(match["n"]) else []) + (
        differs("regressed", match["k"], regressed) if len(deltas) == number(match["n"]) else []
    )


@claim(r"^[Oo]rder changed in (?P<test>\w+): (?P<before>[\d. ]+) became (?P<after>[\d. ]+?)\.?$")
def order(match: re.Match[str], pair: Pair, screen: FirstScreen) -> Wrongs:
    """By the power-downs, shortest first, in every iteration."""
    wrong: Wrongs = []
    for name, run in zip(("before", "after"), pair.runs, strict=True):
        spans = [run.samples.get((match["test"], "powerdown", core), []) for core in match[name].split()]
        if not all(list(of_one) == sorted(of_one) for of_one in zip(*spans, strict=False)):
            wrong.append(f"the order {name} is another in some iteration of {run.id}")
    return wrong


@claim(rf"^(?P<a>{NUMBER}) and (?P<b>{NUMBER}) wake-ups.*$")
def wakeups(match: re.Match[str], pair: Pair, screen: FirstScreen) -> Wrongs:
    counts = [sum(row["got"] for row in run.distributions) for run in pair.runs]
    return differs("wake-ups", match["a"], counts[0]) + differs("wake-ups", match["b"], counts[1])


@claim(rf"^(?P<n>{NUMBER}) wake-ups of (?P<run>\S+) lie beyond the end of its histogram$")
def beyond(match: re.Match[str], pair: Pair, screen: FirstScreen) -> Wrongs:
    runs = [run for run in pair.runs if run.id == match["run"]]
    if not runs:
        return []
    total = sum(row["beyond"] for row in runs[0].distributions)
    return [] if number(match["n"]) <= total else [f"{total} of {match['run']} are beyond"]


@claim(
    rf"^(?P<test>\w+): (?P<got>{NUMBER}) of (?P<due>{NUMBER}) samples due, (?P<had>{NUMBER}) of (?P<base>{NUMBER}) in the base(?:;.*|\.)?$"
)
def missing(match: re.Match[str], pair: Pair, screen: FirstScreen) -> Wrongs:
    counts = [
        sum(len(values) for (test, _, _), values in run.samples.items() if test.lower() == match["test"].lower()) for run in pair.runs
    ]
    return differs("samples", match["got"], counts[1]) + differs("samples of the base", match["had"], counts[0])


def tables(pair: Pair, screen: FirstScreen) -> Iterable[tuple[str, Wrongs]]:
    for table in screen.tables:
        group_of = re.match(r"^(?P<metric>\w+) (?P<verdict>regressed|improved): ", table.caption)
        if group_of:
            yield table.caption, _changes(pair, table, group_of["metric"], group_of["verdict"])
        elif table.columns[:2] == ("Test", "Term"):
            yield table.caption, _queue(pair, table)
        elif table.columns[:3] == ("Test", "Core", "Printed"):
            yield table.caption, _printed(pair, table)
    yield "rows of the export", _rows_of_samples(pair)


def _changes(pair: Pair, table: Table, metric: str, verdict: str) -> Wrongs:
    """Each cell is the shift of its row, and each changed row has a cell."""
    rows = {(row.test, row.title): row for row in pair.comparison.spans() if row.metric == metric and row.verdict == verdict}
    wrong: Wrongs = []
    seen = set()
    for line in table.rows:
        if table.columns[1:2] == ("Cores",):
            cells = [(line[1], f"{line[2]} ({line[3]})" if len(line) > 3 else line[2])]
        else:
            cells = list(zip(table.columns[1:], line[1:], strict=False))
        for title, text in cells:
            if not text:
                continue
            row = rows.get((line[0], title))
            seen.add((line[0], title))
            if row is None:
                wrong.append(f"{line[0]}, {title} did not change")
                continue
            sizes = re.findall(SIGNED, text)
            wrong += differs(f"{line[0]}, {title}", sizes[0], row.shift)
            if len(sizes) > 1 and isfinite(row.share):
                wrong += differs(f"share of {line[0]}, {title}", sizes[1], row.share)
    return wrong + [f"{test}, {title} is missing" for test, title in rows if (test, title) not in seen]


def _queue(pair: Pair, table: Table) -> Wrongs:
    rows = {(row.test, row.title): row for row in pair.comparison.rows if row.is_term}
    wrong: Wrongs = []
    for line in table.rows:
        row = rows.get((line[0], line[1]))
        if row is None:
            wrong.append(f"{line[0]} has no {line[1]}")
            continue
        scale = row.scale
        figures = zip(("before", "after", "threshold"), (line[2], line[3], line[6]), strict=True)
        wrong += [
            w
            for name, text in figures
            if row.values[name] is not None
            for w in differs(f"{line[1]} {name}", text, row.values[name] * scale)
        ]
        sizes = re.findall(SIGNED, line[4])
        wrong += differs(f"{line[1]} shift", sizes[0], row.shift) if sizes else []
        wrong += unequal(f"verdict of {line[1]}", line[7], row.verdict)
    return wrong + ([] if len(table.rows) == len(rows) else [f"{len(rows)} terms, {len(table.rows)} in the table"])


def _printed(pair: Pair, table: Table) -> Wrongs:
    known = {(delta["test"], delta["core"], delta["printed"], delta["verdict"]) for delta in pair.comparison.document["printed_deltas"]}
    return [f"no delta {line[:4]}" for line in table.rows if tuple(line[:4]) not in known]


def _rows_of_samples(pair: Pair) -> Wrongs:
    """The export itself: a cell is the median of its core's samples, and a row moves the way of its cells."""
    wrong: Wrongs = []
    samples = [run.samples for run in pair.runs]
    for row in pair.comparison.spans():
        for cell in row.values["cells"]:
            key = (row.test, row.metric, cell["label"])
            for name, of_run in zip(("before", "after"), samples, strict=True):
                if key in of_run and cell[name] is not None:
                    low, high = min(of_run[key]), max(of_run[key])
                    value = cell[name] * row.scale
                    if not low - 1e-6 <= value <= high + 1e-6:
                        wrong.append(f"{key} {name} is {value:.6g}, its samples are {low:.6g} to {high:.6g}")
        shifts = row.cells
        if row.verdict in CHANGED and row.values["cells"] and not within(f"{row.shift:.6f}", shifts):
            wrong.append(f"{row.test}, {row.title} moved by {row.shift:.6g}, its data points by {min(shifts):.6g} to {max(shifts):.6g}")
        is_worse = (row.shift > 0) != (row.metric in MORE_IS_BETTER)
        if row.verdict in CHANGED and row.shift and is_worse != (row.verdict == "regressed"):
            wrong.append(f"{row.test}, {row.metric}, {row.title} {row.verdict} by {row.shift:+.6g}")
    return wrong
