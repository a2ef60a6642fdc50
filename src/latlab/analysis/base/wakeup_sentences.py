# SPDX-License-Identifier: BSD-3-Clause
"""Sentences on wake-ups and on the largest figure of a run."""

from __future__ import annotations

from latlab.analysis.base import findings as f
from latlab.analysis.base.verdicts import Verdict
from latlab.analysis.base.wording import MODES, amount, count, percent, printed, said_blame, said_duration, signed, unit_of

WakeupFinding = (
    f.ModeCaveat | f.Spread | f.LateByBlame | f.LateInPeriod | f.CpuMoved | f.BlameMoved | f.NoWakeupMoved
    | f.CauseCounted | f.LateMoved | f.LargestGrew | f.ScatterUnknown | f.RarestSeen
)  # fmt: skip


def wakeup_sentence(finding: WakeupFinding, unit: str) -> str:
    """`unit` is that of the finding's amounts, ns or insns."""
    match finding:
        case f.ModeCaveat(mode, pair):
            return MODES[mode] + (": the hypervisor may have caused a change" if pair else ": the figures describe this virtual machine")
        case f.Spread():
            return _spread(finding, unit)
        case f.LateByBlame(blame, wakeups, of, latest):
            return f"{wakeups} of {count(of, 'late wake-up')}: {said_blame(blame)}, the latest {amount(latest, unit)}"
        case f.LateInPeriod(wakeups, period_s):
            return f"{wakeups} late wake-ups have a period of {period_s:g} s"
        case f.CpuMoved(cpu, verdict, figures, quiet):
            text = ", ".join(_statistic(moved, unit) for moved in figures)
            remainder = f"; no significant change of {', '.join(f'CPU {other}' for other in quiet)}" if quiet else ""
            return f"CPU {cpu} {verdict}: {text}{remainder}"
        case f.BlameMoved(blame, before, after):
            return f"late wake-ups by cause: {said_blame(blame)}, {before} before and {after} after"
        case f.CauseCounted():
            return _cause(finding)
        case f.NoWakeupMoved(untold):
            remainder = f"; {count(untold, 'row')} inconclusive" if untold else ""
            return f"no significant change of any CPU's wake-ups{remainder}"
        case f.LateMoved(verdict, name, before, after):
            return f"wake-ups {name} {verdict}: {before:.4g} to {after:.4g} per million"
    return _doubt(finding, unit)


def _cause(finding: f.CauseCounted) -> str:
    """The sentence on the rate of one cause, with what a verdict would need."""
    (events, of), (after, out_of) = finding.before, finding.after
    counted = f"{events:,} events of {of:,} wake-ups, then {after:,} of {out_of:,}"
    ratio = "" if finding.ratio == float("inf") else f", {finding.ratio:.2g} times as often ({finding.low:.2g} to {finding.high:.2g})"
    text = f"{said_blame(finding.blame)}: {finding.verdict}, {counted}{ratio}"
    if finding.verdict is not Verdict.CANNOT_TELL or finding.needed is None:
        return text
    if finding.needed <= min(of, out_of):
        return f"{text}; equal runs may differ by as much; measure further runs of the base, not longer ones"
    longer = f" ({said_duration(finding.seconds)})" if finding.seconds is not None else ""
    return f"{text}; to detect twice the rate, measure {finding.needed:,.0f} wake-ups{longer} in each run"


def _doubt(finding: f.LargestGrew | f.ScatterUnknown | f.RarestSeen, unit: str) -> str:
    """The sentence on what was observed and what was detectable."""
    match finding:
        case f.LargestGrew(metric, test, name, before, after, is_told):
            size = "grew from nothing" if finding.ratio == float("inf") else f"is {finding.ratio:.1f} times {_way(finding)}"
            caveat = "" if is_told else ": inconclusive, because too few latencies are as large; measure both for longer"
            return f"{metric} in {test}, {name}, {size}, {amount(before, unit)} to {amount(after, unit)}{caveat}"
        case f.ScatterUnknown(metric, test, name, before, after, rows, again):
            size = f"{signed(after - before, unit)}{f' ({percent(after / before - 1)})' if before else ''}"
            more = f", and {count(rows - 1, 'more row')} by that or less" if rows > 1 else ""
            return (
                f"{metric} in {test}, {name}, differs by {size}{more}: inconclusive, because one run each does not show "
                f"the scatter between equal runs; {again}"
            )
        case f.RarestSeen(test, thing, once_in, rarest, wakeups, seconds, is_by_event):
            longer = f" ({said_duration(seconds)})" if seconds is not None else ""
            more = f"; for once in {rarest:,.0f} measure {wakeups:,.0f} {thing}s{longer} in each run" if once_in < rarest else ""
            caveat = "" if is_by_event else f"; assumes ten late {thing}s for each event, which a histogram does not separate"
            return (
                f"{test}: these runs detect a cause of the longest latencies with 90 % power if it comes once in {once_in:,.0f} "
                f"{thing}s or more often{more}{caveat}"
            )


def _way(finding: f.LargestGrew) -> str:
    return "as large" if finding.after > finding.before else "smaller"


def _spread(finding: f.Spread, unit: str) -> str:
    longest = printed(finding.maximum, finding.step, unit)
    text = f"CPU {finding.cpu}: average {printed(finding.average, finding.step, unit)}, maximum {longest}"
    text += f", printed to {amount(finding.step, unit)}" if finding.step else ""
    if finding.median:
        ratio = finding.maximum / finding.median
        text = f"CPU {finding.cpu}: median {amount(finding.median, unit)}, maximum {longest}, {ratio:.1f} times the median"
        text += f", over {finding.wakeups:,} wake-ups"
    if finding.missed:
        text += f"; {finding.missed:,} periods passed while the task was late"
    return text


def _statistic(moved: f.StatisticMoved, unit: str) -> str:
    metric_unit = unit_of(moved.metric, unit)
    relative = f" ({percent(moved.relative)})" if moved.before else ""
    return f"{moved.statistic} {amount(moved.before, metric_unit)} to {amount(moved.after, metric_unit)}{relative}"
