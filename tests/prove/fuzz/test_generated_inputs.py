# SPDX-License-Identifier: BSD-3-Clause
"""Ten thousand files, command lines and rows that nobody wrote: each is read, or refused in one sentence before a machine starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.generated_batches import bench, faults_of_commands, faults_of_files, faults_of_rows
from support.generated_rows import VERBS

pytestmark = pytest.mark.slow

COMMANDS, FILES, ROWS, SITES = 5_000, 5_000, 300, 20
AT_ONCE = 500


def batches(count: int) -> list[range]:
    return [range(start, min(start + AT_ONCE, count)) for start in range(0, count, AT_ONCE)]


@pytest.mark.parametrize("numbers", batches(COMMANDS), ids=str)
def test_any_command_line_is_answered_or_refused_in_one_sentence(tmp_path: Path, numbers: range) -> None:
    with bench(tmp_path) as found:
        assert list(faults_of_commands(found, numbers)) == []


@pytest.mark.parametrize("numbers", batches(FILES), ids=str)
def test_any_file_that_a_user_writes_is_read_or_refused_in_one_sentence(tmp_path: Path, numbers: range) -> None:
    with bench(tmp_path) as found:
        assert list(faults_of_files(found, numbers)) == []


@pytest.mark.parametrize("numbers", batches(ROWS), ids=str)
def test_a_row_that_nobody_wrote_costs_its_own_run_in_every_verb(tmp_path: Path, numbers: range) -> None:
    with bench(tmp_path) as found:
        assert list(faults_of_rows(found, numbers)) == []


def test_a_site_leaves_out_what_cannot_be_read(tmp_path: Path) -> None:
    with bench(tmp_path) as found:
        assert list(faults_of_rows(found, range(SITES), VERBS[-1:])) == []
