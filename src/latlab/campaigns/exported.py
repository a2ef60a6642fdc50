# SPDX-License-Identifier: BSD-3-Clause
"""A run that `latlab export --format json` wrote, kept as a run again. Its raw files are elsewhere, so its figures are the export's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from latlab.analysis.wakeups.result import RtResult
from latlab.analysis.wakeups.wakeup import silence
from latlab.errors import DataError
from latlab.formats import run_json
from latlab.formats.probe.functions import FUNCTIONS_LOG, render_functions
from latlab.kinds.registry import kind_of
from latlab.model.distributions import Distribution, distributions_of
from latlab.model.run import Run
from latlab.model.wakeups import CpuWakeups, Histogram, Outlier, Wakeups
from latlab.store.store import Store

EXPORT_LOG = "export.json"


def is_export(data: bytes) -> bool:
    """Whether the file says that it is one, whole or not."""
    return data.lstrip().startswith(b"{") and f'"{run_json.SCHEMA}"'.encode() in data


def import_export(store: Store, data: bytes, name: str, run_id: str = "") -> str:
    """The run's id, which is a new one unless it is given. Raises DataError for a file that is damaged, or of a kind without figures."""
    run = parsed(data, name)
    if kind_of(run).codec.unreadable:
        raise DataError(f"{name}: an export has no power cycles; import the console log of {run.id} instead")
    imported = replace(run, source=name, facts=(*run.facts, ("exported from", run.id)))
    begun = store.begin(imported, run_id=run_id)
    logs = {EXPORT_LOG: data}
    if run.functions:
        logs[FUNCTIONS_LOG] = render_functions(run.functions)
    store.add(begun, run.samples, run.traces, run.problems, logs)
    store.finish(begun, run.status)
    return begun


def with_export(run: Run, files: Mapping[str, bytes]) -> Run:
    """The run with what its export holds."""
    exported_run = parsed(files[EXPORT_LOG], run.source)
    return replace(run, contents=exported_run.contents)


def parsed(data: bytes, name: str) -> Run:
    """Raises DataError with one sentence where it is no whole export."""
    try:
        return run_json.parse(data.decode("utf-8"), name)
    except UnicodeDecodeError as error:
        raise DataError(f"{name}: byte {error.start} is no UTF-8 ({error.reason}); export the run again") from None


def results_of_export(run: Run, files: Mapping[str, bytes]) -> list[tuple[str, RtResult]]:
    """What each tool counted. What the kernel and the firmware did is in no export."""
    whole = with_export(run, files)
    by_test: dict[str, list[Distribution]] = {}
    for distribution in distributions_of(whole):
        by_test.setdefault(distribution.test, []).append(distribution)
    if not by_test:
        raise DataError(f"{run.source}: no wake-ups in the export; export the run again")
    wakeups = tuple(_wakeups(test, rows, run.conditions.interval_ns) for test, rows in by_test.items())
    silent = tuple(sentence for tool_wakeups in wakeups for cpu in tool_wakeups.cpus if (sentence := silence(tool_wakeups, cpu)))
    return [("", RtResult(wakeups, None, (), None, silent))]


def _wakeups(test: str, rows: Sequence[Distribution], interval_ns: int | None) -> Wakeups:
    outliers = tuple(Outlier(row.core.core, late.wake_ns, late.late_ticks, late.missed) for row in rows for late in row.late)
    resolution = max(row.resolution_ticks for row in rows)
    return Wakeups(test, interval_ns, resolution, tuple(map(_cpu, rows)), outliers, metric=rows[0].metric, rows=rows[0].rows)


def _cpu(row: Distribution) -> CpuWakeups:
    low, high, counts = (np.array([bucket[at] for bucket in row.counts], dtype=np.int64) for at in range(3))
    return CpuWakeups(
        cpu=row.core.core,
        histogram=Histogram(low, high, counts, row.beyond) if row.counts else None,
        got=row.got,
        expected=row.expected,
        missed=row.missed,
        min_ns=row.minimum_ticks,
        max_ns=row.maximum_ticks,
        average_ns=row.average_ticks,
        digest=row.digest,
        outliers_dropped=row.late_dropped,
        thread=row.thread,
    )
