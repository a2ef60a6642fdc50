# SPDX-License-Identifier: BSD-3-Clause
"""Short runs of what `tests/fuzz` runs for long, from damaged seeds and from nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.targets import TARGETS
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.core.readers.published import csv_tables, rst_tables
from latlab.core.readers.published.printed_tables import PrintedFigure, Table
from support.examples import examples
from support.places import SEEDS

CAPTION = "``CPU_SUSPEND`` latencies (µs) to power level 0 in parallel (v1)"


@pytest.mark.parametrize("name", TARGETS)
@given(data=st.binary(max_size=400))
@examples(60)
def test_any_bytes_are_read_or_refused(name, data):
    TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
@given(data=st.data())
@examples(120)
def test_damaged_input_is_read_or_refused(name, data):
    seed = data.draw(st.sampled_from([path.read_bytes() for path in sorted((SEEDS / name).iterdir())]))
    damaged = bytearray(seed)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, max(len(damaged) - 1, 0)))
        damaged[at : at + data.draw(st.integers(0, 12))] = data.draw(st.binary(max_size=12))
    TARGETS[name](bytes(damaged))


TABLES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 5), st.decimals(0, 10**6, places=2), st.none() | st.decimals(-99, 999, places=2)),
    min_size=1,
    max_size=8,
    unique_by=lambda row: row[:2],
)


@given(TABLES)
def test_any_table_survives_rst_and_csv(rows):
    figures = tuple(PrintedFigure(CoreId(c, k), Metric.WAKEUP, value, 0, delta) for c, k, value, delta in rows)
    table = Table("cpu_susp_parallel", "v1", "us", 0, figures)
    for reading in (rst_tables.parse(rst_tables.render(table, CAPTION)), csv_tables.parse(csv_tables.render(table), CAPTION)):
        assert reading.problems == ()
        assert [(f.core, f.value, f.printed_delta) for f in reading.tables[0].figures] == [
            (f.core, f.value, f.printed_delta) for f in figures
        ]


@given(TABLES, st.data())
def test_a_cell_that_is_damaged_is_named_and_costs_no_other(rows, data):
    figures = tuple(PrintedFigure(CoreId(c, k), Metric.WAKEUP, value, 0) for c, k, value, _ in rows)
    table = Table("cpu_susp_parallel", "v1", "us", 0, figures)
    lines = csv_tables.render(table).splitlines()
    at = data.draw(st.integers(1, len(lines) - 1))
    lines[at] = lines[at].rpartition(",")[0] + "," + data.draw(st.sampled_from(["", "n/a", "-", "1.2.3", "12 (5%", "٣", "1e9"]))
    reading = csv_tables.parse("\n".join(lines), CAPTION)
    assert [problem.line for problem in reading.problems] == [at + 1]
    assert len(reading.tables[0].figures) == len(figures) - 1
