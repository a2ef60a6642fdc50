# SPDX-License-Identifier: BSD-3-Clause
"""Where results go: a file is whole or as it was, and a path that cannot be written to is refused before the work is done."""

import errno
import os
import stat
from pathlib import Path

import pytest

from conftest import Latlab
from latlab.core.cli.output import check_output, write_bytes, write_file

PAIR = ("published:tf-a/juno/v2.9", "published:tf-a/juno/v2.10")


def test_a_disk_that_fills_up_leaves_the_file_that_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.html"
    page.write_text("the old page")

    def half(path: Path, data: bytes) -> int:
        with path.open("wb") as stream:
            stream.write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", half)
    for write in (lambda: write_file("the new page", page), lambda: write_bytes(b"the new page", page)):
        with pytest.raises(OSError, match="No space left") as caught:
            write()
        assert caught.value.filename == str(page)
        assert page.read_text() == "the old page" and os.listdir(tmp_path) == ["page.html"]


def test_a_file_that_is_replaced_keeps_its_mode_and_a_link_its_target(tmp_path: Path) -> None:
    page, link = tmp_path / "page.html", tmp_path / "link.html"
    page.write_text("old")
    page.chmod(0o640)
    link.symlink_to(page)
    write_file("new", link)
    assert link.is_symlink() and page.read_text() == "new" and stat.S_IMODE(page.stat().st_mode) == 0o640


def test_what_is_no_file_is_written_to_as_it_is(latlab: Latlab) -> None:
    check_output(Path("/dev/null"))
    write_file("gone", Path("/dev/null"))
    full = latlab("compare", *PAIR, "--format", "json", "-o", "/dev/full")
    assert full.returncode == 2 and "/dev/full: No space left on device" in full.stderr


@pytest.mark.parametrize("verb", [("report", *PAIR), ("compare", *PAIR, "--format", "html"), ("export", PAIR[0])])
def test_a_path_that_cannot_be_is_refused_before_the_work_is_done(latlab: Latlab, tmp_path: Path, verb: tuple[str, ...]) -> None:
    for place in (tmp_path, tmp_path / "nowhere" / "page.html"):
        done = latlab(*verb[:1], "published:no/such/run", *verb[2:], "-o", place)
        assert done.returncode == 2 and f"{place}: " in done.stderr and "published:no" not in done.stderr
