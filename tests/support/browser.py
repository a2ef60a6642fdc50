# SPDX-License-Identifier: BSD-3-Clause
"""A real browser, and pages opened in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.needs import browser_program


@pytest.fixture(name="browser", scope="module")
def fixture_browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright drives the browser; `make setup-dev` installs it")
    program = browser_program()
    if program is None:
        pytest.skip("no Chromium in PATH; apt install chromium")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


def opened(browser: Any, file: Path, width: int, scheme: str = "light", scripts: bool = True) -> Any:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=scripts)
    context.set_default_timeout(120_000)
    page = context.new_page()
    page.goto(file.as_uri())
    return page
