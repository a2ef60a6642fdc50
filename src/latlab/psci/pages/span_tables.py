# SPDX-License-Identifier: BSD-3-Clause
"""A run's figures as tables, one for each test, or one for all tests of a figure or two."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from latlab.core.comparison.summary import SENTENCES, CoreSummary, lacks_waits, ordered_tests, summarise
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run, Tick
from latlab.core.report.core_rows import caption, place
from latlab.core.report.table import Ranged, Table, Value, figures, words
from latlab.core.report.titles import METRIC_TITLES, TestTitle, title_of
from latlab.core.report.units import shown, unit
from latlab.psci.analysis.roles import OFF_SERIAL

LEAST_SINGLE = 3
MOST_FIGURES = 1.5
_DIGITS = re.compile(r"(?<![.\d])\d{4,}")
"""Four figures or more before a point."""


@dataclass(frozen=True, slots=True)
class TestTable:
    """A test's medians, a row for each core; `n` is how many samples stand behind a figure: one number, or a range."""

    __test__ = False
    test: str
    title: TestTitle
    n: str
    varies: bool
    table: Table


def tables_of(run: Run) -> tuple[TestTable, ...]:
    """A table for each test in the order in which they ran."""
    rows = summarise(run)
    return tuple(_test_table(run, test, [row for row in rows if row.test == test]) for test in ordered_tests(run.samples))


def for_readers(run: Run) -> tuple[TestTable, ...]:
    """The tables with their thousands apart; tests whose figures carry a mark stand behind the others."""
    return tuple(
        replace(test_table, table=_grouped(test_table.table))
        for test_table in sorted(tables_of(run), key=lambda test_table: bool(test_table.table.mark))
    )


def single_figures(run: Run) -> TestTable | None:
    """All tests in one table, the longest first; None if tests have more than MOST_FIGURES figures on average.

    Tables of one row each hide the longest.
    """
    rows = summarise(run)
    tests = ordered_tests(run.samples)
    if len(rows) > MOST_FIGURES * len(tests) or len(tests) < LEAST_SINGLE:
        return None
    usual = Counter(row.metric for row in rows)
    ordered = sorted(rows, key=lambda row: (usual[row.metric], row.maximum, row.median), reverse=True)
    titles = [METRIC_TITLES[metric] for metric in dict.fromkeys(row.metric for row in ordered)]
    columns = (*words("Test"), *figures("Core", "n", " or ".join(titles)))
    values = tuple((row.test, str(row.core), row.n, _figure(row, run.tick)) for row in ordered)
    varies = any(row.minimum != row.maximum for row in rows)
    table = _grouped(Table(f"All tests ({unit(run.tick)}), the longest first", columns, values, detail=run.build.firmware))
    return TestTable("", title_of(""), "", varies, table)


def _grouped(table: Table) -> Table:
    return replace(table, rows=tuple(tuple(map(_with_thousands, row)) for row in table.rows))


def _with_thousands(value: Value) -> Value:
    if not isinstance(value, Ranged):
        return value
    return Ranged(*(_DIGITS.sub(lambda match: f"{int(match.group()):,}", text) for text in (value.text, value.spread)))


def _test_table(run: Run, test: str, rows: list[CoreSummary]) -> TestTable:
    metrics = tuple(metric for metric in Metric if any(row.metric is metric for row in rows))
    by_key = {(row.core, row.metric): row for row in rows}
    fewest, most = min(row.n for row in rows), max(row.n for row in rows)
    n = str(fewest) if fewest == most else f"{fewest} to {most}"
    title, mark = title_of(test), rows[0].mark
    table = Table(
        caption=caption(title, len(metrics), unit(run.tick)),
        columns=figures("Cluster", "Core", *(METRIC_TITLES[metric] for metric in metrics)),
        rows=tuple(
            (*place(core), *(_figure(by_key.get((core, metric)), run.tick) for metric in metrics))
            for core in sorted({row.core for row in rows})
        ),
        notes=tuple(_notes(run, test, rows)),
        detail=", ".join(filter(None, (run.build.firmware, f"n = {n}", mark))),
        warning=SENTENCES[mark] if mark else "",
        mark=mark or "",
    )
    return TestTable(test, title, n, any(row.minimum != row.maximum for row in rows), table)


def _notes(run: Run, test: str, rows: list[CoreSummary]) -> Iterator[str]:
    if test == OFF_SERIAL and run.lead in {row.core for row in rows}:
        yield f"Core {run.lead} is the lead: the last to go, by CPU_SUSPEND to the deepest power level."
    if any(lacks_waits(run, test, row.metric) for row in rows):
        yield "Wake-ups of this test are no prediction: the model has their waits on other cores than the board."


def _figure(row: CoreSummary | None, tick: Tick) -> Ranged:
    if row is None:
        return Ranged("")
    low, high = shown(row.minimum, tick), shown(row.maximum, tick)
    return Ranged(shown(row.median, tick), "" if low == high else f"{low} to {high}")
