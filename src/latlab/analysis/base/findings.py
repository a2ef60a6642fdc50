# SPDX-License-Identifier: BSD-3-Clause
"""What an explanation says, as data: one type for each kind of statement, its amounts in the run's unit (ns or insns).

The sentence for a reader is made of it last, in `sentences`.
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
    """What may stand behind a finding where the figures cannot tell which."""

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
    """Figures that may not be what they are said to be."""

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
    """The figures do not keep a rule, which a definition or a specification demands or only likeness does."""

    check: Check


@dataclass(frozen=True, slots=True)
class RuleChanged:
    """One of two runs keeps a rule and the other, of which `check` is, does not."""

    check: Check
    is_worse: bool
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class LargeUntold:
    """A row, or one cell of it, differs by more than a comparison of so many boots should miss, and cannot be told from noise. `cores`: so
    many moved farther than their own noise, which the verdict's model of scatter does not show."""

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
    """The largest of one run is many times the other's. Where that is not `is_told`, too few are as large to tell it from chance."""

    metric: Metric
    test: str
    name: str
    before: float
    after: float
    is_told: bool

    @property
    def ratio(self) -> float:
        """How many times the smaller one it is; infinite against nothing."""
        low, high = sorted((self.before, self.after))
        return high / low if low > 0 else float("inf")


@dataclass(frozen=True, slots=True)
class ScatterUnknown:
    """A figure of wake-ups differs by more than should pass, but runs of one thing may do so, and nothing says what they scatter by:
    `again` says how a second run of the base would."""

    metric: Metric
    test: str
    name: str
    before: float
    after: float
    rows: int
    again: str


@dataclass(frozen=True, slots=True)
class RarestSeen:
    """What a comparison of wake-ups, or of stalls, could have seen: a cause that makes one later than any other was found in nine of ten
    comparisons if it came once in `once_in` of them, counted by event where `is_by_event`. For one in `rarest` it takes `wakeups` of each
    run, which are measured in `seconds`, None where the interval is not known."""

    test: str
    thing: str
    once_in: float
    rarest: float
    wakeups: float
    seconds: float | None
    is_by_event: bool


@dataclass(frozen=True, slots=True)
class NotTold:
    """Rows that cannot be told, the largest shift among them as a share of the first run's figure. `by_order`: nothing but the order of
    the cores keeps them from it."""

    rows: int
    of: int
    largest: float
    by_order: bool = False


@dataclass(frozen=True, slots=True)
class LadderRefused:
    """Spans that wait but make no ladder: it explains `share` of their variance, or several cores of a cluster pay as its last man."""

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
    """A queue: the cores in the order in which they were served, and the ladder that fits; `rms` is what the fit leaves."""

    cores: tuple[CoreId, ...]
    base: float
    step: float
    rms: float


@dataclass(frozen=True, slots=True)
class DidNotWait:
    """The cores at the head, behind which the queue begins."""

    cores: tuple[CoreId, ...]


@dataclass(frozen=True, slots=True)
class LongestWait:
    """The last core of the queue: what it waited behind how many cores, and the extras in it by name."""

    core: CoreId
    waited: float
    ahead: int
    step: float
    extras: Amounts


@dataclass(frozen=True, slots=True)
class PaidAsLastMan:
    """`rise` is how far the core stands behind the one before it, where that is too little to hold the flush; else None."""

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
    """The step of the level-0 test beside this test's: the same, or another."""

    step: float
    same: bool


@dataclass(frozen=True, slots=True)
class WaitedOnTheWayUp:
    waits: CoreAmounts


@dataclass(frozen=True, slots=True)
class LeadTookLonger:
    """Than its siblings. `flush` is the part of `more` that its cluster flush explains."""

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
    """The innermost function that, with what it calls, has more than half of a core's span; `caller` calls it so often in one span."""

    core: CoreId
    metric: Metric
    function: str
    caller: str
    times: float
    spent: float
    share: float


@dataclass(frozen=True, slots=True)
class WaitedFor:
    """A wait seen in the trace: who held the lock for how long of it, or whose event ended it."""

    core: CoreId
    waited: float
    part: str
    holders: CoreAmounts
    ended_by: tuple[CoreId, str] | None


@dataclass(frozen=True, slots=True)
class MetricMoved:
    """Rows of one metric that changed one way. `everywhere`: in every test that has the metric; `untouched`
    are metrics shown not to move. `in_iterations`: some changed in a part of their iterations; amounts are of the one that moved most."""

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
    """Spans of one run that drift or switch over its iterations, and not so in the other: no change between the two."""

    metric: Metric
    test: str
    name: str
    run: str
    level: float
    drift: Drift


