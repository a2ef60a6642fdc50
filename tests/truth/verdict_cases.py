# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of runs that a verdict was once wrong about, as exported documents. Each says what was planted; tests say what is answered."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

from truth.exported import Document, figures_of, with_figures
from truth.machines import DEEP, FLUSH, JUNO, PARALLEL, SERIAL, UP, Floats, Machine
from truth.mutated_kinds import DocumentPair, imported, recorded
from truth.noise import Noise
from truth.planted import Pathology, Planted
from truth.spans import Pair, Table, pair_of
from truth.wakeups import Wakeups, histogram_of
from truth.written import run_json

NOTHING = Planted(Pathology.NOTHING)
ALL_TESTS = (*PARALLEL, *SERIAL)
BOARD = replace(JUNO, name="board", clusters=(4, 4), lead=(0, 0), wake_wait=0.0)
"""Eight cores, of which none waits on its way up."""
LIKE_CORES = replace(BOARD, scatter={**JUNO.scatter, UP: 0.006 * 22_000})
"""Wake-ups scatter by 0.6 %."""
SECOND_MODE_NS = 8_000
WAKEUPS_A_CPU = 60_000


def documents(pair: Pair) -> DocumentPair:
    return json.loads(run_json(pair.machine, pair.before, "run1")), json.loads(run_json(pair.machine_after, pair.after, "run2"))


def one_truth(machine: Machine, boots: tuple[int, int], iterations: int, seed: int, noise: Noise = Noise.GAUSSIAN) -> Pair:
    return pair_of(machine, NOTHING, noise, boots, iterations, seed)


def with_wakeups_of(pair: Pair, factor: Floats | float, tests: tuple[str, ...] = ALL_TESTS) -> Pair:
    """The way up of the second run takes `factor` times as long; an array has a factor for each core."""
    moved: Table = {(test, UP): np.rint(pair.after[test, UP] * factor).astype(np.int64) for test in tests}
    return replace(pair, after={**pair.after, **moved})


def recorded_with(name: str, test: str, metric: str, factor: float = 1.0, more: float = 0.0, cores: tuple[str, ...] = ()) -> DocumentPair:
    """A recorded run, and the same with all samples of a test, or those of some cores, that many times as long and that much longer."""
    base, _ = recorded(name)
    figures = figures_of(base)
    hit = [place for place in figures if (place.test, place.metric) == (test, metric) and (not cores or place.core in cores)]
    changed = {place: np.ceil(figures[place] * factor + more - 1e-9) for place in hit}
    return with_figures(base, figures), with_figures(base, figures | changed)


def two_modes(shares: tuple[float, float], seed: int) -> DocumentPair:
    """Wake-ups of eight cores in five tests, 4 boots of 25; a share of them 8 us later, another share in the second run."""
    pair, rng = one_truth(BOARD, (4, 4), 25, seed), np.random.default_rng([seed, 41])

    def later(table: Table, share: float) -> Table:
        ticks = SECOND_MODE_NS / BOARD.tick_ns
        moved = {(test, UP): table[test, UP] + (rng.random(table[test, UP].shape) < share) * int(ticks) for test in ALL_TESTS}
        return {**table, **moved}

    return documents(replace(pair, before=later(pair.before, shares[0]), after=later(pair.after, shares[1])))


def slow_first_boot(seed: int) -> DocumentPair:
    """Four boots each, the first of both slower by 30 %: nothing differs between the runs."""
    pair = one_truth(JUNO, (4, 4), 5, seed)

    def slowed(table: Table) -> Table:
        factor = np.array([1.3, 1.0, 1.0, 1.0])[:, None, None]
        return {span: np.rint(values * factor).astype(np.int64) for span, values in table.items()}

    return documents(replace(pair, before=slowed(pair.before), after=slowed(pair.after)))


def one_clock(factor: float, seed: int) -> DocumentPair:
    """Everything takes that many times as long, as with a clock that is told wrong."""
    pair = one_truth(JUNO, (4, 4), 5, seed)
    return documents(replace(pair, after={span: np.rint(values * factor).astype(np.int64) for span, values in pair.after.items()}))


