# SPDX-License-Identifier: BSD-3-Clause
"""A device tree's latencies of idle states against what was measured of entering and leaving them.

They are stated as the worst case, so one span that is longer shows that one is too short. What was measured is the firmware's part, on a
few occasions: nothing in it shows that a latency is too long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import ceil

from latlab.core.errors import DataError, UsageError
from latlab.core.model.enums import Clock, Metric, ProblemKind
from latlab.core.model.run import CoreId, Run, Sample
from latlab.psci.model import IdleState, IdleStates

CORE_TESTS = "cpu_susp"
DEEP_TESTS = "susp_deep"
TESTS = (CORE_TESTS, DEEP_TESTS)
SERIAL = "_serial"
SLACK_US = 1.0
"""A latency is stated in whole microseconds."""
POWERS_DOWN, LEVEL_SHIFT, LEVEL_MASK, OTHER_BITS = 1 << 16, 24, 3, ~0x0301FFFF
"""PSCI's original format of power_state: state, kind, level. Where another bit is set it is the extended one, in which the state is the
platform's own number."""


class IdleFinding(StrEnum):
    TOO_SHORT = "too short"
    HOLDS = "not contradicted"
    CANNOT_TELL = "inconclusive"


@dataclass(frozen=True, slots=True)
class IdleJudgement:
    """Of one latency. `measured_us` is the longest span of `n` in so many boots, of `core` in `test`; of min-residency the shortest entry.
    `correct_us` is None where nothing is to be corrected."""

    state: IdleState
    name: str
    stated_us: int
    finding: IdleFinding
    why: str
    measured_us: float | None = None
    n: int = 0
    boots: int = 0
    test: str = ""
    core: CoreId | None = None
    correct_us: int | None = None


@dataclass(frozen=True, slots=True)
class _Spans:
    """Those of one metric that the CPUs of a state took in the tests that enter it, in µs."""

    samples: tuple[Sample, ...]
    tick_us: float

    def us(self, sample: Sample) -> float:
        return sample.value_ticks * self.tick_us

    @property
    def longest(self) -> Sample:
        return max(self.samples, key=self.us)

    @property
    def alone_us(self) -> float | None:
        return max((self.us(span) for span in self.samples if span.test.endswith(SERIAL)), default=None)

    @property
    def boots(self) -> int:
        return len({span.boot for span in self.samples})


def audit(run: Run, tree: IdleStates, deepest: int | None, chosen: Mapping[str, str]) -> tuple[IdleJudgement, ...]:
    """Each latency that the tree states, in its order. `deepest` is the level to which the deep tests go, None where nothing says it;
    `chosen` says of states by name which tests enter them. Raises DataError where the run has no time or other cores than the tree,
    UsageError where a chosen state or test is not there."""
    if run.tick.clock is not Clock.TIME:
        counted = "counts instructions" if run.tick.clock is Clock.INSTRUCTIONS else "is a model's, in virtual time"
        raise DataError(f"{run.id} {counted}, and a device tree states microseconds of the board", "take a run of the board itself")
    for name, tests in chosen.items():
        if name not in {state.name for state in tree.states} or tests not in TESTS:
            names = ", ".join(state.name for state in tree.states) or "no idle state"
            raise UsageError(f"--state {name}={tests}: the tree has {names}; the tests are {' and '.join(TESTS)}", value=name)
    cores = _cores(run, tree)
    judgements: list[IdleJudgement] = []
    for state in tree.states:
        tests, why = _tests_of(run, tree, state, deepest, chosen)
        judgements += _judged(run, state, [cores[cpu] for cpu in state.cpus], tests, why)
    return tuple(judgements)


def _cores(run: Run, tree: IdleStates) -> dict[int, CoreId]:
    """Cluster and core by Aff1 and Aff0, or one level higher where each core is a cluster of threads."""
    for shift in (0, 8):
        named = {cpu: CoreId(cpu >> shift + 8 & 0xFF, cpu >> shift & 0xFF) for cpu in tree.cpus}
        if sorted(named.values()) == sorted(run.topology.cores):
            return named
    cpus = ", ".join(f"{cpu:#x}" for cpu in tree.cpus) or "none"
    raise DataError(f"the tree's CPUs ({cpus}) are not the cores of {run.id} ({run.topology}); it is of another board")


