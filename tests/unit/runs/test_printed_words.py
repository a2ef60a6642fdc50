# SPDX-License-Identifier: BSD-3-Clause
"""The words of verdicts and of rows."""

from __future__ import annotations

import pytest

from latlab.core.comparison.verdicts import WORDS, Verdict
from latlab.core.comparison.wording import row_title, span_of
from latlab.core.errors import UsageError
from latlab.core.report.comparison.verdict_data import verdict_data
from latlab.psa.model import AttackOutcome
from latlab.runs.verbs.gating import _verdicts


def test_a_verdict_is_one_of_four_words_and_its_detail_is_not_lost() -> None:
    assert {verdict.word for verdict in Verdict} == set(WORDS)
    printed = [str(verdict) for verdict in Verdict]
    assert len(set(printed)) == len(printed) and all(text.split(" (")[0] in WORDS for text in printed)
    assert str(Verdict.SAME_LEVEL) == "unchanged (tail inconclusive)"
    assert [Verdict(word) for word in WORDS] == [Verdict.REGRESSED, Verdict.IMPROVED, Verdict.SAME, Verdict.CANNOT_TELL]
    assert verdict_data(Verdict.MOVED) == {"verdict": "unchanged", "detail": "less than the threshold"}
    assert verdict_data(None) == {"verdict": None, "detail": None}


def test_a_gate_fails_on_the_four_words() -> None:
    assert _verdicts("inconclusive, improved") == {"inconclusive", "improved"}
    with pytest.raises(UsageError, match="use regressed, improved, unchanged, inconclusive"):
        _verdicts("worse")


def test_a_row_is_titled_in_the_words_of_the_field() -> None:
    assert row_title("cluster 0, last man") == "cluster 0, last core"
    assert (row_title("base"), row_title("step"), row_title("by place")) == ("first-core latency", "delay per position", "by position")
    assert row_title("core 1.0") == "core 1.0"


def test_an_outcome_is_read_by_its_code() -> None:
    assert (AttackOutcome("inconclusive"), str(AttackOutcome.BROKEN)) == (AttackOutcome.INCONCLUSIVE, "broken")


def test_equal_ends_are_printed_once() -> None:
    assert (span_of("3 µs", "3 µs"), span_of("3 µs", "5 µs")) == ("3 µs", "3 µs to 5 µs")
