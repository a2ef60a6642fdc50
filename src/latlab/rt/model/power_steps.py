# SPDX-License-Identifier: BSD-3-Clause
"""What Linux was asked to do with a CPU or with the system, how long it took, and the contents of such a run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from latlab.core.model.run import Contents


class StepKind(StrEnum):
    OFFLINE = "offline"
    ONLINE = "online"
    SUSPEND = "suspend"
    SYNC = "sync"
    FREEZE = "freeze"
    DEVICES_DOWN = "devices down"
    CPUS_DOWN = "CPUs down"
    CPUS_UP = "CPUs up"
    DEVICES_UP = "devices up"
    THAW = "thaw"


@dataclass(frozen=True, slots=True)
class PowerStep:
    """One write to the kernel. `cpu` is None for the system. `ns` is CLOCK_MONOTONIC, which stops during suspend; `slept_ns` is how long
    it stopped. Both and `errno` are None if the write never returned. `errno` is 0 if the kernel did what was requested."""

    kind: StepKind
    cpu: int | None
    start_ns: int
    ns: int | None = None
    slept_ns: int | None = None
    errno: int | None = None

    @property
    def is_done(self) -> bool:
        return self.errno == 0


@dataclass(frozen=True, slots=True)
class LostCpu:
    """A CPU that the kernel's log reports. `call` is a PSCI function, or start-up or shutdown if the log names none. `code` is as printed,
    "" if there is none. `line` is the first that reports it, from 1. `is_silent`: the call succeeded, and the CPU never came."""

    cpu: int
    call: str
    code: str
    line: int
    is_silent: bool = False

    @property
    def sentence(self) -> str:
        """The finding with its line."""
        went = "come up" if self.call in ("CPU_ON", "start-up") else "go down"
        code = f" with {self.code}" if self.code else ""
        if self.is_silent:
            code = f"; Linux's code is {self.code}" if self.code else ""
            return f"line {self.line}: CPU {self.cpu} did not {went}: its {self.call} reported success, and the CPU never came online{code}"
        return f"line {self.line}: CPU {self.cpu} did not {went}, {self.call} failed{code}"


@dataclass(frozen=True, slots=True)
class PowerCycles(Contents):
    """A run of CPU hotplug and system suspend; its data is in its raw files."""

    kind: ClassVar[str] = "power"
