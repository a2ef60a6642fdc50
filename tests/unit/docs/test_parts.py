# SPDX-License-Identifier: BSD-3-Clause
"""The manual has seven parts, and each page is in one of them."""

from __future__ import annotations

import re
from collections import Counter

from support.places import ROOT

PARTS = ("Start", "Tutorials", "How-to", "Reference", "Explanation", "Results", "Project")
WRITTEN_BY_SCRIPTS = {"predictions-juno"}
TREE = re.compile(r"^```\{toctree\}\n:caption: (?P<caption>.+)\n:maxdepth: 1\n\n(?P<pages>[^`]+)```$", re.MULTILINE)


def test_each_page_is_in_one_of_the_seven_parts() -> None:
    trees = list(TREE.finditer((ROOT / "docs/index.md").read_text("utf-8")))
    assert tuple(tree["caption"] for tree in trees) == PARTS
    listed = Counter(page for tree in trees for page in tree["pages"].split())
    pages = {path.stem for path in (ROOT / "docs").iterdir() if path.suffix in (".md", ".rst")} - {"index"} | WRITTEN_BY_SCRIPTS
    assert set(listed) == pages and set(listed.values()) == {1}
