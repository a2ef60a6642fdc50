# SPDX-License-Identifier: BSD-3-Clause
"""What is known by name and not read (src/latlab/catalog/refused_formats.toml), and lines in which a tool says that it failed."""

from __future__ import annotations

import re
import shlex
import tomllib
from functools import cache
from importlib import resources

from latlab.core.errors import DataError

FAILED = re.compile(
    r"^Tracer \w+ not found!|^Failed to \w+ |^FATAL: |\bterminated with an error\b|\bunsuccessful run\b|\bZEPHYR FATAL ERROR\b"
    r"|^Traceback \(most recent call last\):|^(?:Segmentation fault|Aborted|Killed|Bus error)(?: \(core dumped\))?\s*$"
    r"|^\S+: line \d+: +\d+ (?:Segmentation fault|Aborted|Killed|Bus error)\b"
)
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
    """The number and text of the first lines in which a tool says that it failed."""
    failed = [(number, line.strip()[:LONGEST]) for number, line in enumerate(text.split("\n"), 1) if FAILED.search(line)]
    return failed[:SHOWN]
