# SPDX-License-Identifier: BSD-3-Clause
"""Large changes that must be reported without a verdict, judged against the rows that did not change and not by the model of the
verdicts.

There are four kinds: a core at one boot of each run, one boot among several of its run, the spread of a few iterations, and what depends on
the order of the cores. They stop the gate, and the sentence says what to check. docs/explanation/statistics.md has formulas and sources.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp

import numpy as np

from latlab.core.comparison.comparison import Cell, Row
from latlab.core.comparison.findings import BeyondOrder, BootApart, LargeUntold, SpreadMoved
from latlab.core.comparison.queue_model import Ladders, predict
from latlab.core.comparison.verdicts import CHANGED, Limits, Verdict
from latlab.core.model.enums import Metric
from latlab.core.statistics.distributions import t_quantile, t_tail, t_upper
from latlab.core.statistics.sample_matrix import Cells, Floats, nan_median
from latlab.core.statistics.statistics import mann_whitney_p, singly
from latlab.psci.analysis.groups import PLACE, WHOLE
from latlab.psci.analysis.roles import is_parallel
from latlab.psci.analysis.shape import FEWEST_ITERATIONS, LARGEST
from latlab.psci.analysis.variance_estimate import Evidence, Kind

FEWEST_DOF = 4
"""Below four degrees of freedom a variance is not known to a factor of two."""
FEWEST_BOOTS = 4
"""Of three boots nobody can say which is the odd one once two of them differ."""
FEWEST_FOR_TAILS = 8
"""Boots lie around a median of their own: of fewer, half are near it whatever their tails."""
FEWEST_INSIDE = 3
"""Iterations of a boot that have a spread."""
MAD = 1.4826
"""A normal standard deviation over its median absolute deviation."""
ODD_BOOT, ODD_CORE = 12.0, 24.0
"""Deviations of a boot, by the median of three cores or more, and of one core in it. Of Student's t of three degrees, the heaviest tails
that the bench draws, one in ten thousand lies farther out than 24; the median of three such lies beyond 12 less often than that."""
ODD_P, ODD_CORE_P = 0.01, 0.02
"""How often an even run may be called odd by the tails of its other boots, and a core by those of other cores: it stops the gate and
blames nobody."""
FEW_CORES = 3
RARE = 0.1
"""Of the iterations, at either end: the first ones wait for what no later one waits for."""
OTHER_P = 0.1
"""Below it the iterations of a position come in other shares. It stops no more of 756 pairs of builds that differ by some instructions, nor
of 700 drawn pairs of one truth."""
FEW_STEPS = 1.5
"""Thresholds, which are two steps of the clock or more: a core that moved by less did not move by a large share."""
UNTOLD_RATIO = 1.45
"""What a core of a metric of a single test must not pass with: nothing shows what such a core scatters by from boot to boot. Of TF-A's
releases that changed nothing of it, PSCI_VERSION of one of Juno's cores differs by 1.41 at most."""
FEWEST_OTHERS = 3
"""Differences that show how large differences are."""
LONGEST = 3.0
"""How many times what a queue makes it an iteration must not pass with."""
QUARTER = 0.25
"""Where all positions moved one way, each of them may be in the range that a quarter of the iterations have."""
MOST_UNEVEN = 4.0
"""How much more the spreads of one run's cores may differ than those of the other, for as many iterations: what a change of a few cores
adds is not their noise."""
_TINY = 1e-9

LargeMove = LargeUntold | BootApart | SpreadMoved | BeyondOrder


def large_moves(
    evidence: Sequence[Evidence], rows: Sequence[Row], runs: tuple[str, str], boots: tuple[int, int], limits: Limits
) -> tuple[LargeMove, ...]:
    """The large changes of rows that are not called changed. `rows` are the rows of `evidence` with their verdicts, in the same order."""
    quiet = [
        (row_evidence, row)
        for row_evidence, row in zip(evidence, rows, strict=True)
        if row.verdict not in CHANGED and not row.is_whole and not row.is_term
    ]
    moves: list[LargeMove] = []
    if max(boots) == 1:
        moves += _cores([row_evidence for row_evidence, row in quiet if not row.is_large_untold], evidence, limits)
    moves += _boots([row_evidence for row_evidence, _ in quiet], runs)
    moves += beyond_order(evidence, rows, [False] * len(rows), limits)
    moves += _spreads([row_evidence for row_evidence in evidence if not row_evidence.row.is_term and not row_evidence.row.is_whole], limits)
    return tuple(moves)


