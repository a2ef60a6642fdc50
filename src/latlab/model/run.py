# SPDX-License-Identifier: BSD-3-Clause
"""The plain, immutable data that every part of latlab speaks of.

A value is a whole number of ticks; `Tick` says what one tick is worth. Nothing here reads, writes or computes.
"""

from __future__ import annotations

from dataclasses import dataclass

from latlab.model.attacks import AttackResult
from latlab.model.blame import Blame
from latlab.model.conditions import UNSAID, Conditions
from latlab.model.enums import Clock, CodePart, InstructionClass, Kind, Metric, ProblemKind, RowKind, RunStatus
from latlab.model.experiment import Factor, Trial
from latlab.model.provenance import UNKNOWN, Provenance

UNNAMED = "unnamed"
COMMIT, SUBJECT_LINE, RECIPE = "commit", "subject", "recipe"
AUTHORED, MESSAGE, BUILT_BY, FAILED = "author date", "message", "build command", "not measured"
OF_A_COMMIT = (COMMIT, SUBJECT_LINE, RECIPE, AUTHORED, MESSAGE, BUILT_BY, FAILED)
"""Build options of what was built from a repository: the whole hash, the commit's first line, a digest of how it was built and measured;
its author's date, what it says of itself, of a merge what all say that it brought; the command; why there are no figures of it."""
PATCH = "patch"
"""The patch that a commit was built with, which makes another firmware of it."""


@dataclass(frozen=True, slots=True, order=True)
class CoreId:
    """Core identity: the pair (cluster, core), never a row number. Prints as `cluster.core`."""

    cluster: int
    core: int

    def __str__(self) -> str:
        return f"{self.cluster}.{self.core}"


@dataclass(frozen=True, slots=True)
class Topology:
    """Cores of each cluster: `(2, 4)` is Juno's shape. Prints as `2,4`."""

    clusters: tuple[int, ...]

    def __str__(self) -> str:
        return ",".join(map(str, self.clusters))

    @property
    def cores(self) -> tuple[CoreId, ...]:
        return tuple(CoreId(i, j) for i, n in enumerate(self.clusters) for j in range(n))


@dataclass(frozen=True, slots=True)
class Tick:
    """What one tick is: `value` of `unit` (`ns` or `insns`), on `clock`."""

    clock: Clock
    value: float

    @property
    def unit(self) -> str:
        return "insns" if self.clock is Clock.INSTRUCTIONS else "ns"


@dataclass(frozen=True, slots=True)
class Build:
    """The firmware under test: what it calls itself, the hash of its event table (None: not ours), the size of its code (None: unknown)."""

    firmware: str
    events_hash: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    code_bytes: int | None = None

    @property
    def commit(self) -> str:
        """`1a2b3c4d5e6f "first line"` of what was built from a repository; else empty."""
        options = dict(self.options)
        return f'{options[COMMIT][:12]} "{options.get(SUBJECT_LINE, "")}"' if options.get(COMMIT) else ""

    def said(self, option: str) -> str:
        """What this option was; empty where it was not given."""
        return dict(self.options).get(option, "")


@dataclass(frozen=True, slots=True)
class TraceRecord:
    """One trace point of one core. `sequence` counts from 0 at cold boot; `event` is a name of the event table."""

    sequence: int
    time_ticks: int
    event: str
    arg: int


@dataclass(frozen=True, slots=True)
class Sample:
    """One span of one core in one iteration, in ticks of the run's clock."""

    test: str
    metric: Metric
    core: CoreId
    boot: int
    iteration: int
    value_ticks: int


@dataclass(frozen=True, slots=True)
class LateWakeup:
    """A wake-up beyond the recorder's threshold, the periods that passed before the task ran, and what is to blame."""

    wake_ns: int
    late_ticks: int
    missed: int
    blame: Blame


@dataclass(frozen=True, slots=True)
class Distribution:
    """The spans of one core, counted: (low, high, n) is n spans of low to below high, rising, and `beyond` those above the last.

    `counts` is empty where only minimum, average and maximum are known. `expected` is how many were due and `missed` how many of these
    passed unmeasured, None where the tool does not say. Two distributions with the same `digest` hold the same spans in the same order.
    `blocks` are the counts of equal parts in time, none where the order is not known.
    Where `rows` says that it is of no CPU, the number of `core` is that of the row; `thread` is the thread's, where a tool says both.
    """

    test: str
    metric: Metric
    core: CoreId
    counts: tuple[tuple[int, int, int], ...]
    beyond: int
    got: int
    expected: int | None
    missed: int | None
    minimum_ticks: int
    maximum_ticks: int
    average_ticks: float
    resolution_ticks: int = 1
    digest: str = ""
    late: tuple[LateWakeup, ...] = ()
    late_dropped: int = 0
    blocks: tuple[tuple[tuple[int, int, int], ...], ...] = ()
    rows: RowKind = RowKind.CPU
    thread: int | None = None

    @property
    def place(self) -> str:
        return self.rows.named(self.core.core)

    @property
    def is_computed(self) -> bool:
        """Whether nobody counted: where only a summary was published, `got` is what was due."""
        return not self.counts and self.missed is None and self.expected is not None and self.got == self.expected


