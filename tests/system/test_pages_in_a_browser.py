# SPDX-License-Identifier: BSD-3-Clause
"""Every kind of report in a real browser: what axe has to say of it, how wide it is, and what is left of it without scripts."""

from pathlib import Path
from typing import Any

import pytest

from latlab.core.report.renderers import html
from support.browser import fixture_browser, opened  # noqa: F401 - the fixture is asked for by its name
from support.report_pages import every_page
from support.slow_but import slow_but

pytestmark = pytest.mark.browser
GRAVE = ("serious", "critical")
WIDTHS = (1400, 420)
CHART_TEXT_PX = 9
CUT = """() => {
    const cut = [];
    for (const one of document.querySelectorAll('td, th')) {
        const box = one.getBoundingClientRect();
        const frame = one.closest('.wide');
        const scrolls = frame && getComputedStyle(frame).overflowX === 'auto' && getComputedStyle(frame).backgroundImage !== 'none';
        const isCut = (box.right > innerWidth + 1 && !scrolls) || one.scrollWidth > one.clientWidth + 1;
        if (box.width && isCut) cut.push(one.textContent.trim().slice(0, 40));
    }
    for (const svg of document.querySelectorAll('.chart svg[data-fit], .lines > svg')) {
        const frame = svg.getBoundingClientRect();
        if (!frame.width) continue;
        if (frame.right > innerWidth + 1) cut.push('a chart');
        for (const text of svg.querySelectorAll('text')) {
            const box = text.getBoundingClientRect();
            if (box.width && (box.left < frame.left - 1 || box.right > frame.right + 1)) cut.push(text.textContent);
            if (text.textContent.endsWith('…')) cut.push(text.textContent);
        }
    }
    return cut;
}"""


@pytest.fixture(name="files", scope="module")
def fixture_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for name, page in every_page(folder):
        found[name] = folder / f"{name}.html"
        found[name].write_text(html.document(page), "utf-8")
    assert {
        "psci",
        "psa",
        "rt",
        "rt-trng",
        "amounts",
        "comparison",
        "history",
        "functions",
        "functions-compared",
        "watch",
        "front",
        "week",
    } <= set(found)
    return found


@pytest.fixture(name="still", scope="module")
def fixture_still(browser: Any, files: dict[str, Path]) -> dict[str, Any]:
    """Every page opened once, without scripts; `at` makes it what a test needs."""
    return {name: opened(browser, file, 1400, scripts=False) for name, file in files.items()}


DETAILS = """(all) => document.querySelectorAll('details').forEach((one) => {
    one.dataset.first ??= String(one.open);
    one.open = all || one.dataset.first === 'true';
})"""


def at(page: Any, width: int, media: str = "screen", is_all_open: bool = False) -> Any:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(media=media)
    page.evaluate(DETAILS, is_all_open)
    return page


LOOKS = ((1400, "light"), (420, "dark"), (1400, "dark"), (420, "light"))
OF_THE_LOOKS = {"runOnly": ["color-contrast", "target-size", "scrollable-region-focusable", "link-in-text-block"]}


