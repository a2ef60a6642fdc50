# SPDX-License-Identifier: BSD-3-Clause
"""What must hold in any run of a correct secure partition manager. The tests' names are those of the psa campaign."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise

import numpy as np

from latlab.core.comparison.check import Check
from latlab.core.comparison.wording import amount
from latlab.core.model.enums import Metric
from latlab.core.readers.rules import rules
from latlab.core.statistics.sample_matrix import Columns

_SIZED = re.compile(r"(.+)_(\d+)")


def psa_checks(columns: Columns, unit: str) -> list[Check]:
    """Each call with the next smaller amount of data: its median cannot be below that one's."""
    families: dict[str, list[tuple[int, str, float]]] = defaultdict(list)
    for test in columns.tests:
        matrix, sized = columns.matrix(test, Metric.PSA_CALL), _SIZED.fullmatch(test)
        if matrix is not None and sized and len(matrix.values):
            families[sized[1]].append((int(sized[2]), test, float(np.median(matrix.values))))
    checks = []
    for calls in families.values():
        for (_, smaller, less), (_, test, more) in pairwise(sorted(calls)):
            sentence = f"it takes {amount(more, unit)}, {smaller} {amount(less, unit)}"
            checks.append(Check(test, rules()["more_data_costs_no_less"], more >= less, "" if more >= less else sentence))
    return checks
