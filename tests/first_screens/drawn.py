# SPDX-License-Identifier: BSD-3-Clause
"""First screens of every kind, rendered by the command, with the exported JSON beside them: of stored runs, of published releases and of
drawn pairs whose truth is known."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

from first_screens.figures import Json
from first_screens.screen import FirstScreen, of_page, of_text
from latlab.core.errors import DataError
from latlab.core.store import run_json
from support.command import latlab
from support.every_kind import fill
from truth.draw import case_of
from truth.held import _made
from truth.parts import part_case_of, rt_part_case_of

NEVER_WRAPPED = "1000"
RELEASES = {
    "juno": ("v2.9", "v2.10", "v2.11", "v2.12", "v2.13", "v2.14", "v2.15"),
    "n1sdp": ("v2.9", "v2.10", "v2.11", "v2.12", "v2.13", "v2.14", "v2.15"),
}
TI = ("am62l/11.00", "am62l/12.00", "am62a/11.01", "am62p/12.00", "am64x/12.00")
FIGURES = (
    "susp_deep_parallel/cache_flush", "susp_deep_serial/wakeup", "susp_deep_serial/powerdown", "cpu_off_serial/wakeup",
    "cpu_susp_serial/powerdown", "psci_version_parallel/psci_call", "cpu_off_serial/cache_flush", "cpu_susp_parallel/wakeup",
)  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    """`name` says how to make it again, `text` is what was rendered, `documents` are what it is checked against."""

    name: str
    text: str
    documents: tuple[Json, ...]

    @property
    def screen(self) -> FirstScreen:
        return of_page(self.text) if self.text.lstrip().startswith("<!doctype") else of_text(self.text)


class Desk:
    """Renders with one store and keeps exported documents by their reference."""

    def __init__(self, store: str) -> None:
        self._store = store
        self._documents: dict[tuple[str, ...], Json] = {}

    def text(self, *arguments: str) -> str:
        """Empty for what is refused: a kind without that screen."""
        with patch.dict("os.environ", {"COLUMNS": NEVER_WRAPPED}):
            done = latlab(*arguments, store=self._store)
        return done.stdout if done.returncode in (0, 1, 3) else ""

    def document(self, *arguments: str) -> Json | None:
        if arguments not in self._documents:
            text = self.text(*arguments)
            self._documents[arguments] = json.loads(text) if text.startswith("{") else {}
        found = self._documents[arguments]
        return found or None

    def of_run(self, run: str, with_page: bool = True) -> Iterator[Drawn]:
        document = self.document("export", run, "--format", "json") or self.document("show", run, "--format", "json")
        if document is None:
            return
        for verb in ("show", "explain", *(["report"] if with_page else [])):
            if text := self.text(verb, run):
                yield Drawn(f"{verb} {run}", text, (document,))

    def of_pair(self, base: str, candidate: str, with_page: bool = True) -> Iterator[Drawn]:
        runs = [self.document("export", run, "--format", "json") for run in (base, candidate)]
        comparison = self.document("compare", base, candidate, "--format", "json")
        if comparison is None or runs[0] is None or runs[1] is None:
            return
        for verb in ("compare", "explain", *(["report"] if with_page else [])):
            if text := self.text(verb, base, candidate):
                yield Drawn(f"{verb} {base} {candidate}", text, (runs[0], runs[1], comparison))

    def of_history(self, figure: str, *runs: str) -> Iterator[Drawn]:
        document = self.text("history", figure, *runs, "--format", "json")
        if document.startswith("{"):
            for options in ((), ("--format", "html")):
                if text := self.text("history", figure, *runs, *options):
                    yield Drawn(f"history {figure} {' '.join(runs)}", text, (json.loads(document),))


def published(desk: Desk) -> Iterator[Drawn]:
    """Every release, every pair of releases of a board, and the history of each figure."""
    for board, releases in RELEASES.items():
        names = [f"published:tf-a/{board}/{release}" for release in releases]
        for name in names:
            yield from desk.of_run(name)
        for base, candidate in combinations(names, 2):
            yield from desk.of_pair(base, candidate)
            yield from desk.of_pair(candidate, base, with_page=False)
        for figure in FIGURES:
            yield from desk.of_history(figure, *names)
    for board in TI:
        yield from desk.of_run(f"published:ti/{board}")
    for first, second in combinations(TI, 2):
        yield from desk.of_pair(f"published:ti/{first}", f"published:ti/{second}")


def stored(desk: Desk, runs: Iterable[str]) -> Iterator[Drawn]:
    """Runs of a store, and each beside the next of its kind."""
    runs = list(runs)
    for run in runs:
        yield from desk.of_run(run)
    for base, candidate in pairwise(runs):
        yield from desk.of_pair(base, candidate)


def every_kind(place: Path) -> tuple[Desk, list[str]]:
    """A store with runs of every kind, and their ids."""
    fill(place)
    desk = Desk(str(place))
    listing = desk.text("ls").splitlines()
    return desk, [line.split()[0] for line in listing[1:] if "-" in line.split()[0]]


def of_truth(folder: Path, seed: int, with_page: bool = False) -> Iterator[Drawn]:
    """The runs of a drawn pair as files, and what the command says of them."""
    case: Any = (case_of, part_case_of, rt_part_case_of)[seed % 3](seed)
    before, after, _ = _made(case)
    files = []
    for name, run in (("base", before), ("candidate", after)):
        path = folder / f"{name}-{seed}.json"
        path.write_text(run_json.render(run), encoding="utf-8")
        files.append(str(path))
    desk = Desk("/dev/null/store")
    for file in files:
        yield from desk.of_run(file, with_page)
    try:
        yield from desk.of_pair(files[0], files[1], with_page)
    except DataError:
        return


__all__ = ["Desk", "Drawn", "every_kind", "of_truth", "published", "stored"]
