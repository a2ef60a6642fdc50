"""The deltas that a document printed beside its figures, judged by the structure they belong to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latlab.analysis.canonical import predict
from latlab.analysis.compare import Comparison, Row
from latlab.analysis.roles import is_parallel
from latlab.analysis.verdicts import Verdict
from latlab.analysis.wording import amount, percent, signed
from latlab.model import CoreId, Metric

_KEY = "printed_delta_percent "


@dataclass(frozen=True, slots=True)
class Judgement:
    test: str
    metric: Metric
    core: CoreId
    printed: str
    verdict: Verdict
    reason: str


def judge_printed_deltas(comparison: Comparison) -> list[Judgement]:
    """One judgement for each delta that stood beside a figure of the second run."""
    out = []
    for key, printed in comparison.b.facts:
        if not key.startswith(_KEY):
            continue
        test, metric_name, core_name = key.removeprefix(_KEY).split()
        cluster, _, core = core_name.partition(".")
        identity, metric = CoreId(int(cluster), int(core)), Metric(metric_name)
        verdict, reason = _judge(comparison, test, metric, identity)
        out.append(Judgement(test, metric, identity, f"{float(printed):+.2f} %", verdict, reason))
    return out


def _judge(comparison: Comparison, test: str, metric: Metric, core: CoreId) -> tuple[Verdict, str]:
    if metric is Metric.POWERDOWN and test in comparison.ladders:
        return _by_ladder(comparison, test, core)
    row = _row_of(comparison, test, metric, core)
    if row is None:
        return Verdict.CANNOT_TELL, "the cell has no counterpart in the first run"
    cells = ", ".join(signed(cell.difference, comparison.unit) for cell in row.cells)
    kind = "sorted, its cluster moved by" if is_parallel(test) else "its like cores moved by"
    if row.verdict is Verdict.CANNOT_TELL:
        return row.verdict, f"{kind} {cells}: no common shift, and one sample a cell"
    return row.verdict, f"{kind} {cells}"


def _by_ladder(comparison: Comparison, test: str, core: CoreId) -> tuple[Verdict, str]:
    """The core's span against what the first run's ladder has at the place where the core was served in the second."""
    before, after = comparison.ladders[test]
    if core not in before.cores or core not in after.cores:
        return Verdict.CANNOT_TELL, "the core has no counterpart in the first run"
    terms = {name: float(values[0]) for name, values in before.terms.items()}
    place_before, place_after = before.place(core), after.place(core)
    expected = float(predict(after, terms)[place_after])
    span = float(after.spans[0, place_after])
    moved = f"place {place_before + 1} to {place_after + 1}" if place_before != place_after else f"still at place {place_after + 1}"
    if np.isnan(expected):
        return Verdict.CANNOT_TELL, f"{moved} of the queue, for which the first run's ladder has no term"
    row = next((r for r in comparison.rows if r.test == test and r.name == "step"), None)
    off = span - expected
    threshold = max(comparison.limits.relative * expected, row.threshold if row else 0.0)
    reason = f"{moved}; the first run's ladder has {amount(expected, comparison.unit)} there ({percent(off / expected)})"
    if abs(off) <= threshold:
        return Verdict.SAME, reason
    terms_changed = {r.verdict for r in comparison.rows if r.test == test and r.is_term} - {Verdict.SAME}
    return (terms_changed.pop() if len(terms_changed) == 1 else Verdict.CANNOT_TELL), reason


def _row_of(comparison: Comparison, test: str, metric: Metric, core: CoreId) -> Row | None:
    rows = [row for row in comparison.rows if row.test == test and row.metric == metric and row.cluster in (None, core.cluster)]
    by_core = [row for row in rows if any(cell.label == str(core) for cell in row.cells)]
    return next(iter(by_core or rows), None)
