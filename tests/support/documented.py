# SPDX-License-Identifier: BSD-3-Clause
"""The commands that the pages show, in the order of the page: those that stand alone and those in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from support.places import ROOT

PAGES = sorted((ROOT / "README.md", *ROOT.glob("docs/**/*.md")))
SHOWN = re.compile(r"^(?:    |)(?:sudo |LATLAB_\w+=\S+ )*(latlab [a-z].*)$", re.MULTILINE)
INLINE = re.compile(r"`(latlab [a-z][^`]*)`")
FENCED = re.compile(r"```\n(.*?)```", re.DOTALL)
LEFT_OUT = re.compile(r"\.\.\.|…|COMMAND|VERB")


def shown(page: Path) -> Iterator[tuple[str, bool]]:
    """Each with whether it stands alone."""
    text = page.read_text("utf-8").replace("\\\n", " ")
    fences = [found.span(1) for found in FENCED.finditer(text)]
    alone = [one for one in SHOWN.finditer(text) if one[0].startswith("    ") or any(a <= one.start() < b for a, b in fences)]
    for one in sorted((*alone, *INLINE.finditer(text)), key=lambda found: found.start()):
        yield one[1].replace("\n", " ").split(" && ")[0].split(" | ")[0].split(" > ")[0].strip(), one.re is SHOWN


def commands(page: Path) -> Iterator[str]:
    return (command for command, _ in shown(page))
