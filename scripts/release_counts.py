# SPDX-License-Identifier: BSD-3-Clause
"""Makes a table of src/latlab/catalog/counts from stored runs of the probe: `scripts/release_counts.py RELEASE=RUN... > FILE.csv`.

Each run is `latlab run psci --subject --classes` of one release, all with one processor, machine and set of options.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Mapping, Sequence
from statistics import median_low
from typing import IO

from latlab.core.cli.stores import open_store
from latlab.core.comparison.class_views import check_classes
from latlab.core.errors import LatlabError, UsageError
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run, SpanFunctions

Key = tuple[str, Metric, str, str]


def main(pairs: Sequence[str], out: IO[str]) -> None:
    store = open_store(None)
    write({release: store.load(run) for release, _, run in (pair.partition("=") for pair in pairs)}, out)


def write(runs: Mapping[str, Run], out: IO[str]) -> None:
    """A row for each function and class that ran in a span of a serial test or a call in some release; of a cache flush the whole."""
    alike = {(run.conditions.processor, run.conditions.interrupt_controller, run.conditions.exception_level) for run in runs.values()}
    if len(alike) > 1:
        raise UsageError(f"the runs are of {len(alike)} machines, {' and '.join(map(str, sorted(map(str, alike))))}; name runs of one")
    for run in runs.values():
        if not run.functions:
            raise UsageError(f"{run.id} holds no functions; measure it with symbols, and see its problems by `latlab show {run.id}`")
        check_classes(run)
    columns = {release: _counts(run) for release, run in runs.items()}
    keys = sorted({key for column in columns.values() for key in column})
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["test", "metric", "function", "class", *columns])
    for key in keys:
        writer.writerow([*key, *(f"{column[key]:.12g}" if key in column else "" for column in columns.values())])


def _counts(run: Run) -> dict[Key, float]:
    """Instructions per call of the core with the median count. What cores do to wait for each other is left out: parallel tests."""
    spans: dict[tuple[str, Metric], list[SpanFunctions]] = {}
    flushes: dict[str, list[int]] = {}
    for one in run.functions:
        if one.metric is Metric.PSCI_CALL or not one.test.endswith("_parallel"):
            spans.setdefault((one.test, one.metric), []).append(one)
    for sample in run.samples:
        if sample.metric is Metric.CACHE_FLUSH and not sample.test.endswith("_parallel"):
            flushes.setdefault(sample.test, []).append(sample.value_ticks)
    found: dict[Key, float] = {(test, Metric.CACHE_FLUSH, "", ""): float(median_low(values)) for test, values in flushes.items()}
    for span, cores in spans.items():
        typical = sorted(cores, key=_whole)[(len(cores) - 1) // 2]
        found |= _of(span, typical)
    return found


def _whole(one: SpanFunctions) -> float:
    return sum(function.instructions for function in one.functions) / one.calls


def _of(span: tuple[str, Metric], one: SpanFunctions) -> dict[Key, float]:
    found: dict[Key, float] = {}
    for share in one.classes:
        for function, count in zip(one.functions, share.functions, strict=True):
            key = (*span, function.name, share.name.value)
            found[key] = found.get(key, 0.0) + count / one.calls
    return {key: count for key, count in found.items() if count}


if __name__ == "__main__":
    try:
        main(sys.argv[1:], sys.stdout)
    except LatlabError as error:
        sys.exit(f"release_counts: {error}")
