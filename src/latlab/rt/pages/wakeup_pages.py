# SPDX-License-Identifier: BSD-3-Clause
"""An rt run on the terminal, and as a document in the layout of the reference."""

from __future__ import annotations

from latlab.core.comparison.wording import said_blame
from latlab.core.model.blame import UNEXPLAINED, UNTRACED
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run
from latlab.core.report.page import Block, Caution, Commands, Facts, Page, Paragraph, Section
from latlab.core.report.table import Table
from latlab.rt.analysis.attribution import Attributed
from latlab.rt.analysis.causes import cause_name
from latlab.rt.analysis.periodicity import period_without_cause
from latlab.rt.analysis.result import RtResult
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.pages.namings import TIMERLAT_THREAD, analysed
from latlab.rt.pages.thread_tables import overruns_sentence
from latlab.rt.pages.wakeup_tables import Results, all_tables, screen_tables
from latlab.rt.pages.words import check_publishable, facts_of, late_in_period, mode_of, mode_sentence, why_unread

TITLE = "RT Linux: wake-up latency"


def screen(run: Run, results: Results) -> Page:
    """Everything that the measurements say."""
    return screen_of(run, screen_tables(run, results), answer(run, results))


def answer(run: Run, results: Results) -> str:
    """Of what measures wake-ups; a tool that counts stalls says them in its table. The headline is of a tool that has causes, if one has: a
    larger figure of another tool comes behind it."""
    measured = [
        (wakeups, name, result)
        for name, result in results
        for wakeups in result.wakeups
        if wakeups.metric is Metric.TASK_WAKEUP and wakeups.cpus
    ]
    if not measured:
        return ""
    with_causes = [entry for entry in measured if _has_causes(entry[0], entry[2])]
    by, name, result = max(with_causes or measured, key=lambda entry: entry[0].max_ns)
    largest = max((wakeups for wakeups, _, _ in measured), key=lambda wakeups: wakeups.max_ns)
    under = f", {name}" if name else ""
    wakeups = sum(cpu.got for cpu in by.cpus)
    sentence = f"The maximum of {wakeups:,} wake-up latencies is {by.max_ns / 1000:,.1f} µs on {_place_of_max(by)} ({by.tool}{under})"
    beyond = f" {largest.tool} measured {largest.max_ns / 1000:,.1f} µs on {_place_of_max(largest)}." if largest.max_ns > by.max_ns else ""
    more = (_period(by, result), overruns_sentence(results))
    return " ".join((f"{sentence}{_cause(by, result, by.max_ns)}.{beyond}", *filter(None, more)))


def _place_of_max(wakeups: Wakeups) -> str:
    return next(wakeups.rows.named(cpu.number) for cpu in wakeups.cpus if cpu.maximum_ticks == wakeups.max_ns)


def _has_causes(wakeups: Wakeups, result: RtResult) -> bool:
    """Of its late wake-ups; nothing is late if none is above the threshold."""
    return wakeups.tool == TIMERLAT_THREAD or (wakeups is result.recorder and bool(result.attributed))


def _cause(by: Wakeups, result: RtResult, late_ns: int) -> str:
    """What made this wake-up late, where that is known, and how much of it."""
    if by.tool == TIMERLAT_THREAD:
        return analysed(result, late_ns)
    if by is not result.recorder or result.attributed is None:
        return ""
    latest = next((entry for entry in result.attributed if entry.outlier.late_ns == late_ns), None)
    if latest is None:
        return ""
    if not latest.explained:
        return _unexplained(latest, result)
    took = f" took {latest.stolen_ns / 1000:,.1f} µs of it" if latest.stolen_ns else ""
    return f": {cause_name(latest)}{took}"


def _period(by: Wakeups, result: RtResult) -> str:
    """Of the late wake-ups without a cause, or of all of them if nothing tells a cause. Some may be missing between two checkpoints of the
    recorder, which makes a period of their own."""
    if by is not result.recorder or any(cpu.late_dropped for cpu in by.cpus):
        return ""
    if result.attributed is None:
        return f"The {late_in_period(result.period)}." if result.period else ""
    cycles = result.thread.cycles if result.thread else None
    grid_ns = cycles.period_ns if cycles else by.interval_ns
    period = period_without_cause(result.attributed, grid_ns) if grid_ns else None
    return f"The {late_in_period(period, ' without a proven cause')}." if period else ""


def _unexplained(latest: Attributed, result: RtResult) -> str:
    """What the tables beneath say of a wake-up of which no cause is proven: who had its CPU, its largest part, or why it has none."""
    if latest.blame != UNEXPLAINED:
        return f"{',' if latest.blame == UNTRACED else ':'} {cause_name(latest)}"
    largest = next(iter(latest.parts), None)
    if largest is None or largest.blame == UNEXPLAINED:
        return f", unexplained{why_unread(result, latest.outlier.cpu)}"
    return f", unexplained; its largest part is {said_blame(largest.blame)}, {largest.ns / 1000:,.1f} µs"


def document(run: Run, results: Results) -> Page:
    """Every table, with the commands that made it. Refuses figures that are no latencies."""
    check_publishable(run)
    blocks: list[Block] = [Paragraph(f"Mode: {mode_of(run)}.")]
    if sentence := mode_sentence(run):
        blocks.append(Paragraph(sentence))
    blocks.append(Commands(run.conditions.commands))
    return Page(TITLE, sections=(Section("", (*blocks, *all_tables(run, results), Facts(facts_of(run)))),))


def screen_of(run: Run, shown_tables: list[Table], sentence: str) -> Page:
    caution = () if run.conditions.mode is Mode.REAL else (Caution("", mode_sentence(run) or mode_of(run)),)
    return Page("", sections=(Section("", (*caution, *shown_tables)), Section("", (Facts(facts_of(run)),))), answer=sentence)
