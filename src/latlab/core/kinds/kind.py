# SPDX-License-Identifier: BSD-3-Clause
"""A kind of run as one record: everything that the rest of latlab asks of it.

A row names functions with the types below, so that mypy checks each signature. The functions import what they call when they are called:
a row itself costs almost nothing to load.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from latlab.core.model.enums import Metric
from latlab.core.model.run import Contents, CoreTrace, Run, Sample

if TYPE_CHECKING:
    from latlab.core.comparison.check import Check
    from latlab.core.comparison.comparison import Comparison
    from latlab.core.comparison.coverage import Counted, SampleKey
    from latlab.core.comparison.explanation import Explanation
    from latlab.core.comparison.figure import Figure
    from latlab.core.comparison.limit import Held, Limit
    from latlab.core.comparison.tail import Tail
    from latlab.core.comparison.verdicts import Limits
    from latlab.core.lifecycle.material import RunArtifacts
    from latlab.core.model.time_line import TimeLine
    from latlab.core.report.page import Page, Section
    from latlab.core.report.redaction import Secrets
    from latlab.core.report.table import Table
    from latlab.core.store.store import Store

C = TypeVar("C", bound=Contents)
P = TypeVar("P", bound="Comparison")

Files = Mapping[str, bytes]
Line = tuple[Any, ...]
Lines = tuple[tuple[str, ...], Iterator[Line]]
"""The names of the columns, and the lines."""


@dataclass(frozen=True, slots=True)
class StoredParts:
    """What a store has of a run's contents: its rows, and its logs by name (empty if the run has no such log)."""

    samples: Iterable[Sample]
    traces: Iterable[CoreTrace]
    log: Callable[[str], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Codec(Generic[C]):
    """How contents are stored and exported.

    `keys` are the keys of the JSON export with their values in a run of another kind. `to_json` gives them for a run of this kind,
    `of_json` reads them and raises ValueError or msgspec.ValidationError. `of_store` makes contents of rows and logs; without it they are
    empty until `read` completes the run from its logs. `unreadable` is the reason if no figures can be read, with `{id}` for the run.
    """

    keys: Mapping[str, Any]
    to_json: Callable[[C], Mapping[str, Any]]
    of_json: Callable[[Mapping[str, Any]], C]
    of_store: Callable[[StoredParts], C] | None = None
    read: Callable[[RunArtifacts], Run] | None = None
    unreadable: str = ""


def _nothing(run: Run) -> tuple[Any, ...]:
    return ()


def _uncounted(run: Run) -> dict[SampleKey, Counted]:
    return {}


def _unrounded(runs: Sequence[Run], metric: Metric) -> float:
    return 0.0


def _unsized(run: Run) -> str:
    return ""


def _unlimited(run: Run, limit: Limit) -> Iterable[Held]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The analysis of one run. A kind without figures says why in `without_figures`; a kind whose repetitions are not joined by `+` has no
    `join`.

    `counted` is the number of samples at each place, `burst` the number that one event can take. `rounding` is the largest step of a
    metric's printed figures. `limited` holds samples against a limit.
    `summary` are the derived figures of the JSON export: rows `test, metric, core, n, minimum, median, maximum` in ticks.
    """

    explain: Callable[[Run], tuple[Explanation, ...]] = _nothing
    rules: Callable[[Run], tuple[Check, ...]] = _nothing
    figures: Callable[[Run], tuple[Figure, ...]] | None = None
    without_figures: str = ""
    counted: Callable[[Run], dict[SampleKey, Counted]] = _uncounted
    burst: int = 1
    rounding: Callable[[Sequence[Run], Metric], float] = _unrounded
    limited: Callable[[Run, Limit], Iterable[Held]] = _unlimited
    tails: Callable[[Run, str | None, Metric, float], tuple[Tail, ...]] | None = None
    tail_metric: Metric = Metric.WAKEUP
    tests: Callable[[Run], Iterable[str]] = _nothing
    join: Callable[[Sequence[Run]], Contents] | None = None
    summary: Callable[[Run], Sequence[Line]] = _nothing
    time_line: Callable[[RunArtifacts], TimeLine] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs(Generic[P]):
    """The comparison of two runs and what its reports add: lines under the title (what was counted, what is the threshold, and more), the
    results of the document, sections of the page for a browser, and keys of the JSON. `aligned` names the
    rows of the first run as the second does. `earlier` are those of some runs that measured the base again; `repeats` checks the runs that
    a user names for that."""

    compare: Callable[[Run, Run, Limits, Sequence[Run]], P]
    explain: Callable[[P], tuple[Explanation, ...]]
    headline: Callable[[P], tuple[str, ...]]
    results: Callable[[P], Section]
    sections: Callable[[P], Iterable[Section]] | None = None
    json: Callable[[P], Mapping[str, Any]] | None = None
    aligned: Callable[[Run, Run], Run] | None = None
    earlier: Callable[[Iterable[Run], Run, Run], tuple[Run, ...]] | None = None
    repeats: Callable[[Run, Sequence[Run]], tuple[Run, ...]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Forms:
    """Pages for the terminal, for RST and Markdown, for a browser and for a performance guide (the last two are the document if they are
    not given). `csv` are tables or text. `json` is a text; without it the JSON is the exported run. `lists`: in RST, tables are
    `csv-table`. `lines` are the CSV export. `extent` says how many samples a run has, empty for none.
    `without_samples` is the reason why there is no data frame, with `{id}` for the run."""

    screen: Callable[[RunArtifacts], Page]
    document: Callable[[RunArtifacts], Page]
    csv: Callable[[RunArtifacts], str | Iterable[Table]]
    lines: Callable[[Run], Lines]
    page: Callable[[RunArtifacts], Page] | None = None
    guide: Callable[[RunArtifacts], Page] | None = None
    json: Callable[[RunArtifacts], str] | None = None
    extent: Callable[[Run], str] = _unsized
    lists: bool = False
    without_samples: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunKind(Generic[C, P]):
    """A kind of run, or with `campaign` what the runs of one campaign of that kind have of their own.

    `is_sampled`: its samples are rows of the store. `is_measured`: an experiment can use its figures. `incomparable` is the reason if
    there are no `pairs`. `hidden` redacts the contents; without it each of their texts is redacted. `problems` are the faults in the files
    of a run that was cut off, and `recover` stores what its console still holds. `verbs` are the commands that make such runs.
    """

    contents: type[C]
    codec: Codec[C]
    forms: Forms
    analysis: Analysis = Analysis()
    pairs: Pairs[P] | None = None
    incomparable: str = ""
    campaign: str = ""
    is_sampled: bool = False
    is_measured: bool = False
    hidden: Callable[[C, Secrets], C] | None = None
    problems: Callable[[Run, Files], list[str]] | None = None
    recover: Callable[[Store, Run, Files], None] | None = None
    verbs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.contents.kind
