# SPDX-License-Identifier: BSD-3-Clause
"""Published tables as runs, and the layout in which the catalogue keeps them.

A catalogue file is CSV with the columns `test,metric,cluster,core,value,unit,printed_delta_percent`; what is known about all of its figures
(platform, topology, tick, lead, source) is in `sources.toml` beside it.
"""

from __future__ import annotations

import csv
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from latlab.core.model.conditions import NO_CONDITIONS, Conditions
from latlab.core.model.distributions import Distribution, WakeupCounts
from latlab.core.model.enums import Clock, Metric, ProblemKind, RunStatus
from latlab.core.model.run import Build, CoreId, PrintedDelta, Problem, Run, Sample, Spans, Tick, Topology
from latlab.core.readers.platform_facts import facts_of
from latlab.core.readers.published.cell_checks import UnitSuspect, off_tick, print_step, unit_findings, unit_suspects
from latlab.core.readers.published.cores import resolved
from latlab.core.readers.published.printed_deltas import delta_findings
from latlab.core.readers.published.printed_tables import UNIT_NS, PrintedFigure, Reading, Table, parse_figure

SUMMARY_TESTS = ("cyclictest_min", "cyclictest_avg", "cyclictest_max")
CONDITION_KEYS = ("interval_us", "priority", "duration_s", "load")
COLUMNS = ("test", "metric", "cluster", "core", "value", "unit", "printed_delta_percent")


@dataclass(frozen=True, slots=True)
class Source:
    """What is known about a published set of figures apart from the figures."""

    platform: str
    firmware: str
    topology: Topology | None = None
    tick_ns: Decimal | None = None
    lead: CoreId | None = None
    campaign: str = "psci"
    conditions: Conditions = NO_CONDITIONS
    facts: tuple[tuple[str, str], ...] = ()


def releases(reading: Reading) -> list[str]:
    return list(dict.fromkeys(table.release for table in reading.tables))


def run_of(reading: Reading, release: str, source: Source, unit: str = "") -> Run:
    """The run that a document's tables of one release describe. Figures that cannot be trusted are left out, each with its problem.

    `unit` is what the user says of tables that name no unit or one that cannot be theirs.
    """
    counted_ns = source.tick_ns or _tick_of_counter(reading.counter_hz)
    tick_ns = counted_ns or _tick_of_figures(reading.tables)
    stated, suggested = source.topology, _shape_of(source.platform)
    of_document, settled = resolved(reading.tables, stated, suggested)
    suspects = unit_suspects(of_document, tick_ns)
    if unit:
        of_document = _with_unit(of_document, suspects, unit)
        suspects = []
    problems = [*reading.problems, *settled, *delta_findings(of_document, release)]
    problems += unit_findings([suspect for suspect in suspects if suspect.table.release == release])
    left_out = [suspect.table for suspect in suspects]
    tables = [t for t in of_document if t.release == release and not any(t is table for table in left_out)]
    samples: list[Sample] = []
    deltas: list[PrintedDelta] = []
    for table in _once_each(tables, problems):
        step_of = {m: print_step([f for f in table.figures if f.metric == m]) for m in dict.fromkeys(f.metric for f in table.figures)}
        for figure in table.figures:
            if off_tick(figure, table.unit, tick_ns, step_of[figure.metric]):
                cell = f"{figure.value} {table.unit} ({table.test} {figure.metric} of core {figure.core})"
                message = f"unit suspect: {cell} is not a whole number of {tick_ns} ns ticks; the cell is left out"
                problems.append(Problem(figure.line, message, ProblemKind.UNIT_SUSPECT))
                continue
            samples.append(_sample(table, figure, tick_ns))
            if figure.printed_delta is not None:
                deltas.append(PrintedDelta(table.test, figure.metric, figure.core, float(figure.printed_delta)))
    suspect = any(problem.kind is ProblemKind.UNIT_SUSPECT for problem in problems)
    return Run(
        campaign=source.campaign,
        target="published",
        platform=source.platform,
        topology=source.topology or _topology(samples),
        tick=Tick(Clock.TIME, float(tick_ns)),
        build=Build(source.firmware),
        lead=source.lead,
        status=RunStatus.PARTIAL if suspect else RunStatus.COMPLETE,
        contents=_contents(samples, source.conditions),
        problems=tuple(problems),
        conditions=source.conditions,
        printed_deltas=tuple(deltas),
        resolutions=tuple(_resolutions(tables, counted_ns)),
        facts=source.facts,
        id=f"{source.firmware} on {source.platform}",
    )


