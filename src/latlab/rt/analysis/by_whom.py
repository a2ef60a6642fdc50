# SPDX-License-Identifier: BSD-3-Clause
"""Whose calls the stolen time was: sizes of thefts held against what a probe counted of the same firmware's calls.

A size alone proves nothing, so whatever is said here is inferred: every kind of call that fits is named, and a theft that none fits is
told as such. Both must count the instructions of one emulator, where a theft is as long each time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from latlab.benchmarks.analysis.amount_findings import CallOfSize, StolenBy
from latlab.core.comparison.explanation import Basis, Explanation
from latlab.core.model.run import CallsOfKind
from latlab.rt.model.stolen import Calibration, Regime, Stolen

MOST_AT_ONCE = 8
"""So many calls of one kind may lie in one window or one wake-up."""


def theft_sizes(steal: Stolen, instructions_a_ns: float) -> Counter[int]:
    """Thefts of the time line by their instructions."""
    return Counter(round(theft.stolen_ns * instructions_a_ns) for cpu in steal.seeing for theft in cpu.thefts)


def slack(calibrations: Iterable[Calibration], counter_hz: int, instructions_a_ns: float) -> int:
    """How many instructions a size may be off: nothing where the cycle counter measures, else a tick at either end."""
    by_ticks = any(calibration.regime is not Regime.RUNS for calibration in calibrations)
    return round(2e9 / counter_hz * instructions_a_ns) if by_ticks and counter_hz else 0


def by_whom(test: str, sizes: Mapping[int, int], kinds: Sequence[CallsOfKind], slack_instructions: int = 0) -> tuple[Explanation, ...]:
    """One explanation for each size, what took most in all first."""
    calls_by_function = _calls_by_function(kinds)
    sums = {name: _sums(calls, max(sizes, default=0) + slack_instructions) for name, calls in calls_by_function.items()}
    functions = _functions(kinds)
    explanations = []
    for size, thefts in sorted(sizes.items(), key=lambda pair: (-pair[0] * pair[1], pair[0])):
        fitting = _fitting(range(size - slack_instructions, size + slack_instructions + 1), sums)
        calls = [
            CallOfSize(name, _calls_seen(calls_by_function[name], size, times), times, functions.get(name, ""))
            for name, times in fitting.items()
        ]
        ranked = tuple(sorted(calls, key=lambda call: (-call.seen, call.name)))
        explanations.append(Explanation(test, StolenBy(thefts, size, ranked), Basis.INFERRED, "insns"))
    return tuple(explanations)


def _function(name: str) -> str:
    """Without its argument, as in `TRNG_RND (64)`."""
    return name.partition(" (")[0]


def _calls_by_function(kinds: Sequence[CallsOfKind]) -> dict[str, Counter[int]]:
    """How many calls of each function took so many instructions. A call inside another is no theft of its own."""
    by_function: dict[str, Counter[int]] = defaultdict(Counter)
    for kind in kinds:
        if not kind.is_inner:
            for instructions, calls in kind.instructions:
                by_function[_function(kind.name)][instructions] += calls
    return by_function


def _sums(calls: Mapping[int, int], highest: int) -> dict[int, int]:
    """What some calls of one function take together, each with the fewest that do."""
    fewest_calls: dict[int, int] = {}
    newest = {0}
    for times in range(1, MOST_AT_ONCE + 1):
        newest = {sum_ + size for sum_ in newest for size in calls if 0 < size <= highest - sum_} - fewest_calls.keys()
        fewest_calls.update(dict.fromkeys(newest, times))
    return fewest_calls


def _fitting(sizes: range, sums: Mapping[str, Mapping[int, int]]) -> dict[str, int]:
    """The functions of which as few calls as possible take so much, each with how many."""
    fewest = {
        name: min((times_by_size[size] for size in sizes if size in times_by_size), default=0) for name, times_by_size in sums.items()
    }
    least = min(filter(None, fewest.values()), default=0)
    return {name: times for name, times in fewest.items() if times == least and times}


def _calls_seen(calls: Counter[int], size: int, times: int) -> int:
    return calls[size] if times == 1 and size in calls else calls.total()


def _functions(kinds: Sequence[CallsOfKind]) -> dict[str, str]:
    """Where the calls of a function spent most; none where functions were not counted."""
    spent: dict[str, Counter[str]] = defaultdict(Counter)
    for kind in kinds:
        for frame in kind.frames:
            spent[_function(kind.name)][frame.name] += frame.instructions
    return {name: counts.most_common(1)[0][0] for name, counts in spent.items() if counts}
