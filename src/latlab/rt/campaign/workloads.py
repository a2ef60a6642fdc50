# SPDX-License-Identifier: BSD-3-Clause
"""What an rt measurement may be asked for, checked before anything starts, and how long it may take in the emulator."""

from __future__ import annotations

import re

from latlab.core.comparison.wording import said_duration
from latlab.core.errors import UsageError
from latlab.core.shown import significant
from latlab.core.targets.process.console import Limits
from latlab.rt.targets import timerlat_job
from latlab.rt.targets.rt_job import SETTLE_S, Instrument, Workload
from latlab.rt.targets.steal_job import Watch

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
BOOT_ALLOWANCE_S = 120
SLOWDOWN = 12
SILENCE_FLOOR_S = 120
CYCLE_ALLOWANCE_S = 3
MOST_CPUS = 64
SLOWEST = 3
LONGEST_HOLD_US = 10_000
SUSPEND_ALLOWANCE_S = 60
MOST_CORES = 64
LOW_THRESHOLD_US = 20
MOST_LATE, MOST_WITH_CAUSES = 200_000, 20_000
"""The bounds of the recorder's files: RECORD_OUTLIERS_MAX and KERNEL_EVENTS_LATE_MOST."""
MOST_CYCLES = 1_000_000
MOST_SUSPENDS = 10_000


def seconds_of(text: str) -> int:
    """`10s`, `5m`, `6h`, `1d`."""
    match = re.fullmatch(r"(\d{1,9})([smhd])", text)
    if not match or int(match[1]) == 0:
        raise UsageError(f"--duration {text!r} is not a duration with its unit", "write it as 10s, 5m, 6h or 1d", value=text)
    return int(match[1]) * SECONDS[match[2]]


def cpus_of(affinity: str, threads: int | None) -> tuple[int, ...]:
    """`0,2-3` and how many threads there are, as the CPUs that get one each, in this order; none for all."""
    if affinity and not re.fullmatch(r"\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*", affinity):
        raise UsageError(f"--affinity {affinity!r} is not a list of CPUs", "write it as 1 or 0,2-3", value=affinity)
    ends = [tuple(map(int, part.split("-"))) for part in affinity.split(",") if part]
    cpus = tuple(dict.fromkeys(cpu for part in ends for cpu in range(part[0], part[-1] + 1)))
    if affinity and (not cpus or len(cpus) > MOST_CPUS):
        raise UsageError(
            f"--affinity {affinity} names {len(cpus)} CPUs", f"name 1 to {MOST_CPUS}, each range from the lower one up", value=affinity
        )
    if threads is None:
        return cpus
    if not 1 <= threads <= (len(cpus) or MOST_CPUS):
        most = f"the {len(cpus)} CPUs of --affinity" if cpus else f"{MOST_CPUS} CPUs"
        raise UsageError(
            f"--threads {threads}: a CPU has one measuring thread",
            f"use 1 to {len(cpus) or MOST_CPUS}, one for each of {most}",
            value=threads,
        )
    return cpus[:threads] or tuple(range(threads))


def check_power(cores: int, cycles: int, suspends: int) -> None:
    """Raises UsageError."""
    for name, value, low, high in (
        ("cores", cores, 2, MOST_CORES),
        ("cycles", cycles, 1, MOST_CYCLES),
        ("suspends", suspends, 0, MOST_SUSPENDS),
    ):
        if not low <= value <= high:
            raise UsageError(f"--{name} {value} is outside {low} to {high}")


def check_cpus(cpus: tuple[int, ...], cores: int) -> None:
    """Raises UsageError if the guest would not have one of the CPUs to take off, or would have no other."""
    if beyond := [cpu for cpu in cpus if cpu >= cores]:
        raise UsageError(f"--affinity: the guest has the CPUs 0 to {cores - 1} and no CPU {beyond[0]}", "name others or more --cores")
    if len(cpus) == cores:
        raise UsageError(f"--affinity names all {cores} CPUs, and one must stay online", "leave one out")


