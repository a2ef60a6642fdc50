# SPDX-License-Identifier: BSD-3-Clause
"""Rows of runs whose clock is deterministic: a difference is never noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from latlab.analysis.base.comparison import Cell, Row
from latlab.analysis.base.statistics import Shift
from latlab.analysis.base.verdicts import Verdict, decide_exact


def exact_row(row: Row, takes_turns: bool) -> Row:
    """The largest difference decides. `takes_turns`: the spans hold turns of other cores, so a difference says nothing."""
    differences = np.array([cell.difference for cell in row.cells] or [row.after - row.before])
    largest = float(differences[np.argmax(np.abs(differences))])
    verdict, basis = decide_exact(largest, row.threshold), "exact"
    if verdict is not Verdict.SAME and takes_turns:
        verdict, basis = Verdict.CANNOT_TELL, "cores take turns"
    shift = Shift(largest, float(differences.min()), float(differences.max()), 0.0 if largest else 1.0)
    return replace(row, shift=shift, verdict=verdict, basis=basis, cells=tuple(_exact_cell(cell, row.threshold) for cell in row.cells))


def _exact_cell(cell: Cell, threshold: float) -> Cell:
    difference = cell.difference
    return replace(cell, shift=Shift(difference, difference, difference, 0.0), verdict=decide_exact(difference, threshold))
