# SPDX-License-Identifier: BSD-3-Clause
"""Rules that every run of spans must keep on its platform, independent of the figures.

Those of a correct secure partition manager are by the names of the tests of the psa campaign.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from latlab.core.comparison.check import Check
from latlab.core.comparison.identity import checked_columns
from latlab.core.comparison.wording import amount, capital
from latlab.core.model.enums import Metric
from latlab.core.model.platforms import Coherency, PlatformFacts
from latlab.core.model.run import CoreId, Run
from latlab.core.readers.platform_facts import facts_of
from latlab.core.readers.rules import rules
from latlab.core.statistics.sample_matrix import Columns, Matrix
from latlab.psci.analysis.roles import Roles, inferred_lead, is_level_zero, is_parallel, roles_of, serial_last_men

ALIKE = 0.10
RARELY = 0.01
LEAST_TICKS = 50
DEEP_SERIAL = ("susp_deep_serial", "cpu_off_serial")

_SIZED = re.compile(r"(.+)_(\d+)")


def check_spans(run: Run) -> tuple[Check, ...]:
    """The results of the rules for a run. Raises NotComparable if the run has nothing to check."""
    return check_columns(run, checked_columns(run), facts_of(run.platform))


def check_columns(run: Run, columns: Columns, facts: PlatformFacts) -> tuple[Check, ...]:
    """The results of the rules for a run's columns, on a platform with these facts."""
    roles = roles_of(columns, facts.managed_by)
    lead = run.lead or inferred_lead(run, columns, roles)
    checks: list[Check] = []
    for test in columns.tests:
        flush, powerdown = columns.matrix(test, Metric.CACHE_FLUSH), columns.matrix(test, Metric.POWERDOWN)
        if flush is None or powerdown is None or not len(flush.values):
            continue
        checks.append(_parts_fit(test, flush, powerdown, run.tick.unit, run.tick.value))
        checks += _flushes(test, columns, flush, roles, lead, facts)
        if not is_parallel(test):
            last = serial_last_men(columns, roles, test)
            checks.append(_alike(test, powerdown, last, lead, run.tick.unit, LEAST_TICKS * run.tick.value))
    return (*checks, *psa_checks(columns, run.tick.unit))


def _parts_fit(test: str, flush: Matrix, powerdown: Matrix, unit: str, tick: float) -> Check:
    """Whether the flush is no longer than the power-down. Each may be off by a tick; a power-down of 0 was not measured."""
    rule = rules()["flush_fits"]
    if flush.values.shape != powerdown.values.shape:
        return Check(test, rule, False, "some cores have one of the two spans only")
    over = np.argwhere((flush.values > powerdown.values + 2 * tick) & (powerdown.values > 0))
    if not len(over):
        return Check(test, rule, True)
    row, column = (int(i) for i in over[0])
    figures = f"{amount(float(flush.values[row, column]), unit)} of {amount(float(powerdown.values[row, column]), unit)}"
    return Check(test, rule, False, f"core {flush.cores[column]} flushes for {figures}, in {len(over)} data points")


def _flushes(test: str, columns: Columns, flush: Matrix, roles: Roles, lead: CoreId | None, facts: PlatformFacts) -> Iterator[Check]:
    """The rules on which core pays the flush of a cluster. They do not apply to a platform whose clusters clean their own caches, or
    may."""
    names = ("flush_at_level_0",) if is_level_zero(test) else ("last_man_flushes", "only_last_man_flushes")
    why_not = _not_applicable(facts)
    if why_not:
        yield from (Check(test, rules()[name], True, why_not, applicable=False) for name in names)
    elif is_level_zero(test):
        yield _nobody_last(test, flush, roles)
    elif is_parallel(test):
        yield from _one_last_man(test, flush, roles)
    elif test in DEEP_SERIAL and lead is not None:
        yield from _serial_last_men(test, columns, flush, roles, lead)


