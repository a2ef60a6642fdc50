# SPDX-License-Identifier: BSD-3-Clause
"""What the commits of a repository cost: each figure over them, what each commit changed by function, and what it says of itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from latlab.analysis.base.wording import bare, count, heading_unit, percent, signed_bare
from latlab.report.claims import quoted
from latlab.report.page import Block, Item, Items, Page, Paragraph, Section
from latlab.report.renderers import json
from latlab.report.table import Table, Value, figures, words
from latlab.report.text import Style, Styled, Text, soft, strong
from latlab.report.virtual.virtual_tables import said_time, time_json

if TYPE_CHECKING:
    from latlab.analysis.steps import FigureStep, Span
    from latlab.campaigns.commit_history import ChangedAt, Chosen, CommitHistory, MeasuredCommit, NotMeasured

SCHEMA = "latlab-commits"
VERSION = 1
MOST_WIDTH = 48
MOST_FUNCTIONS = 6


def page(found: Sequence[CommitHistory], asked: Chosen, skipped: Sequence[NotMeasured], is_wide: bool = False) -> Page:
    """Where there is room for it the table has each release; else, as of commits, the first and the last of many."""
    said = {change.after.commit.sha for one in found for change in one.changes} if asked.tags else set()
    sections = [Section(strong(one.name), tuple(_blocks(one, asked, said, is_wide and bool(asked.tags)))) for one in found]
    if skipped:
        left_out = Items(tuple(Item(f"{one.commit}: {one.why}") for one in skipped))
        note = "" if asked.is_list else " Their changes are included in the next commit."
        sections.append(Section(strong("not measured"), (left_out, Paragraph(soft(f"`--retry-failed` measures them again.{note}")))))
    return Page("History of commits", sections=tuple(sections))


def _blocks(found: CommitHistory, asked: Chosen, said: set[str], is_wide: bool) -> Iterator[Block]:
    """`said` are the commits that are quoted already; a release has changes of many others, and its own words are not of them."""
    moved = [one for one in found.changes if one.figures]
    spans = list(dict.fromkeys(span for one in found.commits for span in one.means))
    is_narrow = sum(max(len(one.commit.short), 6) + 2 for one in found.commits) <= MOST_WIDTH
    shown = found.commits if is_narrow or is_wide else (found.commits[0], found.commits[-1])
    if not asked.is_list:
        yield _table(found, spans, shown)
    yield Items(tuple(_change(one, found, said) for one in found.changes if one.figures or one.untold or asked.is_list))
    beyond = f" by more than {100 * found.tolerance:g} %" if found.tolerance else ""
    compared = "compared with its first parent" if asked.is_list else "compared with the previous commit"
    yield Paragraph(f"{count(len(moved), 'commit')} of {len(found.changes)} moved a figure{beyond}, each {compared}.")
    if found.costs and moved:
        basis = "; ".join(dict.fromkeys(one.basis for one in moved if one.basis))
        yield Paragraph(f"Times of {found.costs.board} are predicted from the counts: {basis}.")
    if asked.paths:
        yield Paragraph(f"Commits that change nothing in {' '.join(asked.paths)} are included in the next commit that does.")
    if patched := [one for one in found.commits if one.patch]:
        by = "; ".join(dict.fromkeys(one.patch for one in patched))
        yield Paragraph((Styled("patched", Style.DOUBT), f" {len(patched)} of {count(len(found.commits), 'commit')}: {by}"))


def _table(found: CommitHistory, spans: Sequence[Span], shown: Sequence[MeasuredCommit]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for test, metric in spans:
        values = [one.means.get((test, metric)) for one in shown]
        rows.append((f"{test} {metric}", *("" if value is None else bare(value, found.unit) for value in values)))
    heading = figures(*(one.commit.short for one in shown))
    note = f"{len(found.commits)} commits, {shown[0].commit} to {shown[-1].commit}"
    basis = f"mean over the cores, {count(found.iterations, 'iteration')} in one boot"
    return Table(f"{heading_unit(found.unit)}, {basis}", (*words("Figure"), *heading), tuple(rows), notes=(note,))


def _change(change: ChangedAt, found: CommitHistory, said: set[str]) -> Item:
    after = change.after
    if change.untold:
        return Item((strong(str(after.commit)), f": not compared, {change.untold}"))
    below: list[Text] = [(*_figure(one, found.unit), _time(change, one, found)) for one in change.figures] or ["no figure moved"]
    below += [(Styled("conditions", Style.DOUBT), f" {change.differs}")] if change.differs else []
    if after.commit.sha not in said:
        below += quoted(after.said, after.commit.sha, after.commit.authored)
        said.add(after.commit.sha)
    return Item((strong(str(after.commit)), f" against {change.before.commit.short}"), tuple(below))


def _figure(one: FigureStep, unit: str) -> tuple[str | Styled, ...]:
    shown, rest = one.moves[:MOST_FUNCTIONS], one.moves[MOST_FUNCTIONS:]
    told = _moved(((move.name, move.difference) for move in shown), unit)
    told += _moved([(count(len(rest), "other"), sum(move.difference for move in rest))], unit) if rest else []
    classes = _moved(((move.name.value, move.after - move.before) for move in one.classes), unit)
    by_class = f"; by class: {', '.join(classes)}" if classes else ""
    share = "" if one.share is None else f" ({percent(one.share)})"
    level = f"{bare(one.before, unit)} to {bare(one.after, unit)}"
    judged = Styled(f"{signed_bare(one.difference, unit)}{share}", Style.BAD if one.difference > 0 else Style.GOOD)
    return (f"{one.test} {one.metric} {level}, ", judged, f": {', '.join(told)}" if told else "", by_class)


def _moved(differences: Iterable[tuple[str, float]], unit: str) -> list[str]:
    """Without what is nothing as it is printed: a mean over cores that turned out another way."""
    told = [(name, signed_bare(difference, unit)) for name, difference in differences]
    return [f"{name} {difference}" for name, difference in told if float(difference.replace(",", ""))]


def _time(change: ChangedAt, step: FigureStep, found: CommitHistory) -> str:
    return "".join(f"; {said_time(found.costs.board, one)}" for one in change.times if found.costs and one.span == (step.test, step.metric))


def commits_json(found: Sequence[CommitHistory], asked: Chosen, skipped: Sequence[NotMeasured]) -> str:
    return json.document(
        {
            "schema": SCHEMA,
            "version": VERSION,
            "against": "first parent" if asked.is_list else "the one before",
            "paths": list(asked.paths),
            "skipped": [asdict(one) for one in skipped],
            "histories": [
                {
                    "name": one.name,
                    "unit": one.unit,
                    "iterations": one.iterations,
                    "tolerance": one.tolerance,
                    "board": one.costs.board if one.costs else None,
                    "commits": [_commit(commit) for commit in one.commits],
                    "changes": [
                        {
                            "before": change.before.commit.sha,
                            "commit": change.after.commit.sha,
                            "figures": [
                                {"test": step.test, "metric": step.metric.value, "before": step.before, "after": step.after}
                                | {"functions": [asdict(move) for move in step.moves], "classes": [asdict(move) for move in step.classes]}
                                for step in change.figures
                            ],
                            "times": [time_json(time) for time in change.times],
                            "basis": change.basis,
                            "differs": change.differs,
                            "untold": change.untold,
                        }
                        for change in one.changes
                    ],
                }
                for one in found
            ],
        }
    )


def _commit(one: MeasuredCommit) -> dict[str, object]:
    means = [{"test": test, "metric": metric.value, "mean": value} for (test, metric), value in one.means.items()]
    return asdict(one.commit) | {"run": one.run_id, "said": one.said, "patch": one.patch, "figures": means}
