# SPDX-License-Identifier: BSD-3-Clause
"""One table and one page in every form: nothing that they hold is lost, and nothing in them is taken for markup."""

import csv as csv_module
import io
import json as json_module
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from docutils.core import publish_doctree
from docutils.nodes import bullet_list, entry, field, literal, literal_block, note, paragraph, row, system_message, table, title
from hypothesis import assume, example, given
from hypothesis import strategies as st
from rich.console import Console

from latlab.core.report.chart import Chart
from latlab.core.report.page import Beside, Block, Caution, Commands, Facts, Folded, Item, Items, Legend, Links, Page, Paragraph, Section
from latlab.core.report.renderers import csv, html, json, rst, terminal
from latlab.core.report.table import Align, Column, Table, figures, words
from latlab.core.report.text import code, strong
from support.examples import examples
from support.pages import LINE, TABLE


def shown(page: Page, width: int = 120) -> str:
    stream = io.StringIO()
    terminal.print_page(Console(file=stream, width=width), page)
    return stream.getvalue()


def page_of(*blocks: Block) -> Page:
    return Page("Title", ("lead",), (Section("Part", blocks, (Section("Inner", (Paragraph("inner words"),)),), "part"),))


def words_of(document: str) -> str:
    """What a browser shows of a page, its scripts and styles left out."""

    class Reader(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.text: list[str] = []
            self.hidden = 0
            self.open: list[str] = []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag not in ("meta", "br"):
                self.open.append(tag)
            self.hidden += tag in ("script", "style")

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag
            self.hidden -= tag in ("script", "style")

        def handle_data(self, data: str) -> None:
            if not self.hidden:
                self.text.append(data)

    reader = Reader()
    reader.feed(document)
    assert not reader.open
    return " ".join("".join(reader.text).split())


def test_a_table_says_the_same_in_every_form() -> None:
    for text in (shown(Page("", sections=(Section("", (TABLE,)),))), words_of(html.document(page_of(TABLE)))):
        for word in ("CPU_ON of *all* cores", "firmware_x, n = 3", "Late (us)", "regressed", "1.5 to 9.5", "0.5", "<this> | that_"):
            assert word in text
        assert "Cores took turns." in text and "Read this first." in text.replace("`", "")
    assert list(csv_module.reader(io.StringIO(csv.tables([TABLE])))) == [
        ["Core", "What", "Late (us)", "Calls", "Why"],
        ["0.1", "regressed", "2.5", "3", "because of <this> | that_"],
        ["1.0", "same", "2.5", "0.5", "-"],
    ]
    (document,) = json_module.loads(json.tables([TABLE]))
    assert document["caption"] == "CPU_ON of *all* cores" and document["notes"] == ["Read `this` first."]
    assert document["rows"][1] == {"Core": "1.0", "What": "same", "Late (us)": "2.5", "Calls": 0.5, "Why": "-"}


@pytest.mark.parametrize("set_table", [rst.grid_table, rst.csv_table])
def test_the_rst_of_a_table_is_read_back_as_it_was(set_table: Callable[[Table], Iterable[str]]) -> None:
    tree = publish_doctree(rst.document(page_of(TABLE), set_table))
    assert not list(tree.findall(system_message))
    (found,) = tree.findall(table)
    assert " ".join(found.next_node(title).astext().split()) == "CPU_ON of *all* cores (firmware_x, n = 3)"
    assert found.next_node(title).next_node(literal).astext() == "CPU_ON"
    assert [[cell.astext() for cell in line.findall(entry)] for line in found.findall(row)][2] == ["1.0", "same", "2.5", "0.5", "-"]
    assert next(tree.findall(note)).astext() == "Cores took turns."


@given(st.lists(LINE, min_size=2, max_size=2))
@example(["-", "-5"])
@example(["+4 us", "1. first"])
@example(["literal::", ":field: x"])
@example([".. note::", "===="])
@example(["a) b", "--option"])
@example(["\\", "  begins with spaces"])
@example(["電源オフ", "é twice"])
@examples(100)
def test_no_words_are_taken_for_markup_of_rst(said: list[str]) -> None:
    cell, sentence = said
    page = page_of(Table("caption", words("A", cell), ((cell, sentence),)), Paragraph(sentence), Items((Item(cell, (sentence,)),)))
    for set_table in (rst.grid_table, rst.csv_table):
        tree = publish_doctree(rst.document(page, set_table), settings_overrides={"report_level": 1, "warning_stream": io.StringIO()})
        assert not list(tree.findall(system_message))
        found = [item.astext() for item in tree.findall(entry)]
        assert [" ".join(text.split()) for text in found] == ["A", *(" ".join(text.split()) for text in (cell, cell, sentence))]
        assert len(list(tree.findall(bullet_list))) == 2
        assert " ".join(sentence.split()) in {" ".join(item.astext().split()) for item in tree.findall(paragraph)}


@given(LINE)
@example("``")
@example("a`b")
@examples(50)
def test_no_words_are_taken_for_markup_of_a_page_or_of_a_terminal(said: str) -> None:
    """But those between two backticks, which a page sets as code."""
    assume(not re.search("`[^`]+`", said))
    page = page_of(Table(said, words("A"), ((said,),)), Paragraph((strong(said), code(said))), Facts(((said, said),)))
    expected = " ".join(said.split())
    assert words_of(html.document(page)).count(expected) >= 5
    assert " ".join(shown(page, 400).split()).count(expected) >= 5


@given(st.integers(24, 100))
def test_a_narrow_terminal_breaks_what_it_cannot_hold_and_loses_nothing(width: int) -> None:
    wide, narrow = (shown(Page("", sections=(Section("", (TABLE,)),)), of) for of in (300, width))
    assert not Counter("".join(wide.split())) - Counter("".join(narrow.split()))  # columns that name the rows may come again
    assert max(map(len, narrow.splitlines()[2:8])) <= width


def test_a_spare_column_is_left_out_of_a_narrow_terminal_only() -> None:
    found = Table("", (*words("Run"), Column("Firmware", Align.LEFT, droppable=True)), (("psci-1", "v2.10"),))
    page = Page("", sections=(Section("", (found,)),))
    assert "v2.10" in shown(page, 120) and "v2.10" not in shown(page, 80) and "psci-1" in shown(page, 80)


def test_a_row_that_does_not_fit_its_columns_is_a_fault_of_its_maker() -> None:
    with pytest.raises(AssertionError, match="has 1 values for 2 columns"):
        Table("caption", words("A", "B"), (("only one",),))


SPEC = {"data": {"values": [{"n": 1}]}, "mark": {"type": "bar", "clip": True}, "encoding": {"x": {"field": "n", "type": "quantitative"}}}
CHARTS = (Chart("Spans", "A bar is a core.", SPEC, "spans-0"), Chart("Lanes", "Time runs right.", SPEC, "lanes-0"))
EVERY_BLOCK: tuple[Block, ...] = (
    Paragraph("a paragraph"),
    Caution("mark", "a caution"),
    Items((Item("a sentence", ("either this",)),)),
    Facts((("a name", "a value"),)),
    Commands(("cyclictest -m",)),
    Folded("every row", (Table("folded", words("A"), (("in the fold",),)), CHARTS[1])),
    TABLE,
)
PICTURES: tuple[Block, ...] = (
    Legend((("lock wait", "#123456", "waits for a lock"),)),
    Links((("part", "to the part"),)),
    Beside(CHARTS[:1]),
)


@pytest.mark.parametrize("form", ["terminal", "rst", "html"])
def test_every_block_is_in_every_form_that_can_show_it(form: str) -> None:
    page = page_of(*EVERY_BLOCK, *PICTURES)
    forms: dict[str, Callable[[Page], str]] = {"terminal": shown, "rst": rst.document, "html": html.document}
    text = forms[form](page)
    said = ["Title", "lead", "Part", "Inner", "inner words", "a paragraph", "mark", "a caution", "a sentence", "either this", "a name"]
    for word in (*said, "a value", "cyclictest -m", "in the fold"):
        assert word in text, word
    for word in ("to the part", "lock wait", "A bar is a core."):
        assert (word in text) is (form == "html"), word


def test_every_chart_of_a_page_has_its_place_and_names_of_its_own() -> None:
    text = html.document(page_of(*EVERY_BLOCK, *PICTURES))
    for chart in CHARTS:
        assert f'<div class="chart" id="{chart.name}" role="img" aria-label="{chart.title}. {chart.note}"><svg ' in text
    names = re.findall(r'\bid="([^"]*)"', text.partition("<script>")[0])
    assert len(names) == len(set(names)) and {"spans-0-clip0", "lanes-0-clip0"} <= set(names)
    assert set(re.findall(r"url\(#([^)]*)\)", text.partition("<script>")[0])) <= set(names)


def test_cells_of_a_page_say_what_they_are_of_and_tables_have_names() -> None:
    text = html.document(page_of(TABLE, replace(TABLE, caption="")))
    assert text.count('<th scope="col"') == 2 * len(TABLE.columns)
    assert text.count('<th scope="row" class="words"') == 2 * len(TABLE.rows)
    assert 'id="table-cpu-on-of-all-cores" aria-labelledby="table-cpu-on-of-all-cores-name"' in text
    assert 'id="table-part" aria-label="Part"' in text


def test_facts_and_commands_of_rst_are_fields_and_literal_lines() -> None:
    tree = publish_doctree(rst.document(page_of(Facts((("a: name_", "-v `x`"),)), Commands(("run *all*",)))))
    assert not list(tree.findall(system_message))
    (found,) = tree.findall(field)
    assert [child.astext() for child in found.children] == ["a: name_", "-v `x`"]
    assert next(tree.findall(literal_block)).astext() == "run *all*"


def test_a_narrow_terminal_breaks_no_word_and_no_figure_where_both_find_room() -> None:
    names, shift = ("susp_deep_parallel", "cpu_susp_serial"), "+3.74 µs (+17 %)"
    rows = tuple((name, "last man of the cluster", "104.84", shift, "same level") for name in names)
    table = Table("", (*words("Test", "Term"), *figures("Before", "Shift"), *words("Verdict")), rows)
    lines = shown(Page("", sections=(Section("", (table,)),)), 64).splitlines()
    assert all(len(line.rstrip()) <= 64 for line in lines)
    said = " ".join(lines).split()
    assert set(names) <= set(said) and {"cluster", "104.84"} <= set(said)
    assert sum(shift in line for line in lines) == 2


def test_a_fact_longer_than_its_room_is_broken_where_it_has_a_mark() -> None:
    said = "-device loader,file=/a/rather/long/place/of/firmware.elf,addr=0x5fff0008,data-len=8"
    text = shown(page_of(Facts((("Command", said),))), 40)
    assert max(map(len, text.splitlines())) <= 40 and "".join(said.split()) in "".join(text.split())
    ends = [line.split()[-1] for line in text.splitlines() if "/" in line or "=" in line]
    assert len(ends) > 2 and all(end[-1] in "/,=" for end in ends[:-1]) and ends[-1].endswith("data-len=8")


def test_a_fact_that_has_room_stays_in_one_line() -> None:
    assert "file=/a/b,addr=0x1 data-len=8" in shown(page_of(Facts((("Command", "file=/a/b,addr=0x1 data-len=8"),))), 80)
