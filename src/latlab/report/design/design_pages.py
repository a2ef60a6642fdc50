# SPDX-License-Identifier: BSD-3-Clause
"""An experiment on the terminal and as a page: the answer in sentences, every effect with its interval, what was run."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.analysis.base.wording import bare, count, heading_unit, signed
from latlab.analysis.design.response import Response
from latlab.analysis.design.result import Analysis, Effect, Interaction
from latlab.model.run import Experiment, Run
from latlab.report.chart import named
from latlab.report.design.charts import charts
from latlab.report.design.sentences import answer, basis, pairs_said, sentences, times, with_ends
from latlab.report.page import Block, Facts, Folded, Item, Items, Page, Paragraph, Section
from latlab.report.run.facts import method, partial, problem_items
from latlab.report.table import Column, Table, figures, words


def screen(run: Run, found: Analysis) -> Page:
    """The answer, the tables, then what else they tell."""
    problems = (problem_items(run.problems, marked=True),) if run.problems else ()
    return Page("", sections=(Section("", (*tables(found), *_told(run, found), *problems)),), answer=answer(found))


def document(run: Run, found: Analysis, response: Response) -> Page:
    """The same with charts and every run."""
    title = f"{response.path}: effects of the factors"
    sections = (
        *partial(run),
        Section("Effects", (*named(charts(run, found, response), "effects"), *tables(found))),
        Section("Conclusions", _told(run, found)),
        Section("Runs", (Folded(f"{len(response.trials)} runs", (trials_table(run, response),)),)),
        method(Paragraph(basis(found)), Facts(facts(run))),
    )
    made_by = f"latlab design show {run.id}"
    return Page(
        title,
        (f"Experiment {run.id}, {run.platform}.",),
        sections,
        name=f"{title}: {run.id}",
        made_by=made_by,
        answer=answer(found),
    )


def tables(found: Analysis) -> list[Table]:
    made = [_effects(found)]
    if found.interactions:
        made.append(_interactions(found))
    return made


def trials_table(run: Run, response: Response) -> Table:
    """Every run in the order in which they were made."""
    experiment = run.experiment
    assert experiment is not None
    whole = {trial.run: trial for trial in experiment.trials}
    rows = tuple(
        (str(trial.replicate + 1), *whole[trial.run].levels, trial.run, bare(float(value), response.unit))
        for trial, value in zip(response.trials, response.values, strict=True)
    )
    columns = (
        *figures("Time"),
        *words(*(factor.name for factor in experiment.factors), "Run"),
        Column(response.path, unit=heading_unit(response.unit)),
    )
    return Table("Every run", columns, rows)


def facts(run: Run) -> tuple[tuple[str, str], ...]:
    experiment = run.experiment or Experiment()
    known = (
        ("experiment", f"{run.id}, {run.status.value}"),
        ("platform", run.platform),
        ("factors", "; ".join(f"{factor.name}: {', '.join(factor.levels)}" for factor in experiment.factors)),
        ("runs", f"{len(experiment.trials)} of {experiment.wanted}" if experiment.wanted else str(len(experiment.trials))),
        ("started (UTC)", run.started_utc),
        *run.facts,
    )
    return tuple((name, value) for name, value in known if value)


def _told(run: Run, found: Analysis) -> tuple[Block, ...]:
    """Behind the answer, which is one of the sentences or more than one of them says."""
    said = answer(found)
    rest = tuple(Item(one) for one in sentences(found) if one.partition(":")[2] not in said)
    return (*((Items(rest),) if rest else ()), Paragraph(basis(found)), *_left(run, found))


def _to_be_made(run: Run) -> int:
    experiment = run.experiment
    return max(0, experiment.wanted - len(experiment.trials)) if experiment else 0


def _left(run: Run, found: Analysis) -> Iterator[Block]:
    if left := _to_be_made(run):
        yield Paragraph(f"Still to be made: {count(left, 'run')}. This is not the end.")
    elif found.missing:
        yield Paragraph(f"{found.missing} combinations were never run: effects are computed from the others.")


def _effects(found: Analysis) -> Table:
    rows = tuple(
        (f"{one.factor} {one.level}", one.base, with_ends(one.difference, found), times(one.ratio), pairs_said(one.pairs), str(one.told))
        for one in found.effects
    )
    columns = (*words("Level", "Against"), *figures("Difference of means", "Times"), *words("Pairs", "Verdict"))
    return Table(f"What each level does to {found.response}", columns, rows)


def _interactions(found: Analysis) -> Table:
    rows = tuple(
        (
            f"{one.factor} {one.level}",
            f"{one.other} {one.other_level}",
            _there(one.at_level, found),
            _there(one.at_base, found),
            times(one.ratio),
            str(one.told) if one.asked or found.exact else "not asked",
        )
        for one in found.interactions
    )
    notes = ("Not asked is what no factor that does something by itself has part in.",) if _has_unasked(found) else ()
    columns = (*words("Level", "Where"), *figures("It does there", "Else", "Times"), *words("Verdict"))
    return Table("Whether it does more where another factor has another level", columns, rows, notes)


def _has_unasked(found: Analysis) -> bool:
    return not found.exact and any(_is_unasked(one) for one in found.interactions)


def _is_unasked(one: Interaction) -> bool:
    return not one.asked


def _there(effect: Effect, found: Analysis) -> str:
    return signed(effect.difference.value, found.unit)
