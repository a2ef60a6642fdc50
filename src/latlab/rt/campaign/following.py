# SPDX-License-Identifier: BSD-3-Clause
"""While an rt measurement runs: what is kept of it in the store, and what is told to whoever watches."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from latlab.core.model.life import Left
from latlab.core.store.store import Store
from latlab.core.targets.linux.machine import Machine
from latlab.rt.model.wakeups import LiveSnapshot
from latlab.rt.readers.recorder import glance_of
from latlab.rt.targets.guest.checkpoints import SHARED, read_shared, sync
from latlab.rt.targets.guest.guest import phase_of
from latlab.rt.targets.linux import RECORD, Follower
from latlab.rt.targets.rt_job import Instrument, Workload

CHECKPOINT_S = 60
LOOK_S = 1.0
LOOK_SHARE = 20
Clock = Callable[[], float]


class Watcher(Protocol):
    """Who watches a measurement. `tick` comes every few seconds at least, the rest when there is news; `expected_s` is how long the phase
    should take by the clock of what measures, None where that is not known. `stop` is asked whether to end it.
    `interrupted` comes when an interrupt ends it, before its data are collected."""

    def start(self, run_id: str) -> None: ...

    def phase(self, name: str, expected_s: float | None) -> None: ...

    def glance(self, glance: LiveSnapshot) -> None: ...

    def tick(self) -> None: ...

    def stop(self) -> bool: ...

    def interrupted(self) -> None: ...


class NullObserver:
    """Nobody watches."""

    def start(self, run_id: str) -> None:
        return

    def phase(self, name: str, expected_s: float | None) -> None:
        return

    def glance(self, glance: LiveSnapshot) -> None:
        return

    def tick(self) -> None:
        return

    def stop(self) -> bool:
        return False

    def interrupted(self) -> None:
        return


@dataclass(frozen=True, slots=True)
class BootWatcher:
    """A watcher of one boot among several, whose `title` stands before each of its phases."""

    watcher: Watcher
    title: str

    def start(self, run_id: str) -> None:
        self.watcher.start(run_id)

    def phase(self, name: str, expected_s: float | None) -> None:
        self.watcher.phase(f"{self.title}: {name}", expected_s)

    def glance(self, glance: LiveSnapshot) -> None:
        self.watcher.glance(glance)

    def tick(self) -> None:
        self.watcher.tick()

    def stop(self) -> bool:
        return self.watcher.stop()

    def interrupted(self) -> None:
        self.watcher.interrupted()


class Checkpoints:
    """The recorder's file on its way to the store and to the watcher. The file itself is written every second; the store has it every
    CHECKPOINT_S, so that a long run does not write its store all the time. Where the seconds of
    what measures are not ours, how long a phase takes is known only once the recorder says how far it is."""

    def __init__(
        self, store: Store, run_id: str, workload: Workload | None, watcher: Watcher, prefix: str, clock: Clock, is_our_time: bool = True
    ) -> None:
        self._is_our_time = is_our_time
        self._store, self._run_id, self._workload, self._watcher = store, run_id, workload, watcher
        self._name, self._clock = prefix + RECORD, clock
        self._kept_s = self._alive_s = clock()

    def phase(self, name: str) -> None:
        timed_phases = tuple(Instrument) if self._is_our_time else (Instrument.RECORDER.value,)
        measures = self._workload is not None and name in timed_phases
        self._store.checkpoint(self._run_id, {}, name)
        self._watcher.phase(name, self._workload.duration_s if self._workload and measures else None)

    def record(self, data: bytes) -> None:
        glance = glance_of(data)
        if glance is None:
            return
        self._watcher.glance(glance)
        if self._clock() - self._kept_s >= CHECKPOINT_S:
            self._store.checkpoint(self._run_id, {self._name: data})
            self._kept_s = self._alive_s = self._clock()

    def tick(self) -> None:
        """Without a file there is still a sign of life, which puts off no file."""
        self._watcher.tick()
        if self._clock() - self._alive_s >= CHECKPOINT_S:
            self._store.checkpoint(self._run_id, {})
            self._alive_s = self._clock()


class LinuxFollowing(Follower):
    """A job on a Linux machine. Its folder is in the store before it is made."""

    def __init__(
        self, store: Store, run_id: str, workload: Workload | None, watcher: Watcher, machine: Machine, clock: Clock | None = None
    ) -> None:
        self._store, self._run_id, self._machine, self._watcher = store, run_id, machine, watcher
        self._checkpoints = Checkpoints(store, run_id, workload, watcher, "", clock or time.monotonic)

    def phase(self, name: str) -> None:
        self._checkpoints.phase(name)

    def record(self, data: bytes) -> None:
        self._checkpoints.record(data)

    def tick(self) -> None:
        self._checkpoints.tick()

    def folder(self, path: str) -> None:
        self._store.set_leftovers(self._run_id, Left(machine=self._machine.address, job_folder=path))

    def fetched(self, files: Mapping[str, bytes]) -> None:
        self._store.checkpoint(self._run_id, files)

    def interrupted(self) -> None:
        self._watcher.interrupted()


class GuestFollowing:
    """A job in the guest: its console as it comes, and the memory that it shares, synced to the disk several times in a second."""

    def __init__(
        self,
        store: Store,
        run_id: str,
        workload: Workload | None,
        watcher: Watcher,
        folder: Path,
        prefix: str = "",
        clock: Clock | None = None,
    ) -> None:
        self._store, self._run_id, self._watcher, self._clock = store, run_id, watcher, clock or time.monotonic
        self._checkpoints = Checkpoints(store, run_id, workload, watcher, prefix, self._clock, is_our_time=False)
        self._shared = folder / SHARED
        self._console = prefix + "console"
        self._lines: list[bytes] = []
        self._next_s = 0.0
        watcher.phase("booting", None)

    def line(self, line: bytes) -> None:
        """A line of the console. The files that it carries at the end are kept as files."""
        if b"<LLG1:DATA" not in line:
            self._lines.append(line)
        phase = phase_of(line)
        if phase:
            self._checkpoints.phase(phase)

    def poll(self) -> bool:
        """Whether to stop. The memory is synced each time, which costs nothing where nothing was written; a look takes at most a twentieth
        of the time, however large the file is."""
        sync(self._shared)
        start = self._clock()
        if start >= self._next_s:
            self._look()
            self._next_s = start + max(LOOK_S, LOOK_SHARE * (self._clock() - start))
        return self._watcher.stop()

    def _look(self) -> None:
        if self._lines:
            self._store.add(self._run_id, logs={self._console: b"".join(self._lines)})
            self._lines = []
        record = read_shared(self._shared)
        if record:
            self._checkpoints.record(record)
        self._checkpoints.tick()
