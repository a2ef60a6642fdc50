# SPDX-License-Identifier: BSD-3-Clause
"""The life of a run beside its figures: which process makes it, how it is getting on, and what it leaves behind if that process dies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

CUT_OFF = "cut off"


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that makes a run. `host` is a machine and its space of process ids; `pid_started` tells a process from a later one that
    got its number; both are 0 where the run has no process yet. `user` is empty where an older latlab made the run."""

    host: str
    boot_id: str
    pid: int
    pid_started: int
    user: str = ""


@dataclass(frozen=True, slots=True)
class Address:
    """How a machine is reached: `kind` is linux (this one), ssh with `host`, or labgrid with `config` and `name`."""

    kind: str
    host: str = ""
    config: str = ""
    name: str = ""

    def __str__(self) -> str:
        return self.host or self.name or "this machine"


@dataclass(frozen=True, slots=True)
class Left:
    """What lies about while a run is under way: a folder of its owner's machine, and a folder of the machine that measures, in which the
    job keeps its process group. Empty where there is none."""

    folder: str = ""
    machine: Address | None = None
    job_folder: str = ""


@dataclass(frozen=True, slots=True)
class SeriesPart:
    """Which boot of a series a run is, from 1. `asked` is what the series was asked for: the same question continues it."""

    series: str
    number: int
    count: int
    asked: str


@dataclass(frozen=True, slots=True)
class Life:
    """`heartbeat_utc` is the last sign of life of its owner; `owner` is None while it is only planned. `phase` is what it did last, CUT_OFF
    if it ended in the middle of that."""

    run_id: str
    status: str
    owner: Owner | None
    heartbeat_utc: str
    phase: str
    left: Left
    part: SeriesPart | None


class Head(NamedTuple):
    """A line of the list of runs, of which there may be many thousands."""

    id: str
    campaign: str
    kind: str
    target: str
    platform: str
    topology: str
    clock: str
    firmware: str
    status: str
    started_utc: str
    samples: int
    label: str