def beyond_order(evidence: Sequence[Evidence], rows: Sequence[Row], ordered: Sequence[bool], limits: Limits) -> Iterator[BeyondOrder]:
    """Of each test the place that moved farthest, where the order of the cores does not explain it.

    Places are the positions of a parallel test, sorted, so that another order of the same spans moves none of them. What the order still
    moves is what the base itself has there, over its iterations and boots. Calls that wait for other cores (`ordered`) settle in one rhythm
    in each run, whose width says nothing of another rhythm: a large share is enough, and under an exact clock half of one. Where rows of
    the test regressed, longer positions are no news. The values of the base have to come as often, too.
    """
    regressed = {(row.test, row.metric) for row in rows if row.verdict is Verdict.REGRESSED}
    for row_evidence, row, is_ordered in zip(evidence, rows, ordered, strict=True):
        if row.verdict in CHANGED or not (row_evidence.row.is_whole or is_ordered):
            continue
        places = (_beyond(row_evidence, j, is_ordered, limits) for j in range(len(row.cells)))
        far = [place for place in places if place is not None]
        is_told = (row.test, row.metric) in regressed and all(after > before for before, after, *_ in far)
        if far and not is_told:
            before, after, low, high, label = max(far, key=lambda place: abs(place[1] / place[0] - 1) if place[0] else np.inf)
            name = f"{row_evidence.row.name} ({label})" if len(row.cells) > 1 else row_evidence.row.name
            yield BeyondOrder(row.metric, row.test, name, before, after, low, high, len(far))


def off_the_queue(ladders: Mapping[str, tuple[Ladders, Ladders]], rows: Sequence[Row], limits: Limits) -> Iterator[BeyondOrder]:
    """Of each parallel test the position that is farthest from what the other run's queue model says of it, by the large share: a time that
    neither its position nor a last core down explains. Rows of the test that changed say it better, but none that
    improved says that a position takes longer."""
    changed = [(row.test, row.verdict) for row in rows if row.metric is Metric.POWERDOWN and row.verdict in CHANGED]
    for test, (before, after) in ladders.items():
        sides = ((after, before, True), (before, after, False))
        off = [place for ladders_of_run, other, is_after in sides for place in _off(ladders_of_run, other, is_after)]
        off += [*_outside_the_model(before, after), *_longest(before, after)]
        far = [place for place in off if abs(place[1] - place[0]) > limits.large * abs(place[0])]
        is_longer = any(place[1] > place[0] for place in far)
        is_told = (test, Verdict.REGRESSED) in changed or ((test, Verdict.IMPROVED) in changed and not is_longer)
        if far and not is_told:
            expected, value, position = max(far, key=lambda place: abs(place[1] / place[0] - 1))
            yield BeyondOrder(Metric.POWERDOWN, test, f"{WHOLE} (rank {position + 1})", expected, value, expected, expected, len(far))


def _longest(before: Ladders, after: Ladders) -> Iterator[tuple[float, float, int]]:
    """Find the span that exceeds the first run's model most, if it is LONGEST times as long and the first run has none half as far off. One
    iteration of five moves no median."""
    expected = _expected(after, before)
    far, usual = (
        np.divide(ladders.spans, by_model, out=np.zeros(by_model.shape), where=by_model > 0)  # NaN is not above 0
        for ladders, by_model in ((after, expected), (before, _expected(before, after)))
    )
    if far.max(initial=0.0) >= LONGEST and far.max() > 2 * usual.max(initial=0.0):
        iteration, position = np.unravel_index(int(far.argmax()), far.shape)
        yield float(expected[iteration, position]), float(after.spans[iteration, position]), int(position)


