# SPDX-License-Identifier: BSD-3-Clause
"""Data-quality warnings from one run: values far too large, zero, finer than the counter, or one boot pasted several times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from latlab.core.comparison.suspicion import Doubt, Ground, Span, Suspicion
from latlab.core.model.enums import Clock
from latlab.core.model.run import CoreId, Run
from latlab.core.readers.platform_facts import facts_of
from latlab.core.statistics.sample_matrix import Bools, Columns, Floats, Matrix, resolution

HALF_A_COUNTER = 2.0**31
COUNTER = 2.0**32
TIMES_ITS_LIKE = 1000.0
NEAR_COUNTER = 0.01
LEAST_STEPS = 2.5
FEWEST_FINE = 20
FEWEST_EQUAL = 24
MOST_ALIKE = 0.5
FINER = 0.75
MOST_WHOLE = 0.5


def suspicions_of(run: Run, columns: Columns) -> tuple[Suspicion, ...]:
    """The warnings of a run; none under an exact clock, which has no unit and may have zeros and equal boots."""
    if run.tick.clock is not Clock.TIME:
        return ()
    boots = tuple(_same_boots(run, columns))
    return (*_finer_than_the_counter(run, columns), *_wrapped(run, columns), *zeros(run, columns, columns), *boots)


def counter_tick_ns(run: Run) -> float:
    """The tick of the platform's counter in ns, if it is known, else that of the run."""
    hertz = facts_of(run.platform).counter_hz
    return 1e9 / hertz.value if hertz else run.tick.value


def zeros(run: Run, columns: Columns, like: Columns) -> Iterator[Suspicion]:
    """Warnings for spans of 0 whose counterparts in `like` take several steps of the printed resolution: they were not measured."""
    for span, matrix in columns.matrices.items():
        hit = matrix.values == 0
        if not hit.any():
            continue
        usual = _usual(like, span, matrix, hit) if like is columns else _of_metric(like, span)
        if usual > LEAST_STEPS * resolution(run, span[1]):
            yield Suspicion(
                Doubt.ZERO, run.id, Ground.RUN if like is columns else Ground.OTHER_RUN, (span,), _cores(matrix, hit), usual=usual
            )


def one_of_each_boot(columns: Columns) -> Columns:
    """The columns without boots that have the same figures as an earlier boot."""
    first_boots = {boots[0] for boots in _equal_boots(columns)}
    if len(first_boots) == len(_boots(columns)):
        return columns
    return replace(columns, matrices={span: matrix.of_boots(first_boots) for span, matrix in columns.matrices.items()})


def _wrapped(run: Run, columns: Columns) -> Iterator[Suspicion]:
    """Warnings for a 32-bit counter that wrapped during a span, which then has 2^32 ticks or ns too many."""
    ticks = {run.tick.value, counter_tick_ns(run)}
    for span, matrix in columns.matrices.items():
        hit = matrix.values >= HALF_A_COUNTER * min(1.0, *ticks)
        if not hit.any():
            continue
        usual = _usual(columns, span, matrix, hit)
        largest = float(matrix.values.max())
        if usual > 0 and largest > TIMES_ITS_LIKE * usual:
            full = (COUNTER * tick for tick in sorted({1.0, *ticks}))
            modulus = next((candidate for candidate in full if abs(largest - usual - candidate) < NEAR_COUNTER * candidate), None)
            yield Suspicion(Doubt.WRAPPED, run.id, Ground.RUN, (span,), _cores(matrix, hit), largest, usual, modulus)


def _finer_than_the_counter(run: Run, columns: Columns) -> Iterator[Suspicion]:
    """Warnings for times that are no multiples of the counter's tick: ticks printed as ns, or means."""
    tick = counter_tick_ns(run)
    if run.tick.value >= FINER * tick:
        return
    values = np.concatenate([matrix.values.reshape(-1) for matrix in columns.matrices.values()])
    whole = np.abs(values - np.round(values / tick) * tick) <= run.tick.value / 2
    if len(values) >= FEWEST_FINE and whole.mean() < MOST_WHOLE:
        spans = tuple(columns.matrices)
        yield Suspicion(Doubt.TICKS, run.id, Ground.TICK, spans, size=float((~whole).sum()), usual=tick, is_whole=True)


def _same_boots(run: Run, columns: Columns) -> Iterator[Suspicion]:
    """Warnings for equal boots. If iterations or like cores differ within a boot, two boots never agree in all figures."""
    several = [boots for boots in _equal_boots(columns) if len(boots) > 1]
    if several and _scatters(columns, several[0][0]):
        size, of = sum(map(len, several)), len(_boots(columns))
        yield Suspicion(Doubt.SAME_BOOTS, run.id, Ground.RUN, (), size=float(size), usual=float(of))


def _scatters(columns: Columns, boot: int) -> bool:
    """Whether any span differs over the iterations, or most clusters have differing cores, if there are enough figures."""
    held = [matrix.values[matrix.boots == boot] for matrix in columns.matrices.values()]
    if any(len(values) > 1 and np.ptp(values, axis=0).any() for values in held):
        return True
    clusters = [
        np.ptp(values[0, [column for column, core in enumerate(matrix.cores) if core.cluster == cluster]]) > 0
        for matrix, values in zip(columns.matrices.values(), held, strict=True)
        for cluster, cores in Counter(core.cluster for core in matrix.cores).items()
        if cores > 1 and len(values)
    ]
    return sum(values.size for values in held) >= FEWEST_EQUAL and bool(clusters) and float(np.mean(clusters)) > MOST_ALIKE


def _equal_boots(columns: Columns) -> list[list[int]]:
    """Groups of boots that have the same figures of every span, in their order."""
    by_figures: dict[tuple[bytes, ...], list[int]] = {}
    for boot in _boots(columns):
        held = tuple(matrix.values[matrix.boots == boot].tobytes() for matrix in columns.matrices.values())
        by_figures.setdefault(held, []).append(boot)
    return list(by_figures.values())


def _boots(columns: Columns) -> list[int]:
    return sorted({int(boot) for matrix in columns.matrices.values() for boot in np.unique(matrix.boots)})


def _cores(matrix: Matrix, hit: Bools) -> tuple[CoreId, ...]:
    return tuple(core for column, core in enumerate(matrix.cores) if hit[:, column].any())


def _usual(columns: Columns, span: Span, matrix: Matrix, hit: Bools) -> float:
    """The median of the values that are not marked: of the same core, else of the other cores, else of the metric in other tests."""
    same = matrix.values[:, hit.any(axis=0)][~hit[:, hit.any(axis=0)]]
    unhit = matrix.values[~hit]
    if len(same) or len(unhit):
        return float(np.median(same if len(same) else unhit))
    others = [m.values.reshape(-1) for (test, metric), m in columns.matrices.items() if metric is span[1] and test != span[0]]
    return _median(others)


def _of_metric(columns: Columns, span: Span) -> float:
    matrix = columns.matrix(*span)
    return _median([] if matrix is None else [matrix.values.reshape(-1)])


def _median(parts: list[Floats]) -> float:
    values = np.concatenate(parts) if parts else np.array([])
    return float(np.median(values)) if len(values) else 0.0
