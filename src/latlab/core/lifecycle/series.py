# SPDX-License-Identifier: BSD-3-Clause
"""Stored runs by what they measured: runs with one identity are a series, as a comparison takes them for the same thing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import msgspec

from latlab.core.comparison.conditions import Identity, build_of, distinguished, identity_with
from latlab.core.model.conditions import NO_CONDITIONS, Conditions
from latlab.core.model.enums import Clock
from latlab.core.model.life import Head
from latlab.core.model.run import Build, Run, Tick, Topology

MOST_KNOWN = 1 << 14
Options = tuple[tuple[str, str], ...]


def identity_of_head(head: Head) -> Identity:
    """What `identity_of` says of the stored run. A damaged row states no conditions."""
    build = build_of(head.firmware, head.target)
    return _identity(head.campaign, head.target, head.platform, head.topology, head.clock, build, head.conditions, head.build_options)


def by_identity(heads: Iterable[Head]) -> dict[Identity, list[Head]]:
    """The heads of each series, in their order."""
    series: dict[Identity, list[Head]] = {}
    for head in heads:
        series.setdefault(identity_of_head(head), []).append(head)
    return series


def names_of(series: Mapping[Identity, Sequence[Head]]) -> dict[Identity, str]:
    """A name of each series: campaign, platform and cores, and what tells it from others of that name."""
    alike: dict[str, list[Identity]] = {}
    for identity, heads in series.items():
        alike.setdefault(_plain_name(heads[-1]), []).append(identity)
    return {
        identity: ", ".join(filter(None, (name, words)))
        for name, identities in alike.items()
        for identity, words in distinguished(identities).items()
    }


def newest_of_series(heads: Sequence[Head], identity: Identity) -> Head | None:
    """The newest head with this identity; `heads` have the oldest first."""
    return next((head for head in reversed(heads) if identity_of_head(head) == identity), None)


def _plain_name(head: Head) -> str:
    return f"{head.campaign} on {head.platform}, cores {head.topology}"


@lru_cache(maxsize=MOST_KNOWN)
def _identity(
    campaign: str, target: str, platform: str, topology: str, clock: str, build: str | None, conditions: str, build_options: str
) -> Identity:
    """Thousands of runs differ in their firmware's name alone."""
    try:
        run = Run(
            campaign=campaign,
            target=target,
            platform=platform,
            topology=Topology(tuple(int(cores) for cores in topology.split(",") if cores)),
            tick=Tick(Clock(clock), 1.0),
            build=Build("", options=msgspec.json.decode(build_options, type=Options)),
            conditions=msgspec.json.decode(conditions, type=Conditions),
        )
    except (ValueError, msgspec.MsgspecError):
        run = Run(campaign, target, platform, Topology(()), Tick(Clock.TIME, 1.0), Build(""), conditions=NO_CONDITIONS)
    return identity_with(run, build)
