# SPDX-License-Identifier: BSD-3-Clause
"""A whole page of a performance guide, with its pictures."""

import re
import subprocess
import sys

import pytest

from latlab.cli.showing import write_guide
from latlab.formats.published import rst_tables
from latlab.store.references import load
from unit.report.test_report import make_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("guide")
    (place / "conf.py").write_text("project = 'guide'\n")
    write_guide(make_run(command=("qemu-system-aarch64", "-smp", "6")), place / "index.rst")
    return place


def test_the_page_has_the_parts_that_the_reference_documents_have(folder):
    text = (folder / "index.rst").read_text()
    titles = re.findall(r"^(\w+)\n-+$", text, re.MULTILINE)
    assert titles == ["Platform", "Method", "Procedure", "Results", "Commentary"]
    assert "   qemu-system-aarch64 -smp 6" in text
    assert "latlab, firmware/el3/platform/qemu\\_virt" in text


def test_every_picture_stands_beside_the_page_as_svg_and_png(folder):
    named = re.findall(r"figure:: (\S+)\.svg", (folder / "index.rst").read_text())
    assert len(named) > 4 and len(set(named)) == len(named)
    for name in named:
        assert (folder / f"{name}.svg").read_text().startswith("<svg")
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_sphinx_builds_the_page_without_a_warning(folder):
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", str(folder), str(folder / "out")]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr


def test_a_run_of_figures_alone_is_a_page_without_pictures_that_reads_back(tmp_path):
    run = load("published:tf-a/juno/v2.15")
    write_guide(run, tmp_path / "juno.rst")
    text = (tmp_path / "juno.rst").read_text()
    assert "figure::" not in text and not (tmp_path / "juno-img").exists()
    assert "1024 KiB for each cluster" in text and "underdrive" in text
    assert sum(len(table.figures) for table in rst_tables.parse(text).tables) == len(run.samples)


def test_a_platform_that_nobody_knows_has_no_section_of_its_own(tmp_path):
    write_guide(make_run(platform="my-board"), tmp_path / "index.rst")
    assert "Platform\n--------" not in (tmp_path / "index.rst").read_text()
