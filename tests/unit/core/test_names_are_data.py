# SPDX-License-Identifier: BSD-3-Clause
"""A name of a firmware, a board or a label does nothing wherever it is written."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console

from conftest import Latlab
from latlab.core.errors import DataError
from latlab.core.model.enums import Clock
from latlab.core.model.life import Head
from latlab.core.report.exports.junit import refused_junit
from latlab.core.report.page import Commands, Facts, Item, Items, Page, Paragraph, Section
from latlab.core.report.renderers import html, markdown, rst
from latlab.core.report.renderers import json as as_json
from latlab.core.report.renderers.terminal import print_page
from latlab.core.report.table import Table, words
from latlab.core.shown import LINES, shown, shown_cell
from latlab.runs.pages.listing import list_csv, list_lines
from latlab.site.pages.feed import FeedEntry
from latlab.site.pages.feed import document as feed
from support import synthetic

HIDDEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
HOSTILE = (
    "\x1b]0;title\x07",
    "\x1b[2J\x1b[31mred",
    "\x9b31m",
    "\x9d0;title\x9c",
    "a\u202ebc\u2066d",
    "x\r\ny",
    "=HYPERLINK(1)",
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(1)",
    "\t=1",
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "]]>",
    "\ud800",
    "\ufffe",
)
names = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(codec=None), min_size=1, max_size=30))


def acts(text: str, keep: str = "") -> list[str]:
    return [one for one in text if one not in keep and unicodedata.category(one) in HIDDEN]


@given(names)
def test_what_is_shown_is_printed_and_has_no_second_line(name: str) -> None:
    assert not acts(shown(name)) and not acts(shown(name, LINES), LINES)
    assert shown("µs, 12 %, naïve") == "µs, 12 %, naïve"


@given(names)
def test_a_name_does_nothing_in_any_form_of_a_page(name: str) -> None:
    table = Table(name, words(name, "B"), ((name, "b"),), notes=(name,))
    blocks = (Paragraph(name), Items((Item(name, (name,)),)), Facts(((name, name),)), Commands((name,)), table)
    page = Page(name, (name,), (Section(name, blocks),), name=name)
    for text in (html.document(page), markdown.document(page), rst.document(page), refused_junit(name, name, DataError(name))):
        assert not acts(text, LINES)
    screen = io.StringIO()
    print_page(Console(file=screen, width=100, color_system=None), page)
    assert not acts(screen.getvalue(), LINES)
    assert not acts(feed((FeedEntry(name, name, name, "a.html", "2026-01-01T00:00:00Z"),)), LINES)
    ET.fromstring(refused_junit(name, name, DataError(name)))
    ET.fromstring(feed((FeedEntry(name, name, name, "a.html", "2026-01-01T00:00:00Z"),)))


@given(names)
def test_a_list_shows_a_name_in_its_line_and_a_sheet_computes_none(name: str) -> None:
    head = Head("psci-1", "psci", "spans", "qemu", name, "2,4", Clock.TIME, name, "complete", "2026-01-01T00:00:00Z", 1, name)
    lines, _ = list_lines([head])
    assert len(lines) == 2 and not acts("".join(lines))
    (_, row) = csv.reader(io.StringIO(list_csv([head])))
    assert all(shown_cell(cell) == cell for cell in row)


@pytest.mark.parametrize("number", ["-12.5", "+3 %", "-4e-3", "1,000", "-"])
def test_a_number_stays_a_number_in_a_sheet(number: str) -> None:
    assert shown_cell(number) == number


@given(names.filter(lambda name: not acts(name) or all(unicodedata.category(one) != "Cs" for one in name)))
@example("\x7f")
def test_json_holds_the_very_name_and_shows_none_that_acts(name: str) -> None:
    document = as_json.document({"name": name})
    assert not acts(document, "\n") and json.loads(document)["name"] == name


def test_a_page_runs_no_script_but_its_own() -> None:
    document = html.document(Page("<script>alert(1)</script>", sections=(Section("</main><script>alert(2)</script>", ()),)))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', document)
    assert "default-src 'none'" in policy and re.search(r"script-src 'sha256-[^' ]+'(;| )", policy)
    assert "unsafe-inline" not in policy.partition("style-src")[0] and document.count("<script>") == 1


@pytest.mark.parametrize("nested", ["\x1b[\x1b[31mm", "\x1b]0;\x1b]0;a\x07\x07", "\x1b\x1b[0m[31m"])
def test_escapes_inside_escapes_in_a_boot_line_are_answered_in_a_sentence(latlab: Latlab, tmp_path: Path, nested: str) -> None:
    lines = synthetic.log(iterations=1, tests=("psci_version_parallel",))
    at = next(number for number, line in enumerate(lines) if "LLT1:BOOT" in line)
    for place in (0, 3, 9, len(lines[at]) - 2):
        broken = [*lines[:at], lines[at][:place] + nested + lines[at][place:], *lines[at + 1 :]]
        (tmp_path / "a.log").write_text("\n".join(broken), "utf-8")
        done = latlab("import", tmp_path / "a.log", "--clock", "time")
        assert done.returncode in (0, 2, 3) and "a fault in latlab" not in done.stderr, done.stderr
    (tmp_path / "a.log").write_text(lines[at][:9] + nested + lines[at][9:], "utf-8")
    done = latlab("import", tmp_path / "a.log", "--clock", "time")
    assert "a fault in latlab" not in done.stderr and done.returncode in (2, 3), done.stderr