def _with_unit(tables: Sequence[Table], suspects: Sequence[UnitSuspect], unit: str) -> list[Table]:
    return [replace(table, unit=unit) if any(table is suspect.table for suspect in suspects) else table for table in tables]


def _shape_of(platform: str) -> Topology | None:
    clusters = facts_of(platform).clusters
    return Topology(tuple(cluster.cores for cluster in clusters)) if clusters else None


def _contents(samples: Sequence[Sample], conditions: Conditions) -> Spans | WakeupCounts:
    if not samples or any(sample.metric is not Metric.TASK_WAKEUP or sample.test not in SUMMARY_TESTS for sample in samples):
        return Spans(tuple(samples))
    return WakeupCounts(tuple(summed_up(samples, conditions)))


def summed_up(samples: Iterable[Sample], conditions: Conditions) -> Iterator[Distribution]:
    """Minimum, average and maximum of wake-ups are not samples: they summarise one distribution per CPU."""
    figures: dict[CoreId, dict[str, int]] = {}
    for sample in samples:
        figures.setdefault(sample.core, {})[sample.test] = sample.value_ticks
    due = _due(conditions)
    for core, values in sorted(figures.items()):
        if set(values) != set(SUMMARY_TESTS):
            continue
        minimum, average, maximum = (values[test] for test in SUMMARY_TESTS)
        yield Distribution(
            test="cyclictest",
            metric=Metric.TASK_WAKEUP,
            core=core,
            counts=(),
            beyond=0,
            got=due or 0,
            expected=due,
            missed=None,
            minimum_ticks=minimum,
            maximum_ticks=maximum,
            average_ticks=float(average),
        )


def _due(conditions: Conditions) -> int | None:
    """How many wake-ups were asked for on each CPU."""
    if conditions.duration_s is None or not conditions.interval_ns:
        return None
    return int(conditions.duration_s * 1_000_000_000) // conditions.interval_ns


def parse_catalog(text: str, name: str) -> Reading:
    """Tables of one catalogue file; raises ValueError with file and line if it does not have the layout."""
    rows = csv.reader(text.splitlines())
    figures: dict[tuple[str, str], list[PrintedFigure]] = defaultdict(list)
    try:
        header = tuple(next(rows, ()))
        if header != COLUMNS:
            raise ValueError(f"the header is {','.join(header)!r}; it must be {','.join(COLUMNS)!r}")
        for row in rows:
            test, unit, figure = _catalog_row(row, rows.line_num)
            figures[test, unit].append(figure)
    except (ValueError, csv.Error) as error:
        raise ValueError(f"{name}:{rows.line_num}: {error}") from None
    return Reading(tuple(Table(test, "", unit, rows_of[0].line, tuple(rows_of)) for (test, unit), rows_of in figures.items()))


def _catalog_row(row: Sequence[str], line: int) -> tuple[str, str, PrintedFigure]:
    if len(row) != len(COLUMNS):
        raise ValueError(f"the row has {len(row)} columns; {len(COLUMNS)} are needed")
    test, metric, cluster, core, value, unit, delta = row
    parsed = parse_figure(value)
    printed = parse_figure(f"0 ({delta}%)") if delta else (Decimal(0), None)
    if parsed is None or unit not in UNIT_NS or printed is None:
        raise ValueError(f"{value!r} {unit!r} {delta!r} is not a figure with its unit and its delta")
    return test, unit, PrintedFigure(CoreId(int(cluster), int(core)), Metric(metric), parsed[0], line, printed[1])


