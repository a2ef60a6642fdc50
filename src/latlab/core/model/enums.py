# SPDX-License-Identifier: BSD-3-Clause
"""The clocks, metrics, kinds and states of runs and figures."""

from __future__ import annotations

from enum import StrEnum


class Clock(StrEnum):
    """What a figure counts. Figures of different clocks are never compared."""

    TIME = "time"
    INSTRUCTIONS = "instructions"
    VIRTUAL = "virtual"
    CYCLES = "cycles"
    """The clock of a trace, in cycles of the processor or the design."""
    TICKS = "simulator ticks"
    """The clock of a simulator, in its own ticks, whose length the trace does not have."""
    TRACE = "trace time"
    """The clock of a trace, in a unit of time."""


class Metric(StrEnum):
    """A named span: the difference of two trace events; `task_wakeup` goes from a timer's expiry, or another event that a task waits
    for, to its task, `irq_latency` from an interrupt's due time to its handler, less what that takes with nothing in the way.
    `missed_periods` is no span: it counts the periods of a task that passed before it ran, per million that were due; `late_wakeups`
    counts wake-ups later than a level, those of one event once, per million; `missing_samples` counts samples that were due and are not
    there, per million. `call` goes from
    the first instruction of the world that serves to the first one back in the world that called, or from before the call to after it
    where the caller measures. `boot` goes from a machine's first instruction to the first one of its normal world, or is the part of it
    that one image ran. `stall` is the time for which a busy loop stood still. `cycle` goes from the due time of a periodic thread's cycle
    to the end of its work.

    The last five are amounts, which tools count or sum over a run: a `duration`, `events` that disturb, a `throughput`, the share of
    the time that was `available`, and a `value` of which nothing is known."""

    POWERDOWN = "powerdown"
    WAKEUP = "wakeup"
    CACHE_FLUSH = "cache_flush"
    PSCI_CALL = "psci_call"
    TASK_WAKEUP = "task_wakeup"
    PSA_CALL = "psa_call"
    IRQ_LATENCY = "irq_latency"
    MISSED_PERIODS = "missed_periods"
    LATE_WAKEUPS = "late_wakeups"
    MISSING_SAMPLES = "missing_samples"
    CALL = "call"
    BOOT = "boot"
    STALL = "stall"
    CYCLE = "cycle"
    DURATION = "duration"
    EVENTS = "events"
    THROUGHPUT = "throughput"
    AVAILABLE = "available"
    VALUE = "value"


class CodePart(StrEnum):
    """The purpose of instructions, by their opcodes: the parts into which the probe splits a span.

    The cache flush is each loop of at most sixteen instructions that cleans or invalidates caches by set and way, with the instructions
    of the loop itself. Maintenance of caches by address is split off in the same way. Every other instruction is classified by itself.
    """

    CACHE_FLUSH = "cache flush"
    LINES = "cache by address"
    TLB = "TLB and instruction cache"
    BARRIERS = "barriers"
    EXCLUSIVES = "exclusives"
    REGISTERS = "system registers"
    WAITING = "waiting"
    OTHER = "other code"


class InstructionClass(StrEnum):
    """What the cost of an instruction on hardware depends on; each instruction has one class. Memory accesses come first, by the memory
    accessed and by whether translation and the data cache were on. Then come the kinds by opcode, then all others by whether the
    instruction cache was on. UNCLASSIFIED are instructions for which one of these is not known."""

    DEVICE = "device"
    EXCLUSIVE = "exclusive"
    UNCACHED_LOAD = "uncached load"
    UNCACHED_STORE = "uncached store"
    DMB = "dmb"
    DSB = "dsb"
    ISB = "isb"
    BARRIER = "other barrier"
    DC_SET_WAY = "dc set way"
    DC_LINE = "dc line"
    IC = "ic"
    TLBI = "tlbi"
    SYSTEM = "other system"
    MRS = "mrs"
    MSR = "msr"
    WAIT = "wait"
    UNCACHED_FETCH = "uncached fetch"
    UNCACHED_BRANCH = "uncached branch"
    CACHED = "cached"
    UNCLASSIFIED = "unclassified"


class RunStatus(StrEnum):
    """How far a run came. A planned or running run is in the store and has not ended. A partial run lacks data."""

    PLANNED = "planned"
    RUNNING = "running"
    COMPLETE = "complete"
    PARTIAL = "partial"


class ProblemKind(StrEnum):
    """What is wrong with an input, if a decision depends on it."""

    INPUT = "input"
    """Damaged, incomplete or contradictory."""
    UNFINISHED = "unfinished"
    """The input ends before the measurement did, so that nothing tells what was due."""
    UNIT_SUSPECT = "unit suspect"
    """Figures that cannot be in the unit that the document names."""
    MISPRINTED_DELTA = "misprinted delta"
    """A printed percentage that does not follow from the printed figures."""
    DELTA_WITHOUT_BASE = "delta without base"
    """Printed percentages that follow from no figure of the document: what they were taken against is not in it."""
    INFERRED = "inferred"
    """Something that the input contradicts itself on, settled by what the rest of it suggests."""


class Taker(StrEnum):
    """Which exception level takes the interrupt: EL2, in which the program runs; the secure world; or EL3, in any world."""

    NORMAL = "normal"
    SECURE = "secure"
    EL3 = "el3"


class RowKind(StrEnum):
    """What a row of wake-ups is about. The number of a thread is not the number of a CPU, unless the tool reports the CPU of the thread."""

    CPU = "CPU"
    THREAD = "thread"
    PAIR = "pair"
    ALL = "all"

    def named(self, number: int) -> str:
        return "all CPUs" if self is RowKind.ALL else f"{self.value} {number}"
