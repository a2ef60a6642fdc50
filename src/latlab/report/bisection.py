# SPDX-License-Identifier: BSD-3-Clause
"""Which commit changed a figure, and the functions that did it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from latlab.analysis.base.wording import amount, count, percent, signed
from latlab.analysis.crossings.function_sentences import function_moves
from latlab.model.run import MESSAGE
from latlab.report.claims import quoted_of
from latlab.report.page import Commands, Item, Items, Page, Paragraph, Section
from latlab.report.renderers import json
from latlab.report.text import soft, strong
from latlab.report.virtual.virtual_tables import said_time, time_json

if TYPE_CHECKING:
    from latlab.campaigns.bisecting import Bisection, CommitStep
    from latlab.campaigns.commits import Measurer

SCHEMA = "latlab-bisection"
VERSION = 1


def page(found: Bisection, figure: str, measurer: Measurer) -> Page:
    (good, low), (bad, high) = found.good, found.bad
    ends = f"{figure}: {amount(low, found.unit)} at {good}, {amount(high, found.unit)} at {bad}"
    work = f"{count(found.commits, 'commit')}: {measurer.built} built and measured, {measurer.found} kept, {len(measurer.skipped)} skipped"
    if found.step is None:
        title = strong(f"the first commit that changed {figure} is one of {len(found.suspects)}")
        return Page(title, (ends, work), (Section("", (Items(tuple(Item(str(commit)) for commit in found.suspects)),)),))
    step = found.step
    share = f" ({percent((step.value - step.value_before) / step.value_before)})" if step.value_before else ""
    moved = f"{amount(step.value_before, found.unit)} to {amount(step.value, found.unit)}, "
    moved += f"{signed(step.value - step.value_before, found.unit)}{share}"
    said = Items(tuple(map(Item, _functions(step, figure, found.unit))) or (Item("the probe saw no function that differs"),))
    claims = quoted_of(step.run.build)
    times = [
        Item(f"{one.span[0]} {one.span[1]} {said_time(step.board, one)}") for one in step.times if figure.startswith("/".join(one.span))
    ]
    said = Items((*said.items, *times, *([Item(claims[0], claims[1:])] if claims else [])))
    basis = (Paragraph(f"Times of {step.board} are predicted from the counts: {step.basis}."),) if step.board else ()
    gate = Commands((f"latlab gate {step.run_before.id} {step.run.id}",))
    return Page(
        strong(f"{step.commit} changed {figure}: {moved}"),
        (ends, *_rest(found, step), work),
        (Section("", (said, *basis, Paragraph(soft("in CI:")), gate)),),
    )


def _rest(found: Bisection, step: CommitStep) -> tuple[str, ...]:
    """Where else in the range the figure changed, if it did: a step is found where the figure passes the middle, and may be a small one."""
    (good, low), (bad, high) = found.good, found.bad
    parts = ((good, step.before, step.value_before - low), (step.commit, bad, high - step.value))
    others = [f"{a.sha[:12]}..{b.sha[:12]} ({signed(change, found.unit)})" for a, b, change in parts if change]
    if not others:
        return ()
    whole = f"{signed(step.value - step.value_before, found.unit)} of {signed(high - low, found.unit)}"
    return (f"{whole} in the range; the rest came from other commits: bisect {' and '.join(others)}",)


def bisection_json(found: Bisection, figure: str, measurer: Measurer) -> str:
    step = found.step
    return json.document(
        {
            "schema": SCHEMA,
            "version": VERSION,
            "figure": figure,
            "unit": found.unit,
            "good": {"commit": asdict(found.good[0]), "value": found.good[1]},
            "bad": {"commit": asdict(found.bad[0]), "value": found.bad[1]},
            "commits": found.commits,
            "built": measurer.built,
            "measured_before": measurer.found,
            "skipped": len(measurer.skipped),
            "suspects": [asdict(commit) for commit in found.suspects],
            "first": None
            if step is None
            else {
                "commit": asdict(step.commit),
                "said": step.run.build.said(MESSAGE),
                "run": step.run.id,
                "value": step.value,
                "parent": asdict(step.before),
                "parent_run": step.run_before.id,
                "parent_value": step.value_before,
                "board": step.board or None,
                "times": [time_json(one) for one in step.times],
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
    own = {key: moves for key, moves in step.moves.items() if figure.startswith("/".join(key))}
    of_test = {key: moves for key, moves in step.moves.items() if figure.startswith(f"{key[0]}/")}
    return function_moves(own or of_test or step.moves, unit)
