# SPDX-License-Identifier: BSD-3-Clause
"""What a watch saw as a page for a browser: calls by kind, how their lengths are spread, who made them, and their functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from statistics import median

from latlab.calls.analysis.calls import EntryKind
from latlab.calls.model.calls import TRACED_PART, WHOLE_TRACE
from latlab.calls.pages.watch_tables import boot_table, errors_said, masked_section
from latlab.core.model.enums import Metric
from latlab.core.model.run import CallsOfKind, MaskedAtlas, Run, SpanFunctions
from latlab.core.report.chart import WIDE_PX, Chart, finished
from latlab.core.report.colours import MAIN
from latlab.core.report.facts import begun, facts_of, method, partial
from latlab.core.report.flame import OWN_KEY, OWN_SENTENCE, flame, shown
from latlab.core.report.page import Block, Facts, Folded, Page, Paragraph, Section
from latlab.core.report.table import Bar, Table, figures, words
from latlab.core.report.titles import platform_title
from latlab.core.report.units import tick_name
from latlab.core.report.vega import alt

MOST_IN_PICTURES = 8
MOST_FUNCTIONS = 10
BAR_PX = 24
YIELDING = EntryKind.YIELDING.value


def page(run: Run, kinds: Sequence[CallsOfKind], masked: MaskedAtlas | None = None) -> Page:
    title = f"{'Calls into the firmware' if kinds else 'Masked interrupts'} on {platform_title(run)}"
    lead = (f"{run.build.firmware}, run {run.id}{begun(run)}", *_counted(kinds, tick_name(run.tick)))
    return Page(title, lead, tuple(_sections(run, kinds, masked)), name=f"{title}: {run.id}", answer=_answer(kinds, tick_name(run.tick)))


def whole_page(run: Run) -> Page:
    """The page of a trace without a world switch: what each core ran, by function."""
    title, unit = f"A trace without calls on {platform_title(run)}", tick_name(run.tick)
    spans = [span for span in run.functions if span.test in (WHOLE_TRACE, TRACED_PART)]
    figures_of = WHOLE_TRACE if run.samples else f"{TRACED_PART}, and data is missing in between"
    lead = (f"{run.build.firmware}, run {run.id}{begun(run)}", f"No world switch is in the trace. Figures: {figures_of}, in {unit}.")
    return Page(title, lead, tuple(_whole_sections(run, spans, unit)), name=f"{title}: {run.id}", answer=_whole_answer(spans, unit))


def _whole_answer(spans: Sequence[SpanFunctions], unit: str) -> str:
    functions: Counter[str] = Counter()
    for span in spans:
        functions.update({share.name: share.instructions for share in span.functions})
    if not functions:
        return ""
    (name, most), total = functions.most_common(1)[0], functions.total()
    return f"{name} takes most: {100 * most / total:.1f} % of {total:,} {unit}."


def _whole_sections(run: Run, spans: Sequence[SpanFunctions], unit: str) -> Iterator[Section]:
    yield from partial(run)
    rows = tuple((str(span.core), f"{sum(share.instructions for share in span.functions):,}") for span in spans)
    if rows:
        yield Section("Cores", (Table("", (*words("Core"), *figures(unit.capitalize())), rows),), anchor="cores")
        yield Section("Functions", (_whole_functions(spans, unit),), anchor="functions")
    yield method(Facts(facts_of(run)))


def _whole_functions(spans: Sequence[SpanFunctions], unit: str) -> Table:
    functions: Counter[tuple[str, str]] = Counter()
    for span in spans:
        functions.update({(share.name, share.place): share.instructions for share in span.functions})
    whole = functions.total() or 1
    rows = tuple(
        (name, place, f"{count:,}", Bar(f"{100 * count / whole:.1f} %", count / whole))
        for (name, place), count in functions.most_common(MOST_FUNCTIONS)
    )
    note = f"The {MOST_FUNCTIONS} functions with the most {unit}, of all cores together."
    return Table("", (*words("Function", "Source"), *figures(unit.capitalize(), "Share")), rows, (note,))


def _answer(kinds: Sequence[CallsOfKind], unit: str) -> str:
    outer = [kind for kind in kinds if not kind.is_inner]
    total = sum(kind.total for kind in outer)
    if not total:
        return ""
    most = max(outer, key=lambda kind: kind.total)
    share = f"{100 * most.total / total:.1f} % of all {unit} that calls took"
    return f"{most.name} from {most.caller} takes most: {share} ({most.count:,} calls, median {shown(median_of(most))})."


def _counted(kinds: Sequence[CallsOfKind], unit: str) -> Iterator[str]:
    count = sum(kind.count for kind in kinds if not kind.is_inner)
    if kinds:
        counted = f"{count:,} calls of {len(kinds)} kinds"
        yield f"{counted}, in {unit} of the core that called, from the call to the return, without its sleep."


def _sections(run: Run, kinds: Sequence[CallsOfKind], masked: MaskedAtlas | None) -> Iterator[Section]:
    yield from partial(run)
    if masked:
        yield masked_section(masked)
    if kinds:
        yield from _of_calls(kinds, tick_name(run.tick))
        if not any(kind.frames for kind in kinds) and (table := functions_table(run)):
            yield Section("Functions", (table,), anchor="functions")
    if boot := boot_table(run.samples, run.functions):
        yield Section("Boot by stage", (boot,), anchor="boot")
    yield method(Facts(facts_of(run)))


def _of_calls(kinds: Sequence[CallsOfKind], unit: str) -> Iterator[Section]:
    blocks: tuple[Block, ...] = (
        _chart(kinds[:MOST_IN_PICTURES], unit),
        _table(kinds, unit),
        Folded("Calls of each core", (_makers(kinds),)),
    )
    yield Section("Calls by kind", blocks, anchor="kinds")
    drawn_kinds = [call_kind for call_kind in kinds if call_kind.frames][:MOST_IN_PICTURES]
    if drawn_kinds:
        pictures: list[Block] = [Paragraph(OWN_SENTENCE), OWN_KEY]
        for number, kind in enumerate(drawn_kinds):
            pictures += flame(
                kind.frames, kind.count, f"{kind.name} from {kind.caller}", f"mean of {kind.count:,} calls", f"flame-{number}"
            )
        yield Section("Functions", tuple(pictures), anchor="functions")


def functions_table(run: Run) -> Table | None:
    """The functions that take most in the calls of each name, means over all cores, if no call tree is known. None without functions."""
    unit, rows = tick_name(run.tick), []
    for test in dict.fromkeys(span.test for span in run.functions if span.metric is Metric.CALL):
        totals: Counter[tuple[str, str]] = Counter()
        calls = 0
        for span in run.functions:
            if (span.test, span.metric) == (test, Metric.CALL):
                calls += span.calls
                totals.update({(share.name, share.place): share.instructions for share in span.functions})
        whole = totals.total() or 1
        rows += [
            (test, name, place, shown(count / calls), Bar(f"{100 * count / whole:.1f} %", count / whole))
            for (name, place), count in totals.most_common(MOST_FUNCTIONS)
        ]
    columns = (*words("Call", "Function", "Source"), *figures(f"{unit.capitalize()} per call", "Share"))
    return Table("", columns, tuple(rows), (f"The {MOST_FUNCTIONS} functions with the largest part of each call.",)) if rows else None


def _table(kinds: Sequence[CallsOfKind], unit: str) -> Table:
    total = sum(kind.total for kind in kinds if not kind.is_inner) or 1
    worlds = list(dict.fromkeys(world for kind in kinds for world, _ in kind.worlds))
    rows = tuple(
        (
            kind.name,
            ", ".join(
                (kind.caller, *(("inside another call",) if kind.is_inner else ()), *(("yielding",) if kind.kind == YIELDING else ()))
            ),
            f"{kind.count:,}",
            *(f"{at(kind, 0.0):,}", shown(median_of(kind)), f"{at(kind, 0.99):,}", f"{at(kind, 1.0):,}"),
            "" if kind.is_inner else Bar(f"{100 * kind.total / total:.1f} %", kind.total / total),
            f"{kind.total:,}",
            *(shown(dict(kind.worlds).get(world, 0)) for world in worlds),
            str(kind.slept) if kind.slept else "",
            errors_said(kind.errors),
        )
        for kind in kinds
    )
    counts = ("Calls", "Min", "Median", "99 %", "Max", "Share", "Total", *(f"in {world}" for world in worlds), "Slept")
    columns = (*words("Call", "From"), *figures(*counts), *words("Failed"))
    notes = (
        f"{unit.capitalize()} of a call; the largest totals come first. Of the median, the part in each world. A call inside another is "
        f"in that one's {unit} too.",
    )
    return Table("", columns, rows, notes)


def median_of(kind: CallsOfKind) -> float:
    return median(chain.from_iterable(repeat(value, count) for value, count in kind.instructions))


def at(kind: CallsOfKind, share: float) -> int:
    """The least number of instructions that this share of the calls did not exceed."""
    rank = max(1, -int(-share * kind.count // 1))
    for value, count in kind.instructions:
        rank -= count
        if rank <= 0:
            return value
    return kind.instructions[-1][0]


def _chart(kinds: Sequence[CallsOfKind], unit: str) -> Chart:
    names = [f"{kind.name} ({kind.caller})" for kind in kinds]
    rows = [
        {"call": name, "instructions": value, "calls": count}
        for name, kind in zip(names, kinds, strict=True)
        for value, count in kind.instructions
    ]
    chart = (
        alt.Chart(alt.InlineData(values=rows), width=WIDE_PX - 220, height=alt.Step(BAR_PX))
        .mark_circle(color=MAIN, opacity=0.55, stroke=MAIN)
        .encode(
            x=alt.X("instructions:Q", scale=alt.Scale(type="log"), title=f"{unit}, logarithmic"),
            y=alt.Y("call:N", sort=names, title=None, axis=alt.Axis(labelLimit=200)),
            size=alt.Size("calls:Q", legend=None, scale=alt.Scale(range=[25, 350])),
            tooltip=["call:N", alt.Tooltip("instructions:Q", title=unit, format=","), alt.Tooltip("calls:Q", format=",")],
        )
    )
    return Chart("", f"A circle for each number of {unit} that occurred, the larger the more calls took it.", finished(chart), "spread-0")


def _makers(kinds: Sequence[CallsOfKind]) -> Table:
    cores = sorted(dict.fromkeys(core for kind in kinds for core, _ in kind.by_core), key=lambda core: tuple(map(int, core.split("."))))
    rows = tuple((kind.name, kind.caller, *(f"{dict(kind.by_core).get(core, 0):,}" for core in cores)) for kind in kinds)
    return Table("", (*words("Call", "From"), *figures(*(f"Core {core}" for core in cores))), rows)
