# SPDX-License-Identifier: BSD-3-Clause
"""A run of the steal meter: what was taken of each CPU, when and how long at once; and of which CPU nothing can be said."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from latlab.core.model.conditions import Mode
from latlab.core.model.run import Run
from latlab.core.report.chart import WIDE_PX, Chart, finished, named
from latlab.core.report.colours import of_series
from latlab.core.report.facts import begun, method
from latlab.core.report.page import Caution, Facts, Item, Items, Page, Section
from latlab.core.report.table import Column, Table, figures, words
from latlab.core.report.vega import alt
from latlab.core.shown import significant
from latlab.rt.analysis.outside_totals import CpuTotals, totals_of, unknown_sentences
from latlab.rt.analysis.steal_coverage import blind_sentences, said_cpus
from latlab.rt.analysis.stolen import doubts, loss_of
from latlab.rt.campaign.steal_results import StealPhase
from latlab.rt.model.stolen import Calibration, CpuStolen, Regime, Theft
from latlab.rt.pages import outside_counts
from latlab.rt.pages.words import facts_of, mode_of, mode_sentence, us

TITLE = "CPU time taken by firmware and hypervisor"
PHASES = {"idle": "Idle", "load": "Under load"}
SAID = {"idle": "while idle", "load": "under load"}
REGIMES = {
    Regime.RUNS: "cycle counter runs on",
    Regime.STOPS: "firmware stops the counters",
    Regime.UNMARKED: "both counters stop, no signature",
}
WORST_SHOWN = 20
HIGH_PX = 260
FLOOR = 0.5

Phases = tuple[StealPhase, ...]
TURNS = "the {} vCPUs take turns on one clock, so the time in firmware of one may include turns of the others; --cores 1 measures it alone"


def tables(phases: Phases) -> list[Table]:
    """What was taken by phase and CPU, the worst of it, and how the meter was calibrated; nothing of a blind CPU."""
    seeing = [phase for phase in phases if phase.measurement.seeing]
    loss_tables = [table for phase in seeing for table in (_losses(phase), *_worst(phase))]
    counted = [table for phase in phases for table in _counted(phase)]
    return [*loss_tables, *counted, *([_calibrations(seeing[0])] if seeing else [])]


def _counted(phase: StealPhase) -> list[Table]:
    """What hypervisor and SMIs took, by their counts."""
    return outside_counts.tables_of(phase.outside, title=f"{outside_counts.TITLE}: {PHASES[phase.name].lower()}")


def screen(run: Run, phases: Phases) -> Page:
    caution = () if run.conditions.mode is None or not mode_sentence(run) else (Caution("", mode_sentence(run)),)
    blocks = (*caution, *_doubts(run, phases), *tables(phases))
    return Page("", sections=(Section("", blocks), Section("", (Facts(facts_of(run)),))), answer=_answer(run, phases))


def document(run: Run, phases: Phases) -> Page:
    """The same for a browser, with charts."""
    lead = (f"{run.platform}, run {run.id}{begun(run)}", f"Mode: {mode_of(run)}.")
    doubted = _doubts(run, phases)
    sections = [Section("What was not measured, and what is uncertain", doubted)] if doubted else []
    for phase in phases:
        if phase.measurement.seeing:
            sections.append(Section(PHASES[phase.name], (_losses(phase), *named(_charts(phase), phase.name), *_worst(phase))))
        if counted := _counted(phase):
            sections.append(Section("By the counts of hypervisor and SMIs", tuple(counted)))
    seeing = [phase for phase in phases if phase.measurement.seeing]
    calibrated = (_calibrations(seeing[0]),) if seeing else ()
    command = (("emulator's command", " ".join(run.command)),) if run.command else ()
    sections.append(method(*calibrated, Facts((*facts_of(run), *command))))
    return Page(TITLE, lead, tuple(sections), name=f"{TITLE}: {run.id}", answer=_answer(run, phases))


def _answer(run: Run, phases: Phases) -> str:
    """The CPU that lost most, or why nothing can be said of any."""
    losses = [(loss_of(phase.measurement, cpu), phase) for phase in phases for cpu in phase.measurement.seeing]
    if not losses:
        return _counted_answer(phases) or next(iter(_sentences(run, phases)), "")
    most, phase = max(losses, key=lambda pair: pair[0].share)
    lost = f"CPU {most.cpu} lost {100 * most.share:.4f} % of its time to firmware and secure world {SAID[phase.name]}"
    answer = f"{lost}, {us(most.worst_ns)} µs at most in one window, in {most.measured_s:.0f} s."
    worst, worst_phase = max(losses, key=lambda pair: pair[0].worst_ns)
    if worst.worst_ns == most.worst_ns:
        return answer
    return f"{answer} The longest window is of CPU {worst.cpu} {SAID[worst_phase.name]}, {us(worst.worst_ns)} µs."


def _counted_answer(phases: Phases) -> str:
    """By the counts of hypervisor and SMIs: the CPU from which most was taken."""
    totals = [(cpu, phase) for phase in phases if phase.outside for cpu in totals_of(phase.outside)]
    return _most_stolen(totals) or _most_smis(totals)


def _most_stolen(totals: Sequence[tuple[CpuTotals, StealPhase]]) -> str:
    stolen = [(cpu, phase) for cpu, phase in totals if cpu.stolen_ns is not None]
    if not stolen:
        return ""
    most, phase = max(stolen, key=lambda pair: (pair[0].stolen_ns or 0) / pair[0].measured_ns)
    share = outside_counts.share(most)
    return (
        f"CPU {most.cpu} lost {share.text} % of its time ({share.spread} %) to its hypervisor {SAID[phase.name]}, "
        f"in {most.measured_ns / 1e9:.0f} s."
    )


def _most_smis(totals: Sequence[tuple[CpuTotals, StealPhase]]) -> str:
    counted = [(cpu, phase) for cpu, phase in totals if cpu.smis is not None]
    if not counted:
        return ""
    most, phase = max(counted, key=lambda pair: pair[0].smis or 0)
    return f"CPU {most.cpu} had {most.smis} SMIs {SAID[phase.name]}, in {most.measured_ns / 1e9:.0f} s. Their time is not measured."


def _doubts(run: Run, phases: Phases) -> tuple[Items, ...]:
    """Behind the answer, which of a run that saw nothing is the first of them."""
    items = tuple(Item(sentence) for sentence in _sentences(run, phases) if sentence != _answer(run, phases))
    return (Items(items),) if items else ()


def _sentences(run: Run, phases: Phases) -> list[str]:
    """Blind CPUs first; a run that saw nothing says it among its problems."""
    is_measured = any(phase.is_measured for phase in phases)
    sentences = list(blind_sentences(phases[0].measurement.cpus)) if is_measured else []
    sentences += unknown_sentences(phases[0].outside) if is_measured and phases[0].outside else ()
    sentences += list(dict.fromkeys(sentence for phase in phases for sentence in doubts(phase.measurement)))
    if run.conditions.mode is Mode.DETERMINISTIC and len(run.topology.cores) > 1:
        sentences.append(TURNS.format(len(run.topology.cores)))
    return [*sentences, *(sentence for sentence in (problem.message for problem in run.problems) if sentence not in sentences)]


def _losses(phase: StealPhase) -> Table:
    steal = phase.measurement
    losses = [loss_of(steal, cpu) for cpu in steal.seeing]
    rows = tuple(
        (
            str(loss.cpu),
            f"{loss.measured_s:.2f}",
            f"{loss.stolen_ns / 1000 / loss.measured_s:.3f}" if loss.measured_s else "-",
            us(loss.worst_second_ns),
            f"{100 * loss.share:.4f}",
            us(loss.worst_ns),
            f"{loss.windows:,}",
            str(loss.marked),
            f"{100 * loss.own_share:.1f}",
        )
        for loss in losses
    )
    columns = (
        *figures("CPU"),
        Column("Measured", unit="s"),
        Column("Time in firmware per second", unit="µs"),
        Column("in the worst second", unit="µs"),
        Column("Share", unit="%"),
        Column("Max in one window", unit="µs"),
        *figures("Windows", "with time in firmware"),
        Column("The meter's own time", unit="%"),
    )
    return Table(f"Time in firmware and the secure world: {PHASES[phase.name].lower()}", columns, rows, tuple(_notes(phase)))


def _notes(phase: StealPhase) -> Iterator[str]:
    yield f"A window is {significant(phase.measurement.interval_ns / 1000)} µs long, from one reading of the counters to the next."
    for found_period in phase.periods:
        sizes = " to ".join(dict.fromkeys((us(found_period.shortest_ns), us(found_period.longest_ns))))
        kept_period = (
            f"a period of {significant(found_period.period.period_s)} s (concentration {found_period.period.concentration:.2f} of 1)"
        )
        yield f"CPU {found_period.cpu}: {found_period.period.outliers} windows with {sizes} µs in firmware repeat with {kept_period}."


def _worst(phase: StealPhase) -> tuple[Table, ...]:
    steal = phase.measurement
    everyone = [(cpu.cpu, theft) for cpu in steal.seeing for theft in cpu.thefts]
    if not everyone:
        return ()
    worst = sorted(everyone, key=lambda pair: -pair[1].stolen_ns)[:WORST_SHOWN]
    rows = tuple(
        (f"{_at_s(phase, theft):.6f}", str(cpu), us(theft.stolen_ns), f"{theft.mark_cycles:,}")
        for cpu, theft in sorted(worst, key=lambda pair: pair[1].begin_ticks)
    )
    threshold = f"from {significant(steal.threshold_ns / 1000)} µs on"
    notes = (f"The {len(worst)} longest of {len(everyone)} {threshold}.",) if len(everyone) > len(worst) else (f"All {threshold}.",)
    columns = (Column("At", unit="s"), *figures("CPU"), Column("In firmware", unit="µs"), *figures("Signature (cycles)"))
    return (Table(f"Windows with time in firmware: {PHASES[phase.name].lower()}", columns, rows, notes),)


def _calibrations(phase: StealPhase) -> Table:
    rows = tuple(_calibration(cpu, cpu.calibration) for cpu in phase.measurement.seeing if cpu.calibration)
    columns = (
        *figures("CPU"),
        *words("Firmware", "Call"),
        Column("a call took", unit="µs"),
        *figures("its signature (cycles)", "Noise (cycles)"),
        Column("Clock", unit="MHz"),
    )
    return Table(f"Calibration: {said_cpus([cpu.cpu for cpu in phase.measurement.seeing])}", columns, rows)


def _calibration(cpu: CpuStolen, calibration: Calibration) -> tuple[str, ...]:
    return (
        str(cpu.cpu),
        REGIMES[calibration.regime],
        f"{calibration.call}, {calibration.calls} times",
        f"{calibration.call_ns / 1000:.3f}",
        f"{calibration.call_mark_cycles:,.0f}",
        str(calibration.noise_cycles),
        f"{calibration.cycle_hz / 1e6:,.1f}",
    )


def _at_s(phase: StealPhase, theft: Theft) -> float:
    return phase.measurement.ns_of(theft.begin_ticks - phase.measurement.start_ticks) / 1e9


def _charts(phase: StealPhase) -> list[Chart]:
    charts = []
    if any(cpu.thefts for cpu in phase.measurement.seeing):
        charts.append(_time_line(phase))
    if any(cpu.counts for cpu in phase.measurement.seeing):
        charts.append(_histogram(phase))
    return charts


def _time_line(phase: StealPhase) -> Chart:
    rows: list[dict[str, Any]] = [
        {"s": _at_s(phase, theft), "us": theft.stolen_ns / 1000, "cpu": f"CPU {cpu.cpu}"}
        for cpu in phase.measurement.seeing
        for theft in cpu.thefts
    ]
    end_s = max(*(row["s"] for row in rows), *(loss_of(phase.measurement, cpu).measured_s for cpu in phase.measurement.seeing))
    chart = (
        alt.Chart(alt.InlineData(values=rows), width=WIDE_PX, height=HIGH_PX)
        .mark_point(filled=True, size=40, opacity=0.8)
        .encode(
            x=alt.X("s:Q", title="seconds since the start", scale=alt.Scale(domain=[0, end_s])),
            y=alt.Y("us:Q", title="time in firmware (µs)"),
            color=_colour(phase),
            tooltip=["s:Q", alt.Tooltip("us:Q", title="µs"), "cpu:N"],
        )
    )
    note = f"Each point is a window that lost {significant(phase.measurement.threshold_ns / 1000)} µs or more."
    return Chart("Time in firmware over the run", note, finished(chart))


def _histogram(phase: StealPhase) -> Chart:
    rows: list[dict[str, Any]] = [
        {"low": max(low, 1) / 1000, "below": below / 1000, "n": windows, "floor": FLOOR, "cpu": f"CPU {cpu.cpu}"}
        for cpu in phase.measurement.seeing
        for low, below, windows in cpu.counts
    ]
    log = alt.Scale(type="log", nice=False, padding=12)
    whole = [10**power for power in range(1 + math.ceil(math.log10(max(2, *(row["n"] for row in rows)))))]
    counts = alt.Scale(type="log", domain=[FLOOR, whole[-1]])
    base = alt.Chart(alt.InlineData(values=rows), width=WIDE_PX, height=HIGH_PX).encode(
        x=alt.X("low:Q", title="time in firmware in one window (µs)", scale=log),
        y=alt.Y("n:Q", title="windows", scale=counts, axis=alt.Axis(values=whole, format=",d")),
        color=_colour(phase),
        tooltip=[
            "cpu:N",
            alt.Tooltip("low:Q", title="µs at least"),
            alt.Tooltip("below:Q", title="µs at most"),
            alt.Tooltip("n:Q", title="windows"),
        ],
    )
    chart = alt.layer(base.mark_rule(strokeWidth=2, opacity=0.5).encode(y2="floor:Q"), base.mark_point(filled=True, size=60, opacity=0.8))
    return Chart("Histogram of time in firmware", "Windows with time in firmware, both axes logarithmic.", finished(chart))


def _colour(phase: StealPhase) -> alt.Color:
    names = [f"CPU {cpu.cpu}" for cpu in phase.measurement.seeing]
    return alt.Color("cpu:N", title=None, legend=alt.Legend(orient="top"), scale=alt.Scale(domain=names, range=of_series(names)))
