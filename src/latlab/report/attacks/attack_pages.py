# SPDX-License-Identifier: BSD-3-Clause
"""A run of attacks: how many of each family came to what, what was broken, and every attack with what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.analysis.base.wording import count
from latlab.model.attacks import AttackResult, Family, Outcome
from latlab.model.run import Run
from latlab.report.page import Block, Facts, Folded, Item, Items, Page, Section
from latlab.report.provenance import provenance_facts, repeated_by
from latlab.report.run.facts import begun, method, partial, problem_items
from latlab.report.table import Table, Value, figures, prose, words
from latlab.report.titles import platform_title

COUNTED = (Outcome.BROKEN, Outcome.DENIAL, Outcome.UNTOLD, Outcome.CONTAINED, Outcome.REFUSED, Outcome.NOT_TRIED)
MEANINGS = (
    (Outcome.BROKEN, "secure memory was read, written or executed, or an unknown handle was accepted"),
    (Outcome.DENIAL, "the machine was reset or stopped, and the secure side printed nothing"),
    (Outcome.UNTOLD, "the machine ended during the attack, for an unknown reason"),
    (Outcome.CONTAINED, "the secure side stopped the machine and printed why, or the non-secure side took a fault"),
    (Outcome.REFUSED, "the call returned an error, or was served normally, and no secure memory was touched"),
    (Outcome.NOT_TRIED, "the subject lacks a feature that the attack needs"),
)
WORST = {
    Outcome.BROKEN: "broke the isolation",
    Outcome.DENIAL: "stopped it without a message",
    Outcome.UNTOLD: "ended it for an unknown reason",
}
TOLD_IN_FULL = (Outcome.BROKEN, Outcome.DENIAL, Outcome.UNTOLD, Outcome.NOT_TRIED)


def counts(run: Run) -> Table:
    """A row for each family, a column for each outcome."""
    families = [family for family in Family if any(one.family is family for one in run.attacks)]
    lines = [(family.value, *_counts([one for one in run.attacks if one.family is family])) for family in families]
    tries = sum(one.tries for one in run.attacks)
    note = f"{len(run.attacks)} attacks, {tries} tries; an attack is not tried if the subject lacks a feature that it needs"
    return Table(
        "Outcomes of the attacks",
        (*words("Family"), *figures(*(str(one) for one in COUNTED))),
        (*lines, ("all", *_counts(run.attacks))),
        (note,),
    )


def beside(runs: Sequence[Run]) -> Table:
    """A row for each run, a column for each outcome."""
    lines: tuple[tuple[Value, ...], ...] = tuple((run.build.firmware, *_counts(run.attacks)) for run in runs)
    return Table("Outcomes of the attacks", (*words("Build"), *figures(*(str(one) for one in COUNTED))), lines)


def rows(run: Run) -> Table:
    """Every attack, with what its sentence rests on."""
    columns = (*words("Family", "Attack", "Outcome"), prose("Result"), prose("Evidence"))
    lines = tuple((one.family.value, one.name, str(one.outcome), one.sentence, evidence_text(one)) for one in run.attacks)
    return Table("The attacks", columns, lines)


def tables(run: Run) -> list[Table]:
    return [rows(run)]


def evidence_text(one: AttackResult) -> str:
    """Names and values, in one line."""
    return ", ".join(f"{name} {value}" for name, value in one.evidence)


def screen(run: Run) -> Page:
    """The counts, then what is neither refused nor contained, and the facts."""
    sections = (Section("", (counts(run), *_told(run), problem_items(run.problems, marked=True))), Section("", (Facts(_facts(run)),)))
    return Page("", sections=sections, answer=_answer(run))


def document(run: Run) -> Page:
    """The same as a document, with every attack."""
    title = f"Attacks on {run.build.firmware}, {platform_title(run)}"
    meanings = Facts(tuple((str(outcome), meaning) for outcome, meaning in MEANINGS))
    sections = (
        *partial(run),
        Section("Results", (counts(run), *_told(run))),
        Section("Every attack", (Folded(count(len(run.attacks), "attack"), (rows(run),)),)),
        method(meanings, Facts(_facts(run))),
    )
    return Page(title, (f"Run {run.id}{begun(run)}.",), sections, name=f"{title}: {run.id}", answer=_answer(run))


def _answer(run: Run) -> str:
    """The worst that came of them; what could not be tried is not counted as withstood."""
    tried = [one for one in run.attacks if one.outcome is not Outcome.NOT_TRIED]
    worst = [f"{n} {WORST[outcome]}" for outcome in WORST if (n := sum(one.outcome is outcome for one in tried))]
    of = f"{count(len(tried), 'attack')} on {run.build.firmware}"
    return (
        f"Of {of} {' and '.join(worst)}."
        if worst
        else f"None of {of} broke the isolation or stopped the machine without a message."
        if tried
        else ""
    )


def _told(run: Run) -> tuple[Block, ...]:
    found = [one for one in run.attacks if one.outcome in TOLD_IN_FULL]
    if not found:
        return ()
    return (Items(tuple(Item(f"{one.outcome}: {one.family.value}, {one.name}: {one.sentence}", _below(one)) for one in found)),)


def _below(one: AttackResult) -> tuple[str, ...]:
    return (evidence_text(one),) if one.evidence else ()


def _counts(results: Sequence[AttackResult]) -> tuple[int, ...]:
    return tuple(sum(one.outcome is outcome for one in results) for outcome in COUNTED)


def _facts(run: Run) -> tuple[tuple[str, str], ...]:
    known = (
        ("run", f"{run.id}, {run.status.value}"),
        ("platform", run.platform),
        ("build", run.build.firmware),
        ("emulator", run.emulator),
        ("started (UTC)", run.started_utc),
        *run.facts,
        *provenance_facts(run),
        ("repeated by", repeated_by(run)),
    )
    return tuple((name, value) for name, value in known if value)
