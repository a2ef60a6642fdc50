# SPDX-License-Identifier: BSD-3-Clause
"""Late wake-ups by cause: events, exact rates, what changed, and how long it takes to see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from statsmodels.stats.rates import confint_poisson

from latlab.core.comparison.by_kind import compare, explain_pair
from latlab.core.comparison.comparison import Comparison, Statistic
from latlab.core.comparison.verdicts import Verdict
from latlab.core.comparison.wakeup_findings import LateByBlame
from latlab.core.model.blame import UNEXPLAINED, Blame, BlameKind
from latlab.core.model.conditions import Mode
from latlab.core.model.distributions import Distribution, LateWakeup, distributions_of
from latlab.core.model.run import CoreId, Run
from latlab.core.statistics.histogram import histogram_of, rate_p
from latlab.rt.analysis.cause_rates import TOLD_FROM, Rate, causes_of, events_of, events_to_see, kept_from, wakeups_to_see
from latlab.rt.analysis.explain_wakeups import explain_wakeups
from support.wakeup_runs import INTERVAL_NS, distribution, drawn, wakeup_run

TRNG, ETH = Blame(BlameKind.FIRMWARE, "TRNG_RND"), Blame(BlameKind.INTERRUPT, "eth0")
WAKEUPS = 200_000


def late_at(periods: Sequence[int], blame: Blame, late_ns: int = 150_000) -> list[LateWakeup]:
    return [LateWakeup(int(at) * INTERVAL_NS + late_ns + number % 7, late_ns + number % 7, 0, blame) for number, at in enumerate(periods)]


def with_late(late: Sequence[LateWakeup], wakeups: int = WAKEUPS, seed: int = 1) -> Distribution:
    quiet = np.resize(np.minimum(drawn(seed), 20_000), wakeups - len(late))
    one = distribution([*quiet.tolist(), *(each.late_ticks for each in late)])
    return replace(one, late=tuple(sorted(late, key=lambda each: each.wake_ns)))


def thieves(seed: int, chances: dict[Blame, float], name: str = "a", mode: Mode = Mode.REAL, wakeups: int = WAKEUPS) -> Run:
    """A run in which each cause makes wake-ups late with its chance."""
    random = np.random.default_rng(seed)
    late = [one for blame, chance in chances.items() for one in late_at(np.flatnonzero(random.random(wakeups) < chance).tolist(), blame)]
    return wakeup_run(with_late(late, wakeups, seed), name=name, mode=mode)


def cause_verdicts(found: Comparison) -> dict[str, Verdict]:
    return {row.name: row.verdict for row in found.rows if row.statistic is Statistic.CAUSE}


def test_late_wakeups_that_follow_each_other_are_one_event_and_others_are_not() -> None:
    run = wakeup_run(with_late(late_at([100, 101, 102, 500, 900, 901], TRNG)))
    found = events_of([histogram_of(run, distributions_of(run)[0])], TRNG)
    assert (found.wakeups, found.rate.events, found.rate.wakeups) == (6, 3, WAKEUPS)


def test_a_cause_on_two_cpus_at_one_time_is_one_event() -> None:
    one, other = (replace(with_late(late_at([100, 800], TRNG)), core=core) for core in (CoreId(0, 0), CoreId(0, 1)))
    run = wakeup_run(one, other)
    assert events_of([histogram_of(run, each) for each in distributions_of(run)], TRNG).rate.events == 2


@pytest.mark.parametrize("events", [0, 1, 3, 30, 400])
def test_the_interval_of_a_rate_is_the_exact_one(events: int) -> None:
    low, high = confint_poisson(events, 1, method="exact-c")
    rate = Rate(events, 10**6)
    assert rate.low == pytest.approx(low if events else 0.0) and rate.high == pytest.approx(high)


def test_events_in_bursts_are_worth_fewer() -> None:
    even = late_at(range(1000, WAKEUPS, 2000), TRNG)
    bursts = late_at([at + 10 * step for at in (5_000, 90_000, 150_000) for step in range(33)], TRNG)
    runs = [wakeup_run(with_late(late)) for late in (even, bursts)]
    quiet, bursty = (events_of([histogram_of(run, distributions_of(run)[0])], TRNG).rate for run in runs)
    assert quiet.dispersion == 1.0 and quiet.worth == quiet.events
    assert bursty.events == 99 and bursty.worth < 10 and bursty.high / bursty.events > 2 * quiet.high / quiet.events


def test_a_thief_that_comes_twice_as_often_is_named_and_the_other_is_not() -> None:
    a, b = (thieves(seed, {TRNG: chance, ETH: 5e-4}, name) for seed, chance, name in ((1, 5e-4, "a"), (2, 1e-3, "b")))
    found = compare(a, b)
    assert cause_verdicts(found) == {"TRNG_RND": Verdict.REGRESSED, "interrupt eth0": Verdict.CANNOT_TELL}
    assert found.verdict is Verdict.REGRESSED
    (said,) = [one.sentence for one in explain_pair(found) if one.sentence.startswith("TRNG_RND")]
    assert "TRNG_RND: regressed" in said and "times as often" in said
    back = compare(replace(b, id="a"), replace(a, id="b"))
    assert cause_verdicts(back)["TRNG_RND"] is Verdict.IMPROVED


def test_a_thief_of_the_same_rate_is_never_called_one_that_changed() -> None:
    told = [cause_verdicts(compare(thieves(seed, {TRNG: 5e-4}), thieves(seed + 100, {TRNG: 5e-4}, "b")))["TRNG_RND"] for seed in range(25)]
    assert set(told) <= {Verdict.SAME, Verdict.CANNOT_TELL, Verdict.MOVED}


def test_too_few_events_say_how_long_it_takes() -> None:
    a, b = thieves(1, {TRNG: 3e-5}), thieves(2, {TRNG: 6e-5}, "b")
    (said,) = [one.sentence for one in explain_pair(compare(a, b)) if one.sentence.startswith("TRNG_RND")]
    assert "TRNG_RND: inconclusive" in said and "to detect twice the rate, measure" in said and "in each run" in said


def test_what_one_cause_cannot_tell_leaves_the_verdict_of_the_whole() -> None:
    a, b = thieves(1, {}), thieves(2, {TRNG: 1e-5}, "b")
    without = compare(a, thieves(2, {UNEXPLAINED: 1e-5}, "b"))
    assert compare(a, b).verdict is without.verdict


def test_unexplained_wakeups_are_counted_last_and_not_compared_as_a_cause() -> None:
    run = wakeup_run(with_late([*late_at(range(0, 90_000, 1000), UNEXPLAINED), *late_at([500, 1500], TRNG)]))
    assert [one.blame for one in causes_of([histogram_of(run, distributions_of(run)[0])])] == [TRNG, UNEXPLAINED]
    assert cause_verdicts(compare(thieves(1, {UNEXPLAINED: 5e-4}), thieves(2, {UNEXPLAINED: 2e-3}, "b"))) == {}


def test_the_cause_of_the_latest_wake_up_is_explained_first_and_a_cpu_that_was_away_once() -> None:
    latest, away = Blame(BlameKind.HYPERVISOR), [Blame(BlameKind.AWAY, name) for name in ("a", "b", "b", "c", "d", "e")]
    blames = [*away, TRNG, TRNG, latest, UNEXPLAINED]
    late = tuple(LateWakeup(at, 900_000 if blame == latest else 200_000, 0, blame) for at, blame in enumerate(blames, 1))
    run = wakeup_run(replace(distribution(range(9_000, 12_000)), late=late))
    found = [entry.finding for entry in explain_wakeups(run) if isinstance(entry.finding, LateByBlame)]
    assert [(finding.blame, finding.wakeups) for finding in found] == [
        (latest, 1),
        (Blame(BlameKind.AWAY, "b, a, c and 2 more"), 6),
        (TRNG, 2),
        (UNEXPLAINED, 1),
    ]


def test_another_threshold_of_the_recorder_is_no_change_of_a_cause() -> None:
    """The second run kept everything later than 50 µs, the first only what was later than 100."""
    random = np.random.default_rng(3)
    early, late = (np.flatnonzero(random.random(WAKEUPS) < 1e-3).tolist() for _ in range(2))
    kept = with_late(late_at(late, TRNG), seed=1)
    counted = with_late([*late_at(late, TRNG), *late_at(early, TRNG, 60_000)], seed=1)
    coarse = wakeup_run(replace(counted, late=kept.late), name="a")
    fine = wakeup_run(counted, name="b")
    assert 60_000 < kept_from([histogram_of(coarse, distributions_of(coarse)[0])]) <= 150_000
    assert cause_verdicts(compare(coarse, fine))["TRNG_RND"] in (Verdict.SAME, Verdict.CANNOT_TELL)


def test_so_many_events_show_twice_the_rate_in_nine_of_ten_pairs() -> None:
    """Drawn anew, by the test that is used: as often as is said, and clearly less with half of them."""
    random = np.random.default_rng(8)
    for alpha in (0.05, 0.0025):
        needed = events_to_see(2.0, alpha)
        assert needed is not None
        for share, least, most in ((1.0, 0.86, 0.96), (0.15, 0.0, 0.75)):
            pairs = [(int(random.poisson(share * needed)), int(random.poisson(2 * share * needed))) for _ in range(600)]
            told = np.mean([rate_p(one, WAKEUPS, two, WAKEUPS) < alpha and two > TOLD_FROM * one for one, two in pairs])
            assert least <= told <= most


def test_a_cause_that_never_came_says_no_length() -> None:
    assert wakeups_to_see(Rate(0, 1000)) is None and wakeups_to_see(Rate(5, 1000)) == pytest.approx(200 * (events_to_see() or 0))
