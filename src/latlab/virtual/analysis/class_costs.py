# SPDX-License-Identifier: BSD-3-Clause
"""What an instruction takes on a named board, by where it ran, from published times of releases and counts of the same releases.

A span has a time of its own that counts do not see (platform code, a power controller), and so many nanoseconds for each instruction. The
former is the same in each release, so the costs follow from differences between releases: bounded least squares, each span about its own
mean, no cost above what an instruction can take. Costs that the releases cannot tell apart are refused by their condition index (Belsley,
Kuh, Welsch: Regression Diagnostics, 1980).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
from scipy import stats
from scipy.optimize import lsq_linear

from latlab.core.comparison.counted_findings import OUTSIDE
from latlab.core.errors import DataError
from latlab.core.model.counts import SpanCount
from latlab.core.model.enums import InstructionClass, Metric
from latlab.core.model.run import Run
from latlab.core.readers.platform_facts import facts_of
from latlab.core.readers.release_counts import counts_of
from latlab.psci.analysis.counted import MOST_INSIDE_NS, MOST_OUTSIDE_NS
from latlab.virtual.analysis.fit import Floats, sigma_ns

Groups = Mapping[str, Sequence[InstructionClass]]
Cell = tuple[str, Metric, int]

# Flushes by set and way are of neither: thousands in a loop, whose number no release changes but by a fault.
BY_SET_AND_WAY = InstructionClass.DC_SET_WAY
GROUPS: Groups = {
    "outside of the caches": tuple(instruction_class for instruction_class in OUTSIDE if instruction_class is not BY_SET_AND_WAY),
    "in the caches": tuple(instruction_class for instruction_class in InstructionClass if instruction_class not in OUTSIDE),
}
MOST_GROUPS = 6
FEWEST_RELEASES = 3
MOST_CONDITION = 30.0
NULL_SHARE = 0.1
CONFIDENCE = 0.9


class Inseparable(DataError):
    """The releases cannot tell costs apart, or show nothing of one."""

    def __init__(self, processor: str, groups: Sequence[str]) -> None:
        super().__init__(
            f"these releases do not determine the cost of instructions {' and '.join(groups)} on {processor}: their "
            "counts do not change, or change together. Name more releases, or fewer groups"
        )


@dataclass(frozen=True, slots=True)
class Observed:
    """One span of one release: the median of its cores but the lead, and the counts of the code that the board shares."""

    release: str
    cell: Cell
    processor: str
    time_ns: float
    counts: SpanCount


@dataclass(frozen=True, slots=True)
class ClassCost:
    """Nanoseconds of an instruction; `low_ns` and `high_ns` are the ends of what the fits without one of the releases say."""

    processor: str
    group: str
    value_ns: float
    low_ns: float
    high_ns: float


@dataclass(frozen=True, slots=True)
class Guess:
    """A span that was not fitted, as it was measured and as the fit says; the interval is of 90 %, None where nothing can be left out."""

    cell: Cell
    measured_ns: float
    predicted_ns: float
    half_width_ns: float | None

    @property
    def error_percent(self) -> float:
        return 100.0 * (self.predicted_ns - self.measured_ns) / self.measured_ns

    @property
    def is_inside(self) -> bool | None:
        return None if self.half_width_ns is None else abs(self.measured_ns - self.predicted_ns) <= self.half_width_ns


def observed(run: Run) -> tuple[Observed, ...]:
    """The spans of a published run whose release was counted on the board's processors. Raises DataError if it was not."""
    facts, lead = facts_of(run.platform), run.lead
    by_cell: dict[Cell, list[float]] = {}
    for sample in run.samples:
        if sample.core != lead:
            by_cell.setdefault((sample.test, sample.metric, sample.core.cluster), []).append(sample.value_ticks * run.tick.value)
    observations = []
    for cell, values in by_cell.items():
        if cell[2] >= len(facts.clusters):
            raise DataError(
                f"nothing is known of {run.platform}'s processors; a cost of classes is of a board of the catalogue", place=run.id
            )
        processor = facts.clusters[cell[2]].core.value
        counts = counts_of(run.id, processor)
        if counts is None:
            raise DataError(f"{run.id} was not counted on {processor}, the board's processor", "name a release of the catalogue's counts")
        if cell[:2] in counts.spans and counts.spans[cell[:2]].parts and not _goes_last(run, cell):
            observations.append(Observed(run.id, cell, processor, float(median(values)), counts.shared(cell[:2])))
    return tuple(observations)


def _goes_last(run: Run, cell: Cell) -> bool:
    """Where the lead is in another cluster, a core that goes down alone takes its cluster along; the core that was counted did not."""
    return run.lead is not None and cell[2] != run.lead.cluster and cell[1] is Metric.POWERDOWN and cell[0] != "cpu_susp_serial"


