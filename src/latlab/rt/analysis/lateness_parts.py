# SPDX-License-Identifier: BSD-3-Clause
"""A lateness as a sum of named parts: what ran on the CPU from the moment when a wake-up was due to the moment when the thread ran.

The kernel's events cut that time into stretches, each of which belongs to who ran in it. What the CPU's counters show as stolen between
two readings is taken out of it first; without it the thread would have run earlier by as much, wherever between them it lay. Where the
thread became due between the two, what was taken may have been before: no more of it counts than the thread was woken later than usual.
Steal time of the hypervisor is taken out in the same way. Where it fits into the lateness it made the thread late; where it does not,
only the part that cannot have been before counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from statistics import median

from latlab.core.model.blame import UNEXPLAINED, Blame, BlameKind
from latlab.rt.analysis.charges import ChargeClock
from latlab.rt.analysis.own_waits import OwnWait, own_waits, said_priority
from latlab.rt.analysis.throttling import Span, throttled
from latlab.rt.model.kernel_events import CycleCounts, KernelEvents, KernelStep, LateSteps, StepKind, Thread
from latlab.rt.model.stolen import Calibration, Regime
from latlab.rt.model.wakeups import Outlier

MEASURING_TASK = "latlab-recorder"
LONG_NS = 1_000_000
"""From here on a handler or an exit from idle without an event in it may as well be a time slice of a host: the kernel's steal clock does
not count a hypervisor that is itself preempted, or that a quota throttles."""
MARK_SHARE = 0.5
PROMPT_NS = 3_000
"""An interrupt that nothing keeps waiting comes within this, on the slowest machine seen: the guest."""
TORN_CYCLES = 128
"""The kernel reads one counter after the other. Seen at switches: now and then the first is behind by 24 or 90 instructions."""
COUNTER_OVERFLOW = "arm-pmu"
PATH = Blame(BlameKind.PATH)
STOLEN = Blame(BlameKind.STOLEN)
THROTTLED = Blame(BlameKind.THROTTLED)
HYPERVISOR = Blame(BlameKind.HYPERVISOR)
SMI = Blame(BlameKind.SMI)
HELD_UP = frozenset(BlameKind) - {BlameKind.OWN, BlameKind.PAGE_FAULT, BlameKind.LOCK, BlameKind.BLOCKED}
"""From whom the hypervisor takes time that makes late: a thread that waits for something else needs no CPU."""
MAY_BE_THE_HOST = frozenset({BlameKind.INTERRUPT, BlameKind.SOFTIRQ, BlameKind.IDLE_EXIT})
HANDLERS = frozenset({BlameKind.INTERRUPT, BlameKind.SOFTIRQ})
UNKNOWN_OWNERS = frozenset({BlameKind.AWAY, BlameKind.MASKED, BlameKind.UNPREEMPTED, BlameKind.IDLE_EXIT, BlameKind.OWN, BlameKind.PATH})
"""Who seems to have the CPU in an SMI: nothing shows that they ran. An SMI in an interrupt handler, or in a thread of a higher priority, is
not distinguishable from the handler or the thread."""


@dataclass(frozen=True, slots=True)
class LatenessPart:
    """How much of a lateness is whose."""

    blame: Blame
    ns: int


@dataclass(frozen=True, slots=True)
class _Stretch:
    """From one event to the next. `slept`: the CPU was idle in it, so that its counters may have stood."""

    begin_ns: int
    end_ns: int
    owner: Blame
    slept: bool


@dataclass(slots=True)
class _State:
    """Who has the CPU while the steps are walked through."""

    own_priority: int
    own_pid: int | None = None
    running: Thread | None = None
    work: str = ""
    inside: list[tuple[StepKind, str]] = field(default_factory=list)
    idle_since_ns: int = 0
    idle_state: str = ""
    woken: bool = False
    came: bool = False
    is_woken_here: bool = True


def parts_of(
    late: LateSteps,
    outlier: Outlier,
    priority: int,
    calibration: Calibration | None,
    usual_waking_ns: int = 0,
    clock: ChargeClock | None = None,
    is_alone: bool = False,
    is_virtual: bool = False,
    thread_name: str = MEASURING_TASK,
) -> tuple[LatenessPart, ...]:
    """The parts, the largest first; together they are the lateness. `priority` is the thread's real-time priority. Without a calibration
    or a clock of steal time nothing can be stolen, and what may have been a theft says so. Where the events do not reach back to when it
    was due, the rest is unexplained. `usual_waking_ns`: how long after it is due the thread is woken where nothing is in the way.
    `is_alone`: nothing takes the CPU uncounted. `is_virtual`: a hypervisor may, and what no clock tells from it is not named for sure.
    A late exit from idle is a part only where a record shows it. `thread_name`: of the thread that was late."""
    due_ns = outlier.wake_ns - outlier.late_ns
    stretches = list(_stretches(late, due_ns, 99 - priority, calibration is not None or is_alone, thread_name))
    if is_virtual and calibration is None and clock is not None:
        stretches = [_in_doubt_if_long(stretch) for stretch in stretches]
    sums: Counter[Blame] = Counter()
    for stretch in stretches:
        sums[stretch.owner] += _overlap(stretch, due_ns, outlier.wake_ns)
    if calibration is not None:
        for begin_ns, end_ns, stolen_ns in thefts(late, calibration):
            if begin_ns < due_ns <= (_woken_ns(late, outlier) or late.wake_ns) <= end_ns:
                behind_ns, next_ns = _behind(late, end_ns, calibration)
                _take_out(sums, stretches, (end_ns, min(next_ns, outlier.wake_ns)), min(stolen_ns, behind_ns))
                stolen_ns = min(max(0, stolen_ns - behind_ns), max(0, end_ns - due_ns - usual_waking_ns))
            _take_out(sums, stretches, (max(begin_ns, due_ns), min(end_ns, outlier.wake_ns)), stolen_ns)
    for begin_ns, end_ns, stolen_ns in clock.stolen(late) if clock is not None else ():
        if end_ns - due_ns < stolen_ns:
            stolen_ns = max(0, stolen_ns - max(0, due_ns - begin_ns))
        _take_out(sums, stretches, (max(begin_ns, due_ns), min(end_ns, outlier.wake_ns)), stolen_ns, HYPERVISOR, HELD_UP)
    for begin_ns, end_ns, _ in smi_windows(late):
        usual_ns = usual_waking_ns if begin_ns < due_ns else 0
        within = max(begin_ns, due_ns), min(end_ns, outlier.wake_ns)
        _take_out(sums, stretches, within, max(0, within[1] - within[0] - usual_ns), SMI, UNKNOWN_OWNERS)
    if not _shows_idle_end(late, due_ns):
        sums = Counter({blame: ns for blame, ns in sums.items() if blame.kind is not BlameKind.IDLE_EXIT})
    sums[UNEXPLAINED] += outlier.late_ns - sums.total()
    parts = tuple(LatenessPart(blame, ns) for blame, ns in sums.most_common() if ns > 0)
    if not is_virtual or calibration is not None or clock is not None:
        return parts
    return in_doubt_of(parts)


def _shows_idle_end(late: LateSteps, due_ns: int) -> bool:
    """Whether a record says when the CPU came out of idle, or when the thread was woken. A lost one would make all the time an exit."""
    return any(step.ns >= due_ns and step.step in (StepKind.IDLE_OUT, StepKind.WAKING) for step in late.steps)


def as_kernel_code(blame: Blame) -> Blame:
    """On a kernel that preempts no kernel code, a thread that went on after the wake-up was in the kernel: that is enough, and no
    preemption has to be disabled. In user space the interrupt that woke would have switched threads."""
    return replace(blame, kind=BlameKind.KERNEL_CODE) if blame.kind is BlameKind.UNPREEMPTED else blame


def in_doubt(blame: Blame) -> Blame:
    """An interrupt, a softirq, an exit from idle or a system call of a virtual machine without a clock of steal time: a hypervisor may have
    had the CPU."""
    if blame.kind is BlameKind.IDLE_EXIT:
        return Blame(BlameKind.AWAY, "the idle task")
    if blame.kind is BlameKind.CALL:
        return Blame(BlameKind.AWAY, f"its own system call {blame.name}")
    if blame.kind is BlameKind.COMPUTING:
        return Blame(BlameKind.AWAY, "the thread itself")
    if blame.kind not in HANDLERS:
        return blame
    return Blame(BlameKind.AWAY, f"{blame.kind.value} {blame.name}")


def _in_doubt_if_long(stretch: _Stretch) -> _Stretch:
    if stretch.owner.kind in MAY_BE_THE_HOST and stretch.end_ns - stretch.begin_ns >= LONG_NS:
        return replace(stretch, owner=in_doubt(stretch.owner))
    return stretch


def _behind(late: LateSteps, stamped_ns: int, calibration: Calibration) -> tuple[int, int]:
    """How much later than its time stamp the reading at the thread's waking was taken, and when the next one was. The kernel stamps an
    event before it reads the counters, and what is stolen in between stands in the reading: the cycles until the next one are fewer by as
    much than the time between the two stamps. From its waking to its switch no thread lets the CPU sleep."""
    readings = [(step.ns, step.counts) for step in late.steps if step.counts is not None and step.ns >= stamped_ns]
    readings += [(late.after_ns, late.after)] if late.after is not None else []
    if calibration.regime is not Regime.RUNS or len(readings) < 2:
        return 0, stamped_ns
    (at_ns, first), (next_ns, second), *_ = readings
    behind_ns = round(next_ns - at_ns - (second.cycles - first.cycles) * 1e9 / calibration.cycle_hz)
    return (behind_ns, next_ns) if behind_ns > PROMPT_NS else (0, next_ns)


def usual_waking(late_wakings: Sequence[tuple[LateSteps, Outlier]], usual_ns: int) -> int:
    """How long after it is due a CPU's thread is woken, by its late wake-ups: in many of them nothing was late until then. Where something
    was in all of them, it is what the shortest way from there to the thread leaves of the median latency, and where that is late as well,
    what the interrupt took that woke it and PROMPT_NS."""
    wakings = [(at, late.wake_ns - at, outlier) for late, outlier in late_wakings if (at := _woken_ns(late, outlier)) is not None]
    if not wakings:
        return 0
    soonest_ns = min(at - (outlier.wake_ns - outlier.late_ns) for at, _, outlier in wakings)
    shortest_way_ns = min(way_ns for _, way_ns, _ in wakings)
    handler_ns = min((at - begin for late, outlier in late_wakings for begin, at in _handlers(late, outlier)), default=usual_ns)
    return min(soonest_ns, usual_ns - shortest_way_ns if shortest_way_ns < usual_ns else usual_ns, handler_ns + PROMPT_NS)


def _handlers(late: LateSteps, outlier: Outlier) -> Iterator[tuple[int, int]]:
    """When the interrupt began that woke the thread, and when it did; none where no event says so."""
    at = _woken_ns(late, outlier)
    begins = [step.ns for step in late.steps if step.step is StepKind.INTERRUPT_IN and at is not None and step.ns <= at]
    if at is not None and begins:
        yield begins[-1], at


def _woken_ns(late: LateSteps, outlier: Outlier) -> int | None:
    due_ns = outlier.wake_ns - outlier.late_ns
    return next((step.ns for step in late.steps if step.step is StepKind.WAKING and step.ns >= due_ns), None)


def _take_out(
    sums: Counter[Blame],
    stretches: list[_Stretch],
    within: tuple[int, int],
    stolen_ns: int,
    thief: Blame = STOLEN,
    owners: Container[BlameKind] = frozenset(BlameKind),
) -> None:
    """Of those who seemed to have the CPU at that time, of the one who seemed to have it longest first."""
    shares = Counter({owner: 0 for owner in sums if owner.kind in owners})
    for stretch in stretches:
        if stretch.owner.kind in owners:
            shares[stretch.owner] += _overlap(stretch, *within)
    left_ns = min(stolen_ns, shares.total())
    sums[thief] += left_ns
    for owner, share_ns in shares.most_common():
        taken_ns = min(share_ns, left_ns)
        sums[owner] -= taken_ns
        left_ns -= taken_ns


def smi_windows(late: LateSteps) -> Iterator[tuple[int, int, int]]:
    """Begin, end and number of SMIs between two readings of their count."""
    read = [(step.ns, step.smis) for step in late.steps if step.smis is not None]
    if late.smis is not None:
        read.append((late.own_at_ns, late.smis))
    for (begin_ns, first), (end_ns, second) in pairwise(read):
        if second != first:
            yield begin_ns, end_ns, second - first


def smis_in(late: LateSteps, outlier: Outlier) -> int:
    """How many SMIs there were until the thread ran, from the last reading before it was due."""
    due_ns = outlier.wake_ns - outlier.late_ns
    return sum(smis for _, end_ns, smis in smi_windows(late) if end_ns > due_ns)


def _overlap(stretch: _Stretch, begin_ns: int, end_ns: int) -> int:
    return max(0, min(stretch.end_ns, end_ns) - max(stretch.begin_ns, begin_ns))


def thefts(late: LateSteps, calibration: Calibration) -> Iterator[tuple[int, int, int]]:
    """Begin, end and ns of each theft between two readings of the counters."""
    read = [(step.ns, step.counts) for step in late.steps if step.counts is not None]
    if late.after is not None and calibration.regime is not Regime.UNMARKED:
        read.append((late.after_ns, late.after))
    if calibration.regime is Regime.RUNS:
        read = list(accumulate(read, _caught_up))
    asleep = list(_untold(late))
    for (begin_ns, first), (end_ns, second) in pairwise(read):
        may_have_stood = any(begin < end_ns and end > begin_ns for begin, end in asleep)
        stolen_ns = stolen_between(end_ns - begin_ns, first, second, calibration, may_have_stood)
        if stolen_ns > 0:
            yield begin_ns, end_ns, stolen_ns


def _caught_up(before: tuple[int, CycleCounts], now: tuple[int, CycleCounts]) -> tuple[int, CycleCounts]:
    """A reading whose cycles are behind: what is taken is never given back, so that the next would show as a theft what this one lacks."""
    ns, counts = now
    lead = max(before[1].cycles - before[1].events, counts.cycles - counts.events)
    return ns, CycleCounts(counts.events + lead, counts.events)


def stolen_between(elapsed_ns: int, first: CycleCounts, second: CycleCounts, calibration: Calibration, may_have_stood: bool = False) -> int:
    """What was taken between two readings; 0 where that cannot be told from nothing. Where the system counter measures, the CPU must not
    have slept and its counters must not have been stopped."""
    events = second.events - first.events
    mark = second.cycles - first.cycles - events
    if calibration.regime is Regime.RUNS:
        return round(mark * 1e9 / calibration.cycle_hz) if mark > max(2 * calibration.noise_cycles, TORN_CYCLES) else 0
    if may_have_stood:
        return 0
    lead_ns = round(elapsed_ns - events * 1e9 / calibration.cycle_hz)
    # A call that was calibrated with may have entered the firmware many times, as one read of the kernel's PSCI table does.
    least_mark = min(MARK_SHARE * calibration.call_mark_cycles, TORN_CYCLES)
    enough = mark >= least_mark if calibration.regime is Regime.STOPS else lead_ns > calibration.noise_ns
    return max(lead_ns, 0) if enough else 0


def _untold(late: LateSteps) -> Iterator[tuple[int, int]]:
    """When the counters may have stood: in idle, and in the interrupt of their own overflow."""
    idle_since_ns: int | None = None
    overflow_since_ns: int | None = None
    for step in late.steps:
        if step.leaves is not None and step.leaves.is_idle:
            yield (late.steps[0].ns if idle_since_ns is None else idle_since_ns), step.ns
        if step.step is StepKind.SWITCH:
            idle_since_ns = step.ns if step.comes is not None and step.comes.is_idle else None
        elif step.step is StepKind.INTERRUPT_IN and step.name == COUNTER_OVERFLOW:
            overflow_since_ns = step.ns
        elif step.step is StepKind.INTERRUPT_OUT and overflow_since_ns is not None:
            yield overflow_since_ns, step.ns
            overflow_since_ns = None
    if idle_since_ns is not None:
        yield idle_since_ns, late.wake_ns


def last_on(late: LateSteps) -> Thread | None:
    """To whom the last switch is: where that is not the late thread, events are missing."""
    return next((step.comes for step in reversed(late.steps) if step.comes is not None), None)


def _stretches(late: LateSteps, due_ns: int, own_priority: int, sees: bool, thread_name: str) -> Iterator[_Stretch]:
    """None if the last switch is not to the late thread: events are missing, and the thread that ran last may have stopped. If the thread
    moved to another CPU, only the time from then on has an owner. A CPU whose switch was due, and then was not, came out of idle: its
    scheduler chose the idle task once more, nobody knows when."""
    last_thread = last_on(late)
    if last_thread is None or last_thread.name != thread_name:
        yield from _elsewhere(late, due_ns)
        return
    state = _State(own_priority, is_woken_here=_is_woken_here(late, due_ns, last_thread.pid))
    first = next((step for step in late.steps if step.leaves is not None), None)
    state.own_pid = last_thread.pid
    state.running = first.leaves if first else None
    state.idle_since_ns = late.steps[0].ns
    waits, kept_off = own_waits(late, due_ns, last_thread), throttled(late, due_ns, last_thread, own_priority)
    begin_ns: int | None = None
    is_due: bool | None = None
    for step in late.steps:
        if begin_ns is not None:
            owner = _held_up(state, waits, kept_off, begin_ns, step.ns) or _owner(state, due_ns, sees)
            chose_idle = is_due and step.is_switch_due is False and step.step is not StepKind.SWITCH
            owner = UNEXPLAINED if chose_idle and owner.kind is BlameKind.IDLE_EXIT else owner
            yield _Stretch(begin_ns, step.ns, owner, bool(state.running and state.running.is_idle))
        _advance(state, step, due_ns)
        begin_ns, is_due = step.ns, step.is_switch_due
    if begin_ns is not None:
        owner = _held_up(state, waits, kept_off, begin_ns, late.wake_ns) or _owner(state, due_ns, sees)
        yield _Stretch(begin_ns, late.wake_ns, owner, False)


def _is_woken_here(late: LateSteps, due_ns: int, own_pid: int) -> bool:
    """False if the records begin while the thread waits, and it ran again before its timer's interrupt. Another CPU woke it then, and these
    records do not show what it waited for."""
    for step in late.steps:
        if step.leaves is not None and step.leaves.pid == own_pid:
            return True
        if step.ns >= due_ns and step.step is StepKind.WAKING:
            return True
        if step.ns >= due_ns and step.comes is not None and step.comes.pid == own_pid:
            return False
    return True


def _elsewhere(late: LateSteps, due_ns: int) -> Iterator[_Stretch]:
    """From the migration on; what the other CPU did then is not known, except that it had the thread."""
    moved = next((step for step in reversed(late.steps) if step.step is StepKind.MIGRATED), None)
    if moved is not None and moved.ns >= due_ns and moved.name != str(late.cpu):
        yield _Stretch(moved.ns, late.wake_ns, Blame(BlameKind.MIGRATED, f"CPU {moved.name}"), False)


def _held_up(state: _State, waits: Sequence[OwnWait], kept_off: Sequence[Span], begin_ns: int, end_ns: int) -> Blame | None:
    """What the thread itself waited for, the innermost; else an interrupt, or that the scheduler kept it off. While the thread waits off
    the CPU, interrupts take nothing from it."""
    within = [wait.blame for wait in waits if wait.begin_ns <= begin_ns and end_ns <= wait.end_ns]
    is_off = state.running is not None and state.running.pid != state.own_pid
    inside = None if within and is_off else _inside(state)
    if inside is not None or within:
        return inside or within[-1]
    return THROTTLED if any(begin <= begin_ns and end_ns <= end for begin, end in kept_off) else None


def _advance(state: _State, step: KernelStep, due_ns: int) -> None:
    if step.step is StepKind.SWITCH:
        state.running, state.work, state.idle_since_ns, state.idle_state = step.comes, "", step.ns, ""
        state.came = step.ns >= due_ns and step.comes is not None and step.comes.pid == state.own_pid
    elif step.step is StepKind.WAKING:
        state.woken = state.woken or step.ns >= due_ns
    elif step.step in (StepKind.WORK_IN, StepKind.WORK_OUT):
        state.work = step.name if step.step is StepKind.WORK_IN else ""
    elif step.step in (StepKind.INTERRUPT_IN, StepKind.SOFTIRQ_IN):
        state.inside.append((step.step, step.name))
    elif step.step is StepKind.IDLE_IN:
        state.idle_state = step.name
    elif step.step in (StepKind.INTERRUPT_OUT, StepKind.SOFTIRQ_OUT) and state.inside:
        state.inside.pop()


def waker(late: LateSteps, outlier: Outlier) -> Blame | None:
    """The interrupt or softirq that woke the thread; None where no event says so. Where it was woken more than once, as one that waited for
    a lock until it was late for its timer, the last waking ended its sleep."""
    state, due_ns = _State(0), outlier.wake_ns - outlier.late_ns
    woke: Blame | None = None
    for step in late.steps:
        if step.step is StepKind.WAKING and step.ns >= due_ns:
            woke = _inside(state)
        _advance(state, step, due_ns)
    return woke


def beyond_ordinary(parts: Iterable[LatenessPart], waker: Blame | None, usual_ns: int, handler_ns: int = 0) -> tuple[LatenessPart, ...]:
    """The parts that can be to blame, the largest first. Every wake-up has the interrupt that wakes and the way to the thread, so what
    fits into the usual latency of these two is no cause. `handler_ns`: what a usual wake-up has of the interrupt, however long the way of
    this one was."""
    ns_of = {part.blame: part.ns for part in parts}
    allowed_ns = max(handler_ns, usual_ns - ns_of.get(PATH, 0))
    if waker in ns_of:
        ns_of[waker] = max(0, ns_of[waker] - allowed_ns)
    lateness_parts = [LatenessPart(blame, ns) for blame, ns in ns_of.items() if blame not in (PATH, UNEXPLAINED)]
    return tuple(sorted(lateness_parts, key=lambda part: -part.ns))


def usual_handler(late_wakings: Sequence[tuple[LateSteps, Outlier]], usual_ns: int) -> int:
    """What the interrupt that wakes takes of a CPU's usual wake-up: the median of its late ones, and no more than the median latency."""
    took = [ns for late, outlier in late_wakings if (ns := _handler_ns(late, outlier)) is not None]
    return min(round(median(took)), usual_ns) if took else 0


