# SPDX-License-Identifier: BSD-3-Clause
"""The first page of a site: what was published of each board in one sentence, and what the newest run of everything measured says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import altair as alt

from latlab.analysis.base.counted_findings import CountedBeside
from latlab.analysis.base.verdicts import Verdict
from latlab.analysis.base.wording import bare, percent, scale_of, signed, signed_bare
from latlab.analysis.figures import figures_of
from latlab.analysis.history import ChangePoint, Series
from latlab.campaigns.site import FIGURE, Board, Measured, UnderWay
from latlab.catalog.platform_facts import facts_of
from latlab.model.run import Run
from latlab.report.chart import Chart, finished
from latlab.report.colours import of_series
from latlab.report.comparison.comparison_tables import title_verdict
from latlab.report.page import Commands, Page, Paragraph, Section
from latlab.report.table import Table, Value, figures, prose, words
from latlab.report.text import Style, Styled, Text

TITLE = "How long the platform goes away, and what changed it"
MADE_BY = "latlab publish site"
NEVER = "no change shown"
HOW = (
    "Times were published by Trusted Firmware-A, one boot for each release, in the board's counter. Beside a change stands what the probe "
    "counted of the same two releases in QEMU, on the same processor and other platform code: a place to look, inferred, and no cause."
)
DOORS = (
    ("TF-A or another EL3: what did my patch do to power-down?", ("latlab run psci --subject tf-a.toml", "latlab compare last~1 last")),
    ("Cortex-M: how long does my SPM keep an interrupt waiting?", ("latlab run psa", "latlab report last -o psa.html")),
    ("RT Linux: who took my core?", ("latlab run steal --duration 10m", "latlab report last -o steal.html")),
    ("Any image: what does each call cost?", ("latlab look bl31.bin", "latlab report last -o calls.html")),
)


def front(boards: Sequence[Board], found: Sequence[Measured], pages: frozenset[str], under_way: Sequence[UnderWay] = ()) -> Page:
    """`pages` are the runs that have a page; those under way have one too."""
    ordered = sorted(boards, key=lambda board: -_worst(board.figure)[1])
    title = _headline(ordered[0]) if ordered else TITLE
    published = [_board(board) for board in ordered]
    sections = (*_under_way(under_way), *published[:1], *_runs(found, pages), *published[1:], _doors())
    return Page(title, (HOW,) if ordered else (), sections, name=TITLE, made_by=MADE_BY)


def _under_way(runs: Sequence[UnderWay]) -> Iterator[Section]:
    if runs:
        links = tuple(Paragraph((Styled(one.head.id, target=f"run/{one.head.id}.html"), f" on {one.head.platform}")) for one in runs)
        yield Section("Under way", links)


def compared(a: str, b: str) -> str:
    """The page of the comparison of two runs, from the folder of the site."""
    return f"compare/{_slug(a)}..{_slug(b)}.html"


def board_page(board: Board) -> str:
    return f"boards/{_slug(board.name)}.html"


def board_title(board: Board) -> str:
    platform = board.releases[0].platform
    return facts_of(platform).title or platform


def release(run: Run) -> str:
    return run.id.rpartition("/")[2]


def _slug(reference: str) -> str:
    return reference.removeprefix("published:").replace("/", "-")


def _worst(series: Series) -> tuple[int, float]:
    """The release with the highest level, and how many times the first one's that is."""
    at = max(range(len(series.points)), key=lambda k: series.points[k].value)
    return at, series.points[at].value / series.points[0].value


def _headline(board: Board) -> str:
    """Of a rise only where a comparison calls it one."""
    series, names = board.figure, [release(run) for run in board.releases]
    at, times = _worst(series)
    if not any(one.index <= at < one.end and one.verdict is Verdict.REGRESSED for one in series.changes):
        return TITLE
    first, last = _as_high(series, at)
    when = f"At {names[at]}" if first == last else f"From {names[first]} to {names[last]}"
    most = "" if first == last else "up to "
    told = f"{when} a core of {board_title(board)} took {most}{times:.1f} times as long to wake up as at {names[0]}."
    now = series.points[-1].value / series.points[0].value
    return told if last == len(names) - 1 else f"{told} At {names[-1]} it takes {now:.1f} times as long."


def _as_high(series: Series, at: int) -> tuple[int, int]:
    """The releases around the highest one that are nearer to it than to the first."""
    middle = (series.points[0].value + series.points[at].value) / 2
    low = [k for k, point in enumerate(series.points) if point.value < middle]
    return max((k for k in low if k < at), default=-1) + 1, min((k for k in low if k > at), default=len(series.points)) - 1


