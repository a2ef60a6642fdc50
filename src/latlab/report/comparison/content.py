# SPDX-License-Identifier: BSD-3-Clause
"""What every form of a comparison says. The forms only set it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from latlab.analysis.base.comparison import Comparison, Row
from latlab.analysis.base.ladders import BASE, STEP
from latlab.analysis.base.verdicts import Verdict
from latlab.analysis.base.wording import amount, bare, heading_unit, percent, signed
from latlab.model.enums import Clock, Kind, Metric
from latlab.model.run import Run
from latlab.report.units import CLOCK_NAMES

CHANGED = (Verdict.REGRESSED, Verdict.IMPROVED)
MOST_COLUMNS = 5


@dataclass(frozen=True, slots=True)
class ChangeTable:
    """Sizes of what changed in one metric: a row for each test, a column for each group of cores."""

    metric: Metric
    verdict: Verdict
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class TermLine:
    test: str
    term: str
    before: str
    after: str
    shift: str
    interval: str
    verdict: Verdict


def headline(comparison: Comparison) -> tuple[str, ...]:
    """What was compared, on how many boots, and how far a difference must go to count."""
    a, b = comparison.a, comparison.b
    ticks = dict.fromkeys((f"{a.tick.value:g}", f"{b.tick.value:g}"))
    counted = f"{a.tick.clock} in {heading_unit(comparison.unit)}, 1 tick = {' and '.join(ticks)} {a.tick.unit}"
    return (
        f"{' to '.join(dict.fromkeys((a.build.firmware, b.build.firmware)))}; {a.platform} {a.topology}, {counted}",
        _boots(comparison),
        _threshold(comparison),
    )


def samples_line(run: Run) -> str:
    """What clock a run's figures are of, and how many there are of each."""
    if run.kind is Kind.WAKEUPS:
        wakeups = sum(one.got for one in run.distributions)
        return f"{CLOCK_NAMES[run.tick.clock]}, {wakeups:,} wake-ups"
    sizes = Counter((sample.test, sample.metric, sample.core) for sample in run.samples).values()
    each = f"{min(sizes)}" if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"
    return f"{CLOCK_NAMES[run.tick.clock]}, {len(run.samples):,} samples, {each} a cell"


def change_tables(comparison: Comparison) -> list[ChangeTable]:
    out = []
    for metric in Metric:
        for verdict in CHANGED:
            rows = [row for row in comparison.rows if row.metric == metric and row.verdict is verdict and not row.is_term]
            if rows:
                out.append(_change_table(comparison, metric, verdict, rows))
    return out


def term_lines(comparison: Comparison) -> list[TermLine]:
    """The terms of every ladder."""
    unit = comparison.unit
    return [
        TermLine(
            row.test,
            row.name,
            bare(row.before, unit),
            bare(row.after, unit),
            f"{signed(row.shift.value, unit)} ({percent(row.relative)})",
            interval(row, unit),
            row.verdict,
        )
        for row in comparison.rows
        if row.is_term
    ]


def quiet_lines(comparison: Comparison) -> list[tuple[Verdict, str]]:
    """What is the same, and what cannot be told, one line for each metric."""
    out = []
    for verdict in (Verdict.SAME, Verdict.CANNOT_TELL):
        by_metric: dict[Metric, list[Row]] = defaultdict(list)
        for row in comparison.rows:
            if row.verdict is verdict and not row.is_term:
                by_metric[row.metric].append(row)
        for metric, rows in by_metric.items():
            largest = max(rows, key=lambda row: abs(row.shift.value))
            size = (
                f"{signed(largest.shift.value, comparison.unit_of(metric))} ({percent(largest.relative)}) in {largest.test}, {largest.name}"
            )
            out.append((verdict, f"{metric}: {len(rows)} of {_total(comparison, metric)} rows, largest shift {size}"))
    return out


def order_lines(comparison: Comparison) -> list[str]:
    """Who was served when, where that changed."""
    return [
        f"{order.test}: {' '.join(map(str, order.before))} became {' '.join(map(str, order.after))}"
        for order in comparison.orders
        if order.changed
    ]


def interval(row: Row, unit: str) -> str:
    """The 95 % interval, or a dash where the samples are too few for one."""
    if row.shift.low == float("-inf"):
        return "-"
    return f"{bare(row.shift.low, unit)} to {bare(row.shift.high, unit)}"


