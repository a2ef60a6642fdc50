# SPDX-License-Identifier: BSD-3-Clause
"""A board in virtual time beside published figures: fits its costs to some figures and predicts others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from latlab.calls.analysis.marked import TESTS
from latlab.core.errors import DataError, UsageError
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run
from latlab.core.store.references import load, published_references
from latlab.psci.targets.board import Board
from latlab.psci.targets.virtual_program import Orders, SpanKey, spans_of
from latlab.virtual.analysis.fit import Fit, fit, undetermined
from latlab.virtual.analysis.structure import UNFITTED, Departure, broken_rules, far_from_the_model, orders_not_served

Model = Callable[[Mapping[str, int]], dict[SpanKey, float]]


@dataclass(frozen=True, slots=True)
class Prediction:
    """One span as it was measured and as the model says, in nanoseconds; with the interval that other releases give, where they do."""

    key: SpanKey
    measured_ns: float
    predicted_ns: float
    low_ns: float | None = None
    high_ns: float | None = None

    @property
    def error_percent(self) -> float:
        return 100.0 * (self.predicted_ns - self.measured_ns) / self.measured_ns

    @property
    def is_inside(self) -> bool | None:
        """Whether the interval holds what was measured; None without an interval."""
        return None if self.low_ns is None or self.high_ns is None else self.low_ns <= self.measured_ns <= self.high_ns


@dataclass(frozen=True, slots=True)
class Predicted:
    """What was predicted of a run, and the tests that were not, because they show what the model has not."""

    spans: tuple[Prediction, ...]
    departures: tuple[Departure, ...] = ()


def measured_spans(run: Run) -> dict[SpanKey, float]:
    """The median of each span in nanoseconds. Refuses instruction counts."""
    if run.tick.unit != "ns":
        raise DataError(f"{run.id} counts {run.tick.unit}; a fit needs times")
    values: dict[SpanKey, list[int]] = {}
    for sample in run.samples:
        if sample.test in TESTS:
            values.setdefault((sample.test, sample.metric, sample.core), []).append(sample.value_ticks)
    return {key: float(np.median(samples)) * run.tick.value for key, samples in values.items()}


def acquisition_orders(spans: Mapping[SpanKey, float]) -> dict[str, tuple[CoreId, ...]]:
    """For each parallel test, the cores in order of their power-down: a core that waited longer came later."""
    orders: dict[str, list[tuple[float, CoreId]]] = {}
    for (test, metric, core), value in spans.items():
        if test.endswith("_parallel") and metric is Metric.POWERDOWN:
            orders.setdefault(test, []).append((value, core))
    return {test: tuple(core for _, core in sorted(core_values)) for test, core_values in orders.items()}


def model_of(program: Path, board: Board, orders: Orders) -> Model:
    """All spans as a function of some of the board's costs."""
    return lambda costs: spans_of(program, board.with_costs(costs), orders)


def fitted_costs(board: Board, hold: Sequence[str] = ()) -> dict[str, int]:
    """The costs that a fit may change: those that the platform file does not hold."""
    unknown = [name for name in hold if not any(name in (cost, cost.rpartition(".")[2]) for cost in board.costs)]
    if unknown:
        raise UsageError(
            f"--hold {unknown[0]}: the platform {board.name} has no such cost; it has {', '.join(board.costs)}", value=unknown[0]
        )
    return {
        cost: value
        for cost, value in board.costs.items()
        if not board.is_held(cost) and cost not in hold and cost.rpartition(".")[2] not in hold
    }


def _chosen(run: Run, board: Board, tests: Sequence[str]) -> dict[SpanKey, float]:
    if run.topology != board.topology:
        raise UsageError(f"{run.id} has the topology {run.topology}, platform {board.name} has {board.topology}", "name another platform")
    unknown = [test for test in tests if test not in TESTS]
    if unknown:
        raise UsageError(f"{unknown[0]!r} is not a test; there are {', '.join(TESTS)}", value=unknown[0])
    spans = {key: value for key, value in measured_spans(run).items() if not tests or key[0] in tests}
    if not spans:
        raise DataError(f"{run.id} has no spans of {', '.join(tests or TESTS)}", "name another run")
    return spans


def fit_board(program: Path, board: Board, runs: Sequence[Run], tests: Sequence[str] = (), hold: Sequence[str] = ()) -> Fit[SpanKey]:
    """Fit a board's costs to the spans of runs. Several runs of one platform: the median over them.

    Raises DataError where a test shows what the model has not.
    """
    for run in runs:
        if departures := broken_rules(run, board, tests):
            tests_left = ", ".join(sorted({departure.test for departure in departures}))
            raise DataError(
                f"{run.id} cannot be fitted: in {departures[0].test} "
                f"{departures[0].sentence}; "
                f"fit other "
                f"tests than "
                f"{tests_left}, with --test"
            )
    spans = _joined([_chosen(run, board, tests) for run in runs])
    targets = {key: value for key, value in spans.items() if key[:2] not in UNFITTED}
    model = model_of(program, board, acquisition_orders(spans))
    return fit(model, fitted_costs(board, hold), targets)


def undetermined_costs(program: Path, board: Board, run: Run, tests: Sequence[str] = ()) -> tuple[str, ...]:
    """The costs that the spans of these tests do not show."""
    spans = {key: value for key, value in _chosen(run, board, tests).items() if key[:2] not in UNFITTED}
    model = model_of(program, board, acquisition_orders(spans))
    return undetermined(model, fitted_costs(board), spans)


def predict(program: Path, board: Board, run: Run, tests: Sequence[str] = ()) -> Predicted:
    """Each span of the run beside what the board's costs say, given only in which order the cores came, and the lead."""
    board = replace(board, lead=run.lead or board.lead)
    spans = _chosen(run, board, tests)
    orders = acquisition_orders(spans)
    modelled = model_of(program, board, orders)({})
    missing = [key for key in spans if key not in modelled]
    if missing:
        raise DataError(f"the model has no span {missing[0]}; the run belongs to another campaign")
    departures = (
        *broken_rules(run, board, tests), *orders_not_served(orders, modelled, board), *far_from_the_model(spans, modelled)
    )  # fmt: skip
    left_out = {departure.test for departure in departures}
    return Predicted(tuple(Prediction(key, value, modelled[key]) for key, value in spans.items() if key[0] not in left_out), departures)


def other_releases(board: Board, used: Sequence[Run]) -> list[Run]:
    """The published releases of the board's platform, with its lead, without those that were used, by their firmware and figures."""
    named = [name for name in published_references() if name.split("/")[-2] == board.name]
    used_spans = [(run.build.firmware, measured_spans(run)) for run in used]
    runs = [run for run in map(load, named) if run.topology == board.topology and run.lead == board.lead]
    return [run for run in runs if all(run.build.firmware != firmware and measured_spans(run) != spans for firmware, spans in used_spans)]


def repeated(before: Run, after: Run, metric: Metric) -> tuple[Prediction, ...]:
    """Each span of `after` beside the same one of `before`: how far two releases with one sample per cell differ without any model."""
    earlier = measured_spans(before)
    return tuple(
        Prediction(key, value, earlier[key]) for key, value in measured_spans(after).items() if key[1] is metric and key in earlier
    )


def _joined(span_sets: Sequence[Mapping[SpanKey, float]]) -> dict[SpanKey, float]:
    keys = dict.fromkeys(key for spans in span_sets for key in spans)
    return {key: float(np.median([spans[key] for spans in span_sets if key in spans])) for key in keys}
