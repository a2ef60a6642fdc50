# SPDX-License-Identifier: BSD-3-Clause
"""Rows of runs under a deterministic clock: a difference is never noise, even in few iterations.

A cell is the same if both runs have the same figures equally often. Different figures are sorted in both runs and compared by rank, so
the order of the iterations does not matter; whether the order is the same too is reported.

If a figure may depend on the order in which cores run, a difference counts in three cases: the figures of each run are all equal; a rank
test is significant and the figures scatter little; or the gap between the runs is wider than the scatter of either.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from latlab.core.comparison.comparison import Cell, Row
from latlab.core.comparison.iterations import InIterations
from latlab.core.comparison.verdicts import Limits, Verdict, decide_exact, worst
from latlab.core.comparison.wording import said_in_iterations
from latlab.core.statistics.sample_matrix import Floats
from latlab.core.statistics.statistics import Shift, two_sample_shift
from latlab.psci.analysis.variance_estimate import Evidence

NO_COUNTERPART = "one run has more iterations, with figures that the other run does not have"
ORDER = "within the effect of the order of the cores"
_ROUNDING = 1e-9
_MOST_RANKED = 500
_RARE = 0.05
"""Of the iterations, at either end: so many may move by more than the others where all else moved alike."""
_TURN = 2.0
"""So many times the median: what is above has waited for whole turns of others, and is no part of the rhythm."""
_NARROW = 0.05
"""Of the least figure: what scatters by less waits for no other core."""


@dataclass(frozen=True)
class _Compared:
    """One cell: its differences by rank, with the figures before by rank, the number of figures without a counterpart, and whether all came
    in the same order."""

    differences: Floats
    before: Floats
    verdict: Verdict
    in_iterations: InIterations | None = None
    same_order: bool = True
    untold: int = 0
    follows_order: bool = False

    @property
    def _place(self) -> int:
        sign = {Verdict.REGRESSED: 1.0, Verdict.IMPROVED: -1.0}.get(self.verdict)
        return int(np.argmax(np.abs(self.differences) if sign is None else sign * self.differences))

    @property
    def largest(self) -> float:
        """The largest difference among those behind the verdict."""
        return float(self.differences[self._place])

    @property
    def base(self) -> float:
        """The figure of the first run that differs by the largest difference."""
        return float(self.before[self._place])


def exact_row(row_evidence: Evidence, takes_turns: bool, order: Limits | None = None) -> Row:
    """The row with the verdict of its worst cell. `takes_turns`: the spans contain the turns of other cores, so the row is inconclusive.
    `order`: the limits for spans that may depend on the order of the cores, with the alpha of one cell."""
    row = row_evidence.row
    pairs = [(row_evidence.before.of(i), row_evidence.after.of(i)) for i in range(row_evidence.before.values.shape[1])]
    cells = [_compared(*pair, row.threshold) for pair in pairs]
    if order:
        cells = [_beyond_order(cell, *pair, order) for cell, pair in zip(cells, pairs, strict=True)]
    verdict = worst(cell.verdict for cell in cells)
    decisive = max((cell for cell in cells if cell.verdict is verdict), key=lambda cell: abs(cell.largest))
    largest = decisive.largest
    basis = _basis(cells, decisive)
    if verdict not in (Verdict.SAME, Verdict.CANNOT_TELL) and takes_turns:
        verdict, basis = Verdict.CANNOT_TELL, "cores take turns"
    low, high = min(float(cell.differences.min()) for cell in cells), max(float(cell.differences.max()) for cell in cells)
    shift = Shift(largest, low, high, 0.0 if largest else 1.0)
    labelled = tuple(_exact_cell(cell, compared) for cell, compared in zip(row.cells, cells, strict=False))
    of = decisive.base if largest else None
    return replace(row, shift=shift, verdict=verdict, basis=basis, cells=labelled, in_iterations=decisive.in_iterations, of=of)


def _compared(before: Floats, after: Floats, threshold: float) -> _Compared:
    """The comparison of one cell. If one run has more iterations, the common number is compared, and the others may have no new figures."""
    common = min(len(before), len(after))
    common_before, others = before[:common], after[:common]
    differences = np.sort(others) - np.sort(common_before)
    differences[np.abs(differences) <= _ROUNDING * np.abs(np.sort(common_before))] = 0.0
    if not differences.any():
        unpaired = np.r_[before[common:], after[common:]]
        new = int(((unpaired < common_before.min()) | (unpaired > common_before.max())).sum())
        return _Compared(
            differences,
            np.sort(common_before),
            Verdict.CANNOT_TELL if new else Verdict.SAME,
            None,
            bool(np.allclose(common_before, others, _ROUNDING, 0)),
            new,
        )
    verdict = worst(decide_exact(float(end), threshold) for end in (differences.min(), differences.max()))
    return _Compared(differences, np.sort(common_before), verdict, _in_iterations(common_before, others))


def _beyond_order(compared: _Compared, before: Floats, after: Floats, limits: Limits) -> _Compared:
    """The result for figures that may depend on the order of the cores: the scatter of a run may be the order alone, and a single figure
    shows none."""
    if not compared.differences.any() or (min(len(before), len(after)) > 1 and not np.ptp(before) and not np.ptp(after)):
        return compared
    shift = two_sample_shift(_thinned(before), _thinned(after))
    if shift.p >= limits.alpha or not _apart(before, after):
        return replace(compared, verdict=Verdict.CANNOT_TELL, follows_order=True)
    if compared.in_iterations is None and not np.ptp(np.quantile(compared.differences, (_RARE, 1 - _RARE), method="nearest")):
        return compared
    return replace(compared, verdict=decide_exact(shift.value, limits.threshold(float(np.median(before)), 0.0, 0.0)), in_iterations=None)


def _apart(before: Floats, after: Floats) -> bool:
    """Whether the difference exceeds the effect of the order. Figures with a wide scatter wait for other cores, and another build may
    shift them by as much as that scatter."""
    ends = [(float(values.min()), float(values[values <= _TURN * np.median(values)].max())) for values in (before, after)]
    widths = [high - low for low, high in ends]
    if all(width <= _NARROW * low for width, (low, _) in zip(widths, ends, strict=True)):
        return True
    (low, high), (other_low, other_high) = ends
    return max(other_low - high, low - other_high) > max(widths)


def _thinned(values: Floats) -> Floats:
    """The sorted values; of many, every n-th, because the test visits every pair of values."""
    ordered = np.sort(values)
    return ordered if len(ordered) <= _MOST_RANKED else ordered[np.linspace(0, len(ordered) - 1, _MOST_RANKED).round().astype(int)]


def _in_iterations(before: Floats, after: Floats) -> InIterations | None:
    """The difference without the figures that both runs have. None if it is in every iteration, in one direction."""
    values, inverse = np.unique(np.r_[before, after], return_inverse=True)
    counts, others = (np.bincount(part, minlength=len(values)) for part in np.split(inverse.reshape(-1), 2))
    gone, come = np.maximum(counts - others, 0), np.maximum(others - counts, 0)
    changed = int(gone.sum())
    was, became = np.repeat(values, gone), np.repeat(values, come)
    shorter = int((became < was).sum())
    if changed == len(before) and shorter in (0, changed):
        return None
    share = float(np.median(became - was) / np.median(was)) if np.median(was) else float("inf")
    return InIterations(changed, len(before), share, bool(np.median(before) == np.median(after)), shorter)


def _basis(cells: Iterable[_Compared], decisive: _Compared) -> str:
    if decisive.follows_order:
        return ORDER
    if decisive.in_iterations is not None:
        return f"exact, {said_in_iterations(decisive.in_iterations)}"
    if decisive.untold:
        return f"exact, but {NO_COUNTERPART}"
    if decisive.verdict is not Verdict.SAME:
        return "exact"
    return "exact, in the same order" if all(cell.same_order for cell in cells) else "exact, in another order"


def _exact_cell(cell: Cell, compared: _Compared) -> Cell:
    largest = compared.largest
    shift = Shift(largest, float(compared.differences.min()), float(compared.differences.max()), 0.0 if largest else 1.0)
    return replace(cell, shift=shift, verdict=compared.verdict)
