# SPDX-License-Identifier: BSD-3-Clause
"""A heading is true of what stands below it: no figure of the first table is beyond what the heading calls the longest."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from latlab.calls.pages import web as calls_web
from latlab.core.comparison.by_kind import compare
from latlab.core.comparison.history import history
from latlab.core.model.distributions import WakeupCounts
from latlab.core.model.enums import Clock, Metric
from latlab.core.model.run import CallsOfKind, Run, Sample, Tick
from latlab.core.model.symbols import Symbols
from latlab.core.report.comparison import web as comparison_web
from latlab.core.report.history import pages as history_pages
from latlab.core.report.page import Page, tables_of
from latlab.core.report.table import Table, text_of
from latlab.core.report.text import plain
from latlab.psa.analysis.builds import BuildResult
from latlab.psa.pages import guide as psa_guide
from latlab.psci.pages import web as run_web
from latlab.rt.pages import web as rt_web
from support.function_runs import TREE, run_of
from support.ladder_model import Truth, make_run
from support.late_parts import late_result
from support.runs import run_with

SEEDS = range(12)
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")


def numbers(text: str) -> list[float]:
    return [float(one.replace(",", "")) for one in NUMBER.findall(text)]


def first_table(page: Page) -> Table:
    return next(table for table in tables_of(page) if table.rows)


def column(table: Table, name: str) -> list[float]:
    """The figures of a column; spreads and units are not among them."""
    at = [one.name for one in table.columns].index(name)
    return [numbers(text_of(row[at]))[0] for row in table.rows if numbers(text_of(row[at]))]


def row(table: Table, name: str) -> list[float]:
    (cells,) = (one for one in table.rows if text_of(one[0]) == name)
    return [number for cell in cells[1:] for number in numbers(text_of(cell))]


def spans(seed: int) -> Run:
    """Drawn spans; on the instruction clock tests in parallel are longer and carry a mark."""
    draw = random.Random(seed)
    truth = Truth(
        powerdown=draw.uniform(2e4, 3e5), step=draw.uniform(1e4, 2e5), noise=draw.choice([0.0, 0.02]), wakeup=(draw.uniform(1e3, 9e4),) * 4
    )
    run = make_run(truth, seed, boots=draw.randint(1, 3))
    return replace(run, tick=Tick(Clock.INSTRUCTIONS, 1.0)) if seed % 2 else run


@pytest.mark.parametrize("seed", SEEDS)
def test_no_span_of_the_first_table_is_longer_than_the_longest_of_the_heading(seed: int) -> None:
    run = spans(seed)
    page = run_web.page(run)
    said = plain(page.answer)
    for name in ("Powerdown", "Wakeup"):
        told = numbers(said.lower().partition(f"longest {name.lower()} ")[2])[0]
        assert max(column(first_table(page), name)) <= told + 0.01, said
    assert first_table(page).mark == "" or "are left out" in said


@pytest.mark.parametrize("seed", SEEDS)
def test_no_wake_up_of_the_first_table_is_later_than_the_latest_of_the_heading(seed: int) -> None:
    draw = random.Random(seed)
    page = rt_web.page(run_with(campaign="rt", contents=WakeupCounts()), [("", late_result(draw.randint(3, 60), draw.randint(1, 4)))])
    told = numbers(plain(page.answer).partition("latencies is ")[2])[0]
    latencies = next(table for table in tables_of(page) if "Maximum (µs)" in {text_of(cells[0]) for cells in table.rows})
    assert max(row(latencies, "Maximum (µs)")) == pytest.approx(told, abs=0.06)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_change_of_the_first_table_is_larger_than_those_of_the_heading(seed: int) -> None:
    draw = random.Random(seed)
    before, after = (
        Truth(noise=0.002),
        Truth(noise=0.002, wakeup=(23_000.0 * draw.uniform(1.1, 2.0), *(19_000.0 * draw.uniform(1.1, 2.0),) * 3)),
    )
    page = comparison_web.page(compare(make_run(before, seed, boots=6), make_run(after, seed + 1, boots=6)))
    said = plain(page.answer)
    table = first_table(page)
    assert said.startswith("Wakeup regressed by "), said
    shares = [float(one) for cells in table.rows for cell in cells[1:] for one in re.findall(r"\(([+-][\d.]+) %\)", text_of(cell))]
    told = [float(one) for one in re.findall(r"([+-][\d.]+) %", said)]
    assert max(shares) <= max(told) + 0.01 and min(shares) >= min(told) - 0.01


def releases(seed: int) -> Iterator[Run]:
    draw, powerdown = random.Random(seed), 100_000.0
    for number in range(6):
        powerdown *= draw.choice([1.0, 1.0, draw.uniform(1.1, 1.6), draw.uniform(0.6, 0.9)])
        run = make_run(Truth(powerdown=powerdown, tests=("cpu_susp_serial",)), 1, name=f"r{number}")
        yield replace(run, tick=Tick(Clock.INSTRUCTIONS, 1.0))


@pytest.mark.parametrize("seed", SEEDS)
def test_no_change_of_a_history_is_larger_than_the_largest_of_its_heading(seed: int) -> None:
    page = history_pages.page(history(list(releases(seed)), "cpu_susp_serial/powerdown/core-0.1"))
    said = plain(page.answer)
    tables = list(tables_of(page))
    if not tables:
        assert said.startswith("No change of ")
        return
    told = [abs(float(one)) for one in re.findall(r"([+-][\d.]+) %\) at ", said)]
    assert max(map(abs, column(tables[0], "Change"))) <= max(told) + 0.01, said


@pytest.mark.parametrize("seed", SEEDS)
def test_no_kind_of_call_takes_a_larger_share_than_the_heading_says(seed: int) -> None:
    draw = random.Random(seed)
    kinds = tuple(
        CallsOfKind("EL1", "call", f"CALL_{n}", False, ((draw.randint(10, 5_000), draw.randint(1, 99)),), 0, (("EL3", 9.0),), (("0.0", 1),))
        for n in range(draw.randint(2, 30))
    )
    page = calls_web.page(run_of(TREE), kinds)
    assert max(column(first_table(page), "Share")) <= numbers(plain(page.answer).partition("takes most: ")[2])[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_no_psa_call_costs_more_than_the_heading_says(seed: int) -> None:
    draw = random.Random(seed)
    core = run_with().topology.cores[0]
    samples = tuple(
        Sample(f"ns_call_{size}", Metric.PSA_CALL, core, 0, at, draw.randint(100, 9_000)) for size in (0, 16, 256) for at in range(4)
    )
    run = run_with(campaign="psa", samples=samples, tick=Tick(Clock.INSTRUCTIONS, 1.0))
    page = psa_guide.page([BuildResult(run, Symbols((), ()))])
    ends = numbers(plain(page.answer).partition(" costs ")[2])
    figures = [
        number
        for cells in first_table(page).rows
        if text_of(cells[0]).startswith("ns_")
        for number in numbers(text_of(cells[1]).replace("-", " "))
    ]
    assert figures and max(figures) <= max(ends)
