# SPDX-License-Identifier: BSD-3-Clause
"""Findings as data: one type for each kind of statement, amounts in the run's unit (ns or insns).

`sentences` turns them into sentences.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from latlab.analysis.base.check import Check
from latlab.analysis.base.counted_findings import CountedFinding
from latlab.analysis.base.iterations import Drift, InIterations
from latlab.analysis.base.platform_findings import PlatformFinding
from latlab.analysis.base.suspicion import Suspicion
from latlab.analysis.base.verdicts import Verdict
from latlab.model.blame import Blame
from latlab.model.conditions import Mode
from latlab.model.enums import Metric
from latlab.model.run import CoreId

Amounts = tuple[tuple[str, float], ...]
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


@dataclass(frozen=True, slots=True)
class Suspected:
    """Figures that may not be what they claim to be."""

    suspicion: Suspicion


@dataclass(frozen=True, slots=True)
class SamplesMissing:
    """A core, CPU or quantity of which the candidate has `got` samples of `due`, and the base had `before` of `due_before`."""

    test: str
    name: str
    thing: str
    got: int
    due: int
    before: int
    due_before: int


@dataclass(frozen=True, slots=True)
class RuleBroken:
    """The figures break a rule that a definition or a specification requires, or that only plausibility suggests."""

    check: Check


@dataclass(frozen=True, slots=True)
class RuleChanged:
    """One of two runs keeps a rule, the other breaks it; `check` belongs to the other."""

    check: Check
    is_worse: bool
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class LargeUntold:
    """A row, or one cell of it, differs by a large amount that cannot be distinguished from noise. `cores`: the number of cores that
    moved farther than their own noise, which the model of the verdict does not show."""

    metric: Metric
    test: str
    name: str
    before: float
    largest: float
    rows: int
    cores: int = 0


@dataclass(frozen=True, slots=True)
class BootApart:
    """One boot of a run lies far from its other boots: it makes the run a poor base, or a poor candidate."""

    metric: Metric
    test: str
    name: str
    run: str
    boot: int
    boots: int
    value: float
    others: float


@dataclass(frozen=True, slots=True)
class SpreadMoved:
    """The iterations of so many cores lie `ratio` times as far from their median as in the base."""

    metric: Metric
    test: str
    ratio: float
    cores: int


@dataclass(frozen=True, slots=True)
class LargestGrew:
    """The largest value of one run is many times that of the other. If it is not `is_told`, too few values are as large to distinguish
    it from chance."""

    metric: Metric
    test: str
    name: str
    before: float
    after: float
    is_told: bool

    @property
    def ratio(self) -> float:
        """The larger value over the smaller one; infinite if the smaller one is 0."""
        low, high = sorted((self.before, self.after))
        return high / low if low > 0 else float("inf")


@dataclass(frozen=True, slots=True)
class ScatterUnknown:
    """A figure of wake-ups has a large difference, and the scatter between runs of the same system is unknown. `again` is the command
    for a second run of the base, which would show it."""

    metric: Metric
    test: str
    name: str
    before: float
    after: float
    rows: int
    again: str


@dataclass(frozen=True, slots=True)
class RarestSeen:
    """The lowest detectable rate of a comparison of wake-ups or stalls: a cause with one event in `once_in` was detected in nine of ten
    comparisons; counted by event if `is_by_event`. A rate of one in `rarest` needs `wakeups` of each run, which take `seconds`, None if
    the interval is not known."""

    test: str
    thing: str
    once_in: float
    rarest: float
    wakeups: float
    seconds: float | None
    is_by_event: bool


@dataclass(frozen=True, slots=True)
class NotTold:
    """Inconclusive rows, with the largest shift among them as a share of the first run's figure. `by_order`: only the order of the cores
    makes them inconclusive."""

    rows: int
    of: int
    largest: float
    by_order: bool = False


@dataclass(frozen=True, slots=True)
class LadderRefused:
    """Spans with waits that the queue model does not fit: it explains `share` of their variance, or several cores of a cluster pay as
    its last core down."""

    share: float
    cluster: int | None
    last_men: int


@dataclass(frozen=True, slots=True)
class CoresTakeTurns:
    """The instruction clock lets one core run at a time, so the spans show no queue."""


@dataclass(frozen=True, slots=True)
class NoQueue:
    step: float
    base: float


@dataclass(frozen=True, slots=True)
class ServedInOrder:
    """A queue: the cores in the order in which they were served, and the fitted terms. `rms` is the root mean square residual."""

    cores: tuple[CoreId, ...]
    base: float
    step: float
    rms: float


@dataclass(frozen=True, slots=True)
class DidNotWait:
    """The cores before the queue began, which did not wait."""

    cores: tuple[CoreId, ...]


@dataclass(frozen=True, slots=True)
class LongestWait:
    """The last core of the queue: its wait, the number of cores before it, and the last-core delays by name."""

    core: CoreId
    waited: float
    ahead: int
    step: float
    extras: Amounts


@dataclass(frozen=True, slots=True)
class PaidAsLastMan:
    """`rise` is how much longer the core took than the one before it, if that is too little for the flush; else None."""

    core: CoreId
    flush: float
    rise: float | None


@dataclass(frozen=True, slots=True)
class WaitedBehindLastMan:
    """The core next behind a cluster's last man waited longer than a step."""

    core: CoreId
    more: float


