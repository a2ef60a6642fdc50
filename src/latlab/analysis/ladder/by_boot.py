# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts on rows of spans if the runs have four boots or more together: the boot is the sampling unit.

1. A row's value in a boot is the mean of its cells. Two sets of boots are compared by the moderated t statistic (Smyth 2004):
   t = (mean b - mean a) / sqrt(s^2 (1/n + 1/m)), s^2 = (d0 s0^2 + d s_row^2) / (d0 + d), with d0 + d degrees of freedom. The scaled
   inverse chi-squared prior (s0^2, d0) is fitted to the rows of one metric and role, separately for parallel and serial tests. Boots
   may agree by chance: s^2 is at least the residual mean square of the two-way layout of boots by cells over the number of cells
   (Scheffe 1959).
2. Events that occur in some boots only are compared by the exact Mann-Whitney test (1947), or not at all if its smallest p-value is
   too large.
3. The p-values of the rows of one metric are adjusted by Holm's method (1979), for two fifths of alpha.
4. The other three fifths are for groups: the rows of each role, and those of each cluster. The test of a group is O'Brien's OLS statistic
   (1984): the rows over their standard errors are added by boot, and t is computed from these sums. Their variance is moderated towards the
   variance of independent rows and is at least that. Groups are adjusted by the method of Benjamini and Hochberg (1995).
5. The changed rows of a group are found top down (Meinshausen 2008): parts of like rows by the same statistic at 0.5 %, then the rows of a
   part at 5 %, each by Holm's method. A row must lie beyond its threshold by itself, in the direction of its part.
6. Equivalence: two one-sided tests at 5 %, so the 90 % interval lies within the threshold (Schuirmann 1987).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import comb
from typing import NamedTuple

import numpy as np

from latlab.analysis.base.columns import Floats
from latlab.analysis.base.comparison import Level, Row
from latlab.analysis.base.detectable import detectable
from latlab.analysis.base.moderated import Prior, fit_prior, t_shift
from latlab.analysis.base.statistics import Shift, by_family, effect_size, false_discovery_control, family_wise, two_sample_shift
from latlab.analysis.base.verdicts import Limits, decide, decide_exact
from latlab.analysis.ladder.evidence import Evidence, Kind
from latlab.model.enums import Metric

FEWEST_OF_KIND = 3
"""Two variances have no spread of their own to fit a prior to."""
FEWEST_DOF_OF_SOME = 4
"""Below four degrees of freedom a variance is not known to a factor of two."""
SHARE = 0.4
PART_P, ROW_P = 0.005, 0.05
INDEPENDENCE = 4.0
"""Degrees of freedom that the independence of a group's rows counts as: as much as three boots of each run show."""

Group = tuple[int, ...]


class BootMeans(NamedTuple):
    """Values of the boots of both runs; each is the mean of so many `cells`."""

    kind: Kind
    a: Floats
    b: Floats
    cells: float = 1.0


def judge_by_boot(
    evidence: Sequence[Evidence], boots: tuple[int, int], limits: Limits, apart: Collection[int] = ()
) -> tuple[list[Row], list[Level]]:
    """The rows with their verdicts, and the groups that were tested. `apart` are indices of rows that belong to no group."""
    shifts = row_shifts(evidence, sum(boots), limits.alpha)
    families = [(one.row.metric, one.row.is_occasional) for one in evidence]
    sizes, own = Counter(families), by_family([shift.p for shift in shifts], families, family_wise, SHARE)
    groups = [group for metric in dict.fromkeys(one.row.metric for one in evidence) for group in _groups(evidence, metric, apart)]
    levels = [_level(evidence, shifts, group) for group in groups]
    adjusted = by_family([level.shift.p for level in levels], [level.metric for level in levels], false_discovery_control, 1 - SHARE)
    levels = [replace(level, p_adjusted=p) for level, p in zip(levels, adjusted, strict=True)]
    rows = []
    for one, shift, p, family in zip(evidence, shifts, own, families, strict=True):
        (a, b), least = one.by_boot, one.row.threshold
        seen = detectable("level", shift, one.row.before, least, limits.alpha * SHARE / sizes[family], min(boots))
        row = replace(one.row, shift=shift, p_adjusted=p, verdict=decide(shift, least, p, limits.alpha), effect=effect_size(a, b))
        rows.append(replace(row, basis=f"{len(a)} and {len(b)} boots", detectable=(seen,) if seen else ()))
    for group, level in zip(groups, levels, strict=True):
        named = _named(evidence, shifts, group) if level.p_adjusted < limits.alpha else ()
        for row, i in ((rows[i], i) for i in named if rows[i].p_adjusted >= limits.alpha):
            changed, basis = decide_exact(row.shift.value, row.threshold), f"{row.basis}, with {level.rows} rows alike"
            rows[i] = replace(row, verdict=changed, p_adjusted=level.p_adjusted, basis=basis)
    return _with_cells(rows, evidence, limits), levels