def _handler_ns(late: LateSteps, outlier: Outlier) -> int | None:
    due_ns = outlier.wake_ns - outlier.late_ns
    begin_ns: int | None = None
    woke_ns: int | None = None
    took_ns: int | None = None
    for step in late.steps:
        if step.step is StepKind.INTERRUPT_IN:
            begin_ns = step.ns
        elif step.step is StepKind.WAKING and step.ns >= due_ns:
            woke_ns = begin_ns
        elif step.step is StepKind.INTERRUPT_OUT:
            took_ns = step.ns - woke_ns if woke_ns is not None else took_ns
            begin_ns = woke_ns = None
    return took_ns


def is_handler_doubtful(parts: Sequence[LatenessPart], usual_ns: int) -> bool:
    """Whether a host may have had the CPU in the handlers. It takes a CPU in handlers and outside of them alike. So handlers are in doubt
    where as much as half of their time went by outside of them without an owner."""
    handlers_ns = sum(part.ns for part in parts if part.blame.kind in HANDLERS)
    path_ns = sum(part.ns for part in parts if part.blame == PATH)
    ownerless_ns = sum(part.ns for part in parts if part.blame.kind is BlameKind.AWAY) + max(0, path_ns - usual_ns)
    return handlers_ns > 0 and ownerless_ns >= MARK_SHARE * handlers_ns


