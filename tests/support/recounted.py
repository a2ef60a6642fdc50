# SPDX-License-Identifier: BSD-3-Clause
"""Holds what latlab says of a document against a recount by the second reader; by hand: `python tests/support/recounted.py FILE...`."""

from __future__ import annotations

import re
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path

from latlab.core.errors import LatlabError
from latlab.core.model.enums import ProblemKind
from latlab.core.model.run import Run
from latlab.core.readers.published import rst_tables
from latlab.core.readers.published import runs as published
from latlab.core.store.references import load
from support.plain_tables import PlainTable, plain_tables, recount

NS = {"us": 1000, "ns": 1, "": 1}
MOST_LINES = 20


def differences(document: Path) -> list[str]:
    """What latlab says of the document and the recount does not; empty where they agree."""

    def read(name: str) -> str:
        return (document.parent / name).read_text()

    tables = plain_tables(document.read_text(), read)
    releases = published.releases(rst_tables.parse(document.read_text(), read))
    found: list[str] = []
    for release in releases:
        run = _loaded(f"{document}#{release}" if len(releases) > 1 else str(document), found)
        if run is None:
            continue
        if len(run.problems) > MOST_LINES:
            found.append(f"{release}: {len(run.problems)} lines of problems")
        found += [f"{release}: {line}" for line in _figures(run, release, tables)]
        found += [f"{release}: {line}" for line in _deltas(run, release, releases, tables)]
    return found


def _loaded(reference: str, found: list[str]) -> Run | None:
    """A document is read, or refused with the sentence that tells how it can be: then it is read with that."""
    try:
        return load(reference)
    except LatlabError as error:
        if "--unit ns reads them so" not in str(error):
            found.append(f"{reference}: refused with {error}")
            return None
        return load(reference, "ns")


def _of(release: str, tables: list[PlainTable]) -> list[PlainTable]:
    """The tables that belong to a release as the run names it."""
    if release == "2017":
        return [t for t in tables if len(t.rows[0][0]) == 1]
    names = {release, f"{release} release", release.removeprefix("v")}
    if release in ("current", "previous"):
        numbered = sorted({t.release for t in tables if t.release[:1].isdigit()}, reverse=True)
        names |= set(numbered[:1] if release == "current" else numbered[1:2])
    paired = [t for t in tables if len(t.rows[0][0]) == 2]
    named = [t for t in paired if t.release in names]
    return named or [t for t in paired if not t.release]


def _figures(run: Run, release: str, tables: list[PlainTable]) -> list[str]:
    """Every printed figure is in the run, as often as it is printed in that test."""
    is_slip = any(t.unit == "us" and min(v for _, cells in t.rows for v, _ in cells) > 100 for t in _of(release, tables))
    printed = Counter(
        (t.test, value * (1 if is_slip else NS[t.unit])) for t in _of(release, tables) for _, cells in t.rows for value, _ in cells
    )
    read = Counter((s.test, Decimal(s.value_ticks) * Decimal(str(run.tick.value))) for s in run.samples)
    return [
        f"{key}: printed {printed[key]} times, read {read[key]} times" for key in printed.keys() | read.keys() if printed[key] != read[key]
    ]


def _deltas(run: Run, release: str, releases: list[str], tables: list[PlainTable]) -> list[str]:
    numbered = [name for name in releases if name != "2017"]
    said = {
        kind: sum(max(len(p.details), 1) for p in run.problems if p.kind is kind)
        for kind in (ProblemKind.MISPRINTED_DELTA, ProblemKind.DELTA_WITHOUT_BASE)
    }
    newest = max(numbered, key=lambda name: (name == "current", [int(n) for n in re.findall(r"\d+", name)]), default="")
    if len(numbered) < 2 or release != newest:
        return [f"something is said of deltas whose base is not here: {said}"] if any(said.values()) else []
    base = next(name for name in numbered if name != newest)
    own_tables = [PlainTable(t.line, t.test, "new", "", t.rows) for t in _of(release, tables)]
    base_tables = [PlainTable(t.line, t.test, "old", "", t.rows) for t in _of(base, tables)]
    cells = list(recount([*own_tables, *base_tables], "new", "old"))
    named_twice = any(len({labels for labels, _ in t.rows}) < len(t.rows) for t in own_tables)
    right = sum(position if named_twice else own for *_, own, position in cells)
    by_row = 0 if named_twice else sum(not own and position for *_, own, position in cells)
    rest = len(cells) - right - by_row
    expected = {
        ProblemKind.MISPRINTED_DELTA: by_row,
        ProblemKind.DELTA_WITHOUT_BASE: rest,
    }
    return [f"said {said}, recounted {expected} of {len(cells)}"] if said != expected else []


if __name__ == "__main__":
    failed = {name: lines for name in sys.argv[1:] if (lines := differences(Path(name)))}
    for name, lines in failed.items():
        print(name, *lines, sep="\n    ")
    print(f"{len(sys.argv) - 1} documents, {len(failed)} differ")
    sys.exit(bool(failed))
