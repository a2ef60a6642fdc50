# SPDX-License-Identifier: BSD-3-Clause
"""The histogram of a page: every sample in an interval of its true width, up to the maximum, and no peak that the data lack."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.model.distributions import Distribution
from latlab.rt.model.wakeups import Wakeups
from latlab.rt.pages.histogram import MOST_INTERVALS, Interval, histogram, intervals, overflow
from support.wakeup_runs import distribution


def chart_of(*cpus: Distribution, resolution_ns: int = 1) -> dict[str, object]:
    chart = histogram(Wakeups("recorder", 200_000, resolution_ns, cpus))
    assert chart is not None
    return {"note": chart.note, "rows": [row for rows in chart.spec["datasets"].values() for row in rows]}


@given(st.lists(st.integers(0, 20_000_000), min_size=1, max_size=2_000), st.sampled_from([1, 100, 1_000]))
def test_no_sample_is_lost_and_none_crosses_an_edge(values: list[int], resolution_ns: int) -> None:
    counts = distribution(values).counts
    found = intervals(counts, resolution_ns)
    assert sum(one.n for one in found) == len(values) and len(found) <= max(MOST_INTERVALS + 1, 1)
    assert all(one.low_ns < one.high_ns for one in found)
    assert found[-1].high_ns > max(values)


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(1, 10**6))
def test_the_area_of_an_interval_is_its_samples(low_ns: int, width_ns: int, n: int) -> None:
    one = Interval(low_ns, low_ns + width_ns, n)
    assert abs(one.per_us * width_ns / 1000 - n) < 1e-6 * n


def test_an_even_distribution_has_no_comb() -> None:
    """Buckets of the recorder widen with the latency: whole counts in bars of one width had a peak at every edge."""
    found = intervals(distribution(list(range(10_000, 200_000, 7))).counts, 1)
    densities = [one.per_us for one in found[1:-1]]
    assert max(densities) / min(densities) < 1.3


def test_the_axis_reaches_the_maximum_and_the_legend_names_it() -> None:
    late = distribution([*range(8_000, 9_000), 8_509_000])
    values: Any = chart_of(late)["rows"]
    assert max(row["us"] for row in values) >= 8_509 and {row["cpu"] for row in values} == {"CPU 0: min 8.0, avg 17.0, max 8,509.0 µs"}


def test_what_lies_beyond_a_histogram_is_a_bar_up_to_the_maximum() -> None:
    ended = replace(distribution(list(range(5_000, 9_000, 10))), beyond=3, maximum_ticks=71_000)
    over = overflow(ended, 1_000)
    assert over is not None and over.n == 3 and over.high_ns == 71_000 and over.low_ns == ended.counts[-1][1]
    assert "reach to the maximum" in str(chart_of(ended)["note"])
    assert overflow(distribution([5_000]), 1) is None


def test_intervals_of_one_width_are_counts() -> None:
    counts = tuple((us * 1000, (us + 1) * 1000, 10 * us) for us in range(5, 40))
    one = replace(distribution([1]), counts=counts, got=sum(n for _, _, n in counts), maximum_ticks=39_999)
    assert "An interval is 1 µs wide" in str(chart_of(one, resolution_ns=1000)["note"])


def test_a_histogram_of_many_rows_is_thinned_where_a_logarithmic_axis_shows_no_more() -> None:
    rng = np.random.default_rng(1)
    counts = tuple((us * 1000, (us + 1) * 1000, int(rng.integers(1, 9))) for us in range(400_000))
    found = intervals(counts, 1000)
    assert len(found) <= MOST_INTERVALS + 1 and sum(one.n for one in found) == sum(n for _, _, n in counts)
