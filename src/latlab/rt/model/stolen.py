# SPDX-License-Identifier: BSD-3-Clause
"""The results of the steal meter: the time that firmware and the secure world took from each CPU, or why it is not measurable."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Regime(StrEnum):
    """How the counters of a CPU show that its firmware ran."""

    RUNS = "runs"
    """The cycle counter runs on in the firmware and the event counter does not: their difference is the time."""
    STOPS = "stops"
    """The firmware stops both; the system counter shows the time, and a small difference of the two marks each entry."""
    UNMARKED = "unmarked"
    """Both stop at once: the system counter shows the time, and nothing marks an entry."""


class Blind(StrEnum):
    """Why time in firmware of a CPU is not measurable."""

    ARCHITECTURE = "architecture"
    NO_PMU = "no_pmu"
    NOT_PERMITTED = "not_permitted"
    COUNTERS_TAKEN = "counters_taken"
    SILENT = "silent"
    NO_CALL = "no_call"
    NOTHING_SEEN = "nothing_seen"


@dataclass(frozen=True, slots=True)
class Calibration:
    """Medians over `calls` calls of one kind that are known to enter the firmware. A difference below the noise does not count as time
    in firmware."""

    regime: Regime
    call: str
    calls: int
    call_ns: float
    call_mark_cycles: float
    noise_cycles: int
    noise_ns: float
    cycle_hz: float


@dataclass(frozen=True, slots=True)
class StolenSecond:
    """One second of one CPU. `measured_ticks` is the part of it that the windows cover, `marked` the number of windows
    with time in firmware."""

    number: int
    measured_ticks: int
    windows: int
    marked: int
    stolen_ns: int
    worst_ns: int
    cycles_per_tick: float


@dataclass(frozen=True, slots=True)
class Theft:
    """The time in firmware in one window, which is the time between two readings of the system counter."""

    begin_ticks: int
    end_ticks: int
    stolen_ns: int
    mark_cycles: int


@dataclass(frozen=True, slots=True)
class CpuStolen:
    """One CPU. `blind` is None if it was measurable, else the reason, with the kernel's error number (0: none). `counts` are (low,
    below, windows): the number of windows with a time in firmware in [low, below), sorted and disjoint. They and the fields after them
    come at the end of the measurement. `went_off`: the CPU was taken offline, and nothing was measured from then on."""

    cpu: int
    blind: Blind | None
    error: int = 0
    calibration: Calibration | None = None
    seconds: tuple[StolenSecond, ...] = ()
    thefts: tuple[Theft, ...] = ()
    counts: tuple[tuple[int, int, int], ...] = ()
    torn: int = 0
    dropped: int = 0
    lowest_mark_cycles: int = 0
    own_ns: int = 0
    went_off: bool = False


@dataclass(frozen=True, slots=True)
class Stolen:
    """One measurement. `start_ns` is CLOCK_MONOTONIC at `start_ticks` of the system counter. `priority` is 0 if the kernel allowed no
    real-time priority. `complete`: the measurement came to its end."""

    machine: str
    counter_hz: int
    interval_ns: int
    threshold_ns: int
    duration_ns: int
    start_ns: int
    start_ticks: int
    priority: int
    cpus: tuple[CpuStolen, ...]
    complete: bool
    problems: tuple[str, ...] = ()

    @property
    def seeing(self) -> tuple[CpuStolen, ...]:
        return tuple(cpu for cpu in self.cpus if cpu.blind is None)

    def ns_of(self, ticks: int) -> float:
        return ticks * 1e9 / self.counter_hz if self.counter_hz else 0.0
