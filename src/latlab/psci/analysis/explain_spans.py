# SPDX-License-Identifier: BSD-3-Clause
"""What a run's spans consist of: parts of traces, the queue of a parallel test, the lead of a serial test, and their scatter.

Findings from traces are exact. Findings from durations are inferred; if two explanations fit equally well, both are given. Scatter
between boots and within a boot is split by the variance components of a one-way layout.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from latlab.core.comparison import findings as f
from latlab.core.comparison import queue_findings as q
from latlab.core.comparison.explanation import Basis, Explanation
from latlab.core.comparison.identity import checked_columns
from latlab.core.comparison.queue_findings import Suspect
from latlab.core.comparison.queue_model import BASE, STEP, SYSTEM_TERM, Ladders, after_term
from latlab.core.comparison.summary import Mark, mark_of
from latlab.core.comparison.suspect_run import suspicions_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run
from latlab.core.readers.platform_facts import facts_of
from latlab.core.statistics.sample_matrix import METRICS, Columns, Floats, Ints
from latlab.psci.analysis.explain_platform import explain_platform
from latlab.psci.analysis.explain_trace import explain_code, explain_traces
from latlab.psci.analysis.overlap import overlap_suspicions
from latlab.psci.analysis.queue_fit import fit_ladders, refusal
from latlab.psci.analysis.roles import Roles, inferred_lead, is_parallel, roles_of
from latlab.psci.analysis.span_invariants import check_spans

LEAD_WAIT = 1.2
LEVEL_ZERO = "cpu_susp_parallel"
_LOCK_OR_CONTROLLER = (Suspect.PSCI_LOCK, Suspect.POWER_CONTROLLER)
_SHARED = (Suspect.SHARED_CHANNEL, Suspect.PLATFORM_LOCK)


def explain_spans(run: Run) -> tuple[Explanation, ...]:
    """The findings on a run. Raises NotComparable if the run has nothing to explain."""
    columns = checked_columns(run)
    facts = facts_of(run.platform)
    roles = roles_of(columns, facts.managed_by)
    lead = run.lead or inferred_lead(run, columns, roles)
    unit = run.tick.unit
    exact = explain_traces(run) or explain_code(run)
    broken = [check for check in check_spans(run) if not check.holds]
    suspect = (*suspicions_of(run, columns), *overlap_suspicions(run))
    out = [Explanation("", f.Suspected(suspicion), Basis.INFERRED, unit) for suspicion in suspect]
    out += [Explanation(check.test, f.RuleBroken(check), Basis.INFERRED, unit) for check in broken]
    ladders = {
        test: ladder for test in columns.tests if is_parallel(test) and (ladder := fit_ladders(columns, roles, test)) and ladder.dof[0]
    }
    of_platform = explain_platform(run, columns, roles, lead, facts)
    for test in columns.tests:
        took_turns = mark_of(run, test) is Mark.TURNS
        if took_turns:
            out.append(Explanation(test, q.CoresTakeTurns(), Basis.EXACT, unit))
        if test in exact:
            out += [Explanation(test, finding, Basis.EXACT, unit) for finding in exact[test]]
        elif test in ladders and not took_turns:
            out += explain_ladder(test, ladders, columns, roles, unit)
        elif lead is not None and not is_parallel(test):
            out += explain_lead(test, columns, lead, unit)
        out += of_platform.get(test, [])
    turns = frozenset(test for test in columns.tests if mark_of(run, test) is Mark.TURNS)
    return (*out, *explain_scatter(columns, unit, turns))


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
    iterations = len(ladder.order) if ladder.order_varies else 1
    findings: list[f.Finding] = [q.ServedInOrder(names, base, step, float(np.nanmedian(ladder.rms)), iterations)]
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


def explain_scatter(columns: Columns, unit: str, left_out: frozenset[str]) -> Iterator[Explanation]:
    """One finding for each metric with several boots or iterations, without the tests in `left_out`.

    Parallel tests are sorted first, because their order of cores is random and not part of the scatter.
    """
    for metric in METRICS:
        spans: list[tuple[float | None, float | None]] = []
        boots: set[int] = set()
        iterations: set[int] = set()
        for test in columns.tests:
            matrix = columns.matrix(test, metric)
            if matrix is None or test in left_out or len(matrix.values) < 2:
                continue
            values = np.sort(matrix.values, axis=1) if is_parallel(test) else matrix.values
            spans += [components(matrix.boots, column) for column in values.T if column.mean() > 0]
            iteration_counts = np.unique(matrix.boots, return_counts=True)[1]
            boots.add(len(iteration_counts))
            iterations |= set(iteration_counts.tolist())
        if not spans:
            continue
        between = [value for value, _ in spans if value is not None]
        within = [value for _, value in spans if value is not None]
        counts = (min(boots), max(boots), min(iterations), max(iterations), len(spans))
        yield Explanation("", f.Scatter(metric, _middle(between), _middle(within), counts), Basis.EXACT, unit)


def components(boots: Ints, values: Floats) -> tuple[float | None, float | None]:
    """Standard deviations between boots and within a boot, each over the mean. None if one boot, or one value in each, cannot show them.

    Within: pooled. Between: the variance of the boots' means minus the part from the scatter within; unequal boots by the mean of 1/n.
    """
    parts = [values[boots == boot] for boot in np.unique(boots)]
    mean = float(values.mean())
    free = len(values) - len(parts)
    pooled = float(sum(((part - part.mean()) ** 2).sum() for part in parts)) / free if free else None
    within = np.sqrt(pooled) / mean if pooled is not None else None
    if len(parts) < 2:
        return None, within
    means = np.array([part.mean() for part in parts])
    of_means = float(means.var(ddof=1)) - (pooled or 0.0) * float(np.mean([1 / len(part) for part in parts]))
    return float(np.sqrt(max(0.0, of_means))) / mean, within


def _middle(shares: list[float]) -> tuple[float, float] | None:
    """The median and the largest of the shares; None for none."""
    return (float(np.median(shares)), max(shares)) if shares else None
