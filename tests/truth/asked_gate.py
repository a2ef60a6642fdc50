# SPDX-License-Identifier: BSD-3-Clause
"""What `latlab gate` and `latlab compare` answer on two documents: the command line in this process, as a user calls it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from support.command import Done, latlab
from truth.data_mutants import Mutant, farthest, mutated
from truth.exported import Document, figures_of, with_figures
from truth.mutated_kinds import DocumentPair


@dataclass
class Asked:
    """`folder` is where the two files and a store are for as long as they are asked about."""

    folder: Path

    def gate(self, base: Document, candidate: Document, *options: object) -> Done:
        return self._asked("gate", base, candidate, *options)

    def compare(self, base: Document, candidate: Document, *options: object) -> Done:
        return self._asked("compare", base, candidate, *options)

    def _asked(self, verb: str, base: Document, candidate: Document, *options: object) -> Done:
        files = [self.folder / "base.json", self.folder / "candidate.json"]
        for path, document in zip(files, (base, candidate), strict=True):
            path.write_text(json.dumps(document), encoding="utf-8")
        return latlab(verb, *files, *options, store=self.folder / "store.sqlite")


LEAST_SHOWN = 1.45
"""Where each core has a single sample, a position that moved by less is inconclusive: nothing shows what such a sample scatters by."""


@dataclass(frozen=True)
class Answer:
    """`ratio` is what the position that moved farthest moved by, infinite where cores have several samples."""

    mutant: Mutant
    exit_code: int
    first_line: str
    ratio: float

    @property
    def is_silent(self) -> bool:
        """Whether the gate passed, and did not say that something is inconclusive that a single sample cannot show."""
        is_told = self.ratio < LEAST_SHOWN and "inconclusive" in self.first_line
        return self.exit_code not in (1, 3) and not is_told


def answers(pair: DocumentPair, mutants: Iterable[Mutant], asked: Asked) -> Iterator[Answer]:
    base, candidate = pair
    figures = figures_of(base), figures_of(candidate)
    for mutant in mutants:
        before, after = mutated(mutant, *figures)
        done = asked.gate(with_figures(base, before), with_figures(candidate, after))
        yield Answer(mutant, done.returncode, (done.stdout or done.stderr).partition("\n")[0], farthest(before, after))


def passed(given: Iterable[Answer]) -> list[str]:
    """The mutants that a gate let pass without a word."""
    return [f"{answer.mutant.name}: exit {answer.exit_code}, {answer.first_line}" for answer in given if answer.is_silent]
