# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/results/predictions-juno.rst: what the virtual-time platform predicts of published figures, and how far it is off."""

from pathlib import Path

from latlab.model.enums import Metric
from latlab.report.renderers import rst
from latlab.report.table import Table, figures, words
from latlab.report.virtual.virtual_tables import error_table, fit_table, prediction_table
from latlab.store.references import load
from latlab.virtual.board import load_board
from latlab.virtual.prediction import Predicted, fit_board, other_releases, predict, repeated, undetermined_costs
from latlab.virtual.program import find_program
from latlab.virtual.scatter import with_intervals

OLD, NEW = "published:tf-a/juno/v2.9", "published:tf-a/juno/v2.10"
FEW = ("susp_deep_serial", "cpu_susp_serial", "cpu_off_serial", "cpu_susp_parallel")
PAGE = Path(__file__).parents[1] / "docs" / "results" / "predictions-juno.rst"


def heading(text: str) -> str:
    return f"{text}\n{'-' * len(text)}\n"


def every_release(predicted: dict[str, Predicted]) -> Table:
    """How many spans of each release lie in the intervals that the others give."""
    rows = []
    for name, one in predicted.items():
        others = [other.spans for known, other in predicted.items() if known != name]
        spans = with_intervals(one.spans, others)
        left_out = sorted({departure.test for departure in one.departures})
        rows.append((name, len(spans), sum(bool(span.is_inside) for span in spans), ", ".join(left_out) or "-"))
    total = ("all", sum(row[1] for row in rows), sum(row[2] for row in rows), "")
    return Table(
        "Spans that lie in their interval of 90 %",
        (*words("Release"), *figures("Spans", "Inside"), *words("Not predicted")),
        (*rows, total),
    )


def main() -> None:
    program, board = find_program(), load_board("juno")
    fitted = fit_board(program, board, [load(OLD)])
    costs = board.with_costs(fitted.values_ns)
    predicted = {run.id.rpartition("/")[2]: predict(program, costs, run) for run in other_releases(board, [load(OLD)])}
    new = NEW.rpartition("/")[2]
    other = with_intervals(predicted[new].spans, [one.spans for name, one in predicted.items() if name != new])
    held = undetermined_costs(program, board, load(OLD), FEW)
    few = board.with_costs(fit_board(program, board, [load(OLD)], FEW, held).values_ns)
    known = predict(program, few, load(OLD), ("susp_deep_parallel",)).spans
    unknown = predict(program, few.with_costs({"busy_cluster_ns": 0}), load(OLD), ("susp_deep_parallel",)).spans
    parts = [
        "Predictions for Juno",
        "====================\n",
        "Made by ``make predictions``, which ``make docs`` runs first. The model is described in :doc:`/explanation/virtual-time`.\n",
        heading("Fit on all of v2.9"),
        rst.tables([fit_table(fitted)]),
        heading("All of v2.10 from those costs and the order in which its cores came"),
        "Low and high hold a span with 90 %, by how far "
        + ", ".join(f"``{name}``" for name in predicted if name != new)
        + " lie from what the same costs predict of them. Their tests that show what the model has not are left out.\n",
        rst.tables([error_table(other), prediction_table(other)]),
        heading("Every other release from those costs"),
        "The interval of each comes from the others, and nothing of v2.9 or of the release itself is in it.\n",
        rst.tables([every_release(predicted)]),
        heading("How near v2.9's own flushes are to v2.10's"),
        "A flush has no queue in it, so the same cell of the two releases can be laid side by side. No model that knows v2.9 only can be "
        "expected to come nearer. The model is furthest off at core 1.0 in the deep parallel test, which takes 0.7 to 0.9 µs more than its "
        "like in both releases. It is the lead and also the first of its cluster there: the tables cannot tell which of the two it pays "
        "for, and the model has a cost for neither.\n",
        rst.tables([error_table(repeated(load(OLD), load(NEW), Metric.CACHE_FLUSH))]),
        heading("The deep parallel test of v2.9 from its other tests"),
        f"These tests cannot determine {', '.join(f'``{name}``' for name in held)}; the platform file's values stand in. "
        "One of them matters here: ``busy_cluster_ns``, the time that the channel stays busy when a whole cluster goes down. "
        "No other test shows it.\n",
        rst.tables([error_table(known), prediction_table(known)]),
        "The same with ``busy_cluster_ns`` at zero, which is what these tests alone say: the cores behind the first cluster that goes "
        "down are predicted too early by exactly that time.\n",
        rst.tables([prediction_table(unknown)]),
    ]
    PAGE.write_text("\n".join(parts), "utf-8")


main()
