# SPDX-License-Identifier: BSD-3-Clause
"""Explanations as sentences for a reader. No code reads them."""

from __future__ import annotations

from latlab.analysis.base import findings as f
from latlab.analysis.base.counted_findings import CountedFinding
from latlab.analysis.base.counted_sentences import counted_sentence
from latlab.analysis.base.ladders import STEP
from latlab.analysis.base.platform_findings import PlatformFinding
from latlab.analysis.base.platform_sentences import platform_sentence
from latlab.analysis.base.suspicion_sentences import suspicion_sentence
from latlab.analysis.base.verdicts import Verdict
from latlab.analysis.base.wakeup_sentences import WakeupFinding, wakeup_sentence
from latlab.analysis.base.wording import (
    amount,
    bare,
    count,
    heading_unit,
    percent,
    row_title,
    said_in_iterations,
    signed,
    signed_bare,
    unit_of,
)
from latlab.model.run import CoreId

MOST_FUNCTIONS = 5


def sentence_of(finding: f.Finding, unit: str) -> str:
    """`unit` is that of the finding's amounts, ns or insns."""
    if isinstance(finding, PlatformFinding):
        return platform_sentence(finding, unit)
    if isinstance(finding, CountedFinding):
        return counted_sentence(finding, unit)
    if isinstance(finding, WakeupFinding):
        return wakeup_sentence(finding, unit)
    return _Sentence(unit).of(finding)


def suspicion(suspect: f.Suspect, core: CoreId | None) -> str:
    """A possible cause of a finding; `core` is the core that it names, if any."""
    cluster = core.cluster if core else ""
    return {
        f.Suspect.PSCI_LOCK: "the cores queue for a lock of PSCI",
        f.Suspect.POWER_CONTROLLER: "the cores queue for the power controller",
        f.Suspect.SHARED_CHANNEL: "a channel to a power controller, one message at a time",
        f.Suspect.PLATFORM_LOCK: "a lock of the platform code",
        f.Suspect.CLUSTER_POWER_OFF: f"the power-off of cluster {cluster} keeps the power controller busy for that long",
        f.Suspect.LAST_MAN_HOLDS: f"{core} holds the queue's resource while it flushes its cluster",
        f.Suspect.POWER_OFF_BEFORE: "it goes last and waits for the power-off of the core before it",
        f.Suspect.OWN_MESSAGE: "its own power-off message takes longer than those of the other cores",
        f.Suspect.SLOWER_MESSAGE: "the power controller takes longer for a message",
        f.Suspect.HELD_LONGER: "a core holds its resource for longer while it powers down",
    }[suspect]


