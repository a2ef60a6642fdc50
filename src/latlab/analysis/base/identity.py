# SPDX-License-Identifier: BSD-3-Clause
"""Whether two runs may be compared at all, checked first: what differs is refused with a sentence, or corrected and noted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latlab.analysis.base.columns import METRICS, Columns, DuplicateSample, columns_of
from latlab.errors import DataError
from latlab.model.conditions import Mode
from latlab.model.enums import Clock, Metric, ProblemKind, RunStatus
from latlab.model.run import UNNAMED, Run

GRAVEST = (
    ProblemKind.UNIT_SUSPECT, ProblemKind.INPUT, ProblemKind.MISPRINTED_DELTA, ProblemKind.DELTA_WITHOUT_BASE, ProblemKind.INFERRED
)  # fmt: skip
_UNIT_RATIO = 300.0
_APART = 2.0
_ALIKE = 0.1


class NotComparable(DataError):
    """The runs, or one of them, do not hold what an analysis needs; the message says what and what to do."""


@dataclass(frozen=True)
class Pair:
    """Two runs that may be compared, their columns in one unit, and the (test, metric) that both hold for the same cores.

    `gaps` say what the first run holds and nobody can judge, because the second lacks it or one of them is partial.
    """

    a: Run
    b: Run
    columns_a: Columns
    columns_b: Columns
    common: tuple[tuple[str, Metric], ...]
    notes: tuple[str, ...]
    gaps: tuple[str, ...]

    @property
    def unit(self) -> str:
        return self.a.tick.unit


def pair_runs(a: Run, b: Run) -> Pair:
    """Raises NotComparable with one sentence where the two do not belong together."""
    notes: list[str] = []
    check_same(a, b, notes)
    columns_a, columns_b = checked_columns(a), checked_columns(b)
    if a.tick.value != b.tick.value:
        if a.tick.clock is Clock.INSTRUCTIONS:
            worth = f"{a.tick.value:g} instructions in {a.id} and {b.tick.value:g} in {b.id}"
            raise NotComparable(f"one tick is {worth}; run both with one shift")
        notes.append(f"ticks differ, {a.tick.value:g} ns and {b.tick.value:g} ns; figures are compared in ns")
    gaps = partial_runs(a, b)
    common = _common(a, b, columns_a, columns_b, notes, gaps)
    _refuse_unit_slip(a, b, columns_a, columns_b, common)
    gaps += _zero_cells(a, b, columns_a, columns_b, common)
    notes += [problems_note(run) for run in (a, b) if run.problems]
    if a.build.options != b.build.options:
        changed = sorted({key for key, _ in set(a.build.options) ^ set(b.build.options)})
        notes.append("build options differ: " + ", ".join(changed))
    return Pair(a, b, columns_a, columns_b, common, tuple(notes), tuple(gaps))


def partial_runs(a: Run, b: Run) -> list[str]:
    """A run that did not come to its end says nothing of what it did not measure."""
    return [f"{run.id} is {run.status}" for run in (a, b) if run.status is not RunStatus.COMPLETE]


def check_same(a: Run, b: Run, notes: list[str]) -> None:
    """Platform, clock, topology and campaign: runs that differ in one are refused, whatever they hold."""
    _check_platform(a, b, notes)
    for what, ours, theirs in (
        ("clock", a.tick.clock.value, b.tick.clock.value),
        ("topology", str(a.topology), str(b.topology)),
        ("campaign", a.campaign, b.campaign),
    ):
        if ours != theirs:
            raise NotComparable(f"the {what} differs, {ours} in {a.id} and {theirs} in {b.id}; compare runs of one {what}")


def _check_platform(a: Run, b: Run, notes: list[str]) -> None:
    if a.platform == b.platform:
        return
    if UNNAMED not in (a.platform, b.platform):
        raise NotComparable(f"the platform differs, {a.platform} in {a.id} and {b.platform} in {b.id}; compare runs of one platform")
    unnamed, other = (a, b) if a.platform == UNNAMED else (b, a)
    notes.append(f"{unnamed.id} does not name its platform; it is taken to be {other.platform}")


def platform_of(a: Run, b: Run) -> str:
    """Of two runs of one platform: a run that does not name it was made on the other's."""
    return b.platform if a.platform == UNNAMED else a.platform


def checked_columns(run: Run) -> Columns:
    """The columns of a run that is fit for analysis; raises NotComparable."""
    if not run.samples:
        raise NotComparable(f"{run.id} holds no samples that this analysis can take; run the campaign again or name another run")
    if run.conditions.mode is Mode.MULTI_THREAD:
        raise NotComparable(f"{run.id} ran its cores as host threads, so its figures are no latencies; run it in the deterministic mode")
    try:
        columns = columns_of(run)
    except DuplicateSample as error:
        raise NotComparable(f"{run.id}: {error}") from None
    except OverflowError:
        raise NotComparable(f"{run.id} holds a number beyond 64 bits; read the log again") from None
    known = set(run.topology.cores)
    strange = next((core for core in columns.cores if core not in known), None)
    if strange is not None:
        raise NotComparable(f"{run.id} names core {strange}, which topology {run.topology} does not have; check the log or the topology")
    if columns.smallest < 0:
        raise NotComparable(f"{run.id} holds a span of {columns.smallest:g} {run.tick.unit}; time ran backwards, so read the log again")
    return columns


