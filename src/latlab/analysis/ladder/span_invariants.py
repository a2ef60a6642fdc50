# SPDX-License-Identifier: BSD-3-Clause
"""What must hold in any run of spans of a correct firmware, whatever its figures."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from latlab.analysis.base.check import Check
from latlab.analysis.base.columns import Columns, Matrix
from latlab.analysis.base.identity import checked_columns
from latlab.analysis.base.wording import amount
from latlab.analysis.ladder.roles import Roles, inferred_lead, is_parallel, roles_of, serial_last_men
from latlab.analysis.spans.psa_invariants import psa_checks
from latlab.model.enums import Metric
from latlab.model.run import CoreId, Run

ALIKE = 0.10
DEEP_SERIAL = ("susp_deep_serial", "cpu_off_serial")


def check_spans(run: Run) -> tuple[Check, ...]:
    """Raises NotComparable where the run holds nothing to check."""
    columns = checked_columns(run)
    roles = roles_of(columns)
    lead = run.lead or inferred_lead(run, columns, roles)
    checks: list[Check] = []
    for test in columns.tests:
        flush, powerdown = columns.matrix(test, Metric.CACHE_FLUSH), columns.matrix(test, Metric.POWERDOWN)
        if flush is None or powerdown is None or not len(flush.values):
            continue
        checks.append(_parts_fit(test, flush, powerdown, run.tick.unit))
        if test.startswith("cpu_susp"):
            checks.append(_nobody_last(test, flush, roles))
        elif is_parallel(test):
            checks.append(_one_last_man(test, flush, roles))
        elif test in DEEP_SERIAL and lead is not None:
            checks.append(_serial_last_men(test, columns, roles, lead))
        if not is_parallel(test):
            checks.append(_alike(test, powerdown, serial_last_men(columns, roles, test), lead, run.tick.unit))
    return (*checks, *psa_checks(columns, run.tick.unit))


def _parts_fit(test: str, flush: Matrix, powerdown: Matrix, unit: str) -> Check:
    name = "the cache flush fits into the powerdown"
    if flush.values.shape != powerdown.values.shape:
        return Check(test, name, False, "some cores have one of the two spans only")
    over = np.argwhere(flush.values > powerdown.values)
    if not len(over):
        return Check(test, name, True)
    row, column = (int(i) for i in over[0])
    figures = f"{amount(float(flush.values[row, column]), unit)} of {amount(float(powerdown.values[row, column]), unit)}"
    return Check(test, name, False, f"core {flush.cores[column]} flushes for {figures}, in {len(over)} cells")


def _nobody_last(test: str, flush: Matrix, roles: Roles) -> Check:
    name = "no core pays a cluster flush at level 0"
    paid = roles.last_man(flush, flush)
    if not paid.any():
        return Check(test, name, True)
    cores = ", ".join(str(core) for core, times in zip(flush.cores, paid.sum(axis=0), strict=True) if times)
    return Check(test, name, False, f"{cores} flush for as long as the last man of a cluster")


def _one_last_man(test: str, flush: Matrix, roles: Roles) -> Check:
    name = "one core of each cluster pays the cluster flush"
    paid = roles.last_man(flush, flush)
    by_cluster: dict[int, list[int]] = defaultdict(list)
    for column, core in enumerate(flush.cores):
        by_cluster[core.cluster].append(column)
    for cluster, columns in by_cluster.items():
        counts = paid[:, columns].sum(axis=1)
        wrong = np.flatnonzero(counts != 1)
        if len(columns) > 1 and len(wrong):
            found = int(counts[wrong[0]])
            sentence = f"{found} of the {len(columns)} cores of cluster {cluster} pay it, in {len(wrong)} of {len(counts)} iterations"
            return Check(test, name, False, sentence)
    return Check(test, name, True)


def _serial_last_men(test: str, columns: Columns, roles: Roles, lead: CoreId) -> Check:
    name = "a core pays the cluster flush only where no other core of its cluster is on"
    matrix = columns.matrix(test, Metric.CACHE_FLUSH)
    cores = matrix.cores if matrix else ()
    expected = {core for core in cores if core.cluster != lead.cluster or core == lead}
    paid = serial_last_men(columns, roles, test)
    alone = {core for core in cores if sum(c.cluster == core.cluster for c in cores) == 1}
    wrongly, missing = sorted(paid - expected - alone), sorted(expected - paid - alone)
    if not wrongly and not missing:
        return Check(test, name, True)
    told = []
    if wrongly:
        told.append(f"{_list(wrongly)} pay it while the lead {lead} is on in their cluster")
    if missing:
        told.append(f"{_list(missing)} do not pay it although alone in their cluster")
    return Check(test, name, False, "; ".join(told))


def _alike(test: str, powerdown: Matrix, last: frozenset[CoreId], lead: CoreId | None, unit: str) -> Check:
    """Cores of one cluster with one role take the same time; the lead, which goes down last, is left out."""
    name = "like cores take the same time in serial"
    medians = np.median(powerdown.values, axis=0)
    kinds: dict[tuple[int, bool], dict[CoreId, float]] = defaultdict(dict)
    for core, value in zip(powerdown.cores, medians, strict=True):
        if core != lead:
            kinds[core.cluster, core in last][core] = float(value)
    for found in kinds.values():
        low, high = min(found, key=lambda core: found[core]), max(found, key=lambda core: found[core])
        if found[high] > found[low] * (1 + ALIKE):
            figures = f"{high} takes {amount(found[high], unit)}, {low} {amount(found[low], unit)}"
            return Check(test, name, False, figures)
    return Check(test, name, True)


def _list(cores: list[CoreId]) -> str:
    return ", ".join(map(str, cores))
