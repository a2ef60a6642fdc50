# SPDX-License-Identifier: BSD-3-Clause
"""Samples as columns: one row of the store holds all samples of a test and a metric that arrived together.

A sample takes 3 to 4 bytes this way, and about 60 as a row of its own. A figure over many runs reads only its test and metric.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import Any

import msgspec

from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId, Sample
from latlab.core.store.unpacking import unpacked

Ints = tuple[int, ...]


class _Columns(msgspec.Struct, array_like=True):
    """`gaps` are the steps between the samples' positions in the run, the first one from 0."""

    gaps: Ints
    clusters: Ints
    cores: Ints
    boots: Ints
    iterations: Ints
    values_ticks: Ints

    def __post_init__(self) -> None:
        if len({len(getattr(self, name)) for name in self.__struct_fields__}) != 1:
            raise ValueError("columns of samples with different lengths")


def column_rows(samples: Sequence[Sample], first: int) -> list[dict[str, Any]]:
    """One row for each test and metric. `first` is the position of the first sample in the run."""
    by_figure: dict[tuple[str, Metric], list[tuple[int, Sample]]] = {}
    for position, sample in enumerate(samples, first):
        by_figure.setdefault((sample.test, sample.metric), []).append((position, sample))
    return [
        {"test": test, "metric": metric.value, "columns": zlib.compress(msgspec.json.encode(_columns(placed)))}
        for (test, metric), placed in by_figure.items()
    ]


def samples_of(rows: Iterable[Mapping[Any, Any]]) -> Iterator[Sample]:
    """The samples of a run in the order in which they arrived. Raises ValueError or zlib.error where a row is damaged."""
    placed = [pair for row in rows for pair in _placed(row)]
    placed.sort(key=itemgetter(0))
    yield from (sample for _, sample in placed)


def _columns(placed: Sequence[tuple[int, Sample]]) -> _Columns:
    positions = [0, *(position for position, _ in placed)]
    samples = [sample for _, sample in placed]
    return _Columns(
        tuple(after - before for before, after in pairwise(positions)),
        tuple(sample.core.cluster for sample in samples),
        tuple(sample.core.core for sample in samples),
        tuple(sample.boot for sample in samples),
        tuple(sample.iteration for sample in samples),
        tuple(sample.value_ticks for sample in samples),
    )


def _placed(row: Mapping[Any, Any]) -> Iterator[tuple[int, Sample]]:
    test, metric = row["test"], Metric(row["metric"])
    if not isinstance(test, str):
        raise ValueError(f"samples of the test {test!r}")
    columns = msgspec.json.decode(unpacked(row["columns"]), type=_Columns)
    cores = map(CoreId, columns.clusters, columns.cores)
    for position, core, boot, iteration, value in zip(
        accumulate(columns.gaps), cores, columns.boots, columns.iterations, columns.values_ticks, strict=True
    ):
        yield position, Sample(test, metric, core, boot, iteration, value)