@dataclass(frozen=True, slots=True)
class ClassFit:
    """Costs of each processor by group, and what is needed to predict from them. Without a release of `alone` the others do not tell
    them, so that no interval holds what it may be wrong by."""

    groups: Groups
    releases: tuple[str, ...]
    alone: tuple[str, ...]
    costs: tuple[ClassCost, ...]
    means: Mapping[Cell, tuple[float, Floats]]
    flushed: Mapping[Cell, frozenset[float]]
    half_widths_ns: Mapping[tuple[str, Metric], float]

    @property
    def basis(self) -> str:
        """What the costs rest on, in a sentence."""
        alone = f"; without {' or '.join(self.alone)} the others do not determine them, and no interval includes that" if self.alone else ""
        return f"costs by {', '.join(self.releases)}, counted in an emulator that runs other platform code{alone}"

    def predict(self, spans: Sequence[Observed]) -> tuple[Guess, ...]:
        """Of a release that was not fitted. Left out are spans that no fitted release has, or none with as much flushed by set and way."""
        by_processor = {
            fitted_cost.processor: np.array([cost.value_ns for cost in self.costs if cost.processor == fitted_cost.processor])
            for fitted_cost in self.costs
        }
        return tuple(
            Guess(
                observation.cell,
                observation.time_ns,
                _predicted(self.means[observation.cell], _grouped(observation, self.groups), by_processor[observation.processor]),
                self.half_widths_ns.get((observation.processor, observation.cell[1])),
            )
            for observation in spans
            if observation.cell in self.means and _flushed(observation) in self.flushed[observation.cell]
        )


def fit_classes(runs: Sequence[Run], groups: Groups = GROUPS) -> ClassFit:
    """Raises DataError where the releases are too few or not counted, Inseparable where they cannot tell two groups apart."""
    if len(groups) > MOST_GROUPS:
        raise DataError(f"{len(groups)} groups of classes are too many for so few releases", f"name at most {MOST_GROUPS}")
    names = tuple(dict.fromkeys(run.id for run in runs))
    if len(names) < FEWEST_RELEASES:
        raise DataError(f"{len(names)} releases are too few for costs of classes", f"name {FEWEST_RELEASES} or more that were counted")
    boards = sorted({run.platform for run in runs})
    if len(boards) > 1:
        raise DataError(f"the releases are of {' and '.join(boards)}; a cost is one board's, name releases of one")
    return fit_observed([observation for run in runs for observation in observed(run)], groups)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A release that was predicted from all others, and what the others' means alone say of the same spans."""

    release: str
    by_counts: tuple[Guess, ...]
    unchanged: tuple[Guess, ...]


def left_out(runs: Sequence[Run], groups: Groups = GROUPS) -> tuple[LeftOut, ...]:
    """Each release from the others; nothing of one without which these do not tell the costs."""
    spans = [observation for run in runs for observation in observed(run)]
    releases_left_out = []
    for release in dict.fromkeys(observation.release for observation in spans):
        of_release, others = (
            [observation for observation in spans if observation.release == release],
            [observation for observation in spans if observation.release != release],
        )
        try:
            fit = fit_observed(others, groups)
        except Inseparable:
            continue
        by_counts = fit.predict(of_release)
        unchanged = tuple(
            replace(observation, predicted_ns=fit.means[observation.cell][0], half_width_ns=None) for observation in by_counts
        )
        releases_left_out.append(LeftOut(release, by_counts, unchanged))
    return tuple(releases_left_out)


def fit_observed(spans: Sequence[Observed], groups: Groups = GROUPS) -> ClassFit:
    """As `fit_classes`, of spans. The order of the spans does not matter."""
    releases = tuple(dict.fromkeys(observation.release for observation in spans))
    whole = _costs(spans, groups)
    without = {}
    for release in releases:
        others = [observation for observation in spans if observation.release != release]
        try:
            without[release] = _costs(others, groups)
        except Inseparable:
            continue  # named in `alone`
    costs = tuple(
        ClassCost(
            processor,
            group,
            float(values[at]),
            *_ends([float(costs_by_processor[processor][at]) for costs_by_processor in (whole, *without.values())]),
        )
        for processor, values in whole.items()
        for at, group in enumerate(groups)
    )
    alone = tuple(release for release in releases if release not in without)
    return ClassFit(groups, releases, alone, costs, _means(spans, groups), _all_flushed(spans), _half_widths(spans, groups, without))


