# SPDX-License-Identifier: BSD-3-Clause
"""Paths as the probe folds them: how often each fragment ran, and which ran behind which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from latlab.calls.model.crossings import LOOP, Stretch

MOST_STEPS_OF_A_TURN = 17
"""A loop has at most 16 items, and at most those of a turn that has not ended follow it."""


def runs_of(stretches: Iterable[Stretch]) -> Counter[int]:
    """How often each fragment ran, in the order of the first run."""
    total: Counter[int] = Counter()
    for stretch in stretches:
        for number, times in _runs_of_path(stretch.steps):
            total[number] += times
        for number, times in stretch.runs:
            total[number] += times
    return total


def body_end(steps: tuple[int, ...], at: int) -> int:
    """Where the loop whose head stands at `at` ends; both count numbers, two for each step."""
    return min(at + 2 + 2 * (steps[at] & ~LOOP), len(steps))


def turning(steps: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """The steps of one turn of the loop in which a path ends, and how often it turned; without a loop its last step, and 1. At most the
    start of another turn follows the loop. A loop inside that start turned less often."""
    items = list(_items(steps))
    if not items:
        return (), 1
    behind: set[int] = set()
    best = items[-1][0], 1
    for body, turns in reversed(items[-MOST_STEPS_OF_A_TURN:]):
        numbers = {number for number in body[::2] if number < LOOP}
        if behind <= numbers and turns > best[1]:
            best = body, turns
        behind |= numbers
    return best


def _items(steps: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int]]:
    """The outermost fragments and loops of a path: the steps of one turn, and how often it turned."""
    at = 0
    while at < len(steps):
        if steps[at] >= LOOP:
            end = body_end(steps, at)
            yield steps[at + 2 : end], steps[at + 1]
            at = end
        else:
            yield (steps[at], 1), steps[at + 1]
            at += 2


def neighbours(steps: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Which fragment ran right behind which, each pair once at least."""
    last = -1
    loops: list[tuple[int, int]] = []  # where it ends, the first fragment of its body
    for at in range(0, len(steps), 2):
        if steps[at] >= LOOP:
            loops.append((body_end(steps, at), -1))
            continue
        number, times = steps[at], steps[at + 1]
        if last >= 0:
            yield last, number
        if times > 1:
            yield number, number
        last = number
        loops = [(end, number if first < 0 else first) for end, first in loops]
        while loops and loops[-1][0] <= at + 2:
            yield last, loops.pop()[1]


def _runs_of_path(steps: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    loops: list[tuple[int, int]] = []  # where it ends, how often what stands in it runs
    for at in range(0, len(steps), 2):
        while loops and loops[-1][0] <= at:
            loops.pop()
        factor = loops[-1][1] if loops else 1
        if steps[at] >= LOOP:
            loops.append((body_end(steps, at), factor * steps[at + 1]))
        else:
            yield steps[at], factor * steps[at + 1]
