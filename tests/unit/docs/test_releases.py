# SPDX-License-Identifier: BSD-3-Clause
import re

import pytest

import releases
from latlab.core.store.references import load
from support.places import ROOT
from wakeup_question import candidate, cost_by_suspends, excess_of, letter

PAGE = (ROOT / "docs" / "results" / "tf-a-releases.rst").read_text("utf-8")


def test_the_page_over_all_releases_is_what_its_script_writes():
    assert releases.page() == PAGE


def test_every_picture_of_the_page_is_there_and_every_release_has_its_step():
    pictures = re.findall(r"figure:: \.\./(img/\S+)", PAGE)
    assert len(pictures) == 10 and all((ROOT / "docs" / name).is_file() for name in pictures)
    assert len(re.findall(r"^v2\.\d+ to v2\.\d+: |^2017 to v2\.9: ", PAGE, re.MULTILINE)) == 13


def test_what_the_field_has_not_seen_stands_on_the_page():
    assert "v2.13 no longer follows a rule that v2.12 follows, no core but the last of a cluster pays the cluster flush" in PAGE
    assert "v2.15 follows again a rule that v2.14 does not follow" in PAGE


def test_the_letter_is_short_and_each_figure_of_it_follows_from_the_catalogue():
    runs = [load(f"published:tf-a/n1sdp/v2.{number}") for number in range(9, 16)]
    found = [excess_of(run) for run in runs]
    lines = letter(found, candidate(), cost_by_suspends(runs))
    assert len(lines) <= 30 and max(map(len, lines)) <= 72
    assert "  2.6    7.2    7.4    7.9    7.1    6.7    7.1" in "\n".join(lines)
    assert all(f"   {line}".rstrip() in PAGE for line in lines)


def test_the_excess_after_cpu_off_rose_on_each_core_at_the_release_of_the_candidate_and_stayed():
    before, after, *later = (excess_of(load(f"published:tf-a/n1sdp/v2.{number}")).cores_ns for number in range(9, 16))
    assert len(before) == 3 and all(after[core] > before[core] + 3_500 for core in before)
    assert all(each[core] > before[core] + 3_500 for each in later for core in before)


def test_what_a_suspend_says_of_one_access_makes_the_excess_that_the_catalogue_counted():
    runs = [load(f"published:tf-a/n1sdp/v2.{number}") for number in range(9, 16)]
    cost, one = cost_by_suspends(runs), candidate()
    assert cost.value_ns * one.accesses[0] == pytest.approx(excess_of(runs[0]).median_ns, rel=0.1)
    assert cost.value_ns * one.accesses[1] == pytest.approx(excess_of(runs[1]).median_ns, rel=0.1)
