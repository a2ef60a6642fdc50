# SPDX-License-Identifier: BSD-3-Clause
"""Lines of runs that a figure is followed over: loaded one after the other, so that a store may hold more than fits into memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from latlab.core.comparison.history import Series, history
from latlab.core.comparison.verdicts import Limits
from latlab.core.errors import UsageError
from latlab.core.kinds.registry import has_figures
from latlab.core.lifecycle.material import load_run
from latlab.core.lifecycle.series import by_identity, names_of
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Run, Spans
from latlab.core.model.work_progress import part_of
from latlab.core.store.choice import Filter
from latlab.core.store.listing import heads
from latlab.core.store.store import Store


@dataclass(frozen=True, slots=True)
class Line:
    """Runs of one measured thing, the oldest first."""

    count: int
    load: Callable[[], Sequence[Run]]

    @classmethod
    def of(cls, runs: Sequence[Run]) -> Line:
        """Of runs that are loaded."""
        return cls(len(runs), lambda: runs)


def matching_lines(store: Store, chosen: Filter) -> dict[str, Line]:
    """By the name of each measured thing that has two wanted runs or more. Only complete runs are taken, unless a status is wanted. Runs of
    a kind without figures are left out where there are others. Raises UsageError if there is no such thing."""
    matching = heads(store, replace(chosen, status=chosen.status or RunStatus.COMPLETE.value))
    with_figures = [head for head in matching if has_figures(head.kind)]
    series = by_identity(with_figures or matching)
    names = names_of(series)
    lines = {names[identity]: _stored(store, [head.id for head in runs]) for identity, runs in series.items() if len(runs) > 1}
    if not lines:
        count = sum(map(len, series.values()))
        message = f"a history needs two complete runs of one series at least, {count} match"
        raise UsageError(message, "use `latlab ls` with the same options")
    return lines


def _stored(store: Store, ids: Sequence[str]) -> Line:
    return Line(len(ids), lambda: [load_run(store, run) for run in ids])


def histories(lines: Mapping[str, Line], figure: str, limits: Limits, across: frozenset[str]) -> tuple[tuple[Series, ...], tuple[str, ...]]:
    """The series of a figure over each line, and the lines without it. Their points' runs have no samples.

    Raises UsageError if a line has one run, or none has the figure; NotComparable as `history` does."""
    fewest = min(line.count for line in lines.values())
    if fewest < 2:
        raise UsageError(f"a history needs two runs at least, there is {fewest}", "name another")
    series: list[Series] = []
    refusals: dict[str, UsageError] = {}
    done, total = 0, sum(line.count - 1 for line in lines.values())
    for name, line in lines.items():
        try:
            with part_of(done, total):
                of_line = history(line.load(), figure, limits, across)
        except UsageError as error:
            refusals[name] = error
        else:
            series += (_without_samples(followed, f" of {name}" if len(lines) > 1 else "") for followed in of_line)
        done += line.count - 1
    if not series:
        raise next(iter(refusals.values()))
    return tuple(series), tuple(refusals)


def _without_samples(series: Series, of_line: str) -> Series:
    points = tuple(replace(point, run=replace(point.run, contents=Spans())) for point in series.points)
    return replace(series, path=f"{series.path}{of_line}", points=points)
