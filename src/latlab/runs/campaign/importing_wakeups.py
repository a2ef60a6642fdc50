# SPDX-License-Identifier: BSD-3-Clause
"""What another tool measured, kept as a run: wake-ups and stalls as one of the rt campaign, amounts as one of a benchmark."""

from __future__ import annotations

from latlab.core.errors import UsageError
from latlab.core.model.conditions import NO_CONDITIONS, Conditions
from latlab.core.model.run import Build
from latlab.core.store.store import Store
from latlab.rt.campaign.results import CAMPAIGN, IMPORT_LOG, TOOL_LOG, keep, new_run
from latlab.rt.campaign.workloads import seconds_of
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.readers.measured import holds_amounts, read_wakeups
from latlab.rt.readers.sched_events import DAT_MAGIC
from latlab.rt.targets.trace_dat import printed
from latlab.runs.campaign.importing_amounts import import_amounts

LONGEST_INTERVAL_US = 3_600_000_000


def import_measured(
    store: Store,
    data: bytes,
    name: str,
    platform: str,
    duration: str | None,
    interval_us: int | None,
    firmware: str = "unknown",
    tool: str = "",
) -> str:
    """The run's id, whichever kind of run the file makes. `tool` wrote it; empty where the file says it."""
    if data.startswith(DAT_MAGIC):
        data = printed(data, name)
    if holds_amounts(data, name, tool):
        return import_amounts(store, data, name, platform, duration, interval_us, firmware, tool)
    return import_wakeups(store, data, name, platform, duration, interval_us, firmware, tool)


def import_wakeups(
    store: Store,
    data: bytes,
    name: str,
    platform: str,
    duration: str | None,
    interval_us: int | None,
    firmware: str = "unknown",
    tool: str = "",
) -> str:
    """The run's id. `duration` and `interval_us` say what was due, where both are known."""
    if (duration is None) != (interval_us is None):
        raise UsageError("--duration and --interval belong together: the number of due wake-ups is duration / interval")
    if interval_us is not None and not 1 <= interval_us <= LONGEST_INTERVAL_US:
        raise UsageError(f"--interval {interval_us} is no time between two wake-ups; use 1 to {LONGEST_INTERVAL_US} microseconds")
    wakeups = read_wakeups(data, name, tool=tool)
    conditions = NO_CONDITIONS
    if duration is not None and interval_us is not None:
        _check_schedule(wakeups, name, duration, interval_us)
        conditions = Conditions(duration_s=seconds_of(duration), interval_ns=interval_us * 1000)
    run = new_run(CAMPAIGN, "import", platform, max(cpu.cpu for cpu in wakeups.cpus) + 1, conditions, source=name, build=Build(firmware))
    files = {IMPORT_LOG: data, TOOL_LOG: tool.encode()} if tool else {IMPORT_LOG: data}
    return keep(store, run, files, ())


def _check_schedule(wakeups: Wakeups, name: str, duration: str, interval_us: int) -> None:
    """Raises UsageError where the file says another schedule: what is said twice must be the same."""
    if wakeups.tool == "recorder":
        raise UsageError(f"{name} is of the recorder, which states the due wake-ups; leave out --duration and --interval")
    interval_ns = wakeups.conditions.interval_ns or wakeups.interval_ns
    if interval_ns is not None and interval_ns != interval_us * 1000:
        raise UsageError(f"--interval {interval_us} contradicts {name}, which says {interval_ns / 1000:g} µs; give --interval as there")
    duration_s = wakeups.conditions.duration_s
    if duration_s is not None and duration_s != seconds_of(duration):
        raise UsageError(f"--duration {duration} contradicts {name}, which says {duration_s:g} s; give --duration as there")
