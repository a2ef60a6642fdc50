# SPDX-License-Identifier: BSD-3-Clause
"""What a run says in one or two sentences, with which its page begins."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.calls.model.calls import WHOLE_TRACE
from latlab.core.comparison.summary import CoreSummary, lacks_waits, summarise
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run
from latlab.core.report.titles import METRIC_TITLES
from latlab.core.report.units import shown, unit

FIRST = (Metric.POWERDOWN, Metric.WAKEUP)
"""What a reader of a power run asks for; of others the metric that has the longest, a boot only where there is nothing else."""
BUFFER_ENDS = "trace_end_part"
"""The function of latlab's firmware that saves what PMF's calls need of a full part of its trace buffer, and wraps it."""
CALLED = {Metric.PSA_CALL: "call"}


def answer(run: Run) -> str:
    """The longest of each span that a reader asks for, where and in how many. Tests with a mark have no part in it: a sentence names
    the marks where such a test has a longer span. Empty where there are no figures, or all carry a mark."""
    summaries = summarise(run)
    rows = [row for row in summaries if row.mark is None]
    if whole := [row for row in rows if row.test == WHOLE_TRACE]:
        most = _longest(whole)
        return f"All of the trace takes {_took(most.maximum, run)} {unit(run.tick)} (core {most.core})."
    metrics = [metric for metric in FIRST if any(row.metric is metric for row in rows)]
    others = [row for row in rows if row.metric is not Metric.BOOT] or rows
    longest = [_longest([row for row in rows if row.metric is metric]) for metric in metrics] or ([_longest(others)] if others else [])
    sentence = _together(longest, run) or ", ".join(_span_text(row, run) for row in longest)
    if not sentence:
        return ""
    return f"{sentence[:1].upper()}{sentence[1:]}.{_of_trace_buffer(longest, run)}{_left_out(summaries, longest)}{_of_model(run, longest)}"


def _of_trace_buffer(longest: Sequence[CoreSummary], run: Run) -> str:
    """How many of the iterations with a longest span maintained latlab's own trace buffer in it, and how long that took."""
    spans = {(span.test, span.metric, span.core): span for span in run.functions}
    text = ""
    for row in longest:
        span = spans.get((row.test, row.metric, row.core))
        frames = [frame for frame in span.frames if frame.name == BUFFER_ENDS] if span is not None else []
        calls = sum(frame.calls for frame in frames)
        if span is not None and calls:
            mean = sum(frame.instructions for frame in frames) / calls
            share = f"{calls} of these {span.calls} {_title(row)}s"
            text += f" In {share} the firmware maintains its trace buffer, which takes {mean:,.0f} instructions ({BUFFER_ENDS})."
    return text


def _of_model(run: Run, longest: Sequence[CoreSummary]) -> str:
    is_elsewhere = any(lacks_waits(run, row.test, row.metric) for row in longest)
    return " The model has the waits of these wake-ups on other cores than the board." if is_elsewhere else ""


def _left_out(summaries: Sequence[CoreSummary], longest: Sequence[CoreSummary]) -> str:
    """Without it a reader who finds a longer span in a marked test's table would take the answer for wrong."""
    most = {row.metric: row.maximum for row in longest}
    marks = dict.fromkeys(row.mark.value for row in summaries if row.mark is not None and row.maximum > most.get(row.metric, row.maximum))
    return f" Tests marked ({'), ('.join(marks)}) are left out." if marks else ""


def _longest(rows: Sequence[CoreSummary]) -> CoreSummary:
    return max(rows, key=lambda row: (row.maximum, row.median))


def _together(longest: Sequence[CoreSummary], run: Run) -> str:
    """Two spans of one core, test and count share one place; else empty."""
    if len(longest) < 2 or len({(row.core, row.test, row.n) for row in longest}) > 1:
        return ""
    first, *others = longest
    parts = [f"the longest {_title(first)} takes {_took(first.maximum, run)} {unit(run.tick)}"]
    parts += [f"the longest {_title(row)} {_took(row.maximum, run)}" for row in others]
    return f"{' and '.join(parts)} ({_rests_on(longest, run)})"


def _span_text(row: CoreSummary, run: Run) -> str:
    return f"the longest {_title(row)} takes {_took(row.maximum, run)} {unit(run.tick)} ({_rests_on([row], run)})"


def _rests_on(rows: Sequence[CoreSummary], run: Run) -> str:
    """The place, how many samples, and the medians where the longest is not all of them."""
    first = rows[0]
    is_equal = all(_took(row.minimum, run) == _took(row.maximum, run) for row in rows)
    spread = "" if is_equal else f", median {' and '.join(_took(row.median, run) for row in rows)}"
    return f"core {first.core} in {first.test}, n = {first.n}{spread}"


def _title(row: CoreSummary) -> str:
    return CALLED.get(row.metric, METRIC_TITLES[row.metric].lower())


def _took(ticks: float, run: Run) -> str:
    whole, point, fraction = shown(ticks, run.tick).removesuffix(".0").partition(".")
    return f"{int(whole):,}{point}{fraction}"
