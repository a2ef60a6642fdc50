# SPDX-License-Identifier: BSD-3-Clause
"""A comparison on one screen, and as a document in the layout of the reference: a delta only where something is shown to have changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from latlab.core.comparison.by_kind import explain_pair
from latlab.core.comparison.comparison import Comparison, SpanComparison
from latlab.core.comparison.explanation import Explanation
from latlab.core.comparison.printed_deltas import judge_printed_deltas
from latlab.core.comparison.span_findings import OrderChanged
from latlab.core.kinds.registry import pairs_of
from latlab.core.model.run import Run
from latlab.core.report.comparison import comparison_tables
from latlab.core.report.comparison.answer import answer, inferred_cause, more_than_answer
from latlab.core.report.comparison.glosses import with_glosses, without_repeats
from latlab.core.report.comparison.sentences import explained, headline, made_with, quiet_lines, samples_line, sentence, summary
from latlab.core.report.comparison.span_pairs import order_lines
from latlab.core.report.facts import problem_items
from latlab.core.report.page import Block, Item, Items, Page, Paragraph, Section
from latlab.core.report.text import Style, Styled, Text, soft, strong

HINT = "--verbose prints every row and data point; `latlab explain` with the same two runs explains the changes"
QUEUE_SENTENCE = (
    "Sorted by queue position, powerdown grows by the same delay for each core; cores behind the last core down of a cluster wait longer."
)


def screen(comparison: Comparison, verbose: bool = False) -> Page:
    """What changed, the queues, what stayed, the printed deltas; with `verbose` every row and cell."""
    caveat = (" ", Styled(f"({comparison.caveat})", Style.DOUBT)) if comparison.caveat else ()
    versions = (soft(f" ({tool_versions})"),) if (tool_versions := made_with(comparison)) else ()
    title = (strong(f"{comparison.a.id} to {comparison.b.id}: "), comparison_tables.title_verdict(comparison.verdict), *caveat, *versions)
    why = explain_pair(comparison)
    lead: tuple[Text, ...] = tuple(filter(None, (inferred_cause(comparison, why), sentence(more_than_answer(comparison, why)))))
    quiet = [Paragraph((comparison_tables.verdict_span(verdict), " ", line)) for verdict, line in quiet_lines(comparison)]
    orders, deltas = (order_lines(comparison), judge_printed_deltas(comparison)) if isinstance(comparison, SpanComparison) else ([], [])
    notes: list[Text] = [*(f"order changed in {line}" for line in orders), *map(_note, comparison.notes)]
    changed = Section("", (*comparison_tables.change_tables(comparison), *comparison_tables.queue_tables(comparison)))
    stayed = Section("", (*quiet, *comparison_tables.delta_blocks(deltas, verbose)))
    method = (Paragraph(soft(line)) for line in headline(comparison))
    tree = comparison_tables.decision_table(comparison)
    details = (tree, *_every_row(comparison), *_every_problem(comparison)) if verbose else (Paragraph(soft(HINT)),)
    sections = (changed, stayed, Section("", (*map(Paragraph, notes), *method, *details)))
    return with_glosses(without_repeats(Page(title, lead, sections, answer=answer(comparison, why))))


def run_explanations(run: Run, explanations: Iterable[Explanation]) -> Page:
    """What is explained, the sentences, and how far they can be trusted."""
    problems = (Section("", (problem_items(run.problems, marked=True),)),) if run.problems else ()
    return Page((strong(run.id), f": {samples_line(run)}"), sections=(*_by_test(explanations), *problems))


def pair_explanations(comparison: Comparison, explanations: Iterable[Explanation]) -> Page:
    """The answer and its cause, the sentences, then what was compared and under which reservations."""
    title = (strong(f"{comparison.a.id} to {comparison.b.id}"), f"{_under(comparison)}:")
    sentences = list(explanations)
    samples = (soft(f"{run.id}: {samples_line(run)}") for run in (comparison.a, comparison.b))
    lines = (headline(comparison)[0], *samples, *map(_note, comparison.notes))
    sections = (*_by_test(sentences), Section("", tuple(map(Paragraph, lines))))
    cause = inferred_cause(comparison, sentences)
    return with_glosses(without_repeats(Page(title, (cause,) if cause else (), sections, answer=answer(comparison, sentences))))


def document(comparison: Comparison) -> Page:
    """The whole document."""
    before, after = comparison.a.build.firmware, comparison.b.build.firmware
    kind = "PSCI Performance Measurements" if comparison.b.campaign == "psci" else "Latency Measurements"
    versions = f" ({tool_versions})" if (tool_versions := made_with(comparison)) else ""
    lead = (f"{after} compared with {before}: {comparison.verdict}{versions}.", sentence(summary(comparison)))
    why = [e for e in explain_pair(comparison) if not (e.test and isinstance(e.finding, OrderChanged))]
    sections = [
        Section("What was compared", (_bullets(headline(comparison)),)),
        Section("What changed", (_bullets(sentence(e.sentence) for e in why),)),
    ]
    if queues := comparison_tables.queue_tables(comparison):
        sections.append(Section("Queues of the parallel tests", (Paragraph(QUEUE_SENTENCE), *queues)))
    sections.append(pairs_of(comparison).results(comparison))
    if comparison.notes:
        sections.append(Section("Notes", (_bullets(map(sentence, comparison.notes)),)))
    return Page(f"{kind} on {comparison.b.platform}{_under(comparison)}", lead, tuple(sections))


def _under(comparison: Comparison) -> str:
    """What a title has to say of the figures below it."""
    return f" ({comparison.caveat})" if comparison.caveat else ""


def _by_test(explanations: Iterable[Explanation]) -> Iterator[Section]:
    for test, group in groupby(explanations, key=lambda explanation: explanation.test):
        yield Section(strong(test) if test else "", (Items(tuple(explained(explanation) for explanation in group)),))


def _every_row(comparison: Comparison) -> Iterator[Block]:
    for test, table in comparison_tables.row_tables(comparison):
        yield table
        if isinstance(comparison, SpanComparison) and test in comparison.ladders:
            yield comparison_tables.place_table(comparison, test)


def _every_problem(comparison: Comparison) -> Iterator[Block]:
    for run in (comparison.a, comparison.b):
        if run.problems:
            yield Paragraph(f"what reading {run.id} met:")
            yield problem_items(run.problems, cases=True)


def _note(text: str) -> Text:
    return Styled("note", Style.DOUBT), f" {text}"


def _bullets(lines: Iterable[str]) -> Items:
    return Items(tuple(Item(line) for line in lines))