def _tests_of(run: Run, tree: IdleStates, state: IdleState, deepest: int | None, chosen: Mapping[str, str]) -> tuple[str, str]:
    """The tests that enter a state, else an empty text and why none is known to."""
    if any(problem.kind is ProblemKind.UNIT_SUSPECT for problem in run.problems):
        return "", "the unit of the run's figures is doubtful"
    if state.name in chosen:
        return chosen[state.name], ""
    say_it = f"name the tests that enter it, as --state {state.name}={CORE_TESTS}"
    if state.parameter is None or state.parameter & OTHER_BITS:
        return "", f"its number is the platform's own; {say_it}"
    if not state.parameter & POWERS_DOWN:
        return "", "a retention state; the tests power down"
    level = _level(state)
    if any(other.parameter != state.parameter and _level(other) == level and set(other.cpus) & set(state.cpus) for other in tree.states):
        return "", f"not the only state of level {level}; {say_it}"
    if level == 0:
        return CORE_TESTS, ""
    if level == deepest:
        return DEEP_TESTS, ""
    depth = "to an unknown level" if deepest is None else f"to level {deepest}"
    return "", f"of level {level}; the deep tests go {depth}"


def _level(state: IdleState) -> int | None:
    """Of one that powers down, in the original format."""
    number = state.parameter
    is_told = number is not None and number & POWERS_DOWN and not number & OTHER_BITS
    return number >> LEVEL_SHIFT & LEVEL_MASK if number is not None and is_told else None


def deepest_level(run: Run) -> int | None:
    """The highest level whose lock the deep tests took; None without traces."""
    deep = (trace for trace in run.traces if trace.test.startswith(DEEP_TESTS))
    return max((record.arg >> 16 for trace in deep for record in trace.records if record.event == "LOCK_REQUEST"), default=None)


def _judged(run: Run, state: IdleState, cores: Iterable[CoreId], tests: str, why: str) -> Iterator[IdleJudgement]:
    stated = {
        "entry-latency-us": state.entry_us,
        "exit-latency-us": state.exit_us,
        "wakeup-latency-us": state.wakeup_us,
        "min-residency-us": state.min_residency_us,
    }
    among = set(cores)
    spans = {metric: _spans(run, metric, among, tests) for metric in (Metric.POWERDOWN, Metric.WAKEUP)}
    entry, leave = spans[Metric.POWERDOWN], spans[Metric.WAKEUP]
    for name, stated_us in stated.items():
        if stated_us is None:
            continue
        used = entry if name in ("entry-latency-us", "min-residency-us") else leave
        if used is None:
            reason = why or f"no span of {tests}_* was measured on its CPUs"
            yield IdleJudgement(state, name, stated_us, IdleFinding.CANNOT_TELL, reason)
        elif name == "min-residency-us":
            yield _residency(state, stated_us, used, leave)
        else:
            yield _latency(state, name, stated_us, used)


def _spans(run: Run, metric: Metric, cores: set[CoreId], tests: str) -> _Spans | None:
    of_metric = (span for span in run.samples if span.metric is metric and span.core in cores) if tests else ()
    samples = tuple(span for span in of_metric if span.test.startswith(tests))
    return _Spans(samples, run.tick.value / 1000) if samples else None


def _latency(state: IdleState, name: str, stated_us: int, spans: _Spans) -> IdleJudgement:
    longest = spans.longest
    us = spans.us(longest)
    if us <= stated_us + SLACK_US:
        why, finding, correct = "the firmware's part, as far as it was measured", IdleFinding.HOLDS, None
    else:
        alone_us = spans.alone_us
        together = alone_us is not None and alone_us <= stated_us + SLACK_US
        why = f"where all go at once; alone at most {alone_us:.1f} µs" if together else "even before Linux' own part"
        finding, correct = IdleFinding.TOO_SHORT, ceil(us)
    return IdleJudgement(state, name, stated_us, finding, why, us, len(spans.samples), spans.boots, longest.test, longest.core, correct)


def _residency(state: IdleState, stated_us: int, entry: _Spans, leave: _Spans | None) -> IdleJudgement:
    """It includes the entry: where it is over before any entry was, the state is never reached in it."""
    shortest = min(entry.samples, key=entry.us)
    us = entry.us(shortest)
    is_short = us > stated_us + SLACK_US
    correct = ceil(entry.us(entry.longest)) + (ceil(leave.us(leave.longest)) if leave else 0) if is_short else None
    why = "over before the shortest entry" if is_short else "longer than the shortest entry; energy was not measured"
    finding = IdleFinding.TOO_SHORT if is_short else IdleFinding.HOLDS
    return IdleJudgement(
        state, "min-residency-us", stated_us, finding, why, us, len(entry.samples), entry.boots, shortest.test, shortest.core, correct
    )
