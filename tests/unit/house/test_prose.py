# SPDX-License-Identifier: BSD-3-Clause
"""The check of the documents' prose: each kind of finding where it is, and nothing in code."""

from __future__ import annotations

import tomllib

import pytest

import prose

RULES = tomllib.loads(prose.RULES.read_text("utf-8"))
LONG = " ".join(["word"] * 26) + "."


def found(text: str) -> list[tuple[int, str]]:
    return [(finding.line, finding.message) for finding in prose.findings(text, RULES)]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("# Page\n\nAll are equal but for\none change.", 3, "write 'except' instead of 'but for'"),
        ("Each\nchange of world is counted.", 2, "write 'world switch' instead of 'change of world'"),
        ("- A lap.\n", 1, "write 'trace-buffer wrap' instead of 'lap'"),
        ("| a | b |\n|---|---|\n| a | Whoever |\n", 3, "write 'the noun that is meant' instead of 'Whoever'"),
        (f"Short.\n\n{LONG}", 3, "26 words in a sentence, 25 at most: word word word word word word word word ..."),
    ],
)
def test_a_finding_says_its_line_and_what_to_write(text: str, line: int, message: str) -> None:
    assert found(text) == [(line, message)]


@pytest.mark.parametrize(
    "text",
    [
        "Run it:\n\n    make lap but for\n",
        "```\nbut for\n```\n",
        "The option `--lap` and [a page](lap.md).\n",
        f"| a |\n|---|\n| {LONG} |\n",
        LONG.replace("word word.", "end. Word."),
        LONG.replace("word word.", "end. latlab."),
        "**Title.** " + LONG.replace("word word ", "Word ", 1),
        "A `call` with a lapse.\n",
    ],
)
def test_code_addresses_and_tables_are_no_sentences(text: str) -> None:
    assert found(text) == []


def test_every_page_is_held_once() -> None:
    pages = prose.pages_of(RULES["pages"])
    assert {"README.md", "docs/index.md", "docs/howto/ci.md"} <= set(pages) and len(pages) == len(set(pages)) > 60
