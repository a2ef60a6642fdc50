# SPDX-License-Identifier: BSD-3-Clause
"""An experiment on the terminal and as a page: the answer in sentences, charts, every effect with its interval, what was run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from latlab.core.comparison.wording import bare, count, heading_unit, scale_of, signed
from latlab.core.model.experiment import Experiment, experiment_of
from latlab.core.model.run import Run
from latlab.core.report.chart import WIDE_PX, Chart, finished, named
from latlab.core.report.colours import ALERT, JUDGEMENTS, MAIN, NOTHING_KNOWN
from latlab.core.report.facts import method, partial, problem_items
from latlab.core.report.page import Block, Facts, Folded, Item, Items, Page, Paragraph, Section
from latlab.core.report.table import Column, Table, figures, words
from latlab.core.report.text import Style
from latlab.core.report.vega import alt
from latlab.experiments.analysis.response import Response
from latlab.experiments.analysis.result import Analysis, Effect, EffectVerdict, Estimate, Interaction
from latlab.experiments.pages.sentences import answer, basis, pairs_said, sentences, times, whole, with_ends

ROW_PX = 34
COLOURS = {
    EffectVerdict.RAISES: ALERT,
    EffectVerdict.LOWERS: JUDGEMENTS[Style.GOOD],
    EffectVerdict.NONE_SO_LARGE: MAIN,
    EffectVerdict.NO_CHANGE: MAIN,
    EffectVerdict.CANNOT_TELL: NOTHING_KNOWN,
}


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
    columns = (*words("Level", "Against"), *figures("Difference of means", "Ratio"), *words("Pairs", "Verdict"))
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
    columns = (*words("Level", "Where"), *figures("Effect there", "Effect elsewhere", "Ratio"), *words("Verdict"))
    return Table("Interactions: the effect of a level beside each level of another factor", columns, rows, notes)


def _has_unasked(analysis: Analysis) -> bool:
    return not analysis.exact and any(_is_unasked(interaction) for interaction in analysis.interactions)


def _is_unasked(interaction: Interaction) -> bool:
    return not interaction.asked


def _effect_text(effect: Effect, analysis: Analysis) -> str:
    return signed(effect.difference.value, analysis.unit)


def charts(run: Run, analysis: Analysis, response: Response) -> list[Chart]:
    return [_effect_chart(analysis), _run_chart(run, response)]


def _effect_chart(analysis: Analysis) -> Chart:
    rows = [_row(name, estimate, verdict, analysis) for name, estimate, verdict in _estimates(analysis)]
    order = [row["name"] for row in rows]
    neutral = 1.0 if analysis.as_ratio else 0.0
    title = "ratio" if analysis.as_ratio else heading_unit(analysis.unit)
    scale = alt.Scale(type="log", nice=False) if analysis.as_ratio else alt.Scale(zero=False)
    verdicts = sorted({row["told"] for row in rows})
    colour = alt.Color(
        "told:N",
        title=None,
        scale=alt.Scale(
            domain=verdicts, range=[next(COLOURS[code] for code in EffectVerdict if str(code) == verdict) for verdict in verdicts]
        ),
        legend=alt.Legend(orient="top"),
    )
    base = alt.Chart(alt.InlineData(values=rows), width=WIDE_PX - 220, height=alt.Step(ROW_PX))
    y = alt.Y("name:N", title=None, sort=order, axis=alt.Axis(labelLimit=300, labelExpr="split(datum.label, ' with ')"))
    ends = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=title, scale=scale), x2="high:Q", y=y, color=colour)
    points = base.mark_point(filled=True, size=60).encode(
        x="value:Q", y=y, color=colour, tooltip=["name:N", "value:Q", "low:Q", "high:Q", "told:N"]
    )
    line = alt.Chart(alt.InlineData(values=[{"at": neutral}])).mark_rule(color=NOTHING_KNOWN, strokeDash=[4, 4]).encode(x="at:Q")
    small = alt.Chart(alt.InlineData(values=[_of_no_interest(analysis)])).mark_rect(color=NOTHING_KNOWN, opacity=0.18)
    band = small.encode(x=alt.X("from:Q", scale=scale), x2="to:Q")
    note = (
        f"{'Ratio' if analysis.as_ratio else 'Difference'} with the interval of "
        f"95 %; the "
        f"dashed line is "
        f"no change. "
        f"Pairs of factors below. "
        f"What lies in the grey band is smaller than {whole(analysis.seen.asked_share)}."
    )
    return Chart(f"Effects on {analysis.response}", note, finished(alt.layer(band, line, ends, points)))


def _of_no_interest(analysis: Analysis) -> dict[str, float]:
    """The ends of the band of effects that are smaller than the smallest of interest."""
    share = min(analysis.seen.asked_share, 0.9)
    if analysis.as_ratio:
        return {"from": 1 - share, "to": 1 + share}
    reach = share * abs(analysis.mean) / scale_of(analysis.unit)
    return {"from": -reach, "to": reach}


def _estimates(analysis: Analysis) -> Iterator[tuple[str, Estimate, EffectVerdict]]:
    for effect in analysis.effects:
        yield f"{effect.factor} {effect.level}", _judged(effect), effect.told
    for interaction in analysis.interactions:
        yield (
            f"{interaction.factor} {interaction.level} with {interaction.other} {interaction.other_level}",
            interaction.ratio or interaction.difference,
            interaction.told,
        )


def _judged(effect: Effect) -> Estimate:
    return effect.ratio or effect.difference


def _row(name: str, estimate: Estimate, verdict: EffectVerdict, analysis: Analysis) -> dict[str, Any]:
    scale = 1.0 if analysis.as_ratio else scale_of(analysis.unit)
    is_known = estimate.error != float("inf")
    low, high = (estimate.low, estimate.high) if is_known else (estimate.value, estimate.value)
    return {"name": name, "value": estimate.value / scale, "low": low / scale, "high": high / scale, "told": str(verdict)}


def _run_chart(run: Run, response: Response) -> Chart:
    experiment = experiment_of(run)
    assert experiment is not None
    levels = {trial.run: " · ".join(trial.levels) for trial in experiment.trials}
    scale = scale_of(response.unit)
    rows: list[dict[str, Any]] = [
        {"combination": levels[trial.run], "value": float(value) / scale, "run": trial.run}
        for trial, value in zip(response.trials, response.values, strict=True)
    ]
    combinations = sorted({row["combination"] for row in rows})
    chart = (
        alt.Chart(alt.InlineData(values=rows), width=WIDE_PX - 220, height=alt.Step(ROW_PX))
        .mark_point(filled=True, size=55, color=MAIN)
        .encode(
            x=alt.X("value:Q", title=heading_unit(response.unit)),
            y=alt.Y("combination:N", title=None, sort=combinations, axis=alt.Axis(labelLimit=300)),
            tooltip=["combination:N", "value:Q", "run:N"],
        )
    )
    names = " · ".join(factor.name for factor in experiment.factors)
    return Chart("Every run", f"Combinations are {names}.", finished(chart))
