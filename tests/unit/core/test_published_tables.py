# SPDX-License-Identifier: BSD-3-Clause
from decimal import Decimal
from pathlib import Path

import pytest

from latlab.core.model.distributions import distributions_of
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import CoreId, Topology
from latlab.core.readers.published import csv_tables, rst_tables
from latlab.core.readers.published import runs as published
from latlab.core.readers.published.cell_checks import unit_findings, unit_suspects
from latlab.core.readers.published.printed_deltas import delta_findings
from latlab.core.readers.published.printed_tables import PrintedFigure, Reading, Table
from latlab.core.store import references

GRID = """
.. table:: ``CPU_SUSPEND`` latencies (µs) to power level 0 in parallel (v1)

    +---------+------+-----------+
    | Cluster | Core | Powerdown |
    +---------+------+-----------+
    |    0    |  0   |   100.00  |
    +---------+------+-----------+
    |    0    |  1   |   200.02  |
    +---------+------+-----------+

.. table:: ``CPU_SUSPEND`` latencies (µs) to power level 0 in parallel (2.0)

    +---------------------------------------+
    | test_rt_instr_cpu_susp_parallel (new) |
    +---------+------+----------------------+
    | Cluster | Core |      Powerdown       |
    +---------+------+----------------------+
    |    0    |  0   |   150.00 (+50.00%)   |
    +---------+------+----------------------+
    |    0    |  1   |   100.00 (+50.00%)   |
    +---------+------+----------------------+
"""

PER_CPU = """
In the results below, CPUs 0-1 refer to CPUs in the little cluster and CPUs 2-2 refer to CPUs in the big
cluster. In all cases CPU 2 is the lead CPU. The generic counter runs at 50MHz here, as of 31/01/2017.

``CPU_SUSPEND`` to deepest power level on all CPUs in sequence
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~

+-----+---------------------+
| CPU | ``PSCI_ENTRY`` (us) |
+=====+=====================+
| 0 | 27 |
+-----+---------------------+
| 1 | 28 |
+-----+---------------------+
| 2 | 20 |
+-----+---------------------+
"""


def values(run, test, metric):
    return {str(s.core): s.value_ticks for s in run.samples if (s.test, s.metric) == (test, metric)}


def source(**kwargs):
    return published.Source("board", "firmware", **kwargs)


def test_caption_names_test_unit_and_release_and_cells_keep_their_line():
    first, second = rst_tables.parse(GRID).tables
    assert (first.test, first.unit, first.release) == ("cpu_susp_parallel", "us", "v1")
    assert (second.test, second.unit, second.release) == ("cpu_susp_parallel", "us", "v2.0")
    assert first.figures[1] == PrintedFigure(CoreId(0, 1), Metric.POWERDOWN, Decimal("200.02"), 9, row=1)
    assert GRID.splitlines()[8].strip().startswith("|    0    |  1")


def test_a_delta_that_does_not_follow_from_the_values_is_reported_with_the_right_figure():
    (problem,) = delta_findings(rst_tables.parse(GRID).tables, "v2.0")
    assert problem.message.startswith("misprinted delta: of the 2 printed deltas of v2.0 1 is of the wrong sign")
    assert "-50.00%" in problem.message and "+50.00%" in problem.message
    assert "100.00 (+50.00%)" in GRID.splitlines()[problem.line - 1]


def test_cpu_numbers_become_cores_by_the_documents_topology_and_lost_padding_is_mended():
    reading = rst_tables.parse(PER_CPU)
    (table,) = reading.tables
    assert {str(f.core): int(f.value) for f in table.figures} == {"1.0": 27, "1.1": 28, "0.0": 20}
    assert (table.release, reading.lead, reading.counter_hz) == ("2017", CoreId(0, 0), 50_000_000)
    assert any("padding" in p.message for p in reading.problems)
    assert any("assumed" in p.message for p in reading.problems)


