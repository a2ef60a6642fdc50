# SPDX-License-Identifier: BSD-3-Clause
"""Samples of a run, or of one figure over all runs of a store, as a table of pandas or polars, if one of them is installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from latlab.core.errors import UsageError
from latlab.core.kinds.registry import kind_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run

if TYPE_CHECKING:
    import pandas


def to_pandas(run: Run) -> pandas.DataFrame:
    """Columns test, metric, cluster, core, boot, iteration, value_ticks and value (ns or instructions); names are categories."""
    _check(run)
    try:
        import pandas
    except ModuleNotFoundError:
        raise UsageError("to_pandas needs the Python package pandas", "install it") from None
    frame = pandas.DataFrame(_columns(run))
    return frame.astype({"test": "category", "metric": "category"})


def to_polars(run: Run) -> Any:
    """The same columns as `to_pandas`."""
    _check(run)
    try:
        import polars
    except ModuleNotFoundError:
        raise UsageError("to_polars needs the Python package polars", "install it") from None
    return polars.DataFrame(_columns(run))


def figures(store: str, figure: str, **chosen: Any) -> Iterator[dict[str, Any]]:
    """The samples of TEST/METRIC in every complete run of a store, a dictionary of columns for each run, as they were stored. They are read
    as they are taken, so a store of any size fits the memory.

    `chosen` are fields of `latlab.core.store.choice.Filter`, such as platform, firmware, label or since_utc. The columns are run,
    started_utc, platform, firmware, cluster, core, boot, iteration and value_ticks. Raises UsageError for a figure that is none.
    """
    from latlab.core.store.choice import Filter
    from latlab.core.store.listing import figure_samples
    from latlab.core.store.store import open_to_read

    test, slash, metric = figure.partition("/")
    if not slash or metric not in set(Metric):
        raise UsageError(
            f"{figure!r} is no figure of samples", f"write TEST/METRIC with a metric such as {Metric.WAKEUP.value}", value=figure
        )
    for head, samples in figure_samples(open_to_read(store), test, Metric(metric), Filter(**chosen)):
        count = len(samples)
        yield {
            **{name: [getattr(head, name)] * count for name in ("started_utc", "platform", "firmware")},
            "run": [head.id] * count,
            "cluster": [s.core.cluster for s in samples],
            "core": [s.core.core for s in samples],
            **{name: [getattr(s, name) for s in samples] for name in ("boot", "iteration", "value_ticks")},
        }


def figure_to_pandas(store: str, figure: str, **chosen: Any) -> pandas.DataFrame:
    """What `figures` gives as one data frame; texts are categories."""
    try:
        import pandas
    except ModuleNotFoundError:
        raise UsageError("figure_to_pandas needs the Python package pandas", "install it") from None
    parts = [pandas.DataFrame(columns) for columns in figures(store, figure, **chosen)]
    if not parts:
        raise UsageError(f"no complete run in {store} has samples of {figure}", "`latlab ls` lists the runs")
    frame = pandas.concat(parts, ignore_index=True)
    return frame.astype(dict.fromkeys(("run", "started_utc", "platform", "firmware"), "category"))


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
