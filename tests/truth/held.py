# SPDX-License-Identifier: BSD-3-Clause
"""What was said of a pair, sentence by sentence as the data behind it, held against what was planted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from latlab.core.comparison import findings as f
from latlab.core.comparison import span_findings as s
from latlab.core.comparison import wakeup_findings as w
from latlab.core.comparison.by_kind import compare, explain_pair
from latlab.core.comparison.comparison import Comparison, Row, Statistic
from latlab.core.comparison.gate import report_gate
from latlab.core.comparison.verdicts import Verdict
from latlab.core.errors import DataError
from latlab.core.model.run import Run
from truth.draw import WAKEUPS_A_CPU, SpanCase, WakeupCase
from truth.draw import Case as DrawnCase
from truth.machines import FIRST, LAST, WAITS, Bools, Floats, Span
from truth.parts import How, PartCase, PartPair, RtPartCase, Which, part_pair, rt_part_pair
from truth.planted import CORRUPT, SHAPES, Pathology
from truth.reading import runs_of_spans, runs_of_wakeups
from truth.spans import Pair, pair_of
from truth.wakeups import Late, WakeupPair, wakeup_pair

Case = DrawnCase | PartCase | RtPartCase
WORSE, BETTER = Verdict.REGRESSED, Verdict.IMPROVED
FAIL_ON = frozenset({WORSE.value})
OF_LEVEL = (None, Statistic.MEDIAN, Statistic.AVERAGE, Statistic.MEAN)
OF_TAIL = ("90 %", "99 %", "99.9 %", "maximum", "spread", "shape")
NO_TRUTH = 0.2
"""Share of a threshold below which a cell has not moved: what rounding and the floor of a span leave."""


class Wrong(StrEnum):
    """`BLAME`: something is called changed that nothing planted reaches, or the other way round. `OVERSTATED`: it moved, by less than is
    called a change. `PEACE`: `same` over a planted change beyond the printed threshold. `SILENCE`: the gate passes what is too
    large to pass, and nothing of it is called improved. `ALARM`: something is called large where nothing was planted: it stops
    the gate and blames nobody. `UNKNOWN`: a sentence with no data behind it that this bench could hold against anything."""

    BLAME = "blame"
    OVERSTATED = "overstated"
    PEACE = "peace"
    UNKNOWN = "unknown"
    SILENCE = "silence"
    ALARM = "alarm"


@dataclass(frozen=True, slots=True)
class Fault:
    wrong: Wrong
    said: str


@dataclass
class Held:
    """What came of one pair. `found`: a row that the plant reaches is called changed, the right way. `covered` counts intervals of reached
    level rows that hold the planted shift, of `intervals`."""

    case: Case
    verdict: str = ""
    gate: int = 0
    faults: list[Fault] = field(default_factory=list)
    found: bool = False
    flagged: bool = False
    refused: str = ""
    covered: int = 0
    intervals: int = 0


def held(case: Case) -> Held:
    out = Held(case)
    before, after, truth = _made(case)
    try:
        comparison = compare(before, after)
    except DataError as error:
        out.refused, out.verdict, out.gate = str(error), "refused", error.exit_code
        return out
    out.verdict, out.gate = comparison.verdict.word, report_gate(comparison, FAIL_ON).exit_code
    for row in comparison.rows:
        _hold_row(row, truth, out)
    for one in explain_pair(comparison):
        wrongs = list(truth.wrongs(one.finding))
        out.faults += [Fault(wrong, one.sentence) for wrong in wrongs]
        if isinstance(one.finding, f.PartChanged) and one.finding.verdict is not Verdict.CANNOT_TELL:
            out.flagged, out.found = True, out.found or not wrongs
        if isinstance(one.finding, f.RuleChanged) and not truth.breaks_rules:
            out.faults.append(Fault(Wrong.BLAME, one.finding.check.sentence))
    if out.gate == 0 and truth.is_too_large and not out.found:
        out.faults.append(Fault(Wrong.SILENCE, f"gate 0, {comparison.verdict}"))
    if comparison.verdict is Verdict.SAME and truth.is_planted(comparison):
        out.faults.append(Fault(Wrong.PEACE, f"all {comparison.verdict}"))
    return out


def _made(case: Case) -> tuple[Run, Run, Truth]:
    if isinstance(case, WakeupCase):
        wakeups = wakeup_pair(case.planted, case.size, case.cpus, WAKEUPS_A_CPU, case.between, case.seed)
        return *runs_of_wakeups(wakeups, case.tool), _OfWakeups(wakeups)
    if isinstance(case, RtPartCase):
        moved = rt_part_pair(case, WAKEUPS_A_CPU)
        return *runs_of_wakeups(moved, case.tool), _OfWakeups(moved, case.is_large)
    if isinstance(case, PartCase):
        part = part_pair(case)
        return *runs_of_spans(part.pair, case.form), _OfPart(case, part)
    pair = pair_of(case.machine, case.planted, case.noise, (case.boots, case.boots), case.iterations, case.seed)
    return *runs_of_spans(pair, case.form), _OfSpans(case, pair)


def _hold_row(row: Row, truth: Truth, out: Held) -> None:
    shown = truth.of(row)
    named = f"{row.test} {row.metric} {row.name} {row.verdict} {row.shift.value:+.4g} of {row.before:.4g}"
    if row.verdict in (WORSE, BETTER):
        out.flagged = True
        right = shown.worse if row.verdict is WORSE else shown.better
        out.found |= right
        if not right:
            out.faults.append(Fault(Wrong.BLAME, named))
        elif shown.shift is not None and abs(shown.shift) < row.threshold * 0.9:
            out.faults.append(Fault(Wrong.OVERSTATED, named))
    if row.verdict is Verdict.SAME and shown.hidden_from(row):
        out.faults.append(Fault(Wrong.PEACE, named))
    if shown.shift and row.statistic in OF_LEVEL and np.isfinite(row.shift.low):
        out.intervals += 1
        out.covered += row.shift.low - truth.step <= shown.shift <= row.shift.high + truth.step


@dataclass(frozen=True, slots=True)
class Shown:
    """What the plant does to a row: whether it may be called worse or better, its shift in ns (None: no level of it is planted), and
    whether its tail is planted."""

    worse: bool = False
    better: bool = False
    shift: float | None = None
    tail: bool = False

    def hidden_from(self, row: Row) -> bool:
        """Whether the row holds more than its `same` allows for."""
        if self.tail:
            return row.statistic is None or row.statistic in OF_TAIL
        return self.shift is not None and abs(self.shift) > 1.1 * row.threshold


class Truth:
    """What may be said of a pair. `step` is what one step of its figures is worth, in ns or instructions."""

    breaks_rules = False
    is_too_large = False
    step = 1_000.0

    def of(self, row: Row) -> Shown:
        raise NotImplementedError

    def wrongs(self, finding: f.Finding) -> Iterator[Wrong]:
        raise NotImplementedError

    def is_planted(self, comparison: Comparison) -> bool:
        raise NotImplementedError


@dataclass(frozen=True)
class _OfSpans(Truth):
    case: SpanCase
    pair: Pair

    @property
    def step(self) -> float:  # type: ignore[override]
        return self.pair.machine.tick_ns

    @property
    def breaks_rules(self) -> bool:  # type: ignore[override]
        return self.case.planted.pathology is Pathology.LAST_MAN

    def is_planted(self, comparison: Comparison) -> bool:
        planted = self.case.planted.pathology
        if planted in SHAPES:
            return self._is_hit(None)
        if planted in (Pathology.LAST_MAN, *CORRUPT):
            return planted is not Pathology.PASTED
        return any(self.of(row).hidden_from(row) for row in comparison.rows)

    def of(self, row: Row) -> Shown:
        planted, span = self.case.planted, (row.test, row.metric.value)
        if planted.pathology in (Pathology.NOTHING, Pathology.LEAD, *CORRUPT):
            return Shown(tail=planted.pathology is Pathology.ZEROS and span == planted.span)
        if planted.pathology in SHAPES:
            here = span == planted.span and not row.is_term and self._is_hit(row.cluster)
            # A wider spread of figures that lie to one side moves their median too, either way.
            return Shown(here and planted.pathology is not Pathology.DRIFT, here and planted.pathology is Pathology.SPREAD, tail=here)
        if row.is_term:
            return self._term(row)
        if span not in self.pair.truth_before.values:
            return Shown()
        moved = self._moved(span, row)
        if not len(moved):
            return Shown()
        least = NO_TRUTH * 0.01 * abs(row.before)  # of the row: a span's mean holds flushes of clusters beside those of cores
        alike = float(np.ptp(moved)) <= 1e-6 + 0.02 * float(np.abs(moved).max())
        return Shown(bool((moved > least).any()), bool((moved < -least).any()), float(moved.mean()) if alike else None)

    def _is_hit(self, cluster: int | None) -> bool:
        """Whether a shape changed any cell of the cluster: what is drawn for one in a hundred may miss it."""
        columns = [column for column, core in enumerate(self.pair.machine.cores) if cluster in (None, core[0])]
        return self.pair.hit is not None and bool(self.pair.hit[:, :, columns].any())

    def _moved(self, span: Span, row: Row) -> Floats:
        """Differences of the cells that the row is of."""
        moved = self.pair.truth_after.values[span] - self.pair.truth_before.values[span]
        if row.is_whole:
            return np.asarray(moved.reshape(-1))
        keep: Bools = np.ones(moved.shape, bool)
        for part in (LAST, FIRST, WAITS):
            plays = self.pair.truth_before.parts.get((span, part))
            if plays is None or self.case.planted.pathology is Pathology.LAST_MAN:
                continue
            named = part in row.name if part != WAITS else "queue" in row.name
            keep &= plays if named else ~plays
        here: Bools = np.ones(moved.shape, bool)
        if row.cluster is not None:
            here &= np.array([cluster == row.cluster for cluster, _ in self.pair.machine.cores])[None, None, :]
        return np.asarray(moved[keep & here] if (keep & here).any() else moved[here])

    def _term(self, row: Row) -> Shown:
        """A term of the ladder holds what it is named after, and an extra behind a last man his flush."""
        ours, theirs = self.pair.machine, self.pair.machine_after
        if self.case.planted.pathology is Pathology.LAST_MAN:
            return Shown(worse=True, better=True)
        cluster = re.search(r"cluster (\d+)", row.name)
        if row.name in ("base", "step"):
            moved = getattr(theirs, row.name) - getattr(ours, row.name)
        else:
            moved = theirs.flush_cluster[int(cluster[1])] - ours.flush_cluster[int(cluster[1])] if cluster else 0.0
        return Shown(moved > 0, moved < 0, moved)

    def wrongs(self, finding: f.Finding) -> Iterator[Wrong]:
        if isinstance(finding, s.MetricMoved):
            yield from self._metric(finding)
        elif isinstance(finding, s.TermMoved):
            moved = self._named_term(finding.term, finding.tests[0])
            if not (moved.worse if finding.verdict is WORSE else moved.better):
                yield Wrong.BLAME
        elif isinstance(finding, f.NothingMoved):
            hidden = self.case.planted.pathology in (Pathology.LAST_MAN, *(c for c in CORRUPT if c is not Pathology.PASTED))
            if hidden or (self._is_hit(None) and not finding.of_levels):  # a shape is no level
                yield Wrong.PEACE
        elif isinstance(finding, f.RuleBroken):
            if not self.breaks_rules:
                yield Wrong.BLAME
        elif isinstance(finding, f.PartChanged):
            spans = [span for span in self.pair.before if span[1] == finding.metric.value and finding.test in ("", span[0])]
            if not any(self._reached(span, _cluster_of(finding), finding.moved > 0) for span in spans):
                yield _of_part(finding)
        elif isinstance(finding, f.BeyondOrder):
            if self.case.planted.pathology in (Pathology.NOTHING, Pathology.LEAD):
                yield Wrong.ALARM
        elif isinstance(finding, s.ShapeMoved):
            if not self._reached((finding.test, finding.metric.value), None, finding.verdict is WORSE):
                yield Wrong.BLAME
        elif isinstance(finding, f.Suspected):
            if self.case.planted.pathology not in (*CORRUPT, *SHAPES):
                yield Wrong.BLAME
        elif isinstance(finding, f.DriftInside):
            planted = self.case.planted
            if planted.pathology not in (Pathology.DRIFT, Pathology.HALF) or (finding.test, finding.metric.value) != planted.span:
                yield Wrong.BLAME
        elif isinstance(finding, s.InSomeIterations):
            if not self._reached((finding.test, finding.metric.value), None, True):
                yield Wrong.BLAME
        elif not isinstance(finding, KNOWN):
            yield Wrong.UNKNOWN

    def _named_term(self, name: str, test: str) -> Shown:
        return self._term(_row_like(name, test))

    def _metric(self, finding: s.MetricMoved) -> Iterator[Wrong]:
        up = finding.verdict is WORSE
        spans = [(test, finding.metric.value) for test in finding.tests]
        if not all(self._reached(span, None, up) for span in spans):
            yield Wrong.BLAME
        for cluster, amount in finding.by_cluster:
            if (amount > 0) == up and not any(self._reached(span, cluster, up) for span in spans):
                yield Wrong.BLAME
        for metric in finding.untouched:
            if any(self._reached((test, metric.value), None, True, 0.03) for test in {t for t, m in self.pair.before if m == metric.value}):
                yield Wrong.PEACE

    def _reached(self, span: Span, cluster: int | None, up: bool, least: float = 1e-6) -> bool:
        planted = self.case.planted
        if planted.pathology in (Pathology.NOTHING, Pathology.LEAD, Pathology.DRIFT, *CORRUPT):
            return False
        if planted.pathology in SHAPES:  # a wider spread moves medians either way, as in `of`
            return span == planted.span and (up or planted.pathology is Pathology.SPREAD) and self._is_hit(cluster)
        before = self.pair.truth_before.values[span]
        share = (self.pair.truth_after.values[span] - before) / before
        if cluster is not None:
            share = share[:, :, [column for column, core in enumerate(self.pair.machine.cores) if core[0] == cluster]]
        return bool((share > least).any() if up else (share < -least).any())


@dataclass(frozen=True)
class _OfPart(Truth):
    """Some cores of some tests were multiplied by a factor, in one of the two runs."""

    case: PartCase
    part: PartPair

    @property
    def step(self) -> float:  # type: ignore[override]
        return self.part.pair.machine.tick_ns

    @property
    def is_too_large(self) -> bool:  # type: ignore[override]
        return self.case.part.which is not Which.NONE and self.part.is_large(self.case)

    def is_planted(self, comparison: Comparison) -> bool:
        return self.is_too_large

    def of(self, row: Row) -> Shown:
        core = row.cells[0].label if len(row.cells) == 1 else ""
        up, down = self._reached((row.test, row.metric.value), row.cluster, core)
        return Shown(worse=up, better=down)

    def _reached(self, span: Span, cluster: int | None, core: str = "") -> tuple[bool, bool]:
        """Whether any core moved up, or down, seen from the base; or the core of a single data point. A spread moves medians either way."""
        if span not in self.part.factor:
            return False, False
        if self.case.part.how is How.SPREAD:
            return True, True
        columns = [i for i, own in enumerate(self.part.pair.machine.cores) if cluster in (None, own[0])]
        columns = [i for i in columns if core == "{}.{}".format(*self.part.pair.machine.cores[i])] or columns
        moved = self.part.factor[span][:, :, columns] - 1
        up, down = bool((moved > 0).any()), bool((moved < 0).any())
        return (down, up) if self.case.part.in_base else (up, down)

    def wrongs(self, finding: f.Finding) -> Iterator[Wrong]:
        if isinstance(finding, s.MetricMoved):
            for test in finding.tests:
                up, down = self._reached((test, finding.metric.value), None)
                if not (up if finding.verdict is WORSE else down):
                    yield Wrong.BLAME
        elif isinstance(finding, s.TermMoved):
            yield Wrong.BLAME
        elif isinstance(finding, f.PartChanged):
            spans = [span for span in self.part.factor if span[1] == finding.metric.value]
            core = re.search(r"core (\d+\.\d+)", finding.name)
            reached = [self._reached(span, _cluster_of(finding), core[1] if core else "") for span in spans]
            if not any(up if finding.moved > 0 else down for up, down in reached):
                yield _of_part(finding)
        elif (isinstance(finding, f.LargeUntold) and finding.cores) or isinstance(finding, f.BootApart | f.SpreadMoved | f.BeyondOrder):
            if (finding.test, finding.metric.value) not in self.part.factor:
                yield Wrong.ALARM
        elif isinstance(finding, f.Suspected | f.RuleBroken) and not self.part.factor:
            yield Wrong.BLAME


def _of_part(finding: f.PartChanged) -> Wrong:
    """A part that is inconclusive stops the gate and blames nobody."""
    return Wrong.ALARM if finding.verdict is Verdict.CANNOT_TELL else Wrong.BLAME


def _cluster_of(finding: f.PartChanged) -> int | None:
    cluster = re.search(r"of cluster (\d+)", finding.name)
    return int(cluster[1]) if cluster else None


def _row_like(name: str, test: str) -> Row:
    from latlab.core.model.enums import Metric
    from latlab.core.statistics.statistics import NO_SHIFT

    return Row(test, Metric.POWERDOWN, name, None, 0.0, 0.0, NO_SHIFT, 0.0, Verdict.CANNOT_TELL, "", is_term=True)


@dataclass(frozen=True)
class _OfWakeups(Truth):
    pair: WakeupPair
    is_too_large: bool = False

    def is_planted(self, comparison: Comparison) -> bool:
        return self.pair.planted not in (Late.NOTHING, Late.LEVEL) or any(self.of(row).hidden_from(row) for row in comparison.rows)

    def of(self, row: Row) -> Shown:
        planted = self.pair.planted
        if row.core is None:
            return Shown(worse=planted in OFTEN_LATE)
        if row.core.core not in self.pair.cpus:
            return Shown()
        if planted is Late.LEVEL:
            level = row.statistic in OF_LEVEL
            return Shown(worse=True, shift=self.pair.size * row.before if level else None)
        if planted is Late.SPREAD:
            moved = self._spread_moved(row)
            return Shown(worse=row.statistic is not Statistic.MEDIAN, better=row.statistic is Statistic.MINIMUM, tail=moved > row.threshold)
        if planted is Late.TAIL_1:
            return Shown(
                worse=row.statistic in ("99 %", "99.9 %", "maximum", "average", "shape"), tail=row.statistic in ("99.9 %", "maximum")
            )
        came = planted is not Late.RARE or self._rare_came()
        return Shown(worse=came and row.statistic in ("maximum", "average"), tail=came and row.statistic is Statistic.MAXIMUM)

    def _spread_moved(self, row: Row) -> float:
        """By how much the figure of this row moved before it was rounded, in ns; 0 where it is none that a spread reaches."""
        shares = {"99.9 %": (0.999,), "spread": (0.9, 0.1)}.get(str(row.statistic))
        if shares is None or row.core is None:
            return 0.0
        before, after = (np.quantile(wakeups[row.core.core], shares) for wakeups in (self.pair.before, self.pair.after))
        return abs(float((after[0] - after[-1]) - (before[0] - before[-1]) if len(shares) > 1 else after[0] - before[0]))

    def _rare_came(self) -> bool:
        return max(int(one.max()) for one in self.pair.after) > 200_000

    def wrongs(self, finding: f.Finding) -> Iterator[Wrong]:
        if isinstance(finding, w.CpuMoved):
            if finding.cpu not in self.pair.cpus or (finding.verdict is BETTER and self.pair.planted is not Late.SPREAD):
                yield Wrong.BLAME
        elif isinstance(finding, w.LateMoved):
            if finding.verdict is BETTER or self.pair.planted not in OFTEN_LATE:
                yield Wrong.BLAME
        elif isinstance(finding, f.PartChanged):
            if self.pair.planted not in OFTEN_LATE or (finding.moved < 0 and self.pair.planted is not Late.SPREAD):
                yield _of_part(finding)
        elif isinstance(finding, f.Suspected):
            yield Wrong.BLAME
        elif isinstance(finding, w.NoWakeupMoved):
            hides = self.pair.planted not in (Late.NOTHING, Late.LEVEL) and (self.pair.planted is not Late.RARE or self._rare_came())
            if hides and not finding.inconclusive:
                yield Wrong.PEACE
        elif not isinstance(finding, KNOWN):
            yield Wrong.UNKNOWN


OFTEN_LATE = (Late.LEVEL, Late.SPREAD, Late.TAIL_1, Late.RARE)
KNOWN = (
    f.RuleChanged, f.LargeUntold, f.NotTold, s.OrderChanged, w.ModeCaveat, s.PartsMoved, f.FunctionsMoved, f.LargestGrew, w.ScatterUnknown,
    w.RarestSeen, f.CouldHaveSeen, f.TailNotTold, f.BootApart, f.SpreadMoved,
)  # fmt: skip
"""Sentences that blame and acquit nobody, or that are held by what they are made of: rules by the comparison's own list."""