def test_cpu_ranges_follow_the_cluster_sizes_of_sibling_tables():
    row = "    |    0    |  1   |   200.02  |\n    +---------+------+-----------+\n"
    reading = rst_tables.parse(GRID.replace(row, row + row.replace("0    |  1 ", "1    |  0 ")) + PER_CPU)
    by_cpu = reading.tables[-1]
    assert {str(f.core): int(f.value) for f in by_cpu.figures} == {"0.0": 27, "0.1": 28, "1.0": 20}
    assert not any("assumed" in p.message for p in reading.problems)


def test_csv_table_directive_reads_its_file_through_the_caller():
    document = """
.. csv-table:: ``CPU_SUSPEND`` latencies (ns) to deepest power level in serial (current release)
    :header: Cluster, Core, Powerdown, Wakeup, Cache Flush
    :widths: 1, 1, 3, 3, 3
    :file: data/table.csv

Text after it.
"""
    asked = []

    def read(name):
        asked.append(name)
        return '0,0,100,"20",5\n0,1,"140(+40.00%)",20,5\n'

    reading = rst_tables.parse(document, read)
    (table,) = reading.tables
    assert asked == ["data/table.csv"] and not reading.problems
    assert (table.test, table.unit, table.release) == ("susp_deep_serial", "ns", "current")
    assert table.figures[3].value == 140 and table.figures[3].printed_delta == 40


def test_a_csv_file_that_cannot_be_read_is_a_problem_with_its_line():
    document = ".. csv-table:: ``CPU_OFF`` latencies (ns) (v1)\n   :header: Cluster, Core, Powerdown\n   :file: gone.csv\n"
    (problem, *_) = rst_tables.parse(document, lambda name: Path("/nonexistent", name).read_text()).problems
    assert problem.line == 3 and "gone.csv" in problem.message


def test_a_cell_that_is_no_figure_is_counted_and_its_neighbours_are_kept():
    reading = rst_tables.parse(GRID.replace("100.00  |", "  n/a   |"))
    assert len(reading.tables[0].figures) == 1
    assert [p.message for p in reading.problems] == ["'n/a' for powerdown of core 0.0 is not a figure; the cell is left out"]


def test_a_core_named_twice_is_refused_not_averaged():
    three = "|    0    |  0   |   200.02  |\n    +---------+------+-----------+\n    |    1    |  0   |   300.00"
    text = GRID.replace("|    0    |  1   |   200.02", three).replace("|    0    |  1   |   100.00", "|    1    |  7   |   100.00")
    run = published.run_of(rst_tables.parse(text), "v1", source(tick_ns=Decimal(20), topology=Topology((2, 2))))
    assert values(run, "cpu_susp_parallel", Metric.POWERDOWN) == {"0.0": 5000, "1.0": 15000}
    (problem,) = run.problems
    assert "names core 0.0 more than once in 3 rows" in problem.message and "FILE#RELEASE@" in problem.message


def test_bare_csv_takes_its_test_from_the_file_name_and_reports_the_missing_unit():
    reading = csv_tables.parse("0,0,332440,270640(+1031.44%),169500(+22.05%)\n", "test_rt_instr_susp_deep_parallel.csv")
    assert reading.tables[0].test == "susp_deep_parallel"
    (problem,) = unit_findings(unit_suspects(reading.tables, None))
    assert "no unit is named" in problem.message and "--unit" in problem.message


@pytest.mark.parametrize(
    "text",
    ["Cluster,Core,Powerdown\n0,0,1.5\n0,1,2 (+5%)\n", '"Cluster","Core","Powerdown"\n"0","0","1.5"\n"0","1","2 (+5%)"\n'],
)
def test_csv_is_read_quoted_or_not(text):
    reading = csv_tables.parse(text, "CPU_OFF latencies (us) (v1)")
    assert [(f.value, f.printed_delta) for f in reading.tables[0].figures] == [(Decimal("1.5"), None), (2, 5)]


