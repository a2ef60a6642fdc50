# SPDX-License-Identifier: BSD-3-Clause
"""Where a figure, or all figures of a metric together, changed over many releases.

What `compare` says of two neighbours holds here too: a release that it calls changed against the one before is a change. What it cannot
tell of any two, such as a slow change, is searched for in the whole series, between the changes that are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from latlab.core.comparison.by_kind import compare, explain_pair, figures_of
from latlab.core.comparison.comparison import Comparison, Row, SpanComparison
from latlab.core.comparison.conditions import Differences
from latlab.core.comparison.counted_findings import CountedBeside
from latlab.core.comparison.explanation import Explanation
from latlab.core.comparison.figure import Figure, FigureName, refusal
from latlab.core.comparison.summary import Mark, follows_order, mark_of
from latlab.core.comparison.suspicion import Span, Suspicion
from latlab.core.comparison.verdicts import CHANGED, Limits, Verdict
from latlab.core.comparison.wording import MORE_IS_BETTER, amount, count, heading_unit
from latlab.core.kinds.registry import kind_of
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import Run
from latlab.core.model.work_progress import WorkUnit, each
from latlab.core.readers.platform_facts import facts_of
from latlab.core.statistics.change_points import Beyond, Change, ChangeKind, changes_of, on_values, visible

EXACT_NOTE = "the clock is deterministic, so every change beyond the threshold is exact and reported"
ORDER_NOTE = (
    "several cores ran and their order may differ, so latlab reports a change if calls changed by more than the scatter of each run"
)
TURNS_NOTE = "cores take turns under the instruction clock, so latlab reports no change of a parallel test"


@dataclass(frozen=True, slots=True)
class Point:
    run: Run
    values: tuple[float, ...]

    @property
    def value(self) -> float:
        return float(np.median(self.values))


@dataclass(frozen=True, slots=True)
class Judged:
    """What `compare` says of two neighbours: its rows that changed, and of how many. Empty where the series alone shows the change."""

    regressed: tuple[str, ...] = ()
    improved: tuple[str, ...] = ()
    rows: int = 0


@dataclass(frozen=True, slots=True)
class Moved:
    """Of the figures of a series of many: those that rose and those that fell by more than their threshold, and how many there are."""

    rose: tuple[str, ...] = ()
    fell: tuple[str, ...] = ()
    figures: int = 0


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """The points `index` to below `end` left the level `before`; `left` is the last point of that level, which explanations compare.

    `verdict` is the worst of what is told. `p` is None under a deterministic clock, where a change is no matter of chance. A drift goes
    from `left` to `index`. `is_against_median`: the rows that changed went one way and the median of all figures the other, because some
    of these wait by chance.
    """

    kind: ChangeKind
    left: int
    index: int
    end: int
    before: float
    after: float
    p: float | None
    verdict: Verdict
    judged: Judged
    moved: Moved
    explanations: tuple[Explanation, ...]
    is_against_median: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """`figures` are the paths of those that are followed together. Each point then has the median of its run's figures, which no other
    run moves. Changes are searched for in their ratios to their own means, so that a few which wait by chance do not make the level.

    `differences` are of conditions: which point was measured under others than the one before it, where these may be a change's cause.
    Of spans that are suspect between two neighbours no change is named there, and many figures are followed without them. `missing` says
    which runs lack what an earlier run has.
    """

    path: str
    unit: str
    points: tuple[Point, ...]
    changes: tuple[ChangePoint, ...]
    note: str = ""
    figures: tuple[str, ...] = ()
    differences: tuple[tuple[int, Differences], ...] = ()
    suspicions: tuple[Suspicion, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def inconclusive(self) -> tuple[int, ...]:
        """Points that differ from the one before by as much as the smallest change that has a verdict, and have none themselves."""
        named = {k for change in self.changes for k in _points_of(change)}
        smallest = min((abs(change.after - change.before) for change in self.changes if change.kind is not ChangeKind.DRIFT), default=None)
        values = [point.value for point in self.points]
        steps = range(1, len(values)) if smallest is not None else ()
        return tuple(k for k in steps if k not in named and abs(values[k] - values[k - 1]) >= (smallest or 0.0))

    @property
    def heading(self) -> str:
        """The unit in which the figures stand, said to be simulated where they are."""
        return f"simulated {heading_unit(self.unit)}" if self.is_simulated else heading_unit(self.unit)

    @property
    def is_simulated(self) -> bool:
        """Of figures that are followed together but in no two runs the same, there are no points."""
        return any(point.run.is_simulated for point in self.points[:1])


def history(
    runs: Sequence[Run], figure_text: str, limits: Limits | None = None, across: frozenset[str] = frozenset()
) -> tuple[Series, ...]:
    """A series for each name by which `figure_text` means figures (`wakeup`, `*/wakeup`, `susp_deep_parallel/powerdown/step`); `across`
    names conditions that may differ.

    Raises NotComparable where two neighbouring runs do not belong together, UsageError where no figure has such a name.
    """
    pairs = _Pairs(runs, limits or Limits(), across)
    for index in each(range(1, len(runs)), "comparing each run with the one before", WorkUnit.RUNS, every=1):
        pairs.of(index - 1, index)
    by_name: dict[str, dict[str, dict[int, Figure]]] = {}
    known_names: dict[FigureName, None] = {}
    for index, run in enumerate(runs):
        for figure in figures_of(run):
            known_names[figure.called] = None
            if name := figure.called.asked_by(figure_text):
                by_name.setdefault(name, {}).setdefault(figure.path, {})[index] = figure
    if not by_name:
        raise refusal(figure_text, known_names, "these runs")
    return tuple(
        replace(_Followed(name, figures, pairs).series(), missing=tuple(_missing(runs, figures, pairs)))
        for name, figures in by_name.items()
    )


def _missing(runs: Sequence[Run], figures: dict[str, dict[int, Figure]], pairs: _Pairs) -> Iterator[str]:
    """Figures that an earlier run has, and samples that were due."""
    tests = {figure.test for by_run in figures.values() for figure in by_run.values()}
    for index, run in enumerate(runs[1:], 1):
        lost = [path for path, by_run in figures.items() if index not in by_run and min(by_run) < index]
        if lost:
            yield f"{run.id} has no {lost[0]}{f' and {len(lost) - 1} more figures' if len(lost) > 1 else ''}, which an earlier run has"
        missing = pairs.of(index - 1, index).missing
        yield from (f"{run.id}: {absence.sentence('')}" for absence in missing if absence.test in tests)


class _Pairs:
    """Runs compared two by two, each pair once."""

    def __init__(self, runs: Sequence[Run], limits: Limits, across: frozenset[str]) -> None:
        self.runs = runs
        self.limits = limits
        self._across = across
        self._compared: dict[tuple[int, int], Comparison] = {}
        self._explained: dict[tuple[int, int], tuple[Explanation, ...]] = {}

    def of(self, before: int, after: int) -> Comparison:
        if (before, after) not in self._compared:
            self._compared[before, after] = compare(self.runs[before], self.runs[after], self.limits, across=self._across)
        return self._compared[before, after]

    def why(self, before: int, after: int) -> tuple[Explanation, ...]:
        if (before, after) not in self._explained:
            self._explained[before, after] = explain_pair(self.of(before, after))
        return self._explained[before, after]


class _Followed:
    """Figures that are followed together, or one by itself: `figures` has them by path, and each by the number of its run."""

    def __init__(self, name: str, figures: dict[str, dict[int, Figure]], pairs: _Pairs) -> None:
        self._name = name
        self._pairs = pairs
        self._limits = pairs.limits
        self._is_one = name in figures
        self._figures = figures if self._is_one else _in_every_run(figures, len(pairs.runs))
        self._any = next(iter(next(iter(figures.values())).values()))
        at = sorted(next(iter(self._figures.values()), {})) or range(len(pairs.runs))
        self._at = list(at)
        self._runs = [pairs.runs[i] for i in self._at]
        self._suspicions = self._suspected()
        suspect = {span for suspicion in self._suspicions for span in suspicion.spans}
        if not self._is_one:
            self._figures = {path: by_run for path, by_run in self._figures.items() if _span_of(by_run) not in suspect}
            self._figures = {path: by_run for path, by_run in self._figures.items() if not self._turns(by_run)} or self._figures
        self._values = {path: [by_run[i].value for i in self._at] for path, by_run in self._figures.items()}

    def series(self) -> Series:
        points = self._points()
        series = Series(self._name, self._any.unit, points, (), figures=() if self._is_one else tuple(self._above_zero))
        series = replace(series, suspicions=self._suspicions)
        if not points:
            return replace(series, note=self._without_points())
        if self._takes_turns:
            return replace(series, note=TURNS_NOTE)
        values = self._levels(points)
        differing = ((k, self._between(k).differences) for k in range(1, len(points)))
        series = replace(series, differences=tuple((k, difference) for k, difference in differing if difference.title))
        judged = [Judged(), *(self._judged(k) for k in range(1, len(points)))]
        known_starts = [k for k, judgement in enumerate(judged) if judgement.regressed or judgement.improved]
        is_exact = self._runs[0].tick.clock is not Clock.TIME
        if is_exact:
            changes = _exact_changes(values, self._drifted, known_starts)
        else:
            changes = changes_of(values, self._beyond, self._rounding, known_starts, joins=self._is_one)
        candidates = self._in_figures([self._told(change, judged, values) for change in changes], changes, points)
        kept_changes = tuple(
            change for change in candidates if not (_contradicts(change, self._rows(change.index)) or self._is_suspect(change))
        )
        note = ORDER_NOTE if self._follows_order else EXACT_NOTE if is_exact else "" if kept_changes else self._silence(values)
        return replace(series, changes=kept_changes, note=note)

    def _suspected(self) -> tuple[Suspicion, ...]:
        """Each once, of the spans that are followed, whichever neighbours show it."""
        spans = {_span_of(by_run) for by_run in self._figures.values()}
        suspicions = [
            suspicion for k in range(1, len(self._at)) for suspicion in self._suspicions_between(k) if spans & set(suspicion.spans)
        ]
        return tuple(dict.fromkeys(suspicions))

    def _is_suspect(self, change: ChangePoint) -> bool:
        """Between neighbours that show a suspicion, or of a run that one with another neighbour is of."""
        spans = {_span_of(by_run) for by_run in self._figures.values()}
        runs = {self._runs[k].id for k in (change.left, change.index)}
        pairs = (self._suspicions_between(k) for k in range(change.left + 1, change.index + 1))
        return any(spans & set(suspicion.spans) for neighbours in pairs for suspicion in neighbours) or any(
            suspicion.run in runs for suspicion in self._suspicions
        )

    def _between(self, k: int) -> Comparison:
        return self._pairs.of(self._at[k - 1], self._at[k])

    def _suspicions_between(self, k: int) -> tuple[Suspicion, ...]:
        comparison = self._between(k)
        return comparison.suspicions if isinstance(comparison, SpanComparison) else ()

    def _points(self) -> tuple[Point, ...]:
        if self._is_one:
            by_run = self._figures[self._name]
            return tuple(Point(run, by_run[i].values) for i, run in zip(self._at, self._runs, strict=True))
        of_runs = zip(*self._above_zero.values(), strict=True)
        return tuple(Point(run, (float(np.median(values)),)) for run, values in zip(self._runs, of_runs, strict=False))

    @property
    def _above_zero(self) -> dict[str, list[float]]:
        return {path: values for path, values in self._values.items() if min(values) > 0}

    def _levels(self, points: Sequence[Point]) -> list[float]:
        """What is searched for changes. Of many figures the median of their ratios to their own means, times the mean of all."""
        if self._is_one:
            return [point.value for point in points]
        logs = np.log(list(self._above_zero.values()))
        usual = logs.mean(axis=1, keepdims=True)
        return [float(level) for level in np.exp(usual.mean() + np.median(logs - usual, axis=0))]

    @property
    def _takes_turns(self) -> bool:
        return all(self._turns(by_run) for by_run in self._figures.values())

    def _turns(self, figures: dict[int, Figure]) -> bool:
        return mark_of(self._runs[0], _span_of(figures)[0]) is Mark.TURNS

    @property
    def _rounding(self) -> float:
        """What one step of the coarsest figures is worth; rates and averages have none."""
        metric = self._any.metric
        return kind_of(self._runs[0]).analysis.rounding(self._runs, metric)

    @property
    def _beyond(self) -> Beyond:
        limits, tick = self._limits, self._runs[0].tick
        if tick.is_counted:
            return lambda before, after: abs(after - before) > limits.relative_exact * abs(before)
        step = tick.value if tick.clock is Clock.VIRTUAL else self._rounding
        return lambda before, after: abs(after - before) > limits.threshold(before, step, 0.0)

    @property
    def _drifted(self) -> Beyond:
        """Where the order of the cores moves a figure, only what `compare` says of two neighbours is a change."""
        return (lambda *_: False) if self._follows_order else self._beyond

    @property
    def _follows_order(self) -> bool:
        return any(follows_order(run, self._any.metric) for run in self._runs)

    def _rows(self, k: int) -> list[Row]:
        """What `compare` judges of this series against the point before, turned parts of a test aside."""
        rows = self._between(k).rows
        if not self._is_one:
            return [row for row in rows if self._name in FigureName(row.test, row.metric.value, row.name).all]
        figure = self._figures[self._name][self._at[k]]
        cores = {str(core) for core in self._runs[k].topology.cores}
        return [row for row in rows if _covers(row, figure, cores)]

    def _judged(self, k: int) -> Judged:
        rows = self._rows(k)
        changed = [row for row in rows if row.verdict in CHANGED and (not self._is_one or self._went_with(row, k))]
        names = {verdict: tuple(_named(row) for row in changed if row.verdict is verdict) for verdict in CHANGED}
        return Judged(names[Verdict.REGRESSED], names[Verdict.IMPROVED], len(rows))

    def _went_with(self, row: Row, k: int) -> bool:
        """A row holds several cells, and what is said of them all need not hold of each."""
        before, after = self._values[self._name][k - 1 : k + 1]
        return (after - before) * row.shift.value > 0 and self._beyond(before, after)

    def _told(self, change: Change, judged: list[Judged], values: list[float]) -> ChangePoint:
        index = change.end - 1 if change.kind is ChangeKind.DRIFT else change.start
        by_pair = judged[index] if change.kind is not ChangeKind.DRIFT else Judged()
        is_known = bool(by_pair.regressed or by_pair.improved)
        before, after, p = change.before, change.after, change.p
        if is_known:
            p = self._p(index)
            if (after - before) * (values[index] - values[change.left]) <= 0:
                before, after = values[change.left], values[index]
        rises = (after > before) != (self._any.metric in MORE_IS_BETTER)
        verdict = Verdict.REGRESSED if by_pair.regressed or (rises and not is_known) else Verdict.IMPROVED
        why = tuple(explanation for explanation in self._pairs.why(self._at[change.left], self._at[index]) if self._is_of(explanation))
        return ChangePoint(change.kind, change.left, index, change.end, before, after, p, verdict, by_pair, self._moved(change, index), why)

    def _in_figures(self, changes: list[ChangePoint], of_levels: Sequence[Change], points: Sequence[Point]) -> list[ChangePoint]:
        """The sizes of changes of many figures in what the points show: from level to level if that has the way of the change, else from
        run to run."""
        if self._is_one:
            return changes
        shown = [point.value for point in points]
        sized = []
        for change, size in zip(changes, on_values(of_levels, shown), strict=True):
            way = self._way(change)
            pairs = (size.before, size.after), (shown[change.left], shown[change.index])
            before, after = next((pair for pair in pairs if (pair[1] - pair[0]) * way > 0), pairs[1])
            is_against = way != 0 and (after - before) * way <= 0
            sized.append(replace(change, before=before, after=after, is_against_median=is_against))
        return sized

    def _way(self, change: ChangePoint) -> float:
        """Above zero for a rise: of the rows that changed, 0 if they went both ways; else of the level."""
        if change.judged.regressed and change.judged.improved:
            return 0.0
        if not (change.judged.regressed or change.judged.improved):
            return change.after - change.before
        return 1.0 if bool(change.judged.regressed) != (self._any.metric in MORE_IS_BETTER) else -1.0

    def _is_of(self, explanation: Explanation) -> bool:
        """Whether it says something of what is followed."""
        spans = {_span_of(by_run) for by_run in self._figures.values()} or {(self._any.test, self._any.metric)}
        tests = getattr(explanation.finding, "tests", ()) or (explanation.test,)
        metric = getattr(explanation.finding, "metric", None)
        metrics = {of for _, of in spans} | ({Metric.CACHE_FLUSH} if any(of is Metric.POWERDOWN for _, of in spans) else set())
        is_test = not any(tests) or bool({test for test, _ in spans} & set(tests))
        of_core = self._reaches(explanation.finding)
        return is_test and of_core and (metric is None or metric in metrics)

    def _reaches(self, finding: object) -> bool:
        """Whether code that was counted on some processors runs on the core or cluster that is followed."""
        cluster = self._any.cluster if self._any.core is None else self._any.core.cluster
        clusters = facts_of(self._runs[0].platform).clusters
        if not self._is_one or cluster is None or not isinstance(finding, CountedBeside) or cluster >= len(clusters):
            return True
        return clusters[cluster].core.value in finding.processors

    def _p(self, k: int) -> float | None:
        if self._runs[0].tick.clock is not Clock.TIME:
            return None
        return min(row.p_adjusted for row in self._rows(k) if row.verdict in CHANGED)

    def _moved(self, change: Change, index: int) -> Moved:
        if self._is_one:
            return Moved()
        ends = {path: (values[change.left], values[index]) for path, values in self._values.items()}
        rose = tuple(path for path, (before, after) in ends.items() if after > before and self._beyond(before, after))
        fell = tuple(path for path, (before, after) in ends.items() if after < before and self._beyond(before, after))
        return Moved(rose, fell, len(ends))

    def _silence(self, values: list[float]) -> str:
        """What it means that nothing is shown."""
        smallest = visible(values, self._rounding)
        if smallest.newest is None:
            sentence = f"{count(len(values), 'run')} do not show the scatter between runs; a change needs three runs or more"
            return f"{sentence}; `latlab compare` compares two neighbours"
        unit = self._any.unit
        lasting = f", or {amount(smallest.step, unit)} if it lasts from the middle on" if smallest.step is not None else ""
        return f"no change is significant; minimum detectable change of the newest run: {amount(smallest.newest, unit)}{lasting}"

    def _without_points(self) -> str:
        if self._figures:
            return "no figure is above 0 in every run; name one of them"
        if self._suspicions:
            return "every figure has a data-quality warning; name one of them"
        return "no figure is in every run; name one of them"


def _span_of(figures: dict[int, Figure]) -> Span:
    figure = next(iter(figures.values()))
    return figure.test, figure.metric


def _in_every_run(figures: dict[str, dict[int, Figure]], runs: int) -> dict[str, dict[int, Figure]]:
    return {path: by_run for path, by_run in figures.items() if len(by_run) == runs}


def _covers(row: Row, figure: Figure, cores: set[str]) -> bool:
    """Whether this row judges the figure: by its own name, by its core among the cells, or by its cluster."""
    if (row.test, row.metric) != (figure.test, figure.metric):
        return False
    if figure.core is None and figure.cluster is None:
        return row.name == (figure.judged_as or figure.name)
    labels = {cell.label for cell in row.cells}
    if figure.core is not None and labels & cores:
        return str(figure.core) in labels
    return row.cluster in (None, figure.cluster if figure.core is None else figure.core.cluster)


def _named(row: Row) -> str:
    return f"{row.test} {row.name}"


def _contradicts(change: ChangePoint, rows: list[Row]) -> bool:
    """A change that only the series shows, where `compare` says the opposite of these two."""
    if change.judged.regressed or change.judged.improved or change.kind is ChangeKind.DRIFT:
        return False
    opposite = Verdict.IMPROVED if change.verdict is Verdict.REGRESSED else Verdict.REGRESSED
    return any(row.verdict is opposite for row in rows)


def _points_of(change: ChangePoint) -> Iterator[int]:
    """Those whose difference from the point before the change tells: a run that is alone has two."""
    if change.kind is ChangeKind.DRIFT:
        yield from range(change.left + 1, change.index + 1)
        return
    yield change.index
    if change.kind is ChangeKind.ALONE:
        yield change.end


def _exact_changes(values: list[float], beyond: Beyond, known_starts: list[int]) -> tuple[Change, ...]:
    """Every release whose figure left the level of the last change by more than the threshold: slow drift adds up to a change, too."""
    level = values[0]
    changes: list[Change] = []
    for index, value in enumerate(values):
        if index in known_starts or beyond(level, value):
            changes.append(Change(ChangeKind.STEP, index - 1, index, len(values), level, value, None))
            level = value
    ends = [*(change.start for change in changes), len(values)][1:]
    return tuple(replace(change, end=end) for change, end in zip(changes, ends, strict=True))