@dataclass(frozen=True, slots=True)
class CoreTrace:
    """The records of one core in one iteration; `lost` counts those that were overwritten before they were read."""

    test: str
    boot: int
    iteration: int
    core: CoreId
    records: tuple[TraceRecord, ...]
    lost: int = 0


@dataclass(frozen=True, slots=True)
class FunctionShare:
    """Instructions of one function in all calls that were counted. `place` is where its source stands, `file:line`, empty where no image
    says it; `name` is an address where no image has one."""

    name: str
    place: str
    instructions: int


@dataclass(frozen=True, slots=True)
class Frame:
    """A function by who called it: frames stand in the order of a walk through the tree, callers first, `depth` 0 for those that nobody
    in the span called. `calls` is how often it was entered, `instructions` are its own."""

    depth: int
    name: str
    calls: int
    instructions: int


@dataclass(frozen=True, slots=True)
class ClassShare:
    """The instructions of one class, of each function and each frame of a SpanFunctions, in their order."""

    name: InstructionClass
    functions: tuple[int, ...]
    frames: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SpanFunctions:
    """What ran in one span of one core over `calls` iterations, in the order of the first run; the same by what the instructions are for
    (`parts`, which sum up to it exactly), how often each special one ran (`operations`, such as `dc cisw`), and by who called whom.
    The last three are empty in runs of older probes. `classes` sum up to it exactly; they are empty where they were not asked for."""

    test: str
    metric: Metric
    core: CoreId
    calls: int
    functions: tuple[FunctionShare, ...]
    parts: tuple[tuple[CodePart, int], ...] = ()
    operations: tuple[tuple[str, int], ...] = ()
    frames: tuple[Frame, ...] = ()
    classes: tuple[ClassShare, ...] = ()


@dataclass(frozen=True, slots=True)
class CalledAt:
    """One call of a function on a time line, in instructions: where it starts, all that passed until it was over, and its own of these."""

    depth: int
    name: str
    start: int
    whole: int
    own: int


@dataclass(frozen=True, slots=True)
class SpanTimeline:
    """The calls of one iteration of a span, in their order. `length` are the instructions of the span."""

    test: str
    metric: Metric
    core: CoreId
    iteration: int
    length: int
    calls: tuple[CalledAt, ...]


@dataclass(frozen=True, slots=True)
class MaskedStretches:
    """Stretches of instructions in which a core did not take the interrupts of `line`, by where they began and ended.

    `opened_for` are the functions that called the last one of the longest, from the inner to the outer. `caller` and `end` are empty
    where that is not told, `is_masked` is false where no register says whether they were masked. `worlds`
    are (world, instructions of all, of the longest): a higher world that ran meanwhile has its own."""

    line: str
    is_masked: bool
    begin: str
    caller: str
    end: str
    world: str
    from_start: bool
    to_end: bool
    count: int
    instructions: int
    longest: int
    worlds: tuple[tuple[str, int, int], ...]
    opened_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MaskedAtlas:
    """All of a run, the longest first."""

    stretches: tuple[MaskedStretches, ...]


@dataclass(frozen=True, slots=True)
class CallsOfKind:
    """The calls of one name from one world that a watch saw, in instructions. `is_inner`: inside another call. `worlds` are the medians
    of what each world took, `instructions` how many calls took how many, `by_core` how many each core made, `errors` how many answered
    what. `parts` and `frames` are empty where functions were not counted."""

    caller: str
    kind: str
    name: str
    is_inner: bool
    instructions: tuple[tuple[int, int], ...]
    slept: int
    worlds: tuple[tuple[str, float], ...]
    by_core: tuple[tuple[str, int], ...]
    parts: tuple[tuple[CodePart, int], ...] = ()
    frames: tuple[Frame, ...] = ()
    errors: tuple[tuple[str, int], ...] = ()

    @property
    def count(self) -> int:
        return sum(count for _, count in self.instructions)

    @property
    def total(self) -> int:
        return sum(value * count for value, count in self.instructions)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the input that is not as it should be: one sentence and where it stood (`line` from 1, 0 if nowhere).

    Where one cause has many cases, the sentence has their count and `details` are the cases. Documents have such causes and logs have none,
    so a store, which keeps runs made of logs, keeps no details.
    """

    line: int
    message: str
    kind: ProblemKind = ProblemKind.INPUT
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PrintedDelta:
    """What a document printed beside a figure: how far it is from another release's, in percent."""

    test: str
    metric: Metric
    core: CoreId
    percent: float


