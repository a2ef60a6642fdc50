# SPDX-License-Identifier: BSD-3-Clause
"""Parquet and HdrHistogram logs, read back by their own libraries."""

import io
import json
import sys
from dataclasses import replace

import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from pyarrow import parquet as reader

from latlab.core.cli.app import app
from latlab.core.errors import UsageError
from latlab.core.model.amounts import Amount, Amounts
from latlab.core.model.distributions import Distribution, WakeupCounts
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.run import Build, CoreId, Run, Tick, Topology
from latlab.core.report.exports import hlog, parquet, samples_csv
from latlab.core.store import references
from latlab.rt.model.power_steps import PowerCycles
from support.ladder_model import Truth, make_run


def _counted() -> Run:
    one = Distribution(
        "cyclictest", Metric.TASK_WAKEUP, CoreId(0, 1), ((0, 1000, 5), (4000, 5000, 90), (900_000, 901_000, 3)), 2, 100, None, None, 7,
        2_000_000, 5000.0, 1000,
    )  # fmt: skip
    return Run(
        "rt", "import", "board", Topology((2,)), Tick(Clock.TIME, 1.0), Build("v1"), None, RunStatus.COMPLETE, WakeupCounts((one,)),
        started_utc="2026-01-02T03:04:05Z", id="rt-1",
    )  # fmt: skip


def _amounts() -> Run:
    amounts = (
        Amount("osnoise", Metric.EVENTS, "IRQ", CoreId(0, 1), (12.0,), 4.0),
        Amount("hackbench", Metric.DURATION, "all", None, (1.5, 2.5)),
    )
    return replace(_counted(), contents=Amounts(amounts))


def _table(run: Run):
    return reader.read_table(io.BytesIO(parquet.render(run)))


def test_the_columns_of_a_parquet_file_are_those_of_the_csv_with_types():
    run = make_run(Truth(), 3, boots=2, iterations=2)
    table = _table(run)
    assert tuple(table.column_names) == samples_csv.COLUMNS and table.num_rows == len(run.samples)
    first, row = run.samples[0], table.slice(0, 1).to_pylist()[0]
    assert (row["test"], row["core"], row["value_ticks"]) == (first.test, first.core.core, first.value_ticks)
    assert row["value"] == pytest.approx(first.value_ticks * run.tick.value)
    assert str(table.schema.field("test").type).startswith("dictionary") and str(table.schema.field("iteration").type) == "int64"
    known = json.loads(table.schema.metadata[b"latlab-run"])
    assert (known["id"], known["platform"], known["tick_value"]) == (run.id, run.platform, run.tick.value)


def test_what_was_clipped_has_no_upper_end_in_parquet():
    rows = _table(_counted()).to_pylist()
    assert [(row["low"], row["high"], row["count"]) for row in rows] == [
        (0.0, 1000.0, 5),
        (4000.0, 5000.0, 90),
        (900_000.0, 901_000.0, 3),
        (901_000.0, None, 2),
    ]


def test_an_amount_of_the_machine_has_no_core_in_parquet():
    rows = [(row["core"], row["name"], row["repetition"], row["value"], row["over_s"]) for row in _table(_amounts()).to_pylist()]
    assert rows == [(1, "IRQ", 0, 12.0, 4.0), (None, "all", 0, 1.5, None), (None, "all", 1, 2.5, None)]


def test_a_run_without_lines_is_a_parquet_file_without_rows():
    assert _table(replace(_counted(), contents=PowerCycles())).num_rows == 0


def _read_back(text: str, tmp_path) -> list[HdrHistogram]:
    path = tmp_path / "x.hlog"
    path.write_text(text)
    log = HistogramLogReader(str(path), HdrHistogram(1, 10**10, 3))
    found = []
    while (histogram := log.get_next_interval_histogram()) is not None:
        found.append(histogram)
    return found


def test_a_histogram_log_holds_every_wakeup_at_the_end_of_its_interval(tmp_path):
    text = hlog.render(_counted())
    assert "Tag=cyclictest/task_wakeup/0.1," in text and "rt-1 on board; values are ns" in text and text.startswith("#")
    (histogram,) = _read_back(text, tmp_path)
    assert histogram.get_total_count() == 100
    assert histogram.get_value_at_percentile(5) == pytest.approx(999, rel=1e-3)
    assert histogram.get_value_at_percentile(50) == pytest.approx(4999, rel=1e-3)
    assert histogram.get_value_at_percentile(98) == pytest.approx(900_999, rel=1e-3)
    assert histogram.get_max_value() == pytest.approx(2_000_000, rel=1e-3)


def test_a_histogram_log_of_samples_has_a_histogram_for_each_core(tmp_path):
    run = make_run(Truth(), 3, boots=2, iterations=2)
    cells = {(sample.test, sample.metric, sample.core) for sample in run.samples}
    found = _read_back(hlog.render(run), tmp_path)
    assert len(found) == len(cells) and sum(one.get_total_count() for one in found) == len(run.samples)


def test_what_has_no_counts_makes_no_histogram_log():
    with pytest.raises(UsageError, match="nothing to count"):
        hlog.render(_amounts())


@pytest.mark.parametrize(
    ("module", "render", "extra", "package"),
    [("pyarrow", parquet.render, "parquet", "pyarrow"), ("hdrh.histogram", hlog.render, "hlog", "hdrhistogram")],
)
def test_a_missing_library_is_said_with_the_command_that_brings_it(monkeypatch, module, render, extra, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match=rf"--format {extra} needs the Python package {package}; run "):
        render(_counted())


def test_a_parquet_file_needs_a_name(tmp_path, monkeypatch):
    monkeypatch.setenv("LATLAB_STORE", str(tmp_path / "s.sqlite"))
    with pytest.raises(UsageError, match="name a file with -o FILE"):
        app(("export", "published:tf-a/juno/v2.9", "--format", "parquet"), standalone_mode=False)
    out = tmp_path / "juno.parquet"
    app(("export", "published:tf-a/juno/v2.9", "--format", "parquet", "-o", str(out)), standalone_mode=False)
    assert reader.read_table(out).num_rows == len(references.load("published:tf-a/juno/v2.9").samples)
