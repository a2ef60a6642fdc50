# SPDX-License-Identifier: BSD-3-Clause
"""The first page of a site: what the newest run of everything measured says, then what was published of each board in one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from latlab.core.comparison.by_kind import figures_of
from latlab.core.comparison.counted_findings import CountedBeside
from latlab.core.comparison.history import ChangePoint, Series
from latlab.core.comparison.verdicts import Verdict
from latlab.core.comparison.wording import bare, count, percent, scale_of, signed, signed_bare
from latlab.core.readers.platform_facts import facts_of
from latlab.core.report.comparison.comparison_tables import title_verdict
from latlab.core.report.history.release_chart import Band, Lines, release_svg
from latlab.core.report.page import Commands, Drawing, Folded, Page, Paragraph, Section
from latlab.core.report.table import Table, Value, figures, prose, text_of, words
from latlab.core.report.text import Style, Styled, Text
from latlab.site.campaign.comparison_summaries import SummaryCache
from latlab.site.campaign.measured import FIGURE, MeasuredThing, PublishedBoard, UnderWay

TITLE = "Latency of power states and secure calls, and what changed it"
CHANGED = (Verdict.REGRESSED, Verdict.IMPROVED)
UNCHANGED = len(CHANGED)
MADE_BY = "latlab publish site"
NEVER = "no change shown"
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
    ordered = sorted(boards, key=lambda board: -_worst(board.figure)[1])
    stated = (headline(ordered[0]), _place_to_look(ordered[0])) if ordered else (TITLE,)
    measured = _measured_headline(things, tellings)
    title, *lead = (measured, *(f"Published: {stated[0]}" for _ in ordered[:1])) if measured else filter(None, stated)
    sections = (*_under_way(under_way), *_runs(things, pages, tellings, week), *map(_board, ordered), _doors(), *_method(ordered))
    return Page(title, tuple(lead), sections, name=TITLE, made_by=MADE_BY, finder="search.html")


def _measured_headline(things: Sequence[MeasuredThing], tellings: SummaryCache) -> str:
    """The verdicts on the newest runs, and whose the worst one is. Empty if nothing was measured."""
    if not things:
        return ""
    verdicts = {thing.name: tellings.of(*(head.id for head in pair)).verdict for thing in things if (pair := tellings.pair(thing))}
    if not verdicts:
        return _capital(f"{count(len(things), 'measurement')} in this store; none has two comparable runs yet.")
    ordered = sorted(Verdict, key=lambda verdict: _rank(verdict.value))
    counts = [(list(verdicts.values()).count(verdict.value), verdict) for verdict in ordered]
    parts = [f"{number} {verdict}{_first_of(verdict, verdicts)}" for number, verdict in counts if number]
    return _capital(f"{count(len(verdicts), 'measurement')} compared with an earlier run: {', '.join(parts)}.")


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _first_of(verdict: Verdict, verdicts: Mapping[str, str]) -> str:
    """The name of the first measurement that changed in this way."""
    return f" ({next(name for name, code in verdicts.items() if code == verdict.value)})" if _rank(verdict.value) < UNCHANGED else ""


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


def board_title(board: PublishedBoard) -> str:
    platform = board.name.rpartition("/")[2]
    return facts_of(platform).title or platform


def release(reference: str) -> str:
    return reference.rpartition("/")[2]


def _slug(reference: str) -> str:
    return reference.removeprefix("published:").replace("/", "-")


def _worst(series: Series) -> tuple[int, float]:
    """The release with the highest level, and how many times the first one's that is."""
    at = max(range(len(series.points)), key=lambda k: series.points[k].value)
    return at, series.points[at].value / series.points[0].value


def headline(board: PublishedBoard) -> str:
    """Of a rise only where a comparison calls it one."""
    series, names = board.figure, [release(reference) for reference in board.references]
    at, times = _worst(series)
    if not _is_rise(series, at):
        return TITLE
    first, last = _as_high(series, at)
    when = f"At {names[at]}" if first == last else f"From {names[first]} to {names[last]}"
    most = "" if first == last else "up to "
    sentence = f"{when} a core of {_short(board)} took {most}{times:.1f} times as long to wake up as at {names[0]}."
    if last == len(names) - 1:
        return sentence
    now = f"as long as at {names[0]}" if _is_as_before(series) else f"{_now(series):.1f} times as long"
    return f"{sentence} At {names[-1]} it takes {now}."


def _is_as_before(series: Series) -> bool:
    """A factor that is printed as 1 is no factor."""
    return f"{_now(series):.1f}" == "1.0"


