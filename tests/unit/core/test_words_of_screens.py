# SPDX-License-Identifier: BSD-3-Clause
"""The screens of a comparison explain their own terms, and say no sentence twice."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import product

import pytest
from rich.console import Console

from latlab.core.comparison.by_kind import compare, explain_pair
from latlab.core.errors import LatlabError
from latlab.core.lifecycle.material import load_run
from latlab.core.report.comparison import comparison_pages
from latlab.core.report.comparison.glosses import GLOSSES, MORE, with_glosses, without_repeats
from latlab.core.report.page import Item, Items, Page, Paragraph, Section
from latlab.core.report.renderers.terminal import print_page
from latlab.core.report.text import plain, soft
from latlab.core.store.listing import heads
from latlab.core.store.references import load
from latlab.core.store.store import open_store
from support.every_kind import fill
from support.places import ROOT

LATEST = ("published:tf-a/juno/v2.9", "published:tf-a/juno/v2.10"), ("published:tf-a/n1sdp/v2.9", "published:tf-a/n1sdp/v2.10")


@pytest.fixture(name="screens", scope="module")
def fixture_screens(tmp_path_factory: pytest.TempPathFactory) -> list[Page]:
    """Of pairs of every kind that can be compared, short and with every row, and their explanations."""
    place = tmp_path_factory.mktemp("store") / "store.sqlite"
    fill(place)
    store = open_store(str(place))
    runs = []
    for head in heads(store):
        with suppress(LatlabError):
            runs.append(load_run(store, head.id))
    pairs = [*product(runs, runs), *((load(a, ""), load(b, "")) for a, b in LATEST)]
    pages: list[Page] = []
    for a, b in pairs:
        with suppress(LatlabError):
            comparison = compare(a, b)
            pages += [comparison_pages.screen(comparison), comparison_pages.screen(comparison, verbose=True)]
            pages.append(comparison_pages.pair_explanations(comparison, explain_pair(comparison)))
    return pages


def sentences(page: Page) -> Iterator[str]:
    yield from (plain(text) for text in (page.answer, *page.lead))
    for section in page.sections:
        for block in section.blocks:
            if isinstance(block, Paragraph):
                yield plain(block.text)
            elif isinstance(block, Items):
                yield from (plain(item.text) for item in block.items if not item.below)


def test_no_screen_of_a_comparison_says_a_sentence_twice(screens: list[Page]) -> None:
    assert len(screens) > 20
    for page in screens:
        counted = Counter(text.removeprefix("note ").rstrip(".").casefold() for text in sentences(page) if text)
        assert not [text for text, times in counted.items() if times > 1], plain(page.title)


def test_what_stands_above_the_tables_of_a_comparison_are_sentences(screens: list[Page]) -> None:
    lines = [plain(line) for page in screens for line in (page.answer, *page.lead)]
    assert len(set(lines)) > 20
    for line in filter(None, lines):
        first = line.split()[0]
        is_name = any(character in first for character in "_/:0123456789")
        assert (is_name or first[0].isupper()) and line.endswith("."), line


def test_each_term_of_a_screen_has_its_meaning_on_it_and_no_other(screens: list[Page]) -> None:
    explained = set()
    for page in screens:
        screen = io.StringIO()
        print_page(Console(file=screen, width=1000, color_system=None), page)
        above, _, below = screen.getvalue().partition(MORE)
        for pattern, meaning in GLOSSES:
            rest = above.replace(meaning, "")
            for _, other in GLOSSES:
                rest = rest.replace(other, "")
            assert (meaning in above) is bool(re.search(pattern, rest)), (meaning, plain(page.title))
            explained |= {meaning} if meaning in above else set()
        assert not below.strip()
    assert len(explained) >= 4


def test_each_explained_term_is_in_the_glossary() -> None:
    glossary = (ROOT / "docs/reference/glossary.md").read_text("utf-8").casefold()
    for _, meaning in GLOSSES:
        term = meaning.partition(":")[0].removeprefix("90 % ").removesuffix(" 4")
        assert term in glossary, term


def test_a_repeat_is_left_out_whatever_its_mark_and_a_page_without_terms_stays() -> None:
    sections = (
        Section("", (Paragraph("Two rows regressed."), Items((Item("note the tick differs"), Item("new"))))),
        Section("", (Paragraph(soft("the tick differs.")), Paragraph("New"), Paragraph("more"))),
    )
    page = Page("title", ("two rows regressed",), sections, answer="new thing")
    assert list(sentences(without_repeats(page))) == ["new thing", "two rows regressed", "note the tick differs", "new", "more"]
    assert with_glosses(page) is page


def test_what_stands_under_two_titles_is_of_two_things_and_stays() -> None:
    alike = tuple(
        Section(title, (Paragraph("all figures are equal"), Paragraph("Two rows regressed."))) for title in ("one test", "another")
    )
    page = Page("title", ("two rows regressed",), alike, answer="new thing")
    assert list(sentences(without_repeats(page))).count("all figures are equal") == 2
    assert list(sentences(without_repeats(page))).count("two rows regressed") == 1
