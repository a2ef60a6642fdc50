# SPDX-License-Identifier: BSD-3-Clause
"""The boots of several runs of spans as those of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from latlab.core.comparison.call_trees import summed as summed_frames
from latlab.core.comparison.class_views import joined_classes, views_of
from latlab.core.model.enums import CodePart, Metric
from latlab.core.model.run import CoreId, CoreTrace, FunctionShare, Run, Sample, SpanFunctions, Spans


def joined_spans(runs: Sequence[Run]) -> Spans:
    """Boots are numbered in the order of the runs."""
    boots = 0
    samples: list[Sample] = []
    traces: list[CoreTrace] = []
    for run in runs:
        samples += [replace(sample, boot=sample.boot + boots) for sample in run.samples]
        traces += [replace(trace, boot=trace.boot + boots) for trace in run.traces]
        boots = 1 + max(max((sample.boot for sample in samples), default=-1), max((trace.boot for trace in traces), default=-1))
    refused = tuple(refusal for refusal in runs[0].refused if all(refusal in run.refused for run in runs))
    return Spans(tuple(samples), tuple(traces), _joined_functions(runs), refused)


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
