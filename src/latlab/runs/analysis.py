# SPDX-License-Identifier: BSD-3-Clause
"""Absolute limits on the figures of one run: `wakeup max <= 100us`, `wakeup 99.999% <= 50us on cpu 1-3`, `missed == 0`.

    [TEST/]METRIC[/NAME] [STATISTIC] OPERATOR VALUE [UNIT] [on cpu LIST or core LIST]

A quantile passes only where the sample can carry it: 99.9999 % needs a million samples. Names are those of `history`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from latlab.core.comparison.by_kind import figures_of, no_figure
from latlab.core.comparison.limit import Edges, Held, Limit, LimitOutcome, check_unit, held_edges
from latlab.core.comparison.wording import PLAIN, count, unit_of
from latlab.core.errors import UsageError
from latlab.core.kinds.registry import kind_of
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import CoreId, Run

FORM = "[TEST/]METRIC[/NAME] [max, min, average, median, p99 or 99.99%] <= VALUE [ns, us, ms, s or instructions] [on cpu 0,2-3 or core 0.1]"
UNITS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
COUNTS = dict.fromkeys(("instructions", "instruction", "insns"), "insns") | {
    **dict.fromkeys(("cycles", "cycle"), "cycles"),
    **dict.fromkeys(("ticks", "tick"), "ticks"),
}
"""The words for figures that are counted, with their unit."""
MOST_CPUS = 4096
_WRITTEN = re.compile(
    r"(?P<name>[^\s<>=]+)(?:\s+(?P<statistic>max|maximum|min|minimum|avg|average|mean|median|p?\d{1,2}(?:\.\d{1,9})?\s?%?))?"
    r"\s*(?P<operator><=|<|==)\s*(?P<value>\d{1,15}(?:\.\d{1,9})?(?:e\d{1,2})?)\s*(?P<unit>[a-zµ%]*)"
    r"(?:\s+on\s+(?:cpus?|cores?)\s+(?P<places>[\d,\-.]+))?",
    re.ASCII | re.IGNORECASE,
)
_NAMED = {"max": "max", "maximum": "max", "min": "min", "minimum": "min", "avg": "average", "average": "average", "mean": "average"}


def parse_limit(text: str) -> Limit:
    """Raises UsageError with what a limit looks like."""
    match = _WRITTEN.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"--limit {text!r} is no limit", f"write {FORM}", value=text)
    unit = match["unit"].lower()
    if unit and unit not in (*UNITS, *COUNTS):
        raise UsageError(f"--limit {text!r}: {unit!r} is no unit", f"use {', '.join(UNITS)}, instructions, cycles or ticks", value=text)
    written = (match["statistic"] or "").lower().replace(" ", "")
    share = None if not written or written.isalpha() else float(written.strip("p%")) / 100
    if written == "median":
        share = 0.5
    if share is not None and not 0 < share < 1:
        raise UsageError(f"--limit {text!r}: a quantile lies between 0 and 100 %", "use max for the largest", value=text)
    value = float(match["value"]) * UNITS.get(unit, 1.0)
    kind = COUNTS.get(unit, "ns" if unit else "")
    places = [part for part in (match["places"] or "").split(",") if part]
    cores = tuple(_core(part, text) for part in places if "." in part)
    cpus = _cpus([part for part in places if "." not in part], text)
    return Limit(text.strip(), match["name"], _NAMED.get(written, ""), share, match["operator"], value, kind, cpus, cores)


def parse_limits(text: str, place: str) -> tuple[Limit, ...]:
    """A limit a line; what follows a # is a comment. Raises UsageError with file and line."""
    out = []
    for number, line in enumerate(text.splitlines(), 1):
        if written := line.partition("#")[0].strip():
            try:
                out.append(parse_limit(written))
            except UsageError as error:
                raise UsageError(str(str(error).removeprefix("--limit ")), place=f"{place}:{number}") from None
    if not out:
        raise UsageError(f"{place} has no limit", f"write one a line: {FORM}")
    return tuple(out)


def judge_limits(run: Run, limits: Sequence[Limit]) -> tuple[int, tuple[str, ...]]:
    """The exit code and what to print: 1 where a limit is exceeded, 3 where one cannot be judged or the run is partial, 0 where all hold.
    Raises NotComparable where the run's figures are no latencies, UsageError where it has no such figure."""
    outcomes = [outcome for limit in limits for outcome in _judged(run, limit)]
    exceeded, open_ended = (
        [held for held in outcomes if held.outcome is outcome] for outcome in (LimitOutcome.EXCEEDED, LimitOutcome.INCONCLUSIVE)
    )
    lines = (*(held.sentence for held in (*exceeded, *open_ended)), *_kept_lines(outcomes))
    judged = f"{count(len(limits), 'limit')}, {count(len(outcomes), 'figure')}"
    if exceeded:
        return 1, (*lines, f"fail: {len(exceeded)} of {len(outcomes)} beyond the limit; {judged}")
    if run.status is not RunStatus.COMPLETE:
        why = f": {run.problems[0].message}" if run.problems else ""
        return 3, (*lines, f"inconclusive: {run.id} is {run.status}{why}; {judged}")
    if open_ended:
        return 3, (*lines, f"inconclusive: {len(open_ended)} of {len(outcomes)} not judged; {judged}")
    return 0, (*lines, f"pass: {judged}")


def _kept_lines(held_figures: Sequence[Held]) -> Iterator[str]:
    """Of each limit the figure that came nearest to it, and how many more keep it."""
    for limit in dict.fromkeys(held.limit for held in held_figures):
        of_limit = [held for held in held_figures if held.limit == limit and held.outcome is LimitOutcome.KEPT]
        if of_limit:
            nearest = max(of_limit, key=lambda held: held.value)
            yield nearest.sentence + (f", the largest of {len(of_limit)}" if len(of_limit) > 1 else "")


def _judged(run: Run, limit: Limit) -> list[Held]:
    held = list(kind_of(run).analysis.limited(run, limit))
    if not held and not limit.is_of_samples:
        if limit.is_of_places:
            raise UsageError(
                f"--limit {limit.text!r}: a figure of `history` has no chosen cores",
                "leave out `on`, or write a statistic such as max",
                value=limit.text,
            )
        held = list(_of_figures(run, limit))
    if not held:
        raise no_figure(run, limit.name)
    return held


def _of_figures(run: Run, limit: Limit) -> Iterator[Held]:
    """The figures that history follows, each the median over the boots."""
    for figure in figures_of(run):
        if figure.called.asked_by(limit.name):
            unit = unit_of(figure.metric, figure.unit)
            check_unit(limit, "" if unit in PLAIN else unit)
            edges = Edges(figure.value - figure.below, figure.value + figure.above)
            yield held_edges(limit, figure.path, edges, len(figure.values), unit)


def _core(part: str, text: str) -> CoreId:
    cluster, _, core = part.partition(".")
    if not (cluster.isdecimal() and core.isdecimal()):
        raise UsageError(f"--limit {text!r}: {part!r} is no core", "write it as a table does, such as 0.1", value=text)
    return CoreId(int(cluster), int(core))


def _cpus(parts: Iterable[str], text: str) -> tuple[int, ...]:
    out: list[int] = []
    for part in parts:
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or int(last or first) >= MOST_CPUS or int(last or first) < int(first):
            raise UsageError(f"--limit {text!r}: {part!r} is no CPU and no range of them", "write 1-3 or 0,2", value=text)
        out += range(int(first), int(last or first) + 1)
    return tuple(dict.fromkeys(out))
