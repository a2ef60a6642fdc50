# SPDX-License-Identifier: BSD-3-Clause
"""Checks whether two runs can be compared. A difference raises an error with one sentence, or is corrected and noted."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace

from latlab.core.comparison.suspect_pair import suspicions_between
from latlab.core.comparison.suspect_run import one_of_each_boot
from latlab.core.comparison.suspicion import Suspicion
from latlab.core.errors import DataError
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Clock, Metric, ProblemKind, RunStatus
from latlab.core.model.run import UNNAMED, Run
from latlab.core.shown import significant
from latlab.core.statistics.sample_matrix import METRICS, Columns, DuplicateSample, columns_of

GRAVEST = (
    ProblemKind.UNIT_SUSPECT,
    ProblemKind.INPUT,
    ProblemKind.UNFINISHED,
    ProblemKind.MISPRINTED_DELTA,
    ProblemKind.DELTA_WITHOUT_BASE,
    ProblemKind.INFERRED,
)


class NotComparable(DataError):
    """A run lacks what an analysis needs. The message says what and how to proceed."""


@dataclass(frozen=True)
class Pair:
    """Two comparable runs, their columns in one unit, and the (test, metric) pairs that both have for the same cores.

    `gaps` are sentences on data of the first run that cannot be judged, because the second lacks it or a run is partial.
    """

    a: Run
    b: Run
    columns_a: Columns
    columns_b: Columns
    common: tuple[tuple[str, Metric], ...]
    notes: tuple[str, ...]
    gaps: tuple[str, ...]
    suspicions: tuple[Suspicion, ...] = ()

    @property
    def suspect(self) -> frozenset[tuple[str, Metric]]:
        """The spans under a suspicion, which get no verdict."""
        return frozenset(span for suspicion in self.suspicions for span in suspicion.spans)

    @property
    def unit(self) -> str:
        return self.a.tick.unit

    def without_suspect(self) -> Pair:
        """A copy without the spans under a suspicion."""
        if not self.suspect:
            return self
        ours, theirs = (columns.without(self.suspect) for columns in (self.columns_a, self.columns_b))
        return replace(self, columns_a=ours, columns_b=theirs, common=tuple(span for span in self.common if span not in self.suspect))


def pair_runs(a: Run, b: Run) -> Pair:
    """The pair of two runs. Raises NotComparable with one sentence if they cannot be compared."""
    notes: list[str] = []
    check_same(a, b, notes)
    columns_a, columns_b = checked_columns(a), checked_columns(b)
    if a.tick.clock is Clock.INSTRUCTIONS and a.tick.value != b.tick.value:
        worth = f"{significant(a.tick.value)} instructions in {a.id} and {significant(b.tick.value)} in {b.id}"
        raise NotComparable(f"one tick is {worth}", "run both with one shift")
    gaps = partial_runs(a, b)
    common = _common(a, b, columns_a, columns_b, notes, gaps)
    suspicions = suspicions_between(a, b, columns_a, columns_b, common)
    if a.tick.clock is Clock.TIME:
        columns_a, columns_b = (_counted_once(run, columns, notes) for run, columns in ((a, columns_a), (b, columns_b)))
    notes += [problems_note(run) for run in (a, b) if run.problems]
    return Pair(a, b, columns_a, columns_b, common, tuple(notes), tuple(gaps), suspicions)


def _counted_once(run: Run, columns: Columns, notes: list[str]) -> Columns:
    once = one_of_each_boot(columns)
    if once is not columns:
        notes.append(f"boots of {run.id} with the same figures as another boot count once")
    return once


def partial_runs(a: Run, b: Run) -> list[str]:
    """A note for each run that did not come to its end: it says nothing about what it did not measure."""
    return [f"{run.id} is {run.status}" for run in (a, b) if run.status is not RunStatus.COMPLETE]


def refusing_parts(run: Run) -> tuple[tuple[str, str | None], ...]:
    """(name, value) of what two runs must share, beside conditions; None if the run does not state it."""
    return (
        ("platform", None if run.platform == UNNAMED else run.platform),
        ("clock", run.tick.clock.value),
        ("topology", str(run.topology)),
        ("campaign", run.campaign),
    )


def check_same(a: Run, b: Run, notes: list[str]) -> None:
    """Raises NotComparable if two runs differ in platform, clock, topology or campaign."""
    _check_platform(a, b, notes)
    for (quantity, ours), (_, theirs) in zip(refusing_parts(a), refusing_parts(b), strict=True):
        if ours is not None and theirs is not None and ours != theirs:
            raise NotComparable(f"the {quantity} differs, {ours} in {a.id} and {theirs} in {b.id}", _instead(quantity, a, b))


def _instead(quantity: str, a: Run, b: Run) -> str:
    """The next step. `predict` compares a board with its model."""
    times = [run for run in (a, b) if run.tick.clock is Clock.TIME]
    if quantity == "clock" and len(times) == 1 and Clock.VIRTUAL in (a.tick.clock, b.tick.clock):
        return f"compare runs of one {quantity}; `latlab predict {times[0].id}` compares the board with its model"
    return f"compare runs of one {quantity}"


def _check_platform(a: Run, b: Run, notes: list[str]) -> None:
    if a.platform == b.platform:
        return
    if UNNAMED not in (a.platform, b.platform):
        raise NotComparable(
            f"the platform differs, {a.platform} in {a.id} and {b.platform} in {b.id}",
            f"compare runs of one platform; `latlab ls --platform {shlex.quote(b.platform)}` lists those of {b.id}",
        )
    unnamed, other = (a, b) if a.platform == UNNAMED else (b, a)
    notes.append(f"{unnamed.id} does not name its platform; latlab assumes {other.platform}")


def platform_of(a: Run, b: Run) -> str:
    """The platform of both runs. A run that does not name its platform is taken to be of the other's."""
    return b.platform if a.platform == UNNAMED else a.platform