def _expected(ladders: Ladders, other: Ladders) -> Floats:
    """Predict each iteration and position by the other run's terms: iterations x positions. It is NaN from a last core on that the other
    run does not have."""
    terms = {name: float(np.nanmedian(values)) for name, values in other.terms.items() if not np.isnan(values).all()}
    clusters = np.array([core.cluster for core in ladders.cores])[ladders.order]
    pattern = np.column_stack([ladders.head, np.where(ladders.last_man, clusters + 1, 0)])
    _, firsts, which = np.unique(pattern, axis=0, return_index=True, return_inverse=True)
    return np.array([predict(ladders, terms, int(row)) for row in firsts])[which.reshape(-1)]


def _off(ladders: Ladders, other: Ladders, is_after: bool) -> Iterator[tuple[float, float, int]]:
    """At each position what the other run's terms say, and the same with the median distance of the iterations from it: (first run's,
    second run's, position)."""
    expected = _expected(ladders, other)
    for position in np.flatnonzero(~np.isnan(expected).all(axis=0)):
        predicted = float(np.nanmedian(expected[:, position]))
        value = predicted + float(np.nanmedian(ladders.spans[:, position] - expected[:, position]))
        yield (predicted, value, int(position)) if is_after else (value, predicted, int(position))


def _outside_the_model(before: Ladders, after: Ladders) -> Iterator[tuple[float, float, int]]:
    """The positions that are served before the queue begins, which no model predicts, and all of them if their number differs: (first
    run's, second run's, position)."""
    heads = [int(np.median(ladders.head)) for ladders in (before, after)]
    positions = min(heads) if heads[0] == heads[1] else before.spans.shape[1]
    medians = (np.median(ladders.spans, axis=0) for ladders in (before, after))
    for position, (was, became) in enumerate(list(zip(*medians, strict=True))[:positions]):
        yield float(was), float(became), position


def moved_everywhere(row_evidence: Evidence, limits: Limits) -> float:
    """The smallest shift of a parallel test's positions, if all of them moved one way by more than the order explains; else 0. Another
    order makes no core slower without making another one faster."""
    if not row_evidence.row.is_whole:
        return 0.0
    places = [_beyond(row_evidence, j, False, limits, QUARTER, 0.0) for j in range(len(row_evidence.row.cells))]
    moved = [place[1] - place[0] for place in places if place is not None]
    is_one_way = len(moved) == len(places) and (min(moved) > 0 or max(moved) < 0)
    return min(moved, key=abs) if is_one_way else 0.0


def _beyond(
    row_evidence: Evidence, j: int, is_ordered: bool, limits: Limits, rare: float = RARE, other_p: float = OTHER_P
) -> tuple[float, float, float, float, str] | None:
    before, after = row_evidence.before.of(j), row_evidence.after.of(j)
    low, high = (float(end) for end in np.quantile(before, (rare, 1 - rare), method="nearest"))
    cell = row_evidence.row.cells[j]
    for middle in (np.median, np.mean):
        was, became = float(middle(before)), float(middle(after))
        is_inside = not is_ordered and len(before) >= FEWEST_INSIDE and low <= became <= high
        is_far = abs(became - was) > (cell.large or limits.large / 2 * abs(was)) or _is_far(was, became, cell.threshold)
        if is_far and not (is_inside and mann_whitney_p(singly(before), singly(after)) >= other_p):
            return was, became, low, high, cell.label
    return None


