# SPDX-License-Identifier: BSD-3-Clause
"""Findings of the queue model, each with its sentence. Amounts are in the run's unit, which `sentence` takes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from latlab.core.comparison.wording import amount, count, row_title
from latlab.core.model.run import CoreId

CoreAmounts = tuple[tuple[CoreId, float], ...]


class Suspect(StrEnum):
    """A possible cause of a finding if the figures cannot distinguish between several."""

    PSCI_LOCK = "psci lock"
    POWER_CONTROLLER = "power controller"
    SHARED_CHANNEL = "shared channel"
    PLATFORM_LOCK = "platform lock"
    CLUSTER_POWER_OFF = "cluster power-off"
    LAST_MAN_HOLDS = "last man holds"
    POWER_OFF_BEFORE = "power-off before"
    OWN_MESSAGE = "own message"
    SLOWER_MESSAGE = "slower message"
    HELD_LONGER = "held longer"

    def sentence(self, core: CoreId | None) -> str:
        """`core` is the core that it names, if any."""
        cluster = core.cluster if core else ""
        return {
            Suspect.PSCI_LOCK: "the cores queue for a lock of PSCI",
            Suspect.POWER_CONTROLLER: "the cores queue for the power controller",
            Suspect.SHARED_CHANNEL: "a channel to a power controller, one message at a time",
            Suspect.PLATFORM_LOCK: "a lock of the platform code",
            Suspect.CLUSTER_POWER_OFF: f"the power-off of cluster {cluster} keeps the power controller busy for that long",
            Suspect.LAST_MAN_HOLDS: f"{core} holds the queue's resource while it flushes its cluster",
            Suspect.POWER_OFF_BEFORE: "it goes last and waits for the power-off of the core before it",
            Suspect.OWN_MESSAGE: "its own power-off message takes longer than those of the other cores",
            Suspect.SLOWER_MESSAGE: "the power controller takes longer for a message",
            Suspect.HELD_LONGER: "a core holds its resource for longer while it powers down",
        }[self]


@dataclass(frozen=True, slots=True)
class LadderRefused:
    """Spans with waits that the queue model does not fit: it explains `share` of their variance, or several cores of a cluster pay as
    its last core down."""

    share: float
    cluster: int | None
    last_men: int

    def sentence(self, unit: str) -> str:
        if self.cluster is None:
            return f"these spans form no queue of equal delays: the queue model explains {self.share * 100:.0f} % of their variance"
        return f"{self.last_men} cores of cluster {self.cluster} flush as its last core down, so latlab fits no queue model"


@dataclass(frozen=True, slots=True)
class CoresTakeTurns:
    """The instruction clock lets one core run at a time, so the spans show no queue."""

    def sentence(self, unit: str) -> str:
        return "cores take turns under the instruction clock, so these spans have no queue"


@dataclass(frozen=True, slots=True)
class NoQueue:
    step: float
    base: float

    def sentence(self, unit: str) -> str:
        return f"no queue: sorted spans grow by {amount(self.step, unit)} per core from {amount(self.base, unit)}"


@dataclass(frozen=True, slots=True)
class ServedInOrder:
    """A queue: the cores in the order in which they were served, and the fitted terms. `rms` is the root mean square residual. `iterations`
    with other orders: the order is that of the first one, the terms are medians of all."""

    cores: tuple[CoreId, ...]
    base: float
    step: float
    rms: float
    iterations: int = 1

    def sentence(self, unit: str) -> str:
        base, step, rms = (amount(value, unit) for value in (self.base, self.step, self.rms))
        terms = f"first-core latency {base}, delay per position {step}, residual {rms}"
        if self.iterations == 1:
            return f"cores were served in the order {listed(self.cores)}: {terms}"
        order = f"In the first one, that of the waits below, the order was {listed(self.cores)}"
        return f"medians of {self.iterations} iterations: {terms}. {order}"


@dataclass(frozen=True, slots=True)
class DidNotWait:
    """The cores before the queue began, which did not wait."""

    cores: tuple[CoreId, ...]

    def sentence(self, unit: str) -> str:
        return f"{listed(self.cores)} did not wait: the queue begins behind it"


@dataclass(frozen=True, slots=True)
class LongestWait:
    """The last core of the queue: its wait, the number of cores before it, and the last-core delays by name."""

    core: CoreId
    waited: float
    ahead: int
    step: float
    extras: tuple[tuple[str, float], ...]

    def sentence(self, unit: str) -> str:
        made_of = f"{self.ahead} positions of {amount(self.step, unit)}"
        if self.extras:
            made_of += ", " + " and ".join(f"{amount(value, unit)} {row_title(name)}" for name, value in self.extras)
        return f"core {self.core} waited {amount(self.waited, unit)} behind {count(self.ahead, 'core')}: {made_of}"


@dataclass(frozen=True, slots=True)
class PaidAsLastMan:
    """`rise` is how much longer the core took than the one before it, if that is too little for the flush; else None."""

    core: CoreId
    flush: float
    rise: float | None

    def sentence(self, unit: str) -> str:
        paid = f"{self.core} flushed its cluster for {amount(self.flush, unit)} as last core down of cluster {self.core.cluster}"
        if self.rise is None:
            return paid
        return f"{paid}. It is {amount(self.rise, unit)} behind the core before it, so it waited anyway during most of the flush"


@dataclass(frozen=True, slots=True)
class WaitedBehindLastMan:
    """The core next behind a cluster's last man waited longer than a step."""

    core: CoreId
    more: float

    def sentence(self, unit: str) -> str:
        return f"{self.core}, next behind it, waited {amount(self.more, unit)} longer than the delay per position"


