# SPDX-License-Identifier: BSD-3-Clause
"""The documentation's pages in a real browser: on a phone, on a desk, in the dark."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.browser import fixture_browser, opened  # noqa: F401 - the fixture is asked for by its name
from support.places import ROOT

pytestmark = pytest.mark.browser
PAGES = ("results/secure-world.md", "results/opensbi-releases.md", "results/tf-a-releases.rst")
WIDTHS = (1280, 390)
BEYOND = """() => [...document.querySelectorAll('table, img, pre')].filter(one => {
    let frame = one;
    while (frame !== document.documentElement && getComputedStyle(frame).overflowX === 'visible') frame = frame.parentElement;
    return frame === document.documentElement && one.getBoundingClientRect().right > innerWidth + 1;
}).length"""
BRIGHTNESS = "one => getComputedStyle(one).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0)"


@pytest.fixture(name="built", scope="module")
def fixture_built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The widest pages, as Sphinx makes them."""
    folder = tmp_path_factory.mktemp("docs")
    for name in ("img", "_static"):
        shutil.copytree(ROOT / "docs" / name, folder / name)
    (folder / "results").mkdir()
    for name in ("conf.py", *PAGES):
        shutil.copyfile(ROOT / "docs" / name, folder / name)
    (folder / "index.rst").write_text(".. toctree::\n\n" + "".join(f"   {Path(name).with_suffix('')}\n" for name in PAGES), "utf-8")
    built = folder / "built"
    subprocess.run((sys.executable, "-m", "sphinx", "-Q", "-b", "html", str(folder), str(built)), check=True)
    return built


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_is_wider_than_the_window_and_what_is_can_be_scrolled(browser: Any, built: Path, width: int, page: str) -> None:
    shown = opened(browser, (built / page).with_suffix(".html"), width)
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert shown.evaluate(BEYOND) == 0
    shown.context.close()


def test_in_the_dark_the_page_is_dark_and_its_pictures_keep_a_light_ground(browser: Any, built: Path) -> None:
    shown = opened(browser, built / "results" / "secure-world.html", 390, "dark")
    assert shown.locator("body").evaluate(BRIGHTNESS) < 150 and shown.locator("img[src$='.svg']").first.evaluate(BRIGHTNESS) > 700
    shown.context.close()


def test_no_page_asks_a_network_for_anything(browser: Any, built: Path) -> None:
    context = browser.new_context()
    asked: list[str] = []
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto((built / "results" / "secure-world.html").as_uri())
    assert asked and all(url.startswith(("file:", "data:")) for url in asked)
    context.close()
