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
    (Outcome.BROKEN, "something of the secure side was read, written or run, or a handle of nobody's was accepted"),
    (Outcome.DENIAL, "the machine was reset or stands still, and the secure side said nothing"),
    (Outcome.UNTOLD, "the machine ended in it, and nothing says why"),
    (Outcome.CONTAINED, "the secure side stopped the machine and said why, or the non-secure side got a fault of its own"),
    (Outcome.REFUSED, "an error came back, or the call was served as any other, and nothing secure was touched"),
    (Outcome.NOT_TRIED, "the subject lacks what the attack needs"),
)
WORST = {Outcome.BROKEN: "broke it", Outcome.DENIAL: "stopped it unsaid", Outcome.UNTOLD: "ended it, and nothing says why"}
TOLD_IN_FULL = (Outcome.BROKEN, Outcome.DENIAL, Outcome.UNTOLD, Outcome.NOT_TRIED)


def counts(run: Run) -> Table:
    """A row for each family, a column for each outcome."""
    families = [family for family in Family if any(one.family is family for one in run.attacks)]
    lines = [(family.value, *_counts([one for one in run.attacks if one.family is family])) for family in families]
    tries = sum(one.tries for one in run.attacks)
    note = f"{len(run.attacks)} attacks, {tries} tries; not tried is what the subject has no means for"
    return Table(
        "What came of the attacks",
        (*words("Family"), *figures(*(one.value for one in COUNTED))),
        (*lines, ("all", *_counts(run.attacks))),
        (note,),
    )


def beside(runs: Sequence[Run]) -> Table:
    """A row for each run, a column for each outcome."""
    lines: tuple[tuple[Value, ...], ...] = tuple((run.build.firmware, *_counts(run.attacks)) for run in runs)
    return Table("What came of the attacks", (*words("Build"), *figures(*(one.value for one in COUNTED))), lines)


def rows(run: Run) -> Table:
    """Every attack, with what its sentence rests on."""
    columns = (*words("Family", "Attack", "Outcome"), prose("What came of it"), prose("It rests on"))
    lines = tuple((one.family.value, one.name, one.outcome.value, one.sentence, evidence_text(one)) for one in run.attacks)
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
    meanings = Facts(tuple((outcome.value, meaning) for outcome, meaning in MEANINGS))
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
    return f"Of {of} {' and '.join(worst)}." if worst else f"None of {of} broke it or stopped it unsaid." if tried else ""


def _told(run: Run) -> tuple[Block, ...]:
    found = [one for one in run.attacks if one.outcome in TOLD_IN_FULL]
    if not found:
        return ()
    return (Items(tuple(Item(f"{one.outcome.value}: {one.family.value}, {one.name}: {one.sentence}", _below(one)) for one in found)),)


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
