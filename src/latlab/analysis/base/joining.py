# SPDX-License-Identifier: BSD-3-Clause
"""Joins several runs of the same system into one run with as many boots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from latlab.analysis.base.call_trees import summed as summed_frames
from latlab.analysis.base.class_views import joined_classes, views_of
from latlab.analysis.base.conditions import CONDITIONS, Condition, ConditionRule
from latlab.analysis.base.identity import NotComparable
from latlab.model.enums import Clock, CodePart, Kind, Metric, RunStatus
from latlab.model.run import UNNAMED, Amount, Amounts, Contents, CoreId, CoreTrace, FunctionShare, Run, Sample, SpanFunctions, Spans


def join_boots(runs: Sequence[Run]) -> Run:
    """One run with the boots of all runs, numbered in the order of the runs. A single run is returned unchanged.

    Raises NotComparable if two of them differ in platform, topology, clock, tick, campaign, firmware, lead or conditions. A log that
    does not name its firmware or platform is taken to be of the others'.
    """
    first = runs[0]
    if len(runs) == 1:
        return first
    for run in runs:
        if run.kind not in (Kind.SPANS, Kind.AMOUNTS):
            raise NotComparable(
                f"{run.id} has no spans of boots. Only runs of psci, psa, smc or sbi, their logs, or of one benchmark, are joined by +. "
                "The base of a comparison of wake-ups may be named twice, as in `latlab gate A+A2 B`"
            )
        if run.kind is not first.kind:
            raise NotComparable(f"{run.id} holds {run.kind} and {first.id} {first.kind}; only runs of one kind are joined by +")
    twice = next((run.id for i, run in enumerate(runs) if any(_is_same(run, other) for other in runs[:i])), None)
    if twice is not None:
        raise NotComparable(f"{twice} has the same samples as another run that it is joined with, so its boots would count twice")
    for quantity, of in _SAME.items():
        _refuse_other(quantity, of, runs)
    for condition in CONDITIONS:
        if condition.rule is not ConditionRule.NOTE:
            _refuse_other(condition.name, partial(_stated, condition), runs)
    if isinstance(first.contents, Amounts):
        return _together(runs, Amounts(_repeated(runs), first.contents.tool))
    boots = 0
    samples: list[Sample] = []
    traces: list[CoreTrace] = []
    for run in runs:
        samples += [replace(sample, boot=sample.boot + boots) for sample in run.samples]
        traces += [replace(trace, boot=trace.boot + boots) for trace in run.traces]
        boots = 1 + max(max((sample.boot for sample in samples), default=-1), max((trace.boot for trace in traces), default=-1))
    refused = tuple(refusal for refusal in first.refused if all(refusal in run.refused for run in runs))
    return _together(runs, Spans(tuple(samples), tuple(traces), _joined_functions(runs), refused))


def _joined_functions(runs: Sequence[Run]) -> tuple[SpanFunctions, ...]:
    """The functions of all runs together; empty if one of them did not count functions."""
    if not all(run.functions for run in runs):
        return ()
    by_span: dict[tuple[str, Metric, CoreId], list[SpanFunctions]] = {}
    for span in (part for run in runs for part in run.functions):
        by_span.setdefault((span.test, span.metric, span.core), []).append(span)
    return tuple(map(_joined_span, by_span.values()))


def _joined_span(parts: Sequence[SpanFunctions]) -> SpanFunctions:
    whole = SpanFunctions(
        *(parts[0].test, parts[0].metric, parts[0].core),
        sum(part.calls for part in parts),
        _summed(parts),
        _counted(CodePart, [part.parts for part in parts]),
        _by_count(sum((Counter(dict(part.operations)) for part in parts), Counter())),
        summed_frames([part.frames for part in parts]),
    )
    views = [(name, _joined_span(view)) for name, view in views_of(parts).items()]
    return replace(whole, classes=joined_classes(whole, parts, views))


def _by_count(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _counted(order: Iterable[CodePart], parts: Sequence[tuple[tuple[CodePart, int], ...]]) -> tuple[tuple[CodePart, int], ...]:
    total = sum((Counter(dict(counts)) for counts in parts), Counter[CodePart]())
    return tuple((part, total[part]) for part in order if total[part])


def _summed(parts: Sequence[SpanFunctions]) -> tuple[FunctionShare, ...]:
    total: dict[str, FunctionShare] = {}
    for share in (share for part in parts for share in part.functions):
        so_far = total.get(share.name)
        total[share.name] = replace(so_far, instructions=so_far.instructions + share.instructions) if so_far else share
    return tuple(total.values())


def _repeated(runs: Sequence[Run]) -> tuple[Amount, ...]:
    """The amounts of all runs as repetitions. Counts over different times are converted to rates; `over_s` is then 1."""
    by_key: dict[tuple[str, Metric, str, CoreId | None], list[Amount]] = {}
    for amount in (repeated for run in runs for repeated in run.amounts):
        by_key.setdefault((amount.test, amount.metric, amount.name, amount.core), []).append(amount)
    return tuple(map(_one_amount, by_key.values()))


def _one_amount(parts: list[Amount]) -> Amount:
    over = {amount.over_s for amount in parts}
    if len(over) > 1 and parts[0].metric is Metric.THROUGHPUT:
        raise NotComparable(f"{parts[0].name}: the periods differ in length; only totals of equal periods are joined by +")
    if len(over) == 1 or None in over or parts[0].metric is not Metric.EVENTS:
        return replace(parts[0], values=tuple(value for amount in parts for value in amount.values))
    return replace(parts[0], values=tuple(value / (amount.over_s or 1.0) for amount in parts for value in amount.values), over_s=1.0)


def _together(runs: Sequence[Run], contents: Contents) -> Run:
    first = runs[0]
    name = "+".join(run.id for run in runs)
    named = next((run for run in runs if _firmware(run)), None)
    return replace(
        first,
        id=name,
        platform=next((run.platform for run in runs if run.platform != UNNAMED), UNNAMED),
        build=named.build if named else replace(first.build, firmware=name),
        lead=next((run.lead for run in runs if run.lead is not None), None),
        status=RunStatus.PARTIAL if any(run.status is not RunStatus.COMPLETE for run in runs) else first.status,
        contents=contents,
        problems=tuple(replace(p, message=f"{run.id}: {p.message}") for run in runs for p in run.problems),
        capture_cost_ticks=max((run.capture_cost_ticks for run in runs if run.capture_cost_ticks is not None), default=None),
        printed_deltas=(),
        resolutions=_coarsest(runs),
    )


def _is_same(a: Run, b: Run) -> bool:
    """Whether two runs have the same samples under a deterministic clock. Under another clock the same samples do not occur twice."""
    return a.id == b.id or (a.tick.clock is Clock.TIME and a.contents == b.contents)


def _firmware(run: Run) -> str:
    """The firmware that the run states. A log without one has the name of its file there."""
    return "" if run.build.firmware == run.id else run.build.firmware


_SAME: dict[str, Callable[[Run], object]] = {
    "platform": lambda run: "" if run.platform == UNNAMED else run.platform,
    "topology": lambda run: str(run.topology),
    "clock": lambda run: run.tick.clock.value,
    "tick": lambda run: f"{run.tick.value:g} {run.tick.unit}",
    "campaign": lambda run: run.campaign,
    "firmware": _firmware,
    "event table": lambda run: run.build.events_hash or "",
    "lead": lambda run: str(run.lead or ""),
}


def _stated(condition: Condition, run: Run) -> str:
    value = condition.of(run)
    return "" if value is None else condition.format(value)


def _refuse_other(quantity: str, of: Callable[[Run], object], runs: Sequence[Run]) -> None:
    stated = [(run, value) for run in runs if (value := of(run))]
    other = next(((run, value) for run, value in stated if value != stated[0][1]), None)
    if other is not None:
        raise NotComparable(
            f"the {quantity} differs, {stated[0][1]} in {stated[0][0].id} and "
            f"{other[1]} in "
            f"{other[0].id}; "
            f"only runs of "
            f"one thing are joined by +"
        )


def _coarsest(runs: Sequence[Run]) -> tuple[tuple[Metric, float], ...]:
    coarsest: dict[Metric, float] = {}
    for metric, step in (resolution for run in runs for resolution in run.resolutions):
        coarsest[metric] = max(step, coarsest.get(metric, 0.0))
    return tuple(coarsest.items())
