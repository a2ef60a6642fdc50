# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the virtual-time verbs: fitted costs, residuals, predictions, explored systems."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from latlab.core.report.table import Table, figures, words
from latlab.core.shown import significant
from latlab.psci.targets.virtual_program import SpanKey
from latlab.virtual.analysis.class_costs import ClassFit, Guess, LeftOut
from latlab.virtual.analysis.fit import Fit
from latlab.virtual.analysis.structure import Departure
from latlab.virtual.campaign.accuracy import accuracy
from latlab.virtual.campaign.board_times import BoardTime
from latlab.virtual.campaign.exploration import TOO_MANY, ExplorationResult
from latlab.virtual.campaign.prediction import Prediction

NS_PER_US = 1000
SPAN = words("Test", "Metric", "Core")


def fit_table(fit: Fit[SpanKey]) -> Table:
    rows = tuple((cost.name, us(cost.value_ns), us(cost.half_width_ns)) for cost in fit.costs)
    title = "Fitted costs, µs, with the half width of their 95 % confidence interval"
    return Table(title, (*words("Cost"), *figures("Value", "±")), rows)


def class_cost_table(fit: ClassFit) -> Table:
    rows = tuple((cost.processor, cost.group, round(cost.value_ns, 1), round(cost.low_ns, 1), round(cost.high_ns, 1)) for cost in fit.costs)
    title = "Time of an instruction, ns; low and high by fits without one of the releases"
    return Table(title, (*words("Processor", "Ran"), *figures("Value", "Low", "High")), rows)


def guess_table(guesses: Sequence[Guess]) -> Table:
    """With the interval of 90 % where releases can be left out of the fit."""
    rows = tuple(
        (*_place_of(guess), us(guess.measured_ns), us(guess.predicted_ns), *_around(guess), round(guess.error_percent, 2))
        for guess in guesses
    )
    columns = (*words("Test", "Metric", "Cluster"), *figures("Measured", "Predicted", "Low", "High", "Error %"))
    return Table("Measured and predicted by counts, µs, median of the cores but the lead", columns, rows)


def left_out_table(releases: Sequence[LeftOut]) -> Table:
    """How far off each release is when the others are fitted, by metric, beside the mean of the others."""
    rows = []
    for left_out in releases:
        for metric in dict.fromkeys(guess.cell[1] for guess in left_out.by_counts):
            by_counts, unchanged = (
                [guess for guess in some if guess.cell[1] is metric] for some in (left_out.by_counts, left_out.unchanged)
            )
            insides = [guess.is_inside for guess in by_counts if guess.is_inside is not None]
            errors = [sorted(abs(guess.error_percent) for guess in some) for some in (by_counts, unchanged)]
            errors_shown = [round(value, 1) for some in errors for value in (median(some), some[-1])]
            rows.append((left_out.release, metric.value, len(by_counts), sum(insides) if insides else "-", *errors_shown))
    columns = (*words("Release", "Metric"), *figures("Spans", "Inside", "Median", "Worst", "Median unchanged", "Worst unchanged"))
    return Table("Each release predicted from the others: errors in %, and those of no change", columns, tuple(rows))


def board_time_table(board: str, times: Sequence[BoardTime], groups: Sequence[str]) -> Table:
    rows = tuple(
        (board_time.span[0], board_time.span[1].value, *(round(count, 1) for count in board_time.moved),
        *_signed(board_time)) for board_time in times
    )  # fmt: skip
    title = f"Difference in instructions, and its time on {board}, µs; low and high by fits without one of its releases"
    columns = (*words("Test", "Metric"), *figures(*groups, "µs", "Low", "High"))
    return Table(title, columns, rows or (("no span differs", *["-"] * (len(columns) - 1)),))


def _signed(board_time: BoardTime) -> tuple[float | str, float | str, float | str]:
    return ("-", "-", "-") if board_time.time_ns is None else (us(board_time.time_ns), us(board_time.low_ns), us(board_time.high_ns))


def _signed_us(ns: float) -> str:
    return significant(us(ns), sign=True)


