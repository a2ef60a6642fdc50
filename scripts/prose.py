# SPDX-License-Identifier: BSD-3-Clause
"""All pages and shown strings against docs/project/style.md: words with a plainer one, long sentences, in pages proselint's own checks.

Usage: scripts/prose.py [PAGE...]. Without a page it checks all pages and rooms of scripts/words.toml. Prints a line for each finding, and
ends with 1 if there is one. `scripts/prose.py --strings` prints every string of src/latlab that a user can see.
"""

from __future__ import annotations

import itertools
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from proselint.checks import __register__ as PROSELINT
from proselint.registry import CheckRegistry
from proselint.registry.checks import Check
from proselint.registry.checks.types import PreferredForms
from proselint.tools import LintFile

from shown_strings import FIELD, Shown, shown_strings

ROOT = Path(__file__).parents[1]
RULES = Path(__file__).with_name("words.toml")
CODE = re.compile(r"`[^`]*`")
ADDRESS = re.compile(r"\]\([^)]*\)")
SENTENCE_END = re.compile(r"[.!?][)*]*\s+(?=[A-Z`\[*]|latlab\b)")
WORD = re.compile(rf"\S*[\w{FIELD}]\S*")
OUTPUT_END = re.compile(r"[.!?]\s+|\n")
OURS = "latlab"
MOST_FINDINGS = 10_000


@dataclass(frozen=True, slots=True)
class Finding:
    line: int
    message: str


def prose_of(text: str) -> str:
    """The page with as many lines, without its code and addresses; inline code becomes the name X."""
    lines = text.split("\n")
    for token in MarkdownIt().parse(text):
        if token.type in ("fence", "code_block", "html_block") and token.map:
            lines[slice(*token.map)] = [""] * (token.map[1] - token.map[0])
    return ADDRESS.sub("]", CODE.sub("X", "\n".join(lines)))


def long_sentences(text: str, most: int) -> Iterator[Finding]:
    """Of paragraphs and list items; a table's cell is no sentence."""
    tokens = MarkdownIt().enable("table").parse(text)
    for before, token in itertools.pairwise(tokens):
        if token.type != "inline" or token.map is None or before.type in ("td_open", "th_open"):
            continue
        for sentence in SENTENCE_END.split(ADDRESS.sub("]", CODE.sub("X", token.content))):
            words = len(WORD.findall(sentence))
            if words > most:
                yield Finding(token.map[0] + 1, f"{words} words in a sentence, {most} at most: {' '.join(sentence.split()[:8])} ...")


def register(instead: dict[str, str]) -> None:
    """proselint's own checks and ours, once in a process: its registry is one for all."""
    checks = CheckRegistry()
    if not checks.checks:
        checks.register_many(PROSELINT)
        checks.register(Check(check_type=PreferredForms(items=instead), path=OURS, message="write {0!r} instead of {1!r}"))


def findings(text: str, rules: dict[str, Any]) -> list[Finding]:
    """In the order of the lines."""
    register(rules["instead"])
    are_on = {check.path: check.path.split(".")[0] not in rules["off"] for check in CheckRegistry().checks}
    linted = LintFile("page", prose_of(text)).lint({"max_errors": MOST_FINDINGS, "checks": are_on})
    words = [Finding(result.pos[0], result.check_result.message) for result in linted]
    return sorted((*words, *long_sentences(text, rules["words_per_sentence"])), key=lambda finding: finding.line)


def pages_of(patterns: Sequence[str]) -> list[str]:
    """Each page once, by its path in the tree."""
    return sorted({path.relative_to(ROOT).as_posix() for pattern in patterns for path in ROOT.glob(pattern)})


def shown_findings(shown: Shown, rules: dict[str, Any]) -> Iterator[Finding]:
    """Of one string: words with a plainer one, and sentences with too many words, of which the field of an f-string is one."""
    text = CODE.sub(FIELD, shown.text)
    prose = text
    for pattern in rules["shown"]["keep"]:
        prose = re.sub(pattern, FIELD, prose)
    for pattern, instead in (rules["instead"] | rules["shown"]["instead"]).items():
        for match in re.finditer(rf"\b(?:{pattern})\b", prose, re.IGNORECASE):
            yield Finding(shown.line, f"write {instead!r} instead of {match[0]!r}")
    for sentence in OUTPUT_END.split(text):
        words = len(WORD.findall(sentence))
        if words > rules["words_per_sentence"]:
            yield Finding(
                shown.line, f"{words} words in a sentence, {rules['words_per_sentence']} at most: {' '.join(sentence.split()[:8])} ..."
            )


def check_strings(rules: dict[str, Any]) -> int:
    """The strings of the rooms that keep the rules."""
    code = 0
    rooms = tuple(rules["shown"]["rooms"])
    for shown in shown_strings(ROOT):
        if str(shown.path).startswith(rooms):
            for finding in shown_findings(shown, rules):
                print(f"{shown.path}:{finding.line}: {finding.message}")
                code = 1
    return code


def print_strings() -> None:
    for shown in shown_strings(ROOT):
        print(f"{shown.path}:{shown.line}: {shown.text!r}")


def main(arguments: Sequence[str]) -> int:
    if "--strings" in arguments:
        print_strings()
        return 0
    rules = tomllib.loads(RULES.read_text("utf-8"))
    code = 0 if arguments else check_strings(rules)
    for page in arguments or pages_of(rules["pages"]):
        for finding in findings((ROOT / page).read_text("utf-8"), rules):
            print(f"{page}:{finding.line}: {finding.message}")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
