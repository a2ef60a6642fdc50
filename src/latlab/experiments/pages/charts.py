# SPDX-License-Identifier: BSD-3-Clause
"""Charts of an experiment: every effect with its interval, and every run by its combination."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from latlab.core.comparison.wording import heading_unit, scale_of
from latlab.core.model.experiment import experiment_of
from latlab.core.model.run import Run
from latlab.core.report.chart import WIDE_PX, Chart, finished
from latlab.core.report.colours import ALERT, JUDGEMENTS, MAIN, NOTHING_KNOWN
from latlab.core.report.text import Style
from latlab.core.report.vega import alt
from latlab.experiments.analysis.response import Response
from latlab.experiments.analysis.result import Analysis, Effect, EffectVerdict, Estimate
from latlab.experiments.pages.sentences import whole

ROW_PX = 34
COLOURS = {
    EffectVerdict.RAISES: ALERT,
    EffectVerdict.LOWERS: JUDGEMENTS[Style.GOOD],
    EffectVerdict.NONE_SO_LARGE: MAIN,
    EffectVerdict.NO_CHANGE: MAIN,
    EffectVerdict.CANNOT_TELL: NOTHING_KNOWN,
}


def charts(run: Run, analysis: Analysis, response: Response) -> list[Chart]:
    return [_effects(analysis), _runs(run, response)]


def _effects(analysis: Analysis) -> Chart:
    rows = [_row(name, estimate, verdict, analysis) for name, estimate, verdict in _estimates(analysis)]
    order = [row["name"] for row in rows]
    neutral = 1.0 if analysis.as_ratio else 0.0
    title = "times" if analysis.as_ratio else heading_unit(analysis.unit)
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
        f"{'Times' if analysis.as_ratio else 'Difference'} with the interval of "
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


def _runs(run: Run, response: Response) -> Chart:
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