def _cores(quiet: Sequence[Evidence], evidence: Sequence[Evidence], limits: Limits) -> Iterator[LargeUntold]:
    """Cores that changed by the large share, and by more than their noise: that of the runs, or what the differences of the same metric are
    in other tests, or on other cores, where only some changed. Half of the share is sufficient beyond the noise of the runs if several
    changed in the same direction, which single outliers of heavy-tailed noise rarely do."""
    noise = _noises(row_evidence for row_evidence in evidence if not row_evidence.row.is_term and not row_evidence.row.is_whole)
    for metric in dict.fromkeys(row_evidence.row.metric for row_evidence in quiet):
        of_metric = [row_evidence for row_evidence in quiet if row_evidence.row.metric is metric]
        tested = sum(len(row_evidence.row.cells) for row_evidence in of_metric)
        beyond = [
            (row_evidence, i)
            for row_evidence in of_metric
            if row_evidence.kind in noise
            for i in _far_cells(row_evidence, *noise[row_evidence.kind], limits, tested)
        ]
        signs = Counter(np.sign(row_evidence.row.cells[i].difference) for row_evidence, i in beyond)
        far = [
            (row_evidence, i)
            for row_evidence, i in beyond
            if _share(row_evidence, i) > limits.large or signs[np.sign(row_evidence.row.cells[i].difference)] > 1
        ]
        far += [place for place in _alone(of_metric, evidence, limits, tested) if place not in far]
        if far:
            farthest, i = max(far, key=lambda place: _share(*place))
            cell = farthest.row.cells[i]
            name = f"{farthest.row.name} ({cell.label})" if len(farthest.row.cells) > 1 else farthest.row.name
            rows = len({id(pair.row) for pair, _ in far})
            yield LargeUntold(metric, farthest.row.test, name, cell.before, cell.difference, rows, cores=len(far))


def _far_cells(row_evidence: Evidence, variance: float, dof: float, limits: Limits, tested: int) -> list[int]:
    likely = t_quantile(1 - limits.alpha / tested / 2, dof) * (2 * variance) ** 0.5
    cells = enumerate(row_evidence.row.cells)
    return [i for i, cell in cells if abs(cell.difference) > likely and _share(row_evidence, i) > limits.large / 2]


def _share(row_evidence: Evidence, i: int) -> float:
    """The share of itself that a core moved by. What is only a few steps of the clock is none."""
    cell = row_evidence.row.cells[i]
    moved = abs(cell.difference)
    return (moved / abs(cell.before) if cell.before else np.inf) if moved > FEW_STEPS * cell.threshold else 0.0


def _alone(quiet: Sequence[Evidence], evidence: Sequence[Evidence], limits: Limits, tested: int) -> Iterator[tuple[Evidence, int]]:
    """Cores of a metric that moved by the large share, as the differences of the metric in other tests, or on other cores, do not."""
    alike = [other for other in evidence if other.row.metric is quiet[0].row.metric and not other.row.is_term and not other.row.is_whole]
    places = [(other, cell) for other in alike for cell in other.row.cells]
    for row_evidence in quiet:
        same_kind = [(other.row.test, place) for other, place in places if other.kind[2] == row_evidence.kind[2]]
        of_tests = [place for test, place in same_kind if test != row_evidence.row.test]
        by_order = row_evidence.kind[2] and row_evidence.row.metric is Metric.POWERDOWN and row_evidence.role != PLACE
        for i, cell in enumerate(row_evidence.row.cells):
            if _share(row_evidence, i) <= limits.large:
                continue
            is_far = not by_order and _is_far(cell.before, cell.after, cell.threshold)
            if len(of_tests) < FEWEST_OTHERS:
                is_odd = is_far
            else:
                of_cores = [place for _, place in same_kind if place.label != cell.label]
                p = ODD_CORE_P if is_far else ODD_CORE_P / tested
                is_odd = any(_odds(cell, of) < p for of in (of_tests, of_cores) if len(of) >= FEWEST_OTHERS)
            if is_odd:
                yield row_evidence, i


def _is_far(before: float, after: float, threshold: float) -> bool:
    low, high = sorted((abs(before), abs(after)))
    return high >= UNTOLD_RATIO * low and high - low > FEW_STEPS * threshold


def _odds(cell: Cell, others: Sequence[Cell]) -> float:
    """How often one of such differences is as large, by Student's t with their scale. A difference is taken as no smaller than a fourth of
    its threshold, because equal figures have no scale."""
    sizes = [float(np.hypot(other.difference, other.threshold / 4)) for other in others]
    return 2 * t_tail(abs(cell.difference), np.array(sizes))


