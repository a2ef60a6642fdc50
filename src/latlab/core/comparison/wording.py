# SPDX-License-Identifier: BSD-3-Clause
"""Figures in words: ns as µs, instructions as they are."""

from __future__ import annotations

import re
from math import isnan

from latlab.core.comparison.iterations import InIterations
from latlab.core.model.blame import Blame, BlameKind, Caller, CallerKind
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Metric
from latlab.core.shown import significant

PER_MILLION = "per million"
EVENTS_PER_MILLION = "events per million"
UNITS = {
    Metric.MISSED_PERIODS: PER_MILLION,
    Metric.LATE_WAKEUPS: EVENTS_PER_MILLION,
    Metric.MISSING_SAMPLES: PER_MILLION,
    Metric.EVENTS: "per second",
    Metric.THROUGHPUT: "per period",
    Metric.AVAILABLE: "%",
    Metric.VALUE: "of unknown unit",
}
PLAIN = frozenset(UNITS.values())
MORE_IS_BETTER = frozenset({Metric.THROUGHPUT, Metric.AVAILABLE})
UNDIRECTED = frozenset({Metric.VALUE})
MODES = {
    Mode.DETERMINISTIC: "deterministic: the instruction clock of an emulator",
    Mode.MULTI_THREAD: "multi-threaded emulation: shows that it works, its latencies are not to be published",
    Mode.VIRTUAL_MACHINE: "virtual machine: not an RT figure",
    Mode.REAL: "real target",
}
MEDIANS_AND_MEANS = "Before and after are medians over the cores, and the change is a mean: a few cores can cause it"
UNKNOWN_FIGURE = "-"
TERMS = {"base": "first-core latency", "step": "delay per position"}
COUNTED = {"insns": ("instruction", "instructions"), "cycles": ("cycle", "cycles"), "ticks": ("tick", "ticks")}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_PLAIN_WORD = re.compile(r"[a-zµ]+(?:[ ,.;]|: |$)")


def unit_of(metric: Metric, unit: str) -> str:
    """The unit of a metric in a run whose spans are in `unit`."""
    return UNITS.get(metric, unit)


def amount(value: float, unit: str) -> str:
    """`138.8 µs`, `1,234 instructions`: about four significant figures. A number without a unit is whole."""
    if not unit:
        return f"{significant(value, 10, grouped=True)}"
    if unit in PLAIN:
        return f"{significant(value, 4)} {unit}"
    if unit in COUNTED:
        return f"{_shown(value, unit):,.0f} {_counted(value, unit)}"
    return f"{_microseconds(value)} µs"


def printed(value: float, step: float, unit: str) -> str:
    """As `amount`, but no finer than the steps in which it was printed: `8 µs` of a print in whole µs."""
    if unit != "ns" or step < scale_of(unit) or value % scale_of(unit):
        return amount(value, unit)
    return f"{value / scale_of(unit):.0f} µs"


def bare(value: float, unit: str) -> str:
    """The number without its unit, two decimals where it is µs, for columns; `-` for one that is not known."""
    if isnan(value):
        return UNKNOWN_FIGURE
    shown = _shown(value, unit)
    return f"{shown:,.0f}" if unit in COUNTED else f"{shown:.2f}"


def signed(value: float, unit: str) -> str:
    """`+4.13 µs`; minus is a plain hyphen so that columns and terminals agree."""
    if isnan(value):
        return UNKNOWN_FIGURE
    shown_unit = _counted(value, unit) if unit in COUNTED else heading_unit(unit)
    return f"{signed_bare(value, unit)} {shown_unit}"


def signed_bare(value: float, unit: str) -> str:
    """The number of `signed` without its unit; `-` for one that is not known."""
    if isnan(value):
        return UNKNOWN_FIGURE
    shown = _shown(value, unit)
    sign = "+" if shown else ""
    return f"{shown:{sign},.0f}" if unit in COUNTED else f"{shown:{sign}.2f}"


def scale_of(unit: str) -> float:
    """How many units one printed unit has."""
    return 1000.0 if unit == "ns" else 1.0


def heading_unit(unit: str) -> str:
    return "µs" if unit == "ns" else COUNTED[unit][1] if unit in COUNTED else unit


def percent(share: float) -> str:
    """A share in percent. An infinite share has no base. A share below a tenth of a percent is not printed as 0."""
    if share == float("inf"):
        return "from about 0"
    if 1e-9 < abs(share) < 0.0005:
        return f"{significant(share * 100, 1, sign=True)} %"
    return f"{round(share * 100, 1) + 0.0:+.1f} %"


def span_of(low: str, high: str) -> str:
    """`3 to 5 µs`; equal ends once."""
    return low if low == high else f"{low} to {high}"


def row_title(name: str) -> str:
    """The name of a row or of a term of the queue model in the words of the field. Files keep the name itself."""
    return TERMS.get(name) or name.replace("after the last man", "last-core delay").replace("last man", "last core").replace(
        "last men", "last cores"
    ).replace("place", "position")


