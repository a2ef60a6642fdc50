# SPDX-License-Identifier: BSD-3-Clause
"""Functions that differ, as findings; tests whose functions moved alike in one metric are one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from latlab.calls.analysis.span_functions import CoreMoves
from latlab.core.comparison.findings import FunctionMoved, FunctionsMoved
from latlab.core.model.enums import Metric


def findings_of(moves: Mapping[tuple[str, Metric], CoreMoves]) -> tuple[FunctionsMoved, ...]:
    alike: dict[tuple[Metric, tuple[FunctionMoved, ...], int, int], list[str]] = defaultdict(list)
    for (test, metric), core_moves in moves.items():
        functions = tuple(FunctionMoved(move.name, move.place, move.before, move.after) for move in core_moves.functions)
        alike[metric, functions, core_moves.cores, core_moves.of_cores].append(test)
    return tuple(
        FunctionsMoved(metric, tuple(tests), functions, cores, of_cores) for (metric, functions, cores, of_cores), tests in alike.items()
    )


def function_moves(moves: Mapping[tuple[str, Metric], CoreMoves], unit: str) -> tuple[str, ...]:
    """A sentence for each."""
    return tuple(finding.sentence(unit) for finding in findings_of(moves))
