# SPDX-License-Identifier: BSD-3-Clause
"""The list of runs: a line for each, and no id is ever lost."""

from latlab.core.model.life import Head
from latlab.runs.pages.listing import list_csv, list_lines

PSCI = Head("psci-1", "psci", "spans", "qemu", "qemu_virt", "2,4", "instructions", "f" * 60, "complete", "2026-11-22T14:00:00Z", 0, "")
RT = PSCI._replace(id="rt-1", campaign="rt", kind="wakeups", platform="a board with a long name")


def test_everything_is_in_one_line_where_nothing_limits_it() -> None:
    lines, left_out = list_lines([PSCI, RT])
    assert len(lines) == 3 and left_out == ()
    assert lines[1].split()[:3] == ["psci-1", "2026-11-22", "14:00"] and lines[1].endswith("f" * 60)
    assert all(line == line.rstrip() for line in lines)


def test_columns_that_do_not_fit_are_named_and_the_ids_stay_whole() -> None:
    lines, left_out = list_lines([PSCI, RT], 80)
    assert max(map(len, lines)) <= 80 and left_out == ("Firmware", "Topology", "Clock")
    assert [line.split()[0] for line in list_lines([PSCI, RT], 5)[0]] == ["Run", "psci-1", "rt-1"]


def test_no_name_makes_a_line_of_thousands_of_columns() -> None:
    long = PSCI._replace(id="i" * 200, platform="p" * 5000, firmware="f" * 5000, label="l" * 5000, target="t" * 5000)
    lines, _ = list_lines([long, RT])
    assert max(map(len, lines)) < 600 and lines[1].startswith("i" * 200)
    assert "f" * 5000 in list_csv([long])


def test_a_run_that_keeps_raw_files_is_not_listed_as_one_without_samples() -> None:
    sampled, raw = (line.split() for line in list_lines([PSCI, RT])[0][1:])
    assert raw[raw.index("complete") + 1] == "-" and sampled[sampled.index("complete") + 1] == "0"


def test_labels_have_a_column_once_there_is_one() -> None:
    assert "Label" not in list_lines([PSCI])[0][0]
    assert "Label" in list_lines([PSCI._replace(label="before")])[0][0]


def test_the_csv_has_every_column_for_every_run() -> None:
    rows = list_csv([PSCI, RT._replace(label="a, b")]).splitlines()
    assert rows[0].startswith("id,started_utc,target") and rows[2].endswith('rt,"a, b"')


def test_a_run_of_a_model_is_not_listed_as_one_of_the_board():
    board, model = list_lines([PSCI, PSCI._replace(clock="virtual")])[0][1:]
    assert f"{PSCI.platform}, simulated" in model and "simulated" not in board
