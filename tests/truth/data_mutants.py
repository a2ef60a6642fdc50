# SPDX-License-Identifier: BSD-3-Clause
"""Changes of a run's own samples that no gate may pass: longer by a factor or an amount, a tail, two modes that swap, samples removed.

Each is made for every test, metric and set of cores of a run, without a look at how the product groups them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from truth.exported import Figures, Place
from truth.machines import Floats

FALLS_WHEN_WORSE = ("throughput", "available")
FACTORS = (1.5, 2.0, 10.0)
LEAST_FOR_TAIL, LEAST_FOR_MODES = 5, 10
HALF, LEAST_SHIFT, LEAST_MOVED = 0.5, 10.0, 0.1
SECOND_MODE = 1.5
FEW_STEPS = 3.0
SHARES = (0.3, 0.7)
"""Of the second mode, in the base and in the candidate."""
EVERY_TEST = "every test"


class How(StrEnum):
    """`TIMES`: a factor. `SHIFT`: a share of the median of the test, 10 at least. `TAIL`: one sample of ten, times a factor.

    `MODES`: samples of a second mode are three of ten in the base, seven of ten in the candidate. `GONE`: no sample. `HALVED`: each second
    sample is gone.
    """

    TIMES = "times"
    SHIFT = "shift"
    TAIL = "tail"
    MODES = "modes"
    GONE = "gone"
    HALVED = "halved"


@dataclass(frozen=True)
class Cores:
    """Some cores of a test: `name` says which set it is of: `one core`, `half`, `one cluster` or `all`."""

    name: str
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Mutant:
    """`in_base`: the base is made shorter instead, by the same factor."""

    how: How
    size: float
    cores: Cores
    test: str
    in_base: bool = False

    @property
    def name(self) -> str:
        which = ",".join(sorted({place.core for place in self.cores.places if place.core}))
        size = f" {self.size:g}" if self.size else ""
        where = f"{self.test} {self.cores.places[0].metric}, {self.cores.name}{f' ({which})' if which else ''}"
        return f"{self.how}{size}{' in the base' if self.in_base else ''}, {where}"


def mutants_of(figures: Figures, factors: tuple[float, ...] = FACTORS) -> Iterator[Mutant]:
    """Every mutant that the samples allow. Nothing is no longer when multiplied. Half of the samples of most places are no mutant: runs
    differ in length. An amount that is less than a tenth of what each core of a parallel test takes is none: the order of the cores moves
    as much."""
    for test, cores in sets_of(figures):
        fewest = min(len(figures[place]) for place in cores.places)
        is_zero = not any(figures[place].any() for place in cores.places)
        yield from (Mutant(How.TIMES, factor, cores, test) for factor in factors if not is_zero)
        yield from (Mutant(How.TIMES, factor, cores, test, in_base=True) for factor in factors if not is_zero)
        shows = _shows(figures, cores)
        if shows:
            yield Mutant(How.SHIFT, HALF, cores, test)
        if fewest >= LEAST_FOR_TAIL and not is_zero:
            yield Mutant(How.TAIL, 10.0, cores, test)
        if fewest >= LEAST_FOR_MODES and shows:
            yield Mutant(How.MODES, SECOND_MODE, cores, test)
        yield Mutant(How.GONE, 0.0, cores, test)
        if fewest > 1 and 2 * len(cores.places) <= len(figures):
            yield Mutant(How.HALVED, 0.0, cores, test)


def _shows(figures: Figures, cores: Cores) -> bool:
    """Whether half of the test's median is a large enough share of what one of the cores takes."""
    shares = (HALF * _middle(figures, place) / max(float(np.nanmedian(figures[place])), 1.0) for place in cores.places)
    return not cores.places[0].test.endswith("_parallel") or max(shares) >= LEAST_MOVED


def _middle(figures: Figures, place: Place) -> float:
    """The median of the test and metric over all cores."""
    alike = [values for other, values in figures.items() if (other.test, other.metric) == (place.test, place.metric)]
    return float(np.nanmedian(np.concatenate(alike)))


def sets_of(figures: Figures) -> Iterator[tuple[str, Cores]]:
    """Each core, half of the cores, each cluster and all: of every test and metric, then of every metric in all its tests."""
    tests = dict.fromkeys((place.test, place.metric) for place in figures)
    for test, metric in tests:
        yield from ((test, cores) for cores in _subsets([place for place in figures if (place.test, place.metric) == (test, metric)]))
    for metric in dict.fromkeys(metric for _, metric in tests):
        places = [place for place in figures if place.metric == metric]
        if len({place.test for place in places}) > 1:
            yield from ((EVERY_TEST, cores) for cores in _subsets(places))


