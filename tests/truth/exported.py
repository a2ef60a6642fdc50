# SPDX-License-Identifier: BSD-3-Clause
"""The figures of an exported run, place by place, and the same run with other figures.

It works on the JSON of `latlab export`, whose schema is public, and imports nothing of the product. A place is (test, metric, core). Its
figures are an array of floats in the unit of the file. NaN is a sample that is not there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truth.machines import Floats

Counts = NDArray[np.int64]

Document = dict[str, Any]
EMPTY_KEYS = ("traces", "functions", "code", "classes", "facts", "problems", "problem_details")
"""What stands beside the samples and would contradict other samples."""


@dataclass(frozen=True, order=True)
class Place:
    """`core` is `cluster.core`; empty for a figure of the whole machine."""

    test: str
    metric: str
    core: str

    @property
    def cluster(self) -> str:
        return self.core.partition(".")[0]


Figures = dict[Place, Floats]


def figures_of(document: Document) -> Figures:
    """The figures of each place, in the order of the file."""
    if document["kind"] == "spans":
        places: dict[Place, list[int]] = {}
        for test, metric, core, _, _, value in document["samples"]:
            places.setdefault(Place(test, metric, core), []).append(value)
        return {place: np.array(values, float) for place, values in places.items()}
    if document["kind"] == "amounts":
        rows = document["amounts"]
        return {Place(test, f"{metric}/{name}", core or ""): np.array(values, float) for test, metric, name, core, values, _ in rows}
    return {Place(one["test"], one["metric"], one["core"]): _expanded(one) for one in document["distributions"]}


def with_figures(document: Document, figures: Figures) -> Document:
    """The run with these figures in the places that it has."""
    out = {**document, **{key: [] for key in EMPTY_KEYS if key in document}}
    if document["kind"] == "spans":
        out["samples"] = _span_rows(document["samples"], figures)
    elif document["kind"] == "amounts":
        rows = document["amounts"]
        out["amounts"] = [
            [test, metric, name, core, _kept(figures[Place(test, f"{metric}/{name}", core or "")]), over_s]
            for test, metric, name, core, _, over_s in rows
        ]
        out["amounts"] = [row for row in out["amounts"] if row[4]]
    else:
        rows = [_histogram(one, figures[Place(one["test"], one["metric"], one["core"])]) for one in document["distributions"]]
        out["distributions"] = [row for row in rows if row]
    return out


def _kept(values: Floats) -> list[float]:
    return [float(value) for value in values if not np.isnan(value)]


def _span_rows(rows: list[list[Any]], figures: Figures) -> list[list[Any]]:
    used: dict[Place, int] = {}
    out = []
    for test, metric, core, boot, iteration, _ in rows:
        place = Place(test, metric, core)
        at = used[place] = used.get(place, -1) + 1
        value = figures[place][at]
        if not np.isnan(value):
            out.append([test, metric, core, boot, iteration, int(value)])
    return out


def _expanded(row: dict[str, Any]) -> Floats:
    """The wake-ups of a histogram, evenly over each bucket. The largest is the maximum; those beyond the last bucket reach up to it."""
    parts = [low + (high - low) * (np.arange(n) + 0.5) / n for low, high, n in row["counts"]]
    if row["beyond"]:
        edge = row["counts"][-1][1] if row["counts"] else row["minimum_ticks"]
        parts.append(edge + (row["maximum_ticks"] - edge) * (np.arange(row["beyond"]) + 1) / row["beyond"])
    values = np.clip(np.concatenate(parts), row["minimum_ticks"], None)
    values[-1] = row["maximum_ticks"]
    return np.asarray(values, float)


def _histogram(row: dict[str, Any], values: Floats) -> dict[str, Any]:
    """The histogram of other wake-ups, in buckets of the same kind, ending where the other one ended. Empty without a wake-up."""
    values = values[~np.isnan(values)]
    if not len(values):
        return {}
    step = row["resolution_ticks"]
    edge = row["counts"][-1][1] if row["beyond"] else np.inf
    bucket = _bucket if step == 1 else _even(step)
    edges = np.stack(bucket(values[values < edge].astype(np.int64)), axis=1)
    lows, counts = np.unique(edges, axis=0, return_counts=True)
    whole = np.floor(values / step) * step
    return {
        **row, "counts": [[int(low), int(high), int(n)] for (low, high), n in zip(lows, counts, strict=True)],
        "beyond": int((values >= edge).sum()), "got": len(values), "minimum_ticks": int(whole.min()), "maximum_ticks": int(whole.max()),
        "average_ticks": float(np.floor(values.mean() / step) * step) if step > 1 else float(values.mean()),
        "digest": "", "late": [], "blocks": [],
    }  # fmt: skip


def _even(step: int) -> Callable[[Counts], tuple[Counts, Counts]]:
    return lambda values: (values // step * step, values // step * step + step)


def _bucket(values: Counts) -> tuple[Counts, Counts]:
    """The recorder's: seven bits of a value are kept. The exponent of a float is its number of bits."""
    shifts = np.maximum(np.frexp(values.astype(float))[1] - 7, 0)
    lows = values >> shifts << shifts
    return lows, lows + (1 << shifts)
