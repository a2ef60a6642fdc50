# SPDX-License-Identifier: BSD-3-Clause
"""A run's samples as a table of pandas or polars, if one of them is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from latlab.core.errors import UsageError
from latlab.core.kinds.registry import kind_of
from latlab.core.model.run import Run

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
    if reason := kind_of(run).forms.without_samples:
        raise UsageError(reason.format(id=run.id))


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
