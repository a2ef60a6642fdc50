# SPDX-License-Identifier: BSD-3-Clause
"""A page of every kind of report, from figures that need no emulator."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from latlab.benchmarks.pages import amount_pages as amounts_pages
from latlab.calls.pages import web as calls_web
from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.history import history
from latlab.core.model.distributions import WakeupCounts
from latlab.core.model.symbols import Symbols
from latlab.core.report.comparison import web as comparison_web
from latlab.core.report.history import pages as history_pages
from latlab.core.report.page import Page, has_choice
from latlab.core.store.references import load
from latlab.core.store.store import Store
from latlab.experiments.analysis.effects import effects_of
from latlab.experiments.pages import design_pages
from latlab.psa.analysis.builds import BuildResult
from latlab.psa.attack_results import Attacks
from latlab.psa.pages import attack_pages
from latlab.psa.pages import guide as psa_guide
from latlab.psci.pages import web as run_web
from latlab.rt.campaign.power_results import power_result
from latlab.rt.campaign.results import results_of
from latlab.rt.campaign.steal_results import StealPhase
from latlab.rt.pages import power_pages
from latlab.rt.pages import stolen as steal_pages
from latlab.rt.pages import web as rt_web
from latlab.runs.campaign.importing_amounts import import_amounts, with_amounts
from latlab.site.campaign.comparison_summaries import SummaryCache
from latlab.site.campaign.measured import compare_stored, measured, published_boards
from latlab.site.pages import digest, site_pages
from latlab.site.pages.front import front
from latlab.site.pages.site_pages import SiteContents, SitePage, pages_of
from support.every_kind import ATTACKED
from support.function_runs import KINDS, SLOWER, TREE, run_of
from support.late_parts import late_result
from support.runs import run_with
from support.steal_lines import cpu_with
from support.steal_lines import measured as measured_thefts
from support.stored_campaigns import open_campaigns

DATA = Path(__file__).parents[1] / "data"
JUNO = tuple(f"published:tf-a/juno/{release}" for release in ("v2.9", "v2.10", "v2.11"))


def every_page(folder: Path) -> Iterator[tuple[str, Page]]:
    """Each by a name; what it needs of a store is made in `folder`."""
    store = open_campaigns(folder)
    runs = {run.campaign: run.id for run in store.runs() if run.campaign in ("psci", "psa")}
    rt = next(run.id for run in store.runs() if run.campaign == "rt" and run.target == "guest")
    yield "psci", run_web.page(store.load(runs["psci"]))
    if "psa" in runs:
        yield "psa", psa_guide.page([BuildResult(store.load(runs["psa"]), Symbols((), ()))])
    measured = store.load(rt)
    yield "rt", rt_web.page(measured, results_of(measured, store.logs(rt)))
    for run in store.runs():
        if run.campaign == "rt-trng":
            yield "rt-trng", rt_web.page(store.load(run.id), results_of(store.load(run.id), store.logs(run.id)))
    text = (DATA / "tools" / "hackbench.txt").read_bytes()
    amounts = store.load(import_amounts(store, text, "hackbench.txt", "board"))
    experiment = load("published:ti/am62l/factors-2026")
    yield "design", design_pages.document(experiment, *effects_of(experiment))
    yield "causes", rt_web.page(run_with(campaign="rt", id="rt-late", contents=WakeupCounts()), [("", late_result())])
    stolen = measured_thefts(cpu_with((1_832, 48_924, 3_530), 0), cpu_with((7_050,), 1))
    yield "steal", steal_pages.document(run_with(campaign="steal", id="steal-late"), (StealPhase("idle", stolen, ()),))
    power = next(run.id for run in store.runs() if run.campaign == "rt-power")
    yield "rt-power", power_pages.power_document(store.load(power), power_result(store.logs(power)))
    attacked = run_with(campaign="attack", contents=Attacks((ATTACKED,)))
    yield "attack", attack_pages.document(attacked)
    yield "amounts", amounts_pages.document(with_amounts(amounts, store.logs(amounts.id)))
    earlier, later, latest = map(load, JUNO)
    yield "comparison", comparison_web.page(compare(earlier, later))
    yield "functions", run_web.page(run_of(TREE))
    yield "functions-compared", comparison_web.page(compare(run_of(TREE), run_of(SLOWER)))
    yield "watch", calls_web.page(run_of(TREE), KINDS)
    yield from _of_a_site(store)
    yield "history", history_pages.page(history([earlier, later, latest], "susp_deep_serial/wakeup/*"))


def _of_a_site(store: Store) -> Iterator[tuple[str, Page]]:
    boards, found = published_boards(), measured(store)
    tellings, weeks = SummaryCache(partial(compare_stored, store)), digest.weeks(found)
    yield "front", front(boards, found, frozenset(), tellings, (), (digest.title(weeks[0], tellings), digest.place(weeks[0])))
    yield "week", digest.page(weeks[0], tellings, frozenset())
    chosen = SiteContents((), found, 1, lambda run: Page(run), partial(compare_stored, store), tellings)
    lists = (page for page in pages_of(chosen) if isinstance(page, SitePage) and page.path.startswith("runs/"))
    yield "runs", next(page for listed in lists if has_choice(page := listed.page()))
    yield "search", site_pages.page(boards, found, weeks, [head for one in found for head in one.runs], (), tellings)