@dataclass(frozen=True, slots=True)
class Spans:
    """What a run of psci or psa holds: spans of cores, and the traces that they were made of, or the functions that the probe saw in
    them. `refused` are calls of which each one failed, with what they answered."""

    samples: tuple[Sample, ...] = ()
    traces: tuple[CoreTrace, ...] = ()
    functions: tuple[SpanFunctions, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LoadWork:
    """What one stressor of the load did while it was measured, as it counts that itself."""

    name: str
    per_second: float


@dataclass(frozen=True, slots=True)
class WakeupCounts:
    """What a run of rt holds: counted wake-ups by tool and CPU, and the load's own work where it counts it.

    A stored run is kept as raw files and has them once these are read."""

    distributions: tuple[Distribution, ...] = ()
    load: tuple[LoadWork, ...] = ()


@dataclass(frozen=True, slots=True)
class PowerCycles:
    """A run of CPU hotplug and system suspend: its crossings stand in its raw files."""


@dataclass(frozen=True, slots=True)
class Amount:
    """One quantity that a tool counted or summed, of one core, or of the whole machine where `core` is None.

    `values` are its repetitions, in the unit of its metric: ns of a duration, percent of what was available, numbers of everything else.
    `over_s` is how long each of them was counted, None for what does not grow with time.
    """

    test: str
    metric: Metric
    name: str
    core: CoreId | None
    values: tuple[float, ...]
    over_s: float | None = None


@dataclass(frozen=True, slots=True)
class Amounts:
    """What a run of a benchmark or a noise meter holds. A stored run is kept as raw files and has them, and the name of its tool, once
    these are read."""

    amounts: tuple[Amount, ...] = ()
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Attacks:
    """What came of each attack. A stored run keeps them as a log and has them once this is read."""

    results: tuple[AttackResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Experiment:
    """What a designed experiment holds: its factors, its trials in the order in which they were run, and which of their figures it was made
    for. A stored one has its trials once the runs that it consists of are read."""

    factors: tuple[Factor, ...] = ()
    trials: tuple[Trial, ...] = ()
    response: str = ""
    smallest_percent: float | None = None
    wanted: int = 0


Contents = Spans | WakeupCounts | PowerCycles | Amounts | Attacks | Experiment
_KINDS: dict[type[Contents], Kind] = {
    Spans: Kind.SPANS,
    WakeupCounts: Kind.WAKEUPS,
    PowerCycles: Kind.POWER,
    Amounts: Kind.AMOUNTS,
    Attacks: Kind.ATTACKS,
    Experiment: Kind.DESIGN,
}


@dataclass(frozen=True, slots=True)
class Run:
    """One campaign on one target, with everything needed to say what its figures mean.

    `platform` is `UNNAMED` where the source of the figures does not say it. `source` names what an imported run was read from.
    `resolutions` are metrics that were printed more coarsely than the clock counts, in ns. `facts` are for a reader: no code asks them.
    """

    campaign: str
    target: str
    platform: str
    topology: Topology
    tick: Tick
    build: Build = Build("unknown")
    lead: CoreId | None = None
    status: RunStatus = RunStatus.PARTIAL
    contents: Contents = Spans()
    problems: tuple[Problem, ...] = ()
    conditions: Conditions = UNSAID
    capture_cost_ticks: float | None = None
    started_utc: str = ""
    emulator: str = ""
    command: tuple[str, ...] = ()
    source: str = ""
    printed_deltas: tuple[PrintedDelta, ...] = ()
    resolutions: tuple[tuple[Metric, float], ...] = ()
    provenance: Provenance = UNKNOWN
    facts: tuple[tuple[str, str], ...] = ()
    id: str = ""

    @property
    def is_simulated(self) -> bool:
        """Whether the figures are those of a model of the board: computed in virtual time, and measured nowhere."""
        return self.tick.clock is Clock.VIRTUAL

    @property
    def kind(self) -> Kind:
        return _KINDS[type(self.contents)]

    @property
    def samples(self) -> tuple[Sample, ...]:
        """The samples of a run of spans; none of another."""
        return self.contents.samples if isinstance(self.contents, Spans) else ()

    @property
    def traces(self) -> tuple[CoreTrace, ...]:
        """The traces of a run of spans; none of another."""
        return self.contents.traces if isinstance(self.contents, Spans) else ()

    @property
    def functions(self) -> tuple[SpanFunctions, ...]:
        """The functions of each span, where the probe counted them."""
        return self.contents.functions if isinstance(self.contents, Spans) else ()

    @property
    def refused(self) -> tuple[tuple[str, str], ...]:
        """The calls of which each one failed, and what they answered; none where nobody looked."""
        return self.contents.refused if isinstance(self.contents, Spans) else ()

    @property
    def distributions(self) -> tuple[Distribution, ...]:
        """The counts of a run of wake-ups; none of another."""
        return self.contents.distributions if isinstance(self.contents, WakeupCounts) else ()

    @property
    def load(self) -> tuple[LoadWork, ...]:
        """The work of the load beside the wake-ups of a run; none where the load does not count it."""
        return self.contents.load if isinstance(self.contents, WakeupCounts) else ()

    @property
    def amounts(self) -> tuple[Amount, ...]:
        """The amounts of a benchmark or a noise meter; none of another run."""
        return self.contents.amounts if isinstance(self.contents, Amounts) else ()

    @property
    def attacks(self) -> tuple[AttackResult, ...]:
        """The rows of a run of attacks; none of another."""
        return self.contents.results if isinstance(self.contents, Attacks) else ()

    @property
    def experiment(self) -> Experiment | None:
        """Factors and trials of a designed experiment; None of another run."""
        return self.contents if isinstance(self.contents, Experiment) else None
