# SPDX-License-Identifier: BSD-3-Clause
"""Costs of a platform from published spans: weighted least squares through a model that predicts the spans.

The model is a function of the costs, piecewise linear in them (waits are maxima). Gauss-Newton with finite differences
(SciPy's trust-region reflective method) finds the costs; the Jacobian at the end says which of them the data determine:
a cost that lies in its null space is named, not guessed (Belsley, Kuh, Welsch: Regression Diagnostics, 1980, chapter 3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import least_squares

from latlab.core.errors import DataError

Floats = NDArray[np.float64]
Key = TypeVar("Key")

STEP_NS = 200.0
FLOOR_NS = 100.0
RELATIVE = 0.005
NULL_RATIO = 1e-6
NULL_SHARE = 0.05
CONFIDENCE = 0.95
MOST_EVALUATIONS = 60


class Undetermined(DataError):
    """The data cannot determine a cost; `costs` names each."""

    def __init__(self, costs: Sequence[str]) -> None:
        self.costs = tuple(costs)
        super().__init__(
            f"these data cannot determine {', '.join(costs)}: no span depends on it alone", "add a test that does, or fix it with --hold"
        )


@dataclass(frozen=True, slots=True)
class Cost:
    """A fitted cost in nanoseconds with the half width of its confidence interval."""

    name: str
    value_ns: float
    half_width_ns: float


@dataclass(frozen=True)
class Fit(Generic[Key]):
    """Costs, and for each span its measured and its modelled value in nanoseconds."""

    costs: tuple[Cost, ...]
    spans: tuple[tuple[Key, float, float], ...]

    @property
    def values_ns(self) -> dict[str, int]:
        return {cost.name: round(cost.value_ns) for cost in self.costs}


def sigma_ns(measured: Floats) -> Floats:
    """How far a span may be off, which gives its weight: half a percent, but at least a few ticks."""
    return FLOOR_NS + RELATIVE * np.abs(measured)


def fit(
    model: Callable[[Mapping[str, int]], Mapping[Key, float]], start_ns: Mapping[str, int], measured_ns: Mapping[Key, float]
) -> Fit[Key]:
    """Fit the costs of `start_ns` to the spans. Raises Undetermined with the names of costs that the spans do not show."""
    names = list(start_ns)
    keys = list(measured_ns)
    measured = np.array([measured_ns[key] for key in keys])
    weights = 1.0 / sigma_ns(measured)

    def modelled(values: Floats) -> Floats:
        spans = model({name: max(0, round(float(value))) for name, value in zip(names, values, strict=True)})
        missing = [key for key in keys if key not in spans]
        if missing:
            raise DataError(f"the model has no span {missing[0]}", "give data of the platform's own topology and tests")
        return np.array([spans[key] for key in keys])

    start = np.array([float(start_ns[name]) for name in names])
    # From well inside the domain: a cost of zero has no lower neighbour to compare with.
    solution = least_squares(
        lambda values: (modelled(values) - measured) * weights,
        np.maximum(start, STEP_NS),
        jac=lambda values: _jacobian(modelled, values) * weights[:, None],
        bounds=(0.0, np.inf),
        x_scale=np.maximum(start, 1000.0),
        loss="soft_l1",
        f_scale=3.0,
        max_nfev=MOST_EVALUATIONS,
    )
    jacobian = _jacobian(modelled, solution.x)
    _refuse_undetermined(names, jacobian * weights[:, None])
    spans = modelled(solution.x)
    widths = _half_widths(jacobian * weights[:, None], (spans - measured) * weights)
    costs = tuple(Cost(name, float(value), float(width)) for name, value, width in zip(names, solution.x, widths, strict=True))
    return Fit(costs, tuple(zip(keys, measured.tolist(), spans.tolist(), strict=True)))


def undetermined(
    model: Callable[[Mapping[str, int]], Mapping[Key, float]], at_ns: Mapping[str, int], measured_ns: Mapping[Key, float]
) -> tuple[str, ...]:
    """Costs to hold so that the spans determine the others: those without effect, and of each inseparable group all but one."""
    keys = list(measured_ns)
    weights = 1.0 / sigma_ns(np.array([measured_ns[key] for key in keys]))

    def modelled(values: Floats) -> Floats:
        spans = model({name: max(0, round(float(value))) for name, value in zip(at_ns, values, strict=True)})
        return np.array([spans[key] for key in keys])

    values = np.maximum(np.array([float(value) for value in at_ns.values()]), STEP_NS)
    jacobian = _jacobian(modelled, values) * weights[:, None]
    free, held = list(at_ns), []
    while null := _null_costs(free, jacobian[:, [list(at_ns).index(name) for name in free]]):
        held.append(null[0])
        free.remove(null[0])
    return tuple(held)


def _jacobian(modelled: Callable[[Floats], Floats], values: Floats) -> Floats:
    """Central differences: the model is linear between its kinks, so the step may be wide."""
    columns = []
    for index in range(len(values)):
        low, high = values.copy(), values.copy()
        low[index] = max(0.0, values[index] - STEP_NS)
        high[index] = values[index] + STEP_NS
        columns.append((modelled(high) - modelled(low)) / (high[index] - low[index]))
    return np.array(columns).T


def _null_costs(names: Sequence[str], jacobian: Floats) -> tuple[str, ...]:
    _, singular, rows = np.linalg.svd(jacobian, full_matrices=True)
    padded = np.zeros(len(names))
    padded[: len(singular)] = singular
    null = rows[padded <= NULL_RATIO * max(padded.max(), 1e-300)]
    share = np.sqrt((null**2).sum(axis=0)) if len(null) else np.zeros(len(names))
    return tuple(name for name, part in zip(names, share, strict=True) if part > NULL_SHARE)


def _refuse_undetermined(names: Sequence[str], jacobian: Floats) -> None:
    null = _null_costs(names, jacobian)
    if null:
        raise Undetermined(null)


def _half_widths(jacobian: Floats, residuals: Floats) -> Floats:
    """Student's t intervals from the linearised model; the residuals say how good the weights were."""
    freedom = max(1, len(residuals) - jacobian.shape[1])
    variance = float(residuals @ residuals) / freedom
    covariance = np.linalg.inv(jacobian.T @ jacobian) * variance
    return np.asarray(np.sqrt(np.diag(covariance)) * stats.t.ppf((1 + CONFIDENCE) / 2, freedom))