def row_shifts(evidence: Sequence[Evidence], boots: int, alpha: float) -> list[Shift]:
    """The shift of each row, for two runs with `boots` boots together."""
    moderated = moderated_shifts([BootMeans(one.kind, *one.by_boot, one.cells_a_boot) for one in evidence])
    return [_row_shift(one, shift, boots, alpha) for one, shift in zip(evidence, moderated, strict=True)]


def _row_shift(one: Evidence, shift: Shift, boots: int, alpha: float) -> Shift:
    a, b = one.by_boot
    _, dof = _pooled(a, b)
    if one.row.is_occasional and 2 / comb(len(a) + len(b), len(a)) < alpha:
        return two_sample_shift(a, b, 0.90)
    if one.row.is_occasional or (len(a) + len(b) < boots and dof < FEWEST_DOF_OF_SOME):
        return t_shift(shift.value, np.inf, 0)
    least = one.of_cells * (1 / len(a) + 1 / len(b))  # which the cells of few boots show about half as surely as the boots do theirs
    return shift if shift.error**2 >= least else t_shift(shift.value, least, shift.dof + dof / 2)


def moderated_shifts(samples: Sequence[BootMeans]) -> list[Shift]:
    """The moderated t (Smyth 2004) of each sample. The prior is the variance of one cell, fitted to the samples of its kind with the
    most boots; to those of the whole metric if a kind has too few."""
    spread = [(variance * one.cells, dof) for one in samples for variance, dof in [_pooled(one.a, one.b)]]
    kinds = {one.kind: [i for i, other in enumerate(samples) if other.kind == one.kind] for one in samples}
    metrics = {kind: [i for i, one in enumerate(samples) if one.kind[0] is kind[0]] for kind in kinds}
    known = {kind: [spread[i] for i in (own if len(own) >= FEWEST_OF_KIND else metrics[kind])] for kind, own in kinds.items()}
    most = {kind: max(dof for _, dof in own) for kind, own in known.items()}
    fitted = {kind: np.array([variance for variance, dof in own if dof == most[kind] > 0]) for kind, own in known.items()}
    priors = {kind: fit_prior(variances, most[kind]) for kind, variances in fitted.items()}
    moderated = [priors[one.kind].moderate(*own) for one, own in zip(samples, spread, strict=True)]
    sizes = [(1 / len(one.a) + 1 / len(one.b)) / one.cells for one in samples]
    found = zip(samples, sizes, moderated, strict=True)
    return [t_shift(float(one.b.mean() - one.a.mean()), variance * size, dof) for one, size, (variance, dof) in found]


