# SPDX-License-Identifier: BSD-3-Clause
"""The first page of a site: what the newest run of everything measured says, then what was published of each board in one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from latlab.core.comparison.verdicts import CHANGED, WORDS, Verdict
from latlab.core.comparison.wording import count
from latlab.core.model.enums import RunStatus
from latlab.core.report.comparison.comparison_tables import title_verdict
from latlab.core.report.page import Commands, Drawing, Folded, Page, Paragraph, Section
from latlab.core.report.table import Table, Value, figures, prose, text_of, words
from latlab.core.report.text import Style, Styled, Text
from latlab.site.campaign.board_summary import TITLE, BoardSummary, ReleaseStep, release
from latlab.site.campaign.comparison_summaries import SummaryCache
from latlab.site.campaign.measured import FIGURE, MeasuredThing, PublishedBoard, UnderWay

UNCHANGED = len(CHANGED)
MADE_BY = "latlab publish site"
MOST_MEASURED = 300
"""Rows of a page."""
NEVER = Verdict.SAME.word
NOTHING_BEFORE = "no earlier complete run of it"
NONE_COMPARABLE = "no earlier run is comparable"
HOW = (
    "Trusted Firmware-A published the times, one boot for each release, in the board's counter. Beside a change are the probe's counts of "
    "the same two releases in QEMU, on the same processor with other platform code. They are inferred, and no proof of a cause."
)
DOORS = (
    ("TF-A or another EL3: what did my patch do to power-down?", ("latlab run psci --subject tf-a.toml", "latlab compare last~1 last")),
    ("Cortex-M: how long does my SPM keep an interrupt waiting?", ("latlab run psa", "latlab report last -o psa.html")),
    ("RT Linux: who took my core?", ("latlab run steal --duration 10m", "latlab report last -o steal.html")),
    ("Any image: what does each call cost?", ("latlab identify bl31.bin", "latlab report last -o calls.html")),
)


def front(
    boards: Sequence[PublishedBoard],
    things: Sequence[MeasuredThing],
    pages: frozenset[str],
    tellings: SummaryCache,
    under_way: Sequence[UnderWay] = (),
    week: tuple[str, str] | None = None,
) -> Page:
    """The reader's own runs come before the catalogue. `pages` are the runs that have a page; those under way have one too. `week` is
    the newest digest in a sentence, and its page."""
    by_rise = sorted(((tellings.board(board), board) for board in boards), key=lambda entry: -entry[0].times)
    stated = (by_rise[0][0].headline, by_rise[0][0].place_to_look) if by_rise else (TITLE,)
    measured = _measured_headline(things, tellings)
    title, *lead = (measured, *(f"Published: {stated[0]}" for _ in by_rise[:1])) if measured else filter(None, stated)
    published = (_board(summary, board) for summary, board in by_rise)
    method = _method([board for _, board in by_rise])
    sections = (*_under_way(under_way), *_runs(things, pages, tellings, week), *published, _doors(), *method)
    return Page(title, tuple(lead), sections, name=TITLE, made_by=MADE_BY, finder="search.html")


def _measured_headline(things: Sequence[MeasuredThing], tellings: SummaryCache) -> str:
    """The verdicts on the newest runs, and whose the worst one is. Empty if nothing was measured."""
    if not things:
        return ""
    verdicts = {thing.name: tellings.of(*(head.id for head in pair)).verdict for thing in things if (pair := tellings.pair(thing))}
    if not verdicts:
        return _capital(f"{count(len(things), 'measurement')} in this store; none has two comparable runs yet.")
    counts = [(list(verdicts.values()).count(word), word) for word in WORDS]
    parts = [f"{number} {word}{_first_of(word, verdicts)}" for number, word in counts if number]
    return _capital(f"{count(len(verdicts), 'measurement')} compared with an earlier run: {', '.join(parts)}.")


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _first_of(word: str, verdicts: Mapping[str, str]) -> str:
    """The name of the first measurement that changed in this way."""
    return f" ({next(name for name, verdict in verdicts.items() if verdict == word)})" if _rank(word) < UNCHANGED else ""


def _method(boards: Sequence[PublishedBoard]) -> Iterator[Section]:
    if boards:
        repeat = Commands((f"latlab history {' '.join(boards[0].references)} --metric {FIGURE}", MADE_BY + " DIR"))
        summary = "What the times and the counts are, and the commands that repeat this page"
        yield Section("Method", (Folded(summary, (Paragraph(HOW), repeat)),))


def _under_way(runs: Sequence[UnderWay]) -> Iterator[Section]:
    if runs:
        links = tuple(
            Paragraph((Styled(run_under_way.head.id, target=f"run/{run_under_way.head.id}.html"), f" on {run_under_way.head.platform}"))
            for run_under_way in runs
        )
        yield Section("Under way", links)


def compared(a: str, b: str) -> str:
    """The page of the comparison of two runs, from the folder of the site."""
    return f"compare/{_slug(a)}..{_slug(b)}.html"


def board_page(board: PublishedBoard) -> str:
    return f"boards/{_slug(board.name)}.html"


def _slug(reference: str) -> str:
    return reference.removeprefix("published:").replace("/", "-")


def steps_in_words(summary: BoardSummary) -> tuple[str, ...]:
    """What each release did to the figure of the front page, and the function that was counted beside it."""
    return tuple(", ".join(filter(None, (text_of(_verdict(step)), step.counted_beside))) for step in summary.steps)


def _board(summary: BoardSummary, board: PublishedBoard) -> Section:
    more = Paragraph((Styled("All figures of this board, release by release", target=board_page(board)),))
    note = "Each core over the releases, one sample for each point; cores are cluster.core."
    chart = Drawing("Wake-up after CPU_OFF, one core at a time", note, summary.svg, f"releases-{_slug(board.name)}", is_flame=False)
    return Section(summary.title, (chart, _releases(summary), more))


def _releases(summary: BoardSummary) -> Table:
    rows: list[tuple[Value, ...]] = [(release(summary.steps[0].before), summary.first_value, "", "", "")]
    for step in summary.steps:
        link = Styled(release(step.after), target=compared(step.before, step.after))
        rows.append((link, step.value, step.difference, _verdict(step), step.counted_beside))
    all_cores = figures("All cores", unit=summary.unit)
    columns = (*words("Release"), *all_cores, *figures("Difference"), *words("Verdict"), prose("Counted beside it"))
    return Table("Wake-up after CPU_OFF, each release against the one before", columns, tuple(rows))


def _verdict(step: ReleaseStep) -> Styled:
    return title_verdict(Verdict(step.verdict)) if step.verdict else Styled(NEVER, Style.SOFT)


def _runs(
    things: Sequence[MeasuredThing], pages: frozenset[str], tellings: SummaryCache, week: tuple[str, str] | None
) -> Iterator[Section]:
    if not things:
        return
    table = _measured(things, pages, tellings, 1)
    others = [(_range(number, len(things)), measured_place(number)) for number in range(2, measured_pages(things) + 1)]
    more = (linked("More measurements: ", others),) if others else ()
    of_week = (Paragraph((Styled(week[0], target=week[1]),)),) if week else ()
    other = "Any two others: the page of a measurement puts the figures of two runs beside each other, with the command that compares them."
    yield Section(
        "What was measured", (*of_week, table, *more, Paragraph(other), Paragraph((Styled("The same as a feed", target="feed.xml"),)))
    )


def measured_pages(things: Sequence[MeasuredThing]) -> int:
    """On how many pages the measured things are listed, of which the front page is the first."""
    return max(1, -(-len(things) // MOST_MEASURED))


def measured_place(number: int) -> str:
    return f"measured/{number}.html"


def measured_page(things: Sequence[MeasuredThing], pages: frozenset[str], tellings: SummaryCache, number: int) -> Page:
    """What has no room on the front page, from the second page on."""
    above = trail(("Front page", "../index.html"), ("Search", "../search.html"))
    sections = (Section("", (_measured(things, pages, tellings, number, "../"),)),)
    return Page(f"What was measured, {_range(number, len(things))}", sections=sections, trail=above, made_by=MADE_BY)


def _range(number: int, of: int) -> str:
    return f"{(number - 1) * MOST_MEASURED + 1} to {min(number * MOST_MEASURED, of)} of {of}"


def _measured(things: Sequence[MeasuredThing], pages: frozenset[str], tellings: SummaryCache, number: int, up: str = "") -> Table:
    """`up` leads from the page to the folder of the site."""
    columns = (*words("Measured"), *figures("Runs"), *words("Newest", "Compared with", "Verdict"), prose("What changed, or why not"))
    ordered = sorted(things, key=lambda thing: _urgency(thing, tellings))[(number - 1) * MOST_MEASURED : number * MOST_MEASURED]
    rows = tuple(_row(thing, pages, tellings, up) for thing in ordered)
    return Table("The newest run of each, compared with the newest comparable one before it", columns, rows)


def _urgency(thing: MeasuredThing, tellings: SummaryCache) -> int:
    """What changed comes first and what is not compared last; else the order is that of the newest runs."""
    pair = tellings.pair(thing)
    return _rank(tellings.of(*(head.id for head in pair)).verdict) if pair else UNCHANGED + 1


def _rank(verdict: str) -> int:
    return CHANGED.index(Verdict(verdict)) if verdict in CHANGED else UNCHANGED


def _row(thing: MeasuredThing, pages: frozenset[str], tellings: SummaryCache, up: str) -> tuple[Value, ...]:
    last = thing.runs[-1]
    mark = "" if last.status == RunStatus.COMPLETE else f" ({last.status})"
    newest = Styled(f"{last.id}{mark}", target=f"{up}run/{last.id}.html" if last.id in pages else "")
    listed = Styled(thing.name, target=f"{up}runs/{thing.place}.html")
    pair = tellings.pair(thing)
    if pair is None:
        return listed, len(thing.runs), newest, "-", "-", _why_not(thing, tellings)
    a, b = (head.id for head in pair)
    summary = tellings.of(a, b)
    shown = title_verdict(Verdict(summary.verdict))
    before = Styled(a, target=f"{up}run/{a}.html" if a in pages else "")
    return (
        listed,
        len(thing.runs),
        newest,
        before,
        Styled(shown.text, shown.style, f"{up}{compared(a, b)}"),
        summary.functions or summary.said,
    )


def _why_not(thing: MeasuredThing, tellings: SummaryCache) -> str:
    """The reason of the run just before the newest one stands for those of all earlier ones."""
    if len(thing.whole) < 2:
        return NOTHING_BEFORE
    before, last = thing.whole[-2:]
    return f"{NONE_COMPARABLE}: {tellings.of(before.id, last.id).said}"


def _doors() -> Section:
    paragraphs: list[Paragraph | Commands] = []
    for asks, lines in DOORS:
        paragraphs += [Paragraph(asks), Commands(lines)]
    return Section("Measure yours", tuple(paragraphs))


def linked(before: str, links: Sequence[tuple[str, str]]) -> Paragraph:
    """(words, page) of several pages in one line."""
    pairs = [(" \u00b7 " if at else before, Styled(title, target=target)) for at, (title, target) in enumerate(links)]
    return Paragraph(tuple(part for pair in pairs for part in pair))


def trail(*above: tuple[str, str]) -> Text:
    """(words, page) of what is above a page, the front page first."""
    parts: list[str | Styled] = []
    for words_of, target in above:
        parts += [" / " if parts else "", Styled(words_of, target=target)]
    return tuple(parts)
