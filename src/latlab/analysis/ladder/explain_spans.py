# SPDX-License-Identifier: BSD-3-Clause
"""Sentences with figures: what a run's spans are made of.

Where a run has traces its sentences are exact; where it has durations only they are inferred, and where two explanations fit equally both
are given.
"""

from __future__ import annotations

import numpy as np

from latlab.analysis.base.columns import Columns
from latlab.analysis.base.explanation import EXACT, INFERRED, Explanation
from latlab.analysis.base.identity import checked_columns
from latlab.analysis.base.ladders import Ladders
from latlab.analysis.base.summary import TURNS_MARK, mark_of
from latlab.analysis.base.wording import amount, count
from latlab.analysis.ladder.canonical import BASE, STEP, SYSTEM_TERM, after_term, fit_ladders
from latlab.analysis.ladder.roles import Roles, inferred_lead, is_parallel, roles_of
from latlab.analysis.ladder.span_invariants import check_spans
from latlab.analysis.spans.explain_trace import explain_traces
from latlab.model.enums import Metric
from latlab.model.run import CoreId, Run

LEAD_WAIT = 1.2


def explain_spans(run: Run) -> tuple[Explanation, ...]:
    """Raises NotComparable where the run holds nothing to explain."""
    columns = checked_columns(run)
    roles = roles_of(columns)
    lead = run.lead or inferred_lead(run, columns, roles)
    exact = {test: sentences for test, sentences in explain_traces(run)}
    out: list[Explanation] = []
    for check in check_spans(run):
        if not check.holds:
            out.append(Explanation(check.test, f"this breaks a rule of any correct firmware, {check.name}: {check.sentence}", INFERRED))
    ladders = {test: found for test in columns.tests if is_parallel(test) and (found := fit_ladders(columns, roles, test))}
    for test in columns.tests:
        turns = mark_of(run, test) == TURNS_MARK
        if turns:
            out.append(Explanation(test, "cores take turns under the instruction clock, so these spans show no queue", EXACT))
        if test in exact:
            out += [Explanation(test, sentence, EXACT) for sentence in exact[test]]
        elif turns:
            continue
        elif test in ladders:
            out += explain_ladder(test, ladders, columns, roles, run.tick.unit)
        elif lead is not None and not is_parallel(test):
            out += _explain_lead(test, columns, lead, run.tick.unit)
    return tuple(out)


def explain_ladder(test: str, ladders: dict[str, Ladders], columns: Columns, roles: Roles, unit: str) -> list[Explanation]:
    """The queue of a parallel test in its first iteration."""
    ladder = ladders[test]
    names = ladder.names_in_order()
    step = float(np.nanmedian(ladder.terms[STEP]))
    base = float(np.nanmedian(ladder.terms[BASE]))
    if step <= 0.05 * base:
        sentence = f"no queue: sorted spans rise by {amount(step, unit)} a core on a base of {amount(base, unit)}"
        return [Explanation(test, sentence, INFERRED)]
    fit = f"base {amount(base, unit)}, step {amount(step, unit)}, the fit leaves {amount(float(np.nanmedian(ladder.rms)), unit)}"
    out = [Explanation(test, f"cores were served in the order {', '.join(map(str, names))}: {fit}", INFERRED)]
    if ladder.head[0]:
        served = ", ".join(map(str, names[: int(ladder.head[0])]))
        out.append(Explanation(test, f"{served} did not wait: the queue begins behind it", INFERRED))
    out.append(_longest_wait(test, ladder, unit))
    out += _last_men(test, ladder, columns, roles, unit)
    out += _queue_cause(test, ladders, unit)
    out += _wakeup_queue(test, columns, roles, unit)
    return out


def _longest_wait(test: str, ladder: Ladders, unit: str) -> Explanation:
    spans, names = ladder.spans[0], ladder.names_in_order()
    first = int(ladder.head[0])
    ahead = len(names) - 1 - first
    waited = float(spans[-1] - spans[first])
    made_of = f"{ahead} steps of {amount(waited / ahead, unit)}"
    extras = [name for name in ladder.terms if name not in (BASE, STEP) and not np.isnan(ladder.terms[name][0])]
    if extras:
        told = " and ".join(f"{amount(float(ladder.terms[name][0]), unit)} {name}" for name in extras)
        made_of = f"{ahead} steps of {amount(float(ladder.terms[STEP][0]), unit)}, {told}"
    return Explanation(test, f"core {names[-1]} waited {amount(waited, unit)} behind {count(ahead, 'core')}: {made_of}", INFERRED)


