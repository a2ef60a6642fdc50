# SPDX-License-Identifier: BSD-3-Clause
"""The check of the documents' prose: each kind of finding where it is, and nothing in code."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import prose
import shown_strings
from shown_strings import Shown

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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2 thefts of 3 µs", "write 'time in firmware' instead of 'thefts'"),
        ("steal time per second", "write 'time in firmware' instead of 'steal time per second'"),
        ("in the regime", "write 'counter behaviour' instead of 'regime'"),
        ("over 3 cell…", "write 'data point' instead of 'cell'"),
        ("all are equal but for one", "write 'except' instead of 'but for'"),
        (LONG, "26 words in a sentence, 25 at most: word word word word word word word word ..."),
        (f"… {LONG[5:]}", "26 words in a sentence, 25 at most: … word word word word word word word ..."),
    ],
)
def test_a_finding_in_a_shown_string_says_what_to_write(text: str, message: str) -> None:
    assert [finding.message for finding in prose.shown_findings(Shown(Path("a.py"), 3, text), RULES)] == [message]


def test_code_and_kept_words_of_a_shown_string_are_no_findings() -> None:
    kept = Shown(Path("a.py"), 3, "`latlab tell` works with a board of a labgrid place")
    assert list(prose.shown_findings(kept, RULES)) == []


def test_the_strings_that_a_user_sees_are_found_and_no_others() -> None:
    source = '''
"""A docstring is not shown."""
import re
TITLES = {"a key of two": "The title", "key": "one"}
Option = Annotated[str, typer.Option(help="Keeps it.")]
def verb(n: Annotated[int, 3]):
    """What the verb does."""
def run(path, n):
    """Nor is this one."""
    if path == "a compared text":
        raise UsageError(f"{path}: no {'first ' 'line'} of {n} cell{'s' * (n != 1)}" " is whole")
    re.compile("a b c")
    return words("Core", "key"), "name", "for x; do y; done >/dev/null", rows["of two"]
'''
    assert [text for _, text in shown_strings.strings_of(source)] == [
        "The title",
        "Keeps it.",
        "What the verb does.",
        "…: no … of … cell… is whole",
        "first line",
        "Core",
        "key",
    ]


def test_strings_are_collected_from_every_room() -> None:
    rooms = {shown.path.parts[2] for shown in shown_strings.shown_strings(prose.ROOT)}
    assert {"benchmarks", "calls", "catalog", "commits", "core", "experiments", "psa", "psci", "rt", "runs", "site", "virtual"} <= rooms
    assert [room for room in RULES["shown"]["rooms"] if not (prose.ROOT / room).exists()] == []