def _noises(evidence: Iterable[Evidence]) -> dict[Kind, tuple[float, float]]:
    """The variance of one figure of a core and its degrees of freedom, by kind: from the iterations within the boots if there are any,
    otherwise from like cores of one test in a run. A change increases either, so the smaller one of the two runs counts. A kind with few
    cores has at least the variance of its metric."""
    by_kind: dict[Kind, list[Evidence]] = defaultdict(list)
    for row_evidence in evidence:
        by_kind[row_evidence.kind].append(row_evidence)
    noises = {}
    for kind, members in by_kind.items():
        alike = [other_evidence for other, ones in by_kind.items() if (other[0], other[2]) == (kind[0], kind[2]) for other_evidence in ones]
        of_kind, whole = _steadier(members), _steadier(alike)
        if whole is not None:
            noises[kind] = (max(of_kind[0], whole[0]) if of_kind else whole[0], whole[1])
    return noises


def _steadier(members: Sequence[Evidence]) -> tuple[float, float] | None:
    for parts in (_inside, _among_cores):
        sides = [
            _pooled(map(parts, side)) for side in zip(*((row_evidence.before, row_evidence.after) for row_evidence in members), strict=True)
        ]
        known_sides = [(variance, dof) for variance, dof in sides if dof >= FEWEST_DOF]
        if known_sides:
            return min(known_sides)
    return None


def _inside(cells: Cells) -> tuple[float, int]:
    """The sum of squares of the iterations of each core around its mean, and its degrees of freedom."""
    if len(cells.values) < FEWEST_INSIDE:
        return 0.0, 0
    columns = [column[~np.isnan(column)] for column in cells.values.T]
    return sum(float(((column - column.mean()) ** 2).sum()) for column in columns if len(column)), sum(
        max(len(column) - 1, 0) for column in columns
    )


def _among_cores(cells: Cells) -> tuple[float, int]:
    levels = nan_median(cells.values)
    levels = levels[~np.isnan(levels)]
    return _squares(levels) if len(levels) else (0.0, 0)


def _pooled(parts: Iterable[tuple[float, int]]) -> tuple[float, float]:
    parts_list = list(parts)
    dof = sum(free for _, free in parts_list)
    return (sum(squares for squares, _ in parts_list) / dof if dof else 0.0), float(dof)


@dataclass(frozen=True, eq=False)
class _Series:
    """The boots of one core of a row, or the medians of all its cores. `most` is the number of deviations that is an outlier even with
    heavy tails."""

    of: Evidence
    name: str
    values: Floats
    most: float
    core: str = ""
    column: int | None = None

    @cached_property
    def off(self) -> Floats:
        return np.abs(self.values - np.median(self.values))

    @cached_property
    def boot(self) -> int:
        return int(np.argmax(self.off))

    def is_with(self, other: _Series) -> bool:
        """Whether the same boot is odd in another core of this test or in another test of this core."""
        return self is not other and self.boot == other.boot and (self.of.row.test == other.of.row.test) != (self.core == other.core)

    def apart(self, run: str) -> BootApart:
        row, others = self.of.row, float(np.median(np.delete(self.values, self.boot)))
        return BootApart(row.metric, row.test, self.name, run, self.boot + 1, len(self.values), float(self.values[self.boot]), others)