@dataclass(frozen=True, slots=True)
class CouldHaveSeen:
    """In half of `rows` a change of `figure` by this share of the level would have been found with `power`; with so many boots more of
    each run, one of the share `then`."""

    figure: str
    rows: int
    share: float
    power: float
    more: int | None
    then: float | None


@dataclass(frozen=True, slots=True)
class TailNotTold:
    """Rows whose level is the same and whose iterations are too few, or too scattered, to tell of the tail. `is_rest`: beside others that
    moved or cannot be told."""

    rows: int
    of: int
    is_rest: bool


@dataclass(frozen=True, slots=True)
class InSomeIterations:
    """A row whose change is in some iterations only, under a clock that is exact."""

    metric: Metric
    test: str
    name: str
    found: InIterations


@dataclass(frozen=True, slots=True)
class TermMoved:
    """A term of the ladder that changed, with its value before and after in each test."""

    term: str
    verdict: Verdict
    tests: tuple[str, ...]
    changes: tuple[tuple[float, float], ...]
    relative: float


@dataclass(frozen=True, slots=True)
class PartsMoved:
    """Medians over the cores of a span's parts, by how much they moved."""

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
    """Every function that differs in one metric of these tests, which moved alike; the largest first. Means over `cores` of
    `of_cores`."""

    metric: Metric
    tests: tuple[str, ...]
    functions: tuple[FunctionMoved, ...]
    cores: int
    of_cores: int


@dataclass(frozen=True, slots=True)
class OrderChanged:
    """`largest_share` is the largest relative move of a span against its place in the queue, None where nothing can be said of it."""

    before: tuple[CoreId, ...]
    after: tuple[CoreId, ...]
    largest_share: float | None


@dataclass(frozen=True, slots=True)
class NothingMoved:
    """No structure changed beyond its threshold; `of_levels`: no level did, and of the tails not all is told."""

    of_levels: bool = False


@dataclass(frozen=True, slots=True)
class CallOfSize:
    """A kind of call of which `times` together take as much as was stolen. `seen`: how many of that size the probe saw; `function` is
    where its instructions lie mostly, empty where no functions were counted."""

    name: str
    seen: int
    times: int
    function: str


@dataclass(frozen=True, slots=True)
class StolenBy:
    """Thefts of one size, and every kind of call of the same firmware that fits; empty where none does."""

    thefts: int
    instructions: int
    calls: tuple[CallOfSize, ...]


@dataclass(frozen=True, slots=True)
class ConditionsDiffer:
    """What stands with the verdict: which conditions of the two runs differ, and what takes something from their figures."""

    caveat: str


@dataclass(frozen=True, slots=True)
class ModeCaveat:
    """What the mode of a measurement takes from its figures; `pair` where two runs differ."""

    mode: Mode
    pair: bool


@dataclass(frozen=True, slots=True)
class Scatter:
    """A metric's standard deviations over their means, the median and the largest of all spans; None where they cannot be told apart.

    `counts`: the fewest and the most boots, the fewest and the most iterations in one, and how many spans of cores or places.
    """

    metric: Metric
    between: tuple[float, float] | None
    within: tuple[float, float] | None
    counts: tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Spread:
    """One CPU's wake-ups. `median` is None where only a summary is known, whose figures were printed in steps of `step`; `missed` periods
    passed while the task was late."""

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
    """One statistic of one CPU's wake-ups; in the unit of its own metric."""

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
    """Wake-ups of all CPUs that are later than a level, which `name` says, came more or less often, per million."""

    verdict: Verdict
    name: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class CauseCounted:
    """How often one cause made wake-ups late in both runs, by event: (events, of so many wake-ups), the ratio of the rates with its 95 %
    interval, and what is told of it. `needed` wake-ups of each run, `seconds` long where the interval is known, would show it to come twice
    as often; None where it cannot be said."""

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
    """How many late wake-ups had one blame, before and after."""

    blame: Blame
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class NoWakeupMoved:
    """No CPU's wake-ups are shown to have changed; of so many rows nothing can be told."""

    untold: int = 0


@dataclass(frozen=True, slots=True)
class AmountMoved:
    """One quantity that changed; in the unit of its own metric."""

    name: str
    metric: Metric
    verdict: Verdict
    before: float
    after: float
    relative: float


@dataclass(frozen=True, slots=True)
class AmountsNotTold:
    """Quantities that cannot be told, the largest shift among them as a share of the first run's figure."""

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
