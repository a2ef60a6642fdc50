# SPDX-License-Identifier: BSD-3-Clause
"""Absolute limits on the figures of one run: `wakeup max <= 100us`, `wakeup 99.999% <= 50us on cpu 1-3`, `missed == 0`.

    [TEST/]METRIC[/NAME] [STATISTIC] OPERATOR VALUE [UNIT] [on cpu LIST]

A quantile passes only where the sample can carry it: 99.9999 % needs a million samples. Names are those of `history`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from math import ceil

import numpy as np

from latlab.analysis.base.identity import checked_columns
from latlab.analysis.base.weighted import weighted
from latlab.analysis.base.wording import PLAIN, amount, count, unit_of
from latlab.analysis.figures import figures_of, no_figure
from latlab.analysis.wakeups.wakeup_identity import check_machine
from latlab.errors import UsageError
from latlab.model.enums import Kind, Metric, RowKind, RunStatus
from latlab.model.run import Distribution, Run

FORM = "[TEST/]METRIC[/NAME] [max, min, average, median, p99 or 99.99%] <= VALUE [ns, us, ms, s or instructions] [on cpu 0,2-3]"
UNITS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
COUNTS = ("instructions", "instruction", "insns")
ALIASES = {"wakeup": Metric.TASK_WAKEUP.value, "missed": Metric.MISSED_PERIODS.value, "latency": Metric.TASK_WAKEUP.value}
MOST_CPUS = 4096
_WRITTEN = re.compile(
    r"(?P<name>[^\s<>=]+)(?:\s+(?P<statistic>max|maximum|min|minimum|avg|average|mean|median|p?\d{1,2}(?:\.\d{1,9})?\s?%?))?"
    r"\s*(?P<operator><=|<|==)\s*(?P<value>\d{1,15}(?:\.\d{1,9})?(?:e\d{1,2})?)\s*(?P<unit>[a-zµ%]*)"
    r"(?:\s+on\s+(?:cpus?|cores?)\s+(?P<cpus>[\d,\-]+))?",
    re.ASCII | re.IGNORECASE,
)
_NAMED = {"max": "max", "maximum": "max", "min": "min", "minimum": "min", "avg": "average", "average": "average", "mean": "average"}


class LimitOutcome(StrEnum):
    KEPT = "pass"
    EXCEEDED = "fail"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Limit:
    """`share` is that of a quantile, None for another `statistic`, which is empty where the figure itself is meant. `unit` is ns, insns, or
    empty for a plain number; `cpus` are empty for all."""

    text: str
    name: str
    statistic: str
    share: float | None
    operator: str
    value: float
    unit: str
    cpus: tuple[int, ...]

    def holds(self, value: float) -> bool:
        if self.operator == "==":
            return value == self.value
        return value < self.value if self.operator == "<" else value <= self.value


@dataclass(frozen=True, slots=True)
class Held:
    """What one limit is of one figure; `value` is how far that went."""

    limit: Limit
    outcome: LimitOutcome
    sentence: str
    value: float = 0.0


def parse_limit(text: str) -> Limit:
    """Raises UsageError with what a limit looks like."""
    match = _WRITTEN.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"--limit {text!r} is no limit; write {FORM}")
    unit = match["unit"].lower()
    if unit and unit not in (*UNITS, *COUNTS):
        raise UsageError(f"--limit {text!r}: {unit!r} is no unit; use {', '.join(UNITS)} or instructions")
    written = (match["statistic"] or "").lower().replace(" ", "")
    share = None if not written or written.isalpha() else float(written.strip("p%")) / 100
    if written == "median":
        share = 0.5
    if share is not None and not 0 < share < 1:
        raise UsageError(f"--limit {text!r}: a quantile lies between 0 and 100 %; use max for the largest")
    value = float(match["value"]) * UNITS.get(unit, 1.0)
    kind = "insns" if unit in COUNTS else "ns" if unit else ""
    return Limit(text.strip(), match["name"], _NAMED.get(written, ""), share, match["operator"], value, kind, _cpus(match["cpus"], text))


def parse_limits(text: str, place: str) -> tuple[Limit, ...]:
    """A limit a line; what follows a # is a comment. Raises UsageError with file and line."""
    out = []
    for number, line in enumerate(text.splitlines(), 1):
        if written := line.partition("#")[0].strip():
            try:
                out.append(parse_limit(written))
            except UsageError as error:
                raise UsageError(f"{place}:{number}: {str(error).removeprefix('--limit ')}") from None
    if not out:
        raise UsageError(f"{place} has no limit; write one a line: {FORM}")
    return tuple(out)


