# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/results/predictions-juno.rst: what the virtual-time platform predicts of published figures, and how far it is off."""

from pathlib import Path

from latlab.core.model.enums import Metric
from latlab.core.report.renderers import rst
from latlab.core.report.table import Table, figures, words
from latlab.core.store.references import load
from latlab.psci.targets.board import load_board
from latlab.psci.targets.virtual_program import find_program
from latlab.virtual.campaign.prediction import Predicted, fit_board, other_releases, predict, repeated, undetermined_costs
from latlab.virtual.campaign.scatter import with_intervals
from latlab.virtual.pages.tables import error_table, fit_table, prediction_table

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
        heading("All of v2.10 from those costs and the arrival order of its cores"),
        "The interval from low to high contains a span with a probability of 90 %. It comes from the prediction errors of "
        + ", ".join(f"``{name}``" for name in predicted if name != new)
        + " with the same costs. Tests in which the model does not apply are left out.\n",
        rst.tables([error_table(other), prediction_table(other)]),
        heading("Every other release from those costs"),
        "The interval of each release comes from the others, without v2.9 and the release itself.\n",
        rst.tables([every_release(predicted)]),
        heading("Distance of v2.9's own flushes from v2.10's"),
        "A flush has no queue, so the same data point of both releases can be compared. A model that knows only v2.9 is not expected to be "
        "nearer. The largest error is at core 1.0 in the deep parallel test, which takes 0.7 to 0.9 µs more than like cores in both "
        "releases. It is the lead, and also the first core of its cluster. The tables do not show which of the two costs this time, and "
        "the model has a cost for neither.\n",
        rst.tables([error_table(repeated(load(OLD), load(NEW), Metric.CACHE_FLUSH))]),
        heading("The deep parallel test of v2.9 from its other tests"),
        f"These tests cannot determine {', '.join(f'``{name}``' for name in held)}; the values of the platform file replace them. "
        "One of them matters here: ``busy_cluster_ns``, the time that the channel stays busy after a whole cluster powers down. "
        "No other test shows it.\n",
        rst.tables([error_table(known), prediction_table(known)]),
        "The same with ``busy_cluster_ns`` at zero, as these tests alone suggest. The prediction for the cores after the first cluster is "
        "too early by exactly that time.\n",
        rst.tables([prediction_table(unknown)]),
    ]
    PAGE.write_text("\n".join(parts), "utf-8")


main()
