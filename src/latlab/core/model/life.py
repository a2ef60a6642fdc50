# SPDX-License-Identifier: BSD-3-Clause
"""The lifecycle of a run: the process that makes it, its progress, and what remains if that process dies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

CUT_OFF = "cut off"
NOT_FETCHED = "not fetched"


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that makes a run. `host` is a machine and its PID namespace. `pid_started` distinguishes the process from a later one
    with the same number. Both are 0 if the run has no process yet."""

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
    """What exists while a run is in progress and must be removed after it: a folder of its owner's machine, and a folder of the
    measuring machine, in which the job keeps its process group. Empty if there is none. `heard_utc` is the last sign of life of the
    process that measured, once a recovery has begun, which gives signs of life of its own."""

    folder: str = ""
    machine: Address | None = None
    job_folder: str = ""
    heard_utc: str = ""


@dataclass(frozen=True, slots=True)
class SeriesPart:
    """The number of a run in a series of boots, from 1. `asked` is the question of the series: the same question continues it."""

    series: str
    number: int
    count: int
    asked: str


@dataclass(frozen=True, slots=True)
class Life:
    """`heartbeat_utc` is the last sign of life of the owner. `owner` is None while the run is only planned. `phase` is its last phase,
    CUT_OFF if it ended in the middle of it, NOT_FETCHED if its data are still on the machine that it measured."""

    run_id: str
    status: str
    owner: Owner | None
    heartbeat_utc: str
    phase: str
    left: Left
    part: SeriesPart | None

    @property
    def cut_off_utc(self) -> str:
        """The last sign of life of the process that measured, however many recoveries were begun and killed since."""
        return self.left.heard_utc or self.heartbeat_utc


class Head(NamedTuple):
    """One line of the list of runs. A store may have many thousands. `conditions` and `build_options` are JSON as the store has them: they
    are decoded only for the identity of a run (`core/lifecycle/series.py`)."""

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
    conditions: str = "{}"
    build_options: str = "[]"
