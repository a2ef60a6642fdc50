# SPDX-License-Identifier: BSD-3-Clause
"""An experiment on the terminal and as a page: the answer in sentences, every effect with its interval, what was run."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.core.comparison.wording import bare, count, heading_unit, signed
from latlab.core.model.experiment import Experiment, experiment_of
from latlab.core.model.run import Run
from latlab.core.report.chart import named
from latlab.core.report.facts import method, partial, problem_items
from latlab.core.report.page import Block, Facts, Folded, Item, Items, Page, Paragraph, Section
from latlab.core.report.table import Column, Table, figures, words
from latlab.experiments.analysis.response import Response
from latlab.experiments.analysis.result import Analysis, Effect, Interaction
from latlab.experiments.pages.charts import charts
from latlab.experiments.pages.sentences import answer, basis, pairs_said, sentences, times, with_ends


def screen(run: Run, analysis: Analysis) -> Page:
    """The answer, the tables, then what else they tell."""
    problems = (problem_items(run.problems, marked=True),) if run.problems else ()
    return Page("", sections=(Section("", (*tables(analysis), *_result_blocks(run, analysis), *problems)),), answer=answer(analysis))


def document(run: Run, analysis: Analysis, response: Response) -> Page:
    """The same with charts and every run."""
    title = f"{response.path}: effects of the factors"
    sections = (
        *partial(run),
        Section("Effects", (*named(charts(run, analysis, response), "effects"), *tables(analysis))),
        Section("Conclusions", _result_blocks(run, analysis)),
        Section("Runs", (Folded(f"{len(response.trials)} runs", (trials_table(run, response),)),)),
        method(Paragraph(basis(analysis)), Facts(facts(run))),
    )
    made_by = f"latlab design show {run.id}"
    return Page(
        title,
        (f"Experiment {run.id}, {run.platform}.",),
        sections,
        name=f"{title}: {run.id}",
        made_by=made_by,
        answer=answer(analysis),
    )


def tables(analysis: Analysis) -> list[Table]:
    effect_tables = [_effects(analysis)]
    if analysis.interactions:
        effect_tables.append(_interactions(analysis))
    return effect_tables


def trials_table(run: Run, response: Response) -> Table:
    """Every run in the order in which they were made."""
    experiment = experiment_of(run)
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
    experiment = experiment_of(run) or Experiment()
    pairs = (
        ("experiment", f"{run.id}, {run.status.value}"),
        ("platform", run.platform),
        ("factors", "; ".join(f"{factor.name}: {', '.join(factor.levels)}" for factor in experiment.factors)),
        ("runs", f"{len(experiment.trials)} of {experiment.wanted}" if experiment.wanted else str(len(experiment.trials))),
        ("started (UTC)", run.started_utc),
        *run.facts,
    )
    return tuple((name, value) for name, value in pairs if value)


def _result_blocks(run: Run, analysis: Analysis) -> tuple[Block, ...]:
    """Behind the answer, which is one of the sentences or more than one of them says."""
    answer_text = answer(analysis)
    later = tuple(Item(sentence) for sentence in sentences(analysis) if sentence.partition(":")[2] not in answer_text)
    return (*((Items(later),) if later else ()), Paragraph(basis(analysis)), *_missing_runs(run, analysis))


def _to_be_made(run: Run) -> int:
    experiment = experiment_of(run)
    return max(0, experiment.wanted - len(experiment.trials)) if experiment else 0


def _missing_runs(run: Run, analysis: Analysis) -> Iterator[Block]:
    if pending := _to_be_made(run):
        yield Paragraph(f"Still to be made: {count(pending, 'run')}. This is not the end.")
    elif analysis.missing:
        yield Paragraph(f"{analysis.missing} combinations were never run: effects are computed from the others.")


def _effects(analysis: Analysis) -> Table:
    rows = tuple(
        (
            f"{effect.factor} {effect.level}",
            effect.base,
            with_ends(effect.difference, analysis),
            times(effect.ratio),
            pairs_said(effect.pairs),
            str(effect.told),
        )
        for effect in analysis.effects
    )
    columns = (*words("Level", "Against"), *figures("Difference of means", "Times"), *words("Pairs", "Verdict"))
    return Table(f"What each level does to {analysis.response}", columns, rows)


def _interactions(analysis: Analysis) -> Table:
    rows = tuple(
        (
            f"{interaction.factor} {interaction.level}",
            f"{interaction.other} {interaction.other_level}",
            _effect_text(interaction.at_level, analysis),
            _effect_text(interaction.at_base, analysis),
            times(interaction.ratio),
            str(interaction.told) if interaction.asked or analysis.exact else "not asked",
        )
        for interaction in analysis.interactions
    )
    notes = ("Not asked is what no factor that does something by itself has part in.",) if _has_unasked(analysis) else ()
    columns = (*words("Level", "Where"), *figures("It does there", "Else", "Times"), *words("Verdict"))
    return Table("Whether it does more where another factor has another level", columns, rows, notes)


def _has_unasked(analysis: Analysis) -> bool:
    return not analysis.exact and any(_is_unasked(interaction) for interaction in analysis.interactions)


def _is_unasked(interaction: Interaction) -> bool:
    return not interaction.asked


def _effect_text(effect: Effect, analysis: Analysis) -> str:
    return signed(effect.difference.value, analysis.unit)
