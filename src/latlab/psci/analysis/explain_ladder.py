# SPDX-License-Identifier: BSD-3-Clause
"""The queue of a parallel test and the lead of a serial test, inferred from durations alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from latlab.core.comparison import findings as f
from latlab.core.comparison import queue_findings as q
from latlab.core.comparison.explanation import Basis, Explanation
from latlab.core.comparison.queue_findings import Suspect
from latlab.core.comparison.queue_model import BASE, STEP, SYSTEM_TERM, Ladders, after_term
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from latlab.core.statistics.sample_matrix import Columns
from latlab.psci.analysis.queue_fit import refusal
from latlab.psci.analysis.roles import Roles

LEAD_WAIT = 1.2
LEVEL_ZERO = "cpu_susp_parallel"
_LOCK_OR_CONTROLLER = (Suspect.PSCI_LOCK, Suspect.POWER_CONTROLLER)
_SHARED = (Suspect.SHARED_CHANNEL, Suspect.PLATFORM_LOCK)


def explain_ladder(test: str, ladders: dict[str, Ladders], columns: Columns, roles: Roles, unit: str) -> list[Explanation]:
    """Findings on the queue of a parallel test in its first iteration."""
    ladder = ladders[test]
    if (why_not := refusal(ladder)) is not None:
        return [Explanation(test, q.LadderRefused(why_not.share, why_not.cluster, why_not.last_men), Basis.INFERRED, unit)]
    step = float(np.nanmedian(ladder.terms[STEP]))
    base = float(np.nanmedian(ladder.terms[BASE]))
    if step <= 0.05 * base:
        return [Explanation(test, q.NoQueue(step, base), Basis.INFERRED, unit)]
    names = ladder.names_in_order()
    findings: list[f.Finding] = [q.ServedInOrder(names, base, step, float(np.nanmedian(ladder.rms)))]
    if ladder.head[0]:
        findings.append(q.DidNotWait(names[: int(ladder.head[0])]))
    findings.append(_longest_wait(ladder))
    out = [Explanation(test, finding, Basis.INFERRED, unit) for finding in findings]
    out += _last_men(test, ladder, columns, roles, unit)
    out += _queue_cause(test, ladders, unit)
    out += _wakeup_queue(test, columns, roles, unit)
    return out


def _longest_wait(ladder: Ladders) -> q.LongestWait:
    spans, names = ladder.spans[0], ladder.names_in_order()
    first = int(ladder.head[0])
    ahead = len(names) - 1 - first
    waited = float(spans[-1] - spans[first])
    extras = [(name, float(ladder.terms[name][0])) for name in ladder.terms if name not in (BASE, STEP)]
    measured = tuple((name, value) for name, value in extras if not np.isnan(value))
    step = float(ladder.terms[STEP][0]) if measured else waited / ahead
    return q.LongestWait(names[-1], waited, ahead, step, measured)


def _last_men(test: str, ladder: Ladders, columns: Columns, roles: Roles, unit: str) -> Iterator[Explanation]:
    flush = columns.matrix(test, Metric.CACHE_FLUSH)
    if flush is None:
        return
    names = ladder.names_in_order()
    for place in map(int, np.flatnonzero(ladder.last_man[0])):
        core = names[place]
        paid = float(flush.values[0, flush.cores.index(core)])
        rise = _rise_that_hides(ladder, place, paid - roles.plain_flush[core.cluster])
        yield Explanation(test, q.PaidAsLastMan(core, paid, rise), Basis.INFERRED, unit)
        term = ladder.terms.get(after_term(core.cluster))
        if term is not None and not np.isnan(term[0]) and place + 1 < len(names):
            waited = q.WaitedBehindLastMan(names[place + 1], float(term[0]))
            suspects = (Suspect.CLUSTER_POWER_OFF, Suspect.LAST_MAN_HOLDS)
            yield Explanation(test, waited, Basis.INFERRED, unit, suspects, about=core)
    if SYSTEM_TERM in ladder.terms and not np.isnan(ladder.terms[SYSTEM_TERM][0]):
        last = q.LastOfSystem(names[-1], float(ladder.terms[SYSTEM_TERM][0]))
        yield Explanation(test, last, Basis.INFERRED, unit)


def _rise_that_hides(ladder: Ladders, place: int, extra: float) -> float | None:
    """How much longer the core took than the one before it, if that is shorter than the flush, which then passed during the wait. Else
    None."""
    if not place:
        return None
    rise = float(ladder.spans[0, place] - ladder.spans[0, place - 1])
    return rise if rise - float(ladder.terms[STEP][0]) < extra / 2 else None


def _queue_cause(test: str, ladders: dict[str, Ladders], unit: str) -> list[Explanation]:
    step = float(np.nanmedian(ladders[test].terms[STEP]))
    if test == LEVEL_ZERO:
        return [Explanation(test, q.QueueWithoutClusterLock(), Basis.INFERRED, unit, _SHARED)]
    if LEVEL_ZERO not in ladders or refusal(ladders[LEVEL_ZERO]) is not None:
        return [Explanation(test, q.StepOfQueue(step), Basis.INFERRED, unit, _LOCK_OR_CONTROLLER)]
    other = float(np.nanmedian(ladders[LEVEL_ZERO].terms[STEP]))
    same = abs(step - other) <= 0.05 * step
    return [Explanation(test, q.StepOfLevelZero(other, same), Basis.INFERRED, unit, () if same else _LOCK_OR_CONTROLLER)]


def _wakeup_queue(test: str, columns: Columns, roles: Roles, unit: str) -> list[Explanation]:
    wakeup = columns.matrix(test, Metric.WAKEUP)
    if wakeup is None:
        return []
    waits = roles.queued(wakeup)[0]
    waiting_cores = tuple(
        (core, float(value) - roles.direct_wakeup[core.cluster])
        for core, value, waited in sorted(zip(wakeup.cores, wakeup.values[0], waits, strict=True), key=lambda cell: float(cell[1]))
        if waited
    )
    return [Explanation(test, q.WaitedOnTheWayUp(waiting_cores), Basis.INFERRED, unit)] if waiting_cores else []


def explain_lead(test: str, columns: Columns, lead: CoreId, unit: str) -> list[Explanation]:
    """Findings on the lead, which goes down last in a serial test: a span far above its siblings' is a wait for the core before it."""
    powerdown, flush = columns.matrix(test, Metric.POWERDOWN), columns.matrix(test, Metric.CACHE_FLUSH)
    if powerdown is None or lead not in powerdown.cores or not len(powerdown.values):
        return []
    medians = dict(zip(powerdown.cores, np.median(powerdown.values, axis=0), strict=True))
    flushes = dict(zip(flush.cores, np.median(flush.values, axis=0), strict=True)) if flush is not None and len(flush.values) else {}
    siblings = [core for core in medians if core.cluster == lead.cluster and core != lead]
    if not siblings:
        return []
    usual = float(np.median([medians[core] for core in siblings]))
    if medians[lead] < LEAD_WAIT * usual:
        return []
    flush_more = float(flushes.get(lead, 0.0) - np.median([flushes.get(core, 0.0) for core in siblings]))
    finding = q.LeadTookLonger(lead, float(medians[lead]) - usual, flush_more)
    suspects = () if finding.is_the_flush else (Suspect.POWER_OFF_BEFORE, Suspect.OWN_MESSAGE)
    return [Explanation(test, finding, Basis.INFERRED, unit, suspects)]
