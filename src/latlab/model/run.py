# SPDX-License-Identifier: BSD-3-Clause
"""The plain, immutable data that all parts of latlab share.

A value is a whole number of ticks; `Tick` says what a tick is worth. Nothing in this module reads, writes or computes.
"""

from __future__ import annotations

from dataclasses import dataclass

from latlab.model.attacks import AttackResult
from latlab.model.blame import Blame
from latlab.model.conditions import NO_CONDITIONS, Conditions
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
    """The firmware under test: its name, the hash of its event table (None: not our firmware), and the size of its code in bytes (None:
    unknown)."""

    firmware: str
    events_hash: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    code_bytes: int | None = None

    @property
    def commit(self) -> str:
        """`1a2b3c4d5e6f "first line"` of what was built from a repository; else empty."""
        options = dict(self.options)
        return f'{options[COMMIT][:12]} "{options.get(SUBJECT_LINE, "")}"' if options.get(COMMIT) else ""

    def get_option(self, option: str) -> str:
        """The value of a build option; empty if the option was not given."""
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
    """A wake-up that was later than the recorder's threshold, the number of periods that passed before the task ran, and the cause."""

    wake_ns: int
    late_ticks: int
    missed: int
    blame: Blame


@dataclass(frozen=True, slots=True)
class Distribution:
    """The spans of one core as a histogram: (low, high, n) counts n spans in [low, high), sorted and disjoint; `beyond` counts the spans
    above the last.

    `counts` is empty if only minimum, average and maximum are known. `expected` is the number of spans that were due, and `missed` the
    number of these that passed unmeasured; both are None if the tool does not report them. Two distributions with the same `digest`
    contain the same spans in the same order. `blocks` are the counts of equal parts of the time, empty if the order is not known. If
    `rows` says that the row is not a CPU, the number of `core` is the number of the row. `thread` is the number of the thread, if a tool
    reports both.
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
        """Whether the number of spans was computed and not counted: if only a summary was published, `got` is the number that was due."""
        return not self.counts and self.missed is None and self.expected is not None and self.got == self.expected


@dataclass(frozen=True, slots=True)
class CoreTrace:
    """The records of one core in one iteration; `lost` counts the records that were overwritten before they were read."""

    test: str
    boot: int
    iteration: int
    core: CoreId
    records: tuple[TraceRecord, ...]
    lost: int = 0


@dataclass(frozen=True, slots=True)
class FunctionShare:
    """Instructions of one function in all counted calls. `place` is its source, `file:line`, empty if no image states it. `name` is an
    address if no image names the function."""

    name: str
    place: str
    instructions: int


@dataclass(frozen=True, slots=True)
class Frame:
    """A function with its caller: frames are the nodes of a call tree in preorder, callers first; `depth` is 0 for functions without a
    caller in the span. `calls` is how often the function was entered, `instructions` are its own."""

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
    """What ran in one span of one core over `calls` iterations, in the order of the first run.

    `parts` are the instructions by purpose and add up to the total. `operations` is how often each special instruction ran, such as `dc
    cisw`. `frames` are the call tree. These three are empty in runs of older probes. `classes` add up to the total and are empty if they
    were not requested.
    """

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
    """One call of a function on a time line, in instructions: its start, the instructions until it returned, and the function's own part
    of these."""

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
    """Stretches of instructions during which a core did not take the interrupts of `line`, grouped by their begin and end.

    `opened_for` are the functions that called the last function of the longest stretch, innermost first. `caller` and `end` are empty if
    they are not known. `is_masked` is false if no register shows whether interrupts were masked. `worlds` are (world, instructions of
    all stretches, instructions of the longest): a higher world that ran meanwhile has its own entry.
    """

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
    """All stretches of a run, the longest first."""

    stretches: tuple[MaskedStretches, ...]


@dataclass(frozen=True, slots=True)
class CallsOfKind:
    """The calls with one name from one world in a watch run, in instructions.

    `is_inner`: inside another call. `worlds` are the medians for each world. `instructions` are (instructions, number of calls),
    `by_core` is the number of calls of each core, `errors` the number of calls with each error. `parts` and `frames` are empty if
    functions were not counted.
    """

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
    """A fault of the input: one sentence and its place (`line` from 1, 0 if there is none).

    If one cause has many cases, the sentence has their number and `details` are the cases. Documents have such causes, logs do not; so a
    store, which keeps runs made from logs, keeps no details.
    """

    line: int
    message: str
    kind: ProblemKind = ProblemKind.INPUT
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PrintedDelta:
    """The difference to another release, in percent, that a document printed beside a figure."""

    test: str
    metric: Metric
    core: CoreId
    percent: float


@dataclass(frozen=True, slots=True)
class Spans:
    """The contents of a psci or psa run: spans of cores, and the traces or the functions behind them. `refused` are calls of which every
    one failed, with their results."""

    samples: tuple[Sample, ...] = ()
    traces: tuple[CoreTrace, ...] = ()
    functions: tuple[SpanFunctions, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LoadWork:
    """The work of one stressor of the load during the measurement, as the stressor counts it."""

    name: str
    per_second: float


@dataclass(frozen=True, slots=True)
class WakeupCounts:
    """The contents of an rt run: histograms of wake-ups by tool and CPU, and the work of the load if the load counts it.

    A stored run consists of raw files; the contents are available once these are read.
    """

    distributions: tuple[Distribution, ...] = ()
    load: tuple[LoadWork, ...] = ()


@dataclass(frozen=True, slots=True)
class PowerCycles:
    """A run of CPU hotplug and system suspend; its data is in its raw files."""


@dataclass(frozen=True, slots=True)
class Amount:
    """One quantity that a tool counted or summed, for one core, or for the whole machine if `core` is None.

    `values` are the repetitions, in the unit of the metric: ns for a duration, percent for availability, numbers for all others.
    `over_s` is the time of each count in seconds, None for quantities that do not grow with time.
    """

    test: str
    metric: Metric
    name: str
    core: CoreId | None
    values: tuple[float, ...]
    over_s: float | None = None


@dataclass(frozen=True, slots=True)
class Amounts:
    """The contents of a benchmark or noise-meter run. A stored run consists of raw files; amounts and the name of the tool are available
    once these are read."""

    amounts: tuple[Amount, ...] = ()
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Attacks:
    """The result of each attack. A stored run keeps a log; the results are available once it is read."""

    results: tuple[AttackResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Experiment:
    """The contents of a designed experiment: its factors, its trials in the order of their runs, and the figure it was made for. The
    trials of a stored experiment are available once its runs are read."""

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
    """One campaign on one target, with everything that is needed to interpret its figures.

    `platform` is `UNNAMED` if the source of the figures does not state it. `source` names the file of an imported run. `resolutions` are
    metrics that were printed more coarsely than the clock counts, in ns. `facts` are for a reader: no code uses them.
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
    conditions: Conditions = NO_CONDITIONS
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
        """Whether the figures come from a model of the board: computed in virtual time, not measured."""
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
        """The calls of which every one failed, with their results; empty if results were not checked."""
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