def _design(spans: Sequence[Observed], groups: Groups) -> tuple[Floats, Floats]:
    """Counts and times about their cells' means, each in units of how far a time may be off."""
    means = _means(spans, groups)
    weights = 1.0 / sigma_ns(np.array([means[observation.cell][0] for observation in spans]))
    counts = np.array([_grouped(observation, groups) - means[observation.cell][1] for observation in spans]) * weights[:, None]
    return counts, np.array([observation.time_ns - means[observation.cell][0] for observation in spans]) * weights


def _costs(spans: Sequence[Observed], groups: Groups) -> dict[str, Floats]:
    by_processor = {}
    for processor in dict.fromkeys(observation.processor for observation in spans):
        counts, times = _design([observation for observation in spans if observation.processor == processor], groups)
        values = lsq_linear(counts, times, (0.0, _most(groups))).x
        _refuse(processor, groups, counts, counts @ values - times)
        by_processor[processor] = values
    return by_processor


def _most(groups: Groups) -> Floats:
    return np.array([MOST_OUTSIDE_NS if set(members) & set(OUTSIDE) else MOST_INSIDE_NS for members in groups.values()])


def _refuse(processor: str, groups: Groups, counts: Floats, residuals: Floats) -> None:
    """What does not vary, what varies with another, and what is less certain than any cost that an instruction can have."""
    lengths = np.linalg.norm(counts, axis=0)
    names = np.array(list(groups))
    if (lengths == 0).any():
        raise Inseparable(processor, names[lengths == 0].tolist())
    _, singular, rows = np.linalg.svd(counts / lengths)
    if singular[0] > MOST_CONDITION * singular[-1]:
        raise Inseparable(processor, names[np.abs(rows[-1]) > NULL_SHARE].tolist())
    freedom = max(1, len(residuals) - len(groups))
    variance = max(1.0, float(residuals @ residuals) / freedom)
    widths = np.sqrt(np.diag(np.linalg.inv(counts.T @ counts)) * variance) * stats.t.ppf((1 + CONFIDENCE) / 2, freedom)
    if (widths > MOST_OUTSIDE_NS).any():
        raise Inseparable(processor, names[widths > MOST_OUTSIDE_NS].tolist())


def _half_widths(spans: Sequence[Observed], groups: Groups, without: Mapping[str, Mapping[str, Floats]]) -> dict[tuple[str, Metric], float]:
    """By processor and metric: how far each release lies from what the others say, each release one draw."""
    squares: dict[tuple[str, Metric], list[float]] = {}
    for release, costs in without.items():
        means = _means([other_observation for other_observation in spans if other_observation.release != release], groups)
        errors: dict[tuple[str, Metric], list[float]] = {}
        for observation in spans:
            if observation.release == release and observation.cell in means:
                error = observation.time_ns - _predicted(
                    means[observation.cell], _grouped(observation, groups), costs[observation.processor]
                )
                errors.setdefault((observation.processor, observation.cell[1]), []).append(error**2)
        for key, values in errors.items():
            squares.setdefault(key, []).append(float(np.mean(values)))
    quantiles = {key: float(stats.t.ppf((1 + CONFIDENCE) / 2, len(values))) for key, values in squares.items() if len(values) > 1}
    return {key: quantile * float(np.mean(squares[key])) ** 0.5 for key, quantile in quantiles.items()}


def _means(spans: Sequence[Observed], groups: Groups) -> dict[Cell, tuple[float, Floats]]:
    by_cell: dict[Cell, list[Observed]] = {}
    for observation in spans:
        by_cell.setdefault(observation.cell, []).append(observation)
    return {
        cell: (
            float(np.mean([cell_observation.time_ns for cell_observation in of_cell])),
            np.mean([_grouped(cell_observation, groups) for cell_observation in of_cell], axis=0),
        )
        for cell, of_cell in by_cell.items()
    }


def _all_flushed(spans: Sequence[Observed]) -> dict[Cell, frozenset[float]]:
    return {
        cell: frozenset(_flushed(observation) for observation in spans if observation.cell == cell)
        for cell in dict.fromkeys(observation.cell for observation in spans)
    }


def _flushed(observation: Observed) -> float:
    return observation.counts.classes.get(BY_SET_AND_WAY, 0.0)


def _grouped(observation: Observed, groups: Groups) -> Floats:
    classes = observation.counts.classes
    return np.array([sum(classes.get(name, 0.0) for name in members) for members in groups.values()])


def _predicted(mean: tuple[float, Floats], counts: Floats, costs: Floats) -> float:
    return mean[0] + float((counts - mean[1]) @ costs)


def _ends(values: Sequence[float]) -> tuple[float, float]:
    return min(values), max(values)