def _boots(quiet: Sequence[Evidence], runs: tuple[str, str]) -> Iterator[BootApart]:
    """The boot of each run that lies farthest from the median of its run, for all cores of a row or for one, by a large share and by so
    many deviations, which are those of all boots and rows of the kind. Fewer are enough where the other boots of all such tests show
    lighter tails, by Bonferroni's correction over the metric, and where it is odd in two cores of a test or two tests of a core."""
    for side, run in enumerate(runs):
        series_list = [series for row_evidence in quiet for series in _series(row_evidence, (row_evidence.a, row_evidence.b)[side])]
        spreads = {
            kind: MAD * float(np.median(np.concatenate([boot_series.off for boot_series in of])))
            for kind, of in _by_kind(series_list).items()
        }
        tested = Counter(boot_series.of.row.metric for boot_series in series_list for _ in boot_series.values)
        large = [
            boot_series
            for boot_series in series_list
            if boot_series.off[boot_series.boot] > boot_series.of.row.large and not _is_usual(boot_series, 1 - side)
        ]
        far = [
            large_series
            for large_series in large
            if large_series.core and large_series.off[large_series.boot] > ODD_BOOT * spreads[large_series.of.kind]
        ]
        odd = []
        for candidate in large:
            is_light = (
                len(candidate.values) >= FEWEST_FOR_TAILS
                and _tail(candidate, series_list, spreads) < ODD_P / tested[candidate.of.row.metric]
            )
            is_shared = candidate in far and any(
                candidate.is_with(other) for other in far if other.of.row.metric is candidate.of.row.metric
            )
            if candidate.off[candidate.boot] > candidate.most * spreads[candidate.of.kind] or is_light or is_shared:
                odd.append(candidate)
        if odd:
            yield max(odd, key=lambda boot_series: boot_series.off[boot_series.boot] / boot_series.of.row.large).apart(run)


def _is_usual(series: _Series, side: int) -> bool:
    """Whether the same boot of the other run lies off the same way by half as much or more: the first of each, say, with cold caches. A
    value that is left out there took as long as one that waits."""
    other = (series.of.a, series.of.b)[side]
    if series.boot >= len(other):
        return False
    values = other[:, series.column] if series.column is not None else nan_median(other.T)
    distance = series.values[series.boot] - np.median(series.values)
    if np.isnan(values[series.boot]):
        return bool(distance > 0)
    other_distance = values[series.boot] - np.nanmedian(values)
    return bool(other_distance * distance > 0 and abs(other_distance) > abs(distance) / 2)


def _series(row_evidence: Evidence, values: Floats) -> Iterator[_Series]:
    if len(values) < FEWEST_BOOTS or np.isnan(values).any():
        return
    for i, cell in enumerate(row_evidence.row.cells):
        name = f"{row_evidence.row.name} ({cell.label})" if len(row_evidence.row.cells) > 1 else row_evidence.row.name
        yield _Series(row_evidence, name, values[:, i], ODD_CORE, cell.label, i)
    if values.shape[1] >= FEW_CORES:
        yield _Series(row_evidence, row_evidence.row.name, nan_median(values.T), ODD_BOOT)


def _by_kind(series_list: Iterable[_Series]) -> dict[Kind, list[_Series]]:
    by_kind: dict[Kind, list[_Series]] = defaultdict(list)
    for series in series_list:
        by_kind[series.of.kind].append(series)
    return by_kind


def _tail(series: _Series, series_list: Sequence[_Series], spreads: dict[Kind, float]) -> float:
    """The probability of a boot as far off, from the other boots of all series of such tests, in deviations of their kind."""
    kind = series.of.kind
    alike = [other for other in series_list if (other.of.kind[0], other.of.kind[2], other.most) == (kind[0], kind[2], series.most)]
    others = [np.delete(other.off, min(series.boot, len(other.off) - 1)) / max(spreads[other.of.kind], _TINY) for other in alike]
    return 2 * t_tail(float(series.off[series.boot]) / max(spreads[kind], _TINY), np.concatenate(others))


