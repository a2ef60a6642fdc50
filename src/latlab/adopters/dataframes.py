# SPDX-License-Identifier: BSD-3-Clause
"""A run's samples as a table of pandas or polars, if one of them is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from latlab.errors import UsageError
from latlab.model.enums import Kind
from latlab.model.run import Run

if TYPE_CHECKING:
    import pandas


def to_pandas(run: Run) -> pandas.DataFrame:
    """Columns test, metric, cluster, core, boot, iteration, value_ticks and value (ns or instructions); names are categories."""
    _check(run)
    try:
        import pandas
    except ModuleNotFoundError:
        raise UsageError("to_pandas needs the Python package pandas; install it") from None
    frame = pandas.DataFrame(_columns(run))
    return frame.astype({"test": "category", "metric": "category"})


def to_polars(run: Run) -> Any:
    """The same columns as `to_pandas`."""
    _check(run)
    try:
        import polars
    except ModuleNotFoundError:
        raise UsageError("to_polars needs the Python package polars; install it") from None
    return polars.DataFrame(_columns(run))


def _check(run: Run) -> None:
    if run.kind is Kind.AMOUNTS:
        raise UsageError(f"{run.id} has benchmark metrics and no samples; `latlab export {run.id} --format csv` has one line per value")
    if run.kind is Kind.ATTACKS:
        raise UsageError(f"{run.id} has attacks and no samples; `latlab export {run.id} --format csv` has one line per attack")
    if run.kind is Kind.DESIGN:
        raise UsageError(f"{run.id} is an experiment and has no samples; `latlab export {run.id} --format csv` has one line per figure")
    if run.kind is Kind.WAKEUPS:
        raise UsageError(f"{run.id} has histograms and no samples; `latlab export {run.id} --format csv` has one line per interval")


def _columns(run: Run) -> dict[str, list[Any]]:
    samples = run.samples
    return {
        "test": [s.test for s in samples],
        "metric": [s.metric.value for s in samples],
        "cluster": [s.core.cluster for s in samples],
        "core": [s.core.core for s in samples],
        "boot": [s.boot for s in samples],
        "iteration": [s.iteration for s in samples],
        "value_ticks": [s.value_ticks for s in samples],
        "value": [s.value_ticks * run.tick.value for s in samples],
    }
