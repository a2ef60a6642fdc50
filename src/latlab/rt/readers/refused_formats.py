# SPDX-License-Identifier: BSD-3-Clause
"""What is known by name and not read (src/latlab/catalog/refused_formats.toml), and lines in which a tool says that it failed."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources

from latlab.core.errors import DataError

FAILED = re.compile(
    r"^Tracer \w+ not found!|^Failed to \w+ |^FATAL: |\bterminated with an error\b|\bunsuccessful run\b|\bZEPHYR FATAL ERROR\b"
    r"|^Traceback \(most recent call last\):|^(?:Segmentation fault|Aborted|Killed|Bus error)(?: \(core dumped\))?\s*$"
    r"|^\S+: line \d+: +\d+ (?:Segmentation fault|Aborted|Killed|Bus error)\b"
    r"|^[\w./-]+: (?:option '[^']+' (?:requires|doesn't allow) an argument|option '[^']+' is ambiguous|(?:unrecognized|invalid) option\b)"
    r"|^[\w./-]+: error: (?:unrecognized arguments|the following arguments are required|argument )"
)
TRACEBACK = "Traceback (most recent call last):"
SHOWN, LONGEST = 3, 80


@cache
def _formats() -> tuple[tuple[re.Pattern[str], str, str], ...]:
    rows = tomllib.loads((resources.files("latlab") / "catalog" / "refused_formats.toml").read_text(encoding="utf-8"))["format"]
    return tuple((re.compile(row["form"], re.MULTILINE), row["reason"], row["next_step"]) for row in rows)


def refused_format(text: str, place: str) -> DataError | None:
    """The refusal of a file that is known by name; None of any other."""
    for form, reason, next_step in _formats():
        if form.search(text):
            return DataError(str(reason), next_step.replace("{file}", shlex.quote(place)), place=place)
    return None


def failures(text: str) -> list[tuple[int, str]]:
    """The number and text of the first lines in which a tool says that it failed; of Python's traceback the exception below it."""
    lines = text.split("\n")
    failed = [number for number, line in enumerate(lines, 1) if FAILED.search(line)]
    places = (_raised(lines, number) if lines[number - 1].startswith(TRACEBACK) else number for number in failed[:SHOWN])
    return [(number, lines[number - 1].strip()[:LONGEST]) for number in places]


def _raised(lines: Sequence[str], title: int) -> int:
    """The number of the line with the exception; the title's if no traceback stands below it, or its end was cut off."""
    if title == len(lines) or not lines[title].startswith("  "):
        return title
    return next((number for number, line in enumerate(lines[title:], title + 1) if line and not line[0].isspace()), title)
