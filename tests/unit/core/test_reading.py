# SPDX-License-Identifier: BSD-3-Clause
"""Files that a user names: read up to a limit."""

from pathlib import Path

import pytest

from latlab.core.errors import DataError, UsageError
from latlab.core.store.reading import CHUNK, read_file
from support.command import latlab


def test_a_file_is_read_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"x" * CHUNK + b"\n\0\xff" + b"y" * CHUNK)
    assert read_file(path) == path.read_bytes()


def test_a_line_that_no_log_has_is_refused_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"a\nb\n" + b"x" * (3 * CHUNK) + b"\n")
    assert read_file(path, longest_line=3 * CHUNK) == path.read_bytes()
    with pytest.raises(DataError, match=r"log:3: more than 2 MiB without the end of a line"):
        read_file(path, longest_line=2 * CHUNK)


def test_the_longest_line_is_counted_from_the_end_of_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"before\n" + b"x" * 100)
    assert read_file(path, longest_line=100) == path.read_bytes()
    with pytest.raises(DataError, match="log:2: more than"):
        read_file(path, longest_line=99)


def test_a_file_that_never_ends_is_refused_at_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"line\n" * CHUNK)
    with pytest.raises(UsageError, match="has more than 2 MiB"):
        read_file(path, most=2 * CHUNK)


def test_a_device_without_an_end_costs_a_sentence(tmp_path: Path) -> None:
    done = latlab("import", "/dev/zero", store=tmp_path / "store.sqlite")
    assert done.returncode == 3 and "/dev/zero:1: more than 64 MiB without the end of a line" in done.stderr


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    assert "nowhere cannot be read: No such file" in latlab("import", tmp_path / "nowhere", store=tmp_path / "s").stderr
