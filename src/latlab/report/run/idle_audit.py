# SPDX-License-Identifier: BSD-3-Clause
"""The audit of a device tree's idle states: as a page, for other programs, and as the nodes that correct it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from latlab.analysis.base.wording import count
from latlab.analysis.spans.idle_audit import Finding, Judgement
from latlab.model.run import Run
from latlab.report.page import Item, Items, Page, Paragraph, Section
from latlab.report.renderers import json
from latlab.report.table import Column, Table, Value, figures, words
from latlab.report.titles import platform_title

COLUMNS = (*words("State", "Property"), *figures("Stated", "Measured", "n"), Column("Boots", spare=True), *words("Finding"))
NO_STATES = "The tree has no idle state that a CPU of it names."
SCOPE = (
    "In µs. Measured is the longest span of the firmware, of min-residency the shortest entry. Linux' own part comes on top, and nothing "
    "here shows that a latency is too long."
)


def page(run: Run, found: Sequence[Judgement]) -> Page:
    """A row for each latency, and a sentence for each that is too short and each reason why nothing is told."""
    title = f"Idle states against {run.id} on {platform_title(run)}"
    if not found:
        return Page(title, sections=(Section("", (Paragraph(NO_STATES),)),))
    told = dict.fromkeys(map(_told, (one for one in found if one.finding is not Finding.HOLDS)))
    items = Items(tuple(Item(sentence) for sentence in told))
    sections = (Section("", (Table("", COLUMNS, tuple(map(_row, found))), items, Paragraph(SCOPE))),)
    return Page(title, sections=sections, answer=_answer(found))


def _answer(found: Sequence[Judgement]) -> str:
    short, untold = (sum(one.finding is finding for one in found) for finding in (Finding.TOO_SHORT, Finding.CANNOT_TELL))
    rest = f"; {untold} inconclusive" if untold else ""
    return f"{short or 'None'} of {count(len(found), 'stated time')} {'are' if short > 1 else 'is'} shown to be too short{rest}."


def _row(one: Judgement) -> tuple[Value, ...]:
    measured = "-" if one.measured_us is None else f"{one.measured_us:.1f}"
    counts = (str(one.n), str(one.boots)) if one.n else ("-", "-")
    return one.state.name, one.name.removesuffix("-us"), str(one.stated_us), measured, *counts, str(one.finding)


def _told(one: Judgement) -> str:
    if one.finding is Finding.CANNOT_TELL:
        return f"{one.state.name}: {one.why}"
    return f"{one.state.name}, {one.name}: {one.measured_us:.1f} µs in {one.test}, core {one.core}, {one.why}"


def document(run: Run, found: Iterable[Judgement]) -> str:
    """The same in JSON, with the correct values."""
    latencies = [
        {
            "node": one.state.path,
            "property": one.name,
            "stated_us": one.stated_us,
            "measured_us": one.measured_us,
            "n": one.n,
            "boots": one.boots,
            "test": one.test,
            "core": None if one.core is None else str(one.core),
            "finding": one.finding.value,
            "why": one.why,
            "correct_us": one.correct_us,
        }
        for one in found
    ]
    return json.document({"run": run.id, "latencies": latencies})


def corrected_nodes(run: Run, found: Iterable[Judgement]) -> str:
    """A .dtsi to include behind the tree's own; only what is too short is in it. Empty where nothing is."""
    wrong = [one for one in found if one.finding is Finding.TOO_SHORT]
    nodes = [
        f"&{{{path}}} {{\n"
        + "".join(f"\t{one.name} = <{one.correct_us}>; /* was {one.stated_us}; {_said(one)} */\n" for one in each)
        + "};\n"
        for path, each in groupby(wrong, key=lambda one: one.state.path)
    ]
    head = f"/* Measured by {run.id}, firmware {run.build.firmware}. These are the firmware's parts: Linux' own comes on top. */\n"
    return "\n".join([head, *nodes]) if nodes else ""


def _said(one: Judgement) -> str:
    return f"{one.measured_us:.1f} us, {one.test}, core {one.core}, n = {one.n}, boots = {one.boots}"
