# SPDX-License-Identifier: BSD-3-Clause
"""Histograms and tables of any program: recognised by their shape, read where the user says what they are, and offered in the refusal."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from latlab.benchmarks.model import Benchmark, Stated
from latlab.core.errors import DataError, UsageError
from latlab.core.model.enums import Metric, RowKind
from latlab.core.readers.text_tables import interval_of, tables_of, unit_ns, unit_of
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.readers.measured import holds_amounts, read_amounts, read_wakeups
from support.command import latlab as here

TRIGGER = """# event histogram
#
# trigger info: hist:keys=pid,lat.log2:vals=hitcount:sort=lat.log2:size=2048 [active]
#

{ pid:       2035, lat: ~ 2^2  } hitcount:         43
{ pid:       2034, lat: ~ 2^2  } hitcount:         60
{ pid:       2034, lat: ~ 2^3  } hitcount:          7

Totals:
    Hits: 110
"""
NOISE = """{ desc: local_timer, duration: ~ 1000-1999 } hitcount:         12
{ desc: local_timer, duration: ~ 2000-2999 } hitcount:          3
"""
BCC = """     usecs               : count     distribution
         0 -> 1          : 4        |****                |
         2 -> 3          : 20       |********************|
"""
BPFTRACE = """@usecs:
[0, 2)                 4 |@@@@                                                |
[2, 4)                20 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
"""
MARKDOWN = """| Test case | Before | After | Speedup |
|---|---:|---:|---:|
| `base_spec` | 9885.38 | 322.06 | 30.69x |
| `time_set` | 10680.03 | 398.09 | 26.83x |
"""
HISTOGRAMS = {
    "hist trigger": (TRIGGER, Stated("histogram", "us", ("lat",)), [(3_000, 5_000, 103), (5_000, 9_000, 7)]),
    "rtla's trigger": (NOISE, Stated("histogram", "ns"), [(1_000, 2_000, 12), (2_000, 3_000, 3)]),
    "bcc": (BCC, Stated("histogram"), [(0, 2_000, 4), (2_000, 4_000, 20)]),
    "bpftrace": (BPFTRACE, Stated("histogram"), [(0, 2_000, 4), (2_000, 4_000, 20)]),
    "two columns": ("10 3\n12 5\n16 1\n", Stated("histogram", "us"), [(10_000, 12_000, 3), (12_000, 14_000, 5), (16_000, 18_000, 1)]),
    "CSV": ("lat_us,count\n10,3\n11,5\n", Stated("histogram"), [(10_000, 11_000, 3), (11_000, 12_000, 5)]),
    "semicolons": ("lat_us;count\n10;3\n11;5\n", Stated("histogram"), [(10_000, 11_000, 3), (11_000, 12_000, 5)]),
    "Markdown": ("| us | n |\n|---|---|\n| 10 | 3 |\n| 11 | 5 |\n", Stated("histogram", "us"), [(10_000, 11_000, 3), (11_000, 12_000, 5)]),
    "cycles": ("640 3\n641 5\n", Stated("histogram", "64MHz"), [(10_000, 10_016, 3), (10_016, 10_031, 5)]),
}


def imported(text: str, stated: Stated) -> Wakeups | Benchmark:
    data = text.encode()
    return read_amounts(data, "x", stated.text) if holds_amounts(data, "x", stated.text) else read_wakeups(data, "x", stated.text)


@pytest.mark.parametrize(("text", "stated", "counts"), HISTOGRAMS.values(), ids=list(HISTOGRAMS))
def test_a_histogram_of_any_program_is_read(text: str, stated: Stated, counts: list[tuple[int, int, int]]) -> None:
    found = imported(text, stated)
    assert isinstance(found, Wakeups) and not found.problems
    (row,) = found.cpus
    assert (found.tool, found.rows, found.metric, list(row.counts)) == ("histogram", RowKind.ALL, Metric.DURATION, counts)
    assert row.got == sum(n for _, _, n in counts) and row.minimum_ticks <= row.average_ticks <= row.maximum_ticks


@pytest.mark.parametrize("name", [name for name in HISTOGRAMS if name not in ("bcc",)])
def test_the_refusal_of_a_file_has_the_command_that_reads_it(tmp_path: Path, name: str) -> None:
    text, stated, _ = HISTOGRAMS[name]
    path = tmp_path / "latency file.txt"
    path.write_text(text)
    done = here("import", path, store=tmp_path / "s.db")
    assert done.returncode == 3 and "Traceback" not in done.stderr
    command = re.search(r"`latlab (import [^`]*)`", done.stderr)
    assert command, done.stderr
    words = [path if word == path.name else word for word in shlex.split(command[1])]
    again = here(*words, store=tmp_path / "s.db")
    assert again.returncode == 0, again.stderr
    assert ("--unit" in command[1]) is bool(stated.unit) or name == "Markdown"


def test_rows_with_names_are_benchmark_metrics_and_rows_of_one_name_repetitions() -> None:
    found = imported(MARKDOWN + MARKDOWN.replace("322.06", "330"), Stated("samples", "1000MHz", ("After",)))
    assert isinstance(found, Benchmark)
    assert [(one.name, [round(value, 2) for value in one.values]) for one in found.amounts] == [
        ("base_spec, After", [322.06, 330.0]),
        ("time_set, After", [398.09, 398.09]),
    ]
    every = imported(MARKDOWN, Stated("samples", "ns"))
    assert isinstance(every, Benchmark) and [one.name for one in every.amounts][:2] == ["base_spec, Before", "time_set, Before"]


def test_a_column_of_samples_has_its_distribution() -> None:
    text = "time_s,cpu,lat_ns\n" + "".join(f"{n}.5,{n % 2},{1000 + n}\n" for n in range(50))
    found = imported(text, Stated("samples", "", ("lat_ns",)))
    assert isinstance(found, Wakeups)
    (row,) = found.cpus
    assert (row.got, row.minimum_ticks, row.maximum_ticks, row.average_ticks) == (50, 1000, 1049, 1024.5)
    by_header = imported(text, Stated("samples"))
    assert isinstance(by_header, Wakeups) and by_header.cpus == found.cpus, "the only column whose name has a unit"


@pytest.mark.parametrize(
    ("text", "stated", "reason"),
    [
        (TRIGGER, Stated("histogram", "", ("lat",)), "the file does not name the unit of 'lat'; say it with --unit ns, us, ms, s"),
        (TRIGGER, Stated("histogram", "hours", ("lat",)), "--unit 'hours' is no unit"),
        (TRIGGER, Stated("histogram", "us", ("latency",)), "--column 'latency' is none of x; use one of pid, lat, hitcount"),
        (BCC + "\n" + BCC, Stated("histogram"), "2 histograms; give a file with one"),
        ("1 2 3\n4 5 6\n", Stated("samples", "us"), "x: several columns of numbers, 1, 2, 3; name those of the samples with --column"),
        ("-5\n7\n", Stated("samples", "us"), "column '1' has -5 to 7, which are no durations"),
        ("10 3\n11 2.5\n", Stated("histogram", "us"), "'2.5' is no count of a bucket"),
        ("words alone\n", Stated("histogram"), "is no output of histogram, as it lacks a histogram: rows of a bucket and its count"),
        ("words alone\n", Stated("samples"), "is no output of samples, as it lacks a table"),
    ],
)
def test_what_is_not_said_is_asked_for(text: str, stated: Stated, reason: str) -> None:
    with pytest.raises((DataError, UsageError)) as raised:
        imported(text, stated)
    assert reason in str(raised.value)


@pytest.mark.parametrize(
    ("cell", "interval"),
    [
        ("17", (17.0, 17.0)),
        ("~ 2^0", (0, 2)),
        ("~ 2^4", (9, 17)),
        ("~ 30-39", (30.0, 40.0)),
        ("4 -> 7", (4.0, 8.0)),
        ("[4, 8)", (4.0, 8.0)),
        ("[1K, 2K)", (1024.0, 2048.0)),
        ("[3]", (3, 4)),
        ("(..., 0)", None),
        ("8-4", None),
        ("fast", None),
    ],
)
def test_a_bucket_is_known_by_its_name(cell: str, interval: tuple[float, float] | None) -> None:
    assert interval_of(cell) == interval


def test_a_unit_is_a_word_of_its_own() -> None:
    assert [unit_of(text) for text in ("lat_us", "nanoseconds", "@usecs:", "Time (ms)", "status", "bus", "minus")] == [
        "us", "ns", "us", "ms", "", "", "",
    ]  # fmt: skip
    assert (unit_ns("us"), unit_ns("µs"), unit_ns("64MHz"), unit_ns("0MHz"), unit_ns("cycles")) == (1e3, 1e3, 15.625, None, None)


def test_tables_are_found_between_other_lines() -> None:
    text = f"a word\n\n{MARKDOWN}\nmore words\n\n10 3\n12 5\n\n1,2\n"
    assert [(table.form, table.line, len(table.rows)) for table in tables_of(text)] == [("a table", 5, 2), ("columns of numbers", 10, 2)]
    (stats,) = tables_of("** Thread stats [avg, min] in nanoseconds **\n Spawn : 51, 50\n Join : 61, n/a\n")
    assert (stats.columns, stats.numbers, stats.rows[1]) == (("name", "avg", "min"), ("avg", "min"), ("Join", "61", "n/a"))


def test_a_page_whose_first_column_is_a_number_loses_no_column() -> None:
    found = imported("Latency (us) | Count\n------------ | -----\n10 | 4\n20 | 9\n40 | 1\n", Stated("histogram"))
    assert isinstance(found, Wakeups) and found.cpus[0].counts == ((10_000, 20_000, 4), (20_000, 30_000, 9), (40_000, 50_000, 1))


def test_a_run_keeps_how_it_was_read(tmp_path: Path) -> None:
    path, store = tmp_path / "wait.txt", tmp_path / "s.db"
    path.write_text(TRIGGER)
    done = here("import", path, "--as", "histogram", "--unit", "us", "--column", "lat", store=store)
    assert done.returncode == 0 and "Duration by histogram" in done.stdout, done.stderr
    assert here("show", "last", store=store).stdout.count("110") == 1, "the counts are those of the same column"
    assert here("import", path, "--as", "console", "--unit", "us", store=store).returncode == 2