def nobody_flushes_once(seed: int) -> DocumentPair:
    """A rule is broken and nothing else differs: in one of 20 iterations no core of a cluster pays its flush, although all go down."""
    pair = one_truth(JUNO, (4, 4), 5, seed)
    flush = pair.after[DEEP, FLUSH].copy()
    flush[0, 0, JUNO.clusters[0] :] = round(JUNO.flush_core[1] / JUNO.tick_ns)
    return documents(replace(pair, after={**pair.after, (DEEP, FLUSH): flush}))


def of_different_length(iterations: tuple[int, int], boots: tuple[int, int], seed: int, machine: Machine = JUNO) -> DocumentPair:
    """Two runs of one truth; the first iterations of a longer run, and as many of another."""
    pair = one_truth(machine, boots, max(iterations), seed)

    def first(table: Table, count: int) -> Table:
        return {span: values[:, :count] for span, values in table.items()}

    return documents(replace(pair, before=first(pair.before, iterations[0]), after=first(pair.after, iterations[1])))


def two_parts_of_one_run(iterations: tuple[int, int], boots: tuple[int, int], seed: int, machine: Machine = JUNO) -> DocumentPair:
    """One run cut in two. With one boot its iterations are cut, with several its boots."""
    if boots == (1, 1):
        whole = one_truth(machine, (1, 1), sum(iterations), seed).before
        parts = [{span: values[:, part] for span, values in whole.items()} for part in _cuts(iterations)]
    else:
        whole = one_truth(machine, (sum(boots), 1), max(iterations), seed).before
        cut = zip(_cuts(boots), iterations, strict=True)
        parts = [{span: values[part][:, :count] for span, values in whole.items()} for part, count in cut]
    return json.loads(run_json(machine, parts[0], "run1")), json.loads(run_json(machine, parts[1], "run2"))


def _cuts(sizes: tuple[int, int]) -> tuple[slice, slice]:
    return slice(0, sizes[0]), slice(sizes[0], sum(sizes))


def slower_core_flush(machine: Machine, share: float, boots: int, iterations: int, seed: int) -> DocumentPair:
    """The flush of a core's own cache takes longer, and so does what holds it."""
    slower = replace(machine, flush_core=tuple(cost * (1 + share) for cost in machine.flush_core))
    before, after = (pair_of(one, NOTHING, Noise.GAUSSIAN, (boots, boots), iterations, seed) for one in (machine, slower))
    return documents(replace(before, machine_after=slower, after=after.after))


def wakeups(seed: int, count: int = WAKEUPS_A_CPU, cpus: int = 2) -> list[Floats]:
    """Most after 8 us, one in fifty up to 40 us late, in ns."""
    rng = np.random.default_rng([seed, 42])
    late = [rng.random(count) < 0.02 for _ in range(cpus)]
    return [6_000 + rng.gamma(4.0, 500.0, count) + np.where(one, rng.gamma(2.0, 2_000.0, count), 0.0) for one in late]


def with_overflows(values: list[Floats], count: int, from_us: float, to_us: float, seed: int) -> Wakeups:
    """So many wake-ups of each CPU are later than a histogram of 60 us holds; no other one is."""
    rng = np.random.default_rng([seed, 43])
    out = []
    for own in values:
        clipped = np.minimum(own, 58_000.0)
        at = rng.choice(len(clipped), count, replace=False)
        clipped[at] = rng.uniform(from_us, to_us, count) * 1000
        out.append(clipped.astype(np.int64))
    return tuple(out)


def imported_pair(before: Wakeups, after: Wakeups, latest_us: int) -> DocumentPair:
    return imported(histogram_of(before, latest_us), "before.txt"), imported(histogram_of(after, latest_us), "after.txt")


def whole(values: list[Floats]) -> Wakeups:
    return tuple(own.astype(np.int64) for own in values)


def sharp_quantiles() -> Document:
    """A CPU of which the median is 8.59, the average 8.8 and the quantile 99.9 % 21.33 us, in buckets of 1 us."""
    share = (np.arange(WAKEUPS_A_CPU) + 0.5) / WAKEUPS_A_CPU
    us = np.interp(share, (0.0, 0.5, 0.9, 0.9985, 0.9995, 1.0), (5.0, 8.59, 11.0, 16.0, 26.66, 40.0))
    return imported(histogram_of(((us * 1000).astype(np.int64),), 100), "sharp.txt")
