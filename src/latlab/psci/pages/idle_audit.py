# SPDX-License-Identifier: BSD-3-Clause
"""The audit of a device tree's idle states: as a page, for other programs, and as the nodes that correct it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from latlab.core.comparison.wording import count
from latlab.core.model.run import Run
from latlab.core.report.page import Item, Items, Page, Paragraph, Section
from latlab.core.report.renderers import json
from latlab.core.report.table import Column, Table, Value, figures, words
from latlab.core.report.titles import platform_title
from latlab.psci.analysis.idle_audit import IdleFinding, IdleJudgement

COLUMNS = (*words("State", "Property"), *figures("Stated", "Measured", "n"), Column("Boots", droppable=True), *words("Finding"))
NO_STATES = "The tree has no idle state that a CPU of it names."
SCOPE = (
    "In µs. Measured is the longest span of the firmware, of min-residency the shortest entry. Linux' own part comes on top, and nothing "
    "here shows that a latency is too long."
)


def page(run: Run, judgements: Sequence[IdleJudgement]) -> Page:
    """A row for each latency, and a sentence for each that is too short and each reason why nothing is told."""
    title = f"Idle states against {run.id} on {platform_title(run)}"
    if not judgements:
        return Page(title, sections=(Section("", (Paragraph(NO_STATES),)),))
    sentences = dict.fromkeys(
        map(_judgement_sentence, (judgement for judgement in judgements if judgement.finding is not IdleFinding.HOLDS))
    )
    items = Items(tuple(Item(sentence) for sentence in sentences))
    sections = (Section("", (Table("", COLUMNS, tuple(map(_row, judgements))), items, Paragraph(SCOPE))),)
    return Page(title, sections=sections, answer=_answer(judgements))


def _answer(judgements: Sequence[IdleJudgement]) -> str:
    short, untold = (
        sum(judgement.finding is finding for judgement in judgements) for finding in (IdleFinding.TOO_SHORT, IdleFinding.CANNOT_TELL)
    )
    remainder = f"; {untold} inconclusive" if untold else ""
    return f"{short or 'None'} of {count(len(judgements), 'stated time')} {'are' if short > 1 else 'is'} shown to be too short{remainder}."


def _row(judgement: IdleJudgement) -> tuple[Value, ...]:
    measured = "-" if judgement.measured_us is None else f"{judgement.measured_us:.1f}"
    counts = (str(judgement.n), str(judgement.boots)) if judgement.n else ("-", "-")
    return judgement.state.name, judgement.name.removesuffix("-us"), str(judgement.stated_us), measured, *counts, str(judgement.finding)


def _judgement_sentence(judgement: IdleJudgement) -> str:
    if judgement.finding is IdleFinding.CANNOT_TELL:
        return f"{judgement.state.name}: {judgement.why}"
    return (
        f"{judgement.state.name}, "
        f"{judgement.name}: "
        f"{judgement.measured_us:.1f} µs in "
        f"{judgement.test}, core "
        f"{judgement.core}, {judgement.why}"
    )


def document(run: Run, judgements: Iterable[IdleJudgement]) -> str:
    """The same in JSON, with the correct values."""
    latencies = [
        {
            "node": judgement.state.path,
            "property": judgement.name,
            "stated_us": judgement.stated_us,
            "measured_us": judgement.measured_us,
            "n": judgement.n,
            "boots": judgement.boots,
            "test": judgement.test,
            "core": None if judgement.core is None else str(judgement.core),
            "finding": judgement.finding.value,
            "why": judgement.why,
            "correct_us": judgement.correct_us,
        }
        for judgement in judgements
    ]
    return json.document({"run": run.id, "latencies": latencies})


def corrected_nodes(run: Run, judgements: Iterable[IdleJudgement]) -> str:
    """A .dtsi to include behind the tree's own; only what is too short is in it. Empty where nothing is."""
    wrong = [judgement for judgement in judgements if judgement.finding is IdleFinding.TOO_SHORT]
    nodes = [
        f"&{{{path}}} {{\n"
        + "".join(
            f"\t{judgement.name} = <{judgement.correct_us}>; /* was {judgement.stated_us}; {_evidence_text(judgement)} */\n"
            for judgement in of_node
        )
        + "};\n"
        for path, of_node in groupby(wrong, key=lambda judgement: judgement.state.path)
    ]
    head = f"/* Measured by {run.id}, firmware {run.build.firmware}. These are the firmware's parts: Linux' own comes on top. */\n"
    return "\n".join([head, *nodes]) if nodes else ""


def _evidence_text(judgement: IdleJudgement) -> str:
    return f"{judgement.measured_us:.1f} us, {judgement.test}, core {judgement.core}, n = {judgement.n}, boots = {judgement.boots}"
