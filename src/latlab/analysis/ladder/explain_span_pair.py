# SPDX-License-Identifier: BSD-3-Clause
"""Why two runs of spans differ: one sentence for each change, and one for what only looks like a change."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from latlab.analysis.base.comparison import Comparison, Order, Row
from latlab.analysis.base.explanation import EXACT, INFERRED, Explanation
from latlab.analysis.base.verdicts import Verdict
from latlab.analysis.base.wording import amount, percent, signed
from latlab.analysis.ladder.canonical import predict
from latlab.analysis.ladder.groups import WAIT
from latlab.analysis.spans.explain_trace import part_medians
from latlab.model.enums import Clock, Metric

_STEP_CAUSES = ("the power controller takes longer for a message", "what is held while a core powers down is held for longer")
_CHANGED = (Verdict.REGRESSED, Verdict.IMPROVED)


def explain_span_pair(comparison: Comparison) -> tuple[Explanation, ...]:
    out: list[Explanation] = []
    changed = [row for row in comparison.rows if row.verdict in _CHANGED]
    for metric in dict.fromkeys(row.metric for row in changed):
        for verdict in _CHANGED:
            rows = [row for row in changed if row.metric == metric and row.verdict == verdict and not row.is_term]
            if rows:
                out.append(_metric_sentence(comparison, metric, verdict, rows))
    out += _terms(comparison, [row for row in changed if row.is_term])
    out += _parts(comparison, changed)
    out += [_order_sentence(comparison, order) for order in comparison.orders if order.changed]
    if not changed:
        out.append(Explanation("", "no structure changed beyond its threshold", _basis(comparison)))
    return tuple(out)


def _metric_sentence(comparison: Comparison, metric: Metric, verdict: Verdict, rows: list[Row]) -> Explanation:
    """A metric that moved, with its range, and whether it moved everywhere."""
    waits = [row for row in rows if row.name == WAIT]
    rows = [row for row in rows if row.name != WAIT] or rows
    differences = [cell.difference for row in rows for cell in row.cells]
    everywhere = {row.test for row in rows} == {r.test for r in comparison.rows if r.metric == metric and not r.is_term}
    tests = "every test" if everywhere else ", ".join(dict.fromkeys(row.test for row in rows))
    low, high = (signed(x, comparison.unit) for x in (min(differences), max(differences)))
    sizes: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.cluster is not None:
            sizes[f"cluster {row.cluster}"] += [cell.difference for cell in row.cells]
    told = ", ".join(f"{signed(float(np.median(d)), comparison.unit)} in {name}" for name, d in sorted(sizes.items()))
    sentence = f"{metric} {verdict} in {tests}: {low} to {high} over {len(differences)} cells" + (f"; median {told}" if told else "")
    if waits:
        sentence += "; waits in the queue " + ", ".join(f"{signed(row.shift.value, comparison.unit)} in {row.test}" for row in waits)
    untouched = [m for m in Metric if m != metric and _untouched(comparison, m)]
    if untouched and verdict is Verdict.REGRESSED:
        sentence += f"; no row of {' or '.join(untouched)} moved with it"
    return Explanation("", sentence, _basis(comparison))


def _terms(comparison: Comparison, rows: list[Row]) -> list[Explanation]:
    """Terms of ladders: the same term that moved alike in several tests is one change."""
    out = []
    by_name: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_name[row.name].append(row)
    for name, found in by_name.items():
        tests = ", ".join(row.test for row in found)
        figures = ", ".join(f"{amount(row.before, comparison.unit)} to {amount(row.after, comparison.unit)}" for row in found)
        sentence = f"{name} of the queue {found[0].verdict} in {tests}: {figures}"
        alternatives: tuple[str, ...] = ()
        if name == "step":
            sentence += f" ({percent(found[0].relative)}): each core waits that much longer for every core before it"
            traced = comparison.a.traces and comparison.b.traces
            alternatives = () if traced else _STEP_CAUSES
        out.append(Explanation(found[0].test if len(found) == 1 else "", sentence, _basis(comparison), alternatives))
    return out


def _parts(comparison: Comparison, changed: list[Row]) -> list[Explanation]:
    """Where both runs have traces: the parts of a changed span that changed."""
    if not comparison.a.traces or not comparison.b.traces:
        return []
    out = []
    for metric in dict.fromkeys(row.metric for row in changed if row.metric is not Metric.CACHE_FLUSH):
        before, after = part_medians(comparison.a, metric), part_medians(comparison.b, metric)
        for test in dict.fromkeys(row.test for row in changed if row.metric == metric):
            moved: dict[str, list[float]] = defaultdict(list)
            for key in before:
                if key[0] == test and key in after:
                    for part in {*before[key], *after[key]}:
                        moved[part].append(after[key].get(part, 0.0) - before[key].get(part, 0.0))
            told = sorted(((float(np.median(d)), name) for name, d in moved.items() if np.median(d) != 0), key=lambda x: -abs(x[0]))[:3]
            if told:
                parts = ", ".join(f"{name} {signed(d, comparison.unit)}" for d, name in told)
                out.append(Explanation(test, f"of the {metric}, median over cores, these parts moved: {parts}", EXACT))
    return out


def _order_sentence(comparison: Comparison, order: Order) -> Explanation:
    before, after = comparison.ladders[order.test]
    terms = {name: float(values[0]) for name, values in before.terms.items()}
    expected, spans = predict(after, terms), after.spans[0]
    known = ~np.isnan(expected)
    told = f"order changed: {_cores(order.before)} to {_cores(order.after)}"
    if known.any():
        off = np.abs(spans[known] - expected[known]) / expected[known]
        if float(off.max()) <= comparison.limits.relative:
            told += f"; at its place in the queue no span moved by more than {off.max() * 100:.1f} %"
    return Explanation(order.test, told, _basis(comparison))


def _cores(cores: tuple[object, ...]) -> str:
    return ", ".join(map(str, cores))


def _untouched(comparison: Comparison, metric: Metric) -> bool:
    verdicts = [row.verdict for row in comparison.rows if row.metric == metric]
    return bool(verdicts) and not any(verdict in _CHANGED for verdict in verdicts) and Verdict.SAME in verdicts


def _basis(comparison: Comparison) -> str:
    return EXACT if comparison.a.tick.clock is not Clock.TIME else INFERRED
