# SPDX-License-Identifier: BSD-3-Clause
"""What the pages of all kinds of runs have in common."""

import re
from dataclasses import replace
from unittest.mock import patch

import pytest

from latlab.core.report.facts import FACTS
from latlab.core.report.page import Folded, Page, Section
from latlab.core.report.renderers import html, markdown, rst
from latlab.core.report.table import Table, figures, words
from latlab.core.report.text import plain
from latlab.psa.attack_results import Attacks
from latlab.psa.model import AttackOutcome
from latlab.psa.pages import attack_pages
from support.every_kind import ATTACKED
from support.report_pages import every_page
from support.runs import run_with

OF_RUNS = {"psci", "psa", "rt", "rt-trng", "rt-power", "design", "causes", "steal", "amounts", "attack", "functions", "watch"}


@pytest.fixture(name="pages", scope="module")
def fixture_pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    return dict(every_page(tmp_path_factory.mktemp("pages")))


def test_a_page_of_a_run_begins_with_its_answer_and_ends_with_what_it_rests_on(pages: dict[str, Page]) -> None:
    assert set(pages) >= OF_RUNS
    for name in OF_RUNS:
        page = pages[name]
        assert plain(page.answer).endswith("."), name
        (folded,) = page.sections[-1].blocks
        assert isinstance(folded, Folded) and folded.summary == FACTS, name


@pytest.mark.parametrize("render", [html.document, markdown.document, rst.document])
def test_the_answer_stands_in_every_form_before_the_first_section(pages: dict[str, Page], render: object) -> None:
    assert callable(render)
    text = render(pages["attack"])
    assert 0 < text.index("None of one attack on ") < text.index("Outcomes of the attacks")


def test_the_foot_of_a_page_leads_to_the_project_where_its_package_says_where_that_is(pages: dict[str, Page]) -> None:
    assert "<footer>latlab <" not in html.document(pages["week"]) and "<footer>latlab " in html.document(pages["week"])
    html._home.cache_clear()
    with patch("latlab.core.report.renderers.html.metadata") as told:
        told.return_value.get_all.return_value = ["Homepage, https://example.org/latlab"]
        assert '<footer><a href="https://example.org/latlab">latlab</a> ' in html.document(pages["week"])
    html._home.cache_clear()


def test_a_column_of_which_no_row_says_anything_is_left_out_of_a_page_and_a_table_without_rows_is_not() -> None:
    columns = (*words("Call"), *figures("Slept"))
    page = Page("", sections=(Section("", (Table("full", columns, (("CPU_ON", ""), ("CPU_OFF", "")), ("a note",)),)),))
    assert "CPU_OFF" in html.document(page) and "Slept" not in html.document(page)
    assert "Slept" in html.document(Page("", sections=(Section("", (Table("none", columns, ()),)),)))


def test_what_multi_threaded_emulation_timed_is_no_answer(pages: dict[str, Page]) -> None:
    assert "µs" not in plain(pages["rt-power"].answer) and "cannot measure" in plain(pages["rt-power"].answer)


@pytest.mark.parametrize(
    ("outcome", "said"), [(AttackOutcome.BROKEN, "Of one attack on x 1 broke the isolation."), (AttackOutcome.NOT_TRIED, "")]
)
def test_an_attack_that_broke_something_is_the_answer_and_one_that_was_not_tried_is_none(outcome: AttackOutcome, said: str) -> None:
    run = run_with(campaign="attack", contents=Attacks((replace(ATTACKED, outcome=outcome),)))
    assert attack_pages.document(replace(run, build=replace(run.build, firmware="x"))).answer == said


def test_no_page_prints_a_backtick(pages: dict[str, Page]) -> None:
    """Commands and options stand in them in sentences, and as code on a page."""
    for name, page in pages.items():
        document = re.sub(r"<(script|style).*?</\1>", "", html.document(page), flags=re.DOTALL)
        assert "`" not in re.sub(r"<[^>]+>", "", document), name
    odd = html.document(Page("", lead=("a ` alone, <b> escaped", "`latlab <x>` and `y`")))
    assert "a ` alone, &lt;b&gt; escaped" in odd and "<code>latlab &lt;x&gt;</code> and <code>y</code>" in odd


def test_a_page_has_one_length_of_an_instruction(pages: dict[str, Page]) -> None:
    lengths = {name: set(re.findall(r"instructions? (?:of|shown as) ([\d.]+) ns", html.document(page))) for name, page in pages.items()}
    assert lengths["rt"] == {"2"} and all(len(found) <= 1 for found in lengths.values())


def test_causes_come_before_histograms(pages: dict[str, Page]) -> None:
    text = html.document(pages["causes"])
    assert 0 < text.index("Late wake-ups by cause") < text.index("Histogram by recorder")


def test_outcomes_that_no_attack_has_are_a_sentence_and_no_column(pages: dict[str, Page]) -> None:
    (table,) = [block for section in pages["attack"].sections for block in section.blocks if isinstance(block, Table)]
    assert [column.name for column in table.columns] == ["Family", "refused"]
    assert table.notes[0] == "none: broken, denial of service, inconclusive, contained, not tried"


def test_a_figure_of_four_digits_has_a_separator(pages: dict[str, Page]) -> None:
    """In tables; a year, a name and an id have none."""
    for name in ("amounts", "rt-power", "causes", "rt", "steal"):
        for cell in re.findall(r"<td>([^<]*)</td>", html.document(pages[name])):
            assert not re.fullmatch(r"\d{4,}(?:\.\d+)?", cell.strip()), (name, cell)
