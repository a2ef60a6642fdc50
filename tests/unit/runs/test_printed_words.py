# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts and rows have a printed form; files and options keep their codes."""

from __future__ import annotations

import json

import pytest

from latlab.core.comparison.verdicts import Verdict
from latlab.core.comparison.wording import row_title, span_of
from latlab.core.errors import UsageError
from latlab.psa.model import AttackOutcome
from latlab.runs.verbs.comparing import _verdicts


def test_a_verdict_is_printed_in_the_words_of_the_field_and_kept_by_its_code() -> None:
    printed = {str(verdict) for verdict in Verdict}
    assert printed == {
        "regressed", "improved", "same", "changed, below threshold", "equivalent median, tail inconclusive",
        "no change shown, some rows inconclusive", "inconclusive",
    }  # fmt: skip
    assert all(Verdict(verdict.value) is verdict for verdict in Verdict) and Verdict("cannot tell") is Verdict.CANNOT_TELL
    words = [verdict.word for verdict in Verdict]
    assert len(set(words)) == len(words) and not any("," in word for word in words)
    as_data = json.loads(json.dumps([Verdict.CANNOT_TELL, Verdict.MOVED.value]))
    assert as_data == ["cannot tell", "moved, within the margin"], "files keep the codes"


def test_the_gate_takes_the_printed_words_and_the_codes_of_verdicts() -> None:
    assert _verdicts("inconclusive, below threshold") == _verdicts("cannot tell,moved") == {Verdict.CANNOT_TELL, Verdict.MOVED}
    assert _verdicts("equivalent median") == _verdicts("same level") == {Verdict.SAME_LEVEL}
    with pytest.raises(UsageError, match="use regressed, improved, below threshold, equivalent median, same, inconclusive"):
        _verdicts("worse")


def test_a_row_is_titled_in_the_words_of_the_field() -> None:
    assert row_title("cluster 0, last man") == "cluster 0, last core"
    assert (row_title("base"), row_title("step"), row_title("by place")) == ("first-core latency", "delay per position", "by position")
    assert row_title("core 1.0") == "core 1.0"


def test_an_outcome_is_read_by_its_code() -> None:
    assert (AttackOutcome("cannot tell"), str(AttackOutcome.UNTOLD), str(AttackOutcome.BROKEN)) == (
        AttackOutcome.UNTOLD,
        "inconclusive",
        "broken",
    )


def test_equal_ends_are_printed_once() -> None:
    assert (span_of("3 µs", "3 µs"), span_of("3 µs", "5 µs")) == ("3 µs", "3 µs to 5 µs")