@dataclass(frozen=True, slots=True)
class LastOfSystem:
    core: CoreId
    more: float


@dataclass(frozen=True, slots=True)
class StepOfQueue:
    step: float


@dataclass(frozen=True, slots=True)
class QueueWithoutClusterLock:
    """Level 0 takes no lock of a cluster and queues nevertheless."""


@dataclass(frozen=True, slots=True)
class StepOfLevelZero:
    """The per-position delay of the level-0 test, compared with that of this test."""

    step: float
    same: bool


@dataclass(frozen=True, slots=True)
class WaitedOnTheWayUp:
    waits: CoreAmounts


@dataclass(frozen=True, slots=True)
class LeadTookLonger:
    """The lead took longer than its siblings. `flush` is the part of `more` that its cluster flush explains."""

    lead: CoreId
    more: float
    flush: float

    @property
    def is_the_flush(self) -> bool:
        return abs(self.more - self.flush) <= 0.1 * self.more


@dataclass(frozen=True, slots=True)
class LongestSpan:
    core: CoreId
    metric: Metric
    total: float
    parts: Amounts


@dataclass(frozen=True, slots=True)
class SpentIn:
    """The innermost function that, with its callees, has more than half of a core's span. `caller` calls it `times` times in one span."""

    core: CoreId
    metric: Metric
    function: str
    caller: str
    times: float
    spent: float
    share: float


@dataclass(frozen=True, slots=True)
class WaitedFor:
    """A wait in the trace: the lock holders and how long each held it, or the event that ended the wait."""

    core: CoreId
    waited: float
    part: str
    holders: CoreAmounts
    ended_by: tuple[CoreId, str] | None


@dataclass(frozen=True, slots=True)
class MetricMoved:
    """Rows of one metric that changed in one direction. `everywhere`: in every test with the metric. `untouched` are metrics shown not
    to change. `in_iterations`: some changed in a part of their iterations; amounts are those of the iteration that changed most."""

    metric: Metric
    verdict: Verdict
    tests: tuple[str, ...]
    everywhere: bool
    low: float
    high: float
    cells: int
    by_cluster: tuple[tuple[int, float], ...]
    queue_waits: Amounts
    untouched: tuple[Metric, ...]
    in_iterations: bool = False


@dataclass(frozen=True, slots=True)
class ShapeMoved:
    """How the spans of some cores spread around their median changed: figures by name with their distance from it before and after."""

    metric: Metric
    test: str
    name: str
    verdict: Verdict
    figures: tuple[tuple[str, float, float], ...]


@dataclass(frozen=True, slots=True)
class DriftInside:
    """Spans that drift or switch during one run and not during the other. This is no change between the runs."""

    metric: Metric
    test: str
    name: str
    run: str
    level: float
    drift: Drift


@dataclass(frozen=True, slots=True)
class CouldHaveSeen:
    """The median minimum detectable effect of `rows`: a change of `figure` by this share of the level is detected with `power`. With
    `more` boots of each run, a change of the share `then` is detected."""

    figure: str
    rows: int
    share: float
    power: float
    more: int | None
    then: float | None


@dataclass(frozen=True, slots=True)
class TailNotTold:
    """Rows with an equivalent median whose iterations are too few or too scattered for a result on the tail. `is_rest`: other rows
    changed or are inconclusive."""

    rows: int
    of: int
    is_rest: bool


@dataclass(frozen=True, slots=True)
class InSomeIterations:
    """A row that changed in some iterations only, under an exact clock."""

    metric: Metric
    test: str
    name: str
    found: InIterations


@dataclass(frozen=True, slots=True)
class TermMoved:
    """A term of the queue model that changed, with its value before and after in each test."""

    term: str
    verdict: Verdict
    tests: tuple[str, ...]
    changes: tuple[tuple[float, float], ...]
    relative: float


@dataclass(frozen=True, slots=True)
class PartsMoved:
    """The changes of the medians, over the cores, of a span's parts."""

    metric: Metric
    parts: Amounts


@dataclass(frozen=True, slots=True)
class FunctionMoved:
    """Instructions of one function per call, mean over the finding's cores; `place` is `file:line` of its source, empty where no image
    says it."""

    name: str
    place: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class FunctionsMoved:
    """All functions that differ in one metric of these tests, in which they changed alike; the largest first. Means over `cores` of
    `of_cores`."""

    metric: Metric
    tests: tuple[str, ...]
    functions: tuple[FunctionMoved, ...]
    cores: int
    of_cores: int


@dataclass(frozen=True, slots=True)
class OrderChanged:
    """`largest_share` is the largest relative difference between a span and the model at its queue position; None if it cannot be
    computed."""

    before: tuple[CoreId, ...]
    after: tuple[CoreId, ...]
    largest_share: float | None


