# SPDX-License-Identifier: BSD-3-Clause
"""Flame graphs: boxes that lie inside their callers, words that stay in their boxes, colours that say what changed."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.calls.pages.web import at, median_of
from latlab.calls.pages.web import page as calls_page
from latlab.core.comparison.by_kind import compare
from latlab.core.model.run import Frame, MaskedAtlas, MaskedStretches, Spans
from latlab.core.report.comparison import web as comparison_web
from latlab.core.report.flame import PAGES, difference_flames, flame, flames, shortened, shown
from latlab.core.report.page import Drawing
from latlab.core.report.renderers import html
from latlab.psci.pages import web as run_web
from support.function_runs import KINDS, SLOWER, TREE, run_of


@st.composite
def trees(draw: st.DrawFn) -> tuple[Frame, ...]:
    frames: list[Frame] = []
    depth = 0
    for number in range(draw(st.integers(1, 12))):
        depth = draw(st.integers(0, depth + 1)) if frames else 0
        frames.append(Frame(depth, f"f{number}", 1, draw(st.integers(0, 500))))
    return tuple(frames)


def boxes(svg: str) -> list[tuple[int, float, float, str]]:
    """Row, left and right edge in percent, and title of each box."""
    found = []
    for one in ElementTree.fromstring(svg):
        left = float(one.attrib["x"].rstrip("%"))
        title = one.find("title")
        assert title is not None and title.text
        found.append((int(one.attrib["y"]) // 20, left, left + float(one.attrib["width"].rstrip("%")), title.text))
    return found


@given(trees())
def test_every_box_lies_inside_its_callers_and_beside_its_neighbours(frames: tuple[Frame, ...]) -> None:
    drawn = [block for block in flame(frames, 1, "t", "of one", "n") if isinstance(block, Drawing)]
    if not sum(frame.instructions for frame in frames):
        assert not drawn
        return
    found = boxes(drawn[0].svg)
    for row, left, right, _ in found:
        assert -0.001 <= left <= right <= 100.001
        if row:
            assert any(above == row - 1 and a - 0.001 <= left and right <= b + 0.001 for above, a, b, _ in found)
        same = [(a, b) for at_row, a, b, _ in found if at_row == row]
        assert sum(a < left - 0.001 and b > left + 0.001 for a, b in same) == 0
    assert sum(right - left for row, left, right, _ in found if row == 0) == pytest.approx(100, abs=0.1 * len(frames))


@given(st.text(min_size=1, max_size=80), st.floats(0, 600))
def test_words_are_never_longer_than_their_box(words: str, width: float) -> None:
    assert len(shortened(words, width)) * 7.4 <= max(width, 0) or shortened(words, width) == ""


def test_a_box_says_what_a_call_of_it_takes_and_a_name_is_no_markup() -> None:
    _, _, drawing, _ = flames(run_of(TREE), "cpu_off_serial")
    assert isinstance(drawing, Drawing)
    titles = [title for *_, title in boxes(drawing.svg)]
    assert titles[0] == "smc_entry: 2,060 instructions per call, 98.1 % of the span; 20 of its own; entered 1 times"
    assert any(title.startswith("memcpy<unsigned>: 6 instructions") for title in titles)
    assert "mean of 4 calls on 2 cores" in drawing.note
    assert "far_too_long" not in " ".join(re.findall(r'"narrow-page"[^>]*>([^<]*)', drawing.svg))
    assert {kind for kind, _ in PAGES} == set(re.findall(r'<text class="([a-z-]+)"', drawing.svg))


def test_what_changed_is_coloured_and_signed_and_what_is_gone_has_its_box() -> None:
    (drawing,) = difference_flames(run_of(TREE), run_of(SLOWER), "cpu_off_serial")
    assert drawing.note.startswith("2,100 to 2,149 instructions per call, mean over 2 cores")
    looks = dict(re.findall(r'<svg class="(\w+)"[^>]*><title>([\w<>&;]+):', drawing.svg))
    by_name = {name: look for look, name in re.findall(r'<svg class="(\w+)"[^>]*><title>([^:]+):', drawing.svg)}
    assert looks
    assert by_name == {
        "smc_entry": "same",
        "psci_smc_handler_with_a_name_that_is_far_too_long_for_any_box": "same",
        "plat_my_core_pos": "same",
        "dcsw_op_all": "more2",
        "memcpy&lt;unsigned&gt;": "less1",
        "new_check": "more1",
        "el3_exit": "less1",
    }
    assert "+50 dcsw_op_all" in drawing.svg
    assert "memcpy&lt;unsigned&gt;: 6 to 0 instructions of its own per call (\N{MINUS SIGN}6)" in drawing.svg


def test_equal_builds_and_runs_without_calls_have_no_difference_and_no_flames() -> None:
    run = run_of(TREE)
    assert difference_flames(run, run, "cpu_off_serial") == ()
    bare = replace(run, contents=Spans(run.samples, (), tuple(replace(one, frames=()) for one in run.functions)))
    assert flames(bare, "cpu_off_serial") == ()
    assert difference_flames(run, bare, "cpu_off_serial") == ()


def test_pages_have_the_pictures_and_say_what_a_part_is() -> None:
    text = html.document(run_web.page(run_of(TREE)))
    assert 'id="flame-cpu_off_serial-powerdown"' in text
    assert "by its opcode" in text and "ENTER_PSCI" not in text
    assert "loops that clean or invalidate caches by set and way" in text
    compared = html.document(comparison_web.page(compare(run_of(TREE), run_of(SLOWER))))
    assert 'id="difference-cpu_off_serial-powerdown"' in compared


def test_a_watchs_page_says_how_often_by_whom_and_how_long() -> None:
    text = html.document(calls_page(run_of(TREE), KINDS))
    for said in ("CPU_SUSPEND (64)", "S-EL1, inside another call", "8,440", "Core 0.1", 'id="flame-0"', 'id="spread-0"'):
        assert said in text


def test_a_median_between_two_calls_is_a_half_and_large_figures_are_written_out() -> None:
    two = replace(KINDS[1], instructions=((155, 1), (208, 1)))
    assert shown(median_of(two)) == "181.5"
    assert shown(median_of(replace(two, instructions=((4_956_133, 1), (122_396_677, 1))))) == "63,676,405"
    assert median_of(replace(two, instructions=((96, 2), (205, 3)))) == 205


def test_ranks_of_counted_calls_are_those_of_the_calls_in_a_row() -> None:
    one = KINDS[1]
    values = sorted(value for value, count in one.instructions for _ in range(count))
    assert [at(one, share) for share in (0.0, 0.5, 0.98, 0.99, 1.0)] == [values[0], values[49], values[97], values[98], values[99]]


STRETCH = MaskedStretches(
    "IRQ", True, "lock<int>", "work", "unlock", "EL1", False, False, 3, 3000, 1500, (("EL1", 2400, 1200), ("EL3", 600, 300))
)


def test_the_page_of_a_watch_has_the_masked_stretches_as_a_table_and_a_flame_graph() -> None:
    boot = replace(STRETCH, from_start=True, count=1, longest=9000, instructions=9000)
    text = html.document(calls_page(run_of(TREE), (), MaskedAtlas((boot, STRETCH))))
    assert "the core&#39;s start" in text and "EL1 1,200, EL3 300" in text and "lock&lt;int&gt;, called from work" in text
    assert "lock<int>" not in text and "calls of" not in text
    assert "Interrupts masked: IRQ" in text and ">unlock</td>" in text


def test_a_watch_that_saw_no_mask_says_so() -> None:
    assert "No core masked its interrupts." in html.document(calls_page(run_of(TREE), (), MaskedAtlas(())))