def _now(series: Series) -> float:
    return series.points[-1].value / series.points[0].value


def _is_rise(series: Series, at: int) -> bool:
    return any(change.index <= at < change.end and change.verdict is Verdict.REGRESSED for change in series.changes)


def _short(board: PublishedBoard) -> str:
    """As its users call it: N1SDP, Juno."""
    name = board.name.rpartition("/")[2]
    return name.upper() if any(letter.isdigit() for letter in name) else name.title()


def _place_to_look(board: PublishedBoard) -> str:
    """The function that was counted beside the headline's rise and fall; empty where none was."""
    up, down = _around(board)
    if not up:
        return ""
    names = [release(reference) for reference in board.references]
    sentence = f"In QEMU, on the same processor, {up.name} ran {abs(up.moved):g} instructions more from {names[up.at]} on"
    if down and down.name == up.name:
        sentence += f" and {abs(down.moved):g} fewer from {names[down.at]} on"
    return f"{sentence}: inferred to be one cause among others."


class _Function(NamedTuple):
    at: int
    name: str
    moved: float


def _around(board: PublishedBoard) -> tuple[_Function | None, _Function | None]:
    """What moved most the way of the time where the highest level begins, and where it ends."""
    series = board.figure
    at, _ = _worst(series)
    if not _is_rise(series, at):
        return None, None
    first, last = _as_high(series, at)
    changes = {change.index: change for change in series.changes}
    return _moved(changes.get(first)), _moved(changes.get(last + 1))


def _moved(change: ChangePoint | None) -> _Function | None:
    beside = (
        [explanation.finding for explanation in change.explanations if isinstance(explanation.finding, CountedBeside)] if change else []
    )
    functions = (function for finding in beside if _is_of_figure(finding) and (function := _most(finding)))
    name, moved = next(functions, ("", 0.0))
    return _Function(change.index, name, moved) if change and name else None


def _as_high(series: Series, at: int) -> tuple[int, int]:
    """The releases around the highest one that are nearer to it than to the first."""
    middle = (series.points[0].value + series.points[at].value) / 2
    low = [k for k, point in enumerate(series.points) if point.value < middle]
    return max((k for k in low if k < at), default=-1) + 1, min((k for k in low if k > at), default=len(series.points)) - 1


def _board(board: PublishedBoard) -> Section:
    more = Paragraph((Styled("All figures of this board, release by release", target=board_page(board)),))
    return Section(board_title(board), (_chart(board), _releases(board), more))


def _releases(board: PublishedBoard) -> Table:
    series = board.figure
    changes = {change.index: change for change in series.changes}
    rows: list[tuple[Value, ...]] = [(release(board.references[0]), bare(series.points[0].value, series.unit), "", "", "")]
    for at, (before, after) in enumerate(board.steps, 1):
        difference = series.points[at].value / series.points[at - 1].value - 1
        link = Styled(release(after), target=compared(before, after))
        rows.append((link, bare(series.points[at].value, series.unit), percent(difference), *_verdict_cells(changes.get(at))))
    unit = series.heading
    columns = (*words("Release"), *figures("All cores", unit=unit), *figures("Difference"), *words("Verdict"), prose("Counted beside it"))
    return Table("Wake-up after CPU_OFF, each release against the one before", columns, tuple(rows))


def steps_in_words(board: PublishedBoard) -> tuple[str, ...]:
    """What each release did to the figure of the front page, and the function that was counted beside it."""
    changes = {change.index: change for change in board.figure.changes}
    step_words = (_verdict_cells(changes.get(at)) for at in range(1, len(board.references)))
    return tuple(", ".join(filter(None, (text_of(verdict), text_of(beside)))) for verdict, beside in step_words)


def _verdict_cells(change: ChangePoint | None) -> tuple[Value, Value]:
    if change is None:
        return Styled(NEVER, Style.SOFT), ""
    counted = [
        _counted(explanation.finding, explanation.unit)
        for explanation in change.explanations
        if isinstance(explanation.finding, CountedBeside)
    ]
    return title_verdict(change.verdict), "; ".join(filter(None, counted))


def _counted(finding: CountedBeside, unit: str) -> str:
    """The span that the front page follows, and the function that moved most the way of the time."""
    if not _is_of_figure(finding):
        return ""
    name, moved = _most(finding) or ("", 0.0)
    function = f", {signed_bare(moved, unit)} in {name}" if name else ""
    return f"{signed(finding.difference, unit)} on {' and '.join(finding.processors)}{function}"