class _Sentence:
    """The sentences in one unit."""

    def __init__(self, unit: str) -> None:
        self.unit = unit

    def of(self, finding: f.Finding) -> str:
        match finding:
            case f.Suspected(doubted):
                return suspicion_sentence(doubted, self.unit)
            case f.SamplesMissing(test, name, thing, got, due, before, due_before):
                return f"{f'{name} in ' if name else ''}{test}: {got:,} of {due:,} {thing}s due, {before:,} of {due_before:,} in the base"
            case f.MetricMoved() | f.TermMoved() | f.PartsMoved() | f.OrderChanged() | f.NothingMoved():
                return self._moved(finding)
            case f.Scatter():
                return _scatter(finding)
            case f.StolenBy():
                return _stolen_by(finding)
            case f.ConditionsDiffer(caveat):
                return caveat
            case f.AmountMoved(name, metric, verdict, before, after, relative):
                unit = unit_of(metric, self.unit)
                return f"{name} {verdict}: {amount(before, unit)} to {amount(after, unit)} ({percent(relative)})"
            case f.AmountsNotTold(quantities, of, largest):
                return f"{quantities} of {of} quantities inconclusive, largest shift {percent(largest)}"
            case f.LongestSpan() | f.SpentIn() | f.WaitedFor():
                return self._traced(finding)
            case f.FunctionsMoved():
                return self._functions(finding)
            case f.RuleBroken() | f.RuleChanged():
                return self._rule(finding)
            case f.BootApart(metric, test, name, run, boot, boots, value, others):
                share = percent(value / others - 1) if others else "from about 0"
                off = f"{self.amount(value)}, {share} against the median of the others, {self.amount(others)}"
                return (
                    f"{metric} in {test}, {row_title(name)}: boot {boot} of {boots} of {run} has {off}; measure {run} again "
                    "without that boot"
                )
            case f.SpreadMoved(metric, test, ratio, cores):
                size = f"{ratio:.1f} times as wide" if ratio > 1 else f"{1 / ratio:.1f} times narrower"
                return (
                    f"{metric} in {test}: the scatter of iterations is {size} over {count(cores, 'core')}; measure more iterations of both"
                )
            case f.LargeUntold() | f.NotTold():
                return self._untold(finding)
            case f.ShapeMoved(metric, test, name, verdict, figures):
                text = ", ".join(f"{figure} {self.amount(before)} to {self.amount(after)}" for figure, before, after in figures)
                return f"{metric} in {test}, {row_title(name)}, {verdict} in its shape, as distances from the median: {text}"
            case f.TailNotTold(rows, of, is_rest):
                level = "" if is_rest else "no median changed beyond its threshold; "
                return f"{level}the tail of {rows} of {count(of, 'row')} is inconclusive: too few iterations, or too much scatter"
            case f.DriftInside(metric, test, name, run, level, drift):
                how = f"drifts over {drift.iterations} iterations" if drift.after is None else f"switches after iteration {drift.after}"
                size = f"{signed(drift.size, self.unit)} ({percent(drift.size / level)})"
                return (
                    f"{metric} in {test}, {row_title(name)}, {how} of {run}, by {size}: a trend inside the run, no change between the runs"
                )
            case f.CouldHaveSeen():
                return _could_have_seen(finding)
            case f.InSomeIterations(metric, test, name, iterations):
                return f"{metric} in {test}, {row_title(name)}, differs in {said_in_iterations(iterations)}"
            case f.CoresTakeTurns():
                return "cores take turns under the instruction clock, so these spans have no queue"
            case f.LeadTookLonger():
                return self._lead(finding)
        return self._ladder(finding)

    def amount(self, value: float) -> str:
        return amount(value, self.unit)

    def _rule(self, finding: f.RuleBroken | f.RuleChanged) -> str:
        check = finding.check
        if isinstance(finding, f.RuleBroken):
            if check.is_broken:
                return f"this breaks a rule, {check.name} ({check.rule.ground}): {check.sentence}"
            return f"this is unusual ({check.name}, as {check.rule.ground}): {check.sentence}"
        if finding.is_worse:
            how = "breaks a rule that" if check.is_broken else "no longer follows a rule that"
            return f"{finding.after} {how} {finding.before} follows, {check.name}: {check.sentence}"
        how = "breaks" if check.is_broken else "does not follow"
        return f"{finding.after} follows again a rule that {finding.before} {how}, {check.name}: there {check.sentence}"

    def _untold(self, finding: f.LargeUntold | f.NotTold) -> str:
        match finding:
            case f.LargeUntold(metric, test, name, before, largest, rows):
                share = f" ({percent(largest / before)})" if before else ""
                moved = f"{metric} in {test}, {row_title(name)}, differs by {signed(largest, self.unit)}{share}"
                more = f", and {count(rows - 1, 'more row')} by that or less" if rows > 1 else ""
                if finding.cores:
                    return f"{moved}: {count(finding.cores, 'core')} moved by more than their noise; measure four boots or more of both"
                return f"{moved}{more}: large but inconclusive with so few boots; measure more boots of both"
            case f.NotTold(rows, of, _, by_order=True):
                others = "; the others are equal" if rows < of else ""
                return f"{rows} of {count(of, 'row')} inconclusive: the order of the cores alone can cause their differences{others}"
            case f.NotTold(rows, of, largest):
                others = "; the others are within the threshold" if rows < of else ""
                return f"{rows} of {count(of, 'row')} inconclusive, largest shift {percent(largest)}{others}"

    def _ladder(self, finding: f.Finding) -> str:
        amount = self.amount
        match finding:
            case f.LadderRefused(share, None, _):
                return f"these spans form no queue of equal delays: the queue model explains {share * 100:.0f} % of their variance"
            case f.LadderRefused(_, cluster, last_men):
                return f"{last_men} cores of cluster {cluster} flush as its last core down, so latlab fits no queue model"
            case f.NoQueue(step, base):
                return f"no queue: sorted spans grow by {amount(step)} per core from {amount(base)}"
            case f.ServedInOrder(cores, base, step, rms):
                fit = f"first-core latency {amount(base)}, delay per position {amount(step)}, residual {amount(rms)}"
                return f"cores were served in the order {_cores(cores)}: {fit}"
            case f.DidNotWait(cores):
                return f"{_cores(cores)} did not wait: the queue begins behind it"
            case f.LongestWait():
                return self._longest_wait(finding)
            case f.PaidAsLastMan(core, flush, rise):
                paid = f"{core} flushed its cluster for {amount(flush)} as last core down of cluster {core.cluster}"
                hidden = "" if rise is None else f"; it is {amount(rise)} behind the core before it"
                return paid + (hidden and f"{hidden}, so it waited anyway during most of the flush")
            case f.WaitedBehindLastMan(core, more):
                return f"{core}, next behind it, waited {amount(more)} longer than the delay per position"
            case f.LastOfSystem(core, more):
                return f"{core}, last of the system, took {amount(more)} more than its position in the queue"
            case f.StepOfQueue(step):
                return f"each position adds {amount(step)}"
            case f.QueueWithoutClusterLock():
                return "power level 0 needs no lock of a cluster, so the cores queue for something that all of them share"
            case f.StepOfLevelZero(step, True):
                same = f"has the same delay per position ({amount(step)}): both queues have one cause"
                return f"the test at power level 0, which takes no cluster lock, {same}"
            case f.StepOfLevelZero(step, False):
                return f"the delay per position differs from that of the test at power level 0 ({amount(step)})"
            case f.WaitedOnTheWayUp(waits):
                return "these cores also waited during wake-up: " + ", ".join(f"{core} {amount(more)}" for core, more in waits)
        raise AssertionError(finding)

    def _longest_wait(self, finding: f.LongestWait) -> str:
        made_of = f"{finding.ahead} positions of {self.amount(finding.step)}"
        if finding.extras:
            made_of += ", " + " and ".join(f"{self.amount(value)} {row_title(name)}" for name, value in finding.extras)
        behind = count(finding.ahead, "core")
        return f"core {finding.core} waited {self.amount(finding.waited)} behind {behind}: {made_of}"

    def _lead(self, finding: f.LeadTookLonger) -> str:
        sentence = f"{finding.lead}, the lead, took {self.amount(finding.more)} more than the other cores of its cluster"
        if finding.is_the_flush:
            return f"{sentence}: its cluster flush"
        return sentence + (f", {self.amount(finding.flush)} of flush included" if finding.flush > 0.1 * finding.more else "")

    def _traced(self, finding: f.LongestSpan | f.SpentIn | f.WaitedFor) -> str:
        match finding:
            case f.SpentIn(core, metric, function, caller, times, spent, share):
                by = f", called {times:g} times by {caller}" if caller and times != 1 else f", called by {caller}" if caller else ""
                part = f"{100 * share:.0f} % of that {metric} of core {core}"
                return f"{part} is {function} and its callees, {self.amount(spent)}{by}"
            case f.LongestSpan(core, metric, total, parts):
                listing = ", ".join(f"{name} {self.amount(value)}" for name, value in parts)
                return f"core {core} has the longest {metric}, {self.amount(total)}: {listing}"
            case f.WaitedFor(core, waited, part, holders, ended_by):
                why = "".join(f", {self.amount(value)} of it behind {holder}" for holder, value in holders)
                why += f"; it continued right after {ended_by[1]} of {ended_by[0]}" if ended_by else ""
                return f"core {core} waited {self.amount(waited)} ({part}){why}"

    def _moved(self, finding: f.MetricMoved | f.TermMoved | f.PartsMoved | f.OrderChanged | f.NothingMoved) -> str:
        match finding:
            case f.MetricMoved():
                return self._metric(finding)
            case f.TermMoved(term, verdict, tests, changes, relative):
                figures = ", ".join(f"{self.amount(before)} to {self.amount(after)}" for before, after in changes)
                text = f"{row_title(term)} of the queue {verdict} in {', '.join(tests)}: {figures}"
                longer = "longer" if verdict is Verdict.REGRESSED else "less long"
                per_core = f" ({percent(relative)}): each core waits that much {longer} for every core before it"
                return text + (per_core if term == STEP else "")
            case f.PartsMoved(metric, parts):
                text = ", ".join(f"{name} {signed(value, self.unit)}" for name, value in parts)
                return f"of the {metric}, median over cores, these parts changed: {text}"
            case f.OrderChanged(before, after, largest):
                text = f"order changed: {_cores(before)} to {_cores(after)}"
                stayed = "" if largest is None else f"; at its position in the queue no span changed by more than {largest * 100:.1f} %"
                return text + stayed
            case f.NothingMoved(of_levels):
                return f"no {'median' if of_levels else 'structure'} changed beyond its threshold"

    def _functions(self, finding: f.FunctionsMoved) -> str:
        shown, others = finding.functions[:MOST_FUNCTIONS], finding.functions[MOST_FUNCTIONS:]
        text = ", ".join(self._function(move) for move in shown)
        if others:
            text += f", {count(len(others), 'other')} {signed_bare(sum(move.after - move.before for move in others), self.unit)} together"
        spans = f"{finding.metric} of {', '.join(finding.tests)}, {_of_cores(finding.cores, finding.of_cores)}"
        return f"by function, {spans}, in {heading_unit(self.unit)}: {text}"

    def _function(self, move: f.FunctionMoved) -> str:
        where = f" ({move.place})" if move.place else ""
        change = f"from {bare(move.before, self.unit)} to {bare(move.after, self.unit)}"
        if not move.before:
            change = "new"
        elif not move.after:
            change = "gone"
        return f"{move.name}{where} {signed_bare(move.after - move.before, self.unit)} ({change})"

    def _metric(self, finding: f.MetricMoved) -> str:
        tests = "every test" if finding.everywhere and len(finding.tests) > 1 else ", ".join(finding.tests)
        low, high = signed(finding.low, self.unit), signed(finding.high, self.unit)
        size = low if low == high else f"{low} to {high}"
        text = f"{finding.metric} {finding.verdict} in {tests}: {size} over {finding.cells} data point{'s' * (finding.cells != 1)}"
        if finding.in_iterations:
            text += ", each by the iteration that changed most"
        elif finding.by_cluster:
            text += "; median " + ", ".join(f"{signed(d, self.unit)} in cluster {cluster}" for cluster, d in finding.by_cluster)
        if finding.queue_waits:
            text += "; waits in the queue " + ", ".join(f"{signed(d, self.unit)} in {test}" for test, d in finding.queue_waits)
        if finding.untouched:
            text += f"; no row of {' or '.join(finding.untouched)} changed with it"
        return text