def judge_limits(run: Run, limits: Sequence[Limit]) -> tuple[int, tuple[str, ...]]:
    """The exit code and what to print: 1 where a limit is exceeded, 3 where one cannot be judged or the run is partial, 0 where all hold.
    Raises NotComparable where the run's figures are no latencies, UsageError where it has no such figure."""
    outcomes = [outcome for limit in limits for outcome in _judged(run, limit)]
    exceeded, open_ended = (
        [held_value for held_value in outcomes if held_value.outcome is outcome]
        for outcome in (LimitOutcome.EXCEEDED, LimitOutcome.INCONCLUSIVE)
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
    held = list(_of_wakeups(run, limit) if run.kind is Kind.WAKEUPS else _of_samples(run, limit) if _is_statistic(limit) else ())
    if not held and not _is_statistic(limit):
        held = list(_of_figures(run, limit))
    if not held:
        raise no_figure(run, limit.name)
    return held


def _is_statistic(limit: Limit) -> bool:
    return limit.share is not None or bool(limit.statistic)


def _of_wakeups(run: Run, limit: Limit) -> Iterator[Held]:
    check_machine(run)
    name = ALIASES.get(limit.name.lower(), limit.name)
    if name == Metric.MISSED_PERIODS.value and not _is_statistic(limit):
        _check_unit(limit, "")
        if limit.cpus and (other := _no_cpus(run.distributions)):
            yield _of_no_cpu(run, limit, other)
            return
        yield from (_missed(distribution, limit) for distribution in _of_cpus(run.distributions, limit))
        yield from _absent(run, limit, {distribution.core.core for distribution in run.distributions})
        return
    if not _is_statistic(limit):
        return
    spans = Metric.STALL.value if name == Metric.TASK_WAKEUP.value else name
    matching = [distribution for distribution in run.distributions if any(_means(distribution, written) for written in (name, spans))]
    if matching:
        _check_unit(limit, run.tick.unit)
        if limit.cpus and (other := _no_cpus(matching)):
            yield _of_no_cpu(run, limit, other)
            return
        yield from (_of_distribution(run, distribution, limit) for distribution in _of_cpus(matching, limit))
        yield from _absent(run, limit, {distribution.core.core for distribution in matching})


def _means(distribution: Distribution, name: str) -> bool:
    written = f"{distribution.test}/{distribution.metric}" if "/" in name else distribution.metric.value
    return fnmatchcase(written, name)


def _no_cpus(distributions: Iterable[Distribution]) -> Distribution | None:
    """The first row whose number is no CPU's."""
    return next((distribution for distribution in distributions if distribution.rows is not RowKind.CPU), None)


def _of_no_cpu(run: Run, limit: Limit, distribution: Distribution) -> Held:
    why = (
        f"the rows of {distribution.test} in {run.id} are no CPUs, as "
        f"{distribution.place}; "
        f"leave out "
        f"`on cpu`, or "
        f"measure with `cyclictest --json`"
    )
    return Held(limit, LimitOutcome.INCONCLUSIVE, f"inconclusive: {limit.text}: {why}")


def _of_cpus(distributions: Iterable[Distribution], limit: Limit) -> list[Distribution]:
    return [distribution for distribution in distributions if not limit.cpus or distribution.core.core in limit.cpus]


def _absent(run: Run, limit: Limit, measured: set[int]) -> Iterator[Held]:
    for cpu in (cpu for cpu in limit.cpus if cpu not in measured):
        yield Held(limit, LimitOutcome.INCONCLUSIVE, f"inconclusive: {limit.text}: {run.id} has nothing of CPU {cpu}")


def _missed(distribution: Distribution, limit: Limit) -> Held:
    if distribution.missed is None:
        how = "the tool does not count them; import it with --duration and --interval"
        return Held(
            limit, LimitOutcome.INCONCLUSIVE, f"inconclusive: {limit.text}: missed periods of {distribution.place} are unknown: {how}"
        )
    return _held(
        limit,
        f"{distribution.test} {distribution.place}, missed periods",
        float(distribution.missed),
        f"{distribution.missed:,}",
        distribution.expected or distribution.got,
    )


def _of_distribution(run: Run, distribution: Distribution, limit: Limit) -> Held:
    scale, subject = run.tick.value, f"{distribution.test} {distribution.place}"
    if limit.share is None:
        value = {"max": distribution.maximum_ticks, "min": distribution.minimum_ticks, "average": distribution.average_ticks}[
            limit.statistic
        ] * scale
        return _held(limit, f"{subject} {limit.statistic}", value, amount(value, run.tick.unit), distribution.got)
    counted = weighted(distribution, scale)
    if counted is None:
        return Held(
            limit, LimitOutcome.INCONCLUSIVE, f"inconclusive: {limit.text}: {subject} has no histogram, so its quantiles are unknown"
        )
    return _of_share(limit, subject, counted.total, counted.above(limit.value), counted.quantile(limit.share), run.tick.unit)


def _of_samples(run: Run, limit: Limit) -> Iterator[Held]:
    """Every sample of a core in one test, whatever its boot."""
    if run.amounts:
        return
    columns = checked_columns(run)
    for (test, metric), matrix in columns.matrices.items():
        written = f"{test}/{metric}" if "/" in limit.name else metric.value
        if not fnmatchcase(written, limit.name):
            continue
        _check_unit(limit, run.tick.unit)
        for column, core in enumerate(matrix.cores):
            values = matrix.every.of(column)
            if (limit.cpus and core.core not in limit.cpus) or not len(values):
                continue
            subject = f"{test} {metric} of core {core}"
            if limit.share is not None:
                at = float(np.quantile(values, limit.share, method="inverted_cdf"))
                yield _of_share(limit, subject, len(values), int((values > limit.value).sum()), at, run.tick.unit)
                continue
            value = float({"max": values.max(), "min": values.min(), "average": values.mean()}[limit.statistic])
            yield _held(limit, f"{subject}, {limit.statistic}", value, amount(value, run.tick.unit), len(values))
        yield from _absent(run, limit, {core.core for core in matrix.cores})


def _of_figures(run: Run, limit: Limit) -> Iterator[Held]:
    """The figures that history follows, each the median over the boots."""
    for figure in figures_of(run):
        if figure.called.asked_by(limit.name):
            unit = unit_of(figure.metric, figure.unit)
            _check_unit(limit, "" if unit in PLAIN else unit)
            yield _held(limit, figure.path, figure.value, amount(figure.value, unit), len(figure.values))


def _of_share(limit: Limit, subject: str, total: int, above: int, at: float | None, unit: str) -> Held:
    """The quantile keeps the limit if no more than its part of the samples lies above, and if there are enough for one to be due there."""
    assert limit.share is not None
    share_above = 1 - limit.share
    name, needed = f"{limit.share * 100:.10g} %", ceil(round(1 / share_above, 6))
    if total < needed:
        reason = f"{name} needs {needed:,} samples, {total:,} were measured: inconclusive"
        return Held(limit, LimitOutcome.INCONCLUSIVE, f"inconclusive: {limit.text}: {subject}: {reason}")
    shown = f"beyond {amount(limit.value, unit)}" if at is None else amount(at, unit)
    is_kept = above <= total * share_above + 1e-6 if limit.operator == "<=" else at is not None and limit.holds(at)
    return _held_by(limit, is_kept, f"{subject} {name}", shown, total, at or 0.0)


def _held(limit: Limit, subject: str, value: float, shown: str, samples: int) -> Held:
    return _held_by(limit, limit.holds(value), subject, shown, samples, value)


def _held_by(limit: Limit, is_kept: bool, subject: str, shown: str, samples: int, value: float) -> Held:
    outcome = LimitOutcome.KEPT if is_kept else LimitOutcome.EXCEEDED
    return Held(limit, outcome, f"{outcome}: {limit.text}: {subject} is {shown}, n = {samples:,}", value)


def _check_unit(limit: Limit, unit: str) -> None:
    if limit.unit != unit and not (limit.value == 0 and not limit.unit):
        counts = {
            "ns": "time, such as 50us",
            "insns": "instructions, such as `300 instructions`",
            "": "a plain number, such as `missed == 0`",
        }
        raise UsageError(f"--limit {limit.text!r}: the figure is {counts[unit]}; write the value so")


def _cpus(written: str | None, text: str) -> tuple[int, ...]:
    out: list[int] = []
    for part in filter(None, (written or "").split(",")):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or int(last or first) >= MOST_CPUS or int(last or first) < int(first):
            raise UsageError(f"--limit {text!r}: {part!r} is no CPU and no range of them; write 1-3 or 0,2")
        out += range(int(first), int(last or first) + 1)
    return tuple(dict.fromkeys(out))
