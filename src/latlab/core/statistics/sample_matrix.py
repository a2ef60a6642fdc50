# SPDX-License-Identifier: BSD-3-Clause
"""A run's samples as numpy columns and, for one test and metric, as a matrix of iterations by cores."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Run

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

METRICS = tuple(Metric)


class DuplicateSample(ValueError):
    """One span was recorded twice. A mean of the two would hide a fault of the recording."""


@dataclass(frozen=True)
class Matrix:
    """Spans of one test and metric, in ns or instructions: a row for each complete iteration, a column for each core. `every` includes
    iterations that lack a core."""

    cores: tuple[CoreId, ...]
    boots: Ints
    iterations: Ints
    values: Floats
    every: Cells

    @property
    def incomplete(self) -> int:
        """The number of iterations that lack a core."""
        return len(self.every.boots) - len(self.boots)

    def of_boots(self, boots: Collection[int]) -> Matrix:
        """The spans of these boots alone."""
        keep, keep_every = (np.isin(of, list(boots)) for of in (self.boots, self.every.boots))
        every = Cells(self.every.boots[keep_every], self.every.values[keep_every])
        return replace(self, boots=self.boots[keep], iterations=self.iterations[keep], values=self.values[keep], every=every)

    @cached_property
    def by_boot(self) -> Floats:
        """Medians over the iterations of each boot, a row for each boot: the boot is the sampling unit."""
        return boot_medians(self.boots, self.values)


@dataclass(frozen=True)
class Cells:
    """The values of one run for one result row: a line for each iteration, a column for each data point, NaN if it has no value."""

    boots: Ints
    values: Floats

    @cached_property
    def by_boot(self) -> Floats:
        """Medians over the iterations of each boot."""
        return boot_medians(self.boots, self.values)

    def of(self, cell: int) -> Floats:
        """The values of one data point, in the order of the iterations."""
        values = self.values[:, cell]
        return np.asarray(values[~np.isnan(values)])


@dataclass(frozen=True)
class Columns:
    """A run's spans as matrices, in the unit of the run's tick (ns or instructions). `tests` in the order of their first sample."""

    tests: tuple[str, ...]
    matrices: dict[tuple[str, Metric], Matrix]
    cores: tuple[CoreId, ...]
    smallest: float

    def matrix(self, test: str, metric: Metric) -> Matrix | None:
        """The spans of one test and metric; None if the run has none."""
        return self.matrices.get((test, metric))

    def without(self, spans: Collection[tuple[str, Metric]]) -> Columns:
        matrices = {span: matrix for span, matrix in self.matrices.items() if span not in spans}
        return replace(self, matrices=matrices, tests=tuple(test for test in self.tests if any(test == t for t, _ in matrices)))


def resolution(run: Run, metric: Metric) -> float:
    """The resolution of the figures, in ns or instructions: the tick, or the last printed digit if that is coarser."""
    return max(run.tick.value, dict(run.resolutions).get(metric, 0.0))


def printed_step(run: Run, metric: Metric) -> float:
    """The last printed digit of a source that rounds its figures or cuts them off, in ns or instructions; 0 for one that counts them."""
    return dict(run.resolutions).get(metric, 0.0)


def columns_of(run: Run) -> Columns:
    """The samples of a run as columns. Raises DuplicateSample if a span occurs twice."""
    samples = run.samples
    names = [s.test for s in samples]
    codes = {name: code for code, name in enumerate(dict.fromkeys(names))}
    metric_code = {id(metric): i for i, metric in enumerate(METRICS)}
    test = _integers(map(codes.__getitem__, names), len(names))
    metric = _integers(map(metric_code.__getitem__, map(id, map(attrgetter("metric"), samples))), len(names))
    cluster = _integers(map(attrgetter("core.cluster"), samples), len(names))
    core = _integers(map(attrgetter("core.core"), samples), len(names))
    boot = _integers(map(attrgetter("boot"), samples), len(names))
    iteration = _integers(map(attrgetter("iteration"), samples), len(names))
    value: Floats = np.fromiter(map(attrgetter("value_ticks"), samples), np.float64, len(names))
    value *= run.tick.value
    order = _sort(test, metric, boot, iteration, cluster, core)
    test, metric, cluster, core, boot, iteration = (c[order] for c in (test, metric, cluster, core, boot, iteration))
    tests = tuple(codes)
    _refuse_duplicates(tests, test, metric, boot, iteration, cluster, core)
    kind = test * len(METRICS) + metric
    starts = np.flatnonzero(np.r_[True, kind[1:] != kind[:-1]]) if len(kind) else np.array([], np.int64)
    ends = np.r_[starts[1:], len(kind)]
    place, value = cluster * 65536 + core, value[order]
    matrices = {
        (tests[test[s]], METRICS[metric[s]]): _matrix(place[s:e], boot[s:e], iteration[s:e], value[s:e])
        for s, e in zip(starts, ends[: len(starts)], strict=True)
    }
    cores = tuple(map(_core, np.unique(place)))
    return Columns(tests, matrices, cores, float(value.min(initial=0.0)))


def _integers(values: Iterable[int], count: int) -> Ints:
    return np.fromiter(values, np.int64, count)


def _core(place: int) -> CoreId:
    return CoreId(int(place) >> 16, int(place) & 0xFFFF)


def _matrix(place: Ints, boot: Ints, iteration: Ints, value: Floats) -> Matrix:
    """A matrix from samples sorted by boot, iteration and core. Iterations that lack a core are kept apart and not filled in."""
    codes, column = np.unique(place, return_inverse=True)
    new_row = np.r_[True, (boot[1:] != boot[:-1]) | (iteration[1:] != iteration[:-1])]
    row = np.cumsum(new_row) - 1
    values = np.full((int(row[-1]) + 1, len(codes)), np.nan)
    values[row, column] = value
    complete = ~np.isnan(values).any(axis=1)
    rows = np.flatnonzero(new_row)
    firsts = rows[complete]
    every = Cells(boot[rows], values)
    return Matrix(tuple(map(_core, codes)), boot[firsts], iteration[firsts], values if complete.all() else values[complete], every)


def boot_medians(boots: Ints, values: Floats) -> Floats:
    """Medians of `values` (rows of any kind) over the rows of each boot. NaN is ignored; the median of an all-NaN column of a boot is
    NaN."""
    if not len(boots):
        return values
    order = np.argsort(boots, kind="stable")
    firsts = np.flatnonzero(np.r_[True, np.diff(boots[order]) != 0])
    counts = np.diff(np.r_[firsts, len(boots)])
    ordered = values[order]
    if np.isnan(ordered).all():
        return ordered[firsts]
    if (counts == counts[0]).all() and not np.isnan(ordered).any():
        shape = (len(counts), int(counts[0]), *values.shape[1:])
        return np.asarray(np.median(ordered.reshape(shape), axis=1))
    return np.array([nan_median(part) for part in np.split(ordered, firsts[1:])])


def nan_median(values: Floats) -> Floats:
    """The median of the numbers in each column; NaN for a column without numbers. numpy's function takes many times as long for a small
    table."""
    ordered = np.sort(values, axis=0)
    count = np.count_nonzero(~np.isnan(ordered), axis=0)
    columns = np.arange(ordered.shape[1])
    return np.asarray((ordered[(count - 1) // 2, columns] + ordered[count // 2, columns]) / 2)


def _sort(*keys: Ints) -> Ints:
    """The stable sort order by the keys, first key first. Uses one packed key if the value ranges allow it, which is much faster."""
    packed = np.zeros(len(keys[0]), np.int64)
    room = 1
    for key in keys:
        span = int(key.max(initial=0)) + 1
        room *= span
        if room > 2**62 or int(key.min(initial=0)) < 0:
            return np.lexsort(keys[::-1])
        packed = packed * span + key
    if bool((packed[1:] >= packed[:-1]).all()):
        return np.arange(len(packed))
    return np.argsort(packed, kind="stable")


def _refuse_duplicates(tests: tuple[str, ...], test: Ints, metric: Ints, boot: Ints, iteration: Ints, cluster: Ints, core: Ints) -> None:
    same = np.ones(max(len(test) - 1, 0), bool)
    for key in (test, metric, boot, iteration, cluster, core):
        same &= key[1:] == key[:-1]
    if not same.any():
        return
    i = int(np.flatnonzero(same)[0])
    span = f"{tests[test[i]]} {METRICS[metric[i]]} of core {cluster[i]}.{core[i]}"
    raise DuplicateSample(f"{span}, boot {boot[i]}, iteration {iteration[i]}, is recorded twice; a run has each span once")
