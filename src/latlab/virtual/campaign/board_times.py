# SPDX-License-Identifier: BSD-3-Clause
"""What the instructions by which two runs differ take on a board whose releases were published and counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from latlab.core.comparison.class_views import Span, check_classes, classes_of
from latlab.core.errors import UsageError
from latlab.core.model.enums import InstructionClass
from latlab.core.model.run import Run
from latlab.core.readers.platform_facts import facts_of
from latlab.core.readers.release_counts import counts_of
from latlab.core.store.references import load, published_references
from latlab.virtual.analysis.class_costs import BY_SET_AND_WAY, ClassCost, ClassFit, fit_classes


@dataclass(frozen=True, slots=True)
class BoardTime:
    """A span of two runs: instructions by group that the second has more, and what these take. None where flushes by set and way differ,
    of which the board's releases say nothing."""

    span: Span
    moved: tuple[float, ...]
    time_ns: float | None
    low_ns: float
    high_ns: float


@dataclass(frozen=True, slots=True)
class BoardCosts:
    """What an instruction takes on a board of the catalogue."""

    board: str
    fit: ClassFit

    @property
    def processors(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(cost.processor for cost in self.fit.costs))

    def between(self, a: Run, b: Run) -> tuple[BoardTime, ...]:
        """Spans of which instructions differ. Raises UsageError for runs without classes or of a processor that was not fitted."""
        for run in (a, b):
            check_classes(run)
            if run.conditions.processor not in self.processors:
                raise self.no_other(f"{run.id} was counted", [run.conditions.processor or ""])
        if a.conditions.processor != b.conditions.processor:
            raise UsageError(f"{a.id} and {b.id} were counted on two processors", "measure both on one")
        costs = [cost for cost in self.fit.costs if cost.processor == a.conditions.processor]
        before, after = classes_of(a), classes_of(b)
        times = (_time(span, before[span], after[span], self.fit, costs) for span in before if span in after)
        return tuple(board_time for board_time in times if any(board_time.moved))

    def basis(self, a: Run, b: Run) -> str:
        """What the times of two runs rest on, and what they cannot hold."""
        return f"{self.fit.basis}; {caveat(a, b)}"

    def no_other(self, subject: str, processors: Sequence[str]) -> UsageError:
        """What was counted on none of the board's processors, for raise."""
        on = " and ".join(processor or "an unknown processor" for processor in dict.fromkeys(processors))
        return UsageError(f"{subject} on {on}, and {self.board} has {' and '.join(self.processors)}")


def costs_of(board: str) -> BoardCosts:
    """By every counted release of the board. Raises UsageError for a board without any."""
    by_commit = {
        commit: load(name) for name in reversed(published_references()) if _of(name) == board and (commit := _counted_commit(name))
    }
    if not by_commit:
        boards = sorted({_of(name) for name in published_references() if _counted_commit(name)})
        raise UsageError(f"--board {board}: no release of it was published and counted; there are {', '.join(boards)}", value=board)
    return BoardCosts(board, fit_classes(list(reversed(by_commit.values()))))


def caveat(a: Run, b: Run) -> str:
    """What the times cannot hold; more of it where no core of either run fetched outside of the caches."""
    fetches = (InstructionClass.UNCACHED_FETCH, InstructionClass.UNCACHED_BRANCH)
    if any(counts.get(instruction_class) for run in (a, b) for counts in classes_of(run).values() for instruction_class in fetches):
        return "it leaves out effects that are not counted"
    return (
        "it leaves out effects that are not counted. Nothing was fetched outside of the caches here. A board that wakes a core by a reset "
        "does that, and changes in those fetches are counted as fetches in the caches"
    )


def _time(
    span: Span, old: Mapping[InstructionClass, float], new: Mapping[InstructionClass, float], fit: ClassFit, costs: Sequence[ClassCost]
) -> BoardTime:
    moved = tuple(sum(new.get(name, 0.0) - old.get(name, 0.0) for name in members) for members in fit.groups.values())
    is_told = new.get(BY_SET_AND_WAY, 0.0) == old.get(BY_SET_AND_WAY, 0.0)
    ends = [sorted((cost.low_ns * count, cost.high_ns * count)) for cost, count in zip(costs, moved, strict=True)]
    time_ns = sum(cost.value_ns * count for cost, count in zip(costs, moved, strict=True))
    return BoardTime(span, moved, time_ns if is_told else None, sum(low for low, _ in ends), sum(high for _, high in ends))


def _of(reference: str) -> str:
    return reference.split("/")[-2]


def _counted_commit(reference: str) -> str:
    """Empty where the release was not counted. Two tables of one commit are one release."""
    processors = [cluster.core.value for cluster in facts_of(_of(reference)).clusters]
    commits = [counts.commit for processor in processors if (counts := counts_of(reference, processor))]
    return commits[0] if commits else ""