def _spreads(evidence: Sequence[Evidence], limits: Limits) -> Iterator[SpreadMoved]:
    """Gini's mean differences of each core's iterations, compared between the runs by the logarithm of their mean over the cores. Unlike
    distances from the median they do not depend on the number of iterations. What those of the cores of one test differ by, relative to
    their mean, says what they scatter by (the delta method), pooled over the tests of the metric in each run; for Student's t of each test
    and of all tests, of the serial and of the parallel ones. Tests with figures of their shape have verdicts on it, so that only what is
    twice as wide is named beside them."""
    by_metric: dict[Metric, dict[str, list[tuple[Floats, Floats]]]] = defaultdict(lambda: defaultdict(list))
    free: dict[Metric, tuple[int, int]] = {}
    has_shape = set()
    for row_evidence in evidence:
        cells = row_evidence.before, row_evidence.after
        fewest = min(len(side.values) for side in cells)
        has_shape |= {row_evidence.row.test} if fewest >= FEWEST_ITERATIONS else set()
        if fewest >= FEWEST_INSIDE:
            by_metric[row_evidence.row.metric][row_evidence.row.test].append((_distances(cells[0]), _distances(cells[1])))
            dof_a, dof_b = (max(len(side.values) - len(np.unique(side.boots)), 1) for side in cells)
            least = free.get(row_evidence.row.metric, (dof_a, dof_b))
            free[row_evidence.row.metric] = min(least[0], dof_a), min(least[1], dof_b)
    for metric, tests in by_metric.items():
        sides = {test: [np.concatenate(side) for side in zip(*pairs, strict=True)] for test, pairs in tests.items()}
        usable = {
            test: both_sides for test, both_sides in sides.items() if len(both_sides[0]) > 1 and all(side.mean() > 0 for side in both_sides)
        }
        pools = [_pooled(_squares(side / side.mean()) for side in sides_of_runs) for sides_of_runs in zip(*usable.values(), strict=True)]
        if not pools or pools[0][1] < FEWEST_DOF:
            continue
        dof = min(among for _, among in pools)
        expected = [pools[1 - side][0] * free[metric][1 - side] / free[metric][side] for side in (0, 1)]
        variance = sum(min(pooled, MOST_UNEVEN * other) for (pooled, _), other in zip(pools, expected, strict=True))
        moved = {test: float(np.log(after.mean() / before.mean())) for test, (before, after) in usable.items()}
        errors = {test: variance / len(before) for test, (before, _) in usable.items()}
        half = limits.alpha / 2  # of what may go wrong is for tests together, half for each by itself
        groups = [[test for test in usable if of is None or is_parallel(test) is of] for of in (None, False, True)]
        of_groups = [(group, half / len(groups)) for group in groups if len(group) > 1]
        changed: set[str] = set()
        for group, alpha in (*of_groups, *(([test], half / len(usable)) for test in usable)):
            mean, error = sum(moved[test] for test in group) / len(group), sum(errors[test] for test in group) / len(group) ** 2
            large = LARGEST if all(test in has_shape for test in group) else 1 + limits.large
            if _has_other_spread(mean, error, dof, alpha, large):
                changed |= {test for test in group if moved[test] * mean > 0}
        if changed:
            most = max((test for test in usable if test in changed), key=lambda test: abs(moved[test]))
            yield SpreadMoved(metric, most, exp(moved[most]), len(usable[most][0]))


def _has_other_spread(moved: float, variance: float, dof: float, alpha: float, large: float) -> bool:
    """Whether the spread of one test, or the mean over several, is larger or smaller by a factor of `large`. `moved` is its logarithm."""
    return exp(abs(moved)) > large and variance > 0 and 2 * t_upper(abs(moved) / variance**0.5, dof) < alpha


def _distances(cells: Cells) -> Floats:
    """Gini's mean difference of each core: the mean distance of two iterations of one boot, weighted by the iterations of the boots."""
    sums, weights = np.zeros(cells.values.shape[1]), np.zeros(cells.values.shape[1])
    for boot in np.unique(cells.boots):
        values = np.sort(cells.values[cells.boots == boot], axis=0)  # NaN last
        n = np.count_nonzero(~np.isnan(values), axis=0)
        rank = np.arange(1, len(values) + 1)[:, None]
        spread = np.where(np.isnan(values), 0.0, (2 * rank - n - 1) * values).sum(axis=0)
        has_pair = n > 1
        sums += np.where(has_pair, 2 * spread / np.maximum(n, 1), 0.0)  # the mean difference, times n - 1
        weights += np.where(has_pair, n - 1, 0)
    return np.asarray(sums / np.maximum(weights, 1))


def _squares(values: Floats) -> tuple[float, int]:
    return float(((values - values.mean()) ** 2).sum()), len(values) - 1
