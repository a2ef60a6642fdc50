# SPDX-License-Identifier: BSD-3-Clause
"""Functions that differ, as findings; tests whose functions moved alike in one metric are one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from latlab.analysis.base.findings import FunctionMoved, FunctionsMoved
from latlab.analysis.base.sentences import sentence_of
from latlab.analysis.crossings.span_functions import Move
from latlab.model.enums import Metric


def findings_of(moves: Mapping[tuple[str, Metric], tuple[Move, ...]]) -> tuple[FunctionsMoved, ...]:
    alike: dict[tuple[Metric, tuple[FunctionMoved, ...]], list[str]] = defaultdict(list)
    for (test, metric), found in moves.items():
        alike[metric, tuple(FunctionMoved(move.name, move.place, move.before, move.after) for move in found)].append(test)
    return tuple(FunctionsMoved(metric, tuple(tests), told) for (metric, told), tests in alike.items())


def function_moves(moves: Mapping[tuple[str, Metric], tuple[Move, ...]], unit: str) -> tuple[str, ...]:
    """A sentence for each."""
    return tuple(sentence_of(finding, unit) for finding in findings_of(moves))