def _last_men(test: str, ladder: Ladders, columns: Columns, roles: Roles, unit: str) -> list[Explanation]:
    flush = columns.matrix(test, Metric.CACHE_FLUSH)
    if flush is None:
        return []
    out = []
    names = ladder.names_in_order()
    for place in np.flatnonzero(ladder.last_man[0]):
        core = names[int(place)]
        paid = float(flush.values[0, flush.cores.index(core)])
        extra = paid - roles.plain_flush[core.cluster]
        sentence = f"{core} paid the cluster flush of {amount(paid, unit)} as last man of cluster {core.cluster}"
        step, rise = float(ladder.terms[STEP][0]), float(ladder.spans[0, place] - ladder.spans[0, place - 1]) if place else 0.0
        if place and rise - step < extra / 2:
            sentence += f"; it stands {amount(rise, unit)} behind the core before it, so most of the flush passed while it waited anyway"
        out.append(Explanation(test, sentence, INFERRED))
        term = ladder.terms.get(after_term(core.cluster))
        if term is not None and not np.isnan(term[0]) and place + 1 < len(names):
            follower, more = names[int(place) + 1], amount(float(term[0]), unit)
            out.append(
                Explanation(
                    test,
                    f"{follower}, next behind it, waited {more} longer than a step",
                    INFERRED,
                    (
                        f"the power-off of cluster {core.cluster} keeps the power controller busy for that long",
                        f"{core} holds what the queue is for while it flushes its cluster",
                    ),
                )
            )
    if SYSTEM_TERM in ladder.terms and not np.isnan(ladder.terms[SYSTEM_TERM][0]):
        more = amount(float(ladder.terms[SYSTEM_TERM][0]), unit)
        out.append(Explanation(test, f"{names[-1]}, last of the system, took {more} more than its place in the queue", INFERRED))
    return out


def _queue_cause(test: str, ladders: dict[str, Ladders], unit: str) -> list[Explanation]:
    step = float(np.nanmedian(ladders[test].terms[STEP]))
    shallow = ladders.get("cpu_susp_parallel")
    if shallow is None or test == "cpu_susp_parallel":
        if test != "cpu_susp_parallel":
            return [Explanation(test, f"each place costs {amount(step, unit)}", INFERRED, _LOCK_OR_CONTROLLER)]
        sentence = "level 0 needs no lock of a cluster, so the queue is for something that all cores share"
        return [Explanation(test, sentence, INFERRED, _SHARED)]
    other = float(np.nanmedian(shallow.terms[STEP]))
    if abs(step - other) <= 0.05 * step:
        same = amount(other, unit)
        sentence = f"the level-0 test, which takes no cluster lock, has the same step ({same}): both queues are for one thing"
        return [Explanation(test, sentence, INFERRED)]
    return [Explanation(test, f"the step is not that of the level-0 test ({amount(other, unit)})", INFERRED, _LOCK_OR_CONTROLLER)]


def _wakeup_queue(test: str, columns: Columns, roles: Roles, unit: str) -> list[Explanation]:
    wakeup = columns.matrix(test, Metric.WAKEUP)
    if wakeup is None:
        return []
    waits = roles.queued(wakeup)[0]
    told = [
        f"{core} {amount(float(value) - roles.direct_wakeup[core.cluster], unit)}"
        for core, value, waited in sorted(zip(wakeup.cores, wakeup.values[0], waits, strict=True), key=lambda cell: float(cell[1]))
        if waited
    ]
    if not told:
        return []
    return [Explanation(test, "on the way up these cores waited as well: " + ", ".join(told), INFERRED)]


def _explain_lead(test: str, columns: Columns, lead: CoreId, unit: str) -> list[Explanation]:
    """The lead goes down last in a serial test; a span far above its siblings' is a wait for what the core before it left behind."""
    powerdown, flush = columns.matrix(test, Metric.POWERDOWN), columns.matrix(test, Metric.CACHE_FLUSH)
    if powerdown is None or lead not in powerdown.cores or not len(powerdown.values):
        return []
    medians = dict(zip(powerdown.cores, np.median(powerdown.values, axis=0), strict=True))
    flushes = dict(zip(flush.cores, np.median(flush.values, axis=0), strict=True)) if flush is not None and len(flush.values) else {}
    siblings = [core for core in medians if core.cluster == lead.cluster and core != lead]
    if not siblings:
        return []
    usual = float(np.median([medians[core] for core in siblings]))
    flush_more = float(flushes.get(lead, 0.0) - np.median([flushes.get(core, 0.0) for core in siblings]))
    more = float(medians[lead]) - usual
    if medians[lead] < LEAD_WAIT * usual:
        return []
    if abs(more - flush_more) <= 0.1 * more:
        return [Explanation(test, f"{lead}, the lead, took {amount(more, unit)} more than its siblings: its cluster flush", INFERRED)]
    hidden = f", {amount(flush_more, unit)} of flush hidden in it" if flush_more > 0.1 * more else ""
    return [
        Explanation(
            test,
            f"{lead}, the lead, took {amount(more, unit)} more than its siblings{hidden}",
            INFERRED,
            ("it goes last and waits for the power-off of the core before it", "its own power-off message takes longer than the others'"),
        )
    ]


_LOCK_OR_CONTROLLER = ("the cores queue for a lock of PSCI", "the cores queue for the power controller")
_SHARED = ("a channel to a power controller, one message at a time", "a lock of the platform code")
