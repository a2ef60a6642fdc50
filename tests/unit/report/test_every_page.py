# SPDX-License-Identifier: BSD-3-Clause
"""What the pages of all kinds of runs have in common."""

from unittest.mock import patch

import pytest

from latlab.report.page import Folded, Page
from latlab.report.renderers import html, markdown, rst
from latlab.report.run.facts import FACTS
from latlab.report.text import plain
from support.report_pages import every_page

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
    assert 0 < text.index("None of one attack on ") < text.index("What came of the attacks")


def test_the_foot_of_a_page_leads_to_the_project_where_its_package_says_where_that_is(pages: dict[str, Page]) -> None:
    assert "<footer>latlab <" not in html.document(pages["week"]) and "<footer>latlab " in html.document(pages["week"])
    html._home.cache_clear()
    with patch("latlab.report.renderers.html.metadata") as told:
        told.return_value.get_all.return_value = ["Homepage, https://example.org/latlab"]
        assert '<footer><a href="https://example.org/latlab">latlab</a> ' in html.document(pages["week"])
    html._home.cache_clear()
