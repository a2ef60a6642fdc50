# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a performance guide that are the same for every campaign: platform, procedure, commentary."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from latlab.core.comparison.by_kind import explain_run
from latlab.core.model.platforms import Coherency, PlatformFacts
from latlab.core.model.run import Run
from latlab.core.readers.platform_facts import facts_of as platform_facts_of
from latlab.core.report.comparison.sentences import explained
from latlab.core.report.page import Block, Commands, Items, Paragraph, Section
from latlab.core.report.table import Table, prose, words
from latlab.core.report.text import code
from latlab.core.shown import significant

LONGEST_LINE = 100
INDENT = 4
MODEL = "The figures of this page were simulated on a model of the board that this table describes. None was measured on it."


def platform_of(run: Run) -> Iterator[Section]:
    """What is known of the run's platform."""
    for section in platform_sections(platform_facts_of(run.platform)):
        yield replace(section, blocks=(Paragraph(MODEL), *section.blocks)) if run.is_simulated else section


def platform_sections(facts: PlatformFacts) -> Iterator[Section]:
    """What is known of the platform, each fact with its source; nothing of an unknown one."""
    if not facts.is_known:
        return
    rows = [(name, value, facts.sources[source]) for name, value, source in _stated(facts)]
    yield Section("Platform", (Table(facts.title, (*words("Fact"), prose("Value"), prose("Source")), tuple(rows)),))


def _stated(facts: PlatformFacts) -> Iterator[tuple[str, str, str]]:
    for number, cluster in enumerate(facts.clusters):
        yield f"cluster {number}", f"{cluster.cores} x {cluster.core.value}", cluster.core.source
        if cluster.clock_mhz:
            note = f" ({cluster.clock_mhz.note})" if cluster.clock_mhz.note else ""
            yield f"clock of cluster {number}", f"{significant(cluster.clock_mhz.value)} MHz{note}", cluster.clock_mhz.source
        for cache in cluster.caches:
            yield f"{cache.name} of cluster {number}", f"{cache.kib} KiB for each {cache.shared}", cache.source
    if facts.coherency and facts.managed_by is not Coherency.UNKNOWN:
        yield "coherency at power-down", f"managed in {facts.coherency.value}", facts.coherency.source
    if facts.levels:
        yield "power levels", ", ".join(f"{n}: {level}" for n, level in enumerate(facts.levels.value)), facts.levels.source
    for name, fact in (("power controller", facts.power_controller), ("interconnect", facts.interconnect)):
        if fact:
            yield name, fact.value, fact.source
    if facts.counter_hz:
        yield "counter", f"{significant(facts.counter_hz.value / 1e6)} MHz", facts.counter_hz.source


def procedure(run: Run) -> Iterator[Section]:
    """The commands as they were given; nothing where nobody kept them."""
    repeated, lines = run.provenance.latlab_command, run.conditions.commands or typed(run.command)
    by_hand = "The command that repeats the run:" if repeated else "The commands that made the figures:"
    blocks: list[Block] = [Paragraph(by_hand), Commands(typed(repeated) or lines)]
    if repeated and lines:
        blocks += [Paragraph("What it ran:"), Commands(lines)]
    if repeated or lines:
        yield Section("Procedure", tuple(blocks))


def typed(command: Sequence[str]) -> tuple[str, ...]:
    """A command as a shell takes it; a long one goes on behind each option's backslash."""
    whole = shlex.join(command)
    if len(whole) <= LONGEST_LINE:
        return (whole,) if whole else ()
    options: list[list[str]] = []
    for word in command:
        if word.startswith("-") or not options:
            options.append([])
        options[-1].append(word)
    lines = [options[0]]
    for option in options[1:]:
        fits = len(shlex.join([*lines[-1], *option])) + INDENT <= LONGEST_LINE
        lines = [*lines[:-1], [*lines[-1], *option]] if fits else [*lines, option]
    joined = f" \\\n{' ' * INDENT}".join(map(shlex.join, lines))
    return tuple(joined.split("\n"))


def commentary(run: Run) -> Iterator[Section]:
    """What the figures are made of, test by test."""
    explanations = explain_run(run)
    by_test = dict.fromkeys(explanation.test for explanation in explanations)
    sections = []
    for test in by_test:
        items = tuple(explained(explanation) for explanation in explanations if explanation.test == test)
        sections.append(Section(code(test) if test else "Whole run", (Items(items),)))
    if sections:
        yield Section("Commentary", sections=tuple(sections))
