# SPDX-License-Identifier: BSD-3-Clause
"""What a comparison says in sentences: what was compared, what came of it, what stayed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import isfinite

from latlab.core.comparison.by_kind import explain_pair
from latlab.core.comparison.comparison import Comparison, Row
from latlab.core.comparison.explanation import Explanation
from latlab.core.comparison.findings import (
    BeyondOrder,
    BootApart,
    DriftInside,
    FunctionsMoved,
    LargestGrew,
    LargeUntold,
    RuleChanged,
    SamplesMissing,
    SpreadMoved,
    Suspected,
)
from latlab.core.comparison.span_findings import InSomeIterations
from latlab.core.comparison.verdicts import CHANGED, SAME_LEVELS, WORDS, Verdict
from latlab.core.comparison.wakeup_findings import ScatterUnknown
from latlab.core.comparison.wording import amount, capital, count, percent, signed
from latlab.core.kinds.registry import kind_of, pairs_of
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import Run
from latlab.core.report.comparison.comparison_tables import changes
from latlab.core.report.comparison.span_pairs import has_order
from latlab.core.report.page import Item
from latlab.core.report.text import code, soft
from latlab.core.report.titles import METRIC_WORDS
from latlab.core.report.units import tick_unit
from latlab.core.shown import significant

_DETAILS = {
    Verdict.MOVED: ": they differ significantly, by less than the threshold",
    Verdict.SAME_LEVEL: " by the level alone; the samples are too few for a result on the tail",
}
_LARGE = (BeyondOrder, LargestGrew, LargeUntold, ScatterUnknown, DriftInside, BootApart, SpreadMoved)


def headline(comparison: Comparison) -> tuple[str, ...]:
    """What was compared, on how many boots, and how far a difference must go to count."""
    a, b = comparison.a, comparison.b
    ticks = dict.fromkeys((f"{significant(a.tick.value)}", f"{significant(b.tick.value)}"))
    unit = comparison.heading
    clock = "counted in" if a.tick.is_counted else f"{a.tick.clock} in"
    samples_text, limit, *more = pairs_of(comparison).headline(comparison)
    if a.tick.is_counted:
        limits = comparison.limits
        threshold_note = (
            f"{significant(limits.relative * 100)} % for figures that scatter" if has_order(comparison) else "this clock has no noise"
        )
        limit = f"{significant(limits.relative_exact * 100)} %; {threshold_note}"
    counts = f"{clock} {unit}, 1 tick = {' and '.join(ticks)} {tick_unit(a.tick)}"
    names = ("firmware unknown" if run.build.firmware == "unknown" else run.build.firmware for run in (a, b))
    return (
        f"{' to '.join(dict.fromkeys(names))}; {a.platform} {a.topology}, {counts}",
        samples_text,
        f"threshold: {limit}",
        *more,
    )


def made_with(comparison: Comparison) -> str:
    """The versions of what measured and of the firmware's compiler, both where they differ; empty where none is known."""
    runs = (comparison.a, comparison.b)
    pairs = (
        tuple(f"latlab {run.provenance.latlab_version}" if run.provenance.latlab_version else "" for run in runs),
        tuple(run.emulator for run in runs),
        tuple(run.conditions.compiler or "" for run in runs),
    )
    return ", ".join(" to ".join(version or "unknown" for version in dict.fromkeys(pair)) for pair in pairs if any(pair))


def samples_line(run: Run) -> str:
    """What clock a run's figures are of, and how many there are of each."""
    return kind_of(run).forms.extent(run) or "no samples"


def summary(comparison: Comparison, explanations: Sequence[Explanation] | None = None, beside: str = "") -> str:
    """The verdict in one sentence. `explanations` are those of the comparison, where they are known. A large difference that is said
    `beside` it is left out."""
    all_explanations = explain_pair(comparison) if explanations is None else explanations
    firsts = ((Suspected, SamplesMissing), _LARGE)
    suspect, large = (
        [explanation.sentence for explanation in all_explanations if isinstance(explanation.finding, kinds)] for kinds in firsts
    )
    caveats = []
    if gaps := [gap for gap in comparison.gaps if gap not in suspect]:
        caveats.append(f"some data have no verdict ({gaps[0]}{', ...' if len(gaps) > 1 else ''})")
    first = [
        *suspect,
        *_rules(explanation.finding for explanation in all_explanations if isinstance(explanation.finding, RuleChanged)),
        *(sentence for sentence in large if sentence.casefold() not in beside.casefold()),
    ]
    clauses = [*_changed_metrics(comparison, all_explanations, beside)]
    terms = [row for row in comparison.rows if row.is_term]
    for verdict in CHANGED:
        names = dict.fromkeys(row.title for row in terms if row.verdict is verdict)
        if names:
            clauses.append(f"{', '.join(names)} of the queue {verdict}")
    same = [row for row in terms if row.verdict in SAME_LEVELS]
    if same:
        of = "" if len(same) == len(terms) else f" in {len(same)} of {len(terms)} rows"
        detail = Verdict.SAME if all(row.verdict is Verdict.SAME for row in same) else Verdict.SAME_LEVEL
        clauses.append(f"powerdown queues: {detail}{of}")
    clauses += _in_some_iterations(
        explanation.sentence for explanation in all_explanations if isinstance(explanation.finding, InSomeIterations)
    )
    untold = sum(row.verdict is Verdict.CANNOT_TELL for row in comparison.rows)
    if not clauses:
        words = [row.verdict.word for row in comparison.rows]
        clauses = [f"{count(words.count(word), 'row')} {word}" for word in WORDS if word in words]
    elif untold and comparison.verdict in (Verdict.CANNOT_TELL, Verdict.NOT_SHOWN):
        clauses.append(f"{untold} of {count(len(comparison.rows), 'row')} {Verdict.CANNOT_TELL}")
    parts = [*first, *caveats, *clauses]
    return ". ".join([*parts[:1], *map(capital, parts[1:])])


