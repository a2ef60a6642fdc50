# SPDX-License-Identifier: BSD-3-Clause
"""Runs by instruction class: the instructions of one class alone, and the number of instructions of each class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from latlab.core.errors import UsageError
from latlab.core.model.enums import InstructionClass, Metric
from latlab.core.model.run import ClassShare, Run, SpanFunctions, Spans

Span = tuple[str, Metric]
ALL = "all"


@dataclass(frozen=True, slots=True)
class ClassMove:
    """Instructions of one class per call, mean over the cores, before and after."""

    name: InstructionClass
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class CoreClassMoves:
    """`classes` are means over `cores`, of the `of_cores` that both runs have; the largest difference first."""

    classes: tuple[ClassMove, ...]
    cores: int
    of_cores: int


def class_named(text: str) -> InstructionClass:
    """The class with this name, as printed or with hyphens. Raises UsageError with the names of all classes."""
    for instruction_class in InstructionClass:
        if instruction_class.value == text.replace("-", " "):
            return instruction_class
    raise UsageError(
        f"{text} is no class of instructions",
        f"use {ALL}, {', '.join(known_class.value.replace(' ', '-') for known_class in InstructionClass)}",
    )


def in_class(run: Run, name: InstructionClass) -> Run:
    """A copy of the run whose functions and frames count this class alone. Raises UsageError if the run has no classes."""
    check_classes(run)
    contents = Spans(run.samples, run.traces, tuple(_in_class(span, name) for span in run.functions), run.refused)
    return replace(run, contents=contents, facts=(*run.facts, ("class shown", f"{name.value}: functions and flame graphs count it alone")))


def check_classes(run: Run) -> None:
    if not any(span.classes for span in run.functions):
        raise UsageError(f"{run.id} has no classes of instructions", "measure it with --classes")


def _in_class(span: SpanFunctions, name: InstructionClass) -> SpanFunctions:
    nothing = ClassShare(name, (0,) * len(span.functions), (0,) * len(span.frames))
    share = next((class_share for class_share in span.classes if class_share.name is name), nothing)
    functions = tuple(replace(function, instructions=count) for function, count in zip(span.functions, share.functions, strict=True))
    frames = tuple(replace(frame, instructions=count) for frame, count in zip(span.frames, share.frames, strict=True))
    return replace(span, functions=functions, frames=frames, parts=(), operations=(), classes=())


def classes_of(run: Run) -> dict[Span, dict[InstructionClass, float]]:
    """Instructions of each class per call of each span, mean over the cores."""
    return {span: _mean(parts) for span, parts in _by_span(run.functions).items()}


def class_moves(a: Run, b: Run, moved_cores_only: bool = False) -> dict[Span, CoreClassMoves]:
    """The classes that differ in each span of two runs, over the cores that both runs have.

    With `moved_cores_only` the means leave out cores in which no class differs: such a core made another call in the same test.
    """
    before, after = _by_span(a.functions), _by_span(b.functions)
    moves_by_span: dict[Span, CoreClassMoves] = {}
    for span in before:
        pairs = _pairs(before[span], after.get(span, []))
        counted = [pair for pair in pairs if not moved_cores_only or _moves([pair])]
        if moves := _moves(counted):
            moves_by_span[span] = CoreClassMoves(moves, len(counted), len(pairs))
    return moves_by_span


def _pairs(before: Sequence[SpanFunctions], after: Sequence[SpanFunctions]) -> list[tuple[SpanFunctions, SpanFunctions]]:
    by_core = {span.core: span for span in after}
    return [(span, by_core[span.core]) for span in before if span.core in by_core]


def _moves(pairs: Sequence[tuple[SpanFunctions, SpanFunctions]]) -> tuple[ClassMove, ...]:
    if not pairs:
        return ()
    old, new = (_mean([pair[side] for pair in pairs]) for side in (0, 1))
    moves = [ClassMove(name, old.get(name, 0.0), new.get(name, 0.0)) for name in InstructionClass if old.get(name) != new.get(name)]
    return tuple(sorted(moves, key=lambda move: -abs(move.after - move.before)))


def joined_classes(
    whole: SpanFunctions, parts: Sequence[SpanFunctions], views: Iterable[tuple[InstructionClass, SpanFunctions]]
) -> tuple[ClassShare, ...]:
    """The classes of joined spans. `views` are the same spans joined from the instructions of each class. Empty if a part has no
    classes."""
    if not all(part.classes for part in parts):
        return ()
    return tuple(ClassShare(name, _aligned(whole, view), tuple(frame.instructions for frame in view.frames)) for name, view in views)


def _aligned(whole: SpanFunctions, view: SpanFunctions) -> tuple[int, ...]:
    counts = {function.name: function.instructions for function in view.functions}
    return tuple(counts[function.name] for function in whole.functions)


def views_of(parts: Sequence[SpanFunctions]) -> dict[InstructionClass, list[SpanFunctions]]:
    """For each class that a part has: the parts, restricted to that class."""
    names = [name for name in InstructionClass if any(name is share.name for part in parts for share in part.classes)]
    return {name: [_in_class(part, name) for part in parts] for name in names}


def _by_span(functions: Iterable[SpanFunctions]) -> dict[Span, list[SpanFunctions]]:
    by_span: dict[Span, list[SpanFunctions]] = {}
    for span in functions:
        if span.classes:
            by_span.setdefault((span.test, span.metric), []).append(span)
    return by_span


def _mean(parts: Sequence[SpanFunctions]) -> dict[InstructionClass, float]:
    total: dict[InstructionClass, float] = {}
    for part in parts:
        for share in part.classes:
            total[share.name] = total.get(share.name, 0.0) + sum(share.functions) / part.calls
    return {name: total[name] / len(parts) for name in InstructionClass if name in total}
