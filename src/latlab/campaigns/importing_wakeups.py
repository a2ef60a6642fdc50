# SPDX-License-Identifier: BSD-3-Clause
"""What another tool measured, kept as a run: wake-ups and stalls as one of the rt campaign, amounts as one of a benchmark."""

from __future__ import annotations

from latlab.campaigns.benchmarks import import_amounts
from latlab.campaigns.rt_results import CAMPAIGN, IMPORT_LOG, keep, new_run
from latlab.campaigns.workloads import seconds_of
from latlab.errors import UsageError
from latlab.formats.measured import holds_amounts, read_wakeups
from latlab.formats.wakeups.sched_events import DAT_MAGIC
from latlab.model.conditions import UNSAID, Conditions
from latlab.model.run import Build
from latlab.store.store import Store
from latlab.targets.linux.trace_dat import printed

LONGEST_INTERVAL_US = 3_600_000_000


def import_measured(
    store: Store, data: bytes, name: str, platform: str, duration: str | None, interval_us: int | None, firmware: str = "unknown"
) -> str:
    """The run's id, whichever kind of run the file makes."""
    if data.startswith(DAT_MAGIC):
        data = printed(data, name)
    if holds_amounts(data, name):
        return import_amounts(store, data, name, platform, duration, interval_us, firmware)
    return import_wakeups(store, data, name, platform, duration, interval_us, firmware)


def import_wakeups(
    store: Store, data: bytes, name: str, platform: str, duration: str | None, interval_us: int | None, firmware: str = "unknown"
) -> str:
    """The run's id. `duration` and `interval_us` say what was due, where both are known."""
    if (duration is None) != (interval_us is None):
        raise UsageError("--duration and --interval belong together: what was due is the one divided by the other")
    if interval_us is not None and not 1 <= interval_us <= LONGEST_INTERVAL_US:
        raise UsageError(f"--interval {interval_us} is no time between two wake-ups; use 1 to {LONGEST_INTERVAL_US} microseconds")
    wakeups = read_wakeups(data, name)
    conditions = UNSAID
    if duration is not None and interval_us is not None:
        conditions = Conditions(duration_s=seconds_of(duration), interval_ns=interval_us * 1000)
    run = new_run(CAMPAIGN, "import", platform, max(cpu.cpu for cpu in wakeups.cpus) + 1, conditions, source=name, build=Build(firmware))
    return keep(store, run, {IMPORT_LOG: data}, ())
