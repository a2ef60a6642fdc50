# SPDX-License-Identifier: BSD-3-Clause
import csv
from dataclasses import replace

import pytest

from latlab.core.errors import DataError, UsageError
from latlab.core.model.enums import Clock
from latlab.core.model.run import Tick
from latlab.core.readers.published import rst_tables
from latlab.core.readers.published.printed_deltas import delta_findings
from latlab.core.store.references import load
from latlab.psci.campaign.publishing import folder_of, publish_tf_a

PAGE = """
.. csv-table:: ``CPU_SUSPEND`` latencies (ns) to deepest power level in {order} (current release)
    :header: Cluster, Core, Powerdown, Wakeup, Cache Flush
    :file: current/test_rt_instr_susp_deep_{order}.csv

.. csv-table:: ``CPU_SUSPEND`` latencies (ns) to deepest power level in {order} (previous release)
    :header: Cluster, Core, Powerdown, Wakeup, Cache Flush
    :file: previous/test_rt_instr_susp_deep_{order}.csv
"""


def log_of(reference, order=1, without=""):
    """The figures of a published release as the lines of a console log, the cores of each test forwards or backwards."""
    run = load(f"published:tf-a/{reference}")
    cells: dict = {}
    for sample in run.samples:
        cells.setdefault(sample.test, {}).setdefault(sample.core, []).append(round(sample.value_ticks * run.tick.value))
    return "".join(
        f"<RT_INSTR:test_rt_instr_{test}\t{core.cluster}\t{core.core}\t" + "\t".join(map(str, figures)) + "/>\n"
        for test, of_test in cells.items()
        for core, figures in sorted(of_test.items())[::order]
        if test != without
    )


def published_pair(tmp_path, before="juno/v2.14", after="juno/v2.15"):
    for number, reference in enumerate((before, after)):
        log = tmp_path / f"{number}.log"
        log.write_text(log_of(reference, order=-1 if number else 1))
        done = publish_tf_a([log], tmp_path)
    return done


def rows(path):
    return {(row[0], row[1]): row[2:] for row in csv.reader(path.open())}


def test_what_was_current_becomes_previous_figure_by_figure(tmp_path):
    published_pair(tmp_path)
    before, after = (rows(tmp_path / name / "test_rt_instr_cpu_off_serial.csv") for name in ("previous", "current"))
    assert before["0", "0"] == ["267240", "32940", "168460"]
    assert [cell.split()[0] for cell in after["0", "0"]] == ["267200", "31020", "168140"]


def test_no_percentage_compares_two_different_cores_and_every_one_follows_from_its_own_cell(tmp_path):
    done = published_pair(tmp_path)
    checked = 0
    for path in (tmp_path / "current").iterdir():
        before = rows(tmp_path / "previous" / path.name)
        for core, cells in rows(path).items():
            for cell, base in zip(cells, before[core], strict=True):
                if "(" in cell:
                    value, delta = cell.split()
                    assert delta == f"({(int(value) / int(base) - 1) * 100:+.2f}%)"
                    checked += 1
    assert checked == done.deltas > 10


def test_the_queue_of_a_parallel_test_carries_no_percentage_for_a_core_that_came_at_another_place(tmp_path):
    done = published_pair(tmp_path)
    cells = rows(tmp_path / "current" / "test_rt_instr_susp_deep_parallel.csv")
    assert all("(" not in powerdown for powerdown, _, _ in cells.values())
    assert done.left_out > 0


def test_the_document_takes_the_files_as_they_are_and_no_delta_of_it_is_misprinted(tmp_path):
    published_pair(tmp_path)
    page = PAGE.format(order="serial") + PAGE.format(order="parallel")
    reading = rst_tables.parse(page, lambda name: (tmp_path / name).read_text())
    assert reading.problems == () and len(reading.tables) == 4
    assert any(figure.printed_delta is not None for table in reading.tables for figure in table.figures)
    assert delta_findings(reading.tables, "current") == []


def test_the_percentages_of_what_becomes_previous_are_dropped_with_the_figures_they_were_taken_against(tmp_path):
    published_pair(tmp_path)
    log = tmp_path / "again.log"
    log.write_text(log_of("juno/v2.15"))
    done = publish_tf_a([log], tmp_path)
    assert done.deltas == done.left_out == 0
    assert all("%" not in path.read_text() for name in ("current", "previous") for path in (tmp_path / name).iterdir())


def test_the_first_publication_has_no_percentage_and_every_cell_is_quoted(tmp_path):
    log = tmp_path / "first.log"
    log.write_text(log_of("n1sdp/v2.14"))
    assert publish_tf_a([log], tmp_path).deltas == 0
    text = (tmp_path / "current" / "test_rt_instr_psci_version_parallel.csv").read_text()
    assert text.splitlines()[0] == '"0","0","140"' and not (tmp_path / "previous").exists()


