# SPDX-License-Identifier: BSD-3-Clause
"""What moved so far that it must not pass in silence, judged by what did not move and not by the model that gives verdicts.

Three kinds: a core at one boot of each run, one boot among several of its own run, and the spread of a few iterations. None of them is a
verdict: they stop the gate, and the sentence says what to look at. Formulas and sources are in docs/analysis.md.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import exp

import numpy as np

from latlab.analysis.base.columns import Cells, Floats, nan_median
from latlab.analysis.base.comparison import Row
from latlab.analysis.base.distributions import t_quantile, t_upper
from latlab.analysis.base.findings import BootApart, LargeUntold, SpreadMoved
from latlab.analysis.base.verdicts import Limits, Verdict
from latlab.analysis.ladder.evidence import Evidence, Kind
from latlab.analysis.ladder.shape import FEWEST_ITERATIONS
from latlab.model.enums import Metric

FEWEST_DOF = 4
"""Below four degrees of freedom a variance is not known to a factor of two."""
FEWEST_BOOTS = 4
"""Of three boots nobody can say which is the odd one once two of them differ."""
FEWEST_INSIDE = 3
"""Iterations of a boot that have a spread."""
MAD = 1.4826
"""A normal standard deviation over its median absolute deviation."""
ODD_BOOT, ODD_CORE = 12.0, 24.0
"""Deviations of a boot, by the median of three cores or more, and of one core in it. Of Student's t of three degrees, the heaviest tails
that the bench draws, one in ten thousand lies farther out than 24; the median of three such lies beyond 12 less often than that."""
FEW_CORES = 3
_CHANGED = (Verdict.REGRESSED, Verdict.IMPROVED)

LargeMove = LargeUntold | BootApart | SpreadMoved


def large_moves(
    evidence: Sequence[Evidence], rows: Sequence[Row], runs: tuple[str, str], boots: tuple[int, int], limits: Limits
) -> tuple[LargeMove, ...]:
    """`rows` have the verdicts of `evidence`, and stand in its order. What is called changed is said already."""
    quiet = [one for one, row in zip(evidence, rows, strict=True) if row.verdict not in _CHANGED and not one.row.is_occasional]
    plain = [one for one in quiet if not one.row.is_term]
    found: list[LargeMove] = []
    if max(boots) == 1:
        found += _cores(plain, evidence, limits)
    found += _boots(plain, runs)
    found += _spreads([one for one in evidence if not one.row.is_term and not one.row.is_occasional], limits)
    return tuple(found)


def _cores(quiet: Sequence[Evidence], evidence: Sequence[Evidence], limits: Limits) -> Iterator[LargeUntold]:
    """Cores that moved farther than their noise, by Student's t with Bonferroni's correction over the metric, and by the large share; by
    half of it where several moved the same way, which single far values of heavy tails seldom do."""
    noise = _noises(one for one in evidence if not one.row.is_term and not one.row.is_occasional)
    for metric in dict.fromkeys(one.row.metric for one in quiet):
        own = [one for one in quiet if one.row.metric is metric]
        tested = sum(len(one.row.cells) for one in own)
        beyond = [(one, i) for one in own if one.kind in noise for i in _far_cells(one, *noise[one.kind], limits.alpha / tested)]
        signs = Counter(np.sign(one.row.cells[i].difference) for one, i in beyond)
        far = [(one, i) for one, i in beyond if _is_large(one, i) or signs[np.sign(one.row.cells[i].difference)] > 1]
        if far:
            one, i = max(far, key=lambda pair: abs(pair[0].row.cells[pair[1]].difference) / pair[0].row.large)
            cell = one.row.cells[i]
            name = f"{one.row.name} ({cell.label})" if len(one.row.cells) > 1 else one.row.name
            rows = len({id(each.row) for each, _ in far})
            yield LargeUntold(metric, one.row.test, name, cell.before, cell.difference, rows, cores=len(far))


def _far_cells(one: Evidence, variance: float, dof: float, alpha: float) -> list[int]:
    likely = t_quantile(1 - alpha / 2, dof) * (2 * variance) ** 0.5
    return [i for i, cell in enumerate(one.row.cells) if abs(cell.difference) > max(one.row.large / 2, likely)]


def _is_large(one: Evidence, cell: int) -> bool:
    return abs(one.row.cells[cell].difference) > one.row.large


def _noises(evidence: Iterable[Evidence]) -> dict[Kind, tuple[float, float]]:
    """The variance of one figure of a core and its degrees of freedom, by kind: from the iterations inside the boots where there are some,
    otherwise from like cores of one test inside a run. A change makes either larger, so the run with the smaller one says it. A kind of few
    cores is taken to scatter as all of its metric in such tests do, if that is more."""
    by_kind: dict[Kind, list[Evidence]] = defaultdict(list)
    for one in evidence:
        by_kind[one.kind].append(one)
    found = {}
    for kind, members in by_kind.items():
        alike = [one for other, ones in by_kind.items() if (other[0], other[2]) == (kind[0], kind[2]) for one in ones]
        own, whole = _steadier(members), _steadier(alike)
        if whole is not None:
            found[kind] = (max(own[0], whole[0]) if own else whole[0], whole[1])
    return found


def _steadier(members: Sequence[Evidence]) -> tuple[float, float] | None:
    for parts in (_inside, _among_cores):
        sides = [_pooled(map(parts, side)) for side in zip(*((one.before, one.after) for one in members), strict=True)]
        known = [(variance, dof) for variance, dof in sides if dof >= FEWEST_DOF]
        if known:
            return min(known)
    return None


def _inside(cells: Cells) -> tuple[float, int]:
    """Squares of the iterations of each core around its mean, and their degrees of freedom."""
    if len(cells.values) < FEWEST_INSIDE:
        return 0.0, 0
    known = [column[~np.isnan(column)] for column in cells.values.T]
    return sum(float(((one - one.mean()) ** 2).sum()) for one in known if len(one)), sum(max(len(one) - 1, 0) for one in known)


def _among_cores(cells: Cells) -> tuple[float, int]:
    levels = nan_median(cells.values)
    levels = levels[~np.isnan(levels)]
    return (float(((levels - levels.mean()) ** 2).sum()), len(levels) - 1) if len(levels) > 1 else (0.0, 0)


def _pooled(parts: Iterable[tuple[float, int]]) -> tuple[float, float]:
    found = list(parts)
    dof = sum(free for _, free in found)
    return (sum(squares for squares, _ in found) / dof if dof else 0.0), float(dof)


def _boots(quiet: Sequence[Evidence], runs: tuple[str, str]) -> Iterator[BootApart]:
    """The boot of each run that lies farthest from the median of its run, for all cores of a row or for one, by a large share and by so
    many deviations, which are those of all boots and rows of the kind."""
    for side, run in enumerate(runs):
        by_kind: dict[Kind, list[tuple[Evidence, str, Floats, float]]] = defaultdict(list)
        for one in quiet:
            values = (one.a, one.b)[side]
            if len(values) < FEWEST_BOOTS or np.isnan(values).any():
                continue
            by_kind[one.kind] += [
                (one, f"{one.row.name} ({cell.label})" if len(one.row.cells) > 1 else one.row.name, values[:, i], ODD_CORE)
                for i, cell in enumerate(one.row.cells)
            ]
            if values.shape[1] >= FEW_CORES:
                by_kind[one.kind].append((one, one.row.name, nan_median(values.T), ODD_BOOT))
        worst: list[tuple[float, BootApart]] = []
        for members in by_kind.values():
            spread = MAD * float(np.median(np.concatenate([np.abs(values - np.median(values)) for _, _, values, _ in members])))
            for one, name, values, most in members:
                off = np.abs(values - np.median(values))
                boot = int(np.argmax(off))
                if off[boot] > max(one.row.large, most * spread):
                    others = float(np.median(np.delete(values, boot)))
                    apart = BootApart(one.row.metric, one.row.test, name, run, boot + 1, len(values), float(values[boot]), others)
                    worst.append((float(off[boot]) / one.row.large, apart))
        if worst:
            yield max(worst, key=lambda pair: pair[0])[1]


def _spreads(evidence: Sequence[Evidence], limits: Limits) -> Iterator[SpreadMoved]:
    """Mean distances of each core's iterations from its median. The logarithm of their ratio between the runs, over the cores of a test, by
    Student's t: what the cores of one test differ by in the run where they differ less says what it scatters by, pooled over the tests of
    the metric (delta method). More iterations have figures of their shape, with verdicts."""
    by_metric: dict[Metric, dict[str, list[tuple[Floats, Floats]]]] = defaultdict(lambda: defaultdict(list))
    for one in evidence:
        if FEWEST_INSIDE <= min(len(one.before.values), len(one.after.values)) < FEWEST_ITERATIONS:
            by_metric[one.row.metric][one.row.test].append((_distances(one.before), _distances(one.after)))
    for metric, tests in by_metric.items():
        sides = {test: [np.concatenate(side) for side in zip(*found, strict=True)] for test, found in tests.items()}
        sides = {test: found for test, found in sides.items() if len(found[0]) > 1 and min(side.mean() for side in found) > 0}
        pools = [_pooled(map(_relative_squares, side)) for side in zip(*sides.values(), strict=True)]
        if not pools or pools[0][1] < FEWEST_DOF:
            continue
        variance, dof = min(pools)
        moved = {test: float(np.log(after.mean() / before.mean())) for test, (before, after) in sides.items()}
        errors = {test: 2 * variance / len(before) for test, (before, _) in sides.items()}
        half = limits.alpha / 2  # of what may go wrong is for all tests together, half for each by itself
        together = _is_wider(float(np.mean([*moved.values()])), sum(errors.values()) / len(errors) ** 2, dof, half, limits.large)
        found = [test for test in sides if together or _is_wider(moved[test], errors[test], dof, half / len(sides), limits.large)]
        if found:
            most = max(found, key=lambda test: abs(moved[test]))
            yield SpreadMoved(metric, most, exp(moved[most]), len(sides[most][0]))


def _is_wider(moved: float, variance: float, dof: float, alpha: float, large: float) -> bool:
    """Of one test, or of the mean over all tests of the metric, which shows what each of them alone is too small for."""
    return exp(abs(moved)) > 1 + large and variance > 0 and 2 * t_upper(abs(moved) / variance**0.5, dof) < alpha


def _distances(cells: Cells) -> Floats:
    """Of each core, over its iterations."""
    off = np.abs(cells.values - cells.by_boot[np.unique(cells.boots, return_inverse=True)[1]])
    known = ~np.isnan(off)
    return np.asarray(np.where(known, off, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1))


def _relative_squares(distances: Floats) -> tuple[float, int]:
    return float((((distances - distances.mean()) / distances.mean()) ** 2).sum()), len(distances) - 1
