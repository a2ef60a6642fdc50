# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from latlab.rt.analysis.wakeup import same_distribution_ks
from latlab.rt.model.wakeups import Histogram, counted_us

SAMPLES = st.lists(st.integers(0, 500_000), min_size=1, max_size=200)


def _fine(samples: list[int]) -> Histogram:
    low, counts = np.unique(np.array(samples, dtype=np.int64), return_counts=True)
    return Histogram(low, low + 1, counts.astype(np.int64))


def _coarse(samples: list[int]) -> Histogram:
    low, counts = np.unique(np.array(samples, dtype=np.int64) // 1000, return_counts=True)
    return counted_us(low, counts.astype(np.int64))


@given(SAMPLES)
def test_the_same_samples_have_no_distance_however_finely_they_were_counted(samples: list[int]) -> None:
    assert same_distribution_ks(_fine(samples), _coarse(samples), 1000) == 0


@given(SAMPLES)
def test_samples_apart_have_distance_one(samples: list[int]) -> None:
    assert same_distribution_ks(_fine(samples), _fine([value + 600_000 for value in samples]), 1000) == 1


@given(SAMPLES, st.integers(0, 50))
def test_survival_counts_what_is_at_least_as_late_with_the_clipped(samples: list[int], beyond: int) -> None:
    fine = _fine(samples)
    low, share = Histogram(fine.low_ns, fine.high_ns, fine.counts, beyond).survival()
    for value, part in zip(low.tolist(), share.tolist(), strict=True):
        assert abs(part - (sum(s >= value for s in samples) + beyond) / (len(samples) + beyond)) < 1e-12


@given(SAMPLES, st.floats(0.1, 100))
def test_a_percentile_is_a_sample_of_that_rank(samples: list[int], percent: float) -> None:
    rank = int(np.ceil(len(samples) * percent / 100))
    assert _fine(samples).percentile_ns(percent) == sorted(samples)[rank - 1]


def test_a_percentile_among_the_clipped_is_unknown() -> None:
    assert counted_us(np.array([5]), np.array([1]), beyond=9).percentile_ns(50) is None
