# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of one truth of each kind of run, out of whose candidate something is taken: a core, a CPU, a call, a test, or some of the samples.

`python tests/truth/removal.py --seed 0 --count 2000` prints how many pairs pass, and how many untouched ones alarm.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.gate import report_gate
from latlab.core.errors import DataError
from latlab.core.model.amounts import Amount, Amounts, amounts_of
from latlab.core.model.distributions import Distribution, WakeupCounts, distributions_of
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.run import CoreId, Run, Sample, Spans, Tick, Topology
from truth.machines import JUNO, N1SDP
from truth.noise import Noise
from truth.planted import Pathology, Planted
from truth.reading import runs_of_spans, runs_of_wakeups
from truth.spans import pair_of
from truth.wakeups import Between, Late, Tool, wakeup_pair
from truth.written import Form

FAIL_ON = frozenset({"regressed"})
SHARE = 0.2


class Taken(StrEnum):
    """What is taken out. `FIFTH`: of the samples of one core in one test, of one CPU or of one quantity."""

    NOTHING = "nothing"
    CORE = "core"
    TEST = "test"
    FIFTH = "a fifth of the samples"
    MOST = "four fifths of the samples"


Rng = np.random.Generator
Draw = Callable[[Rng], tuple[Run, Run]]


def psci(rng: Rng) -> tuple[Run, Run]:
    boots, iterations = ((1, 20), (4, 1), (4, 5), (8, 1))[rng.integers(4)]
    machine = (JUNO, N1SDP)[rng.integers(2)]
    pair = pair_of(machine, Planted(Pathology.NOTHING), Noise.GAUSSIAN, (boots, boots), iterations, int(rng.integers(2**31)))
    return runs_of_spans(pair, Form.JSON)


def calls(rng: Rng) -> tuple[Run, Run]:
    """Calls of one core, as `run psa` and `run calls` have them, each a test of its own, some called more often than others."""
    campaign, metric = (("psa", Metric.PSA_CALL), ("smc", Metric.CALL))[rng.integers(2)]
    cores = Topology((int(rng.integers(1, 4)),)).cores
    sizes = {f"CALL_{i}": int(rng.choice((20, 20, 40))) for i in range(int(rng.integers(3, 8)))}
    exact = rng.random() < 0.5

    def run(name: str) -> Run:
        samples = tuple(
            Sample(test, metric, core, 0, i, int(1000 * number + (0 if exact else rng.normal(0, 20))))
            for number, (test, size) in enumerate(sizes.items(), 1) for i in range(size) for core in cores
        )  # fmt: skip
        tick = Tick(Clock.INSTRUCTIONS, 1.0) if exact else Tick(Clock.TIME, 1.0)
        return Run(campaign, "board", "made", Topology((len(cores),)), tick, status=RunStatus.COMPLETE, contents=Spans(samples), id=name)

    return run("run1"), run("run2")


def rt(rng: Rng) -> tuple[Run, Run]:
    pair = wakeup_pair(Late.NOTHING, 0.0, int(rng.integers(2, 6)), 10_000, Between.NOTHING, int(rng.integers(2**31)))
    return runs_of_wakeups(pair, list(Tool)[rng.integers(3)])


def bench(rng: Rng) -> tuple[Run, Run]:
    repeats = int(rng.choice((5, 10, 30)))
    names = [f"quantity {i}" for i in range(int(rng.integers(3, 9)))]

    def run(name: str) -> Run:
        values = [Amount("bench", Metric.DURATION, one, None, tuple(rng.normal(1000, 10, repeats))) for one in names]
        contents = Amounts(tuple(values), "made")
        return Run("bench", "board", "made", Topology((1,)), Tick(Clock.TIME, 1.0), status=RunStatus.COMPLETE, contents=contents, id=name)

    return run("run1"), run("run2")


KINDS: dict[str, Draw] = {"psci": psci, "calls": calls, "rt": rt, "bench": bench}