def said_time(board: str, board_time: BoardTime) -> str:
    """What a span's instructions take, with the ends of its interval."""
    if board_time.time_ns is None:
        return f"on {board} not predicted, because flushes by set and way differ"
    return f"on {board} {_signed_us(board_time.time_ns)} µs ({_signed_us(board_time.low_ns)} to {_signed_us(board_time.high_ns)})"


def time_json(board_time: BoardTime) -> dict[str, object]:
    low_ns, high_ns = (None, None) if board_time.time_ns is None else (board_time.low_ns, board_time.high_ns)
    return {
        "test": board_time.span[0],
        "metric": board_time.span[1].value,
        "time_ns": board_time.time_ns,
        "low_ns": low_ns,
        "high_ns": high_ns,
    }


def _place_of(guess: Guess) -> tuple[str, str, str]:
    test, metric, cluster = guess.cell
    return test, metric.value, str(cluster)


def _around(guess: Guess) -> tuple[float | str, float | str]:
    if guess.half_width_ns is None:
        return "-", "-"
    return us(max(0.0, guess.predicted_ns - guess.half_width_ns)), us(guess.predicted_ns + guess.half_width_ns)


def residual_table(fit: Fit[SpanKey]) -> Table:
    rows = tuple((*_place(key), us(measured), us(modelled), _percent(modelled, measured)) for key, measured, modelled in fit.spans)
    return Table("Residuals of the fit, µs", (*SPAN, *figures("Measured", "Modelled", "Error %")), rows)


def prediction_table(predictions: Sequence[Prediction]) -> Table:
    """With the interval of 90 % where other releases give one, and whether it holds what was measured."""
    rows = tuple((*_place(p.key), us(p.measured_ns), us(p.predicted_ns), *_interval(p), round(p.error_percent, 2)) for p in predictions)
    return Table("Measured and predicted, µs", (*SPAN, *figures("Measured", "Predicted", "Low", "High", "Error %")), rows)


def departure_table(departures: Sequence[Departure]) -> Table:
    return Table(
        "Not predicted: effects that the model does not have",
        words("Test", "What the figures show"),
        tuple((d.test, d.sentence) for d in departures),
    )


def error_table(predictions: Sequence[Prediction]) -> Table:
    """Median and worst error of each metric, and how many lie inside their interval: all tests together, then test by test."""
    rows = tuple(
        (
            prediction.test or "all tests",
            prediction.metric.value,
            prediction.spans,
            "-" if prediction.inside is None else prediction.inside,
            round(prediction.median_percent, 2),
            round(abs(prediction.worst.error_percent), 2),
            _where(prediction.worst),
        )
        for prediction in accuracy(predictions)
    )
    columns = (*words("Test", "Metric"), *figures("Spans", "Inside", "Median", "Worst"), *words("Worst at"))
    return Table("Absolute error of the prediction, %", columns, rows)


def exploration_table(findings: Sequence[ExplorationResult]) -> Table:
    rows = tuple(
        (
            f.system.clusters,
            f.system.programs,
            "OS-initiated" if f.system.os_initiated else "platform",
            f.system.interrupts or "-",
            f.scope,
            f"{f.system.walks} walks" if f.system.walks else "all" if f.system.bound is None else f"≤ {f.system.bound} preemptions",
            f.states,
            f.steps,
            f.verdict,
        )
        for f in findings
    )
    design_columns = words("Clusters", "Programs", "Mode", "Interrupts", "Lock scope", "How far")
    columns = (*design_columns, *figures("States", "Steps"), *words("Verdict"))
    whole = sum(not finding.timeline and finding.verdict != TOO_MANY for finding in findings)
    return Table(f"Explored interleavings: {whole} of {len(findings)} systems keep the rules", columns, rows)


def _place(key: SpanKey) -> tuple[str, str, str]:
    test, metric, core = key
    return test, metric.value, str(core)


def _interval(prediction: Prediction) -> tuple[float | str, float | str]:
    if prediction.low_ns is None or prediction.high_ns is None:
        return "-", "-"
    return us(prediction.low_ns), us(prediction.high_ns)


def _where(prediction: Prediction) -> str:
    test, _, core = prediction.key
    return f"{test} {core}"


def us(value_ns: float) -> float:
    return round(value_ns / NS_PER_US, 2)


def _percent(modelled: float, measured: float) -> float:
    return round(100 * (modelled - measured) / measured, 2)
