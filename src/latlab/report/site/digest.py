# SPDX-License-Identifier: BSD-3-Clause
"""A week in one page: what regressed, improved or was measured for the first time, by the ISO weeks in which the runs began."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from latlab.analysis.base.verdicts import Verdict
from latlab.analysis.base.wording import count
from latlab.campaigns.site import Measured
from latlab.model.life import Head
from latlab.report.comparison.comparison_tables import title_verdict
from latlab.report.page import Page, Paragraph, Section
from latlab.report.site.front import MADE_BY, compared, trail
from latlab.report.site.told import Tellings, Told
from latlab.report.table import Table, Value, figures, prose, words
from latlab.report.text import Styled

WEEKS = 8
"""The newest ones that hold runs are written; pages of older ones stay as they are."""
CHANGED = (Verdict.REGRESSED, Verdict.IMPROVED)


@dataclass(frozen=True, slots=True)
class InWeek:
    """The last whole run of a thing in a week, how many there were, and the last one before that week, None where there was none."""

    measured: Measured
    before: Head | None
    last: Head
    runs: int


@dataclass(frozen=True, slots=True)
class Week:
    """`name` is as ISO 8601 writes it, such as 2026-W07."""

    name: str
    things: tuple[InWeek, ...]

    @property
    def made_of(self) -> str:
        return "\n".join(f"{one.before.id if one.before else ''} {one.last.id} {one.runs}" for one in self.things)

    @property
    def updated(self) -> str:
        return max(one.last.started_utc for one in self.things)


def weeks(found: Sequence[Measured]) -> tuple[Week, ...]:
    """The newest weeks that hold whole runs, the newest first. A run that does not say when it began is in none."""
    steps: dict[str, list[InWeek]] = {}
    for one in found:
        dated = [(week, head) for head in one.whole if (week := week_of(head.started_utc))]
        for name in sorted({week for week, _ in dated})[-WEEKS:]:
            of_week = [head for week, head in dated if week == name]
            before = [head for week, head in dated if week < name]
            steps.setdefault(name, []).append(InWeek(one, before[-1] if before else None, of_week[-1], len(of_week)))
    return tuple(Week(name, tuple(sorted(steps[name], key=lambda one: one.measured.name))) for name in sorted(steps, reverse=True)[:WEEKS])


def week_of(started_utc: str) -> str:
    """Empty where there is no date."""
    try:
        year, week, _ = date.fromisoformat(started_utc[:10]).isocalendar()
    except ValueError:
        return ""
    return f"{year}-W{week:02}"


def place(week: Week) -> str:
    return f"weeks/{week.name}.html"


def title(week: Week, tellings: Tellings) -> str:
    """The week in one sentence."""
    told = [_told(one, tellings) for one in week.things]
    counts = [(sum(one is not None and one.verdict == verdict for one in told), str(verdict)) for verdict in CHANGED]
    counts.append((sum(one is None for one in told), "new"))
    said = [f"{number or 'nothing'} {what}" for number, what in counts]
    runs = count(sum(one.runs for one in week.things), "run")
    return f"Week {week.name}: {', '.join(said)}; {count(len(told), 'thing')} measured in {runs}."


def page(week: Week, tellings: Tellings, pages: frozenset[str]) -> Page:
    monday = date.fromisocalendar(int(week.name[:4]), int(week.name[-2:]), 1)
    days = f"{monday} to {monday + timedelta(days=6)}, UTC"
    lead = f"{days}. The last whole run of each thing is compared with the last one before the week."
    rows = [(_told(one, tellings), one) for one in week.things]
    sections = tuple(_sections(rows, pages))
    above = trail(("Front page", "../index.html"), ("Search", "../search.html"))
    return Page(title(week, tellings), (lead,), sections, name=f"Week {week.name}", trail=above, made_by=MADE_BY)


def _sections(rows: Sequence[tuple[Told | None, InWeek]], pages: frozenset[str]) -> Iterator[Section]:
    groups: tuple[tuple[str, list[tuple[Told | None, InWeek]]], ...] = (
        ("Regressed", [one for one in rows if one[0] and one[0].verdict == Verdict.REGRESSED]),
        ("Improved", [one for one in rows if one[0] and one[0].verdict == Verdict.IMPROVED]),
        ("New", [one for one in rows if one[0] is None]),
        ("The rest", [one for one in rows if one[0] and one[0].verdict not in CHANGED]),
    )
    for heading, of_group in groups:
        if of_group:
            columns = (*words("Measured"), *figures("Runs"), *words("Verdict"), prose("What changed"), *words("Newest"))
            yield Section(heading, (Table("", columns, tuple(_row(told, one, pages) for told, one in of_group)),))
    if not rows:
        yield Section("", (Paragraph("No run that is whole began in this week."),))


def _row(told: Told | None, one: InWeek, pages: frozenset[str]) -> tuple[Value, ...]:
    name = Styled(one.measured.name, target=f"../runs/{one.measured.place}.html")
    newest = Styled(one.last.id, target=f"../run/{one.last.id}.html" if one.last.id in pages else "")
    if told is None or one.before is None:
        return name, one.runs, "new", "first run of it that is whole", newest
    verdict = _verdict(told, f"../{compared(one.before.id, one.last.id)}" if one.measured.pair == (one.before, one.last) else "")
    return name, one.runs, verdict, told.functions or told.said, newest


def _verdict(told: Told, target: str) -> Value:
    if not told.verdict:
        return "not compared"
    shown = title_verdict(Verdict(told.verdict))
    return Styled(shown.text, shown.style, target)


def _told(one: InWeek, tellings: Tellings) -> Told | None:
    return tellings.of(one.before.id, one.last.id) if one.before else None
