"""What each parser promises for any bytes at all: no crash, no hang, and no line lost in silence. Used by Hypothesis and by the fuzzer."""

from __future__ import annotations

from collections.abc import Callable

from latlab.errors import DataError
from latlab.formats import csv_tables, published, rst_tables, run_json
from latlab.formats.rt_instr import Figures, format_figures, parse_figures
from latlab.formats.tables import Reading, parse_figure


def rst(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    reading = rst_tables.parse(text, lambda name: data[::-1].decode("utf-8", "replace"))
    _check(reading, len(text.splitlines()))


def csv(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    reading = csv_tables.parse(text, "CPU_SUSPEND latencies (us) to power level 0 in serial (v1)")
    lines = text.splitlines()
    _check(reading, len(lines))
    if not reading.tables:
        assert reading.problems, "the file is refused without a reason"
        return
    told = {problem.line for problem in reading.problems} | {f.line for table in reading.tables for f in table.figures}
    kept = [number for number, line in enumerate(lines, start=1) if line.strip()]
    headers = [number for number in kept if number not in told]
    named = [number for number in headers if "test_" in lines[number - 1].lower()]
    assert len(headers) - len(named) <= 1, f"lines {headers} left no figure and no problem"


def catalog(data: bytes) -> None:
    try:
        reading = published.parse_catalog(data.decode("utf-8", "replace"), "file.csv")
    except ValueError as error:
        assert str(error).startswith("file.csv:"), error
        return
    again = published.parse_catalog(published.render_catalog(reading.tables), "again")
    assert [len(table.figures) for table in again.tables] == [len(table.figures) for table in reading.tables]


def json(data: bytes) -> None:
    try:
        run = run_json.parse(data.decode("utf-8", "replace"), "run.json")
    except DataError as error:
        assert str(error).startswith("run.json"), error
        return
    assert run_json.parse(run_json.render(run), "again") == run


def console(data: bytes) -> None:
    for line in data.decode("utf-8", "replace").splitlines():
        found = list(parse_figures(line))
        assert found or "<RT_INSTR" not in line, line
        for item in found:
            if isinstance(item, Figures):
                assert list(parse_figures(format_figures(item))) == [item]


TARGETS: dict[str, Callable[[bytes], None]] = {"rst": rst, "csv": csv, "catalog": catalog, "json": json, "console": console}


def _check(reading: Reading, lines: int) -> None:
    for problem in (*reading.problems, *reading.skipped):
        assert problem.message and 0 <= problem.line <= lines, problem
    for table in reading.tables:
        assert table.test
        keys = [(figure.core, figure.metric) for figure in table.figures]
        assert len(keys) == len(set(keys))
        assert all(parse_figure(str(figure.value)) for figure in table.figures)
