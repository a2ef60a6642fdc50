# SPDX-License-Identifier: BSD-3-Clause
"""What a site tells: the published releases of each board, and the runs of a store by what they measured."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise

from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.comparison import Comparison
from latlab.core.comparison.conditions import Identity
from latlab.core.comparison.history import Series, history
from latlab.core.errors import LatlabError
from latlab.core.lifecycle.loading import load_earlier
from latlab.core.lifecycle.material import load_run
from latlab.core.lifecycle.series import by_identity, names_of
from latlab.core.model.enums import RunStatus
from latlab.core.model.life import Head
from latlab.core.model.run import Run
from latlab.core.store.choice import ALL, Filter
from latlab.core.store.listing import heads
from latlab.core.store.references import load, published_references
from latlab.core.store.store import Store

RELEASE = re.compile(r"published:(?P<board>.+)/v(?P<major>\d+)\.(?P<minor>\d+)")
FIGURE = "cpu_off_serial/wakeup"
TOGETHER = ("wakeup", "powerdown", "cache_flush")


@dataclass(frozen=True)
class PublishedBoard:
    """What was published of a board, the oldest release first; `references` name them in the catalogue, which is read when it is asked."""

    name: str
    references: tuple[str, ...]

    @cached_property
    def releases(self) -> tuple[Run, ...]:
        return tuple(map(load, self.references))

    @property
    def steps(self) -> Iterator[tuple[str, str]]:
        return pairwise(self.references)

    @cached_property
    def history(self) -> tuple[Series, ...]:
        """All figures of each metric together."""
        return tuple(series for metric in TOGETHER for series in history(self.releases, f"*/{metric}"))

    @cached_property
    def figure(self) -> Series:
        return history(self.releases, FIGURE)[0]

    def compare(self, a: str, b: str) -> Comparison:
        by_reference = dict(zip(self.references, self.releases, strict=True))
        return compare(by_reference[a], by_reference[b])


def state_of(head: Head) -> str:
    return f"{head.id} {head.status} {head.samples} {head.label}"


@dataclass(frozen=True)
class MeasuredThing:
    """Runs that measured one thing, which are those of one identity, the oldest first. `name` tells it from all others."""

    runs: tuple[Head, ...]
    identity: Identity
    name: str

    @cached_property
    def whole(self) -> tuple[Head, ...]:
        return tuple(head for head in self.runs if head.status == RunStatus.COMPLETE)

    @cached_property
    def state(self) -> str:
        """Another text whenever a page of these runs would be another one."""
        return hashlib.sha256("\n".join(map(state_of, self.runs)).encode()).hexdigest()[:16]

    @property
    def place(self) -> str:
        """A part of a file's name that is the same in every build of the site, and tells no machine's name."""
        return f"{self.runs[-1].campaign}-{hashlib.sha256(repr(self.identity).encode()).hexdigest()[:8]}"


def compare_stored(store: Store, a: str, b: str) -> Comparison | str:
    """Two runs of a store compared, or why they are not."""
    try:
        before, after = (load_run(store, run) for run in (a, b))
        return compare(before, after, earlier=load_earlier(before, after, store.place))
    except LatlabError as error:
        return str(error)


def published_boards() -> tuple[PublishedBoard, ...]:
    """Boards of which three releases or more are in the catalogue."""
    named = (RELEASE.fullmatch(reference) for reference in published_references())
    releases = sorted((match["board"], int(match["major"]), int(match["minor"]), match[0]) for match in named if match)
    boards = [
        PublishedBoard(name, tuple(entry[-1] for entry in entries)) for name, entries in groupby(releases, key=lambda entry: entry[0])
    ]
    return tuple(board for board in boards if len(board.references) > 2)


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A run that is being made, and what its maker does at the moment, empty where it does not say."""

    head: Head
    phase: str


def under_way(store: Store, listed: Sequence[Head]) -> tuple[UnderWay, ...]:
    """Those of the listed runs that are being made, the newest first."""
    running = [head for head in reversed(listed) if head.status == RunStatus.RUNNING]
    phases = {life.run_id: life.phase for life in store.unfinished_runs()} if running else {}
    return tuple(UnderWay(head, phases.get(head.id, "")) for head in running)


def measured(store: Store, chosen: Filter = ALL) -> tuple[MeasuredThing, ...]:
    """One for each thing that was measured, the one with the newest run first. Runs under way are left out."""
    return things_of(heads(store, chosen))


def things_of(listed: Sequence[Head]) -> tuple[MeasuredThing, ...]:
    """The measured things of runs, which are the oldest first."""
    series = by_identity(head for head in listed if head.status in (RunStatus.COMPLETE, RunStatus.PARTIAL))
    names = names_of(series)
    ordered = sorted(series.items(), key=lambda entry: entry[1][-1].started_utc, reverse=True)
    return tuple(MeasuredThing(tuple(runs), identity, names[identity]) for identity, runs in ordered)
