# SPDX-License-Identifier: BSD-3-Clause
"""What is known of a run beside its figures, and how to have it again, in words."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from latlab.core.comparison.conditions import stated_conditions
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Problem, Run
from latlab.core.report.page import Block, Folded, Item, Items, Section
from latlab.core.report.text import Style, Styled
from latlab.core.report.units import CLOCK_NAMES, capture_cost, tick_unit, unit
from latlab.core.shown import significant

FACT_NAMES = {"clock_hz": "Counter frequency (Hz)"}

FACTS = "Method, conditions, and the command that made it"


def facts_of(run: Run) -> tuple[tuple[str, str], ...]:
    """Everything that says what the figures mean, in the order of importance."""
    facts = [
        ("Run", run.id),
        ("Label", run.label),
        ("Status", _status(run)),
        ("Platform", run.platform),
        ("Target", run.target),
        ("Topology", f"{run.topology} (cores of each cluster)"),
        ("Lead core", str(run.lead) if run.lead else "unknown"),
        ("Clock", CLOCK_NAMES[run.tick.clock]),
        ("Unit", f"{unit(run.tick)}; one tick is {significant(run.tick.value)} {tick_unit(run.tick)}"),
        ("Trace-point overhead", f"{capture_cost(run)} for each trace point, not subtracted"),
        ("Firmware", run.build.firmware),
        ("Event table", run.build.events_hash or "unknown"),
        ("Started (UTC)", run.started_utc),
        ("Emulator", run.emulator),
        ("Imported from", run.source),
        ("Mode", run.conditions.mode or ""),
        *((name.capitalize(), value) for name, value in stated_conditions(run)),
        *((FACT_NAMES.get(key, key), value) for key, value in (*run.build.options, *run.facts)),
        *provenance_facts(run),
        ("Repeated by", repeated_by(run)),
        ("Emulator's command", " ".join(run.command)),
    ]
    return tuple((name, value) for name, value in facts if value)


def begun(run: Run) -> str:
    """When it began, behind the run's name; nothing for what was imported without a time."""
    return f" of {run.started_utc}" if run.started_utc else ""


def partial(run: Run) -> tuple[Section, ...]:
    """What must be known before the figures of a run that met problems are believed."""
    return (Section("This run is partial", (problem_items(run.problems),)),) if run.problems else ()


def method(*blocks: Block) -> Section:
    """With which a run's page ends, folded: all that says what its figures mean."""
    return Section("What these figures mean", (Folded(FACTS, blocks),))


def problem_items(problems: Iterable[Problem], marked: bool = False, cases: bool = False) -> Items:
    """The problems by where they stood; `marked` puts the word before each, where no heading says it; `cases` lists their cases."""
    ordered = sorted(problems, key=lambda problem: problem.line)
    mark = (Styled("problem", Style.DOUBT), " ") if marked else ()
    return Items(tuple(Item((*mark, placed(problem)), problem.details if cases else ()) for problem in ordered))


def placed(problem: Problem) -> str:
    """A problem behind the line of the input at which it is."""
    text = f"line {problem.line}: {problem.message}" if problem.line else problem.message
    return text if len(problem.details) < 2 else f"{text} ({len(problem.details)} cases)"


def _status(run: Run) -> str:
    if run.status is RunStatus.COMPLETE:
        return "complete"
    problems = f", {len(run.problems)} problem{'s' * (len(run.problems) != 1)}" if run.problems else ""
    return f"{run.status}{problems}"


def repeated_by(run: Run) -> str:
    """The command that makes such a run again, as it was typed; empty where none did."""
    return shlex.join(run.provenance.latlab_command)


def provenance_facts(run: Run) -> tuple[tuple[str, str], ...]:
    """Digests of the files that were loaded."""
    return tuple((f"SHA-256 of {file.name}", file.sha256 or "not read") for file in run.provenance.files)