def _could_have_seen(finding: f.CouldHaveSeen) -> str:
    figure = "" if finding.figure == "level" else f" for {finding.figure}"
    median = f"median minimum detectable effect of {finding.rows} rows" if finding.rows > 1 else "minimum detectable effect"
    text = f"{median}{figure}: {finding.share * 100:.3g} % ({finding.power * 100:.0f} % power)"
    more = f"; {finding.then * 100:.3g} % with {count(finding.more, 'more boot')} of each run" if finding.more and finding.then else ""
    return text + more


def _cores(cores: tuple[CoreId, ...]) -> str:
    return ", ".join(map(str, cores))


def _of_cores(cores: int, of_cores: int) -> str:
    if of_cores == 1:
        return "on one core"
    return f"{'on' if cores == 1 else 'mean over'} {cores}{f' of {of_cores}' if cores < of_cores else ''} cores"


def _stolen_by(finding: f.StolenBy) -> str:
    text = f"{count(finding.thefts, 'window')} with {finding.instructions:,} instructions of steal time"
    if not finding.calls:
        return f"{text}: no call in the probe's data has that size, nor have several calls of one kind"
    fitting = " or ".join(_call_of_size(call) for call in finding.calls)
    alone = ", the only call that fits" if len(finding.calls) == 1 else ""
    return f"{text}: {fitting}{alone}"


def _call_of_size(call: f.CallOfSize) -> str:
    times = "" if call.times == 1 else f"{count(call.times, 'call')} of "
    where = f", mostly in {call.function}" if call.function else ""
    return f"{times}{call.name}{where} (count {call.seen})"


def _scatter(finding: f.Scatter) -> str:
    fewest, most, least, longest, spans = finding.counts
    boots = f"{count(fewest, 'boot')} of " if fewest == most else f"{fewest} to {most} boots of "
    sizes = boots + (count(least, "iteration") if least == longest else f"{least} to {longest} iterations")
    spreads = [(where, shares) for where, shares in (("between boots", finding.between), ("within one boot", finding.within)) if shares]
    if not any(largest for _, (_, largest) in spreads):
        return f"{finding.metric}: every boot and iteration of {count(spans, 'span')} is identical; {sizes}"
    shares = " and ".join(f"{middle * 100:.2g} % {where} (at most {largest * 100:.2g} %)" for where, (middle, largest) in spreads)
    return f"{finding.metric} scatters by {shares}: medians of {count(spans, 'span')}; {sizes}"
