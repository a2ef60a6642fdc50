# SPDX-License-Identifier: BSD-3-Clause
"""Many generated cases in one process: each by its number, so that one that fails can be made again alone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from random import Random

from support.every_kind import checkout, fill
from support.generated_commands import SLOW, Verb, asked, fault_of_asked, lay_out, verbs
from support.generated_files import fault_of_written, write, written
from support.generated_rows import OFTEN, damage, fault_of_damage, ids_of, inflict, without_rules
from support.nothing_starts import Answer, answer, nothing_starts

SAID = 1500  # characters of a fault


class Bench:
    """The files and the store of every case are as the first case found them."""

    def __init__(self, folder: Path, started: list[str]) -> None:
        self._started = started
        self.work, self.place = folder / "work", folder / "store.sqlite"
        self.work.mkdir()
        lay_out(self.work)
        self._known = set(os.listdir(self.work))
        self._files = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in self.work.iterdir() if path.is_file()}
        fill(self.place)
        self.ids = ids_of(self.place)
        self.store = without_rules(self.place)
        self._clean: dict[tuple[str, ...], Answer] = {}

    @cached_property
    def verbs(self) -> list[Verb]:
        return [verb for verb in verbs() if verb.words not in SLOW]

    def ask(self, arguments: Sequence[str], is_fresh: bool = True) -> Answer:
        for name in set(os.listdir(self.work)) - self._known - {"subject.toml", "site"}:
            path = self.work / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path, (data, stamp) in self._files.items():
            if not path.is_file() or path.stat().st_mtime_ns != stamp:
                path.write_bytes(data)
                self._files[path] = data, path.stat().st_mtime_ns
        if is_fresh:
            self.place.write_bytes(self.store)
        return answer(arguments, self.place, self._started)

    def undamaged(self, arguments: tuple[str, ...]) -> Answer:
        if arguments not in self._clean:
            self._clean[arguments] = self.ask(arguments)
        return self._clean[arguments]


@contextmanager
def bench(folder: Path) -> Iterator[Bench]:
    before = Path.cwd()
    with nothing_starts(folder) as started:
        made = Bench(folder, started)
        os.chdir(made.work)
        try:
            with checkout(folder / "checkout"):
                yield made
        finally:
            os.chdir(before)


def faults_of_commands(found: Bench, numbers: Iterable[int]) -> Iterator[str]:
    for number in numbers:
        case = asked(Random(number), found.verbs)
        if fault := fault_of_asked(case, found.ask(case.arguments), found.ask):
            yield _told(number, case.arguments, fault)


def faults_of_files(found: Bench, numbers: Iterable[int]) -> Iterator[str]:
    for number in numbers:
        case = written(Random(number))
        write(found.work, case)
        if fault := fault_of_written(case, found.ask(case.arguments)):
            yield _told(number, (*case.arguments, case.data.decode("utf-8", "replace")[:SAID]), fault)


def faults_of_rows(found: Bench, numbers: Iterable[int], through: Sequence[tuple[str, ...]] = OFTEN) -> Iterator[str]:
    for number in numbers:
        random = Random(number)
        case = damage(random, found.ids, through)
        found.place.write_bytes(found.store)
        inflict(found.place, case, random)
        if fault := fault_of_damage(case, found.ask(case.arguments, is_fresh=False), found.undamaged):
            yield _told(number, (*case.arguments, case.table, case.column, repr(case.value)[:80]), fault)


def _told(number: int, what: Sequence[str], fault: str) -> str:
    return f"case {number}: {' '.join(map(repr, what))[:SAID]}: {fault[-SAID:]}"
