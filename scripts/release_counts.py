# SPDX-License-Identifier: BSD-3-Clause
"""Makes a table of src/latlab/catalog/counts from stored runs of the probe: `scripts/release_counts.py RELEASE=RUN... > FILE.csv`.

Each run is `latlab run psci --subject` of one release, all with one processor, machine and set of options.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Mapping, Sequence
from typing import IO

from latlab.cli.stores import open_store
from latlab.errors import LatlabError, UsageError
from latlab.model.enums import Metric
from latlab.model.run import Run

Key = tuple[str, Metric, str]


def main(pairs: Sequence[str], out: IO[str]) -> None:
    store = open_store(None)
    write({release: store.load(run) for release, _, run in (pair.partition("=") for pair in pairs)}, out)


def write(runs: Mapping[str, Run], out: IO[str]) -> None:
    """A row for each span and, below it, one for each function that ran there in some release."""
    alike = {(run.conditions.processor, run.conditions.interrupt_controller, run.conditions.exception_level) for run in runs.values()}
    if len(alike) > 1:
        raise UsageError(f"the runs are of {len(alike)} machines, {' and '.join(map(str, sorted(map(str, alike))))}; name runs of one")
    silent = [run.id for run in runs.values() if not run.functions]
    if silent:
        raise UsageError(f"{silent[0]} holds no functions; measure it with symbols, and see its problems by `latlab show {silent[0]}`")
    columns = {release: _counts(run) for release, run in runs.items()}
    keys = sorted({key for column in columns.values() for key in column})
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["test", "metric", "function", *columns])
    for key in keys:
        writer.writerow([*key, *(f"{column[key]:.12g}" if key in column else "" for column in columns.values())])


def _counts(run: Run) -> dict[Key, float]:
    """Instructions per call, mean over the cores."""
    found: dict[Key, list[float]] = {}
    for span in run.functions:
        own: dict[str, float] = {"": 0.0}
        for one in span.functions:
            own[one.name] = own.get(one.name, 0.0) + one.instructions / span.calls
            own[""] += one.instructions / span.calls
        for name, count in own.items():
            found.setdefault((span.test, span.metric, name), []).append(count)
    cores = {key[:2]: len(counts) for key, counts in found.items() if not key[2]}
    return {key: round(sum(counts) / cores[key[:2]], 1) for key, counts in found.items()}


if __name__ == "__main__":
    try:
        main(sys.argv[1:], sys.stdout)
    except LatlabError as error:
        sys.exit(f"release_counts: {error}")
