# SPDX-License-Identifier: BSD-3-Clause
"""What one measurement of wake-ups says: what each tool saw, and what is known of why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from latlab.rt.analysis.attribution import Attributed, Exposure
from latlab.rt.analysis.cycles import ThreadCycles
from latlab.rt.analysis.instruments import InstrumentComparison
from latlab.rt.analysis.namings import Naming
from latlab.rt.analysis.periodicity import Period
from latlab.rt.analysis.thread_report import ThreadReport
from latlab.rt.model.advice import Advice
from latlab.rt.model.outside_counts import OutsideCounts
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.model.worlds import GuestWorlds

KERNEL_TRACE, CYCLE_TIMES = "kernel trace", "cycle times"
"""What a thread's wake-ups and cycles in a trace are measured by."""
WITH_CAUSES = frozenset({"recorder", KERNEL_TRACE, CYCLE_TIMES})


@dataclass(frozen=True)
class RtResult:
    """One measurement: what each tool saw, and what is known of why. `attributed` is None where nothing could be joined;
    `sight` says what could be seen of kernel and firmware, where that was asked for. `worlds` is what a probe saw from outside, `beside`
    what the others say of the same, `outside` the counts of what takes a CPU from its kernel, `advice` the
    catalog of what to do, `namings` the latencies that rtla analysed, `thread` and
    `cycles` what a trace says of a thread. `unread` says by CPU why the kernel's events are missing, where a reason is known."""

    wakeups: tuple[Wakeups, ...]
    attributed: tuple[Attributed, ...] | None
    exposure: tuple[Exposure, ...]
    period: Period | None
    problems: tuple[str, ...]
    records_lost: int = 0
    sight: tuple[str, ...] = ()
    worlds: GuestWorlds | None = None
    beside: tuple[InstrumentComparison, ...] = ()
    outside: OutsideCounts | None = None
    advice: tuple[Advice, ...] = ()
    namings: tuple[Naming, ...] = ()
    thread: ThreadReport | None = None
    cycles: ThreadCycles | None = None
    unread: Mapping[int, str] = field(default_factory=dict)

    @property
    def recorder(self) -> Wakeups | None:
        """What has causes: the recorder's wake-ups, or the wake-ups or cycles of a thread in a trace."""
        return next((wakeups for wakeups in self.wakeups if wakeups.tool in WITH_CAUSES), None)