def _board(board: Board) -> Section:
    more = Paragraph((Styled("All figures of this board, release by release", target=board_page(board)),))
    return Section(board_title(board), (_chart(board), _releases(board), more))


def _releases(board: Board) -> Table:
    series = board.figure
    changes = {one.index: one for one in series.changes}
    rows: list[tuple[Value, ...]] = [(release(board.releases[0]), bare(series.points[0].value, series.unit), "", "", "")]
    for at, (before, after) in enumerate(board.steps, 1):
        difference = series.points[at].value / series.points[at - 1].value - 1
        link = Styled(release(after), target=compared(before.id, after.id))
        rows.append((link, bare(series.points[at].value, series.unit), percent(difference), *_told(changes.get(at))))
    unit = series.heading
    columns = (*words("Release"), *figures("All cores", unit=unit), *figures("Difference"), *words("Verdict"), prose("Counted beside it"))
    return Table("Wake-up after CPU_OFF, each release against the one before", columns, tuple(rows))


def _told(change: ChangePoint | None) -> tuple[Value, Value]:
    if change is None:
        return Styled(NEVER, Style.SOFT), ""
    counted = [_counted(one.finding, one.unit) for one in change.explanations if isinstance(one.finding, CountedBeside)]
    return title_verdict(change.verdict), "; ".join(filter(None, counted))


def _counted(finding: CountedBeside, unit: str) -> str:
    """The span that the front page follows, and the function that moved most the way of the time."""
    test, _, metric = FIGURE.partition("/")
    if finding.metric != metric or test not in finding.tests:
        return ""
    rose = finding.verdict is Verdict.REGRESSED
    name, moved = next((one for one in finding.functions if (one[1] > 0) == rose), ("", 0.0))
    function = f", {signed_bare(moved, unit)} in {name}" if name else ""
    return f"{signed(finding.difference, unit)} on {' and '.join(finding.processors)}{function}"


def _chart(board: Board) -> Chart:
    """Each core with itself over the releases."""
    series, scale = board.figure, scale_of(board.figure.unit)
    wanted = set(series.figures)
    rows = [
        {"release": release(run), "core": figure.path.rpartition("core-")[2], "value": figure.value / scale}
        for run in board.releases
        for figure in figures_of(run)
        if figure.path in wanted
    ]
    cores = sorted({str(row["core"]) for row in rows})
    colour = alt.Color("core:N", title=None, scale=alt.Scale(domain=cores, range=of_series(cores)), legend=alt.Legend(orient="top"))
    chart = alt.Chart(alt.InlineData(values=rows), width=900, height=260).mark_line(point=True)
    encoded = chart.encode(
        x=alt.X("release:N", title=None, sort=[release(run) for run in board.releases], axis=alt.Axis(labelAngle=0)),
        y=alt.Y("value:Q", title=series.heading, scale=alt.Scale(zero=True)),
        color=colour,
    )
    note = "Each core over the releases, one sample for each point; colours are cluster.core."
    return Chart("Wake-up after CPU_OFF, one core at a time", note, finished(encoded), f"releases-{_slug(board.name)}")


def _runs(found: Sequence[Measured], pages: frozenset[str]) -> Iterator[Section]:
    if not found:
        return
    columns = (*words("Measured"), *figures("Runs"), *words("Newest"), *words("Against the run before"), prose("Why not"))
    rows = tuple(_row(one, pages) for one in found)
    table = Table("The newest run of each, compared with the one before", columns, rows)
    yield Section("What was measured", (table, Paragraph((Styled("The same as a feed", target="feed.xml"),))))


def _row(one: Measured, pages: frozenset[str]) -> tuple[Value, ...]:
    last = one.runs[-1]
    newest = Styled(last.id, target=f"run/{last.id}.html" if last.id in pages else "")
    listed = Styled(one.name, target=f"runs/{one.place}.html")
    if isinstance(one.newest, str):
        return listed, len(one.runs), newest, "-", one.newest
    told = title_verdict(one.newest.verdict)
    return listed, len(one.runs), newest, Styled(told.text, told.style, compared(one.newest.a.id, one.newest.b.id)), ""


def _doors() -> Section:
    said: list[Paragraph | Commands] = []
    for asks, lines in DOORS:
        said += [Paragraph(asks), Commands(lines)]
    return Section("Measure yours", tuple(said))


def trail(*above: tuple[str, str]) -> Text:
    """(words, page) of what is above a page, the front page first."""
    parts: list[str | Styled] = []
    for words_of, target in above:
        parts += [" / " if parts else "", Styled(words_of, target=target)]
    return tuple(parts)