def _not_applicable(facts: PlatformFacts) -> str:
    if not facts.is_known:
        return f"not applicable, because nothing is known of the platform {facts.name}"
    if facts.managed_by is Coherency.HARDWARE:
        return f"not applicable, because the clusters of {facts.title} clean their own caches"
    if facts.managed_by is Coherency.UNKNOWN:
        return f"not applicable, because it is not stated who keeps the caches of {facts.title} coherent"
    return ""


def _nobody_last(test: str, flush: Matrix, roles: Roles) -> Check:
    """The rule that no core pays. One long flush in hundreds is a tail and reported as such."""
    rule = rules()["flush_at_level_0"]
    often = roles.last_man(flush, flush).mean(axis=0) > RARELY
    if not often.any():
        return Check(test, rule, True)
    cores = ", ".join(str(core) for core, pays in zip(flush.cores, often, strict=True) if pays)
    return Check(test, rule, False, f"{cores} flush for as long as the last core down of a cluster")


def _one_last_man(test: str, flush: Matrix, roles: Roles) -> Iterator[Check]:
    """The rule that one core of each cluster pays; all clusters that break it are named."""
    paid = roles.last_man(flush, flush)
    by_cluster: dict[int, list[int]] = defaultdict(list)
    for column, core in enumerate(flush.cores):
        by_cluster[core.cluster].append(column)
    none, several = [], []
    for cluster, columns in by_cluster.items():
        counts = paid[:, columns].sum(axis=1)
        of = f"of the {len(columns)} cores of cluster {cluster}"
        if len(columns) > 1 and (counts < 1).any():
            none.append(f"none {of} pays it, in {int((counts < 1).sum())} of {len(counts)} iterations")
        if len(columns) > 1 and (counts > 1).any():
            several.append(f"{int(counts.max())} {of} pay it, in {int((counts > 1).sum())} of {len(counts)} iterations")
    yield Check(test, rules()["last_man_flushes"], not none, ". ".join(map(capital, none)))
    yield Check(test, rules()["only_last_man_flushes"], not several, ". ".join(map(capital, several)))


def _serial_last_men(test: str, columns: Columns, flush: Matrix, roles: Roles, lead: CoreId) -> Iterator[Check]:
    """The rule on the last core down: a core is the last if its cluster does not have the lead, which is on, or if it is the lead."""
    cores = flush.cores
    expected = {core for core in cores if core.cluster != lead.cluster or core == lead}
    paid = serial_last_men(columns, roles, test)
    alone = {core for core in cores if sum(c.cluster == core.cluster for c in cores) == 1}
    wrongly, missing = sorted(paid - expected - alone), sorted(expected - paid - alone)
    detail = f"{_list(missing)} do not pay it although alone in their cluster" if missing else ""
    yield Check(test, rules()["last_man_flushes"], not missing, detail)
    detail = f"{_list(wrongly)} pay it while the lead {lead} is on in their cluster" if wrongly else ""
    yield Check(test, rules()["only_last_man_flushes"], not wrongly, detail)


def _alike(test: str, powerdown: Matrix, last: frozenset[CoreId], lead: CoreId | None, unit: str, least: float) -> Check:
    """The rule that cores of one cluster with one role take the same time. The lead, which goes down last, is left out. A difference up
    to `least` does not count."""
    rule = rules()["like_cores"]
    medians = np.median(powerdown.values, axis=0)
    kinds: dict[tuple[int, bool], dict[CoreId, float]] = defaultdict(dict)
    for core, value in zip(powerdown.cores, medians, strict=True):
        if core != lead:
            kinds[core.cluster, core in last][core] = float(value)
    details = []
    for by_core in kinds.values():
        low, high = min(by_core, key=lambda core: by_core[core]), max(by_core, key=lambda core: by_core[core])
        if by_core[high] - by_core[low] > max(ALIKE * by_core[low], least):
            details.append(f"{high} takes {amount(by_core[high], unit)}, {low} {amount(by_core[low], unit)}")
    return Check(test, rule, not details, "; ".join(details))


def _list(cores: list[CoreId]) -> str:
    return ", ".join(map(str, cores))


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