def in_doubt_of(parts: Iterable[LatenessPart], kinds: Container[BlameKind] = frozenset(BlameKind)) -> tuple[LatenessPart, ...]:
    """The parts, the largest first, with those of these kinds in doubt. What has the same words then is one part."""
    sums: Counter[Blame] = Counter()
    for part in parts:
        sums[in_doubt(part.blame) if part.blame.kind in kinds else part.blame] += part.ns
    return tuple(LatenessPart(blame, ns) for blame, ns in sums.most_common())


def _inside(state: _State) -> Blame | None:
    if not state.inside:
        return None
    step, name = state.inside[-1]
    return Blame(BlameKind.INTERRUPT if step is StepKind.INTERRUPT_IN else BlameKind.SOFTIRQ, name)


def _owner(state: _State, due_ns: int, sees: bool) -> Blame:
    thread = state.running
    if thread is None:
        return UNEXPLAINED
    if thread.pid == state.own_pid:
        return PATH if state.came else Blame(BlameKind.OWN) if sees else Blame(BlameKind.AWAY, thread.name)
    if not state.is_woken_here and not state.came:
        return UNEXPLAINED
    if thread.is_idle:
        # A CPU that went idle after the timer was due sleeps for another reason than a late exit.
        return Blame(BlameKind.IDLE_EXIT, state.idle_state) if state.woken or state.idle_since_ns <= due_ns else UNEXPLAINED
    name = f"work {state.work}" if state.work else thread.name
    if thread.priority <= state.own_priority and (state.woken or (sees and thread.priority < state.own_priority)):
        # Before the timer's interrupt too: with the interrupt in time it would have run on, unless something took the CPU from it unseen.
        return Blame(BlameKind.THREAD, f"{name} ({said_priority(thread.priority)})")
    if not state.woken:
        return Blame(BlameKind.MASKED if sees else BlameKind.AWAY, name)
    return Blame(BlameKind.UNPREEMPTED if sees else BlameKind.AWAY, name)


def steps_by_wake_up(events: KernelEvents) -> Mapping[tuple[int, int], LateSteps]:
    """By CPU and the time when the thread ran, which is what an outlier says too."""
    return {(late.cpu, late.wake_ns): late for late in events.late}


def calibrations(events: KernelEvents) -> Mapping[int, Calibration]:
    """Of the CPUs whose meter sees."""
    return {cpu.cpu: cpu.calibration for cpu in events.meter if cpu.calibration is not None}