def problems_note(run: Run) -> str:
    """The gravest problem that reading met, of these the one that stands first, and how many there are."""
    first = min(run.problems, key=lambda problem: (GRAVEST.index(problem.kind), problem.line))
    where = f"line {first.line}: " if first.line else ""
    count = f"{len(run.problems)} problems, the gravest" if len(run.problems) > 1 else "a problem"
    return f"reading {run.id} met {count}: {where}{first.message}"


def resolution(run: Run, metric: Metric) -> float:
    """What one step of the figures is worth: the tick, or the print's last place where that is coarser."""
    return max(run.tick.value, dict(run.resolutions).get(metric, 0.0))


def _common(a: Run, b: Run, columns_a: Columns, columns_b: Columns, notes: list[str], gaps: list[str]) -> tuple[tuple[str, Metric], ...]:
    common = []
    lacking = sorted(set(columns_a.cores) ^ set(columns_b.cores))
    tests = dict.fromkeys([*columns_a.tests, *columns_b.tests])
    for key in [(test, metric) for test in tests for metric in METRICS]:
        ours, theirs = columns_a.matrix(*key), columns_b.matrix(*key)
        if ours is None and theirs is None:
            continue
        name = f"{key[0]} {key[1]}"
        if ours is None or theirs is None:
            notes.append(f"{name} stands only in {(a if theirs is None else b).id}")
            gaps += notes[-1:] if theirs is None else []
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
                notes.append(f"{name}: {matrix.incomplete} iterations of {run.id} lack a core and are left out")
    if not common:
        missing = f" (core {', '.join(map(str, lacking))} is missing in one of them)" if lacking else ""
        raise NotComparable(f"{a.id} and {b.id} have no test with the same cores in common{missing}; compare runs of one campaign")
    return tuple(common)


def _zero_cells(a: Run, b: Run, columns_a: Columns, columns_b: Columns, common: tuple[tuple[str, Metric], ...]) -> list[str]:
    """A span takes time: one of zero beside others of its core was not measured. Under the instruction clock it may be empty."""
    if a.tick.clock is not Clock.TIME:
        return []
    found = []
    for test, metric in common:
        for run, matrix in ((a, columns_a.matrix(test, metric)), (b, columns_b.matrix(test, metric))):
            cores = [] if matrix is None else [str(core) for core, v in zip(matrix.cores, matrix.values.T, strict=True) if (v == 0).any()]
            if cores:
                found.append(f"{test} {metric} of core {', '.join(cores)} is 0 in {run.id}, which no span is")
    return found


def _refuse_unit_slip(a: Run, b: Run, columns_a: Columns, columns_b: Columns, common: tuple[tuple[str, Metric], ...]) -> None:
    """Of all figures, and of those of one test and metric: hundreds of times the other's is another unit, zero throughout no figure.

    Under a clock that counts exactly one test may well have gone from nothing to something.
    """
    known = [(key, *_middles(columns_a, columns_b, key)) for key in common]
    largest = [_largest(columns, common) for columns in (columns_a, columns_b)]
    if min(largest) == 0 < max(largest):
        raise NotComparable(f"unit suspect: every figure of {(a if largest[0] == 0 else b).id} is 0; read the log again")
    ratios = [after / before for _, before, after in known if before > 0 and after > 0]
    _refuse_ratio(a, b, float(np.median(ratios)) if ratios else 1.0, "figures")
    if a.tick.clock is not Clock.TIME:
        return
    for (test, metric), before, after in known:
        if min(before, after) == 0 < max(before, after):
            raise NotComparable(f"unit suspect: {test} {metric} of {(a if before == 0 else b).id} is 0; read the log again")
        if before > 0:
            _refuse_ratio(a, b, after / before, f"{test} {metric}")
    _refuse_exchange(a, b, {key: (before, after) for key, before, after in known})


def _refuse_ratio(a: Run, b: Run, ratio: float, what: str) -> None:
    if 1 / _UNIT_RATIO <= ratio <= _UNIT_RATIO:
        return
    larger, factor = (b, ratio) if ratio > 1 else (a, 1 / ratio)
    of = f"figures of {larger.id} are" if what == "figures" else f"{what} of {larger.id} is"
    raise NotComparable(f"unit suspect: {of} {factor:.0f} times the other's; check its unit (ns labelled as us?)")


def _refuse_exchange(a: Run, b: Run, middles: dict[tuple[str, Metric], tuple[float, float]]) -> None:
    """Two columns of a test that differ by far and stand in each other's place."""
    for test in dict.fromkeys(test for test, _ in middles):
        metrics = [metric for other, metric in middles if other == test]
        for i, one in enumerate(metrics):
            for two in metrics[i + 1 :]:
                (x, x_after), (y, y_after) = middles[test, one], middles[test, two]
                if min(x, y) > 0 and max(x, y) > _APART * min(x, y) and _near(x, y_after) and _near(y, x_after):
                    raise NotComparable(
                        f"columns suspect: in {test} {one} and {two} of {b.id} stand in each other's place against {a.id}; "
                        "check the columns of both"
                    )


def _near(one: float, two: float) -> bool:
    return abs(one - two) <= _ALIKE * one


def _middles(columns_a: Columns, columns_b: Columns, key: tuple[str, Metric]) -> tuple[float, float]:
    ours, theirs = columns_a.matrix(*key), columns_b.matrix(*key)
    return (float(np.median(ours.values)) if ours else 0.0), (float(np.median(theirs.values)) if theirs else 0.0)


def _largest(columns: Columns, common: tuple[tuple[str, Metric], ...]) -> float:
    return max(float(matrix.values.max()) for key in common if (matrix := columns.matrix(*key)) is not None)
