# SPDX-License-Identifier: BSD-3-Clause
"""Which commit changed a figure, and the functions that did it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from latlab.calls.analysis.span_functions import function_moves
from latlab.commits.pages.commit_message import quoted_of
from latlab.core.comparison.wording import amount, count, percent, signed
from latlab.core.model.run import MESSAGE
from latlab.core.report.page import Commands, Item, Items, Page, Paragraph, Section
from latlab.core.report.renderers import json
from latlab.core.report.text import soft, strong
from latlab.virtual.pages.tables import said_time, time_json

if TYPE_CHECKING:
    from latlab.commits.campaign.bisecting import Bisection, CommitStep
    from latlab.commits.campaign.commits import Measurer

SCHEMA = "latlab-bisection"
VERSION = 1


def page(bisection: Bisection, figure: str, measurer: Measurer) -> Page:
    (good, low), (bad, high) = bisection.good, bisection.bad
    ends = f"{figure}: {amount(low, bisection.unit)} at {good}, {amount(high, bisection.unit)} at {bad}"
    work = (
        f"{count(bisection.commits, 'commit')}: {measurer.built} "
        f"built and "
        f"measured, "
        f"{measurer.reused} kept, "
        f"{len(measurer.skipped)} skipped"
    )
    if bisection.step is None:
        title = strong(f"the first commit that changed {figure} is one of {len(bisection.suspects)}")
        return Page(title, (ends, work), (Section("", (Items(tuple(Item(str(commit)) for commit in bisection.suspects)),)),))
    step = bisection.step
    share = f" ({percent((step.value - step.value_before) / step.value_before)})" if step.value_before else ""
    moved = f"{amount(step.value_before, bisection.unit)} to {amount(step.value, bisection.unit)}, "
    moved += f"{signed(step.value - step.value_before, bisection.unit)}{share}"
    items = Items(tuple(map(Item, _functions(step, figure, bisection.unit))) or (Item("the probe saw no function that differs"),))
    claims = quoted_of(step.run.build)
    times = [
        Item(f"{board_time.span[0]} {board_time.span[1]} {said_time(step.board, board_time)}")
        for board_time in step.times
        if figure.startswith("/".join(board_time.span))
    ]
    items = Items((*items.items, *times, *([Item(claims[0], claims[1:])] if claims else [])))
    basis = (Paragraph(f"Times of {step.board} are predicted from the counts: {step.basis}."),) if step.board else ()
    gate = Commands((f"latlab gate {step.run_before.id} {step.run.id}",))
    return Page(
        strong(f"{step.commit} changed {figure}: {moved}"),
        (ends, *_other_changes(bisection, step), work),
        (Section("", (items, *basis, Paragraph(soft("in CI:")), gate)),),
    )


def _other_changes(bisection: Bisection, step: CommitStep) -> tuple[str, ...]:
    """Where else in the range the figure changed, if it did: a step is found where the figure passes the middle, and may be a small one."""
    (good, low), (bad, high) = bisection.good, bisection.bad
    parts = ((good, step.before, step.value_before - low), (step.commit, bad, high - step.value))
    others = [f"{a.sha[:12]}..{b.sha[:12]} ({signed(change, bisection.unit)})" for a, b, change in parts if change]
    if not others:
        return ()
    whole = f"{signed(step.value - step.value_before, bisection.unit)} of {signed(high - low, bisection.unit)}"
    return (f"{whole} in the range; the rest came from other commits: bisect {' and '.join(others)}",)


def bisection_json(bisection: Bisection, figure: str, measurer: Measurer) -> str:
    step = bisection.step
    return json.document(
        {
            "schema": SCHEMA,
            "version": VERSION,
            "figure": figure,
            "unit": bisection.unit,
            "good": {"commit": asdict(bisection.good[0]), "value": bisection.good[1]},
            "bad": {"commit": asdict(bisection.bad[0]), "value": bisection.bad[1]},
            "commits": bisection.commits,
            "built": measurer.built,
            "measured_before": measurer.reused,
            "skipped": len(measurer.skipped),
            "suspects": [asdict(commit) for commit in bisection.suspects],
            "first": None
            if step is None
            else {
                "commit": asdict(step.commit),
                "said": step.run.build.get_option(MESSAGE),
                "run": step.run.id,
                "value": step.value,
                "parent": asdict(step.before),
                "parent_run": step.run_before.id,
                "parent_value": step.value_before,
                "board": step.board or None,
                "times": [time_json(board_time) for board_time in step.times],
                "basis": step.basis,
                "functions": [
                    {"test": test, "metric": metric.value, **asdict(move)}
                    for (test, metric), moves in step.moves.items()
                    for move in moves.functions
                ],
            },
        }
    )


def _functions(step: CommitStep, figure: str, unit: str) -> tuple[str, ...]:
    """Those of the figure's own span; of its test where the metric has no functions of its own, as a cache flush; else all."""
    of_span = {key: moves for key, moves in step.moves.items() if figure.startswith("/".join(key))}
    of_test = {key: moves for key, moves in step.moves.items() if figure.startswith(f"{key[0]}/")}
    return function_moves(of_span or of_test or step.moves, unit)
