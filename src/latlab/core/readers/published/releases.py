# SPDX-License-Identifier: BSD-3-Clause
"""Which release a document's tables are of, where their captions do not agree on what they call it, and which release is older."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from latlab.core.model.enums import ProblemKind
from latlab.core.model.run import Problem
from latlab.core.readers.published.printed_tables import Table

CURRENT, PREVIOUS = "current", "previous"
_AGE = {PREVIOUS: (2, 0), CURRENT: (2, 1), "latest": (2, 1)}
_YEAR = re.compile(r"(?:19|20)\d{2}", re.ASCII)
_VERSION = re.compile(r"v(\d{1,6}(?:\.\d{1,6})+)(.*)", re.ASCII)

Age = tuple[int | str, ...]


def age(release: str) -> Age | None:
    """Sorts releases by age: a year, numbered versions with candidates before them, previous, current. None: the name does not say it."""
    if _YEAR.fullmatch(release):
        return (0, int(release))
    version = _VERSION.fullmatch(release)
    if version:
        return (1, *map(int, version[1].split(".")), 1_000_000 if not version[2] else 0)
    return _AGE.get(release)


def words_of(release: str) -> str:
    """A release in a sentence."""
    return f"the {release} release" if release in _AGE else release or "the release"


def is_year(release: str) -> bool:
    """A set of historic figures, to which the deltas of numbered releases do not refer."""
    return bool(_YEAR.fullmatch(release))


def older(release: str, others: Sequence[str]) -> list[str]:
    """Those of the others that are known to be older, the nearest first; all of them where an age is not known. Years are left out."""
    numbered = [other for other in others if other != release and not is_year(other)]
    release_age = age(release)
    ages = {other: age(other) for other in numbered}
    if release_age is None or None in ages.values():
        return numbered
    return sorted((o for o, a in ages.items() if a is not None and a < release_age), key=lambda o: ages[o] or (), reverse=True)


def consolidated(tables: Sequence[Table]) -> tuple[list[Table], list[Problem]]:
    """The tables of one test that name numbered releases while all others of the document are of the current and the previous one.

    Such a caption was left behind when the figures moved on, or the only one that was not yet renamed: either way the tables are of the
    same two measurements as the others.
    """
    relative = {t.test for t in tables if t.release in (CURRENT, PREVIOUS)}
    if not relative:
        return list(tables), []
    renamed: dict[tuple[str, str], str] = {}
    for test in dict.fromkeys(t.test for t in tables if t.test not in relative):
        named = [r for r in dict.fromkeys(t.release for t in tables if t.test == test) if (age(r) or (0,))[0] == 1]
        newest_first = sorted(named, key=lambda r: age(r) or (), reverse=True)
        if len(newest_first) == 2:
            renamed |= {(test, newest_first[0]): CURRENT, (test, newest_first[1]): PREVIOUS}
    out = [replace(t, release=renamed.get((t.test, t.release), t.release)) for t in tables]
    return out, [_inferred_names(test, [r for t, r in renamed if t == test], tables) for test in dict.fromkeys(test for test, _ in renamed)]


def _inferred_names(test: str, named: Sequence[str], tables: Sequence[Table]) -> Problem:
    line = next(table.line for table in tables if table.test == test)
    message = f"inferred: {test} is captioned {' and '.join(named)}, the other tables current and previous release; it is taken as these"
    return Problem(line, message, ProblemKind.INFERRED)
