# SPDX-License-Identifier: BSD-3-Clause
"""What the documents say of the source tree is true of it."""

import re
from pathlib import Path

import pytest

from support.places import ROOT

PAGES = sorted(
    path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("firmware/**/*.md"))
)
FOLDERS = ("bench", "docs", "firmware", "guest", "probe", "scripts", "src", "tests")
NAMED = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]+)`")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")
GENERATED = {"docs/results/predictions-juno.rst", "docs/reference/commands.md"}
LICENCE = "SPDX-License-Identifier: BSD-3-Clause"
SOURCES = {".c", ".cmake", ".h", ".inc", ".ld", ".py", ".S", ".sh", ".toml"}
NAMED_SOURCES = {"CMakeLists.txt", "Kbuild", "init", "non_secure.ld.in", "secure.ld.in"}
DATA = ROOT / "tests" / "data"
OUR_FOLDERS = ("bench", "cmake", "firmware", "guest", "probe", "scripts", "src", "tests")


def without_code(text: str) -> str:
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_every_path_that_a_page_names_is_there(page: str) -> None:
    named = {path for path in NAMED.findall(without_code((ROOT / page).read_text("utf-8"))) if "NAME" not in path}
    assert sorted(path for path in named if not (ROOT / path).exists()) == []


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_to_a_file(page: str) -> None:
    folder = (ROOT / page).parent
    linked = {(folder / path).resolve() for path in LINK.findall(without_code((ROOT / page).read_text("utf-8")))}
    missing = {path.relative_to(ROOT).as_posix() for path in linked if not path.exists()}
    assert missing <= GENERATED


def names_its_licence(path: Path) -> bool:
    first, second, *_ = [*path.read_text("utf-8").splitlines()[:2], "", ""]
    return LICENCE in (second if first.startswith("#!") else first)


@pytest.mark.parametrize("page", PAGES)
def test_no_section_of_a_page_is_empty(page: str) -> None:
    """A heading is followed by text, or by a heading of a lower level."""
    text = re.sub(r"```.*?```", "code", (ROOT / page).read_text("utf-8"), flags=re.DOTALL)
    lines = [line for line in text.splitlines() if line.strip()]
    levels = [len(found[0]) if (found := re.match(r"#+(?= )", line)) else 0 for line in [*lines, "# the end"]]
    assert [line for at, line in enumerate(lines) if levels[at] and 0 < levels[at + 1] <= levels[at]] == []


def test_every_source_file_says_its_licence_first() -> None:
    files = [path for folder in OUR_FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file() and DATA not in path.parents]
    sources = [path for path in files if path.suffix in SOURCES or path.name in NAMED_SOURCES]
    assert len(sources) > 500
    assert [path.relative_to(ROOT).as_posix() for path in sources if not names_its_licence(path)] == []
