# SPDX-License-Identifier: BSD-3-Clause
"""The plain, immutable data that all parts of latlab share.

A value is a whole number of ticks; `Tick` says what a tick is worth. Nothing in this module reads, writes or computes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from latlab.core.model.conditions import NO_CONDITIONS, Conditions
from latlab.core.model.enums import Clock, CodePart, InstructionClass, Metric, ProblemKind, RunStatus
from latlab.core.model.provenance import UNKNOWN, Provenance

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
    """What one tick is: `value` of `unit` (`ns`, `insns`, `cycles` or `ticks`), on `clock`."""

    clock: Clock
    value: float

    @property
    def unit(self) -> str:
        return {Clock.INSTRUCTIONS: "insns", Clock.CYCLES: "cycles", Clock.TICKS: "ticks"}.get(self.clock, "ns")

    @property
    def is_counted(self) -> bool:
        """Whether figures are exact whole numbers, no time."""
        return self.clock in (Clock.INSTRUCTIONS, Clock.CYCLES, Clock.TICKS)


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


class Contents:
    """What a run contains beside its head: a frozen dataclass for each kind of run. `kind` is the name of the kind."""

    __slots__ = ()
    kind: ClassVar[str]


@dataclass(frozen=True, slots=True)
class Spans(Contents):
    """The contents of a psci or psa run: spans of cores, and the traces or the functions behind them. `refused` are calls of which every
    one failed, with their results."""

    kind: ClassVar[str] = "spans"

    samples: tuple[Sample, ...] = ()
    traces: tuple[CoreTrace, ...] = ()
    functions: tuple[SpanFunctions, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """One campaign on one target, with everything that is needed to interpret its figures.

    `platform` is `UNNAMED` if the source of the figures does not state it. `source` names the file of an imported run. `resolutions` are
    metrics that were printed more coarsely than the clock counts, in ns. `facts` are for a reader: no code uses them.
    `label` is the name that a user gave the stored run.
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
    label: str = ""

    @property
    def is_simulated(self) -> bool:
        """Whether the figures come from a model of the board: computed in virtual time, not measured."""
        return self.tick.clock is Clock.VIRTUAL

    @property
    def kind(self) -> str:
        return self.contents.kind

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
