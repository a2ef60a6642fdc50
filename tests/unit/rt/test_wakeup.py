# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.core.model.distributions import Distribution
from latlab.core.statistics.histogram import Histogram
from latlab.rt.analysis.wakeup import percentile_ns, same_distribution_ks
from latlab.rt.model.wakeups import counted_values, cpu_row
from latlab.rt.pages.charts import survivors

SAMPLES = st.lists(st.integers(0, 500_000), min_size=1, max_size=200)


def _histogram(samples: list[int], unit_ns: int = 1) -> Distribution:
    counts = counted_values(np.array(samples, dtype=np.int64) // unit_ns, unit_ns)
    return cpu_row(0, counts, len(samples), min(samples), max(samples), float(np.mean(samples)))


def _fine(samples: list[int]) -> Histogram:
    return Histogram(_histogram(samples))


def _coarse(samples: list[int]) -> Histogram:
    return Histogram(_histogram(samples, 1000))


@given(SAMPLES)
def test_the_same_samples_have_no_distance_however_finely_they_were_counted(samples: list[int]) -> None:
    assert same_distribution_ks(_fine(samples), _coarse(samples), 1000) == 0


@given(SAMPLES)
def test_samples_apart_have_distance_one(samples: list[int]) -> None:
    assert same_distribution_ks(_fine(samples), _fine([value + 600_000 for value in samples]), 1000) == 1


@given(SAMPLES, st.integers(0, 50))
def test_survival_counts_what_is_at_least_as_late_with_the_clipped(samples: list[int], beyond: int) -> None:
    late = [sample + 1 for sample in samples]
    rows = survivors("CPU 0", "measured", _histogram(late).counts, beyond)
    assert rows[-1]["us"] == max(late) / 1000
    for row in rows:
        at_least = sum(ns >= round(row["us"] * 1000) for ns in late) + beyond
        assert abs(row["share"] - at_least / (len(late) + beyond)) < 1e-12


@given(SAMPLES, st.floats(0.1, 100))
def test_a_percentile_is_a_sample_of_that_rank(samples: list[int], percent: float) -> None:
    rank = int(np.ceil(len(samples) * percent / 100))
    assert percentile_ns(_histogram(samples), percent) == sorted(samples)[rank - 1]


@pytest.mark.parametrize("total", [1_000, 41_000, 82_000, 83_000])
def test_a_rank_is_of_whole_numbers_not_of_floating_point(total: int) -> None:
    """41,000 times 99.9 / 100 is a little more than 40,959 in floating point."""
    within = total * 999 // 1000
    cpu = cpu_row(0, ((1000, 2000, within), (2000, 3000, total - within)), total, 1000, 2999, 1500.0)
    assert percentile_ns(cpu, 99.9) == Histogram(cpu).quantile(0.999) == 1999


def test_a_percentile_among_the_clipped_is_unknown() -> None:
    assert percentile_ns(cpu_row(0, ((5000, 6000, 1),), 10, 5000, 9000, 8000.0, beyond=9), 50) is None
