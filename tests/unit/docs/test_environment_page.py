# SPDX-License-Identifier: BSD-3-Clause
"""The page of environment variables has all that latlab and its CI scripts read, and no other of ours."""

from __future__ import annotations

import re

from support.places import ROOT

PAGE = (ROOT / "docs" / "reference" / "environment.md").read_text("utf-8")
READ = re.compile(r"[\"'$]\{?((?:LATLAB|LG)_[A-Z]+|NO_COLOR|TMPDIR)\b")
SOURCES = [*ROOT.glob("src/latlab/**/*.py"), *(path for path in ROOT.glob("ci/*") if path.is_file())]


def test_each_variable_that_is_read_is_on_the_page() -> None:
    read = {name for path in SOURCES for name in READ.findall(path.read_text("utf-8"))}
    named = {*re.findall(r"`([A-Z]+_[A-Z]+|TMPDIR)`", PAGE)}
    assert {"LATLAB_STORE", "LG_ENV", "LATLAB_TOKEN"} <= read
    assert read - named == set()
    assert {name for name in named - read if name.startswith("LATLAB_")} == set()