@dataclass(frozen=True, slots=True)
class LastOfSystem:
    core: CoreId
    more: float

    def sentence(self, unit: str) -> str:
        return f"{self.core}, last of the system, took {amount(self.more, unit)} more than its position in the queue"


@dataclass(frozen=True, slots=True)
class StepOfQueue:
    step: float

    def sentence(self, unit: str) -> str:
        return f"each position adds {amount(self.step, unit)}"


@dataclass(frozen=True, slots=True)
class QueueWithoutClusterLock:
    """Level 0 takes no lock of a cluster and queues nevertheless."""

    def sentence(self, unit: str) -> str:
        return "power level 0 needs no lock of a cluster, so the cores queue for something that all of them share"


@dataclass(frozen=True, slots=True)
class StepOfLevelZero:
    """The per-position delay of the level-0 test, compared with that of this test."""

    step: float
    same: bool

    def sentence(self, unit: str) -> str:
        step = amount(self.step, unit)
        if not self.same:
            return f"the delay per position differs from that of the test at power level 0 ({step})"
        same = f"has the same delay per position ({step}): both queues have one cause"
        return f"the test at power level 0, which takes no cluster lock, {same}"


@dataclass(frozen=True, slots=True)
class WaitedOnTheWayUp:
    waits: CoreAmounts

    def sentence(self, unit: str) -> str:
        return "these cores also waited during wake-up: " + ", ".join(f"{core} {amount(more, unit)}" for core, more in self.waits)


@dataclass(frozen=True, slots=True)
class LeadTookLonger:
    """The lead took longer than its siblings. `flush` is the part of `more` that its cluster flush explains."""

    lead: CoreId
    more: float
    flush: float

    @property
    def is_the_flush(self) -> bool:
        return abs(self.more - self.flush) <= 0.1 * self.more

    def sentence(self, unit: str) -> str:
        sentence = f"{self.lead}, the lead, took {amount(self.more, unit)} more than the other cores of its cluster"
        if self.is_the_flush:
            return f"{sentence}: its cluster flush"
        return sentence + (f", {amount(self.flush, unit)} of flush included" if self.flush > 0.1 * self.more else "")


def listed(cores: tuple[CoreId, ...]) -> str:
    return ", ".join(map(str, cores))
