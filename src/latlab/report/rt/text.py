# SPDX-License-Identifier: BSD-3-Clause
"""An rt run on the terminal, as RST and as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import asdict, replace

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from latlab.analysis.base.wording import said_conditions
from latlab.analysis.wakeups.result import RtResult
from latlab.model.conditions import Mode
from latlab.model.run import Run
from latlab.report.rt.content import WORDS, Sheet, all_sheets, mode_of, mode_sentence

Results = list[tuple[str, RtResult]]


def facts_of(run: Run) -> list[tuple[str, str]]:
    facts = [
        ("run", f"{run.id}, {run.status.value}"),
        ("mode", mode_of(run)),
        ("target", f"{run.target}, {run.platform}"),
        ("firmware", "" if run.build.firmware == "unknown" else run.build.firmware),
        ("started (UTC)", run.started_utc),
        ("emulator", run.emulator),
        ("imported from", run.source),
        *said_conditions(replace(run.conditions, mode=None)),
        *(("command", command) for command in run.conditions.commands),
        *run.facts,
    ]
    return [(name, value) for name, value in facts if value]


def print_rt(console: Console, run: Run, found: list[Sheet]) -> None:
    facts = Table(show_header=False, box=None, pad_edge=False)
    facts.add_column(style="bold", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, value in facts_of(run):
        facts.add_row(escape(name), escape(value))
    console.print(facts)
    if run.conditions.mode is not Mode.REAL:
        console.print(mode_sentence(run) or mode_of(run), style="yellow", highlight=False, markup=False, soft_wrap=True)
    for sheet in found:
        console.print()
        console.print(sheet.title, style="bold", highlight=False, markup=False, soft_wrap=True)
        console.print(_rich(sheet))
        for note in sheet.notes:
            console.print(note, highlight=False, markup=False, soft_wrap=True)


def _rich(sheet: Sheet) -> Table:
    table = Table()
    for index, name in enumerate(sheet.head):
        table.add_column(escape(name), justify="left" if index == 0 or name in WORDS else "right", overflow="fold")
    for row in sheet.rows:
        table.add_row(*map(escape, row))
    return table


def document(run: Run, results: Results) -> str:
    """The tables of the reference's section, as RST."""
    lines = ["RT Linux: wake-up latency", "=" * 25, "", f"Mode: {mode_of(run)}.", ""]
    if sentence := mode_sentence(run):
        lines += [sentence, ""]
    commands = [f"   {command}" for command in run.conditions.commands]
    if commands:
        lines += [".. code:: console", "", *commands, ""]
    for sheet in all_sheets(run, results):
        lines += [*_csv_table(sheet), ""]
    lines += [*(f":{name}: {value}" for name, value in facts_of(run)), ""]
    return "\n".join(lines)


def _csv_table(sheet: Sheet) -> Iterator[str]:
    yield f".. csv-table:: {sheet.title}"
    yield "   :header: " + _csv_line(sheet.head)
    yield ""
    yield from ("   " + _csv_line(row) for row in sheet.rows)
    for note in sheet.notes:
        yield ""
        yield note


def _csv_line(cells: tuple[str, ...]) -> str:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="").writerow(cells)
    return text.getvalue()


def as_json(run: Run, results: Results) -> str:
    """The tables as they are shown, and for each tool and CPU the distribution in ns."""
    measurements = [
        {
            "name": name,
            "problems": list(result.problems),
            "period": asdict(result.period) if result.period else None,
            "tools": [
                {
                    "tool": wakeups.tool,
                    "resolution_ns": wakeups.resolution_ns,
                    "cpus": [
                        {
                            "cpu": cpu.cpu,
                            "expected": cpu.expected,
                            "got": cpu.got,
                            "missed": cpu.missed,
                            "min_ns": cpu.min_ns,
                            "max_ns": cpu.max_ns,
                            "average_ns": cpu.average_ns,
                            "digest": cpu.digest,
                            "histogram": [
                                [int(low), int(high), int(count)]
                                for low, high, count in zip(cpu.histogram.low_ns, cpu.histogram.high_ns, cpu.histogram.counts, strict=True)
                            ]
                            if cpu.histogram
                            else None,
                        }
                        for cpu in wakeups.cpus
                    ],
                    "outliers": [asdict(outlier) for outlier in wakeups.outliers],
                }
                for wakeups in result.wakeups
            ],
            "exposure": [asdict(entry) for entry in result.exposure],
        }
        for name, result in results
    ]
    tables = [asdict(sheet) for sheet in all_sheets(run, results)]
    body: dict[str, object] = {"run": run.id, "status": run.status.value, "mode": mode_of(run), "facts": dict(facts_of(run))}
    body |= {"measurements": measurements, "tables": tables}
    return json.dumps(body, indent=1) + "\n"
