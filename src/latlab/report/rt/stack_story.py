# SPDX-License-Identifier: BSD-3-Clause
"""The TRNG experiment above a real secure world as one story: what makes wake-ups late, how it goes with the dose, what each half of the
mitigation takes away, and what is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import altair as alt

from latlab.analysis.base.wording import count
from latlab.analysis.wakeups.agreement import percentile_ns
from latlab.analysis.wakeups.causes import by_cause
from latlab.analysis.wakeups.result import RtResult
from latlab.analysis.wakeups.stack_experiment import ArmFigures, StackJudgement, arms, judge_stack, series_of, split_of
from latlab.model.conditions import StackArm
from latlab.model.run import Run
from latlab.report.chart import WIDE_PX, Chart, finished, named
from latlab.report.colours import of_kinds
from latlab.report.page import Block, Commands, Paragraph, Section
from latlab.report.provenance import repeated_by
from latlab.report.rt import cause_details
from latlab.report.rt.by_world import timer_sentences
from latlab.report.rt.charts import HIGH_PX, fitted_line, survivors
from latlab.report.rt.words import us
from latlab.report.table import Column, Table, figures, words

UNIT = "µs"
BUILT = {
    ("optee", "optee"): "as it is",
    ("optee,timer-switch=0", "optee"): "NS_TIMER_SWITCH=0",
    ("optee,prng", "none"): "half 1: PRNG in OP-TEE",
    ("optee", "firmware"): "half 2: RNG node of EL3",
    ("optee,prng", "firmware"): "both halves",
}
SHOWN_HALVES = "either half of the mitigation"


def answer(run: Run, results: Sequence[tuple[str, RtResult]]) -> str:
    """What it comes to, in a sentence. Raises DataError where too few boots came back."""
    return _answer(judge_stack(arms(run, results)))


def _answer(judged: StackJudgement) -> str:
    worst, idle = judged.worst, judged.undosed
    blamed = len(worst.blamed)
    if not blamed:
        return f"Of {worst.wakeups:,} wake-ups none is late by a call into OP-TEE, read as fast as it goes."
    lead = (
        f"Reading OP-TEE's random numbers makes {blamed:,} of {worst.wakeups:,} wake-ups late, the latest by "
        f"{us(worst.recorder.max_ns)} µs ({us(idle.recorder.max_ns)} µs without a read); "
    )
    if judged.is_gone:
        return (
            f"{lead}with {SHOWN_HALVES} none meets OP-TEE, and the latest is {us(max(half.recorder.max_ns for half in judged.halves))} µs."
        )
    leavings = [f"{_built(half.arm)} leaves {len(half.blamed)}" for half in judged.halves]
    return f"{lead}{', '.join(leavings) or 'no boot with a half of the mitigation came back'}."


def story_tables(run: Run, results: Sequence[tuple[str, RtResult]]) -> list[Table]:
    """Cause, dose, mitigation and what is left."""
    boots = arms(run, results)
    judged = judge_stack(boots)
    tail = [*cause_details.took(judged.tail.result), *cause_details.worst(judged.tail.result)] if judged.tail else []
    return [_cause(judged), _doses(series_of(boots), judged), _mitigation(boots, judged), *tail]


def story(run: Run, results: Sequence[tuple[str, RtResult]]) -> tuple[Section, ...]:
    """The same as the sections of a page, with pictures. Raises DataError where too few boots came back."""
    boots = arms(run, results)
    judged = judge_stack(boots)
    return (
        Section("The cause", (Paragraph(_one_call(judged.worst)), _cause(judged))),
        Section("The injected load", (*named([_dose_chart(series_of(boots), judged)], "dose"), _doses(series_of(boots), judged))),
        Section(
            "The mitigation",
            (*named([_survival(boots, judged), _by_world(boots)], "mitigation"), _mitigation(boots, judged)),
        ),
        Section("What is left", tuple(_remaining_causes(judged))),
        Section("From a fresh machine", (Paragraph(FRESH), Commands(commands(run)))),
    )


FRESH = (
    "In a checkout, on Debian. Kernel, tools and the sources of TF-A and OP-TEE come from Debian's archive. The first run builds and keeps "
    "them. The same command resumes an interrupted run."
)


def commands(run: Run) -> tuple[str, ...]:
    return "make setup-dev firmware", ". .venv/bin/activate", repeated_by(run), f"latlab report {run.id} -o story.html"


def _one_call(figures: ArmFigures) -> str:
    kinds = [kind for kind in figures.worlds.kinds if kind.in_secure]
    if not kinds:
        return "Nothing called into OP-TEE."
    kind = max(kinds, key=lambda candidate: candidate.calls)
    span = f"{kind.most:,}" if kind.least == kind.most else f"{kind.least:,} to {kind.most:,}"
    return (
        f"One {kind.name} is {span} instructions, {kind.in_el3 // kind.calls:,} of them in EL3 and {kind.in_secure // kind.calls:,} in "
        f"OP-TEE (means of {kind.calls:,}). " + " ".join(timer_sentences(figures.worlds))
    )


def _cause(judged: StackJudgement) -> Table:
    """The late wake-ups of the highest dose by the call and its caller, split by world."""
    rows = []
    for group in by_cause(judged.worst.result.attributed or ()):
        sums, split = split_of(judged.worst, group.entries)
        secure = sum(ns for world, ns in sums.items() if world.startswith("S-"))
        elsewhere = sums.total() - secure - sums["EL3"]
        rows.append((group.name, str(len(group.entries)), us(group.latest_ns), us(secure), us(sums["EL3"]), us(elsewhere), str(split)))
    columns = (
        *words("Cause"),
        *figures("Late wake-ups"),
        *figures("Latest", "Together in OP-TEE", "in EL3", "in Linux", unit=UNIT),
        *figures("Split by the probe"),
    )
    note = "By the probe, from the due time of each wake-up to the start of its thread. The three times sum to the whole."
    return Table(f"Late wake-ups by cause: {_arm_label(judged.worst.arm)}", columns, tuple(rows), (note,))


def dose_sentence(judged: StackJudgement) -> str:
    line, worst = judged.line, judged.worst
    return (
        f"Late wake-ups per second by OP-TEE's calls = {line.intercept_us:.1f} + {line.slope:.3f} x calls per second, r squared "
        f"{line.r_squared:.4f}. One call takes {us(worst.most_taken_ns)} µs at most of a late wake-up, at every read size."
    )


def _doses(series: Sequence[ArmFigures], judged: StackJudgement) -> Table:
    rows = tuple(
        (
            str(arm_figures.arm.read_bytes) if arm_figures.arm.read_bytes else "none",
            f"{arm_figures.calls / arm_figures.seconds:,.0f}",
            f"{100 * arm_figures.taken_share:.1f}",
            *_lateness(arm_figures),
        )
        for arm_figures in series
    )
    columns = (*figures("Bytes a read", "Calls in a second"), Column("Firmware and OP-TEE", unit="% of the time"), *_LATENESS)
    return Table("More and more reads of /dev/hwrng", columns, rows, (dose_sentence(judged),))


_LATENESS = (
    *figures("Median", "99 %", "Maximum", unit=UNIT),
    *figures("Late", "by OP-TEE's calls"),
    Column("Most in one wake-up", unit=UNIT),
)


def _lateness(arm_figures: ArmFigures) -> tuple[str, ...]:
    cpu = arm_figures.recorder.cpus[0]
    shown = us(percentile_ns(cpu, 50)), us(percentile_ns(cpu, 99)), us(arm_figures.recorder.max_ns)
    return (*shown, str(len(arm_figures.recorder.outliers)), str(len(arm_figures.blamed)), us(arm_figures.most_taken_ns))


def _mitigation(boots: Sequence[ArmFigures], judged: StackJudgement) -> Table:
    rows = tuple(
        (_built(arm_figures.arm), _read(arm_figures.arm), f"{arm_figures.calls:,}", f"{arm_figures.calls_left:,}", *_lateness(arm_figures))
        for arm_figures in _compared(boots, judged)
    )
    columns = (*words("OP-TEE", "The load reads"), *figures("Calls into it", "left for Linux"), *_LATENESS)
    return Table("The same load, with and without what is advised", columns, rows, tuple(_mitigation_notes(judged)))


def _compared(boots: Sequence[ArmFigures], judged: StackJudgement) -> list[ArmFigures]:
    """What nobody reads, what is read most, and all others but the causes of what is left."""
    least = [judged.undosed, judged.worst]
    return [
        arm_figures for arm_figures in boots if arm_figures in least or (arm_figures not in series_of(boots) and not arm_figures.arm.causes)
    ]


def _mitigation_notes(judged: StackJudgement) -> Iterator[str]:
    yield "Calls into OP-TEE, during the measurement, by the probe. Left for Linux: the call returned early for an interrupt of Linux."
    if judged.left_open:
        yield (
            f"If EL3 leaves Linux's "
            f"timer on, "
            f"{judged.left_open.calls_left:,} of "
            f"{judged.left_open.calls:,} calls "
            f"return early for it. One call "
            f"then takes {us(judged.left_open.most_taken_ns)} µs of a late wake-up at most, not {us(judged.worst.most_taken_ns)} µs."
        )
    for half in judged.halves:
        gone = "no late wake-up met OP-TEE" if not half.met else f"{count(half.met, 'late wake-up')} met OP-TEE"
        yield f"With {_built(half.arm)}: {gone}, of {len(half.recorder.outliers)}."
    if judged.unasked:
        yield (
            f"Without a program that reads, the kernel's own thread made {count(judged.undosed.calls, 'call')}. With quality 0 for "
            f"the numbers, it {'still ' if judged.unasked.calls else ''}made {count(judged.unasked.calls, 'call')}."
        )


def _remaining_causes(judged: StackJudgement) -> Iterator[Block]:
    if judged.tail is None:
        yield Paragraph("The boot that keeps the causes of what both halves leave did not come back.")
        return
    late = len(judged.tail.recorder.outliers)
    groups = by_cause(judged.tail.result.attributed or ())
    named_causes = ", ".join(f"{len(group.entries)} {group.name}" for group in groups[:3])
    yield Paragraph(
        f"With both halves {late} of {judged.tail.wakeups:,} wake-ups are late, and {judged.tail.met or 'none'} of these met OP-TEE. "
        f"Causes: {named_causes or 'none is known'}. This boot records what the kernel did before each late wake-up, which makes every "
        "wake-up later. Do not compare its figures with those of the others."
    )
    yield from named(cause_details.charts(judged.tail.result), "left")
    yield from (*cause_details.took(judged.tail.result), *cause_details.worst(judged.tail.result))


def _arm_label(arm: StackArm) -> str:
    return f"{_built(arm)}, {_read(arm)}"


def _built(arm: StackArm) -> str:
    built = BUILT.get((arm.world, arm.node), f"{arm.world}, numbers of {arm.node}")
    return built + (f", quality {arm.quality}" if arm.quality is not None else "") + (", with causes" if arm.causes else "")


def _read(arm: StackArm) -> str:
    return f"{count(arm.read_bytes, 'byte')} at once" if arm.read_bytes else "nothing from it"


def _dose_chart(series: Sequence[ArmFigures], judged: StackJudgement) -> Chart:
    label = f"OP-TEE {_built(judged.worst.arm)}"
    rows = [
        {"dose": arm_figures.calls / arm_figures.seconds, "response": len(arm_figures.blamed) / arm_figures.seconds, "series": label}
        for arm_figures in series
    ]
    titles = "calls into OP-TEE per second", "late wake-ups by them per second"
    return fitted_line("Load and late wake-ups", dose_sentence(judged), rows, judged.line, *titles, (label,))


def _survival(boots: Sequence[ArmFigures], judged: StackJudgement) -> Chart:
    drawn_boots = [arm_figures for arm_figures in _compared(boots, judged) if arm_figures.arm.quality is None]
    shown = [(_arm_label(arm_figures.arm), cpu) for arm_figures in drawn_boots for cpu in arm_figures.recorder.cpus if cpu.histogram]
    rows = [row for label, cpu in shown if cpu.histogram for row in survivors(f"CPU {cpu.cpu}", label, cpu.histogram)]
    names = [label for label, _ in shown]
    chart = (
        alt.Chart(alt.InlineData(values=rows), width=WIDE_PX, height=HIGH_PX)
        .mark_line(interpolate="step-before", strokeWidth=1.5)
        .encode(
            x=alt.X("us:Q", title="latency (µs)"),
            y=alt.Y("share:Q", title="share of wake-ups at least as late", scale=alt.Scale(type="log"), axis=alt.Axis(format=".0e")),
            color=alt.Color(
                "kind:N",
                title=None,
                scale=alt.Scale(domain=names, range=of_kinds(names)),
                legend=alt.Legend(orient="bottom", direction="vertical", labelLimit=700),
            ),
            tooltip=["kind:N", alt.Tooltip("us:Q", title="µs"), alt.Tooltip("share:Q", format=".2e")],
        )
    )
    return Chart("How late, how often", "Each line is one boot; where it ends is its latest wake-up.", finished(chart))


def _by_world(boots: Sequence[ArmFigures]) -> Chart:
    """What the late wake-ups of each boot are made of, by world."""
    rows = []
    shown = {"OP-TEE": "S-", "EL3": "EL3", "Linux": ""}
    for arm_figures in (boot for boot in boots if not boot.arm.causes):
        sums = dict.fromkeys(shown, 0)
        for late in arm_figures.worlds.late:
            for share in late.shares:
                sums[next(name for name, begin in shown.items() if share.world.startswith(begin))] += share.ns
        rows += [
            {"row": f"{_built(arm_figures.arm)}, {arm_figures.arm.read_bytes} B", "us": ns / 1000, "cause": name, "order": order}
            for order, (name, ns) in enumerate(sums.items())
        ]
    colours = dict(zip(shown, of_kinds(list(shown)), strict=True))
    return cause_details.bars(
        "Where the core was",
        "All late wake-ups of each boot together, by world, as the probe saw it; how many bytes of it are read at once.",
        rows,
        colours,
    )
