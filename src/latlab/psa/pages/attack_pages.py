# SPDX-License-Identifier: BSD-3-Clause
"""A run of attacks: how many of each family came to what, what was broken, and every attack with what came of it; and its CSV lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from latlab.core.comparison.wording import count
from latlab.core.kinds.kind import Line, Lines
from latlab.core.model.run import Run
from latlab.core.report.facts import begun, method, partial, problem_items, provenance_facts, repeated_by
from latlab.core.report.page import Block, Facts, Folded, Item, Items, Page, Section
from latlab.core.report.table import Table, Value, figures, prose, words
from latlab.core.report.titles import platform_title
from latlab.psa.attack_results import attacks_of
from latlab.psa.model import AttackOutcome, AttackResult, Family

COUNTED = (
    AttackOutcome.BROKEN,
    AttackOutcome.DENIAL,
    AttackOutcome.INCONCLUSIVE,
    AttackOutcome.CONTAINED,
    AttackOutcome.REFUSED,
    AttackOutcome.NOT_TRIED,
)
MEANINGS = (
    (AttackOutcome.BROKEN, "secure memory was read, written or executed, or an unknown handle was accepted"),
    (AttackOutcome.DENIAL, "the machine was reset or stopped, and the secure side printed nothing"),
    (AttackOutcome.INCONCLUSIVE, "the machine ended during the attack, for an unknown reason"),
    (AttackOutcome.CONTAINED, "the secure side stopped the machine and printed why, or the non-secure side took a fault"),
    (AttackOutcome.REFUSED, "the call returned an error, or was served normally, and no secure memory was touched"),
    (AttackOutcome.NOT_TRIED, "the subject lacks a feature that the attack needs"),
)
WORST = {
    AttackOutcome.BROKEN: "broke the isolation",
    AttackOutcome.DENIAL: "stopped it without a message",
    AttackOutcome.INCONCLUSIVE: "ended it for an unknown reason",
}
TOLD_IN_FULL = (AttackOutcome.BROKEN, AttackOutcome.DENIAL, AttackOutcome.INCONCLUSIVE, AttackOutcome.NOT_TRIED)

ATTACKS = ("family", "attack", "outcome", "tries", "sentence", "evidence")


def counts(run: Run) -> Table:
    """A row for each family, a column for each outcome."""
    families = [family for family in Family if any(result.family is family for result in attacks_of(run))]
    lines = [(family.value, *_counts([result for result in attacks_of(run) if result.family is family])) for family in families]
    tries = sum(result.tries for result in attacks_of(run))
    tried = f"{count(len(attacks_of(run)), 'attack')}, {'one try' if tries == 1 else f'{tries} tries'}"
    note = f"{tried}; an attack is not tried if the subject lacks a feature that it needs"
    table = Table(
        "Outcomes of the attacks",
        (*words("Family"), *figures(*(str(outcome) for outcome in COUNTED))),
        (*lines, ("all", *_counts(attacks_of(run)))),
        (note,),
    )
    return _without_zeros(table)


def _without_zeros(table: Table) -> Table:
    """Outcomes that no attack has are a sentence and no columns."""
    never = [at for at in range(1, len(table.columns)) if all(str(row[at]) == "0" for row in table.rows)]
    if not never:
        return table
    left = [at for at in range(len(table.columns)) if at not in never]
    names = ", ".join(table.columns[at].name for at in never)
    rows = tuple(tuple(row[at] for at in left) for row in table.rows)
    return replace(table, columns=tuple(table.columns[at] for at in left), rows=rows, notes=(f"none: {names}", *table.notes))


def beside(runs: Sequence[Run]) -> Table:
    """A row for each run, a column for each outcome."""
    lines: tuple[tuple[Value, ...], ...] = tuple((run.build.firmware, *_counts(attacks_of(run))) for run in runs)
    return Table("Outcomes of the attacks", (*words("Build"), *figures(*(str(outcome) for outcome in COUNTED))), lines)


def rows(run: Run) -> Table:
    """Every attack, with what its sentence rests on."""
    columns = (*words("Family", "Attack", "Outcome"), prose("Result"), prose("Evidence"))
    lines = tuple(
        (result.family.value, result.name, str(result.outcome), result.sentence, evidence_text(result)) for result in attacks_of(run)
    )
    return Table("The attacks", columns, lines)


def tables(run: Run) -> list[Table]:
    return [rows(run)]


def evidence_text(result: AttackResult) -> str:
    """Names and values, in one line."""
    return ", ".join(f"{name} {value}" for name, value in result.evidence)


def screen(run: Run) -> Page:
    """The counts, then what is neither refused nor contained, and the facts."""
    sections = (
        Section("", (counts(run), *_full_results(run), problem_items(run.problems, marked=True))),
        Section("", (Facts(_facts(run)),)),
    )
    return Page("", sections=sections, answer=_answer(run))


def document(run: Run) -> Page:
    """The same as a document, with every attack."""
    title = f"Attacks on {run.build.firmware}, {platform_title(run)}"
    meanings = Facts(tuple((str(outcome), meaning) for outcome, meaning in MEANINGS))
    sections = (
        *partial(run),
        Section("Results", (counts(run), *_full_results(run))),
        Section("Every attack", (Folded(count(len(attacks_of(run)), "attack"), (rows(run),)),)),
        method(meanings, Facts(_facts(run))),
    )
    return Page(title, (f"Run {run.id}{begun(run)}.",), sections, name=f"{title}: {run.id}", answer=_answer(run))


def _answer(run: Run) -> str:
    """The worst that came of them; what could not be tried is not counted as withstood."""
    tried = [result for result in attacks_of(run) if result.outcome is not AttackOutcome.NOT_TRIED]
    worst = [f"{n} {WORST[outcome]}" for outcome in WORST if (n := sum(result.outcome is outcome for result in tried))]
    of = f"{count(len(tried), 'attack')} on {run.build.firmware}"
    return (
        f"Of {of} {' and '.join(worst)}."
        if worst
        else f"None of {of} broke the isolation or stopped the machine without a message."
        if tried
        else ""
    )


def _full_results(run: Run) -> tuple[Block, ...]:
    in_full = [result for result in attacks_of(run) if result.outcome in TOLD_IN_FULL]
    if not in_full:
        return ()
    return (
        Items(
            tuple(Item(f"{result.outcome}: {result.family.value}, {result.name}: {result.sentence}", _below(result)) for result in in_full)
        ),
    )


def _below(result: AttackResult) -> tuple[str, ...]:
    return (evidence_text(result),) if result.evidence else ()


def _counts(results: Sequence[AttackResult]) -> tuple[int, ...]:
    return tuple(sum(result.outcome is outcome for result in results) for outcome in COUNTED)


def _facts(run: Run) -> tuple[tuple[str, str], ...]:
    pairs = (
        ("run", f"{run.id}, {run.status.value}"),
        ("label", run.label),
        ("platform", run.platform),
        ("build", run.build.firmware),
        ("emulator", run.emulator),
        ("started (UTC)", run.started_utc),
        *run.facts,
        *provenance_facts(run),
        ("repeated by", repeated_by(run)),
    )
    return tuple((name, value) for name, value in pairs if value)


def attack_lines(run: Run) -> Lines:
    return ATTACKS, _attacks(run)


def _attacks(run: Run) -> Iterator[Line]:
    for result in attacks_of(run):
        evidence = ", ".join(f"{name} {value}" for name, value in result.evidence)
        yield result.family.value, result.name, result.outcome.value, result.tries, result.sentence, evidence
