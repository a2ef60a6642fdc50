# SPDX-License-Identifier: BSD-3-Clause
"""The manual has seven parts, each a folder; a page outside of the results can be read in one sitting."""

from __future__ import annotations

import re
from collections import Counter

from support.places import ROOT

DOCS = ROOT / "docs"
PARTS = {
    "Start": "start",
    "Tutorials": "tutorials",
    "How-to": "howto",
    "Reference": "reference",
    "Explanation": "explanation",
    "Results": "results",
    "Project": "project",
}
WRITTEN_BY_SCRIPTS = {"results/predictions-juno", "reference/commands"}
MOST_WORDS = 3000
TREE = re.compile(r"^```\{toctree\}\n:caption: (?P<caption>.+)\n:maxdepth: 1\n\n(?P<pages>[^`]+)```$", re.MULTILINE)
PAGES = {path.relative_to(DOCS).with_suffix("").as_posix(): path for path in DOCS.rglob("*") if path.suffix in (".md", ".rst")}


def test_each_page_is_in_the_part_that_its_folder_names() -> None:
    trees = list(TREE.finditer((DOCS / "index.md").read_text("utf-8")))
    assert tuple(tree["caption"] for tree in trees) == tuple(PARTS)
    wrong = [page for tree in trees for page in tree["pages"].split() if page.partition("/")[0] != PARTS[tree["caption"]]]
    assert wrong == []
    listed = Counter(page for tree in trees for page in tree["pages"].split())
    assert set(listed) == set(PAGES) - {"index"} | WRITTEN_BY_SCRIPTS
    assert set(listed.values()) == {1}


def test_no_page_outside_of_the_results_is_too_long() -> None:
    words = {
        page: len(path.read_text("utf-8").split())
        for page, path in PAGES.items()
        if not page.startswith("results/") and page not in WRITTEN_BY_SCRIPTS
    }
    assert {page: count for page, count in words.items() if count > MOST_WORDS} == {}
