# SPDX-License-Identifier: BSD-3-Clause
"""What the figures of an rt run are, in words; and what must not be mistaken for a latency."""

from __future__ import annotations

from latlab.core.comparison.conditions import stated_conditions
from latlab.core.comparison.wording import said_mode
from latlab.core.errors import UsageError
from latlab.core.model.conditions import Mode
from latlab.core.model.run import Run
from latlab.core.report.facts import provenance_facts, repeated_by
from latlab.core.shown import significant
from latlab.rt.analysis.periodicity import Period
from latlab.rt.analysis.result import RtResult

MODE_SENTENCES = {
    Mode.DETERMINISTIC: "Time is counted in instructions of 2 ns each: the figures repeat exactly and show what the software does, "
    "not a board.",
    Mode.VIRTUAL_MACHINE: "A hypervisor can preempt the CPU at any time: these figures describe this virtual machine, not its kernel.",
    Mode.MULTI_THREAD: "The host schedules the emulator's threads: latencies of milliseconds are its own. "
    "Use one vCPU on the instruction clock.",
}
REFUSAL = "latencies of multi-threaded emulation are the host's scheduling and are not published; use --cores 1 --mode deterministic"


def mode_of(run: Run) -> str:
    return said_mode(run.conditions.mode)


def mode_sentence(run: Run) -> str:
    return MODE_SENTENCES.get(run.conditions.mode, "") if run.conditions.mode else ""


def check_publishable(run: Run) -> None:
    """Refuse what must not be mistaken for a latency."""
    if run.conditions.mode is Mode.MULTI_THREAD:
        raise UsageError(str(REFUSAL), place=run.id)


def facts_of(run: Run) -> tuple[tuple[str, str], ...]:
    """What is known of the run, in the order of importance."""
    facts = [
        ("run", f"{run.id}, {run.status.value}"),
        ("label", run.label),
        ("mode", mode_of(run)),
        ("target", f"{run.target}, {run.platform}"),
        ("firmware", "" if run.build.firmware == "unknown" else run.build.firmware),
        ("started (UTC)", run.started_utc),
        ("emulator", run.emulator),
        ("imported from", run.source),
        *stated_conditions(run),
        *(("command", command) for command in run.conditions.commands),
        *run.facts,
        *provenance_facts(run),
        ("repeated by", repeated_by(run)),
    ]
    return tuple((name, value) for name, value in facts if value)


def why_unread(result: RtResult, cpu: int) -> str:
    """What follows `unexplained` where the kernel's events of a CPU are missing; empty if no reason is known."""
    return f"; {result.unread[cpu]}" if cpu in result.unread else ""


def late_in_period(period: Period, which: str = "") -> str:
    return f"{period.outliers} late wake-ups{which} have a period of {_time(period.period_s)}"


def _time(seconds: float) -> str:
    if seconds >= 1:
        return f"{significant(seconds, 4)} s"
    return f"{significant(1000 * seconds, 4)} ms" if seconds >= 0.001 else f"{significant(1e6 * seconds, 4)} µs"


def us(ns: float | None, step_ns: int = 1) -> str:
    """Microseconds to a tenth; whole ones where the tool tells no more."""
    if ns is None:
        return "-"
    return f"{ns / 1000:,.0f}" if step_ns >= 1000 and ns % 1000 == 0 else f"{ns / 1000:,.1f}"


def ms(ns: float | None) -> str:
    """Milliseconds to a tenth; whole ones of a clock that ticks in them."""
    if ns is None:
        return "-"
    return f"{ns / 1e6:.0f}" if ns % 1_000_000 == 0 else f"{ns / 1e6:.1f}"
