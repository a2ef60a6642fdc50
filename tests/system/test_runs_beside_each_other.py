# SPDX-License-Identifier: BSD-3-Clause
"""Two runs of a site that a reader puts beside each other in a browser, from a file and without a network."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.run import Run, Spans
from latlab.core.report.page import Page
from latlab.core.statistics.statistics import cliffs_delta, singly
from latlab.core.store.store import open_store
from latlab.site.campaign.comparison_summaries import SummaryCache
from latlab.site.campaign.measured import compare_stored, measured
from latlab.site.campaign.run_figures import figures_of_run
from latlab.site.pages.files import write_site
from latlab.site.pages.site_pages import SiteContents, pages_of
from support.browser import fixture_browser, opened  # noqa: F401 - the fixture is asked for by its name
from support.ladder_model import Truth, make_run

pytestmark = pytest.mark.browser
SLOWER, NEWEST = 1.5, 2


@pytest.fixture(name="listed", scope="module")
def fixture_listed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Run]]:
    """The page of three runs: one without figures there, one, and a slower one that lacks a test. One of another processor has its own."""
    folder = tmp_path_factory.mktemp("site")
    store = open_store(str(folder / "store.sqlite"))
    usual = make_run(Truth(), 1, boots=2, iterations=1)
    slow = make_run(replace(Truth(), wakeup=tuple(SLOWER * level for level in Truth().wakeup)), 2, boots=2)
    slow = replace(slow, contents=Spans(tuple(sample for sample in slow.samples if sample.test != "cpu_susp_serial")))
    other = replace(usual, conditions=replace(usual.conditions, processor="cortex-a72"))
    runs: dict[str, Run] = {}
    for number, (name, run) in enumerate((("old", usual), ("usual", usual), ("slow", slow), ("other", other))):
        conditions = run.conditions if name == "other" else replace(run.conditions, processor="cortex-a57")
        began = f"2026-01-0{number + 1}T00:00:00Z"
        stored = store.begin(replace(run, id="", contents=Spans(), started_utc=began, conditions=conditions))
        store.add(stored, run.samples)
        store.finish(stored, RunStatus.COMPLETE)
        runs[name] = replace(run, id=stored)
    compare = partial(compare_stored, store)
    figures = partial(figures_of_run, store, True)
    contents = SiteContents((), measured(store), NEWEST, lambda run: Page(run), compare, SummaryCache(compare), figures=figures)
    write_site(folder / "site", pages_of(contents), lambda path: None)
    (page,) = [page for page in (folder / "site" / "runs").iterdir() if runs["slow"].id in page.read_text("utf-8")]
    return page, runs


def beside(browser: Any, file: Path, a: str, b: str) -> Any:
    page = opened(browser, file, 1280)
    page.goto(f"{file.as_uri()}#a={a}&b={b}")
    page.reload()
    return page


def of_metric(run: Run, test: str, metric: Metric) -> np.ndarray:
    return np.array(
        [sample.value_ticks * run.tick.value / 1000 for sample in run.samples if (sample.test, sample.metric) == (test, metric)]
    )


def test_the_figures_of_two_chosen_runs_are_those_of_python(browser: Any, listed: tuple[Path, dict[str, Run]]) -> None:
    file, runs = listed
    a, b = runs["usual"], runs["slow"]
    page = beside(browser, file, a.id, b.id)
    rows = page.evaluate(
        "[...document.querySelectorAll('#beside tbody tr')].map((row) => [...row.cells].map((cell) => cell.dataset.value))"
    )
    tests = dict.fromkeys((sample.test, sample.metric) for sample in a.samples if sample.test != "cpu_susp_serial")
    assert len(rows) == len(tests) > 3
    for (test, metric), (_, _, before, after, difference, ratio, delta) in zip(tests, rows, strict=True):
        pair = [of_metric(run, test, metric) for run in (a, b)]
        for values, cell in zip(pair, (before, after), strict=True):
            *quartiles, n = map(float, cell.split(","))
            assert sorted(quartiles) == pytest.approx(list(np.quantile(values, (0.25, 0.5, 0.75)))) and n == len(values)
        medians = [float(np.median(values)) for values in pair]
        assert float(difference) == pytest.approx(medians[1] - medians[0], abs=1e-9)
        assert float(ratio) == pytest.approx(medians[1] / medians[0])
        assert float(delta) == pytest.approx(cliffs_delta(*map(singly, pair)), abs=1e-9)
    words = page.inner_text("#beside")
    assert "No verdict" in words and f"latlab compare {a.id} {b.id}" in words
    assert f"is only in {a.id}" in words
    page.context.close()


def test_a_run_whose_figures_the_page_lacks_is_named_and_no_figures_stand_there(browser: Any, listed: tuple[Path, dict[str, Run]]) -> None:
    file, runs = listed
    old, slow = runs["old"].id, runs["slow"].id
    page = beside(browser, file, old, slow)
    assert f"This page has no figures of {old}" in page.inner_text("#beside") and page.locator("#beside table").count() == 0
    assert page.inner_text("#chosen") == f"latlab compare {old} {slow}"
    page.context.close()


def test_a_run_of_another_series_is_no_choice_of_the_page(browser: Any, listed: tuple[Path, dict[str, Run]]) -> None:
    file, runs = listed
    page = beside(browser, file, runs["usual"].id, runs["other"].id)
    assert runs["other"].id not in page.inner_text("#chosen")
    page.context.close()


def test_a_choice_of_the_reader_is_in_the_address(browser: Any, listed: tuple[Path, dict[str, Run]]) -> None:
    file, runs = listed
    page = beside(browser, file, runs["usual"].id, runs["slow"].id)
    page.select_option("form.choice select >> nth=1", runs["old"].id)
    assert page.evaluate("location.hash") == f"#a={runs['usual'].id}&b={runs['old'].id}"
    assert "no figures of" in page.inner_text("#beside")
    page.goto(f"{file.as_uri()}#a=none&b=%3Cb%3E")
    assert page.locator("#beside b").count() == 0
    page.context.close()