def _is_of_figure(finding: CountedBeside) -> bool:
    test, _, metric = FIGURE.partition("/")
    return finding.metric == metric and test in finding.tests


def _most(finding: CountedBeside) -> tuple[str, float] | None:
    rose = finding.verdict is Verdict.REGRESSED
    return next((function_move for function_move in finding.functions if (function_move[1] > 0) == rose), None)


def _chart(board: PublishedBoard) -> Drawing:
    """Each core with itself over the releases."""
    series, scale = board.figure, scale_of(board.figure.unit)
    paths = set(series.figures)
    values: dict[str, list[float]] = {}
    for run in board.releases:
        for figure in figures_of(run):
            if figure.path in paths:
                values.setdefault(figure.path.rpartition("core-")[2], []).append(figure.value / scale)
    whole = {core: by_release for core, by_release in sorted(values.items()) if len(by_release) == len(board.references)}
    lines = Lines(tuple(map(release, board.references)), whole, f"{series.heading}, one core at a time", tuple(_bands(board)))
    note = "Each core over the releases, one sample for each point; cores are cluster.core."
    return Drawing("Wake-up after CPU_OFF, one core at a time", note, release_svg(lines), f"releases-{_slug(board.name)}", is_flame=False)


def _bands(board: PublishedBoard) -> Iterator[Band]:
    series = board.figure
    at, times = _worst(series)
    if not _is_rise(series, at):
        return
    first, last = _as_high(series, at)
    up, down = _around(board)
    yield Band(first, last, f"{times:.1f} times as long", f"{times:.1f} times", _in_function(up))
    if last + 1 < len(series.points):
        now = _now(series)
        factor = f"as {release(board.references[0])}" if _is_as_before(series) else f"{now:.1f} times"
        yield Band(last + 1, len(series.points) - 1, factor, factor, _in_function(down), is_rise=False)


def _in_function(function: _Function | None) -> str:
    return f"{function.moved:+g} in {function.name}".replace("-", "\N{MINUS SIGN}") if function else ""


def _runs(
    things: Sequence[MeasuredThing], pages: frozenset[str], tellings: SummaryCache, week: tuple[str, str] | None
) -> Iterator[Section]:
    if not things:
        return
    columns = (*words("Measured"), *figures("Runs"), *words("Newest", "Compared with", "Verdict"), prose("What changed, or why not"))
    rows = tuple(_row(thing, pages, tellings) for thing in sorted(things, key=lambda thing: _urgency(thing, tellings)))
    table = Table("The newest run of each, compared with the newest comparable one before it", columns, rows)
    of_week = (Paragraph((Styled(week[0], target=week[1]),)),) if week else ()
    other = "Any two others: the page of a measurement lists its runs and makes the command that compares two of them."
    yield Section("What was measured", (*of_week, table, Paragraph(other), Paragraph((Styled("The same as a feed", target="feed.xml"),))))


def _urgency(thing: MeasuredThing, tellings: SummaryCache) -> int:
    """What changed comes first and what is not compared last; else the order is that of the newest runs."""
    pair = tellings.pair(thing)
    return _rank(tellings.of(*(head.id for head in pair)).verdict) if pair else UNCHANGED + 1


def _rank(verdict: str) -> int:
    return CHANGED.index(Verdict(verdict)) if verdict in CHANGED else UNCHANGED


def _row(thing: MeasuredThing, pages: frozenset[str], tellings: SummaryCache) -> tuple[Value, ...]:
    last = thing.runs[-1]
    newest = Styled(last.id, target=f"run/{last.id}.html" if last.id in pages else "")
    listed = Styled(thing.name, target=f"runs/{thing.place}.html")
    pair = tellings.pair(thing)
    if pair is None:
        return listed, len(thing.runs), newest, "-", "-", _why_not(thing, tellings)
    a, b = (head.id for head in pair)
    summary = tellings.of(a, b)
    shown = title_verdict(Verdict(summary.verdict))
    before = Styled(a, target=f"run/{a}.html" if a in pages else "")
    return listed, len(thing.runs), newest, before, Styled(shown.text, shown.style, compared(a, b)), summary.functions or summary.said


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


def trail(*above: tuple[str, str]) -> Text:
    """(words, page) of what is above a page, the front page first."""
    parts: list[str | Styled] = []
    for words_of, target in above:
        parts += [" / " if parts else "", Styled(words_of, target=target)]
    return tuple(parts)
