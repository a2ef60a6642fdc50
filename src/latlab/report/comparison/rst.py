# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as RST in the layout of the reference document: the new figures, a delta only where something is shown to have changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from latlab.analysis.base.columns import columns_of
from latlab.analysis.base.comparison import Comparison, Row
from latlab.analysis.base.findings import OrderChanged
from latlab.analysis.base.verdicts import Verdict
from latlab.analysis.base.wording import bare, heading_unit
from latlab.analysis.explain import explain_pair
from latlab.analysis.ladder.deltas import places
from latlab.formats.published.rst_tables import grid
from latlab.model.enums import Kind, Metric
from latlab.model.run import CoreId
from latlab.report.comparison.content import CHANGED, headline, interval, summary, term_lines
from latlab.report.run.content import METRIC_TITLES, title_of
from latlab.report.run.rst import SPECIAL


def document(comparison: Comparison) -> str:
    """The whole document; it builds without a warning."""
    before, after = comparison.a.build.firmware, comparison.b.build.firmware
    lines = [
        *_heading(f"{_title(comparison)} on {comparison.b.platform}", "="),
        f"{_escaped(after)} compared with {_escaped(before)}: {comparison.verdict}"
        + (f" ({_escaped(comparison.caveat)})." if comparison.caveat else "."),
        f"{_sentence(summary(comparison))}",
        "",
        *(f"- {_escaped(line)}" for line in headline(comparison)),
        "",
        *_heading("What changed", "-"),
        *(
            f"- {_escaped(_sentence(e.sentence))}"
            for e in explain_pair(comparison)
            if not e.test or not isinstance(e.finding, OrderChanged)
        ),
        "",
        *_queues(comparison),
        *_heading("Results", "-"),
        *(
            ("A percentage stands beside a figure only where the comparison shows a change.", "")
            if comparison.kind is not Kind.WAKEUPS
            else ()
        ),
    ]
    if comparison.kind is Kind.WAKEUPS:
        lines += _rows(comparison)
    else:
        for test in columns_of(comparison.b).tests:
            lines += _test(comparison, test)
    if comparison.notes:
        lines += [*_heading("Notes", "-"), *(f"- {_escaped(_sentence(note))}" for note in comparison.notes)]
    return "\n".join(lines).rstrip() + "\n"


def _title(comparison: Comparison) -> str:
    return "PSCI Performance Measurements" if comparison.b.campaign == "psci" else "Latency Measurements"


def _test(comparison: Comparison, test: str) -> Iterator[str]:
    columns = columns_of(comparison.b)
    matrices = {metric: m for metric in Metric if (m := columns.matrix(test, metric)) is not None and len(m.values)}
    if not matrices:
        return
    title = title_of(test)
    yield from _heading(f"``{title.call}`` {title.scope}{', in ' + title.how if title.how else ''}".rstrip(), "~")
    noun = "latency" if len(matrices) == 1 else "latencies"
    yield f".. table:: ``{title.call}`` {noun} ({heading_unit(comparison.unit)}) {title.scope}{f' in {title.how}' if title.how else ''}"
    yield f"        ({_escaped(comparison.b.build.firmware)})"
    yield ""
    cores = sorted({core for m in matrices.values() for core in m.cores})
    rows = []
    for core in cores:
        cells = []
        for metric, matrix in matrices.items():
            value = float(np.median(matrix.by_boot[:, matrix.cores.index(core)])) if core in matrix.cores else None
            cells.append("" if value is None else bare(value, comparison.unit) + _delta(comparison, test, metric, core, value))
        rows.append((str(core.cluster), str(core.core), *cells))
    header = ("Cluster", "Core", *(METRIC_TITLES[metric] for metric in matrices))
    yield from (f"    {line}" for line in grid(header, rows))
    yield ""
    yield from _under_table(comparison, test)


def _rows(comparison: Comparison) -> Iterator[str]:
    """Wake-ups: a line for each figure of each CPU."""
    for test in dict.fromkeys(row.test for row in comparison.rows):
        yield from _heading(f"Wake-ups by {test}", "~")
        yield f".. table:: Wake-up latency ({heading_unit(comparison.unit)}) and missed periods (a million due), by {test}"
        yield ""
        rows = []
        for row in comparison.rows:
            if row.test == test:
                unit = comparison.unit_of(row.metric)
                rows.append((row.name, bare(row.before, unit), bare(row.after, unit), interval(row, unit), row.verdict.value))
        header = ("Figure", "Before", "After", "95 % interval of the shift", "Verdict")
        yield from (f"    {line}" for line in grid(header, _escaped_rows(rows)))
        yield ""


def _under_table(comparison: Comparison, test: str) -> Iterator[str]:
    for order in comparison.orders:
        if order.test != test:
            continue
        after = ", ".join(map(str, order.after))
        told = f"The cores powered down in the order {after}"
        told += f"; before, in the order {', '.join(map(str, order.before))}." if order.changed else ", as before."
        yield from (told, "The order is chance: a core's powerdown is to be read by its place in it.", "")
    untold = [row for row in comparison.rows if row.test == test and row.verdict is Verdict.CANNOT_TELL]
    if untold:
        names = ", ".join(f"{row.metric} of {row.name}" if not row.is_term else f"{row.name} of the queue" for row in untold)
        yield from (f"Too few samples to tell: {_escaped(names)}.", "")


def _delta(comparison: Comparison, test: str, metric: Metric, core: CoreId, value: float) -> str:
    if metric is Metric.POWERDOWN and test in comparison.ladders:
        if not any(row.verdict in CHANGED for row in comparison.rows if row.test == test and row.is_term):
            return ""
        cell = next((cell for cell in places(comparison, test) if cell.core == core), None)
        return f" ({_percent(cell.after / cell.expected - 1)} at its place)" if cell and cell.expected else ""
    rows = [r for r in comparison.rows if r.test == test and r.metric == metric and r.cluster in (None, core.cluster)]
    by_core = [row for row in rows if any(cell.label == str(core) for cell in row.cells)]
    row = min(by_core or rows, key=lambda r: abs(r.after - value), default=None)
    if row is None or row.verdict not in CHANGED:
        return ""
    return f" ({_percent(_relative(row, core))})"


def _percent(share: float) -> str:
    """As the reference document prints it."""
    return f"{share * 100:+.2f}%"


def _relative(row: Row, core: CoreId) -> float:
    own = next((cell for cell in row.cells if cell.label == str(core)), None)
    return own.difference / own.before if own and own.before else row.relative


def _queues(comparison: Comparison) -> Iterator[str]:
    lines = term_lines(comparison)
    if not lines:
        return
    yield from _heading("Queues of the parallel tests", "-")
    yield from ("Sorted by place, powerdown climbs by one step a core; an extra follows the last man of a cluster.", "")
    yield f".. table:: Powerdown queues ({heading_unit(comparison.unit)})"
    yield ""
    rows = [(x.test, x.term, x.before, x.after, x.shift, x.interval, x.verdict.value) for x in lines]
    yield from (
        f"    {line}" for line in grid(("Test", "Term", "Before", "After", "Shift", "95 % interval", "Verdict"), _escaped_rows(rows))
    )
    yield ""


def _escaped_rows(rows: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return [tuple(_escaped(cell) for cell in row) for row in rows]


def _heading(text: str, underline: str) -> tuple[str, ...]:
    return (text, underline * len(text), "")


def _escaped(text: str) -> str:
    return text.translate(SPECIAL)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