def test_tables_survive_the_way_out_and_back_in_rst_and_csv():
    for table in rst_tables.parse(GRID).tables:
        caption = f"``CPU_SUSPEND`` latencies (µs) to power level 0 in parallel ({table.release})"
        from_rst = rst_tables.parse(rst_tables.render(table, caption)).tables[0]
        from_csv = csv_tables.parse(csv_tables.render(table), caption).tables[0]
        for again in (from_rst, from_csv):
            strip = [(f.core, f.metric, f.value, f.printed_delta) for f in again.figures]
            assert strip == [(f.core, f.metric, f.value, f.printed_delta) for f in table.figures]
            assert (again.test, again.unit, again.release) == (table.test, table.unit, table.release)


def test_a_grid_whose_corners_do_not_meet_is_told_and_the_other_tables_are_read():
    broken = """
.. table:: ``CPU_OFF`` latencies (µs) in serial (v1)

    +---------+------+-----------+
    | Cluster | Core | Powerdown |
    +---------+------+------m----+
    |    0    |  0   |   100.00  |
    +---------+----------+-------+
    |    0    |  1   |   200.02  |
    +---------+------+-----------+
"""
    alone = rst_tables.parse(GRID)
    both = rst_tables.parse(GRID + broken)
    assert [len(table.figures) for table in both.tables] == [len(table.figures) for table in alone.tables]
    (told,) = [problem for problem in both.problems if problem not in alone.problems]
    assert told.line == len(GRID.splitlines()) + 4
    assert "corners" in told.message


def test_ns_labelled_as_us_are_suspected_from_the_tick_and_left_out():
    numerals = [187960, 270640, 332440, 624520, 479100, 923480]
    figures = tuple(PrintedFigure(CoreId(0, i), Metric.POWERDOWN, Decimal(n), 8) for i, n in enumerate(numerals))
    table = Table("susp_deep_parallel", "v1", "us", 7, figures)
    run = published.run_of(Reading((table,)), "v1", source(tick_ns=Decimal(20)))
    assert run.samples == () and run.status is RunStatus.PARTIAL
    assert "the figures are ns. --unit ns reads them so" in run.problems[0].message and run.problems[0].line == 7


def test_the_unit_that_the_user_says_settles_a_suspicion_and_leaves_other_tables_alone():
    def table(release, scale):
        figures = tuple(
            PrintedFigure(CoreId(0, i), Metric.POWERDOWN, Decimal(n) * scale, 8) for i, n in enumerate((27, 114, 202, 375, 21, 290))
        )
        return Table("susp_deep_parallel", release, "us", 7, figures)

    reading = Reading((table("v1", 1), table("v2", 1000)))
    doubted = published.run_of(reading, "v2", source(tick_ns=Decimal(20)))
    settled = published.run_of(reading, "v2", source(tick_ns=Decimal(20)), "ns")
    assert doubted.samples == () and settled.problems == ()
    assert values(settled, "susp_deep_parallel", Metric.POWERDOWN) == values(
        published.run_of(reading, "v1", source(tick_ns=Decimal(20)), "ns"), "susp_deep_parallel", Metric.POWERDOWN
    )


def test_ns_labelled_as_us_are_suspected_from_a_sibling_release():
    def table(release, scale):
        return Table("cpu_off_serial", release, "us", 1, (PrintedFigure(CoreId(0, 0), Metric.POWERDOWN, Decimal("235.41") * scale, 2),))

    (suspect,) = unit_suspects([table("v1", 1), table("v2", 1000)], None)
    assert suspect.table.release == "v2" and "1000 times its sibling" in suspect.case


def test_a_figure_between_two_ticks_is_left_out_as_unit_suspect():
    run = published.run_of(rst_tables.parse(GRID.replace("200.02", "200.03")), "v1", source(tick_ns=Decimal(20)))
    assert values(run, "cpu_susp_parallel", Metric.POWERDOWN) == {"0.0": 5000}
    assert any(p.line == 9 and p.message.startswith("unit suspect: 200.03 us") for p in run.problems)


def test_a_document_that_holds_a_table_twice_keeps_the_first_and_says_so():
    run = published.run_of(rst_tables.parse(GRID.replace("(2.0)", "(v1)")), "v1", source(tick_ns=Decimal(20)))
    assert values(run, "cpu_susp_parallel", Metric.POWERDOWN) == {"0.0": 5000, "0.1": 10001}
    assert any("already appeared in line" in p.message for p in run.problems)


