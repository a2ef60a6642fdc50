# SPDX-License-Identifier: BSD-3-Clause
"""Whether a point of a machine's set-up mattered in a run: by the causes of its late wake-ups, and by their parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from latlab.core.model.blame import Blame, BlameKind
from latlab.rt.analysis.attribution import Attributed
from latlab.rt.model.machine_setup import SetupCheck, SetupTopic

OF_THE_TICK = re.compile(r"timer|SCHED|RCU", re.IGNORECASE)
OF_OTHER_CPUS = re.compile(r"IPI|reschedule|call_function", re.IGNORECASE)
ANY = re.compile("")


@dataclass(frozen=True, slots=True)
class _Trace:
    """What a point leaves in the causes: kinds, and a part of their names."""

    kinds: frozenset[BlameKind]
    name: re.Pattern[str] = ANY
    other_than: re.Pattern[str] | None = None

    def has(self, blame: Blame) -> bool:
        if blame.kind not in self.kinds or not self.name.search(blame.name):
            return False
        return self.other_than is None or not self.other_than.search(blame.name)


HANDLERS = frozenset({BlameKind.INTERRUPT, BlameKind.SOFTIRQ})
OTHER_IRQS = re.compile(f"{OF_THE_TICK.pattern}|{OF_OTHER_CPUS.pattern}", re.IGNORECASE)
TRACES: dict[SetupTopic, tuple[_Trace, ...]] = {
    SetupTopic.OFFLINE: (_Trace(frozenset({BlameKind.MIGRATED})),),
    SetupTopic.PREEMPTION: (
        _Trace(frozenset({BlameKind.KERNEL_CODE, BlameKind.UNPREEMPTED, BlameKind.CALL, BlameKind.LOCK, BlameKind.SOFTIRQ})),
    ),
    SetupTopic.THROTTLING: (_Trace(frozenset({BlameKind.THROTTLED})),),
    SetupTopic.ISOLATION: (_Trace(frozenset({BlameKind.THREAD, BlameKind.UNPREEMPTED, BlameKind.MASKED}) | HANDLERS),),
    SetupTopic.TICK: (_Trace(HANDLERS, OF_THE_TICK),),
    SetupTopic.IRQ_AFFINITY: (_Trace(HANDLERS, other_than=OTHER_IRQS),),
    SetupTopic.IRQ_THREADS: (_Trace(frozenset({BlameKind.THREAD}), re.compile("^irq/")),),
    SetupTopic.IDLE_STATES: (_Trace(frozenset({BlameKind.IDLE_EXIT})),),
    SetupTopic.HUGE_PAGES: (_Trace(frozenset({BlameKind.PAGE_FAULT})), _Trace(frozenset({BlameKind.THREAD}), re.compile("^khugepaged"))),
    SetupTopic.SMI: (_Trace(frozenset({BlameKind.SMI})),),
}
"""A point that is not here has no record of its own: frequency, turbo, SMT and the clock source make everything slower."""


@dataclass(frozen=True, slots=True)
class SetupEffect:
    """A point of the set-up in one run: how many late wake-ups have a cause that rests on it, and the sum of all such parts. `late` is None
    if no record can show it."""

    check: SetupCheck
    late: int | None = None
    ns: int = 0


def setup_effects(checks: Iterable[SetupCheck], attributed: Sequence[Attributed] | None) -> tuple[SetupEffect, ...]:
    """`attributed` is None of a run without causes."""
    return tuple(_effect(check, attributed) for check in checks)


def _effect(check: SetupCheck, attributed: Sequence[Attributed] | None) -> SetupEffect:
    traces = TRACES.get(check.topic)
    if attributed is None or traces is None:
        return SetupEffect(check)
    late = sum(_rests_on(traces, entry.blame) for entry in attributed)
    return SetupEffect(check, late, sum(part.ns for entry in attributed for part in entry.parts if _rests_on(traces, part.blame)))


def _rests_on(traces: Iterable[_Trace], blame: Blame) -> bool:
    return any(trace.has(blame) for trace in traces)
