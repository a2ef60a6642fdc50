# SPDX-License-Identifier: BSD-3-Clause
"""No figure that a person reads has an exponent, whatever its size and wherever it is printed."""

from __future__ import annotations

import io
import math
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from latlab.core.comparison.by_kind import compare, explain_pair, explain_run
from latlab.core.comparison.gate import report_gate
from latlab.core.comparison.wording import amount, p_value, percent
from latlab.core.errors import LatlabError
from latlab.core.lifecycle.material import load_run
from latlab.core.model.run import Run
from latlab.core.report.comparison import comment, comparison_pages
from latlab.core.report.renderers import html, markdown, rst
from latlab.core.report.renderers.terminal import print_page
from latlab.core.shown import significant
from latlab.core.store.listing import heads
from latlab.core.store.store import open_store
from support.every_kind import fill
from support.report_pages import every_page

EXPONENT = re.compile(r"(?<![\w.#&-])[-+]?\d+(?:\.\d+)?[eE][-+]\d{1,3}(?![\w-])")
FINITE = st.floats(-1e300, 1e300)


@given(FINITE, st.integers(1, 12), st.booleans(), st.booleans())
def test_a_number_is_what_its_digits_say_and_has_no_exponent(value: float, digits: int, grouped: bool, sign: bool) -> None:
    text = significant(value, digits, grouped, sign)
    assert re.fullmatch(r"[-+]?[\d,]+(?:\.\d+)?", text)
    assert math.isclose(float(text.replace(",", "")), value, rel_tol=0.6 * 10 ** (1 - digits), abs_tol=5e-324)
    assert not sign or text[0] in "+-"


def test_usual_numbers_are_printed_as_ever() -> None:
    printed = [significant(value, 2) for value in (0, 3.0, 184.2, 0.0123, 2.8e-7, float("inf"))]
    assert printed == ["0", "3", "180", "0.012", "0.00000028", "inf"]
    assert significant(1234567, 4, grouped=True) == "1,235,000" and significant(1.5, sign=True) == "+1.5"
    assert [p_value(p) for p in (0, 1e-9, 0.0123, 1)] == ["0", "< 0.001", "0.012", "1"]


@given(st.floats(0, 1e12), st.sampled_from(["ns", "insns", "per million", "%", "", "cycles"]))
def test_amounts_and_shares_of_any_size_have_none(value: float, unit: str) -> None:
    for text in (amount(value, unit), percent(value), percent(-value * 1e-15)):
        assert not EXPONENT.search(text), text


def rendered(page: object) -> str:
    screen = io.StringIO()
    print_page(Console(file=screen, width=80, color_system=None), page)  # type: ignore[arg-type]
    html_text = re.sub(r"<(?:script|style|svg).*?</(?:script|style|svg)>", "", html.document(page), flags=re.DOTALL)  # type: ignore[arg-type]
    return "\n".join((screen.getvalue(), html_text, markdown.document(page), rst.document(page)))  # type: ignore[arg-type]


def scaled(run: Run, factor: float) -> Run:
    """The run as it were on a clock of another rate: figures of any size."""
    return replace(run, tick=replace(run.tick, value=run.tick.value * factor))


def test_pages_of_every_kind_have_none(tmp_path: Path) -> None:
    for name, page in every_page(tmp_path):
        assert not (match := EXPONENT.search(rendered(page))), (name, match.group())


@pytest.mark.parametrize("factor", [1e-6, 1.0, 1e7])
def test_screens_explanations_and_comments_of_runs_of_every_kind_have_none(factor: float, tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    fill(place)
    store = open_store(str(place))
    texts = []
    for head in heads(store):
        with suppress(LatlabError):
            run = scaled(load_run(store, head.id), factor)
            texts += [entry.sentence for entry in explain_run(run)]
            comparison = compare(run, run)
            texts += [entry.sentence for entry in explain_pair(comparison)]
            texts += [
                rendered(comparison_pages.screen(comparison)),
                comment.render(comparison, report_gate(comparison, frozenset({"regressed"}))),
                rendered(comparison_pages.document(comparison)),
            ]
    assert len(texts) > 20
    assert not [match.group() for text in texts if (match := EXPONENT.search(text))]
