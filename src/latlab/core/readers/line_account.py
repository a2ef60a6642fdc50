# SPDX-License-Identifier: BSD-3-Clause
"""Whose each line of a file is: of the tool whose output is read, of another tool, or of none that is known. Blank lines are nobody's and
are not counted."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from latlab.core.errors import DataError

Forms = tuple[re.Pattern[str], ...]
"""Every form of line that a tool prints, with a figure or without."""
LETTER = re.compile(r"[A-Za-z]")
MESSAGE = re.compile(r"^(?:WARN|WARNING|FATAL|ERROR|INFO|DEBUG): ?|^[Cc]ould not ")
"""What many programs print: of a tool's own file it is the tool's, elsewhere it proves nothing."""
SHOWN = 60


@cache
def _printed() -> Mapping[str, list[str]]:
    return tomllib.loads((resources.files("latlab") / "catalog" / "printed_lines.toml").read_text(encoding="utf-8"))


def printed_lines(reader: str) -> Forms:
    """What this reader's tools print beside their figures (src/latlab/catalog/printed_lines.toml)."""
    return tuple(map(re.compile, _printed()[reader]))


@dataclass(frozen=True, slots=True)
class LineAccount:
    """How many lines are whose. A group that has none has no first line."""

    of_tool: int
    others: Mapping[str, int]
    unknown: int
    first_of: Mapping[str, int]
    first_unknown: tuple[int, str] = (0, "")

    @property
    def total(self) -> int:
        return self.of_tool + sum(self.others.values()) + self.unknown


def second_run(place: str, first: int, second: int, tool: str, why: str) -> DataError:
    """For a file with two runs of a tool: neither is the file's."""
    return DataError(
        f"a second run of {tool} ({why}), the first is at line {first}", "put each run into a file of its own", place=f"{place}:{second}"
    )


def account_of(text: str, own_forms: Forms, others: Callable[[], Iterable[tuple[str, Forms]]], inside: range | None = None) -> LineAccount:
    """A line that the tool itself could have printed is its own. `inside` are the lines, from 1, of an object that is the tool's as a
    whole. A line without a letter proves no other tool; `others` are asked for where a line is not the tool's."""
    own_lines, others_lines = _own_and_rest(text, own_forms, inside)
    forms = [(name, tuple(form for form in lines if form is not MESSAGE)) for name, lines in others()] if others_lines else []
    counted, first_of = dict[str, int](), dict[str, int]()
    unknown, first_unknown = 0, (0, "")
    for number, line in others_lines:
        if LETTER.search(line) and (name := next((name for name, lines in forms if _is_of(line, lines)), "")):
            counted[name] = counted.get(name, 0) + 1
            first_of.setdefault(name, number)
        else:
            unknown += 1
            first_unknown = first_unknown if first_unknown[0] else (number, line.strip()[:SHOWN])
    return LineAccount(own_lines, counted, unknown, first_of, first_unknown)


def _own_and_rest(text: str, own_forms: Forms, inside: range | None) -> tuple[int, list[tuple[int, str]]]:
    """How many lines are the tool's, and every other one with its number. The form of the line before comes first, as most lines of a long
    file are alike."""
    count, others_lines = 0, []
    forms = list(own_forms)
    for number, line in enumerate(text.split("\n"), 1):
        if not line or line.isspace():
            continue
        if inside is not None and number in inside:
            count += 1
            continue
        index = next((place for place, form in enumerate(forms) if form.search(line)), None)
        if index is None:
            others_lines.append((number, line))
            continue
        forms.insert(0, forms.pop(index))
        count += 1
    return count, others_lines


def sentence(tool: str, account: LineAccount) -> str:
    """The account for a reader."""
    parts = [f"{account.of_tool} of {tool}"]
    parts += [f"{count} of {name} (from line {account.first_of[name]})" for name, count in account.others.items()]
    if account.unknown:
        parts.append(f"{account.unknown} of no known tool (from line {account.first_unknown[0]}: {account.first_unknown[1]!r})")
    return "; ".join(parts)


def _is_of(line: str, forms: Forms) -> bool:
    return any(form.search(line) for form in forms)