@pytest.mark.parametrize("looks", [LOOKS[:2], pytest.param(LOOKS, marks=pytest.mark.slow)], ids=len)
def test_axe_finds_nothing_grave_in_any_report(browser: Any, files: dict[str, Path], looks: tuple[tuple[int, str], ...]) -> None:
    """All rules for the first look, and for the others those that colours and widths decide."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="brings axe; `make setup-dev` installs it").Axe()
    for name, file in files.items():
        page = opened(browser, file, *looks[0])
        found = [(looks[0], axe.run(page).response)]
        assert len(found[0][1]["passes"]) > 10, name
        for width, scheme in looks[1:]:
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            found += [((width, scheme), axe.run(page, options=OF_THE_LOOKS).response)]
        grave = [(look, one) for look, response in found for one in response["violations"] if one["impact"] in GRAVE]
        assert not grave, (name, [(look, one["id"], one["nodes"][0]["html"][:200]) for look, one in grave])
        page.context.close()


def test_axe_would_find_words_that_are_hard_to_read(browser: Any, files: dict[str, Path], tmp_path: Path) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="brings axe; `make setup-dev` installs it").Axe()
    faint = tmp_path / "faint.html"
    faint.write_text(files["history"].read_text("utf-8").replace("--soft: #52606d", "--soft: #b0b8c0"), "utf-8")
    for options in (None, OF_THE_LOOKS):
        found = axe.run(opened(browser, faint, 1400), options=options).response["violations"]
        assert "color-contrast" in {one["id"] for one in found if one["impact"] in GRAVE}


def check_width_and_charts(page: Any, name: str, width: int) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    heights = page.evaluate("[...document.querySelectorAll('.chart text')].map((one) => one.getBoundingClientRect().height)")
    assert all(height == 0 or height >= CHART_TEXT_PX for height in heights), (name, min(heights))
    facts = page.evaluate("[...document.querySelectorAll('dl.facts dd')].map((one) => one.getBoundingClientRect().width)")
    assert all(wide > 150 for wide in facts if wide), name


@pytest.mark.parametrize("width", slow_but(WIDTHS, 420))
def test_no_report_is_wider_than_the_window_and_its_charts_can_be_read(browser: Any, files: dict[str, Path], width: int) -> None:
    for name, file in files.items():
        page = opened(browser, file, width)
        check_width_and_charts(page, name, width)
        check_width_and_charts(at(page, width, is_all_open=True), name, width)
        page.context.close()


@pytest.mark.parametrize("width", WIDTHS)
def test_without_scripts_no_report_is_wider_than_the_window_and_its_charts_can_be_read(still: dict[str, Any], width: int) -> None:
    for name, page in still.items():
        check_width_and_charts(at(page, width), name, width)
        check_width_and_charts(at(page, width, is_all_open=True), name, width)


@pytest.mark.parametrize("width", [1280, 390])
def test_no_cell_and_no_label_of_a_chart_is_cut(still: dict[str, Any], width: int) -> None:
    found = {name: at(page, width).evaluate(CUT) for name, page in still.items()}
    assert {name: cut for name, cut in found.items() if cut} == {}


A4_TEXT_PX = 718
BEYOND = f"[...document.querySelectorAll('table')].some((one) => one.getBoundingClientRect().right > {A4_TEXT_PX + 1})"


LINES_OF = "(range => new Set([...range.getClientRects()].map((line) => Math.round(line.top))).size)"
BROKEN = f"""() => [...document.querySelectorAll('table.figures tbody td')].filter((cell) => !cell.querySelector('br, .room')
  && /^[-+]?[\\d.,]+( %)?$/.test(cell.textContent.trim())
  && {LINES_OF}((() => {{ const range = document.createRange(); range.selectNodeContents(cell); return range; }})()) > 1)
  .map((cell) => cell.textContent)"""


@pytest.mark.parametrize(("width", "media"), [(A4_TEXT_PX, "print"), (1280, "screen"), (390, "screen")])
def test_no_number_is_broken_over_two_lines(still: dict[str, Any], width: int, media: str) -> None:
    assert {name: broken for name, page in still.items() if (broken := at(page, width, media=media).evaluate(BROKEN))} == {}


def test_no_table_is_wider_than_the_paper_that_it_is_printed_on(still: dict[str, Any]) -> None:
    assert [name for name, page in still.items() if at(page, A4_TEXT_PX, media="print").evaluate(BEYOND)] == []


def test_a_cell_that_is_cut_would_be_noticed(browser: Any, files: dict[str, Path], tmp_path: Path) -> None:
    wide = tmp_path / "wide.html"
    wide.write_text(files["rt"].read_text("utf-8").replace(".wide:has(> table)", ".narrow:has(> table)"), "utf-8")
    page = opened(browser, wide, 390, scripts=False)
    assert page.evaluate(CUT) != []
    page.context.close()


def test_without_scripts_every_chart_is_there(still: dict[str, Any]) -> None:
    bare = set()
    for name, page in still.items():
        charts = at(page, 1400, is_all_open=True).locator(".chart").count()
        assert page.locator(".chart > svg:visible").count() == charts, name
        if not charts:
            bare.add(name)
    assert bare == {"amounts", "attack", "history", "front", "week", "search", "runs"}


def test_no_page_asks_a_network_for_anything(browser: Any, files: dict[str, Path]) -> None:
    asked: list[str] = []
    context = browser.new_context()
    context.on("request", lambda request: asked.append(request.url))
    for file in files.values():
        context.new_page().goto(file.as_uri())
    context.close()
    assert sorted(asked) == sorted(file.as_uri() for file in files.values())


def test_a_function_is_found_in_a_flame_graph_and_its_box_enlarged_by_keys(browser: Any, files: dict[str, Path]) -> None:
    page = opened(browser, files["functions"], 1400)
    frame = page.locator(".flame.drawing").first
    box = frame.locator("svg svg", has_text="dcsw_op_all")
    page.get_by_role("searchbox").first.fill("DCSW")
    assert frame.locator("svg.found").count() == 1 and page.get_by_role("status").first.text_content() == "1 of 6 boxes"
    before = box.get_attribute("width")
    box.press("Enter")
    assert box.get_attribute("width") == "100%" and not frame.locator("svg svg", has_text="el3_exit").is_visible()
    box.press("ArrowUp")
    assert "psci_smc_handler" in page.evaluate("document.activeElement.querySelector('title').textContent")
    page.keyboard.press("Escape")
    assert box.get_attribute("width").rstrip("%").rstrip("0") == before.rstrip("%").rstrip("0")
    assert frame.locator("svg svg", has_text="el3_exit").is_visible()
    page.context.close()


def test_the_search_shows_the_pages_that_have_all_words_in_any_order(browser: Any, files: dict[str, Path]) -> None:
    page = opened(browser, files["search"], 390)
    all_of_them = page.locator("li").count()
    page.get_by_role("searchbox").fill("v2.10 juno")
    shown = page.locator("li:visible").all_text_contents()
    assert 0 < len(shown) < all_of_them and all("Juno" in one and "v2.10" in one for one in shown)
    page.goto(f"{files['search'].as_uri()}?q=nothing+has+this")
    assert page.locator("li:visible").count() == 0 and page.locator("section:visible").count() == 0
    page.context.close()
    assert opened(browser, files["search"], 390, scripts=False).locator("li:visible").count() == all_of_them


def test_two_chosen_runs_make_the_command_that_compares_them(browser: Any, files: dict[str, Path]) -> None:
    page = opened(browser, files["runs"], 390)
    base, candidate = page.get_by_label("Base"), page.get_by_label("Candidate")
    values = base.locator("option").evaluate_all("all => all.map((one) => one.value)")
    assert page.get_by_role("link", name="The page of this comparison").is_visible()
    others = [one for one in values if one not in (base.input_value(), candidate.input_value())]
    base.select_option(others[0])
    assert page.locator("#chosen").text_content() == f"latlab compare {others[0]} {candidate.input_value()}"
    assert not page.get_by_role("link", name="The page of this comparison").is_visible()
    base.select_option(candidate.input_value())
    assert candidate.input_value() != base.input_value()
    page.context.close()
    bare = opened(browser, files["runs"], 390, scripts=False)
    assert bare.locator("#chosen").is_visible() and not bare.locator("select").first.is_visible()
    bare.context.close()


def test_in_the_dark_the_page_is_dark_and_the_words_of_its_charts_are_light(browser: Any, files: dict[str, Path]) -> None:
    page = opened(browser, files["rt"], 1400, "dark")
    ground, ink = page.evaluate("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]")
    assert ground == "rgb(20, 24, 29)" and ink == "rgb(230, 233, 237)"
    assert "invert" in page.evaluate("getComputedStyle(document.querySelector('.chart svg')).filter")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.querySelector('.chart svg')).filter") == "none"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["functions", "functions-compared", "watch"])
def test_the_words_of_a_flame_graph_end_before_their_boxes_do(browser: Any, files: dict[str, Path], name: str, width: int) -> None:
    page = opened(browser, files[name], width, scripts=False)
    found = page.locator(".drawing svg svg text:visible").evaluate_all(
        "all => all.map((one) => [one.textContent, one.getBBox().x + one.getBBox().width, one.parentNode.getBoundingClientRect().width])"
    )
    page.context.close()
    assert len(found) > 2
    assert [(words, end, box) for words, end, box in found if end > box] == []
