# SPDX-License-Identifier: BSD-3-Clause
"""The system counter of one core on an emulator's instruction clock, by what the probe saw.

Each instruction takes as long as any other, and where every core sleeps the clock jumps to the moment at which a timer ends the sleep. So
between two sleeps the counter follows from the instructions and one number, which the timer that ended the sleep before gives away.
"""

from __future__ import annotations

from bisect import bisect_right

from latlab.calls.model.crossings import Record, Sleep, WaitInstruction, Wake


class CounterClock:
    """Feed it the probe's records in their order; then ask. A sleep that something else than the virtual timer ended leaves a gap until
    the next one that it did."""

    def __init__(self, ns_per_instruction: int, counter_hz: int) -> None:
        self._ns_per_instruction, self._counter_hz = ns_per_instruction, counter_hz
        self._from: list[int] = []
        self._ahead_ns: list[int | None] = []
        self._latest_ns: int | None = None
        self._waits = False

    def take(self, record: Record) -> None:
        """WFE does not stop this emulator's clock."""
        if isinstance(record, Sleep):
            self._waits = record.wait is WaitInstruction.WFI
        elif isinstance(record, Wake) and self._waits:
            self._woke(record)

    def _woke(self, wake: Wake) -> None:
        ahead_ns = wake.timer * 1_000_000_000 // self._counter_hz - wake.machine * self._ns_per_instruction if wake.timer else None
        if ahead_ns is not None and self._latest_ns is not None:
            # A timer that had fired before the core slept: no time passed.
            ahead_ns = max(ahead_ns, self._latest_ns)
        self._latest_ns = ahead_ns if ahead_ns is not None else self._latest_ns
        self._from.append(wake.machine)
        self._ahead_ns.append(ahead_ns)

    def ns(self, machine: int) -> int | None:
        """The time since the counter was 0, when all cores together had executed so many instructions; None where it is not known."""
        place = bisect_right(self._from, machine) - 1
        ahead_ns = self._ahead_ns[place] if place >= 0 else None
        return None if ahead_ns is None else machine * self._ns_per_instruction + ahead_ns