@dataclass(frozen=True, slots=True)
class NothingMoved:
    """No structure changed beyond its threshold. `of_levels`: no level changed, and some tails are inconclusive."""

    of_levels: bool = False


@dataclass(frozen=True, slots=True)
class CallOfSize:
    """A kind of call of which `times` together take as long as the steal time. `seen`: how many calls of that size the probe saw.
    `function` is the function with most of its instructions, empty if functions were not counted."""

    name: str
    seen: int
    times: int
    function: str


@dataclass(frozen=True, slots=True)
class StolenBy:
    """Steal times of one size, and every kind of call of the same firmware that fits; empty if none fits."""

    thefts: int
    instructions: int
    calls: tuple[CallOfSize, ...]


@dataclass(frozen=True, slots=True)
class ConditionsDiffer:
    """The text that is printed with the verdict: the differing conditions of the two runs, and what limits their figures."""

    caveat: str


@dataclass(frozen=True, slots=True)
class ModeCaveat:
    """The limits of a measurement in this mode; `pair` if the modes of two runs differ."""

    mode: Mode
    pair: bool


@dataclass(frozen=True, slots=True)
class Scatter:
    """The relative standard deviations of a metric: the median and the largest of all spans. None if they cannot be separated.

    `counts`: the fewest and the most boots, the fewest and the most iterations in one boot, and the number of spans of cores or
    positions.
    """

    metric: Metric
    between: tuple[float, float] | None
    within: tuple[float, float] | None
    counts: tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Spread:
    """The wake-ups of one CPU. `median` is None if only a summary is known, whose figures were printed in steps of `step`. `missed`
    periods passed while the task was late."""

    cpu: int
    average: float
    median: float | None
    maximum: float
    wakeups: int
    missed: int
    step: float = 0.0


@dataclass(frozen=True, slots=True)
class LateByBlame:
    blame: Blame
    wakeups: int
    of: int
    latest: float


@dataclass(frozen=True, slots=True)
class LateInPeriod:
    wakeups: int
    period_s: float


@dataclass(frozen=True, slots=True)
class StatisticMoved:
    """One statistic of the wake-ups of one CPU, in the unit of its metric."""

    statistic: str
    metric: Metric
    before: float
    after: float
    relative: float


@dataclass(frozen=True, slots=True)
class CpuMoved:
    cpu: int
    verdict: Verdict
    figures: tuple[StatisticMoved, ...]
    quiet: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LateMoved:
    """A changed rate of wake-ups of all CPUs that are later than a level, which `name` states, per million."""

    verdict: Verdict
    name: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class CauseCounted:
    """How often one cause made wake-ups late in both runs, by event: (events, wake-ups), the ratio of the rates with its 95 % interval,
    and the verdict. With `needed` wake-ups of each run, which take `seconds` if the interval is known, a doubled rate would be detected;
    None if that cannot be computed."""

    verdict: Verdict
    blame: Blame
    before: tuple[int, int]
    after: tuple[int, int]
    ratio: float
    low: float
    high: float
    needed: float | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class BlameMoved:
    """The number of late wake-ups with one cause, before and after."""

    blame: Blame
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class NoWakeupMoved:
    """No CPU shows a change of its wake-ups; `untold` rows are inconclusive."""

    untold: int = 0


@dataclass(frozen=True, slots=True)
class AmountMoved:
    """One quantity that changed, in the unit of its metric."""

    name: str
    metric: Metric
    verdict: Verdict
    before: float
    after: float
    relative: float


@dataclass(frozen=True, slots=True)
class AmountsNotTold:
    """Inconclusive quantities, with the largest shift among them as a share of the first run's figure."""

    quantities: int
    of: int
    largest: float


Finding = (
    Suspected
    | SamplesMissing
    | RuleBroken
    | RuleChanged
    | LargeUntold
    | BootApart
    | SpreadMoved
    | LargestGrew
    | ScatterUnknown
    | RarestSeen
    | LateMoved
    | NotTold
    | LadderRefused
    | CoresTakeTurns
    | NoQueue
    | ServedInOrder
    | DidNotWait
    | LongestWait
    | PaidAsLastMan
    | WaitedBehindLastMan
    | LastOfSystem
    | StepOfQueue
    | QueueWithoutClusterLock
    | StepOfLevelZero
    | WaitedOnTheWayUp
    | LeadTookLonger
    | LongestSpan
    | SpentIn
    | WaitedFor
    | MetricMoved
    | InSomeIterations
    | ShapeMoved
    | DriftInside
    | CouldHaveSeen
    | TailNotTold
    | TermMoved
    | PartsMoved
    | FunctionsMoved
    | OrderChanged
    | NothingMoved
    | StolenBy
    | ConditionsDiffer
    | ModeCaveat
    | Scatter
    | Spread
    | LateByBlame
    | LateInPeriod
    | CpuMoved
    | BlameMoved
    | CauseCounted
    | NoWakeupMoved
    | PlatformFinding
    | CountedFinding
    | AmountMoved
    | AmountsNotTold
)
