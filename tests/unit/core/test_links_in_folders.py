# SPDX-License-Identifier: BSD-3-Clause
"""Names and links in folders that somebody else filled: what leads out of the folder, never ends or is no file costs a sentence.
Nothing outside is read or written."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from latlab.core.errors import DataError, LatlabError, UsageError
from latlab.core.store.inside import write_beside
from latlab.core.store.references import load
from latlab.psci.campaign.publishing import publish_tf_a
from latlab.site.pages.files import MADE, read_digests
from support.command import latlab

TABLE = """
.. csv-table:: ``CPU_OFF`` latencies (ns) in serial
    :header: Cluster, Core, Powerdown, Wakeup, Cache Flush
    :file: {}
"""
ROWS = "0,0,100,20,5\n0,1,140,20,5\n"
FIGURES = "test_rt_instr_cpu_off_serial.csv"
LINE = "<RT_INSTR:test_rt_instr_cpu_off_serial\t0\t0\t100\t20\t5/>\n"


@pytest.fixture(name="folder")
def fixture_folder(tmp_path: Path) -> Path:
    """A folder with one good table, links of each kind, and a table outside that a link leads to."""
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "outside.csv").write_text(ROWS)
    (folder / "sub" / "good.csv").write_text(ROWS)
    for name, target in (("out", tmp_path / "outside.csv"), ("zero", "/dev/zero"), ("itself", "itself"), ("in", "sub/good.csv")):
        (folder / name).symlink_to(target)
    (folder / "up").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    return folder


@pytest.mark.parametrize("name", ["sub/good.csv", "in", "./sub/../sub/good.csv"])
def test_a_document_has_the_tables_beside_it(folder: Path, name: str) -> None:
    (folder / "page.rst").write_text(TABLE.format(name))
    assert len(load(str(folder / "page.rst")).samples) == 6


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("out", "outside of that folder"),
        ("zero", "outside of that folder"),
        ("/dev/zero", "outside of that folder"),
        ("../outside.csv", "outside of that folder"),
        ("up/outside.csv", "outside of that folder"),
        ("itself", "symbolic links"),
        ("pipe", "is no file"),
        ("sub", "is no file"),
    ],
)
def test_a_document_names_no_file_outside(folder: Path, name: str, why: str) -> None:
    """`/dev/zero` took all of the memory, a pipe was waited for, and any file of the machine was read."""
    (folder / "page.rst").write_text(TABLE.format(name))
    with pytest.raises(UsageError, match=f"page.rst:4: the table's file '{name}' cannot be read .*{why}"):
        load(str(folder / "page.rst"))


@pytest.mark.parametrize("target", ["/dev/zero", "../outside.json", "itself"])
def test_a_record_of_a_site_that_is_a_link_is_none(folder: Path, target: str) -> None:
    (folder.parent / "outside.json").write_text("{}")
    (folder / MADE).symlink_to(MADE if target == "itself" else target)
    with pytest.raises(UsageError, match=r"holds files and no site|cannot be read"):
        read_digests(folder)


def test_a_page_is_written_through_no_link(folder: Path) -> None:
    victim = folder.parent / "outside.csv"
    (folder / ".page.html.new").symlink_to(victim)
    (folder / "page.html").symlink_to(victim)
    write_beside(folder, "page.html", b"page").replace(folder / "page.html")
    assert (folder / "page.html").read_bytes() == b"page" and victim.read_text() == ROWS
    with pytest.raises(OSError, match="a link leads out of"):
        write_beside(folder, "up/more/page.html", b"page")
    assert not (folder.parent / "more").exists()


@pytest.mark.parametrize("target", ["/dev/zero", "../../outside.csv", "itself"])
def test_tables_that_are_links_are_refused_before_anything_is_written(folder: Path, target: str) -> None:
    (folder / "current").mkdir()
    (folder / "current" / FIGURES).symlink_to(FIGURES if target == "itself" else target)
    (folder / "console.log").write_text(LINE)
    with pytest.raises(DataError, match=r"cannot be read: .*(outside of that folder|symbolic links)"):
        publish_tf_a([folder / "console.log"], folder)
    assert (folder.parent / "outside.csv").read_text() == ROWS and not (folder / "previous").exists()


def test_a_log_that_never_ends_is_refused(folder: Path) -> None:
    with pytest.raises(LatlabError, match="without the end of a line"):
        publish_tf_a([folder / "zero"], folder)


@pytest.mark.parametrize("content", ["/dev/zero", "sparse"])
@pytest.mark.parametrize("verb", ["run psci --subject", "run psa --subject", "run calls --subject", "design run"])
def test_a_toml_file_that_never_ends_is_refused(folder: Path, verb: str, content: str) -> None:
    file = folder / "long.toml"
    if content == "sparse":  # no byte of it takes space
        with file.open("wb") as sparse:
            sparse.truncate(1 << 40)
    else:
        file.symlink_to(content)
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, limits[1]))
    try:
        done = latlab(*verb.split(), file, store=folder / "store.sqlite")
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    assert done.returncode == 2 and "more than 1 MiB" in done.stderr, done.stderr