def _pooled(a: Floats, b: Floats) -> tuple[float, int]:
    """The pooled variance of one value and its degrees of freedom."""
    dof = max(len(a) + len(b) - 2, 0)
    return (float(((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()) / dof if dof else 0.0), dof


def global_shift(evidence: Sequence[Evidence], shifts: Sequence[Shift]) -> Shift:
    """O'Brien's OLS statistic of the rows with the most boots, in their unit: the mean by boot, each row weighted by 1 over its standard
    error."""
    sizes = [(len(one.by_boot[0]), len(one.by_boot[1])) for one in evidence]
    found = zip(evidence, (shift.error for shift in shifts), sizes, strict=True)
    kept = [(one, error) for one, error, size in found if size == max(sizes, key=sum) and 0 < error < np.inf]
    if not kept:
        return t_shift(0.0, np.inf, 0)
    weights = np.array([1 / error for _, error in kept])
    a, b = (np.average([one.by_boot[side] for one, _ in kept], axis=0, weights=weights) for side in (0, 1))
    variance, dof = _pooled(a, b)
    independent = len(kept) / float(weights.sum()) ** 2
    squared, free = Prior(independent, INDEPENDENCE).moderate(variance * (1 / len(a) + 1 / len(b)), dof)
    return t_shift(float(b.mean() - a.mean()), max(squared, independent), free)


def _groups(evidence: Sequence[Evidence], metric: Metric, apart: Collection[int]) -> Iterator[Group]:
    """The rows of each role and those of each cluster, as indices. Terms of queue models are groups of their own."""
    own = [i for i, one in enumerate(evidence) if one.row.metric is metric and not one.row.is_occasional and i not in apart]
    for rows in _split(own, lambda i: evidence[i].row.is_term):
        found = (*_split(rows, lambda i: evidence[i].role), *_split(rows, lambda i: evidence[i].row.cluster))
        yield from (group for group in dict.fromkeys(found) if len(group) > 1)


def _split(rows: Iterable[int], key: Callable[[int], Hashable]) -> list[Group]:
    found: dict[Hashable, Group] = defaultdict(tuple)
    for i in rows:
        found[key(i)] += (i,)
    return list(found.values())


def _level(evidence: Sequence[Evidence], shifts: Sequence[Shift], group: Group) -> Level:
    own = [evidence[i] for i in group]
    first, *others = dict.fromkeys((one.row.metric, one.row.cluster) for one in own)
    place = (first[0], None if others else first[1], None, None, len(own))
    return Level(*place, global_shift(own, [shifts[i] for i in group]), tests=len({one.row.test for one in own}))


def _named(evidence: Sequence[Evidence], shifts: Sequence[Shift], group: Group) -> Iterator[int]:
    """The changed rows of a group: the rows of each of its changed parts, in the direction of the part."""
    parts = _split(group, lambda i: (evidence[i].kind, evidence[i].row.cluster))
    tested = [global_shift([evidence[i] for i in part], [shifts[i] for i in part]) if len(part) > 1 else shifts[part[0]] for part in parts]
    for part, moved, p in zip(parts, tested, family_wise([shift.p for shift in tested]), strict=True):
        for i, of_row in zip(part, family_wise([shifts[i].p for i in part]), strict=True):
            is_beyond = shifts[i].value * moved.value > 0 and abs(shifts[i].value) > evidence[i].row.threshold
            if p < PART_P and of_row < ROW_P and is_beyond:
                yield i


def _with_cells(rows: Sequence[Row], evidence: Sequence[Evidence], limits: Limits) -> list[Row]:
    """The rows with verdicts of their cells by moderated t; p-values are adjusted over all cells by the method of Benjamini and
    Hochberg."""
    places = [(one, j) for one in evidence for j in range(len(one.row.cells))]
    shifts = moderated_shifts([BootMeans(one.kind, *(side[~np.isnan(side[:, j]), j] for side in (one.a, one.b))) for one, j in places])
    tested = zip(shifts, false_discovery_control([shift.p for shift in shifts]), strict=True)
    out = []
    for row in rows:
        own = [(cell, *next(tested)) for cell in row.cells]
        judged = [replace(cell, shift=shift, p_adjusted=p, verdict=decide(shift, row.threshold, p, limits.alpha)) for cell, shift, p in own]
        out.append(replace(row, cells=tuple(judged)))
    return out
