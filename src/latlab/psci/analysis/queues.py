# SPDX-License-Identifier: BSD-3-Clause
"""The parallel tests of one run whose power-downs form a queue."""

from __future__ import annotations

import numpy as np

from latlab.core.comparison.identity import checked_columns
from latlab.core.comparison.queue_model import BASE, STEP, Ladders
from latlab.core.comparison.summary import mark_of
from latlab.core.model.run import Run
from latlab.core.readers.platform_facts import facts_of
from latlab.psci.analysis.queue_fit import fit_ladders, refusal
from latlab.psci.analysis.roles import is_parallel, roles_of

LEAST_STEP = 0.05


def queues_of(run: Run) -> dict[str, Ladders]:
    """The queue models that fit, by test, without tests in which cores take turns. Raises NotComparable if a run has no spans."""
    columns = checked_columns(run)
    roles = roles_of(columns, facts_of(run.platform).managed_by)
    tests = (test for test in columns.tests if is_parallel(test) and mark_of(run, test) is None)
    fitted = {test: ladders for test in tests if (ladders := fit_ladders(columns, roles, test)) is not None}
    return {
        test: queue_ladders
        for test, queue_ladders in fitted.items()
        if queue_ladders.dof[0] and refusal(queue_ladders) is None and _rises(queue_ladders)
    }


def _rises(ladders: Ladders) -> bool:
    """Whether the step is large enough beside the base to be a wait."""
    return float(np.nanmedian(ladders.terms[STEP])) > LEAST_STEP * float(np.nanmedian(ladders.terms[BASE]))
