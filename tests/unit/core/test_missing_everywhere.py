# SPDX-License-Identifier: BSD-3-Clause
"""Samples that are missing are told in one sentence, and every output of a comparison has it, whatever kind of run lacks them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.comparison import Comparison, Statistic
from latlab.core.comparison.gate import report_gate
from latlab.core.comparison.history import history
from latlab.core.comparison.identity import NotComparable
from latlab.core.errors import DataError
from latlab.core.model.amounts import Amount, Amounts, amounts_of
from latlab.core.model.distributions import WakeupCounts, distributions_of
from latlab.core.model.enums import Clock, RunStatus
from latlab.core.model.life import Head
from latlab.core.model.run import Run, Spans, Tick, Topology
from latlab.core.report.comparison import comment, comparison_pages
from latlab.core.report.comparison.data import comparison_csv, comparison_json
from latlab.core.report.exports import junit, sarif
from latlab.core.report.history import pages as history_pages
from latlab.core.report.page import Page
from latlab.core.report.renderers import html
from latlab.rt.analysis.stolen import amounts_of as amounts_of_steal
from latlab.site.campaign.comparison_summaries import SummaryCache
from latlab.site.campaign.measured import things_of
from latlab.site.pages.front import compared
from latlab.site.pages.live import Live, application
from latlab.site.pages.site_pages import SiteContents, pages_of
from support.steal_lines import cpu_with, measured
from truth.machines import JUNO
from truth.noise import Noise
from truth.planted import Pathology, Planted
from truth.reading import runs_of_spans, runs_of_wakeups
from truth.removal import bench, calls
from truth.spans import pair_of
from truth.wakeups import Between, Late, Tool, wakeup_pair
from truth.written import Form

FAIL_ON = frozenset({"regressed"})
Pair = tuple[Run, Run]


def psci() -> Pair:
    return runs_of_spans(pair_of(JUNO, Planted(Pathology.NOTHING), Noise.GAUSSIAN, (4, 4), 5, 3), Form.JSON)


def virtual() -> Pair:
    before, after = (replace(run, target="virtual", tick=Tick(Clock.VIRTUAL, run.tick.value)) for run in psci())
    return before, replace(after, contents=before.contents)


def of_campaign(campaign: str) -> Callable[[], Pair]:
    def drawn() -> Pair:
        pairs = (calls(np.random.default_rng(seed)) for seed in range(50))
        return next(pair for pair in pairs if pair[0].campaign == campaign and len(pair[0].topology.cores) > 1)

    return drawn


def rt() -> Pair:
    pair = wakeup_pair(Late.NOTHING, 0.0, 3, 10_000, Between.NOTHING, 5)
    return runs_of_wakeups(pair, Tool.HISTOGRAM)


def amounts() -> Pair:
    return bench(np.random.default_rng(4))


def steal() -> Pair:
    found = measured(*(cpu_with((1_800, 48_000), cpu, seconds=20) for cpu in range(3)))
    contents = Amounts(amounts_of_steal("idle", found), "steal meter")
    one = Run("steal", "board", "linux", Topology((3,)), Tick(Clock.TIME, 1.0), status=RunStatus.COMPLETE, contents=contents, id="run1")
    return one, replace(one, id="run2")


KINDS: dict[str, Callable[[], Pair]] = {
    "psci": psci, "virtual": virtual, "smc": of_campaign("smc"), "psa": of_campaign("psa"), "rt": rt, "bench": amounts, "steal": steal,
}  # fmt: skip
TAKEN = {
    "psci": ("core", "test", "fifth"), "virtual": ("core", "test", "fifth"), "smc": ("core", "test", "fifth"),
    "psa": ("core", "test", "fifth"), "rt": ("core", "fifth"), "bench": ("test", "fifth"), "steal": ("core", "test", "fifth"),
}  # fmt: skip
"""`test`: a whole test, call or quantity; `core`: a core of one test, or a CPU; `fifth`: a fifth of the samples of one of them."""


def without(run: Run, taken: str) -> Run:
    if distributions_of(run):
        first, *others = distributions_of(run)
        thinned = replace(first, counts=tuple((low, high, n - n // 5) for low, high, n in first.counts), got=first.got - first.got // 5)
        return replace(run, contents=WakeupCounts((*others, *((thinned,) if taken == "fifth" else ()))))
    if amounts_of(run):
        return replace(run, contents=Amounts(tuple(one for each in amounts_of(run) for one in _amount(each, run, taken)), "made"))
    first_sample = run.samples[0]
    at = sorted({(one.boot, one.iteration) for one in run.samples if one.test == first_sample.test})
    gone = set(at if taken == "core" else at[: len(at) // 5])
    kept = (
        one for one in run.samples
        if one.test != first_sample.test or (taken != "test" and (one.core != first_sample.core or (one.boot, one.iteration) not in gone))
    )  # fmt: skip
    return replace(run, contents=Spans(tuple(kept)))


def _amount(one: Amount, run: Run, taken: str) -> tuple[Amount, ...]:
    first = amounts_of(run)[0]
    is_hit = {"core": one.core == first.core, "test": (one.name, one.test) == (first.name, first.test), "fifth": one is first}[taken]
    if not is_hit:
        return (one,)
    return (replace(one, values=one.values[: len(one.values) - len(one.values) // 5]),) if taken == "fifth" else ()


def words(text: str) -> str:
    """What a reader sees of a document: no tags, entities, escapes or line breaks."""
    return " ".join(unescape(re.sub(r"<[^>]*>", "", text)).replace("\\", "").split())


def page_text(page: Page) -> str:
    return words(html.document(page))


def head(run: Run, at: str) -> Head:
    return Head(run.id, run.campaign, run.kind, "", run.platform, str(run.topology), run.tick.clock, "", "complete", at, 1, "")


def material(before: Run, after: Run) -> SiteContents:
    def told(a: str, b: str) -> Comparison | str:
        return compare(before, after)

    runs = head(before, "2026-01-01T00:00:00Z"), head(after, "2026-01-09T00:00:00Z")
    return SiteContents((), things_of(runs), 1, lambda run: Page(run), told, SummaryCache(told))


def served(of: SiteContents, path: str) -> str:
    pytest.importorskip("starlette", reason="`make setup-dev` installs it")
    testclient = pytest.importorskip("starlette.testclient")
    answer: Any = testclient.TestClient(
        application(Live(lambda: {page.path: page for page in pages_of(of)}), ("localhost",)), base_url="http://localhost"
    ).get(path)
    assert answer.status_code == 200
    return words(answer.text)


CASES = [(kind, taken) for kind in KINDS for taken in TAKEN[kind]]


@pytest.mark.parametrize(("kind", "taken"), CASES)
def test_every_output_has_the_sentence(kind: str, taken: str) -> None:
    before, after = KINDS[kind]()
    assert not compare(before, after).missing
    candidate = without(after, taken)
    comparison = compare(before, candidate)
    decision = report_gate(comparison, FAIL_ON)
    assert decision.exit_code in (1, 3)
    sentences = [one.sentence("") for one in comparison.missing]
    assert sentences and len(sentences) < 5
    of = material(before, candidate)
    pages = {page.path: page for page in pages_of(of)}
    place = compared(before.id, candidate.id)
    xml = ElementTree.fromstring(junit.comparison_junit(comparison, decision))
    (run,) = json.loads(sarif.render(comparison, decision))["runs"]
    series = history((before, candidate), "*")
    outputs = {
        "gate": "\n".join(decision.lines),
        "compare": page_text(comparison_pages.screen(comparison)),
        "document": page_text(comparison_pages.document(comparison)),
        "json": comparison_json(comparison),
        "comment": words(comment.render(comparison, decision)),
        "junit": "\n".join(one.get("message", "") for one in xml.iter() if one.tag in ("failure", "error")),
        "sarif": "\n".join(one["message"]["text"] for one in run["invocations"][0]["toolExecutionNotifications"]),
        "history": page_text(history_pages.page(series)),
        "history on the terminal": page_text(history_pages.screen(series)),
        "history as JSON": history_pages.history_json(series),
        "site, first page": words(pages["index.html"].text()),
        "site, comparison": words(pages[place].text()),
        "site, week": words(next(page.text() for path, page in pages.items() if path == "weeks/2026-W02.html")),
        "serve": served(of, "/"),
        "serve, comparison": served(of, f"/{place}"),
    }
    silent = {(name, sentence) for name, text in outputs.items() for sentence in sentences if sentence[1:] not in text}
    assert not silent, silent
    lost = [row for row in comparison.rows if row.statistic is Statistic.COVERAGE]
    assert all(row.basis in sentences and row.basis in comparison_csv(comparison) for row in lost)


def test_a_core_that_is_in_no_test_is_refused_by_its_name_in_every_output() -> None:
    before, after = psci()
    core = before.samples[0].core
    candidate = replace(after, contents=Spans(tuple(one for one in after.samples if one.core != core)))
    with pytest.raises(NotComparable, match=f"core {core} is missing in {candidate.id}") as refused:
        compare(before, candidate)
    sentence = str(refused.value)
    assert sentence in junit.refused_junit(before.id, candidate.id, DataError(sentence)) and sentence in sarif.refused(DataError(sentence))
    assert sentence in words(comment.refused(before.id, candidate.id, sentence))
    with pytest.raises(NotComparable, match=re.escape(sentence)):
        history((before, candidate), "*/wakeup")
