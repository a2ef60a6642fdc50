# SPDX-License-Identifier: BSD-3-Clause
"""Reads what is known about platforms: `platforms/facts/NAME.toml`, one file for each."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

import msgspec

from latlab.core.errors import DataError
from latlab.core.model.platforms import Fact, PlatformFacts, unknown_platform


def facts_of(platform: str) -> PlatformFacts:
    """The facts of the platform that a run names; those of an unknown one are empty, and that is no error."""
    return _by_name().get(platform.lower(), unknown_platform(platform))


def known_platforms() -> tuple[PlatformFacts, ...]:
    """Every platform of the catalogue, by name."""
    folder = files("latlab.catalog") / "platforms" / "facts"
    entries = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".toml")), key=lambda entry: entry.name)
    return tuple(parse_facts(entry.read_text("utf-8"), entry.name) for entry in entries)


def parse_facts(text: str, place: str) -> PlatformFacts:
    """Raises DataError with the file and what is wrong in it: a fact of the wrong type, an unknown key, a source that is not listed."""
    try:
        data = tomllib.loads(text)
        facts = msgspec.convert(data, PlatformFacts)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise DataError(str(error), "correct the file", place=place) from error
    unknown = sorted(set(data) - set(PlatformFacts.__slots__))
    if unknown:
        raise DataError(f"unknown key {unknown[0]!r}; it knows {', '.join(PlatformFacts.__slots__)}", value=unknown[0], place=place)
    missing = sorted({source for source in _cited(facts)} - set(facts.sources))
    if missing:
        raise DataError(f"the source {missing[0]!r} is cited but not listed", "add it to [sources]", value=missing[0], place=place)
    return facts


@cache
def _by_name() -> dict[str, PlatformFacts]:
    return {name: facts for facts in known_platforms() for name in (facts.name, *facts.same_as)}


def _cited(facts: PlatformFacts) -> list[str]:
    of_all = (
        facts.coherency, facts.levels, facts.power_controller, facts.interconnect, facts.counter_hz, facts.switched_on, facts.cluster_on
    )  # fmt: skip
    sources = [fact.source for fact in of_all if isinstance(fact, Fact)]
    for cluster in facts.clusters:
        sources += [cluster.core.source, *(cache.source for cache in cluster.caches)]
        sources += [cluster.clock_mhz.source] if cluster.clock_mhz else []
    return sources
