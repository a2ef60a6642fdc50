# SPDX-License-Identifier: BSD-3-Clause
"""Second runs that no gate may pass, and what has to be said of each."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from latlab.core.comparison.by_kind import compare, explain_pair
from latlab.core.comparison.gate import report_gate
from latlab.core.errors import DataError
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run, Sample
from support.calibration import FAIL_ON, RULE
from support.known_boards import JUNO, N1SDP, N1SDP_NOISE, VERSION, Board, Noise, measured
from support.runs import changed

NOISE = Noise()
DEEP, LEVEL_0 = "susp_deep_parallel", "cpu_susp_parallel"
DEEP_SERIAL, SERIAL_0, OFF = "susp_deep_serial", "cpu_susp_serial", "cpu_off_serial"
RULED = r"\bbreaks a rule\b|\bno longer follows a rule\b"
CALL = "psci_version|psci_call|psci call"


@dataclass(frozen=True)
class Fault:
    """`plant` makes the second run. `codes` are the exit codes that will do; `says` must stand in a sentence, `never` in none."""

    name: str
    plant: Callable[[Run], Run]
    board: Board = JUNO
    noise: Noise = NOISE
    codes: tuple[int, ...] = (1, 3)
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ("no structure changed", "no median changed")
    first: str = ""
    after: Callable[[Board], Board] = lambda board: board


@dataclass(frozen=True, slots=True)
class Judged:
    exit_code: int
    gate: str
    explain: str
    missing: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        return not self.missing


def judged_fault(fault: Fault, seed: int) -> Judged:
    before = measured(fault.board, fault.noise, 2 * seed, name="before")
    after = fault.plant(measured(fault.after(fault.board), fault.noise, 2 * seed + 1, name="after"))
    try:
        comparison = compare(before, after)
    except DataError as error:
        lines, sentences, code = [str(error)], [""], error.exit_code
    else:
        decision = report_gate(comparison, FAIL_ON)
        lines, sentences, code = list(decision.lines), [one.sentence for one in explain_pair(comparison)] or [""], decision.exit_code
    said = [*lines, *sentences]
    missing = [] if code in fault.codes else [f"exit {code}"]
    missing += [f"nobody says {pattern!r}" for pattern in fault.says if not any(re.search(pattern, line, re.IGNORECASE) for line in said)]
    missing += [f"somebody says {pattern!r}" for pattern in fault.never if any(re.search(pattern, line, re.IGNORECASE) for line in said)]
    if fault.first and not (re.search(fault.first, lines[0], re.IGNORECASE) or re.search(fault.first, sentences[0], re.IGNORECASE)):
        missing.append(f"neither says {fault.first!r} first")
    return Judged(code, lines[0], sentences[0], tuple(missing))


def _each(change: Callable[[Sample], Sample | None]) -> Callable[[Run], Run]:
    return lambda run: changed(run, samples=[new for sample in run.samples if (new := change(sample)) is not None])


def _scaled(factor: float, test: str | None = None, metric: Metric | None = None, core: CoreId | None = None) -> Callable[[Run], Run]:
    def change(sample: Sample) -> Sample:
        hit = test in (None, sample.test) and metric in (None, sample.metric) and core in (None, sample.core)
        return replace(sample, value_ticks=round(sample.value_ticks * factor)) if hit else sample

    return _each(change)


def _swapped(test: str) -> Callable[[Run], Run]:
    other = {Metric.POWERDOWN: Metric.WAKEUP, Metric.WAKEUP: Metric.POWERDOWN}
    return _each(lambda one: replace(one, metric=other.get(one.metric, one.metric)) if one.test == test else one)


def _reversed(run: Run) -> Run:
    cores = run.topology.cores
    mirror = dict(zip(cores, reversed(cores), strict=True))
    return changed(run, samples=[replace(sample, core=mirror[sample.core]) for sample in run.samples])


def _every_core_flushes_its_cluster(run: Run) -> Run:
    """The flush stands in the spans as well: who goes down pays it, and who waits behind pays for all before."""
    cost = {k: ns / run.tick.value * 1000 for k, ns in enumerate(JUNO.flush_cluster)}
    spans = {(one.test, one.core): one.value_ticks for one in run.samples if one.metric is Metric.POWERDOWN}

    def change(sample: Sample) -> Sample:
        if not (sample.test.startswith("susp_deep") or "off" in sample.test):
            return sample
        whole = round(cost[sample.core.cluster])
        if sample.metric is Metric.CACHE_FLUSH and sample.value_ticks < whole / 2:
            return replace(sample, value_ticks=whole)
        if sample.metric is Metric.POWERDOWN and sample.test == DEEP:
            ahead = sum(ticks < sample.value_ticks for (test, _), ticks in spans.items() if test == DEEP)
            return replace(sample, value_ticks=sample.value_ticks + (ahead + 1) * whole)
        if sample.metric is Metric.POWERDOWN and sample.value_ticks < whole * 1.5:
            return replace(sample, value_ticks=sample.value_ticks + whole)
        return sample

    return _each(change)(run)


def _dear_flush(board: Board, factor: float) -> Board:
    return replace(board, flush_cluster=tuple(factor * cost for cost in board.flush_cluster))


def _wakeups_times(board: Board, factor: float) -> Board:
    deep, core, off = (tuple(factor * cost for cost in costs) for costs in (board.wake_deep, board.wake_core, board.wake_off))
    return replace(board, wake_deep=deep, wake_core=core, wake_off=off)


def _without(core: CoreId | None = None, test: str | None = None) -> Callable[[Run], Run]:
    return _each(lambda one: None if core in (None, one.core) and test in (None, one.test) else one)


def _as_it_is(run: Run) -> Run:
    return run


FAULTS = (
    Fault("one whole test x10", _scaled(10, OFF), says=(OFF,), first=OFF),
    Fault("one whole test x1000", _scaled(1000, OFF), says=(OFF,), first=OFF),
    Fault("one metric of one test x1000", _scaled(1000, SERIAL_0, Metric.WAKEUP), says=(SERIAL_0,)),
    Fault("PSCI_VERSION x10", _scaled(10, VERSION), says=(CALL,), first=CALL),
    Fault("every cluster flush doubled", _as_it_is, after=lambda b: _dear_flush(b, 2), codes=(1,), says=("flush",)),
    Fault("powerdown and wakeup swapped in one test", _swapped(SERIAL_0), says=(SERIAL_0,)),
    Fault("powerdown and wakeup swapped in the deep parallel test", _swapped(DEEP), says=(DEEP,)),
    Fault("every core pays the cluster flush", _every_core_flushes_its_cluster, codes=(1,), says=(RULED,), first=RULED),
    Fault("one flush cell of a serial test x3", _scaled(3, DEEP_SERIAL, Metric.CACHE_FLUSH, CoreId(1, 2)), says=(f"1[.]2|{DEEP_SERIAL}",)),
    Fault("one wakeup cell x3", _scaled(3, SERIAL_0, Metric.WAKEUP, CoreId(1, 1)), says=(f"1[.]1|{SERIAL_0}",)),
    Fault("one parallel wakeup cell x10", _scaled(10, LEVEL_0, Metric.WAKEUP, CoreId(0, 1)), says=(rf"{LEVEL_0}|0\.1",)),
    Fault("rows reversed", _reversed),
    Fault("one parallel powerdown all zero", _scaled(0, DEEP, Metric.POWERDOWN), says=(DEEP,)),
    Fault("both parallel powerdowns all zero", lambda run: _scaled(0, DEEP, Metric.POWERDOWN)(_scaled(0, LEVEL_0, Metric.POWERDOWN)(run)),
          says=("powerdown|susp_parallel",)),
    Fault("another lead", _as_it_is, after=lambda b: replace(b, lead=CoreId(0, 0)), says=("lead",)),
    Fault("a core missing everywhere", _without(CoreId(1, 3)), says=(r"1\.3",), never=()),
    Fault("a core missing in one test", _without(CoreId(1, 3), LEVEL_0), says=(r"1\.3",), never=()),
    Fault("a whole test missing", _without(test=LEVEL_0), says=(LEVEL_0,), never=()),
    Fault("the step fell by 20 %", _as_it_is, after=lambda b: replace(b, step=0.8 * b.step), codes=(0, 3), says=("step",),
          never=("no structure changed", "no median changed", "waits that much longer")),
    Fault("one flush cell is zero", _scaled(0, SERIAL_0, Metric.CACHE_FLUSH, CoreId(1, 2)), says=(f"1[.]2|{SERIAL_0}",),
          never=("no structure changed", "no median changed", RULE.pattern)),
    Fault("every wakeup x300 (ns as us)", _scaled(300, None, Metric.WAKEUP), says=("wakeup|unit",)),
    Fault("n1sdp: every wakeup +138 %", _as_it_is, N1SDP, N1SDP_NOISE, (1,), ("wakeup",), first="wakeup",
          after=lambda b: _wakeups_times(b, 2.38)),
    Fault("n1sdp: one whole test x10", _scaled(10, DEEP_SERIAL), N1SDP, N1SDP_NOISE, says=(DEEP_SERIAL,), first=DEEP_SERIAL),
)  # fmt: skip
