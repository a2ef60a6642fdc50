# SPDX-License-Identifier: BSD-3-Clause
"""A page as one HTML file that opens without a network: its text, its tables and its charts as pictures."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib.metadata import metadata, version
from itertools import chain, count

import jinja2
from markupsafe import Markup, escape

from latlab.core.report import page as pages
from latlab.core.report.chart import Chart
from latlab.core.report.colours import JUDGEMENTS
from latlab.core.report.page import Block, Page
from latlab.core.report.renderers.inline_svg import inline_svg
from latlab.core.report.table import Align, Bar, Column, Ranged, Table, Value
from latlab.core.report.table import text_of as plain_of
from latlab.core.report.text import Style, Styled, Text, plain, spans
from latlab.core.shown import LINES, shown

BLOCKS = (
    pages.Paragraph, pages.Caution, pages.Items, pages.Facts, pages.Commands, pages.Legend, pages.Key, pages.Drawing,
    pages.Links, pages.RunChoice, pages.Folded, pages.Beside, Table, Chart,
)  # fmt: skip
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="[^"]*">')
BAR_EM = 7
NO_NAME = re.compile(r"[^a-z0-9]+")
BEFORE_UNIT = re.compile(r"(?<=\d) (?=[µ%])")


def document(page: Page) -> str:
    """The whole HTML file. It runs no script except its own."""
    text = (
        _environment()
        .get_template("page.html.j2")
        .render(
            page=page,
            version=version("latlab"),
            home=_home(),
            colours={style.value: colour for style, colour in JUDGEMENTS.items()},
            ident=_Identities(page),
            has_choice=pages.has_choice(page),
            has_flames=any(drawing.is_flame for drawing in pages.drawings_of(page)),
        )
    )
    return with_policy(shown(text, LINES))


def with_policy(document: str) -> str:
    """The document with a Content-Security-Policy that allows its own scripts, which are last in it, by their digests. An existing
    policy is replaced."""
    _, *pieces = document.rpartition("</main>")[2].split("<script>")
    scripts = [script.partition("</script>")[0] for script in pieces]
    allowed = " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts) or "'none'"
    policy = f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'"
    return POLICY.sub(f'<meta http-equiv="Content-Security-Policy" content="{policy}">', document, count=1)


@cache
def _home() -> str:
    """The address of the project, if the metadata of its package states one."""
    return next((place.partition(", ")[2] for place in metadata("latlab").get_all("Project-URL") or ()), "")


class _Identities:
    """Ids of the elements of a page, derived from their text, so that a link to an element is still valid in the next report."""

    def __init__(self, page: Page) -> None:
        self._taken = {section.anchor for section in page.sections} | {chart.name for chart in pages.charts_of(page)}

    def __call__(self, words: str, kind: str) -> str:
        stem = f"{kind}-{NO_NAME.sub('-', words.lower()).strip('-')}"
        name = next(name for name in chain((stem,), (f"{stem}-{n}" for n in count(2))) if name not in self._taken)
        self._taken.add(name)
        return name


@cache
def _environment() -> jinja2.Environment:
    loader = jinja2.PackageLoader("latlab.core.report")
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters |= {
        "marked": _marked,
        "unbroken": _unbroken,
        "plain": plain,
        "cell": _cell,
        "still": inline_svg,
        "ready": Markup,
        "look": _look,
        "filled": _filled,
    }
    environment.tests |= {"left": _is_left, "quiet": _is_quiet}
    environment.globals |= {"kind": _kind}
    return environment


def _is_left(column: Column) -> bool:
    return column.align is Align.LEFT


def _kind(block: Block) -> str:
    return next(kind.__name__ for kind in BLOCKS if isinstance(block, kind))


def _marked(text: Text) -> Markup:
    return Markup("").join(_span(span) for span in spans(text))


def _unbroken(markup: Markup) -> Markup:
    """No line ends between a number and µs or %."""
    return Markup(BEFORE_UNIT.sub("&nbsp;", markup))


def _filled(table: Table) -> Table:
    """The table without columns that are empty in every row."""
    columns = [at for at in range(len(table.columns)) if not table.rows or any(plain_of(row[at]) for row in table.rows)]
    rows = tuple(tuple(row[at] for at in columns) for row in table.rows)
    return replace(table, columns=tuple(table.columns[at] for at in columns), rows=rows)


def _look(column: Column) -> Markup:
    """The classes of a column's cells."""
    names = [name for name, has in (("words", _is_left(column)), ("prose", column.wraps), ("spare", column.droppable)) if has]
    return Markup(' class="{}"').format(" ".join(names)) if names else Markup("")


def _span(span: Styled) -> Markup:
    if span.target:
        return Markup('<a href="{}">{}</a>').format(span.target, _span(replace(span, target="")))
    if span.style is Style.PLAIN:
        return _words(span.text)
    if span.style is Style.CODE:
        return Markup("<code>{}</code>").format(span.text)
    if span.style is Style.STRONG:
        return Markup("<b>{}</b>").format(span.text)
    return Markup('<span class="{}">{}</span>').format(span.style.value, span.text)


def _words(text: str) -> Markup:
    """Set what stands between two backticks as code, unless a backtick is left over or nothing stands between two."""
    parts = text.split("`")
    if len(parts) % 2 == 0 or not all(parts[1::2]):
        return escape(text)
    return Markup("").join(Markup("<code>{}</code>").format(part) if at % 2 else escape(part) for at, part in enumerate(parts))


def _is_quiet(row: Sequence[Value]) -> bool:
    """Whether every value of a row is soft, so that the row carries the style once."""
    words = [value for value in row if plain_of(value)]
    return bool(words) and all(isinstance(value, Styled) and value.style is Style.SOFT and not value.target for value in words)


def _cell(value: Value, quiet: bool = False) -> Markup:
    if quiet:
        return escape(plain_of(value))
    if isinstance(value, Ranged):
        spread = Markup('<br><span class="soft">{}</span>').format(value.spread) if value.spread else Markup("")
        return escape(value.text) + spread
    if isinstance(value, Bar):
        width = f"{BAR_EM * min(1.0, max(0.0, value.share)):.2f}"
        return Markup('<span class="room"><span class="bar" style="width:{}em"></span></span>{}').format(width, value.text)
    return _span(value) if isinstance(value, Styled) else _words(str(value))