def _changed_metrics(comparison: Comparison, explanations: Sequence[Explanation], beside: str) -> Iterator[str]:
    """Each metric that changed one way, but those without more to say that are named beside it."""
    for metric, verdict, rows in changes(comparison):
        most = _most_in(explanations, metric, rows)
        if most or f"{METRIC_WORDS.get(metric, metric)} {verdict.word}".casefold() not in beside.casefold():
            yield f"{metric} {verdict}{most}"


def _most_in(explanations: Sequence[Explanation], metric: Metric, rows: Sequence[Row]) -> str:
    """The function that moved most in the direction of these rows; empty without functions."""
    tests, sign = {row.test for row in rows}, 1 if rows[0].shift.value > 0 else -1
    moved = [
        (sign * (move.after - move.before), move.name, explanation.unit)
        for explanation in explanations
        if isinstance(explanation.finding, FunctionsMoved)
        and explanation.finding.metric is metric
        and tests & set(explanation.finding.tests)
        for move in explanation.finding.functions
    ]
    size, name, unit = max(moved, default=(0.0, "", ""))
    return f", most in {name} ({signed(sign * size, unit)} a call)" if size > 0 else ""


def _in_some_iterations(sentences: Iterable[str]) -> list[str]:
    """The first, and how many there are."""
    first, *others = [*sentences] or [""]
    more = [f"{count(len(others), 'row')} more in some iterations"] if others else []
    return [first, *more] if first else []


def _rules(changed: Iterable[RuleChanged]) -> list[str]:
    """Each rule once, however many tests it is about."""
    changes_of_rules = list(changed)
    worse = {change.check.name: change for change in changes_of_rules if change.is_worse}
    mended = dict.fromkeys(change.check.name for change in changes_of_rules if not change.is_worse)
    sentences = [f"{'breaks' if change.check.is_broken else 'no longer follows'} a rule: {name}" for name, change in worse.items()]
    return sentences + [f"follows a rule again: {name}" for name in mended]


def quiet_lines(comparison: Comparison) -> list[tuple[Verdict, str]]:
    """What is unchanged and what is inconclusive, one line for each metric; then how many of the unchanged rows have each detail."""
    out = []
    rows = [row for row in comparison.rows if not row.is_term]
    for verdict in (Verdict.SAME, Verdict.CANNOT_TELL):
        by_metric: dict[Metric, list[Row]] = defaultdict(list)
        for row in rows:
            if row.verdict.word == verdict.word:
                by_metric[row.metric].append(row)
        out += [(verdict, _quiet_line(comparison, metric, of_metric)) for metric, of_metric in by_metric.items()]
    for verdict in (Verdict.MOVED, Verdict.SAME_LEVEL):
        if number := sum(row.verdict is verdict for row in comparison.rows):
            out.append((Verdict.SAME, f"in {number} of {len(comparison.rows)} rows{_DETAILS[verdict]}"))
    return out


def explained(explanation: Explanation, with_test: bool = False) -> Item:
    """An explanation as an item of a list: the sentence, what it stands on, and what fits the figures as well."""
    test = (code(explanation.test), ": ") if with_test and explanation.test else ()
    below = tuple(f"{'either' if number == 0 else 'or'} {other}" for number, other in enumerate(explanation.alternatives))
    return Item((*test, explanation.sentence, soft(f" ({explanation.basis})")), below)


def sentence(text: str) -> str:
    """A line as a sentence of a document."""
    return capital(text) + ("" if text.endswith(".") or not text else ".")


def _quiet_line(comparison: Comparison, metric: Metric, rows: list[Row]) -> str:
    largest = max(rows, key=lambda row: (abs(row.relative) if isfinite(row.relative) else 0.0, abs(row.shift.value)))
    total = sum(row.metric == metric and not row.is_term for row in comparison.rows)
    if not any(row.shift.value for row in rows):
        waits = dict.fromkeys(claim.test for claim in comparison.claims if claim.metric is metric and claim.test and claim.shift.value)
        beside = f"; all cores together differ in {', '.join(waits)}" if waits else ""
        return f"{metric}: {len(rows)} of {total} rows, all with equal figures{beside}"
    unit = comparison.unit_of(metric)
    size = f"{signed(largest.shift.value, unit)} ({percent(largest.relative)})"
    is_wide = largest.verdict.word == Verdict.SAME.word and abs(largest.relative) > comparison.limits.relative
    threshold = f", less than {amount(largest.threshold, unit)}," if is_wide else ""
    bases = {row.basis for row in rows}
    is_exact_doubt = largest.verdict is Verdict.CANNOT_TELL and comparison.a.tick.clock is not Clock.TIME and len(bases) == 1
    why = f"; {bases.pop()}" if is_exact_doubt else ""
    return f"{metric}: {len(rows)} of {total} rows, max shift {size}{threshold} in {largest.test}, {largest.title}{why}"
