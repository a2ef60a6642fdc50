# SPDX-License-Identifier: BSD-3-Clause
"""Claims above the rows of single CPUs: which there are, what they find that no row does, and where they are reported."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from latlab.core.comparison.comparison import Comparison
from latlab.core.comparison.decision import Claim, ClaimLevel, decide
from latlab.core.comparison.verdicts import CHANGED, Verdict
from latlab.core.model.conditions import Mode
from latlab.core.model.distributions import Distribution, WakeupCounts, distributions_of
from latlab.core.model.enums import Metric
from latlab.core.model.run import Run
from support.pairs_of_kind import compare_wakeups as compare
from support.wakeup_runs import distribution, drawn, wakeup_run

CPUS = 4
END_NS = 40_000


def run_of(seed: int, factor: float = 1.0, count: int = 20_000, cpus: int = CPUS) -> Run:
    return wakeup_run(*(distribution(drawn(seed * CPUS + cpu, count, factor=factor), cpu) for cpu in range(cpus)), name=f"run{seed}")


def with_late(seed: int, share: float, late: tuple[int, ...] = tuple(range(CPUS))) -> Run:
    """A share of the wake-ups of some CPUs is six times as late."""
    rng = np.random.default_rng([seed, 7])
    values = [np.array(drawn(seed * CPUS + cpu, 20_000)) for cpu in range(CPUS)]
    changed = [np.where((rng.random(len(own)) < share) & (cpu in late), own * 6, own) for cpu, own in enumerate(values)]
    return wakeup_run(*(distribution(list(own), cpu) for cpu, own in enumerate(changed)), name=f"late{seed}")


def clipped(values: NDArray[np.int64], cpu: int) -> Distribution:
    """As a histogram that ends early counts it: what is later is one number."""
    inside = distribution(list(values[values < END_NS]), cpu)
    return replace(inside, beyond=int((values >= END_NS).sum()), got=len(values), maximum_ticks=int(values.max()))


def with_overflows(seed: int, count: int, mode: Mode | None = Mode.REAL) -> Run:
    out = []
    for cpu in range(2):
        own = np.minimum(np.array(drawn(seed * 2 + cpu, 20_000)), END_NS - 1_000)
        own[:count] = np.random.default_rng([seed, cpu]).integers(100_000, 114_000, count)
        out.append(clipped(own, cpu))
    return wakeup_run(*out, name=f"clipped{seed}", mode=mode)


def parts(comparison: Comparison) -> list[tuple[ClaimLevel, Metric, str]]:
    return [(claim.level, claim.metric, claim.name) for claim in comparison.claims]


def frontier(comparison: Comparison) -> list[Claim]:
    return [claim for claim in comparison.claims if claim.is_frontier]


def test_the_claims_of_a_pair_are_those_of_the_base_with_itself():
    base = run_of(1)
    own = parts(compare(base, base))
    assert len(own) > CPUS
    for candidate in (run_of(2, 3.0), with_late(3, 0.2), run_of(4, count=2_000)):
        assert parts(compare(base, candidate)) == own


def test_clipped_wake_ups_of_the_base_alone_make_a_claim():
    beyond = {name for _, _, name in parts(compare(with_overflows(1, 50), run_of(2, cpus=2)))} - {
        name for _, _, name in parts(compare(run_of(2, cpus=2), with_overflows(1, 50)))
    }
    assert beyond == {"beyond the histogram of two CPUs", "beyond the histogram of CPU 0", "beyond the histogram of CPU 1"}


def test_one_cpu_has_no_part_beside_itself():
    assert {level for level, _, _ in parts(compare(run_of(1, cpus=1), run_of(2, cpus=1)))} == {ClaimLevel.METRIC}


def test_late_wake_ups_of_all_cpus_are_regressed_as_a_whole_and_never_called_changed_without_a_cause():
    found = [compare(run_of(seed), with_late(100 + seed, 0.01)) for seed in range(6)]
    assert all(decide(one).verdict is Verdict.REGRESSED for one in found)
    untouched = [compare(run_of(seed), run_of(50 + seed)) for seed in range(20)]
    assert not [claim for one in untouched for claim in one.claims if claim.verdict in CHANGED or claim.is_frontier]


def test_a_claim_that_holds_a_smaller_one_is_not_reported_besides():
    comparison = compare(run_of(1), with_late(2, 0.05, late=(2,)))
    changed = [claim for claim in comparison.claims if claim.verdict is Verdict.REGRESSED and claim.metric is Metric.LATE_WAKEUPS]
    assert "upper tail of CPU 2" in {claim.name for claim in changed}
    assert not [claim for claim in frontier(comparison) if claim.level is ClaimLevel.METRIC and claim.metric is Metric.LATE_WAKEUPS]


@pytest.mark.parametrize(("after", "mode", "code"), [(50, Mode.REAL, 0), (60, Mode.REAL, 0), (185, Mode.REAL, 1), (185, None, 3)])
def test_wake_ups_beyond_a_histogram_that_are_three_times_as_many_do_not_pass(after: int, mode: Mode | None, code: int):
    """On a machine that is known to be real they are regressed; of any other one run a side does not show what runs differ by."""
    for seed in range(3):
        decision = decide(compare(with_overflows(seed, 50, mode), with_overflows(10 + seed, after, mode)))
        assert decision.exit_code == code, (seed, decision.reason)


def test_a_candidate_of_which_every_wake_up_is_beyond_the_histogram_has_the_rows_of_the_base():
    base = with_overflows(1, 50)
    (one, other) = distributions_of(base)
    late = replace(one, counts=(), beyond=one.got, minimum_ticks=90_000, maximum_ticks=400_000, average_ticks=200_000.0)
    candidate = replace(base, id="late", contents=WakeupCounts((late, other)))
    comparison = compare(base, candidate)
    assert {row.name for row in comparison.rows} == {row.name for row in compare(base, base).rows}
    (median,) = (row for row in comparison.rows if row.name == "CPU 0 median")
    assert median.after >= END_NS - 5_000 and "that or more" in median.basis
    assert decide(comparison).exit_code == 1