def without(run: Run, taken: Taken, rng: Rng) -> Run | None:
    """None where this kind has no such thing, or only one of it."""
    if taken is Taken.NOTHING:
        return run
    share = SHARE if taken is Taken.FIFTH else 1 - SHARE
    if amounts_of(run):
        at = int(rng.integers(len(amounts_of(run))))
        rest = [one for i, one in enumerate(amounts_of(run)) if i != at]
        if taken in (Taken.FIFTH, Taken.MOST):
            values = amounts_of(run)[at].values
            rest.append(replace(amounts_of(run)[at], values=values[: len(values) - max(1, round(share * len(values)))]))
        return replace(run, contents=Amounts(tuple(rest), "made")) if taken is not Taken.CORE else None
    if distributions_of(run):
        return _wakeups_without(run, taken, share, rng)
    tests = list(dict.fromkeys(one.test for one in run.samples))
    cores = list(dict.fromkeys(one.core for one in run.samples))
    test, core = tests[rng.integers(len(tests))], cores[rng.integers(len(cores))]
    if (taken is Taken.CORE and len(cores) == 1) or (taken is Taken.TEST and len(tests) == 1):
        return None
    drop: set[tuple[int, int]] = set()
    if taken in (Taken.FIFTH, Taken.MOST):
        places = sorted({(one.boot, one.iteration) for one in run.samples if (one.test, one.core) == (test, core)})
        drop = {places[i] for i in rng.permutation(len(places))[: max(1, round(share * len(places)))]}
    kept = tuple(one for one in run.samples if not _is_taken(one, taken, test, core, drop))
    return replace(run, contents=Spans(kept)) if len(kept) < len(run.samples) else None


def _is_taken(one: Sample, taken: Taken, test: str, core: CoreId, drop: set[tuple[int, int]]) -> bool:
    if taken is Taken.CORE:
        return one.core == core
    return one.test == test and (taken is Taken.TEST or (one.core == core and (one.boot, one.iteration) in drop))


def _wakeups_without(run: Run, taken: Taken, share: float, rng: Rng) -> Run | None:
    """The same CPU by its counts: of each interval so many are gone."""
    found = list(distributions_of(run))
    if taken is Taken.TEST or len(found) < 2:
        return None
    at = int(rng.integers(len(found)))
    one = found.pop(at)
    if taken is not Taken.CORE:
        found.insert(at, _thinned(one, 1 - share, rng))
    return replace(run, contents=WakeupCounts(tuple(found)))


def _thinned(one: Distribution, share: float, rng: Rng) -> Distribution:
    counts = [(low, high, int(rng.binomial(n, share))) for low, high, n in one.counts]
    left = tuple(each for each in counts if each[2])
    got = sum(n for _, _, n in left) + one.beyond
    return replace(one, counts=left, got=got, maximum_ticks=max(low for low, _, _ in left), late=())


def exit_of(seed: int, is_untouched: bool = False) -> tuple[str, Taken, int, str] | None:
    """The kind, what was taken, the gate's exit code, and its last line; None where there is nothing of the sort to take."""
    rng = np.random.default_rng([seed, 7])
    kind = list(KINDS)[rng.integers(len(KINDS))]
    before, after = KINDS[kind](rng)
    taken = Taken.NOTHING if is_untouched else list(Taken)[1 + rng.integers(len(Taken) - 1)]
    candidate = without(after, taken, rng)
    if candidate is None:
        return None
    try:
        decision = report_gate(compare(before, candidate), FAIL_ON)
    except DataError as error:
        return kind, taken, error.exit_code, str(error)
    return kind, taken, decision.exit_code, decision.lines[0] if decision.exit_code else decision.verdict


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    options = parser.parse_args()
    for is_untouched in (False, True):
        found: Counter[tuple[str, str, int]] = Counter()
        seed = options.seed
        while sum(found.values()) < options.count:
            one = exit_of(seed, is_untouched)
            if one is not None:
                found[one[:3]] += 1
                if is_untouched == (one[2] != 0):
                    print(f"  seed {seed}: {one}")
            seed += 1
        for (kind, taken, code), n in sorted(found.items()):
            print(f"{kind:6} {taken:28} exit {code}: {n}")
        print(f"of {options.count} pairs {sum(n for (_, _, code), n in found.items() if not code)} pass", flush=True)


if __name__ == "__main__":
    main()
