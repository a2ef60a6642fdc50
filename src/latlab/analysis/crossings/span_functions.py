# SPDX-License-Identifier: BSD-3-Clause
"""What ran in the spans of the measured calls, by function; and what differs there between two runs."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from latlab.analysis.crossings.functions import function_of, place_of
from latlab.analysis.crossings.marked import Marked, Stranded, parts_of_call
from latlab.model.crossings import Fragment
from latlab.model.enums import Metric
from latlab.model.run import CoreId, FunctionShare, Run, SpanFunctions
from latlab.model.symbols import Image

# GCC's copies of a function count as the function: their numbers differ from build to build.
CLONE = re.compile(r"(\.(constprop|isra|part|cold|lto_priv)(\.\d+)?)+$")


@dataclass(frozen=True, slots=True)
class Move:
    """Instructions of one function per call, mean over the cores, before and after."""

    name: str
    place: str
    before: float
    after: float

    @property
    def difference(self) -> float:
        return self.after - self.before


def functions_of_spans(
    marked: Iterable[Marked | Stranded], fragments: Mapping[int, Fragment], images: Sequence[Image], cores: Mapping[int, CoreId]
) -> tuple[SpanFunctions, ...]:
    """One entry for each test, span and core in which counted code ran."""
    named = {number: (_base_name(function_of(one, images)), place_of(one, images)) for number, one in fragments.items()}
    places: dict[str, str] = {}
    for name, place in named.values():
        places[name] = places.get(name) or place
    spans: dict[tuple[str, Metric, CoreId], Counter[str]] = defaultdict(Counter)
    calls: Counter[tuple[str, Metric, CoreId]] = Counter()
    for each in marked:
        for metric, _, runs in parts_of_call(each):
            key = each.test, metric, cores[each.core]
            calls[key] += 1
            for number, times in runs:
                spans[key][named[number][0]] += fragments[number].instructions * times
    return tuple(
        SpanFunctions(*key, calls[key], tuple(FunctionShare(name, places[name], total) for name, total in counted.items()))
        for key, counted in spans.items()
    )


def moves_of(a: Run, b: Run) -> dict[tuple[str, Metric], tuple[Move, ...]]:
    """The functions that differ in each test and span of two runs, over the cores that both have; the largest difference first."""
    before, after = _by_core(a), _by_core(b)
    found: dict[tuple[str, Metric], list[Move]] = {}
    for key in dict.fromkeys(key[:2] for key in before):
        cores = [core for test, metric, core in before if (test, metric) == key and (test, metric, core) in after]
        if not cores:
            continue
        old, new = (_mean([runs[(*key, core)] for core in cores]) for runs in (before, after))
        moves = [
            Move(name, place, old.get(name, (place, 0.0))[1], new.get(name, (place, 0.0))[1]) for name, (place, _) in (old | new).items()
        ]
        found[key] = sorted((move for move in moves if move.difference), key=lambda move: (-abs(move.difference), move.name))
    return {key: tuple(moves) for key, moves in found.items() if moves}


def _base_name(name: str) -> str:
    return CLONE.sub("", name)


def _by_core(run: Run) -> dict[tuple[str, Metric, CoreId], SpanFunctions]:
    return {(one.test, one.metric, one.core): one for one in run.functions}


def _mean(spans: Sequence[SpanFunctions]) -> dict[str, tuple[str, float]]:
    """Place and instructions per call of each function, mean over these cores."""
    total: dict[str, tuple[str, float]] = {}
    for one in spans:
        for share in one.functions:
            so_far = total.get(share.name, (share.place, 0.0))[1]
            total[share.name] = share.place, so_far + share.instructions / one.calls
    return {name: (place, value / len(spans)) for name, (place, value) in total.items()}
