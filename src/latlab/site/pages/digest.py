# SPDX-License-Identifier: BSD-3-Clause
"""A week in one page: what regressed, improved or was measured for the first time, by the ISO weeks in which the runs began."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from latlab.core.comparison.verdicts import CHANGED, Verdict
from latlab.core.comparison.wording import count
from latlab.core.model.life import Head
from latlab.core.report.comparison.comparison_tables import title_verdict
from latlab.core.report.page import Page, Paragraph, Section
from latlab.core.report.table import Table, Value, figures, prose, words
from latlab.core.report.text import Styled
from latlab.site.campaign.comparison_summaries import MOST_TRIED, ComparisonSummary, SummaryCache
from latlab.site.campaign.measured import MeasuredThing
from latlab.site.pages.front import MADE_BY, compared, linked, trail

MOST_DAYS = 1 << 14
MOST_ROWS = 300
"""Measured things of a page; what changed comes first."""
WEEKS = 8
"""The newest ones that hold runs are written; pages of older ones stay as they are."""
GROUPS = ("Regressed", "Improved", "New", "The rest")
"""The headings of a page in their order."""


@dataclass(frozen=True, slots=True)
class InWeek:
    """The last whole run of a thing in a week, how many there were, and the newest whole runs of the weeks before, the oldest first."""

    measured: MeasuredThing
    earlier: tuple[Head, ...]
    last: Head
    runs: int


@dataclass(frozen=True, slots=True)
class Week:
    """`name` is as ISO 8601 writes it, such as 2026-W07."""

    name: str
    things: tuple[InWeek, ...]

    @property
    def made_of(self) -> str:
        return "\n".join(" ".join((*(head.id for head in in_week.earlier), in_week.last.id, str(in_week.runs))) for in_week in self.things)

    @property
    def updated(self) -> str:
        return max(in_week.last.started_utc for in_week in self.things)


def weeks(things: Sequence[MeasuredThing]) -> tuple[Week, ...]:
    """The newest weeks that hold whole runs, the newest first. A run that does not say when it began is in none."""
    steps: dict[str, list[InWeek]] = {}
    for thing in things:
        by_week: dict[str, list[Head]] = {}
        for head in thing.whole:
            by_week.setdefault(week_of(head.started_utc), []).append(head)
        by_week.pop("", None)
        earlier: tuple[Head, ...] = ()
        for name, of_week in sorted(by_week.items()):
            steps.setdefault(name, []).append(InWeek(thing, earlier, of_week[-1], len(of_week)))
            earlier = (*earlier, *of_week)[-MOST_TRIED:]
    return tuple(
        Week(name, tuple(sorted(steps[name], key=lambda in_week: in_week.measured.name))) for name in sorted(steps, reverse=True)[:WEEKS]
    )


def week_of(started_utc: str) -> str:
    """Empty where there is no date."""
    return _week_of_day(started_utc[:10])


@lru_cache(maxsize=MOST_DAYS)
def _week_of_day(day: str) -> str:
    try:
        year, week, _ = date.fromisoformat(day).isocalendar()
    except ValueError:
        return ""
    return f"{year}-W{week:02}"


def pages_of(week: Week) -> int:
    return -(-len(week.things) // MOST_ROWS)


def place(week: Week, number: int = 1) -> str:
    return f"weeks/{week.name}{f'-{number}' if number > 1 else ''}.html"


def tell(week: Week, tellings: SummaryCache) -> None:
    """Have every comparison of the week computed."""
    for in_week in week.things:
        _summary_of(in_week, tellings)


def title(week: Week, tellings: SummaryCache) -> str:
    """The week in one sentence."""
    summaries = [_summary_of(in_week, tellings) for in_week in week.things]
    counts = [(sum(summary is not None and summary.verdict == verdict for summary in summaries), str(verdict)) for verdict in CHANGED]
    counts.append((sum(summary is None for summary in summaries), "new"))
    parts = [f"{number or 'nothing'} {outcome}" for number, outcome in counts]
    runs = count(sum(in_week.runs for in_week in week.things), "run")
    return f"Week {week.name}: {', '.join(parts)}; {count(len(summaries), 'measurement')} in {runs}."


def page(week: Week, tellings: SummaryCache, pages: frozenset[str], number: int = 1) -> Page:
    """The first has what changed, and leads to the others."""
    monday = date.fromisocalendar(int(week.name[:4]), int(week.name[-2:]), 1)
    days = f"{monday} to {monday + timedelta(days=6)}, UTC"
    lead = f"{days}. The last whole run of each thing is compared with the newest comparable one before the week."
    rows = sorted(((_summary_of(in_week, tellings), in_week) for in_week in week.things), key=lambda row: _group(row[0]))
    sections = tuple(_sections(rows[(number - 1) * MOST_ROWS : number * MOST_ROWS], pages, tellings))
    further = [(f"page {other}", f"../{place(week, other)}") for other in range(1, pages_of(week) + 1) if other != number]
    sections += (Section("", (linked("More of this week: ", further),)),) if further else ()
    above = trail(("Front page", "../index.html"), ("Search", "../search.html"))
    return Page(title(week, tellings), (lead,), sections, name=f"Week {week.name}", trail=above, made_by=MADE_BY)


def _sections(rows: Sequence[tuple[ComparisonSummary | None, InWeek]], pages: frozenset[str], tellings: SummaryCache) -> Iterator[Section]:
    for group, heading in enumerate(GROUPS):
        if of_group := [row for row in rows if _group(row[0]) == group]:
            columns = (*words("Measured"), *figures("Runs"), *words("Verdict"), prose("What changed"), *words("Newest"))
            yield Section(heading, (Table("", columns, tuple(_row(summary, in_week, pages, tellings) for summary, in_week in of_group)),))
    if not rows:
        yield Section("", (Paragraph("No run that is whole began in this week."),))


def _group(summary: ComparisonSummary | None) -> int:
    """Which of `GROUPS` a comparison belongs to."""
    if summary is None:
        return len(CHANGED)
    return CHANGED.index(Verdict(summary.verdict)) if summary.verdict in CHANGED else len(GROUPS) - 1


def _row(summary: ComparisonSummary | None, in_week: InWeek, pages: frozenset[str], tellings: SummaryCache) -> tuple[Value, ...]:
    name = Styled(in_week.measured.name, target=f"../runs/{in_week.measured.place}.html")
    newest = Styled(in_week.last.id, target=f"../run/{in_week.last.id}.html" if in_week.last.id in pages else "")
    if summary is None:
        return name, in_week.runs, "new", "first run of it that is whole", newest
    before = tellings.newest_comparable(in_week.earlier, in_week.last)
    has_page = before and tellings.pair(in_week.measured) == (before, in_week.last)
    verdict = _verdict(summary, f"../{compared(before.id, in_week.last.id)}" if before and has_page else "")
    return name, in_week.runs, verdict, summary.functions or summary.said, newest


def _verdict(summary: ComparisonSummary, target: str) -> Value:
    if not summary.verdict:
        return "not compared"
    shown = title_verdict(Verdict(summary.verdict))
    return Styled(shown.text, shown.style, target)


def _summary_of(in_week: InWeek, tellings: SummaryCache) -> ComparisonSummary | None:
    """None where there was no run before; if none is comparable, why the last one is not."""
    if not in_week.earlier:
        return None
    before = tellings.newest_comparable(in_week.earlier, in_week.last) or in_week.earlier[-1]
    return tellings.of(before.id, in_week.last.id)
