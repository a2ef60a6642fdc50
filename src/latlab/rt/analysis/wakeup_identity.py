# SPDX-License-Identifier: BSD-3-Clause
"""Whether two runs of wake-ups may be compared: under the same conditions, with what is not known said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from latlab.core.comparison.identity import NotComparable, check_same, partial_runs, problems_note
from latlab.core.comparison.wakeup_findings import THINGS
from latlab.core.model.conditions import Mode
from latlab.core.model.distributions import Distribution, distributions_of
from latlab.core.model.enums import Metric, RowKind
from latlab.core.model.run import CoreId, Run

TOOLS = ("recorder", "cyclictest", "jitterdebugger", "rtla-timerlat-Thr", "rtla-timerlat-Usr", "rtla-timerlat-IRQ")
_LARGEST_RATIO = 300.0


@dataclass(frozen=True)
class WakeupPair:
    """Two runs that may be compared; `joined` holds the distributions of one CPU by one tool in both."""

    a: Run
    b: Run
    joined: tuple[tuple[Distribution, Distribution], ...]
    notes: tuple[str, ...]
    gaps: tuple[str, ...]


def pair_wakeups(a: Run, b: Run) -> WakeupPair:
    """Raises NotComparable with one sentence where the two do not belong together."""
    for run in (a, b):
        check_machine(run)
    notes: list[str] = []
    check_same(a, b, notes)
    gaps: list[str] = []
    joined = _joined(a, b, notes, gaps)
    gaps += partial_runs(a, b)
    _refuse_unit_slip(a, b, joined)
    notes += [problems_note(run) for run in (a, b) if run.problems]
    return WakeupPair(a, b, joined, tuple(notes), tuple(gaps))


def check_machine(run: Run) -> None:
    """Refuse what must not be mistaken for a latency."""
    if run.conditions.mode is Mode.MULTI_THREAD:
        raise NotComparable(
            f"{run.id} ran in multi-threaded emulation, so its figures are the host's scheduling and no latencies. "
            "Run it with --cores 1 --mode deterministic, or on a board"
        )


def _joined(a: Run, b: Run, notes: list[str], gaps: list[str]) -> tuple[tuple[Distribution, Distribution], ...]:
    ours, theirs = _by_test(a), _by_test(b)
    tests = [(test, test) for test in ours if test in theirs]
    if not tests:
        tool_a, other = _preferred(ours), _preferred(theirs)
        if tool_a is None or other is None:
            raise NotComparable(f"{a.id} has {_named(ours)} and {b.id} has {_named(theirs)}", "compare runs of one tool and condition")
        notes.append(f"the tool differs, {tool_a} and {other}: what they add to a wake-up themselves is part of every difference")
        tests = [(tool_a, other)]
    used = {name for pair in tests for name in pair}
    for run, by_test in ((a, ours), (b, theirs)):
        unused = [test for test in by_test if test not in used]
        if unused:
            notes.append(f"{', '.join(unused)} is only in {run.id}")
            gaps += notes[-1:] if run is a else []
    joined = []
    for tool_a, other in tests:
        notes += _other_rows(ours[tool_a].values(), theirs[other].values(), other)
        for run, tool, lone, got in (
            (a, tool_a, set(theirs[other]) - set(ours[tool_a]), b),
            (b, other, set(ours[tool_a]) - set(theirs[other]), a),
        ):
            if lone:
                notes.append(_absent(tool, lone, run, got))
                gaps += notes[-1:] if run is b and not _is_scheduled(got) else []
        joined += [(ours[tool_a][core], theirs[other][core]) for core in sorted(set(ours[tool_a]) & set(theirs[other]))]
    if not joined:
        raise NotComparable(f"{a.id} and {b.id} measured different CPUs", "compare runs of the same CPUs")
    return tuple(joined)


def _other_rows(ours: Iterable[Distribution], theirs: Iterable[Distribution], test: str) -> Iterator[str]:
    """A sentence where one run says its CPUs and the other does not."""
    if {row.rows for row in ours} != {row.rows for row in theirs}:
        yield f"the rows of one run are CPUs and those of the other {test} are not: the same number is taken for the same"


def _by_test(run: Run) -> dict[str, dict[CoreId, Distribution]]:
    by_test: dict[str, dict[CoreId, Distribution]] = {}
    for distribution in distributions_of(run):
        by_test.setdefault(distribution.test, {})[distribution.core] = distribution
    if not by_test:
        raise NotComparable(f"{run.id} holds no wake-ups", "name a run of `latlab run rt` or of `latlab import`")
    return by_test


def _preferred(by_tool: Mapping[str, object]) -> str | None:
    return next((tool for tool in TOOLS if tool in by_tool), None)


def _absent(tool: str, cores: set[CoreId], run: Run, other: Run) -> str:
    """Of CPUs that only the other run has anything of."""
    distributions = [distribution for distribution in distributions_of(other) if distribution.core in cores]
    counts = ", ".join(f"{got:,}" for got in dict.fromkeys(distribution.got for distribution in distributions))
    cpus = ", ".join(str(core.core) for core in sorted(cores))
    word = distributions[0].rows.value if distributions else RowKind.CPU.value
    return f"{tool}: {word} {cpus} has no {spans_named(other)} in {run.id}, {counts} in {other.id}"


def spans_named(run: Run) -> str:
    return THINGS.get(distributions_of(run)[0].metric, "span")


def _is_scheduled(run: Run) -> bool:
    """Coverage says what it lacks."""
    return distributions_of(run)[0].metric is Metric.TASK_WAKEUP


def _named(by_name: Mapping[str, object]) -> str:
    return ", ".join(by_name)


def _refuse_unit_slip(a: Run, b: Run, joined: tuple[tuple[Distribution, Distribution], ...]) -> None:
    for distribution, other in joined:
        ours, theirs = distribution.average_ticks * a.tick.value, other.average_ticks * b.tick.value
        if ours > 0 and theirs > 0 and not 1 / _LARGEST_RATIO <= theirs / ours <= _LARGEST_RATIO:
            larger, factor = (b, theirs / ours) if theirs > ours else (a, ours / theirs)
            raise NotComparable(
                f"unit suspect: figures of {larger.id} are {factor:.0f} times the other's", "check its unit (ns labelled as us?)"
            )
