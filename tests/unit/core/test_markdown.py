# SPDX-License-Identifier: BSD-3-Clause
"""Markdown by an independent parser: nothing is lost, and nothing is taken for markup."""

import pytest
from hypothesis import example, given
from markdown_it import MarkdownIt

from latlab.core.report.chart import Chart
from latlab.core.report.page import Caution, Commands, Facts, Folded, Item, Items, Page, Paragraph, Section
from latlab.core.report.renderers import markdown
from latlab.core.report.table import Column, Table
from latlab.core.report.text import Style, Styled, code, plain, strong, with_code
from support.pages import LINE, TABLE

PARSER = MarkdownIt("commonmark").enable("table")


def parsed(*blocks, title="Title"):
    return PARSER.parse(markdown.document(Page(title, sections=(Section("", blocks),))))


def kinds(tokens):
    return [token.type.removesuffix("_open") for token in tokens if token.nesting >= 0 and token.type != "inline"]


def inner(token):
    """The words of an inline token, with code between bars."""
    return "".join(f"|{child.content}|" if child.type == "code_inline" else child.content for child in token.children)


def lines(tokens):
    return [inner(token) for token in tokens if token.type == "inline"]


@given(LINE)
@example("# no heading")
@example("- no item")
@example("12) no item")
@example("---")
@example("% no comment")
@example("(target)=")
@example("+++")
@example("a\\")
@example("<b> &amp; [x](y) ![z](w) `c` *e* _f_ ~g~ $h$ {role}`x` | i")
def test_any_line_stays_a_paragraph_of_these_words(text):
    tokens = parsed(Paragraph(text))
    assert kinds(tokens) == ["heading", "paragraph"]
    assert lines(tokens)[1] == " ".join(text.split())


@given(LINE, LINE, LINE)
@example("a|b", "\\|", "|")
@example("\\", "-", "---")
def test_any_text_stays_in_its_cell(caption, heading, cell):
    table = Table("", (Column(heading), Column("b")), ((cell, 1), (2, cell)))
    tokens = parsed(table)
    cells = [lines([tokens[at + 1]])[0] for at, token in enumerate(tokens) if token.type in ("th_open", "td_open")]
    said = " ".join(cell.split())
    assert cells == [" ".join(heading.split()), "b", said, "1", "2", said]
    assert lines(parsed(Paragraph((code("c"), f" {caption}"))))[1].startswith("|c| ")


@given(LINE, LINE)
def test_any_text_is_a_heading_an_item_a_fact_and_code(one, other):
    tokens = parsed(Items((Item(one, (other,)), Item(other))), Facts(((one, other),)), title=one)
    said = [" ".join(text.split()) for text in (one, other)]
    assert lines(tokens) == [said[0], said[0], said[1], said[1], f"{said[0]}: {said[1]}"]
    assert kinds(tokens).count("bullet_list") == 3
    assert lines(parsed(Paragraph(("x", code(one.strip())))))[1] == f"x|{one.strip()}|"


def test_a_table_has_its_caption_its_alignment_its_caution_and_its_notes():
    tokens = parsed(TABLE)
    assert "**Table:** `CPU_ON` of \\*all\\* cores (firmware\\_x, n = 3)" in markdown.document(Page("", sections=(Section("", (TABLE,)),)))
    heads = [token.attrs.get("style") for token in tokens if token.type == "th_open"]
    assert heads == [None, None, "text-align:right", "text-align:right", None]
    assert lines(tokens)[-2:] == ["Note: Cores took turns.", "Read `this` first."]
    assert [line for line in lines(tokens) if "this" in line] == ["because of <this> | that_", "Read `this` first."]


def test_commands_are_fenced_whatever_stands_in_them():
    (fence,) = [token for token in parsed(Commands(("make x", "echo '```'"))) if token.type == "fence"]
    assert (fence.info, fence.content) == ("console", "make x\necho '```'\n")


def test_a_chart_is_a_picture_where_a_folder_has_it_and_nothing_elsewhere():
    page = Page("T", sections=(Section("S", (Chart("A [chart]", "note_x", {}, "c-0"), Chart("nameless", "n", {}))),))
    (picture,) = [t for token in PARSER.parse(markdown.document(page, "img")) for t in token.children or () if t.type == "image"]
    assert (picture.attrs["src"], inner(picture)) == ("img/c-0.svg", "A [chart]")
    assert "nameless" not in markdown.document(page, "img") and "c-0" not in markdown.document(page)


def test_a_caution_a_folded_block_and_strong_words_are_told():
    tokens = parsed(Caution("doubt", "why_so"), Folded("more", (Paragraph((strong("bold"), " rest")),)))
    assert lines(tokens)[1:] == ["Note: doubt: why_so", "bold rest"]


@pytest.mark.parametrize("style", [style for style in Style if style is not Style.CODE])
def test_words_of_every_style_keep_the_spaces_between_them(style):
    assert lines(parsed(Paragraph(("a ", Styled("b", style), " c"))))[1] == "a b c"


def test_what_a_sentence_has_in_backticks_is_set_as_code() -> None:
    assert markdown.marked(with_code("see `latlab show a*b`, then go on")) == "see `latlab show a*b`, then go on"
    assert plain(with_code("no code")) == "no code"
