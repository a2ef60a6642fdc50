# SPDX-License-Identifier: BSD-3-Clause
"""In which order tests run. Each worker collects for itself, so that every order follows from the items and a number alone."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

SYSTEM = "system"


def shuffled(items: Sequence[pytest.Item], seed: int) -> list[pytest.Item]:
    """Files in a random order, and their tests: what a file shares is made once."""
    chance = random.Random(seed)
    files = by_file(items)
    chance.shuffle(files)
    for of_file in files:
        chance.shuffle(of_file)
    return [item for of_file in files for item in of_file]


def dealt(items: Sequence[pytest.Item], workers: int) -> list[pytest.Item]:
    """As many stretches of equal length as workers, for a scheduler that gives each worker one and then lets the idle take from the busy.
    Each begins with its share of the files of system tests and ends with unit tests: what runs last is short, so that all end at once."""
    stretches: list[list[pytest.Item]] = [[] for _ in range(workers)]
    files = by_file(items)
    for number, of_file in enumerate(file for file in files if is_system(file[0])):
        stretches[number % workers] += of_file
    for item in (item for file in files if not is_system(file[0]) for item in file):
        room = next((one for one in stretches if len(one) < -(-len(items) // workers)), stretches[-1])
        room.append(item)
    return [item for stretch in stretches for item in stretch]


def is_system(item: pytest.Item) -> bool:
    return SYSTEM in item.path.parts


def by_file(items: Iterable[pytest.Item]) -> list[list[pytest.Item]]:
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    return list(files.values())
