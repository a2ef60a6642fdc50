# SPDX-License-Identifier: BSD-3-Clause
"""The groups of mutants, the planted ones and the survivors that have a reason, as the TOML files beside this file say."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TypeVar

import msgspec

Entries = TypeVar("Entries")


class Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is mutated and what must notice.

    `sources` are globs from the root of the tree. `prepare` runs once in the copy; `build` after each mutation, and what does not build
    is not counted; nor is what leaves the loaded sections of all `objects` (globs of linked ELF files) as they were. `commands` run in
    their order until one fails. Where `early_build` and `early` are cheap and notice most, `build` and `commands` are for the rest:
    what `early_build` cannot build is not counted either. `copies` are ignored files that the copy needs as well; lines that match one
    of `ignore` (regular expressions) are not mutated. With `warm` the tests that run the mutated line, by the map that touching.py makes
    in `prepare`, run after the commands, in a fork.
    """

    name: str
    sources: tuple[str, ...]
    commands: tuple[str, ...]
    sample: int
    seed: int
    prepare: tuple[str, ...] = ()
    early_build: tuple[str, ...] = ()
    early: tuple[str, ...] = ()
    build: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    goal: float = 0.85
    warm: bool = False


class Reason(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why this mutant may stay: `before` and `after` are the line without its indentation."""

    file: str
    before: str
    after: str
    reason: str


class Planted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mutant that its group tries in every run. `before` and `after` are the line without its indentation, `fault` what is wrong then."""

    file: str
    before: str
    after: str
    fault: str


def read_groups(path: Path) -> dict[str, Group]:
    """Raises ValueError where a group lacks something or holds a key that nobody reads."""
    groups = {}
    for name, fields in tomllib.loads(path.read_text()).items():
        try:
            groups[name] = msgspec.convert({"name": name, **fields}, Group)
        except msgspec.ValidationError as error:
            raise ValueError(f"{path.name}, group {name}: {error}") from None
    return groups


def read_reasons(path: Path) -> tuple[Reason, ...]:
    return _entries(path, "survivor", tuple[Reason, ...])


def read_planted(path: Path) -> tuple[Planted, ...]:
    return _entries(path, "planted", tuple[Planted, ...])


def _entries(path: Path, name: str, kind: type[Entries]) -> Entries:
    """Raises ValueError where an entry lacks something or has a key that nobody reads."""
    listed = tomllib.loads(path.read_text()).get(name, []) if path.exists() else []
    try:
        return msgspec.convert(listed, kind)
    except msgspec.ValidationError as error:
        raise ValueError(f"{path.name}: {error}") from None