def checked_columns(run: Run) -> Columns:
    """The columns of a run. Raises NotComparable if the run cannot be analysed."""
    if not run.samples:
        raise NotComparable(f"{run.id} has no samples for this analysis", "run the campaign again or name another run")
    if run.conditions.mode is Mode.MULTI_THREAD:
        raise NotComparable(f"{run.id} ran its cores as host threads, so its figures are no latencies", "run it in the deterministic mode")
    try:
        columns = columns_of(run)
    except DuplicateSample as error:
        raise NotComparable(str(error), place=run.id) from None
    except OverflowError:
        raise NotComparable(f"{run.id} holds a number beyond 64 bits", "read the log again") from None
    topology_cores = set(run.topology.cores)
    strange = next((core for core in columns.cores if core not in topology_cores), None)
    if strange is not None:
        raise NotComparable(f"{run.id} names core {strange}, which topology {run.topology} does not have", "check the log or the topology")
    if columns.smallest < 0:
        raise NotComparable(
            f"{run.id} holds a span of {significant(columns.smallest)} {run.tick.unit}; time ran backwards, so read the log again"
        )
    return columns


def problems_note(run: Run) -> str:
    """The most severe problem of the input (of equal ones, the first), and the number of problems."""
    first = min(run.problems, key=lambda problem: (GRAVEST.index(problem.kind), problem.line))
    where = f"line {first.line}: " if first.line else ""
    count = f"{len(run.problems)} problems, first the most serious" if len(run.problems) > 1 else "a problem"
    return f"reading {run.id} met {count}: {where}{first.message}"


def _common(a: Run, b: Run, columns_a: Columns, columns_b: Columns, notes: list[str], gaps: list[str]) -> tuple[tuple[str, Metric], ...]:
    common = []
    lacking = ((a, columns_b, columns_a), (b, columns_a, columns_b))
    tests = dict.fromkeys([*columns_a.tests, *columns_b.tests])
    for key in [(test, metric) for test in tests for metric in METRICS]:
        ours, theirs = columns_a.matrix(*key), columns_b.matrix(*key)
        if ours is None and theirs is None:
            continue
        name = f"{key[0]} {key[1]}"
        if ours is None or theirs is None:
            notes.append(f"{name} is only in {(a if theirs is None else b).id}")
            gaps += notes[-1:] if theirs is None else []
        elif key[1] is Metric.CALL and _answer(a, key[0]) != _answer(b, key[0]):
            notes.append(f"{name} is left out: each one failed {_where_refused(a, b, key[0])}")
            gaps += notes[-1:] if _answer(b, key[0]) else []
        elif ours.cores != theirs.cores:
            odd = ", ".join(str(core) for core in sorted(set(ours.cores) ^ set(theirs.cores)))
            notes.append(f"{name} is left out: core {odd} is missing in one of the runs")
            gaps += notes[-1:]
        elif not len(ours.values) or not len(theirs.values):
            notes.append(f"{name} is left out: no iteration holds every core")
            gaps += notes[-1:]
        else:
            common.append(key)
        for run, matrix in ((a, ours), (b, theirs)):
            if matrix is not None and matrix.incomplete:
                notes.append(f"{name}: {matrix.incomplete} iterations of {run.id} lack a core")
    if not common:
        lone = [(run, sorted(set(other.cores) - set(columns.cores))) for run, other, columns in lacking]
        missing = ", ".join(f"core {', '.join(map(str, cores))} is missing in {run.id}" for run, cores in lone if cores)
        detail = f" ({missing})" if missing else ""
        raise NotComparable(f"{a.id} and {b.id} have no test with the same cores in common{detail}", "compare runs of one campaign")
    return tuple(common)


def _answer(run: Run, call: str) -> str:
    """The result of each call with this name if all of them failed; empty if one of them succeeded, which is other work."""
    return dict(run.refused).get(call, "")


def _where_refused(a: Run, b: Run, call: str) -> str:
    """In which of two runs all such calls failed, at least in one, and with which result."""
    answers = {run.id: _answer(run, call) for run in (a, b)}
    failed = [f"in {run} ({answer})" for run, answer in answers.items() if answer]
    return ", ".join([*failed, *(f"not in {run}" for run, answer in answers.items() if not answer)])