def _subsets(places: list[Place]) -> Iterator[Cores]:
    cores = sorted({place.core for place in places})
    clusters = sorted({place.cluster for place in places})
    chosen: dict[tuple[str, ...], str] = {tuple(cores): "all"}
    if len(clusters) > 1:
        chosen |= {tuple(core for core in cores if core.partition(".")[0] == cluster): "one cluster" for cluster in clusters}
    chosen |= {(core,): "one core" for core in cores if (core,) not in chosen}
    if len(cores) > 3:
        chosen |= {half: "half" for half in (tuple(cores[::2]),) if half not in chosen}
    for names, name in chosen.items():
        yield Cores(name, tuple(place for place in places if place.core in names))


def mutated(mutant: Mutant, base: Figures, candidate: Figures) -> tuple[Figures, Figures]:
    """The two runs with the change in one of them, or for two modes in both."""
    before, after = dict(base), dict(candidate)
    for place in mutant.cores.places:
        middle = _middle(candidate, place)
        falls = place.metric.partition("/")[0] in FALLS_WHEN_WORSE
        if mutant.how is How.MODES:
            before[place] = _two_modes(base[place], SHARES[0], middle, mutant.size, falls)
            after[place] = _two_modes(candidate[place], SHARES[1], middle, mutant.size, falls)
        elif mutant.in_base:
            before[place] = _longer(base[place], mutant.size, not falls)
        else:
            after[place] = _changed(mutant, candidate[place], middle, falls)
    return before, after


def _changed(mutant: Mutant, values: Floats, middle: float, falls: bool) -> Floats:
    number = np.arange(len(values))
    if mutant.how is How.TIMES:
        return _longer(values, mutant.size, falls)
    if mutant.how is How.SHIFT:
        distance = max(mutant.size * middle, LEAST_SHIFT)
        return np.ceil(values + distance) if not falls else values - np.minimum(distance, 0.9 * values)
    if mutant.how is How.TAIL:
        return np.where(number % 10 == min(4, len(values) - 1), _longer(values, mutant.size, falls), values)
    gone = number >= 0 if mutant.how is How.GONE else number % 2 == 1
    return np.where(gone, np.nan, values)


def _longer(values: Floats, factor: float, falls: bool) -> Floats:
    """Up to the next whole number, so that a small count changes too. What falls when it gets worse is divided."""
    return np.asarray(values / factor if falls and factor else np.ceil(values * factor - 1e-9))


def _two_modes(values: Floats, share: float, middle: float, size: float, falls: bool) -> Floats:
    """Several samples of ten are of the second mode, evenly through the run. It is as far from the first as the factor moves the median."""
    is_second = np.arange(len(values)) * 7 % 10 < 10 * share
    distance = np.ceil((size - 1) * middle)
    return np.where(is_second, np.maximum(values - distance, 0.1 * values) if falls else values + distance, values)


def farthest(before: Figures, after: Figures) -> float:
    """By what factor the sample moved farthest, of cores with one sample each; of a parallel test by position, as chance orders its cores.
    Three steps of the clock are nothing. Infinite where a core has several samples, or one is gone or was nothing."""
    if any(len(values) != 1 for side in (before, after) for values in side.values()):
        return np.inf
    ratios = [1.0]
    for test, metric in dict.fromkeys((place.test, place.metric) for place in before):
        sides = [
            np.concatenate([side[place] for place in before if (place.test, place.metric) == (test, metric)]) for side in (before, after)
        ]
        low, high = np.sort(np.sort(sides, axis=1) if test.endswith("_parallel") else sides, axis=0)
        ratio = np.divide(high, low, out=np.full(len(low), np.inf), where=low > 0)
        ratios.append(float(np.where(high - low <= FEW_STEPS, 1.0, ratio).max()))
    return np.inf if np.isnan(ratios).any() else max(ratios)


def drawn(mutants: list[Mutant], seed: str, count: int) -> list[Mutant]:
    """So many of them, by a hash of their names: nobody chooses."""
    return sorted(mutants, key=lambda mutant: hashlib.sha256(f"{seed} {mutant.name}".encode()).hexdigest())[:count]
