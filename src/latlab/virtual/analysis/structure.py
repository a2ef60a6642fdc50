# SPDX-License-Identifier: BSD-3-Clause
"""What a run's tests show that the model has not: no costs make up for it, so these tests are neither fitted nor predicted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from latlab.core.comparison.by_kind import check_invariants
from latlab.core.comparison.check import Check
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run
from latlab.core.shown import significant
from latlab.psci.targets.board import Board

Order = tuple[CoreId, ...]
Spans = Mapping[tuple[str, Metric, CoreId], float]

# A core that wakes meets others on their way down, at times that no published table gives.
UNFITTED = frozenset({("susp_deep_parallel", Metric.WAKEUP)})
FAR = 2.0


@dataclass(frozen=True, slots=True)
class Departure:
    """A test that breaks a rule which the model keeps (`check`), whose cores came in an order that it cannot serve (`served`), or of which
    a metric is so many `times` what the model has, at the median, that it is no matter of costs."""

    test: str
    check: Check | None = None
    given: Order = ()
    served: Order = ()
    metric: Metric | None = None
    times: float = 1.0

    @property
    def sentence(self) -> str:
        if self.check is not None:
            return f"the model keeps the rule that {self.check.name}; here {self.check.sentence}"
        if self.metric is not None:
            factor = significant(self.times, 2)
            return f"its {self.metric} is {factor} times that of the model, at the median core: the firmware takes another path"
        given_order, served = (", ".join(map(str, order)) for order in (self.given, self.served))
        return f"the cores came in the order {given_order}; with this lock and channel the model serves {served}"


def broken_rules(run: Run, board: Board, tests: Sequence[str] = ()) -> tuple[Departure, ...]:
    """Of the tests that are named, of all where none is."""
    if board.flush_always_cluster:
        return ()
    broken = [check for check in check_invariants(run) if check.applicable and check.rule.decides and not check.holds]
    return tuple(Departure(check.test, check) for check in broken if not tests or check.test in tests)


def far_from_the_model(measured: Spans, modelled: Spans) -> tuple[Departure, ...]:
    """Metrics of a test of which half the cores take twice as long as the model's, or half as long."""
    by_metric: dict[tuple[str, Metric], list[float]] = {}
    for key, value in measured.items():
        if key[:2] not in UNFITTED and modelled[key] > 0:
            by_metric.setdefault(key[:2], []).append(value / modelled[key])
    ratios = {of: median(ratios) for of, ratios in by_metric.items()}
    return tuple(Departure(test, metric=metric, times=ratio) for (test, metric), ratio in ratios.items() if not 1 / FAR <= ratio <= FAR)


def orders_not_served(orders: Mapping[str, Order], modelled: Spans, board: Board) -> tuple[Departure, ...]:
    """Cores that come at once leave a shared channel in the order in which they get it."""
    if board.channel != "shared":
        return ()
    out = []
    for test, order in orders.items():
        spans = {core: modelled.get((test, Metric.POWERDOWN, core), 0.0) for core in order}
        served = tuple(sorted(order, key=lambda core: spans[core]))
        if [spans[core] for core in served] != [spans[core] for core in order]:
            out.append(Departure(test, given=order, served=served))
    return tuple(out)