def test_iterations_of_several_logs_become_a_figure_that_was_measured(tmp_path):
    line = "<RT_INSTR:test_rt_instr_psci_version_parallel\t0\t0\t{}/>\n"
    for name, value in (("a", 100), ("b", 140), ("c", 120), ("d", 900)):
        (tmp_path / f"{name}.log").write_text(line.format(value))
    publish_tf_a([tmp_path / f"{name}.log" for name in "abcd"], tmp_path)
    assert rows(tmp_path / "current" / "test_rt_instr_psci_version_parallel.csv") == {("0", "0"): ["120"]}


def test_a_damaged_log_changes_nothing(tmp_path):
    published_pair(tmp_path)
    before = {path: path.read_text() for path in tmp_path.glob("*/*.csv")}
    log = tmp_path / "damaged.log"
    log.write_text(log_of("juno/v2.13")[:-9])
    with pytest.raises(DataError, match=r"damaged\.log.*publish a whole run"):
        publish_tf_a([log], tmp_path)
    assert {path: path.read_text() for path in tmp_path.glob("*/*.csv")} == before


def test_files_that_name_a_core_twice_are_not_paired(tmp_path):
    folder = tmp_path / "current"
    folder.mkdir()
    (folder / "test_rt_instr_psci_version_parallel.csv").write_text('"0","0","120"\n"0","0","340"\n')
    log = tmp_path / "a.log"
    log.write_text(log_of("n1sdp/v2.14"))
    with pytest.raises(DataError, match="more than one row"):
        publish_tf_a([log], tmp_path)


def test_a_test_that_was_not_run_again_is_no_longer_current(tmp_path):
    published_pair(tmp_path)
    log = tmp_path / "fewer.log"
    log.write_text(log_of("juno/v2.15", without="cpu_off_serial"))
    (note,) = publish_tf_a([log], tmp_path).notes
    assert "cpu_off_serial" in note
    assert not (tmp_path / "current" / "test_rt_instr_cpu_off_serial.csv").exists()
    assert (tmp_path / "previous" / "test_rt_instr_cpu_off_serial.csv").exists()


def test_a_folder_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(UsageError, match="is no folder"):
        folder_of(tmp_path / "jnuo")


VERSION = "<RT_INSTR:test_rt_instr_psci_version_parallel\t0\t{core}\t{value}/>\n"


def of_one_core(folder, value, core=0):
    log = folder / "one.log"
    log.write_text(VERSION.format(core=core, value=value))
    return publish_tf_a([log], folder)


def test_what_a_model_of_a_board_gave_is_not_published(tmp_path, monkeypatch):
    simulated = replace(load("published:tf-a/juno/v2.9"), tick=Tick(Clock.VIRTUAL, 1.0), problems=())
    assert simulated.is_simulated
    monkeypatch.setattr("latlab.core.readers.dump.console_log.parse", lambda data, name, topology: simulated)
    with pytest.raises(
        DataError, match=r"one\.log: simulated in virtual time on a model of a board; publish what the board itself measured"
    ):
        of_one_core(tmp_path, 100)


def test_other_cores_than_before_are_told_and_get_no_percentage(tmp_path):
    of_one_core(tmp_path, 100)
    log = tmp_path / "two.log"
    log.write_text(VERSION.format(core=0, value=900) + VERSION.format(core=1, value=900))
    done = publish_tf_a([log], tmp_path)
    assert done.notes == ("the cores differ from those of the figures before; no percentage is printed",)
    assert done.deltas == 0 and len(rows(tmp_path / "current" / "test_rt_instr_psci_version_parallel.csv")) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file has no rows"),
        ('"0","0","x"\n', "."),
    ],
)
def test_a_file_of_the_folder_that_cannot_be_read_is_to_be_corrected_first(tmp_path, text, said):
    of_one_core(tmp_path, 100)
    path = tmp_path / "current" / "test_rt_instr_psci_version_parallel.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=rf"test_rt_instr_psci_version_parallel\.csv: {said}.*; correct the file first"):
        of_one_core(tmp_path, 200)
    assert path.read_text() == text


def test_files_are_told_that_were_written_and_what_is_only_previous_now(tmp_path):
    first = of_one_core(tmp_path, 100)
    name = "test_rt_instr_psci_version_parallel.csv"
    assert first.files == (tmp_path / "current" / name,) and (first.deltas, first.left_out, first.notes) == (0, 0, ())
    second = of_one_core(tmp_path, 100)
    assert set(second.files) == {tmp_path / "current" / name, tmp_path / "previous" / name}
    assert (second.deltas, second.left_out) == (0, 0) and not list(tmp_path.glob("*/*.new"))