def summary(comparison: Comparison) -> str:
    """The verdict in one sentence."""
    told = [comparison.caveat] if comparison.caveat else []
    if comparison.gaps:
        told.append(f"not everything could be judged ({comparison.gaps[0]}{', ...' if len(comparison.gaps) > 1 else ''})")
    for table in change_tables(comparison):
        told.append(f"{table.metric} {table.verdict}")
    terms = [row for row in comparison.rows if row.is_term]
    for verdict in CHANGED:
        names = dict.fromkeys(row.name for row in terms if row.verdict is verdict)
        if names:
            told.append(f"{', '.join(names)} of the queue {verdict}")
    same = [row for row in terms if row.name in (BASE, STEP)]
    if same and all(row.verdict is Verdict.SAME for row in same):
        told.append("base and step of every queue same")
    if len(told) == bool(comparison.caveat) + bool(comparison.gaps):
        counts = {v: sum(row.verdict is v for row in comparison.rows) for v in Verdict}
        told += [f"{n} rows {verdict}" for verdict, n in counts.items() if n]
    return "; ".join(told)


def _change_table(comparison: Comparison, metric: Metric, verdict: Verdict, rows: list[Row]) -> ChangeTable:
    unit = comparison.unit_of(metric)
    cells = [cell.difference for row in rows for cell in row.cells] or [row.shift.value for row in rows]
    level = next((lv for lv in comparison.levels if lv.metric == metric and lv.test is None and lv.cluster is None), None)
    title = f"{metric} {verdict}, {signed(min(cells), unit)} to {signed(max(cells), unit)}"
    if level is not None:
        moved = max(level.up, level.down)
        title += f": {moved} of {level.cells} cells {'up' if level.up >= level.down else 'down'}, p = {level.p_adjusted:.2g}"
    names = list(dict.fromkeys(row.name for row in sorted(rows, key=lambda row: (row.cluster is None, row.name))))
    if len(names) > MOST_COLUMNS:
        lines = tuple((row.test, row.name, signed(row.shift.value, unit), percent(row.relative)) for row in rows)
        return ChangeTable(metric, verdict, title, ("test", "cores", "shift", ""), lines)
    by_key = {(row.test, row.name): row for row in rows}
    tests = dict.fromkeys(row.test for row in rows)
    sizes = tuple((test, *(_size(by_key.get((test, name)), unit) for name in names)) for test in tests)
    return ChangeTable(metric, verdict, title, ("test", *names), sizes)


def _size(row: Row | None, unit: str) -> str:
    if row is None:
        return ""
    return f"{signed(row.shift.value, unit).removesuffix(' µs')} ({row.relative * 100:+.0f} %)"


def _total(comparison: Comparison, metric: Metric) -> int:
    return sum(row.metric == metric and not row.is_term for row in comparison.rows)


def _boots(comparison: Comparison) -> str:
    if comparison.wakeups:
        return _wakeups(comparison, *comparison.wakeups)
    a, b = comparison.boots
    if comparison.a.tick.clock is not Clock.TIME:
        return "deterministic: any difference is exact"
    if min(a, b) >= comparison.limits.fewest_boots:
        return f"{a} and {b} boots"
    return f"{a} and {b} boots: too few to test a cell alone, so like cells are tested together"


def _wakeups(comparison: Comparison, before: int, after: int) -> str:
    told = f"{before:,} and {after:,} wake-ups"
    exact = comparison.a.tick.clock is not Clock.TIME
    return f"{told}; deterministic: any difference is exact" if exact else f"{told}, weighted by their counts"


def _threshold(comparison: Comparison) -> str:
    limits = comparison.limits
    if comparison.a.tick.clock is Clock.INSTRUCTIONS:
        return f"a difference counts beyond {limits.relative_exact * 100:g} %; under this clock it is never noise"
    if comparison.kind is Kind.WAKEUPS:
        return f"a difference counts beyond the larger of: {limits.relative * 100:g} %, {limits.steps:g} intervals of the histogram"
    a, b = comparison.a.capture_cost_ticks, comparison.b.capture_cost_ticks
    cost = "unknown"
    if a is not None and b is not None:
        cost = amount(abs(a * comparison.a.tick.value - b * comparison.b.tick.value), comparison.unit)
    limit = f"{limits.relative * 100:g} %, {limits.steps:g} ticks (or printed steps), capture-cost difference ({cost})"
    return f"a difference counts beyond the largest of: {limit}"