def test_the_catalogue_knows_junos_figures_in_20_ns_ticks():
    run = references.load("published:tf-a/juno/v2.9")
    assert len(run.samples) == 96 and run.problems == () and str(run.topology) == "2,4" and str(run.lead) == "1.0"
    assert values(run, "susp_deep_parallel", Metric.POWERDOWN)["0.0"] == 5229
    assert values(references.load("published:tf-a/juno/2017"), "susp_deep_parallel", Metric.POWERDOWN)["1.3"] == 375 * 50


def test_the_catalogue_keeps_the_seven_printed_deltas():
    assert len(references.load("published:tf-a/juno/v2.10").printed_deltas) == 7


def test_whole_microseconds_are_known_to_be_coarser_than_the_tick():
    coarse = dict(references.load("published:tf-a/juno/2017").resolutions)
    assert coarse[Metric.POWERDOWN] == 1000 and Metric.PSCI_CALL not in coarse


def test_figures_of_one_table_that_are_round_by_chance_say_nothing_of_the_print():
    """All flushes of CPU_OFF in N1SDP's v2.13 are 0.3 us; those of the other tests are printed to two places."""
    assert references.load("published:tf-a/n1sdp/v2.13").resolutions == ()


def test_every_catalogue_entry_loads_without_a_problem():
    for name in references.published_references():
        assert references.load(name).problems == ()


def test_a_document_of_two_releases_asks_which(tmp_path):
    document = tmp_path / "perf.rst"
    document.write_text(GRID)
    with pytest.raises(references.BadReference, match="holds 2 releases"):
        references.load(str(document))
    assert references.load(f"{document}#v1").build.firmware == "v1"


def test_an_unknown_reference_names_the_known_ones():
    with pytest.raises(references.BadReference, match=r"published:tf-a/juno/v2\.9"):
        references.load("published:tf-a/juno/v9")


def test_a_row_of_one_cell_that_names_no_test_is_not_swallowed():
    reading = csv_tables.parse("surprise\nCluster,Core,Powerdown\n0,0,1.5\n", "CPU_OFF latencies (us) (v1)")
    assert [(p.line, p.message) for p in reading.problems] == [(1, "the row 'surprise' does not name a test and is left out")]
    assert len(reading.tables[0].figures) == 1


GUIDE = """
RT-linux 12.00.00 Performance Guide
===================================

.. csv-table::
   :header: "Latencies","CPU 0","CPU 1"

   "Minimum (usec)","4","5"
   "Average (usec)","7","6"
   "Maximum (usec)","68","72"
"""


def test_a_guide_of_wake_up_latencies_is_a_run_with_one_distribution_for_each_cpu(tmp_path):
    document = tmp_path / "guide.rst"
    document.write_text(GUIDE)
    found = references.load(str(document))
    assert [(d.minimum_ticks, d.average_ticks, d.maximum_ticks) for d in distributions_of(found)] == [(4, 7, 68), (5, 6, 72)]
    assert found.tick.value == 1000 and found.problems == () and found.build.firmware == "12.00.00"


TWICE = """
.. csv-table:: ``CPU_OFF`` latencies (ns) in serial (v1)
   :header: Cluster, Core, Powerdown, Wakeup, Cache Flush

   0,0,1000,200,20
   1,0,1100,200,20
   0,0,1200,200,20
   1,0,1300,200,20
"""


def test_what_is_said_of_the_cores_behind_the_name_of_a_document_decides_which_row_is_which(tmp_path):
    document = tmp_path / "board.rst"
    document.write_text(TWICE)
    told = references.load(f"{document}#v1@1,3")
    assert {str(s.core): s.value_ticks * told.tick.value for s in told.samples if s.metric is Metric.POWERDOWN} == {
        "0.0": 1000,
        "1.0": 1100,
        "1.1": 1200,
        "1.2": 1300,
    }
    assert [p.kind.value for p in told.problems] == ["inferred"]
    untold = references.load(f"{document}#v1")
    assert len(untold.samples) == 6 and "FILE#RELEASE@" in untold.problems[0].message