def source_of_toml(entry: Mapping[str, object]) -> Source:
    """A `[[run]]` of `sources.toml`."""
    lead = str(entry.get("lead", ""))
    cluster, _, core = lead.partition(".")
    clusters = entry["topology"]
    if not isinstance(clusters, list):
        raise ValueError(f"topology of {entry.get('reference')!r} must be a list of core counts")
    known_keys = ("reference", "platform", "firmware", "topology", "tick_ns", "lead", "campaign", *CONDITION_KEYS)
    return Source(
        platform=str(entry["platform"]),
        firmware=str(entry["firmware"]),
        topology=Topology(tuple(int(n) for n in clusters)),
        tick_ns=Decimal(str(entry["tick_ns"])),
        lead=CoreId(int(cluster), int(core)) if lead else None,
        campaign=str(entry.get("campaign", "psci")),
        conditions=_conditions(entry),
        facts=tuple((key, str(value)) for key, value in entry.items() if key not in known_keys),
    )


def _conditions(entry: Mapping[str, object]) -> Conditions:
    interval_us, priority, duration_s, load = (entry.get(key) for key in CONDITION_KEYS)
    return Conditions(
        duration_s=float(duration_s) if isinstance(duration_s, int | float) else None,
        interval_ns=interval_us * 1000 if isinstance(interval_us, int) else None,
        priority=priority if isinstance(priority, int) else None,
        load=load if isinstance(load, str) else None,
    )


def release_of_document(reading: Reading) -> str:
    """The version in a document's title, for tables that name none."""
    match = re.search(r"\d+(?:\.\d+)+", reading.title)
    return match[0] if match else ""


def _sample(table: Table, figure: PrintedFigure, tick_ns: Decimal) -> Sample:
    ticks = int((figure.value * UNIT_NS[table.unit] / tick_ns).to_integral_value())
    return Sample(table.test, figure.metric, figure.core, boot=0, iteration=0, value_ticks=ticks)


def _once_each(tables: Sequence[Table], problems: list[Problem]) -> list[Table]:
    first: dict[tuple[str, Metric], Table] = {}
    distinct = []
    for table in tables:
        keys = dict.fromkeys((table.test, figure.metric) for figure in table.figures)
        earlier = next((first[key] for key in keys if key in first), None)
        if earlier is not None:
            problems.append(
                Problem(
                    table.line,
                    f"{table.test} of {table.release or 'this release'} already appeared in line {earlier.line}; this table is left out",
                )
            )
            continue
        first.update(dict.fromkeys(keys, table))
        distinct.append(table)
    return distinct


def _resolutions(tables: Sequence[Table], counted_ns: Decimal | None) -> list[tuple[Metric, float]]:
    """Metrics that are printed more coarsely than the clock counts, in every table: few figures may be round by chance. All of them if
    nobody says what the clock counts."""
    out = []
    for metric in Metric:
        steps = [print_step(fs) * UNIT_NS[t.unit] for t in tables if (fs := [f for f in t.figures if f.metric == metric])]
        if steps and min(steps) > (counted_ns or 0):
            out.append((metric, float(min(steps))))
    return out


def _tick_of_counter(hz: int | None) -> Decimal | None:
    return Decimal(1_000_000_000) / Decimal(hz) if hz else None


def _tick_of_figures(tables: Sequence[Table]) -> Decimal:
    """The greatest common divisor of all figures: the coarsest tick that they can have been counted in."""
    thousandths = [int(f.value * UNIT_NS[t.unit] * 1000) for t in tables if t.unit for f in t.figures]
    return Decimal(math.gcd(*thousandths) or 1000) / 1000 if thousandths else Decimal(1)


def _topology(samples: Sequence[Sample]) -> Topology:
    cores: dict[int, int] = defaultdict(int)
    for sample in samples:
        cores[sample.core.cluster] = max(cores[sample.core.cluster], sample.core.core + 1)
    return Topology(tuple(cores.get(i, 0) for i in range(max(cores, default=-1) + 1)))
