# SPDX-License-Identifier: BSD-3-Clause
"""What the commits of a repository cost: each figure over them, what each commit changed by function, and what it says of itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from latlab.commits.pages.commit_message import quoted
from latlab.core.comparison.wording import bare, count, heading_unit, percent, signed_bare
from latlab.core.report.page import Block, Item, Items, Page, Paragraph, Section
from latlab.core.report.renderers import json
from latlab.core.report.table import Table, Value, figures, words
from latlab.core.report.text import Style, Styled, Text, soft, strong
from latlab.core.shown import significant
from latlab.virtual.pages.tables import said_time, time_json

if TYPE_CHECKING:
    from latlab.commits.analysis import FigureStep, Span
    from latlab.commits.campaign.commit_history import ChangedAt, ChosenCommits, CommitHistory, MeasuredCommit, NotMeasured

SCHEMA = "latlab-commits"
VERSION = 1
MOST_WIDTH = 48
MOST_FUNCTIONS = 6


def page(histories: Sequence[CommitHistory], chosen: ChosenCommits, skipped: Sequence[NotMeasured], is_wide: bool = False) -> Page:
    """Where there is room for it the table has each release; else, as of commits, the first and the last of many."""
    quoted_commits = {change.after.commit.sha for history in histories for change in history.changes} if chosen.tags else set()
    sections = [
        Section(strong(history.name), tuple(_blocks(history, chosen, quoted_commits, is_wide and bool(chosen.tags))))
        for history in histories
    ]
    if skipped:
        left_out = Items(tuple(Item(f"{skip.commit}: {skip.why}") for skip in skipped))
        note = "" if chosen.is_list else " Their changes are included in the next commit."
        sections.append(Section(strong("not measured"), (left_out, Paragraph(soft(f"`--retry-failed` measures them again.{note}")))))
    return Page("History of commits", sections=tuple(sections))


def _blocks(history: CommitHistory, chosen: ChosenCommits, quoted_commits: set[str], is_wide: bool) -> Iterator[Block]:
    """`quoted_commits` are the commits that are quoted already; a release has changes of many others, and its own words are not of them."""
    moved = [change for change in history.changes if change.figures]
    spans = list(dict.fromkeys(span for commit in history.commits for span in commit.means))
    is_narrow = sum(max(len(commit.commit.short), 6) + 2 for commit in history.commits) <= MOST_WIDTH
    shown = history.commits if is_narrow or is_wide else (history.commits[0], history.commits[-1])
    if not chosen.is_list:
        yield _table(history, spans, shown)
    yield Items(
        tuple(_change(change, history, quoted_commits) for change in history.changes if change.figures or change.untold or chosen.is_list)
    )
    beyond = f" by more than {significant(100 * history.tolerance)} %" if history.tolerance else ""
    compared = "compared with its first parent" if chosen.is_list else "compared with the previous commit"
    yield Paragraph(f"{count(len(moved), 'commit')} of {len(history.changes)} moved a figure{beyond}, each {compared}.")
    if history.costs and moved:
        basis = "; ".join(dict.fromkeys(change.basis for change in moved if change.basis))
        yield Paragraph(f"Times of {history.costs.board} are predicted from the counts: {basis}.")
    if chosen.paths:
        yield Paragraph(f"Commits that change nothing in {' '.join(chosen.paths)} are included in the next commit that does.")
    if patched := [commit for commit in history.commits if commit.patch]:
        by = "; ".join(dict.fromkeys(commit.patch for commit in patched))
        yield Paragraph((Styled("patched", Style.DOUBT), f" {len(patched)} of {count(len(history.commits), 'commit')}: {by}"))


def _table(history: CommitHistory, spans: Sequence[Span], shown: Sequence[MeasuredCommit]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for test, metric in spans:
        values = [commit.means.get((test, metric)) for commit in shown]
        rows.append((f"{test} {metric}", *("" if value is None else bare(value, history.unit) for value in values)))
    heading = figures(*(commit.commit.short for commit in shown))
    note = f"{len(history.commits)} commits, {shown[0].commit} to {shown[-1].commit}"
    basis = f"mean over the cores, {count(history.iterations, 'iteration')} in one boot"
    return Table(f"{heading_unit(history.unit)}, {basis}", (*words("Figure"), *heading), tuple(rows), notes=(note,))


def _change(change: ChangedAt, history: CommitHistory, quoted_commits: set[str]) -> Item:
    after = change.after
    if change.untold:
        return Item((strong(str(after.commit)), f": not compared, {change.untold}"))
    below: list[Text] = [(*_figure(step, history.unit), _time(change, step, history)) for step in change.figures] or ["no figure moved"]
    below += [(Styled("conditions", Style.DOUBT), f" {change.differs}")] if change.differs else []
    if after.commit.sha not in quoted_commits:
        below += quoted(after.said, after.commit.sha, after.commit.authored)
        quoted_commits.add(after.commit.sha)
    return Item((strong(str(after.commit)), f" against {change.before.commit.short}"), tuple(below))


def _figure(step: FigureStep, unit: str) -> tuple[str | Styled, ...]:
    shown, others = step.moves[:MOST_FUNCTIONS], step.moves[MOST_FUNCTIONS:]
    parts = _moved(((move.name, move.difference) for move in shown), unit)
    parts += _moved([(count(len(others), "other"), sum(move.difference for move in others))], unit) if others else []
    classes = _moved(((move.name.value, move.after - move.before) for move in step.classes), unit)
    by_class = f"; by class: {', '.join(classes)}" if classes else ""
    share = "" if step.share is None else f" ({percent(step.share)})"
    level = f"{bare(step.before, unit)} to {bare(step.after, unit)}"
    judged = Styled(f"{signed_bare(step.difference, unit)}{share}", Style.BAD if step.difference > 0 else Style.GOOD)
    return (f"{step.test} {step.metric} {level}, ", judged, f": {', '.join(parts)}" if parts else "", by_class)


def _moved(differences: Iterable[tuple[str, float]], unit: str) -> list[str]:
    """Without what is nothing as it is printed: a mean over cores that turned out another way."""
    parts = [(name, signed_bare(difference, unit)) for name, difference in differences]
    return [f"{name} {difference}" for name, difference in parts if float(difference.replace(",", ""))]


def _time(change: ChangedAt, step: FigureStep, history: CommitHistory) -> str:
    return "".join(
        f"; {said_time(history.costs.board, board_time)}"
        for board_time in change.times
        if history.costs and board_time.span == (step.test, step.metric)
    )


def commits_json(histories: Sequence[CommitHistory], chosen: ChosenCommits, skipped: Sequence[NotMeasured]) -> str:
    return json.document(
        {
            "schema": SCHEMA,
            "version": VERSION,
            "against": "first parent" if chosen.is_list else "the one before",
            "paths": list(chosen.paths),
            "skipped": [asdict(skip) for skip in skipped],
            "histories": [
                {
                    "name": history.name,
                    "unit": history.unit,
                    "iterations": history.iterations,
                    "tolerance": history.tolerance,
                    "board": history.costs.board if history.costs else None,
                    "commits": [_commit(commit) for commit in history.commits],
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
                        for change in history.changes
                    ],
                }
                for history in histories
            ],
        }
    )


def _commit(commit: MeasuredCommit) -> dict[str, object]:
    means = [{"test": test, "metric": metric.value, "mean": value} for (test, metric), value in commit.means.items()]
    return asdict(commit.commit) | {"run": commit.run_id, "said": commit.said, "patch": commit.patch, "figures": means}