def capital(text: str) -> str:
    """With a capital as a sentence begins, unless it begins with a name: of a test, a run, a function."""
    return text[:1].upper() + text[1:] if _PLAIN_WORD.match(text) else text


def p_value(p: float) -> str:
    """For a column: a smaller one than 0.001 is not printed, as in `said_p`; 0 is of exact figures."""
    return "< 0.001" if 0 < p < 0.001 else significant(p, 2)


def said_p(p: float) -> str:
    """A p-value in words, at least `p < 0.001`: models of noise are not known well enough for smaller values."""
    return "p below 0.001" if p < 0.001 else f"p at most {significant(p, 2)}"


def said_in_iterations(iterations: InIterations) -> str:
    """`9 of 20 iterations, +900.0 %, median unchanged`, or `20 of 20 iterations, 12 longer and 8 shorter`."""
    median = ", median unchanged" if iterations.same_median else ""
    size = (
        f"{iterations.changed - iterations.shorter} longer and {iterations.shorter} shorter"
        if iterations.is_both_ways
        else percent(iterations.share)
    )
    return f"{iterations.changed} of {iterations.of} iterations, {size}{median}"


def count(n: int, thing: str) -> str:
    """`five cores`, `one core`, `17 cores`."""
    number = _NUMBERS[n] if 0 <= n < len(_NUMBERS) else str(n)
    return f"{number} {thing}" if n == 1 else f"{number} {thing}s"


def said_duration(seconds: float) -> str:
    """`40 s`, `22 minutes`, `5.6 hours`."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"


def said_mode(mode: Mode | None) -> str:
    return MODES[mode] if mode else "imported: as the tool says it"


BLAMES = {
    BlameKind.KERNEL: "kernel: {}",
    BlameKind.STOLEN: "firmware or secure world, by the cycle counters",
    BlameKind.HYPERVISOR: "preempted by the hypervisor",
    BlameKind.SMI: "system management interrupt (SMI)",
    BlameKind.INTERRUPT: "interrupt {}",
    BlameKind.SOFTIRQ: "softirq {}",
    BlameKind.THREAD: "thread {}",
    BlameKind.THROTTLED: "throttled by the scheduler",
    BlameKind.QUOTA: "the quota of its control group, or a thread that ran meanwhile",
    BlameKind.MASKED: "interrupts masked in {}",
    BlameKind.UNPREEMPTED: "preemption disabled in {}",
    BlameKind.KERNEL_CODE: "kernel code of {}, not preemptible",
    BlameKind.AWAY: "CPU not available (running {}, or preempted by the hypervisor)",
    BlameKind.IDLE_EXIT: "late exit from idle ({})",
    BlameKind.MIGRATED: "thread moved to {}",
    BlameKind.PAGE_FAULT: "page fault of the thread",
    BlameKind.LOCK: "kernel lock: {}",
    BlameKind.BLOCKED: "thread blocked or stopped in the kernel",
    BlameKind.OWN: "its own system call or wait",
    BlameKind.COMPUTING: "the thread itself ran",
    BlameKind.CALL: "its own system call {}",
    BlameKind.WAITED: "waited for {}",
    BlameKind.CYCLE_BEFORE: "the cycle before",
    BlameKind.PATH: "scheduling of the thread",
}


UNNAMED_BLAMES = {BlameKind.IDLE_EXIT: "late exit from idle", BlameKind.AWAY: "CPU not available"}


def said_blame(blame: Blame) -> str:
    """`TRNG_RND, called by the hwrng thread`."""
    if blame.kind is BlameKind.UNEXPLAINED:
        return "unexplained"
    if blame.kind is BlameKind.UNTRACED:
        return "not traced"
    if blame.kind in UNNAMED_BLAMES and not blame.name:
        return UNNAMED_BLAMES[blame.kind]
    return BLAMES.get(blame.kind, "{}").format(blame.name) + (f", called by {said_caller(blame.caller)}" if blame.caller else "")


def said_caller(caller: Caller) -> str:
    return {
        CallerKind.KSTACK: f"kernel-stack randomisation in a system call of {caller.task}",
        CallerKind.HWRNG_THREAD: "the hwrng thread",
        CallerKind.HWRNG_DRIVER: f"the hwrng driver in {caller.task}",
        CallerKind.FUNCTION: f"{caller.function} in {caller.task}",
    }[caller.kind]


def _shown(value: float, unit: str) -> float:
    """The value rounded as printed, so that 0 is never printed with a minus sign."""
    if unit in COUNTED:
        return round(value) + 0.0
    return round(value if unit in PLAIN else value / 1000, 2) + 0.0


def _counted(count: float, unit: str) -> str:
    singular, plural = COUNTED[unit]
    return singular if abs(round(count)) == 1 else plural


def _microseconds(value_ns: float) -> str:
    us = _shown(value_ns, "ns")
    if abs(us) >= 500:
        return f"{us:.0f}"
    return f"{us:.1f}" if abs(us) >= 20 else f"{us:.2f}"
