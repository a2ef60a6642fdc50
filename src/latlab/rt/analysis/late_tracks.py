# SPDX-License-Identifier: BSD-3-Clause
"""Late wake-ups, and what the kernel did until each of them, as tracks on CLOCK_MONOTONIC."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from latlab.core.comparison.wording import said_blame
from latlab.core.model.blame import BlameKind
from latlab.core.model.time_line import Slice, outer_first
from latlab.rt.analysis.attribution import Attributed
from latlab.rt.analysis.lateness_parts import calibrations, thefts
from latlab.rt.model.kernel_events import KernelEvents, KernelStep, StepKind

BEGINS = {StepKind.INTERRUPT_IN: "interrupt", StepKind.SOFTIRQ_IN: "softirq"}
ENDS = (StepKind.INTERRUPT_OUT, StepKind.SOFTIRQ_OUT)
Tracks = dict[int, list[Slice]]


def late_wakeups(entries: Iterable[Attributed]) -> Tracks:
    """By CPU: from the moment when each was due to the moment when its thread ran."""
    tracks: Tracks = defaultdict(list)
    for entry in entries:
        outlier, blame = entry.outlier, entry.blame
        facts = (
            ("cause", said_blame(blame)),
            ("kind", blame.kind.value),
            ("call", blame.name),
            ("late_ns", outlier.late_ns),
            ("by_the_cause_ns", entry.stolen_ns),
            ("stolen_ns", sum(part.ns for part in entry.parts if part.blame.kind is BlameKind.STOLEN)),
            ("missed", outlier.missed),
        )
        parts = tuple((said_blame(part.blame), part.ns) for part in entry.parts)
        tracks[outlier.cpu].append(Slice(outlier.wake_ns - outlier.late_ns, outlier.wake_ns, said_blame(blame), facts, parts))
    return tracks


def scheduling(events: KernelEvents) -> Tracks:
    """By CPU: which thread ran, and interrupts in it, as far as the events that were kept reach."""
    steps: dict[int, list[list[KernelStep]]] = defaultdict(list)
    for late in sorted(events.late, key=lambda late_steps: late_steps.wake_ns):
        pieces_of_cpu = steps[late.cpu]
        new = list(late.steps)
        if pieces_of_cpu and new and new[0].ns <= pieces_of_cpu[-1][-1].ns:
            pieces_of_cpu[-1] += new[_reaches(new, pieces_of_cpu[-1][-1].ns) :]
        elif new:
            pieces_of_cpu.append(new)
    return {cpu: [track_slice for piece in pieces for track_slice in sorted(_ran(piece), key=outer_first)] for cpu, pieces in steps.items()}


def _reaches(steps: list[KernelStep], ns: int) -> int:
    return next((number for number, step in enumerate(steps) if step.ns > ns), len(steps))


def _ran(steps: list[KernelStep]) -> Iterator[Slice]:
    """Threads from switch to switch; what was open at either end of the piece is cut there."""
    begin, end = steps[0].ns, steps[-1].ns
    first = next((step.leaves for step in steps if step.leaves is not None), None)
    thread, since = first, begin
    inside: list[tuple[int, str]] = []
    for step in steps:
        if step.step is StepKind.SWITCH:
            if thread is not None and step.ns > since:
                yield Slice(since, step.ns, thread.name, (("pid", thread.pid), ("priority", thread.priority)))
            thread, since = step.comes, step.ns
        elif step.step in BEGINS:
            inside.append((step.ns, f"{BEGINS[step.step]} {step.name}"))
        elif step.step in ENDS and inside:
            at, name = inside.pop()
            yield Slice(at, step.ns, name)
    if thread is not None and end > since:
        yield Slice(since, end, thread.name, (("pid", thread.pid), ("priority", thread.priority)))


def stolen(events: KernelEvents) -> Tracks:
    """By CPU: from one reading of the cycle counters to the next in which they show that something was taken, and how much. Where two
    late wake-ups tell of the same time, the shorter of the two."""
    seeing = calibrations(events)
    windows_of: dict[int, set[tuple[int, int, int]]] = defaultdict(set)
    for late in events.late:
        if late.cpu in seeing:
            windows_of[late.cpu].update(thefts(late, seeing[late.cpu]))
    tracks: Tracks = defaultdict(list)
    for cpu, windows in windows_of.items():
        for begin_ns, end_ns, stolen_ns in sorted(windows):
            if not tracks[cpu] or tracks[cpu][-1].end <= begin_ns:
                tracks[cpu].append(Slice(begin_ns, end_ns, "stolen", (("stolen_ns", stolen_ns),)))
    return tracks
