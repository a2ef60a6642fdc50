# SPDX-License-Identifier: BSD-3-Clause
"""What the comparison of two stored runs comes to, in a few words: told once, and known the next time a site is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType

import msgspec

from latlab.core.comparison.by_kind import explain_pair
from latlab.core.comparison.comparison import Comparison
from latlab.core.comparison.findings import FunctionsMoved
from latlab.core.comparison.verdicts import Verdict
from latlab.core.model.life import Head
from latlab.core.report.comparison.sentences import summary
from latlab.core.report.redaction import Secrets
from latlab.core.store.comparisons import stored_comparisons
from latlab.core.store.inside import path_inside, write_beside
from latlab.core.store.store import Store
from latlab.site.campaign.board_summary import BoardSummary, summary_of_board
from latlab.site.campaign.measured import MeasuredThing, PublishedBoard

KEPT = "latlab-told.json"
MOST_TRIED = 20
"""Earlier runs: each that is refused is loaded once."""


class ComparisonSummary(msgspec.Struct, frozen=True):
    """`verdict` is empty where the runs are not compared, and `said` why; `functions` say what the change is made of where that was
    counted."""

    verdict: str
    said: str
    functions: str = ""


class Summaries(msgspec.Struct):
    """`boards` are by the references of their releases, `told` by two runs, `figures` by the run."""

    told: dict[str, ComparisonSummary] = {}
    boards: dict[str, BoardSummary] = {}
    figures: dict[str, str] = {}

    def add(self, others: Summaries) -> None:
        self.told |= others.told
        self.boards |= others.boards
        self.figures |= others.figures

    @property
    def is_empty(self) -> bool:
        return not (self.told or self.boards or self.figures)


class _Kept(msgspec.Struct):
    made_by: str
    summaries: Summaries


class SummaryCache:
    """`compare` compares two runs by their ids, which another store may have given to others: `place` is where this one is. With `redact`
    nothing that is told says whose machines they were on. `summaries` are there already, by the two ids."""

    def __init__(
        self,
        compare: Callable[[str, str], Comparison | str],
        redact: bool = True,
        folder: Path | None = None,
        place: str = "",
        summaries: Mapping[str, ComparisonSummary] = MappingProxyType({}),
    ) -> None:
        of_store = sha256(place.encode()).hexdigest()[:12]
        self._compare, self._made_by = compare, f"{version('latlab')} of {of_store}{' redacted' if redact else ''}"
        self._redact, self._folder = redact, folder
        self._all = Summaries(dict(summaries))
        self._all.add(self._read())
        self._new = Summaries()

    def of(self, a: str, b: str) -> ComparisonSummary:
        pair = f"{a} {b}"
        if pair not in self._all.told:
            self._all.told[pair] = self._new.told[pair] = self._tell(a, b)
        return self._all.told[pair]

    def board(self, board: PublishedBoard) -> BoardSummary:
        releases = " ".join(board.references)
        if releases not in self._all.boards:
            self._all.boards[releases] = self._new.boards[releases] = summary_of_board(board)
        return self._all.boards[releases]

    def figures(self, run: str, read: Callable[[str], str]) -> str:
        """The figures of a run as `read` makes them."""
        if run not in self._all.figures:
            self._all.figures[run] = self._new.figures[run] = read(run)
        return self._all.figures[run]

    def take_new(self) -> Summaries:
        """What was computed here since the last call, for another process to add."""
        new, self._new = self._new, Summaries()
        return new

    def add(self, summaries: Summaries) -> None:
        """What another process computed."""
        self._all.add(summaries)
        self._new.add(summaries)

    def pair(self, thing: MeasuredThing) -> tuple[Head, Head] | None:
        """The newest whole run, and the newest one before it that it is comparable with."""
        before = self.newest_comparable(thing.whole[:-1], thing.whole[-1]) if thing.whole else None
        return (before, thing.whole[-1]) if before else None

    def newest_comparable(self, earlier: Sequence[Head], last: Head) -> Head | None:
        """None if none of the newest runs of `earlier`, which are the oldest first, is comparable."""
        return next((head for head in reversed(earlier[-MOST_TRIED:]) if self.of(head.id, last.id).verdict), None)

    def keep(self, shown: frozenset[str] | None = None) -> None:
        """For the next site in this folder, with the figures of the `shown` runs; None is all. A kill in between, or a disk without room,
        costs time and nothing else."""
        if self._folder is None or self._new.is_empty:
            return
        figures = {run: text for run, text in self._all.figures.items() if shown is None or run in shown}
        ordered = Summaries(dict(sorted(self._all.told.items())), dict(sorted(self._all.boards.items())), dict(sorted(figures.items())))
        with suppress(OSError):
            ready = write_beside(self._folder, KEPT, msgspec.json.encode(_Kept(self._made_by, ordered)))
            ready.replace(self._folder / KEPT)
            self._new = Summaries()

    def _read(self) -> Summaries:
        """What another version told, or what is damaged, is told again."""
        if self._folder is None:
            return Summaries()
        try:
            stored = msgspec.json.decode(path_inside(self._folder, KEPT).read_bytes(), type=_Kept)
        except (OSError, ValueError, msgspec.MsgspecError):
            return Summaries()
        return stored.summaries if stored.made_by == self._made_by else Summaries()

    def _tell(self, a: str, b: str) -> ComparisonSummary:
        comparison = self._compare(a, b)
        if isinstance(comparison, str):
            return ComparisonSummary("", self._shown(comparison, None))
        return ComparisonSummary(
            comparison.verdict.word, self._shown(summary(comparison), comparison), self._shown(_functions(comparison), comparison)
        )

    def _shown(self, text: str, of: Comparison | None) -> str:
        return Secrets.of((of.a, of.b) if of else ()).hide(text) if self._redact else text


def summaries_of(store: Store) -> dict[str, ComparisonSummary]:
    """What this version has compared before, by the two ids. It is not redacted."""
    stored = stored_comparisons(store, version("latlab")).values()
    return {f"{pair.base} {pair.run}": ComparisonSummary(pair.verdict, pair.sentence, pair.cause) for pair in stored}


def _functions(comparison: Comparison) -> str:
    """The first sentence that names functions, where figures changed."""
    if comparison.verdict not in (Verdict.REGRESSED, Verdict.IMPROVED):
        return ""
    return next((explanation.sentence for explanation in explain_pair(comparison) if isinstance(explanation.finding, FunctionsMoved)), "")