def checked_hold(hold_us: int | None) -> int | None:
    if hold_us is not None and not 0 <= hold_us <= LONGEST_HOLD_US:
        raise UsageError(f"--hold {hold_us} is outside 0 to {LONGEST_HOLD_US} µs", value=hold_us)
    return hold_us


def checked(workload: Workload) -> Workload:
    """The workload, where a target can be asked for it."""
    workload.load_command  # noqa: B018  refuses an unknown load before anything is started
    for name, value, low, high in (
        ("interval", workload.interval_us, 10, 60_000_000),
        ("priority", workload.priority, 1, 98),
        ("threshold", workload.outlier_us, 1, 60_000_000),
    ):
        if not low <= value <= high:
            raise UsageError(f"--{name} {value} is outside {low} to {high}")
    low, high = timerlat_job.SHORTEST_US, timerlat_job.LONGEST_US
    if workload.instrument is Instrument.TIMERLAT and not low <= workload.interval_us <= high:
        raise UsageError(f"--interval {workload.interval_us}: the timerlat tracer takes {low} to {high} µs", value=workload.interval_us)
    return workload


def expected(workload: Workload) -> str:
    """How long whoever waits will wait, where the target's seconds are theirs."""
    tools = 2 if workload.instrument is Instrument.BOTH else 1
    whole = said_duration(SETTLE_S + tools * workload.duration_s)
    tools_text = "two tools one after the other" if tools == 2 else "one tool"
    return f"the measurement takes about {whole}: {tools_text}, {said_duration(workload.duration_s)} each"


def bounds_of(workload: Workload, cpus: int) -> str:
    """What is kept at most, if the threshold is so low that it can make each wake-up late; empty if all of them fit."""
    wakeups = workload.duration_s * 1_000_000 // workload.interval_us * cpus
    if (
        not workload.has_recorder
        or workload.outlier_us > LOW_THRESHOLD_US
        or wakeups <= (MOST_WITH_CAUSES if workload.causes else MOST_LATE)
    ):
        return ""
    causes = f", and the causes of {MOST_WITH_CAUSES:,}" if workload.causes else ""
    return (
        f"--threshold {workload.outlier_us} can make most of {wakeups:,} wake-ups late: latlab keeps at most {MOST_LATE:,} of them{causes}"
    )


def expected_in_guest(workload: Workload) -> str:
    """The guest's seconds are instructions: an idle guest skips those in which nothing happens, a loaded one takes longer than they are."""
    tools = 2 if workload.instrument is Instrument.BOTH else 1
    whole = said_duration(tools * workload.duration_s)
    if not workload.load_command:
        return f"the measurement takes {whole} of the guest's clock, and less real time: an idle guest skips idle time"
    return f"the measurement takes {whole} of the guest's clock; real time is some {SLOWEST} times that, on a busy machine more"


def guest_limits(workload: Workload, timeout_s: float | None = None) -> Limits:
    """A measurement in the guest: it prints nothing until its end, so its silence may last as long as it may."""
    if timeout_s is not None and not timeout_s > 0:
        raise UsageError(f"--timeout {significant(timeout_s)}: these are seconds", "use more than 0", value=timeout_s)
    whole = BOOT_ALLOWANCE_S + SLOWDOWN * workload.duration_s if timeout_s is None else timeout_s
    return Limits(whole, max(SILENCE_FLOOR_S, whole))


def steal_limits(watch: Watch, timeout_s: float | None = None) -> Limits:
    return guest_limits(Workload(watch.duration_s * len(watch.phases)), timeout_s)


def power_limits(cycles: int, suspends: int, timeout_s: float | None = None) -> Limits:
    """Power cycles in the guest, which is silent while its kernel waits for a CPU."""
    if timeout_s is not None and not timeout_s > 0:
        raise UsageError(f"--timeout {significant(timeout_s)}: these are seconds", "use more than 0", value=timeout_s)
    limit = BOOT_ALLOWANCE_S + CYCLE_ALLOWANCE_S * cycles + SUSPEND_ALLOWANCE_S * suspends if timeout_s is None else timeout_s
    return Limits(limit, limit)
